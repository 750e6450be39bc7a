"""Replays COMMIT, KEYS, SHUFFLE and READY (docs/protocol.md S4.1 to S4.4, S11.1, S11.2)."""

from functools import partial

from p2pokey.audit.absent import recover_key
from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.crypto.batch import ShuffleClaim
from p2pokey.crypto.group import split32
from p2pokey.crypto.reencrypt import ENTRY, columns, shuffle_secrets
from p2pokey.crypto.shuffle import prove_shuffle, shuffle_deck
from p2pokey.deck.chain import input_digest, ready_digest, shuffle_context
from p2pokey.deck.keys import (
    CommitFields,
    HandKeyFields,
    build_commit,
    build_hand_key,
    check_commit,
    check_hand_key,
    check_joint_key,
    find_duplicate,
    keyset_digest,
)
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.points import initial_deck, tile_of
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import ShareTable, build_shares, check_share_sizes
from p2pokey.errors import (
    BadLength,
    DeckDisagreement,
    DecodeError,
    DuplicateKey,
    ReplayMismatch,
    VerificationError,
)
from p2pokey.tiles import TILE_COUNT, Seat, Slot, Tile
from p2pokey.transcript.messages import Commit, Keys, Ready, Shuffle


def replay_commits(course: Course) -> None:
    """Round 1."""
    lines = []
    for seat in course.seats:
        line, message = course.take(Commit, seat)
        fields = CommitFields(
            seed_commit=message.seed_commit,
            coin_commit=message.coin_commit,
            sealing_key=message.sealing_key,
            pop=message.pop,
        )
        course.check(line, 1, partial(check_commit, course.group, course.contexts, seat, fields))
        course.rebuild(line, message, partial(_build_commit, course, seat), always=True)
        course.commits.append(message)
        lines.append(line)
    _refuse_duplicate(course, lines, [commit.sealing_key for commit in course.commits], frozenset())
    course.complete("commits", b"".join(commit.encode() for commit in course.commits))


def _build_commit(course: Course, seat: Seat, secrets: SeatSecrets) -> Commit:
    fields = build_commit(course.group, course.contexts, seat, secrets)
    return Commit(
        seed_commit=fields.seed_commit,
        coin_commit=fields.coin_commit,
        sealing_key=fields.sealing_key,
        pop=fields.pop,
    )


def replay_keys(course: Course) -> None:
    """Round 2."""
    lines = []
    for seat in course.seats:
        line, message = course.take(Keys, seat)
        course.check(line, 1, partial(_check_keys, course, seat, message))
        course.rebuild(line, message, partial(_build_keys, course, seat), always=True)
        course.keys.append(message)
        lines.append(line)
    hand_keys = [keys.hand_key for keys in course.keys]
    taken = frozenset(commit.sealing_key for commit in course.commits)
    _refuse_duplicate(course, lines, hand_keys, taken)
    try:
        course.joint_key = check_joint_key(course.group, hand_keys)
    except (VerificationError, DecodeError) as error:
        raise ReplayEnded(lines[-1].finding(type(error), str(error))) from error
    course.keyset = keyset_digest(
        [commit.encode() for commit in course.commits],
        [keys.record for keys in course.keys],
        [keys.coin for keys in course.keys],
    )
    course.complete("keyset", course.keyset)


def _check_keys(course: Course, seat: Seat, message: Keys) -> None:
    fields = HandKeyFields(hand_key=message.hand_key, pop=message.pop, coin=message.coin)
    coin_commit = course.commits[seat].coin_commit
    seats, threshold = len(course.seats), course.threshold
    check_share_sizes(seats, threshold, message.commitments, message.shares)
    check_hand_key(course.group, course.contexts, seat, fields, coin_commit)
    if threshold:
        ShareTable.check(
            course.group,
            seats=seats,
            dealer=seat,
            hand_key=message.hand_key,
            commitments=message.commitments,
        )


def _build_keys(course: Course, seat: Seat, secrets: SeatSecrets) -> Keys:
    fields = build_hand_key(course.group, course.contexts, seat, secrets)
    commitments, shares = b"", b""
    if course.threshold:
        commitments, shares = build_shares(
            course.group,
            course.sealer,
            course.contexts,
            dealer=seat,
            secrets=secrets,
            sealing_keys=[commit.sealing_key for commit in course.commits],
        )
    return Keys(
        hand_key=fields.hand_key,
        pop=fields.pop,
        commitments=commitments,
        shares=shares,
        coin=fields.coin,
    )


def _refuse_duplicate(
    course: Course, lines: list[Line], keys: list[bytes], taken: frozenset[bytes]
) -> None:
    index = find_duplicate(keys, taken)
    if index is not None:
        text = "a key equals another key of this hand"
        course.findings.append(lines[index].finding(DuplicateKey, text))


