"""Row 11 of docs/protocol.md S17: a seat that signs two messages for one place in its chain.

Whatever the round: every honest seat stops, names that seat and no other, and so do their files.
Two kinds of liars: one slips a second message in and goes on with the first chain; the other plays
on consistently with both, so that only two honest seats together can find out.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from p2pokey.hand.effects import Abandon, Phase
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack
from p2pokey.transcript.envelope import decode_envelope, verify_envelope
from p2pokey.transcript.messages import Kind, Message, Move
from tests.attacks.second_versions import RestlessSigner, Second, seconds
from tests.attacks.support import (
    CHEAP,
    SEED,
    SHORT,
    AttackTable,
    assert_named_by_all,
    assert_nobody_honest_is_blamed,
    envelopes,
    honest,
    new_table,
    verdict,
)
from tests.sim.cheats import flip, resign, two_faced, two_minds
from tests.sim.table import fixed_bytes, signer_of

# A liar with two consistent chains ----------------------------------------------------------------


THOROUGH = ("commit", "keys", "shuffle", "discard", "result")
"""Each in three hands with other targets; the others are like one of these."""


def lie(seed: str, second: Second, targets: set[int]) -> AttackTable:
    """A hand in which the seat shows the second version to the targets."""
    table = new_table(seed)
    two_minds(
        table,
        seed,
        second.seat,
        second.kind,
        second.change,
        targets=targets,
        judge=lambda transcript: verdict(CHEAP, transcript),
        number=second.number,
    )
    table.run()
    return table


@pytest.mark.parametrize("name", list(seconds()))
def test_row_11_two_consistent_versions_are_blamed_on_their_author(name: str) -> None:
    cases = [((1, 3), SHORT[2]), ((1,), SHORT[0]), ((2,), SHORT[1])]
    for steps, seed in cases if name in THOROUGH else cases[:1]:
        second = seconds(seed)[name]
        targets = {(second.seat + step) % 4 for step in steps}
        assert_named(lie(seed, second, targets), second.seat, kind=second.kind)


def assert_named(table: AttackTable, culprit: int, *, kind: Kind) -> None:
    """All honest seats name the culprit; with two RESULTs those that were shown the bad one do.

    Whoever has all four good RESULTs is done, and its hand counts.
    """
    if kind is not Kind.RESULT:
        assert_named_by_all(table, culprit)
        return
    assert_nobody_honest_is_blamed(table, culprit)
    for peer in honest(table, culprit):
        assert peer.machine.phase is Phase.DONE or peer.machine.fault is not None


SEEDS_ARE_KNOWN = {phase.label for phase in (Phase.KEYS, Phase.AUDIT, Phase.RESULT)}
"""Rounds that open a commitment or rebuild from a seed."""


@pytest.mark.parametrize("name", ["commit", "signature"])
def test_row_11_each_version_holds_by_itself(name: str) -> None:
    """Shown to all, the second version harms nobody until the seeds are known: only the pair lies.

    This is what makes the cases above cases of equivocation and of nothing else.
    """
    second = seconds()[name]
    targets = set(range(4)) - {second.seat}
    table = lie(SEED, second, targets)
    for peer in honest(table, second.seat):
        fault = peer.machine.fault
        assert fault is None or fault.phase in SEEDS_ARE_KNOWN, str(fault)
    assert_nobody_honest_is_blamed(table, second.seat)


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("commit", SHORT[0]),
        ("keys", SHORT[0]),
        ("shuffle", SHORT[0]),
        ("discard", SHORT[0]),
        ("deal", SHORT[1]),
        ("reveal", SHORT[0]),
    ],
)
def test_row_11_a_dispute_that_is_given_up_is_held_against_nobody(name: str, seed: str) -> None:
    """All leave as soon as one of them disputes something: no file holds both versions."""
    second = seconds(seed)[name]
    table = new_table(seed)
    two_minds(
        table,
        seed,
        second.seat,
        second.kind,
        second.change,
        targets={(second.seat + 1) % 4},
        judge=lambda transcript: verdict(CHEAP, transcript),
        number=second.number,
    )
    peers = honest(table, second.seat)
    while table.step() and all(peer.machine.next_timer() is None for peer in peers):
        pass
    assert any(peer.machine.next_timer() is not None for peer in peers), "nobody disputes anything"
    for peer in peers:
        peer.machine.act(Abandon(reason="we leave it at that"), table.now)
    table.run()
    assert_nobody_honest_is_blamed(table, second.seat)


# A liar who slips in one message -------------------------------------------------------------------


def changed(name: str, at: int = 0) -> Callable[[Message], Message]:
    return lambda message: replace(message, **{name: flip(getattr(message, name), at)})


def other_draw(message: Move) -> Message:
    """A draw from the other place; any other move is left alone."""
    match decode_move(message.move):
        case DrawStack():
            return replace(message, move=encode_move(DrawLeft()))
        case DrawLeft():
            return replace(message, move=encode_move(DrawStack()))
    return message


def no_remask(message: Move) -> Message:
    return replace(message, remask=None)


SLIPPED: dict[str, tuple[Kind, Callable[[Message], Message]]] = {
    "commit-pop": (Kind.COMMIT, changed("pop")),
    "keys-coin": (Kind.KEYS, changed("coin")),
    "keys-pop": (Kind.KEYS, changed("pop")),
    "keys-share": (Kind.KEYS, changed("shares", 100)),
    "shuffle-deck": (Kind.SHUFFLE, lambda m: replace(m, deck=m.deck[64:] + m.deck[:64])),
    "shuffle-proof": (Kind.SHUFFLE, changed("proof")),
    "shuffle-input": (Kind.SHUFFLE, changed("input_hash")),
    "move-draw": (Kind.MOVE, other_draw),
    "move-remask": (Kind.MOVE, no_remask),
    "move-bytes": (Kind.MOVE, changed("move")),
    "result-points": (Kind.RESULT, lambda m: replace(m, points=(0, 0, 0, 7))),
    "result-hash": (Kind.RESULT, changed("transcript")),
}
"""Kinds and changes that tests/hand/test_faults.py does not try already."""


@pytest.mark.parametrize("name", list(SLIPPED))
def test_row_11_a_slipped_in_version_is_blamed_on_its_author(name: str) -> None:
    kind, change = SLIPPED[name]
    cases = list(zip((0, 1, 3), SHORT[:3], strict=True))
    for target, seed in cases if kind is Kind.RESULT else cases[::2]:
        table = new_table(seed)
        two_faced(table, seed, 2, kind, change, target=target)
        table.run()
        assert_named(table, 2, kind=kind)


# The fraud proof ----------------------------------------------------------------------------------


def test_row_11_the_proof_of_a_fork_stands_alone() -> None:
    """Both signed messages are in the evidence, and they convince whoever has the roster."""
    second = seconds()["end"]
    table = lie(SEED, second, {0})
    pairs = [
        peer.machine.fault.evidence
        for peer in honest(table, second.seat)
        if peer.machine.fault.cause == "Equivocation"
    ]
    assert pairs
    for one, two in pairs:
        first, other = decode_envelope(one), decode_envelope(two)
        assert (first.seat, first.seq) == (other.seat, other.seq) == (second.seat, first.seq)
        assert first.body != other.body
        for envelope in (first, other):
            verify_envelope(Ed25519Verifier(), table.setup.roster[second.seat], envelope)


def test_row_11_the_kit_signs_second_versions_that_verify() -> None:
    """Should the kit break, the tests above would show bad signatures and not forks."""
    envelope = next(e for e in envelopes() if e.kind is Kind.READY)
    key = signer_of(SEED, envelope.seat).public_key
    again = resign(SEED, envelope, replace(envelope.message, digest=bytes(64)))
    verify_envelope(Ed25519Verifier(), key, again)

    restless = RestlessSigner(fixed_bytes(f"identity {SEED} {envelope.seat}"), key)
    signature = restless.sign(b"data")
    assert signature != signer_of(SEED, envelope.seat).sign(b"data")
    Ed25519Verifier().verify(key, b"data", signature)


def test_row_11_second_versions_differ_from_the_first() -> None:
    discards = [s for s in seconds().values() if s.kind is Kind.MOVE]
    assert all(isinstance(decode_move(envelopes_move(s).move), Discard) for s in discards)
    assert {second.kind for second in seconds().values()} == {
        Kind.COMMIT,
        Kind.KEYS,
        Kind.SHUFFLE,
        Kind.READY,
        Kind.TOKENS,
        Kind.MOVE,
        Kind.END,
        Kind.DISCLOSE,
        Kind.RESULT,
    }


def envelopes_move(second: Second) -> Move:
    moves = [e.message for e in envelopes() if e.seat == second.seat and e.kind is Kind.MOVE]
    return moves[second.number]
