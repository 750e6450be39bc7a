"""Rows 18, 19 and 20 of docs/protocol.md S17: lies at the end, shares, shuffles that are missing."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from p2pokey.crypto.group import L
from p2pokey.crypto.sharing import combine_shares, share_for
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import AuditDue, Phase, Waiting
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope, seal_envelope
from p2pokey.transcript.file import decode_line, encode_line
from p2pokey.transcript.messages import (
    Drop,
    Escrow,
    Kind,
    Message,
    Refuse,
    Return,
    Shuffle,
)
from tests.attacks.second_versions import other_key, other_shuffle
from tests.attacks.support import (
    SEED,
    AttackTable,
    assert_named_by_all,
    assert_nobody_honest_is_blamed,
    audit,
    envelopes,
    honest,
    line_of,
    named_by_audit,
    new_table,
    played,
    verdict,
)
from tests.sim.cheats import change_message, flip
from tests.sim.forge import forge, joined, lines_of, without
from tests.sim.table import fixed_bytes, signer_of

# Row 18 -------------------------------------------------------------------------------------------


def other_seed(core: HandCore, message: Message) -> Message:
    return replace(message, seed=flip(message.seed))


def test_row_18_a_seed_that_was_not_committed_to_is_refused() -> None:
    table = new_table()
    change_message(table, 2, Kind.DISCLOSE, other_seed)
    table.run()
    assert_named_by_all(table, 2)
    assert {peer.machine.fault.cause for peer in honest(table, 2)} == {"CommitMismatch"}
    for peer in honest(table, 2):
        assert named_by_audit(peer) == {2}


LIES_THAT_SEEDS_TELL: dict[str, tuple[Kind, Callable[[HandCore, Message], Message]]] = {
    "permutation": (Kind.SHUFFLE, other_shuffle),
    "key": (Kind.KEYS, other_key),
}
"""What verifies during the hand, and does not follow from the seed that was committed to."""


@cache
def lied(name: str, seed: str) -> AttackTable:
    kind, change = LIES_THAT_SEEDS_TELL[name]
    table = new_table(seed)
    change_message(table, 2, kind, change)
    table.run()
    return table


@pytest.mark.parametrize("name", LIES_THAT_SEEDS_TELL)
def test_row_18_a_permutation_or_key_of_another_seed_gives_no_score(name: str) -> None:
    """Nobody signs the result, and the file of each seat names the liar."""
    table = lied(name, SEED)
    assert_nobody_honest_is_blamed(table, 2)
    for peer in honest(table, 2):
        assert peer.machine.phase is Phase.STOPPED
        assert named_by_audit(peer) == {2}


@pytest.mark.parametrize("name", LIES_THAT_SEEDS_TELL)
def test_row_18_all_seats_name_who_lied_about_its_seed(name: str) -> None:
    assert_named_by_all(lied(name, SEED), 2)


def test_row_18_the_audit_finds_each_lie_in_a_signed_file() -> None:
    """All seats sign a false score together: the file tells all the same."""
    edits = {
        Kind.DISCLOSE: lambda e: replace(e.message, seed=flip(e.message.seed)),
        Kind.RESULT: lambda e: replace(e.message, points=(7, 0, 0, 0)),
    }
    for kind, edit in edits.items():
        line = line_of(kind, seat=1)
        report = audit(forge(played(), SEED, line, edit))
        assert report.exit_code == 3
        assert (line, 1) in {(f.line, f.seat) for f in report.findings}


@cache
def finished_before() -> AttackTable:
    table = new_table()
    table.run()
    return table


def next_table() -> tuple[AttackTable, SeatSecrets]:
    """The hand after a finished one, whose keys are known, and a seat's secrets of that one."""
    before = finished_before()
    used = before.peers[0].machine.public_keys
    assert len(used) == 8
    table = new_table(hand=1)
    for peer in table.peers:
        peer.machine._core.used_keys = used
    return table, before.peers[2].machine._core.secrets


def test_row_18_a_sealing_key_of_an_earlier_hand_is_refused() -> None:
    table, old = next_table()
    core = table.peers[2].machine._core
    core.secrets = replace(core.secrets, sealing_secret=old.sealing_secret)
    core.used_keys = frozenset()
    table.run()
    assert_named_by_all(table, 2)
    assert {peer.machine.fault.cause for peer in honest(table, 2)} == {"DuplicateKey"}
    assert {peer.machine.fault.phase for peer in honest(table, 2)} <= {"commit", "keys"}