def replay_shuffles(course: Course) -> None:
    """Round 3."""
    deck, proof = initial_deck(course.group), b""
    for seat in course.seats:
        line, message = course.take(Shuffle, seat)
        is_whole = len(message.deck) == ENTRY * TILE_COUNT
        course.require(line, is_whole, BadLength, f"expected a deck of {TILE_COUNT} tiles")
        course.expect_shown(
            line,
            message.input_hash == input_digest(deck, proof),
            DeckDisagreement,
            "the shuffle builds on another deck than the one before it",
        )
        ctx = shuffle_context(course.contexts, seat, course.keyset)
        claim = ShuffleClaim(
            ctx=ctx,
            key=course.joint_key,
            deck_in=deck,
            deck_out=message.deck,
            proof=message.proof,
        )
        course.check_shuffle(line, claim)
        _rebuild_shuffle(course, line, ctx, deck, message)
        course.shuffles.append(message)
        deck, proof = message.deck, message.proof
    course.complete("shuffled", _ready(course))


def _rebuild_shuffle(
    course: Course, line: Line, ctx: bytes, deck_in: bytes, message: Shuffle
) -> None:
    """The deck always, the proof where everything is recomputed."""

    def build(secrets: SeatSecrets) -> Shuffle:
        inputs = {"seed": secrets.seed, "ctx": ctx, "key": course.joint_key, "deck": deck_in}
        if course.recompute:
            deck, proof = prove_shuffle(course.group, **inputs)
        else:
            deck, proof = shuffle_deck(course.group, **inputs), message.proof
        return Shuffle(input_hash=message.input_hash, deck=deck, proof=proof)

    course.rebuild(line, message, build, always=True)


def _ready(course: Course) -> bytes:
    links = [(shuffle.deck, shuffle.proof) for shuffle in course.shuffles]
    return ready_digest(course.hand_ctx, course.keyset, links)


def replay_ready(course: Course) -> None:
    """Round 4; then the tiles behind all positions, if all seeds are known (S11.4)."""
    digest = _ready(course)
    for seat in course.seats:
        line, message = course.take(Ready, seat)
        text = "READY for another deck than the transcript shows"
        course.agree(line, message.digest == digest, DeckDisagreement, text)
    course.complete("ready", digest)
    course.deck = MaskedDeck(
        course.group,
        contexts=course.contexts,
        keyset=course.keyset,
        hand_keys=[keys.hand_key for keys in course.keys],
        deck=course.shuffles[-1].deck,
    )
    if course.has_all_seeds:
        _open_everything(course)
        return
    course.recovered = recover_key(course)
    if course.recovered is not None:
        _open_with_shares(course)


def _open_everything(course: Course) -> None:
    """Composes the permutations and opens all positions; both must give the same tiles."""
    tiles = list(range(TILE_COUNT))
    deck = initial_deck(course.group)
    for seat in course.seats:
        ctx = shuffle_context(course.contexts, seat, course.keyset)
        permutation, _ = shuffle_secrets(course.secrets[seat].seed, ctx, deck)
        tiles = [tiles[source] for source in permutation]
        deck = course.shuffles[seat].deck
    opened = _open_with_all_keys(course, deck)
    for position, (tile, found) in enumerate(zip(tiles, opened, strict=True)):
        if tile != found:
            text = f"position {position} opens to another tile than the seeds give"
            _note_mismatch(course, text)
            return
    course.faces = {Slot(position): Tile(tile) for position, tile in enumerate(tiles)}


def _open_with_shares(course: Course) -> None:
    """One seed is missing: the proofs bind its shuffle, and its key opens all positions."""
    opened = _open_with_all_keys(course, course.shuffles[-1].deck)
    tiles = [tile for tile in opened if tile is not None]
    if sorted(tiles) != list(range(TILE_COUNT)):
        _note_mismatch(course, "the positions do not open to 106 different tiles")
        return
    course.faces = {Slot(position): Tile(tile) for position, tile in enumerate(tiles)}


def _note_mismatch(course: Course, text: str) -> None:
    finding = Finding(line=None, seat=None, message=None, cause=ReplayMismatch.__name__, text=text)
    course.findings.append(finding)


def _open_with_all_keys(course: Course, deck: bytes) -> list[int | None]:
    joint = sum(course.hand_secrets.values())
    c1, c2 = columns(deck)
    try:
        points = course.group.sub(c2, course.group.mul_one_scalar(joint, c1))
    except DecodeError:
        return [None] * TILE_COUNT
    return [_tile_or_none(course, point) for point in split32(points)]


def _tile_or_none(course: Course, point: bytes) -> int | None:
    try:
        return tile_of(course.group, point)
    except VerificationError:
        return None
