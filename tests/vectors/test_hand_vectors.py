"""The committed hand: made anew, reproduced piece by piece on each backend, and audited."""

import hashlib
from functools import cache
from typing import Any

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.group import Group, decode_scalar
from p2pokey.crypto.reencrypt import shuffle_secrets
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.deck.chain import input_digest, ready_digest, shuffle_context
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.keys import (
    build_commit,
    build_hand_key,
    check_commit,
    check_hand_key,
    check_joint_key,
    keyset_digest,
    starter_by_coins,
)
from p2pokey.deck.points import initial_deck, tile_of
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import ShareTable, build_shares, open_share
from p2pokey.deck.states import play_state, round_state
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Commit, Keys, Message, Shuffle
from p2pokey.transcript.messages import Move as MoveMessage
from p2pokey.transcript.setup import decode_header
from tests.crypto.support import BACKENDS, VECTORS, group_of, load
from tests.vectors.make import hand_files

KNOWN: Any = load("hand.json")
SEATS = range(4)


@pytest.fixture(params=BACKENDS)
def group(request: pytest.FixtureRequest) -> Group:
    return group_of(request.param)


@cache
def transcript() -> bytes:
    return (VECTORS / "hand.jsonl").read_bytes()


@cache
def message(line: int) -> Message:
    """The message in a line of the transcript, counted from 1."""
    return decode_line(transcript().splitlines()[line - 1]).message


def raw(text: str | list[str]) -> bytes:
    return bytes.fromhex("".join(text))


def scalar(text: str) -> int:
    return decode_scalar(bytes.fromhex(text))


CONTEXTS = Contexts(raw(KNOWN["setup"]["hand_ctx"]))
KEYSET = raw(KNOWN["joint"]["keyset"])
SEEDS = [raw(text) for text in KNOWN["setup"]["seeds"]]
SEALING_KEYS = [raw(note["E"]) for note in KNOWN["commit"]]
HAND_KEYS = [raw(note["X"]) for note in KNOWN["keys"]]
REMASKS = [note for note in KNOWN["moves"] if "remask" in note]


def secrets_of(seat: int) -> SeatSecrets:
    return SeatSecrets.derive(seed=SEEDS[seat], contexts=CONTEXTS, seat=seat, threshold=3)


def test_the_committed_files_are_what_make_writes():
    made = hand_files(group_of("libsodium"))

    for name, data in made.items():
        assert data == (VECTORS / name).read_bytes(), f"{name} differs: run make vectors"


def test_the_header_gives_the_context_of_the_hand():
    setup = decode_header(transcript().splitlines()[0])

    assert setup.hand_ctx() == raw(KNOWN["setup"]["hand_ctx"])
    assert list(setup.roster) == [raw(text) for text in KNOWN["setup"]["roster"]]


@pytest.mark.parametrize("seat", SEATS)
def test_commitments(group, seat):
    note, secrets = KNOWN["commit"][seat], secrets_of(seat)
    fields = build_commit(group, CONTEXTS, seat, secrets)
    sent = Commit(
        seed_commit=fields.seed_commit,
        coin_commit=fields.coin_commit,
        sealing_key=fields.sealing_key,
        pop=fields.pop,
    )

    assert secrets.hand_secret == scalar(note["x"])
    assert secrets.sealing_secret == scalar(note["e"])
    assert secrets.coin == raw(note["coin"])
    assert sent.encode() == raw(note["payload"])
    assert sent == message(note["line"])
    check_commit(group, CONTEXTS, seat, fields)


@pytest.mark.parametrize("seat", SEATS)
def test_keys_and_shares(group, seat):
    note, secrets = KNOWN["keys"][seat], secrets_of(seat)
    fields = build_hand_key(group, CONTEXTS, seat, secrets)
    commitments, shares = build_shares(
        group,
        ChaChaSealer(),
        CONTEXTS,
        dealer=seat,
        secrets=secrets,
        sealing_keys=SEALING_KEYS,
    )
    sent = Keys(
        hand_key=fields.hand_key,
        pop=fields.pop,
        commitments=commitments,
        shares=shares,
        coin=fields.coin,
    )

    assert list(secrets.coefficients) == [scalar(text) for text in note["a"]]
    assert sent.encode() == raw(note["payload"])
    assert sent == message(note["line"])
    check_hand_key(group, CONTEXTS, seat, fields, raw(KNOWN["commit"][seat]["coin_commit"]))


