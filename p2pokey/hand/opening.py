"""Rounds COMMIT, KEYS, SHUFFLE and READY (docs/protocol.md S4.1 to S4.4, S10).

Each handler checks one message of one seat and may complete the round. What it raises is that
seat's fault; where another seat is to blame it raises `Blame`.
"""

from p2pokey.crypto.batch import ShuffleClaim, verify_shuffles_steps
from p2pokey.crypto.reencrypt import ENTRY
from p2pokey.crypto.shuffle import prove_shuffle_steps
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
    starter_by_coins,
)
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.shares import (
    ShareTable,
    build_complaint,
    build_shares,
    check_share_sizes,
    judge_complaint,
    open_share,
)
from p2pokey.errors import (
    BadLength,
    DeckDisagreement,
    DecodeError,
    DuplicateKey,
    ShareInvalid,
    VerificationError,
)
from p2pokey.hand.blame import Blame, Dispute
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import Phase, ProofAccepted, ShuffleVerified
from p2pokey.hand.play import begin_deal
from p2pokey.tiles import TILE_COUNT, Seat
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Commit, Complaint, Keys, Kind, Ready, Shuffle


def send_commit(core: HandCore) -> None:
    """Opens the hand."""
    fields = build_commit(core.group, core.contexts, core.seat, core.secrets)
    core.send(
        Commit(
            seed_commit=fields.seed_commit,
            coin_commit=fields.coin_commit,
            sealing_key=fields.sealing_key,
            pop=fields.pop,
        )
    )


def handle_commit(core: HandCore, envelope: Envelope, message: Commit) -> Steps:
    """Round 1: a commitment and a sealing key."""
    yield
    if envelope.seat != core.seat:
        fields = CommitFields(
            seed_commit=message.seed_commit,
            coin_commit=message.coin_commit,
            sealing_key=message.sealing_key,
            pop=message.pop,
        )
        check_commit(core.group, core.contexts, envelope.seat, fields)
        core.emit(ProofAccepted(seat=envelope.seat, kind="possession", count=1))
    core.contributions[envelope.seat] = message
    if len(core.contributions) == len(core.seats):
        core.commits = tuple(m for m in core.in_seat_order() if isinstance(m, Commit))
        sealing_keys = [commit.sealing_key for commit in core.commits]
        _refuse_duplicates(core, sealing_keys, core.used_keys)
        payloads = b"".join(commit.encode() for commit in core.commits)
        core.complete_round("commits", payloads, Phase.KEYS)
        _send_keys(core)


def _send_keys(core: HandCore) -> None:
    fields = build_hand_key(core.group, core.contexts, core.seat, core.secrets)
    commitments, shares = b"", b""
    if core.threshold:
        commitments, shares = build_shares(
            core.group,
            core.sealer,
            core.contexts,
            dealer=core.seat,
            secrets=core.secrets,
            sealing_keys=[commit.sealing_key for commit in core.commits],
        )
    core.send(
        Keys(
            hand_key=fields.hand_key,
            pop=fields.pop,
            commitments=commitments,
            shares=shares,
            coin=fields.coin,
        )
    )


def handle_keys(core: HandCore, envelope: Envelope, message: Keys) -> Steps:
    """Round 2: a hand key, its shares and a coin."""
    yield
    seat = envelope.seat
    check_share_sizes(len(core.seats), core.threshold, message.commitments, message.shares)
    if seat != core.seat:
        fields = HandKeyFields(hand_key=message.hand_key, pop=message.pop, coin=message.coin)
        check_hand_key(core.group, core.contexts, seat, fields, core.commits[seat].coin_commit)
        core.emit(ProofAccepted(seat=seat, kind="possession", count=1))
    if core.threshold:
        # This seat's own, too: a complaint about it is judged with it.
        core.share_tables[seat] = ShareTable.check(
            core.group,
            seats=len(core.seats),
            dealer=seat,
            hand_key=message.hand_key,
            commitments=message.commitments,
        )
    core.contributions[seat] = message
    if len(core.contributions) == len(core.seats):
        yield from _complete_keys(core)