def test_row_18_a_hand_key_of_an_earlier_hand_is_refused() -> None:
    """With a fresh proof: the seat knows the secret, and so do all who saw it disclosed."""
    table, old = next_table()

    def old_key(core: HandCore, message: Message) -> Message:
        core.secrets = replace(core.secrets, hand_secret=old.hand_secret - 1)
        return other_key(core, message)  # takes the next secret

    table.peers[2].machine._core.used_keys = frozenset()
    change_message(table, 2, Kind.KEYS, old_key)
    table.run()
    assert_named_by_all(table, 2)
    assert {peer.machine.fault.cause for peer in honest(table, 2)} == {"DuplicateKey"}


@pytest.mark.parametrize("knows", [(0,), (0, 3), (1,)], ids=str)
def test_row_18_who_alone_has_seen_an_earlier_key_is_not_blamed(knows: tuple[int, ...]) -> None:
    """The attempt before may have ended before that key had come to all."""
    table, old = next_table()
    core = table.peers[2].machine._core
    core.secrets = replace(core.secrets, sealing_secret=old.sealing_secret)
    for peer in table.peers:
        if peer.seat not in knows:
            peer.machine._core.used_keys = frozenset()
    table.run()
    assert_nobody_honest_is_blamed(table, 2)
    for peer in honest(table, 2):
        assert peer.machine.phase is Phase.STOPPED


def test_row_18_fresh_keys_are_played_with() -> None:
    table, _ = next_table()
    while table.step() and table.peers[0].machine.phase in (Phase.COMMIT, Phase.KEYS):
        pass
    assert table.peers[0].machine.phase is Phase.SHUFFLE


# A message for a step that never comes ------------------------------------------------------------------


def at_audit() -> AttackTable:
    """All seeds are disclosed, and no audit has answered yet."""
    table = new_table()
    for peer in table.peers:
        silence_audit(peer)
    table.run()
    assert {peer.machine.phase for peer in table.peers} == {Phase.AUDIT}
    return table


def silence_audit(peer) -> None:
    honest_poll = peer.machine.poll

    def poll():
        effects = honest_poll()
        peer.effects += [e for e in effects if isinstance(e, AuditDue)]
        return tuple(e for e in effects if not isinstance(e, AuditDue))

    peer.machine.poll = poll


def never_due(table: AttackTable, seat: int) -> bytes:
    """A well-signed message at the end of the seat's chain, a few steps ahead of the hand."""
    core = table.peers[seat].machine._core
    seq, prev = core.book.head(Seat(seat))
    envelope = seal_envelope(
        signer_of(SEED, seat),
        session=core.setup.session,
        hand=core.setup.hand,
        seat=Seat(seat),
        seq=seq,
        prev=prev,
        step=core.step + 5,
        state=bytes(64),
        message=Return(),
    )
    return envelope.encoded


@pytest.mark.parametrize("reached", [(0,), (0, 1, 3)], ids=str)
def test_row_18_a_message_that_is_never_due_changes_no_result(reached) -> None:
    """Some get it while they audit: all sign what they have audited, and only that."""
    table = at_audit()
    surplus = never_due(table, 2)
    for seat in reached:
        table.peers[seat].machine.receive(surplus, Seat(2), table.now)
    for peer in honest(table, 2):
        due = next(e for e in peer.effects if isinstance(e, AuditDue))
        peer.machine.act(verdict(table.group, due.transcript), table.now)
    table.run()
    assert_nobody_honest_is_blamed(table, 2)


@pytest.mark.parametrize("reached", [(0,), (0, 1, 3)], ids=str)
def test_row_18_a_message_that_is_never_due_turns_nobody_against_others(reached) -> None:
    """Some get it before their audit, right behind the seed, and find it there."""
    table = new_table()

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        is_seed = source == 2 and decode_envelope(data).kind is Kind.DISCLOSE
        return [data, never_due(table, 2)] if is_seed and receiver in reached else [data]

    table.wire = wire
    fall_silent_with_seed(table, 2)
    table.run()
    for peer in honest(table, 2):
        # It waits for a step that never comes; what the others wait for is seat 3's RESULT.
        assert peer.machine.phase is Phase.RESULT
        assert peer.machine.waiting().seats == (2,)
    assert_nobody_honest_is_blamed(table, 2)


def fall_silent_with_seed(table: AttackTable, seat: int) -> None:
    """The seat sends nothing more of its own after its seed."""
    core = table.peers[seat].machine._core
    send = core.send

    def last(message: Message) -> None:
        send(message)
        if message.kind is Kind.DISCLOSE:
            core.send = lambda message: None

    core.send = last