@pytest.mark.parametrize("dealer", SEATS)
def test_every_holder_opens_its_share(group, dealer):
    note = KNOWN["keys"][dealer]
    table = ShareTable.check(
        group, seats=4, dealer=dealer, hand_key=HAND_KEYS[dealer], commitments=raw(note["A"])
    )

    for share in note["shares"]:
        assert table.public[share["holder"]] == raw(share["Z"])
        assert scalar(share["s"]) == open_share(
            group,
            ChaChaSealer(),
            CONTEXTS,
            dealer=dealer,
            holder=share["holder"],
            secret=secrets_of(share["holder"]).sealing_secret,
            sealing_key=SEALING_KEYS[dealer],
            shares=raw([item["sealed"] for item in note["shares"]]),
            table=table,
        )


def test_joint_key_keyset_and_starter(group):
    coins = [secrets_of(seat).coin for seat in SEATS]
    commits = [raw(note["payload"]) for note in KNOWN["commit"]]
    records = [raw(note["record"]) for note in KNOWN["keys"]]
    excluded = KNOWN["setup"]["excluded"]

    assert check_joint_key(group, HAND_KEYS) == raw(KNOWN["joint"]["joint_key"])
    assert keyset_digest(commits, records, coins) == KEYSET
    assert KNOWN["joint"]["dice"][0] == starter_by_coins(coins, CONTEXTS.hand_ctx)
    assert KNOWN["joint"]["starter"] == starter_by_coins(coins, CONTEXTS.hand_ctx, excluded)


def shuffle_message(seat: int) -> Shuffle:
    sent = message(KNOWN["shuffles"][seat]["line"])
    assert isinstance(sent, Shuffle)
    return sent


def shuffle_input(group: Group, seat: int) -> tuple[bytes, bytes]:
    """The deck that a seat shuffles, and the proof it builds on."""
    if seat == 0:
        return initial_deck(group), b""
    before = shuffle_message(seat - 1)
    return before.deck, before.proof


def check_shuffle(
    group: Group, note: Any, seat: int, key: bytes, ctx: bytes, deck_in: bytes, sent: Any
) -> None:
    """Proves a shuffle or re-mask again, verifies it, and compares what is noted of it."""
    perm, randomness = shuffle_secrets(SEEDS[seat], ctx, deck_in)

    assert ctx == raw(note["ctx"])
    assert list(perm) == note["perm"]
    assert randomness == [scalar(text) for text in note["r"]] if "r" in note else True
    assert (sent.deck, sent.proof) == prove_shuffle(
        group, seed=SEEDS[seat], ctx=ctx, key=key, deck=deck_in
    )
    assert hashlib.sha512(sent.deck).hexdigest() == note["deck_out_sha512"]
    assert hashlib.sha512(sent.proof).hexdigest() == note["proof_sha512"]
    verify_shuffle(group, ctx=ctx, key=key, deck_in=deck_in, deck_out=sent.deck, proof=sent.proof)


@pytest.mark.parametrize(
    ("backend", "seat"),
    # One in plain Python, which is slow; the audit below verifies the others.
    [*[("libsodium", seat) for seat in SEATS], ("python", 1)],
)
def test_a_shuffle(backend, seat):
    group, note, sent = group_of(backend), KNOWN["shuffles"][seat], shuffle_message(seat)
    deck_in, proof_in = shuffle_input(group, seat)
    ctx = shuffle_context(CONTEXTS, seat, KEYSET)

    assert sent.input_hash == input_digest(deck_in, proof_in)
    check_shuffle(group, note, seat, raw(KNOWN["joint"]["joint_key"]), ctx, deck_in, sent)


def test_the_values_inside_a_proof_are_its_cells():
    for note, proof in (
        (KNOWN["shuffles"][0], shuffle_message(0).proof),
        (REMASKS[0]["remask"], remask_message(REMASKS[0]).proof),
    ):
        parts = ("c", "c_hat", "t", "t_hat", "s", "s_hat", "s_out")
        assert proof == b"".join([raw(note[name]) for name in parts])


def test_ready():
    links = [(shuffle_message(seat).deck, shuffle_message(seat).proof) for seat in SEATS]

    assert ready_digest(CONTEXTS.hand_ctx, KEYSET, links) == raw(KNOWN["ready"]["digest"])


def remask_message(note: Any) -> Any:
    sent = message(note["line"])
    assert isinstance(sent, MoveMessage)
    assert sent.move == raw(note["move_bytes"])
    return sent.remask


