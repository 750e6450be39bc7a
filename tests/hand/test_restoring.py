"""A machine comes back from what is on disk, wherever it was cut off."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.effects import (
    Abandon,
    AuditDue,
    Effect,
    HandStopped,
    Persist,
    Phase,
    Send,
    TurnReady,
)
from p2pokey.hand.restoring import restore
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.moves import Discard
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Kind, Move, Void
from tests.hand.test_whole_hand import CHEAP, finished, own_audit
from tests.sim.cheats import resign_after
from tests.sim.crashes import CrashTable, new_machine
from tests.sim.table import SimPeer, SimTable, make_setup

SEED = 1
"""The hand whose journals are cut."""


def own(disk: list[bytes], seat: int) -> list[bytes]:
    return [data for data in disk if decode_envelope(data).seat == seat]


def signed(effects: tuple[Effect, ...]) -> list[bytes]:
    return [effect.envelope for effect in effects if isinstance(effect, Persist)]


def run_idle(machine) -> tuple[Effect, ...]:
    while machine.work(0.0):
        pass
    return machine.poll()


@pytest.mark.parametrize("seat", range(4))
def test_a_whole_journal_gives_the_same_hand(seat: int):
    table = finished(SEED)
    disk = table.peers[seat].disk
    machine = new_machine(table, Seat(seat), SEED)
    effects = restore(machine, disk, 0.0)

    assert signed(effects) == []
    run_idle(machine)
    assert machine.phase is Phase.DONE
    assert machine.transcript() == table.peers[seat].machine.transcript()


@pytest.mark.parametrize("seat", range(4))
def test_every_prefix_says_nothing_but_what_the_seat_has_said(seat: int):
    """What comes next by itself is what came next; decisions are left to the player."""
    table = finished(SEED)
    disk = table.peers[seat].disk
    said = own(disk, seat)
    for end in range(3 * seat, len(disk) + 1, 12):  # `make sim-table` cuts everywhere
        machine = new_machine(table, Seat(seat), SEED)
        effects = restore(machine, disk[:end], 0.0)
        is_due = any(isinstance(effect, TurnReady) for effect in effects)
        effects += run_idle(machine)
        before = own(disk[:end], seat)

        assert not any(isinstance(effect, HandStopped) for effect in effects)
        fresh = [data for data in signed(effects) if decode_envelope(data).seat == seat]
        assert fresh == said[len(before) : len(before) + len(fresh)]
        assert is_due <= machine.can_move
        assert sum(isinstance(effect, AuditDue) for effect in effects) == (
            machine.phase is Phase.AUDIT
        )


@pytest.mark.parametrize("seat", range(4))
def test_own_messages_that_only_the_others_have_come_back(seat: int):
    """The disk has lost its end; what was signed is not signed anew but taken from the others."""
    table = finished(SEED)
    disk = table.peers[seat].disk
    for end in range(0, len(disk), 57):
        machine = new_machine(table, Seat(seat), SEED)
        restore(machine, disk[:end], 0.0)
        for count, data in enumerate(disk[end:]):
            machine.receive(data, Seat((seat + 1) % 4), 0.0)
            if count % 16 == 0:
                run_idle(machine)
        effects = run_idle(machine)

        assert machine.phase is Phase.DONE
        assert not any(isinstance(effect, HandStopped) for effect in effects)
        assert machine.transcript() == table.peers[seat].machine.transcript()


@pytest.mark.parametrize("backwards", [False, True])
def test_whoever_gets_all_of_one_seat_first_blames_nobody(
    backwards: bool, monkeypatch: pytest.MonkeyPatch
):
    """Others may pass on one seat's messages and hold back the rest.

    Nor is a restart stopped by it, whose journal may hold more than can wait: the last message of
    many that come backwards lets all of them in.
    """
    monkeypatch.setattr("p2pokey.hand.machine.MAX_WAITING", 6)
    table = finished(SEED)
    disk = table.peers[0].disk
    machine, accepted = new_machine(table, Seat(0), SEED), list[bytes]()
    for _ in disk:
        before = len(accepted)
        for author in (1, 0, 2, 3):
            chain = own(disk, author)
            for data in reversed(chain) if backwards else chain:
                machine.receive(data, Seat(2), 0.0)
        accepted += signed(run_idle(machine))
        if len(accepted) == before:
            break

    assert machine.fault is None
    assert machine.phase is Phase.DONE
    again = new_machine(table, Seat(0), SEED)
    assert signed(restore(again, accepted, 0.0) + run_idle(again)) == []
    assert again.transcript() == table.peers[0].machine.transcript()


def test_a_hand_that_was_given_up_stays_so():
    table = finished(SEED)
    disk = table.peers[0].disk[:30]
    machine = new_machine(table, Seat(0), SEED)
    restore(machine, disk, 0.0)
    machine.act(Abandon(reason="enough"), 0.0)
    disk = disk + signed(run_idle(machine))
    again = new_machine(table, Seat(0), SEED)
    effects = restore(again, disk, 0.0)

    assert again.phase is Phase.STOPPED
    assert any(isinstance(effect, HandStopped) for effect in effects)
    assert signed(effects) == []
    assert again.transcript() == machine.transcript()


def test_a_hand_is_settled_by_all_that_was_signed_up_to_the_results():
    table, other = finished(SEED), finished(2)
    disk = table.peers[1].disk
    machine = new_machine(table, Seat(1), SEED)
    results = [data for data in disk if decode_envelope(data).kind is Kind.RESULT]
    unsigned = results[0][:-1] + bytes([results[0][-1] ^ 1])

    assert machine.whole_hand([b"", unsigned, *disk]) == set(disk)
    assert not machine.whole_hand([data for data in disk if data != results[3]])
    assert not machine.whole_hand([unsigned if data == results[0] else data for data in disk])
    # What this seat has signed before its RESULT would be signed once more, differently.
    assert not machine.whole_hand(results)
    assert not machine.whole_hand([data for data in disk if data != own(disk, 1)[5]])
    assert not machine.whole_hand(other.peers[1].disk)


def test_garbage_does_not_cost_a_seat_the_end_of_a_hand_that_its_journal_has_lost():
    """It has signed END, as the others say, and they have counted the hand."""
    table = finished(SEED)
    disk = table.peers[0].disk
    before_end = next(n for n, data in enumerate(disk) if decode_envelope(data).kind is Kind.END)
    machine = new_machine(table, Seat(0), SEED)
    passed_on = [(Seat(2), b"\xff" * 99), *((Seat(1), data) for data in disk[before_end:])]
    restore(machine, disk[:before_end], 0.0, passed_on=passed_on)
    run_idle(machine)
    assert machine.phase is Phase.DONE


def test_whom_a_seat_has_blamed_without_evidence_it_still_knows_after_a_restart():
    table = finished(SEED)
    machine, disk = new_machine(table, Seat(0), SEED), table.peers[0].disk[:30]
    restore(machine, disk, 0.0)
    machine.receive(b"nobody signed this", Seat(2), 0.0)
    disk = disk + signed(run_idle(machine))
    again = new_machine(table, Seat(0), SEED)
    restore(again, disk, 0.0)
    assert again.fault is not None
    assert again.fault.culprit == 2


def test_a_journal_of_another_hand_is_refused():
    table = finished(SEED)
    machine = new_machine(finished(2), Seat(0), 2)
    with pytest.raises(LocalProtocolError):
        restore(machine, table.peers[0].disk, 0.0)


def test_restoring_can_be_given_up():
    table = finished(SEED)

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        restore(new_machine(table, Seat(0), SEED), table.peers[0].disk, 0.0, pause=stop)


def dying(seed: int, share: float) -> Callable[[SimPeer, Effect], bool]:
    dice = random.Random(f"crash {seed}")

    def dies(peer: SimPeer, effect: Effect) -> bool:
        # Most often where it hurts: between the disk and the wire.
        return dice.random() < (share if isinstance(effect, Send) else share / 5)

    return dies


@pytest.mark.parametrize("seed", range(3))
def test_seats_that_die_at_any_effect_play_the_hand_to_its_end(seed: int):
    """Short hands, so that a seat dies every few messages; `make sim-table` plays whole ones, too."""
    setup = make_setup(seed, rules=replace(ruleset_for("classic"), turn_limit=8))
    table = CrashTable(
        CHEAP, setup, seed, dies=dying(seed, 0.04), audit=lambda data: ((0,) * 4, (0,) * 4)
    )
    table.run()

    assert table.crashes > 5
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert len({peer.machine.transcript() for peer in table.peers}) == 1


def test_a_whole_hand_among_seats_that_die_is_sound():
    table = CrashTable(
        CHEAP,
        make_setup(0),
        0,
        dies=dying(0, 0.004),
        audit=lambda data: own_audit(CHEAP, data),
    )
    table.run()
    transcripts = {peer.machine.transcript() for peer in table.peers}

    assert table.crashes > 1
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert len(transcripts) == 1
    report = audit_transcript(
        transcripts.pop(), group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )
    assert report.status is Status.SOUND


def accused_in_a_turn(seed: str) -> SimPeer:
    """Seat 0 when its hand has ended: with a false accusation came a move that it handled first.

    The move is a discard, for which seat 0 owes no token.
    """
    table = SimTable(CHEAP, make_setup(seed), seed, chaos=False)
    victim, liar = table.peers[0], 2
    held: list[tuple[Seat, bytes]] = []
    lies: list[bytes] = []

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        move = envelope.message
        if source == liar and lies:
            return []  # what its machine says goes on from another message
        if receiver != victim.seat or not isinstance(move, Move) or source == liar or held:
            return [data]
        if not isinstance(decode_move(move.move), Discard):
            return [data]
        held.append((source, data))
        return []

    table.wire = wire
    while not held:
        assert table.step()
    while table.step() and table.links[Seat(liar), victim.seat]:
        pass
    last = decode_envelope(own(table.peers[liar].disk, liar)[-1])
    false = Void(reason="DleqInvalid", culprit=1, evidence=(own(victim.disk, 1)[0],))
    lies.append(resign_after(seed, last, false).encoded)
    for peer in table.peers:
        if peer.seat != liar:
            peer.machine.receive(lies[0], Seat(liar), table.now)
    victim.machine.receive(held[0][1], held[0][0], table.now)
    table.run()
    assert victim.machine.fault is not None
    assert victim.machine.fault.culprit == liar
    return victim


def test_a_void_is_repeated_where_it_was_said():
    """Before another seat's VOID in the journal the hand may be idle, and yet has to go on."""
    victim = accused_in_a_turn("accused in a turn")
    kinds = [decode_envelope(data).kind for data in own(victim.disk, 0)]
    assert kinds[-2:] == [Kind.VOID, Kind.DISCLOSE]
    table = SimTable(CHEAP, make_setup("accused in a turn"), "accused in a turn")
    machine = new_machine(table, Seat(0), "accused in a turn")
    effects = restore(machine, victim.disk, 0.0)
    assert signed(effects + run_idle(machine)) == []
    assert machine.step == victim.machine.step
    assert machine.transcript() == victim.machine.transcript()


def test_a_void_that_is_passed_on_is_heard_after_all_else():
    """Whoever gave the hand up may pass on its own messages before those of the others."""
    table = SimTable(CHEAP, make_setup("passed on"), "passed on", chaos=False)
    while table.peers[1].machine.step < 9:
        assert table.step()
    for peer in table.peers:
        while table.work(peer):
            pass
    table.peers[1].machine.act(Abandon(reason="enough"), table.now)
    table.autoplay = False
    table.run()
    disk = table.peers[0].disk
    said = own(disk, 0)
    cut = disk.index(said[-4])
    rest = sorted(disk[cut:], key=lambda data: decode_envelope(data).seat != 1)
    machine = new_machine(table, Seat(0), "passed on")
    restore(machine, disk[:cut], 0.0, passed_on=[(Seat(1), data) for data in rest])
    run_idle(machine)

    assert machine.phase is Phase.STOPPED
    assert machine.count(Seat(0)) == len(said)
    assert not machine.is_catching_up