def _complete_keys(core: HandCore) -> Steps:
    core.keys = tuple(m for m in core.in_seat_order() if isinstance(m, Keys))
    hand_keys = [keys.hand_key for keys in core.keys]
    taken = core.used_keys | {commit.sealing_key for commit in core.commits}
    _refuse_duplicates(core, hand_keys, taken)
    core.joint_key = check_joint_key(core.group, hand_keys)
    coins = [keys.coin for keys in core.keys]
    core.keyset = keyset_digest(
        [commit.encode() for commit in core.commits], [keys.record for keys in core.keys], coins
    )
    chosen = core.setup.starter
    if chosen is None:
        chosen = Seat(starter_by_coins(coins, core.hand_ctx, core.setup.excluded))
    core.starter = chosen
    core.complete_round("keyset", core.keyset, Phase.SHUFFLE)
    yield
    if _shares_are_good(core) and core.seat == 0:
        yield from _send_shuffle(core)


def _shares_are_good(core: HandCore) -> bool:
    """Opens every share dealt to this seat; complains about the first bad one (S10)."""
    if not core.threshold:
        return True
    for dealer in core.others:
        try:
            open_share(
                core.group,
                core.sealer,
                core.contexts,
                dealer=dealer,
                holder=core.seat,
                secret=core.secrets.sealing_secret,
                sealing_key=core.commits[dealer].sealing_key,
                shares=core.keys[dealer].shares,
                table=core.share_tables[dealer],
            )
        except ShareInvalid:
            shared_point, proof = build_complaint(
                core.group,
                core.contexts,
                dealer=dealer,
                holder=core.seat,
                index=core.next_seq(),
                keyset=core.keyset,
                secrets=core.secrets,
                sealing_keys=[commit.sealing_key for commit in core.commits],
            )
            core.send(Complaint(dealer=dealer, shared_point=shared_point, proof=proof))
            return False
        core.emit(ProofAccepted(seat=dealer, kind="share", count=1))
    return True


def handle_complaint(core: HandCore, envelope: Envelope, message: Complaint) -> Steps:
    """A seat says that its share from a dealer is bad: the attempt ends, the liar is named."""
    yield
    if not core.threshold or message.dealer == envelope.seat or message.dealer >= len(core.seats):
        raise ShareInvalid("a complaint about a share that was never dealt")
    is_bad = judge_complaint(
        core.group,
        core.sealer,
        core.contexts,
        dealer=message.dealer,
        holder=envelope.seat,
        index=envelope.seq,
        keyset=core.keyset,
        sealing_keys=[commit.sealing_key for commit in core.commits],
        shares=core.keys[message.dealer].shares,
        table=core.share_tables[Seat(message.dealer)],
        shared_point=message.shared_point,
        proof=message.proof,
    )
    if not is_bad:
        raise ShareInvalid("a complaint about a share that is good")
    # With the share goes the message that brought it: a two-faced dealer is shown up by it.
    dealt = tuple(
        item.encoded
        for item in core.handled
        if item.kind is Kind.KEYS and item.seat == message.dealer
    )
    raise Blame(
        Seat(message.dealer), ShareInvalid("a share does not fit its commitments"), evidence=dealt
    )


def handle_shuffle(core: HandCore, envelope: Envelope, message: Shuffle) -> Steps:
    """Round 3: takes the next link; this seat's own link goes out before anything is verified."""
    yield
    seat = envelope.seat
    if seat != len(core.shuffles):
        raise DeckDisagreement("a shuffle out of turn")
    if len(message.deck) != ENTRY * TILE_COUNT:
        raise BadLength(f"expected a deck of {TILE_COUNT} tiles, got {len(message.deck) // ENTRY}")
    if message.input_hash != _current_input(core):
        if not core.shuffles:
            raise DeckDisagreement("the first shuffle must build on the initial deck")
        raise Dispute(seat, DeckDisagreement("a shuffle of a deck that nobody else has"))
    core.shuffles.append(message)
    if seat + 1 == core.seat:
        yield from _send_shuffle(core)