def test_a_remask(group):
    move, note = REMASKS[0], REMASKS[0]["remask"]
    seat = move["seat"]
    ctx = CONTEXTS.sub("remask", seat, note["counter"], KEYSET)

    assert note["counter"] == 0
    check_shuffle(
        group, note, seat, HAND_KEYS[seat], ctx, raw(note["deck_in"]), remask_message(move)
    )


def test_remasks_are_counted_for_each_seat():
    counters = [[n["remask"]["counter"] for n in REMASKS if n["seat"] == seat] for seat in SEATS]

    assert counters == [list(range(len(own))) for own in counters]


DEAL_TOKENS = [note for turn in KNOWN["deal"] for note in turn["tokens"]]
DRAW_TOKENS = [note for move in KNOWN["moves"] for note in move.get("tokens", [])]
REVEALS = [move | move["reveal"] for move in KNOWN["moves"] if "reveal" in move]


@pytest.mark.parametrize(
    "notes", [DEAL_TOKENS, DRAW_TOKENS, REVEALS], ids=["deal", "draw", "reveal"]
)
def test_tokens_and_reveals(group, notes):
    for note in notes:
        seat, points = note["seat"], raw(note["C"])
        tokens, proof = prove_dleq(
            group,
            seed=SEEDS[seat],
            ctx=raw(note["ctx"]),
            secret=secrets_of(seat).hand_secret,
            public=HAND_KEYS[seat],
            points=points,
        )
        sent: Any = message(note["line"])

        assert (tokens, proof) == (raw(note["D"]), raw(note["c"]) + raw(note["s"]))
        assert (sent.tokens, sent.proof) == (tokens, proof)
        verify_dleq(
            group,
            ctx=raw(note["ctx"]),
            public=HAND_KEYS[seat],
            points=points,
            tokens=tokens,
            proof=proof,
        )


def test_contexts_of_tokens():
    for note in DEAL_TOKENS + DRAW_TOKENS:
        sent: Any = message(note["line"])
        extra = bytes(note["positions"]) + KEYSET
        ctx = CONTEXTS.sub(sent.purpose.label, note["seat"], note["seq"], extra)

        assert raw(note["ctx"]) == ctx
        assert list(sent.positions) == note["positions"] == sorted(note["positions"])


def test_opened_tiles(group):
    turns = [*KNOWN["deal"], *KNOWN["moves"]]
    for note in [note for turn in turns for note in turn.get("opened", [])]:
        c1, c2 = raw(note["held"])[:32], raw(note["held"])[32:]
        holder = note["to"]
        # An open tile has C1 = O: its token is O under any key.
        secret = 1 if holder is None else secrets_of(holder).hand_secret
        token = group.mul_one_scalar(secret, c1)

        assert tile_of(group, group.sub(c2, token)) == note["tile"]


def test_state_hashes():
    for index, note in enumerate(KNOWN["steps"]):
        hashed = {name: raw(text) for name, text in note["hashed"].items()}
        if "game" in hashed:
            state = play_state(CONTEXTS.hand_ctx, index, hashed["game"], hashed["deck"])
        else:
            (label, data), *_ = hashed.items()
            state = round_state(CONTEXTS.hand_ctx, index, label, data)

        assert note["step"] == index
        assert state == raw(note["state"])


def test_every_message_names_the_state_of_its_step():
    for line in transcript().splitlines()[1:]:
        envelope = decode_line(line)

        assert envelope.state == raw(KNOWN["steps"][envelope.step]["state"])


def test_the_hand_shows_what_one_hand_can_show():
    words = {note["move"].split()[0] for note in KNOWN["moves"]}

    assert words == {"draw", "take", "show", "discard", "finish"}
    assert [turn["purpose"] for turn in KNOWN["deal"]] == ["deal", "indicator"]
    assert len(KNOWN["joint"]["dice"]) > 1


@pytest.mark.parametrize(("backend", "recompute"), [("libsodium", True), ("python", False)])
def test_the_transcript_is_sound(backend, recompute):
    report = audit_transcript(
        transcript(),
        group=group_of(backend),
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=recompute,
    )

    assert report.findings == ()
    assert report.status is Status.SOUND
    assert list(report.points or ()) == KNOWN["result"]["points"]
    assert list(report.totals or ()) == KNOWN["result"]["totals"]
    assert report.transcript_hash == raw(KNOWN["result"]["transcript_sha512"])