# Row 19 -------------------------------------------------------------------------------------------


def test_row_19_two_of_three_helpers_could_hold_shares_of_any_key() -> None:
    """For every candidate there is exactly one third share that makes it the shared key."""
    core = new_table().peers[2].machine._core
    assert core.threshold == 3
    x, coefficients = core.secrets.hand_secret, core.secrets.coefficients
    shares = {seat: share_for(x, coefficients, seat) for seat in (0, 1, 3)}
    assert combine_shares(shares) == x
    for number in range(50):
        candidate = int.from_bytes(fixed_bytes(f"candidate {number}", 64), "little") % L
        # Lagrange at 0 is linear in the third share.
        none = combine_shares({**shares, 3: 0})
        slope = combine_shares({0: 0, 1: 0, 3: 1})
        third = (candidate - none) * pow(slope, -1, L) % L
        assert combine_shares({**shares, 3: third}) == candidate
        assert third != shares[3]


def stand_in(core: HandCore, message: Message) -> Message:
    """A helper's tokens for a seat that is there."""
    return Escrow(absent=1, positions=(40,), tokens=message.tokens[:32], proof=message.proof)


def vote(core: HandCore, message: Message) -> Message:
    return Drop(absent=1, step=core.step, head_seq=4, head=bytes(64), state=core.states[-1])


def refusal(core: HandCore, message: Message) -> Message:
    first = next(e for e in core.book.accepted() if e.seat == 1)
    return Refuse(message=first.encoded)


def comeback(core: HandCore, message: Message) -> Message:
    return Return()


UNUSED = {"escrow": stand_in, "drop": vote, "refuse": refusal, "return": comeback}


@cache
def with_unused(name: str, number: int) -> AttackTable:
    table = new_table()
    change_message(table, 2, Kind.TOKENS, UNUSED[name], number=number)
    table.run()
    return table


@pytest.mark.parametrize("name", ["escrow", "drop", "return"])
@pytest.mark.parametrize("number", [0, 1], ids=["deal", "draw"])
def test_row_19_no_share_is_taken_while_nobody_is_voted_absent(name: str, number: int) -> None:
    """A share without a certificate, a vote about another chain, a return of who was not away."""
    table = with_unused(name, number)
    assert_named_by_all(table, 2)
    causes = {peer.machine.fault.cause for peer in honest(table, 2)}
    assert causes == {"StateDisagreement" if name == "drop" else "TokenNotDue"}
    phases = {Phase.READY, Phase.DEAL, Phase.PLAY}
    assert {peer.machine.fault.phase for peer in honest(table, 2)} <= {p.label for p in phases}


def test_row_19_a_refusal_of_no_vote_has_no_effect() -> None:
    """It shows what all have: the hand waits for the tokens that it came in the place of."""
    table = with_unused("refuse", 0)
    for peer in honest(table, 2):
        assert peer.machine.fault is None
        assert peer.machine.waiting() == Waiting(phase=Phase.DEAL, seats=(2,))


@pytest.mark.parametrize("name", UNUSED)
def test_row_19_the_file_of_a_hand_stopped_for_shares_names_their_user(name: str) -> None:
    """A vote about another chain proves nothing in a single file: who forked is not in it."""
    for peer in honest(with_unused(name, 0), 2):
        assert named_by_audit(peer) == ({2} if name in ("escrow", "return") else set())


@pytest.mark.parametrize("name", UNUSED)
def test_row_19_a_use_of_shares_shows_in_the_file(name: str) -> None:
    """All four sign a hand in which one of these messages stands: the audit refuses it."""
    line = line_of(Kind.TOKENS, seat=2)
    other = {
        "escrow": Escrow(absent=1, positions=(40,), tokens=bytes(32), proof=bytes(64)),
        "drop": Drop(absent=1, step=4, head_seq=4, head=bytes(64), state=bytes(64)),
        "refuse": Refuse(message=envelopes()[0].encoded),
        "return": Return(),
    }[name]
    report = audit(forge(played(), SEED, line, lambda e: other))
    assert report.exit_code == 3
    assert report.points is None
    if name != "refuse":  # that is a message without effect, and the tokens are missing
        assert any(f.seat == 2 and f.cause == "TokenNotDue" for f in report.findings)


def test_row_19_an_honest_hand_uses_no_share() -> None:
    kinds = {envelope.kind for envelope in envelopes()}
    assert kinds.isdisjoint({Kind.ESCROW, Kind.DROP, Kind.REFUSE, Kind.RETURN})
    assert Kind.KEYS in kinds