def _current_input(core: HandCore) -> bytes:
    if not core.shuffles:
        return input_digest(core.deck_in, b"")
    return input_digest(core.shuffles[-1].deck, core.shuffles[-1].proof)


def _input_deck(core: HandCore, seat: int) -> bytes:
    return core.shuffles[seat - 1].deck if seat else core.deck_in


def _send_shuffle(core: HandCore) -> Steps:
    deck, proof = yield from prove_shuffle_steps(
        core.group,
        seed=core.secrets.seed,
        ctx=shuffle_context(core.contexts, core.seat, core.keyset),
        key=core.joint_key,
        deck=_input_deck(core, core.seat),
    )
    core.send(Shuffle(input_hash=_current_input(core), deck=deck, proof=proof))


def verify_shuffles(core: HandCore) -> Steps:
    """Verifies all links that are here and unverified; the machine runs this when idle.

    Together if there are several, which costs a quarter less; a batch that fails is verified one by
    one to find the first bad link, whose seat is to blame.
    """
    last = len(core.shuffles)
    seats = [Seat(number) for number in range(core.verified, last)]
    claims = {seat: _claim(core, seat) for seat in seats if seat != core.seat}
    if len(claims) > 1:
        try:
            yield from verify_shuffles_steps(core.group, list(claims.values()))
        except (DecodeError, VerificationError):
            yield from _find_bad_link(core, claims)
    else:
        yield from _find_bad_link(core, claims)
    for seat in seats:
        if seat in claims:
            core.emit(ProofAccepted(seat=seat, kind="shuffle", count=1))
        core.emit(ShuffleVerified(seat=seat))
    core.verified = last
    if core.verified == len(core.seats):
        digest = _ready(core)
        core.complete_round("shuffled", digest, Phase.READY)
        core.send(Ready(digest=digest))


def _claim(core: HandCore, seat: Seat) -> ShuffleClaim:
    return ShuffleClaim(
        ctx=shuffle_context(core.contexts, seat, core.keyset),
        key=core.joint_key,
        deck_in=_input_deck(core, seat),
        deck_out=core.shuffles[seat].deck,
        proof=core.shuffles[seat].proof,
    )


def _find_bad_link(core: HandCore, claims: dict[Seat, ShuffleClaim]) -> Steps:
    """Verifies the links one by one and blames the maker of the first that fails."""
    for seat, claim in claims.items():
        try:
            yield from verify_shuffles_steps(core.group, [claim])
        except (DecodeError, VerificationError) as error:
            raise Blame(seat, error) from error


def _ready(core: HandCore) -> bytes:
    links = [(shuffle.deck, shuffle.proof) for shuffle in core.shuffles]
    return ready_digest(core.hand_ctx, core.keyset, links)


def handle_ready(core: HandCore, envelope: Envelope, message: Ready) -> Steps:
    """Round 4: all hold the same deck, or somebody showed different decks."""
    yield
    digest = _ready(core)
    if message.digest != digest:
        raise Dispute(envelope.seat, DeckDisagreement("READY for another deck than everybody's"))
    core.contributions[envelope.seat] = message
    if len(core.contributions) == len(core.seats):
        core.complete_round("ready", digest, Phase.DEAL)
        core.deck = MaskedDeck(
            core.group,
            contexts=core.contexts,
            keyset=core.keyset,
            hand_keys=[keys.hand_key for keys in core.keys],
            deck=core.shuffles[-1].deck,
        )
        begin_deal(core)


def _refuse_duplicates(
    core: HandCore, keys: list[bytes], taken: frozenset[bytes] = frozenset()
) -> None:
    """Blames the seat whose key repeats another; only a seat that knows that secret can do it."""
    index = find_duplicate(keys, taken)
    if index is None:
        return
    raise Blame(Seat(index), DuplicateKey("a key equals another key or one used before"))