# Row 20 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_row_20_no_tile_is_dealt_while_a_shuffle_is_missing(seat: int) -> None:
    """Whoever holds its shuffle back, the others wait for it and give no token."""
    table = new_table()
    core = table.peers[seat].machine._core
    send = core.send
    core.send = lambda message: None if isinstance(message, Shuffle) else send(message)
    table.run()
    for peer in table.peers:
        if peer.seat != seat:
            waiting = peer.machine.waiting()
            assert (waiting.phase, waiting.seats) == (Phase.SHUFFLE, (seat,))
            kinds = {decode_envelope(data).kind for data in peer.disk}
            assert kinds.isdisjoint({Kind.READY, Kind.TOKENS})


@pytest.mark.parametrize("seat", [1, 2])
def test_row_20_a_shuffle_built_on_the_one_before_the_last_is_refused(seat: int) -> None:
    """The seat leaves out its neighbour: it builds on what the neighbour built on."""

    def left_out(core: HandCore, message: Message) -> Message:
        own, core.shuffles = core.shuffles, core.shuffles[:-1]
        deck_in = core.shuffles[-1] if core.shuffles else None
        changed = other_shuffle(core, message)
        core.shuffles = own
        hash_in = first_input(core) if deck_in is None else last_input(core, deck_in)
        return replace(changed, input_hash=hash_in)

    table = new_table()
    change_message(table, seat, Kind.SHUFFLE, left_out)
    table.run()
    assert_named_by_all(table, seat)
    assert {peer.machine.fault.cause for peer in honest(table, seat)} == {"DeckDisagreement"}


def first_input(core: HandCore) -> bytes:
    from p2pokey.deck.chain import input_digest

    return input_digest(core.deck_in, b"")


def last_input(core: HandCore, shuffle: Shuffle) -> bytes:
    from p2pokey.deck.chain import input_digest

    return input_digest(shuffle.deck, shuffle.proof)


def test_row_20_passing_the_deck_on_is_no_shuffle() -> None:
    """With the neighbour's proof, or with an own proof of another shuffle."""
    for keep_proof in (True, False):

        def passed_on(core: HandCore, message: Message, keep: bool = keep_proof) -> Message:
            before = core.shuffles[-1]
            return replace(message, deck=before.deck, proof=before.proof if keep else message.proof)

        table = new_table()
        change_message(table, 2, Kind.SHUFFLE, passed_on)
        table.run()
        assert_named_by_all(table, 2)
        assert {peer.machine.fault.cause for peer in honest(table, 2)} == {"ShuffleInvalid"}


@pytest.mark.parametrize("seat", range(4))
def test_row_20_a_file_without_a_seats_shuffle_is_refused(seat: int) -> None:
    """Dropped with all signatures in order, and with a shuffle of another seat in its place."""
    line = line_of(Kind.SHUFFLE, seat=seat)
    missing = audit(without(played(), SEED, {line}))
    assert missing.exit_code == 3
    assert missing.points is None
    assert missing.findings[0].line == line
    assert missing.findings[0].cause == "Missing"

    # The neighbour shuffles twice instead: its own line, and one in the place of the other's.
    lines = lines_of(played())
    other = (seat + 1) % 4
    stolen = replace(decode_line(lines[line - 1]), seat=Seat(other))
    again = seal_envelope(
        signer_of(SEED, other),
        session=stolen.session,
        hand=stolen.hand,
        seat=Seat(other),
        seq=stolen.seq,
        prev=stolen.prev,
        step=stolen.step,
        state=stolen.state,
        message=stolen.message,
    )
    lines[line - 1] = encode_line(again)
    report = audit(joined(lines))
    assert report.exit_code == 3
    assert report.points is None
    assert any(f.line == line for f in report.findings)


def test_row_20_nobody_is_ready_without_all_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """The READY digest covers the deck and the proof of each seat."""
    from p2pokey.deck.chain import ready_digest

    shuffles = [e.message for e in envelopes() if e.kind is Kind.SHUFFLE]
    links = [(shuffle.deck, shuffle.proof) for shuffle in shuffles]
    assert len(links) == 4
    whole = ready_digest(bytes(64), bytes(64), links)
    fewer = {ready_digest(bytes(64), bytes(64), links[:at] + links[at + 1 :]) for at in range(4)}
    assert whole not in fewer
    assert len(fewer) == 4
