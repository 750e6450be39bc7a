"""Seats that lie or keep silent about who is there, while their links stand (protocol S10, S17)."""

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

from p2pokey.audit.report import Status
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import CallAbsent, HandPaused, Phase
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.moves import Open
from p2pokey.rules.open_charges import TableEvent, event_charge
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import Drop, Kind, Move, Void
from tests.hand.test_absence import (
    CHEAP,
    audited,
    kinds_of,
    lying_table,
    others_are_done,
    scored,
    send_at,
    short_table,
    vote_about,
    whole_table,
)
from tests.sim.cheats import resign, resign_after
from tests.sim.silence import SilentTable, check_honest, describe
from tests.sim.table import make_setup

LIAR = 0
HONEST = (1, 2, 3)


def rewire(table: SilentTable, change: Callable[[Envelope, Seat], list[bytes]], seat: int) -> None:
    """Lets a seat put something else on its links than its machine says."""

    def broadcast(source: Seat, data: bytes) -> None:
        if source != seat:
            SilentTable.broadcast(table, source, data)
            return
        for peer in table.peers:
            if peer.seat != source:
                table.links[source, peer.seat].extend(change(decode_envelope(data), peer.seat))

    table.broadcast = broadcast


def withhold(table: SilentTable, seat: int, kinds: Collection[Kind], *, first: int = 0) -> None:
    """The seat never shows its messages of these kinds from its `first`-th message on."""
    rewire(
        table,
        lambda item, _: [] if item.kind in kinds and item.seq >= first else [item.encoded],
        seat,
    )


# Votes ----------------------------------------------------------------------------------------------


def test_a_voter_with_two_votes_for_one_place_is_named_by_all() -> None:
    """It tells one seat of another head than the others."""
    seed = "two votes"
    table = lying_table(seed, LIAR)
    send_at(table, LIAR, Phase.PLAY, lambda core: vote_about(core, 2))

    def change(item: Envelope, target: Seat) -> list[bytes]:
        if item.kind is not Kind.DROP or target != 3 or item.seat != LIAR:
            return [item.encoded]
        vote = replace(item.message, head_seq=item.message.head_seq - 1, head=bytes(64))
        return [resign(seed, item, vote).encoded]

    rewire(table, change, LIAR)
    table.run()
    check_honest(table)
    for seat in HONEST:
        machine = table.peers[seat].machine
        assert machine.fault is not None, describe(table)
        assert machine.fault.culprit == LIAR


def test_a_second_vote_for_one_head_names_its_voter() -> None:
    table = lying_table("votes again", LIAR)
    votes: list[Drop] = []

    def again(core: HandCore) -> Drop | None:
        if not votes:
            first = vote_about(core, 2)
            if first is not None:
                votes.append(first)
                core.send(first)
            return None
        return votes[0]

    send_at(table, LIAR, Phase.PLAY, again)
    table.run()
    check_honest(table)
    for seat in HONEST:
        assert table.peers[seat].machine.fault.culprit == LIAR
        assert table.peers[seat].machine.fault.cause in ("TokenNotDue", "StateDisagreement")


def test_a_voter_that_goes_on_from_what_it_voted_not_to_take_harms_only_itself() -> None:
    """The last message of a seat reaches the liar alone, who votes as if it had not come."""
    table = lying_table("votes and accepts", LIAR)
    table.fall_silent(2, after=9, to=(1, 3))

    def before(core: HandCore) -> Drop | None:
        chain = core.book.chain(2)
        return vote_about(core, 2, back=1) if len(chain) > 9 else None

    send_at(table, LIAR, Phase.PLAY, before)
    table.run()
    check_honest(table, away={2})
    for seat in (1, 3):
        machine = table.peers[seat].machine
        is_over = machine.phase in (Phase.DONE, Phase.STOPPED)
        assert is_over or machine.waiting().paused, describe(table)
        assert machine.fault is None or machine.fault.culprit == LIAR


def test_votes_that_block_each_other_pause_with_a_name_and_go_on_with_a_message() -> None:
    """Two seats are silent, and those that are left have voted about different ones."""
    table = short_table("crossed votes")
    table.together = 0.0
    while table.peers[0].machine.phase is not Phase.DEAL:
        assert table.step()
    for seat in (2, 3):
        table.cut.add(seat)
    while table.work(table.peers[0]) or table.work(table.peers[1]):
        pass
    for voter, absent in ((0, 2), (1, 3)):
        peer = table.peers[voter]
        peer.machine.act(CallAbsent(seat=Seat(absent)), table.now)
        table.carry_out(peer)
    while table.links[0, 1] or table.links[1, 0]:
        for source, target in ((0, 1), (1, 0)):
            if table.links[source, target]:
                table.deliver(Seat(source), Seat(target))
            table.work(table.peers[target])
    for voter, absent in ((0, 2), (1, 3)):
        waiting = table.peers[voter].machine.waiting()
        assert waiting.called == absent, "it says for whom it waits"
        assert waiting.absent is None
    for seat in (2, 3):
        table.come_back(seat)
    table.run()
    check_honest(table)
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4, describe(table)


def test_a_voter_that_shows_what_it_voted_not_to_take_takes_no_score_back() -> None:
    """From the disclosure on the others come to a score: a VOID must not part one seat from them."""
    seed = "shown too late"
    table = lying_table(seed, LIAR)
    kept: list[bytes] = []

    def wire(item: Envelope, target: Seat) -> list[bytes]:
        if item.kind is not Kind.DISCLOSE or target not in (0, 1):
            return [item.encoded]
        kept.append(item.encoded)
        return []

    rewire(table, wire, 2)
    voter, liar = table.peers[1], table.peers[LIAR]
    while not kept or {voter.machine.phase, liar.machine.phase} != {Phase.DISCLOSE}:
        assert table.step()
    for peer in (liar, voter):
        while table.work(peer):
            pass
        peer.machine.act(CallAbsent(seat=Seat(2)), table.now)
        table.carry_out(peer)
    vote = decode_envelope(liar.disk[-1])
    assert vote.kind is Kind.DROP
    lie = Void(reason="DleqInvalid", culprit=2, evidence=(kept[0],))
    for data in (*liar.disk, resign_after(seed, vote, lie).encoded):
        voter.machine.receive(data, Seat(LIAR), table.now)
    while table.work(voter):
        pass
    assert voter.machine.phase is not Phase.STOPPED
    assert voter.machine.waiting().called == 2


# Silence about one thing -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.DISCLOSE, Kind.RESULT])
def test_who_withholds_one_thing_at_the_end_is_named_in_the_file(kind: Kind) -> None:
    """Its link stands, and everything else comes: that does not help it."""
    table = whole_table("whole 7")
    table.together = 0.0
    table.liars.add(LIAR)
    withhold(table, LIAR, {kind})
    table.run()
    check_honest(table)
    others_are_done(table, LIAR)
    files = {table.peers[seat].finished.transcript for seat in HONEST}
    assert len(files) == 1
    report = audited(files.pop())
    assert (report.status, report.absent) == (Status.SOUND, (LIAR,))


@pytest.mark.parametrize("kind", [Kind.TOKENS, Kind.MOVE])
def test_who_withholds_tokens_or_moves_is_played_for(kind: Kind) -> None:
    table = lying_table(f"keeps its {kind.label}", LIAR)
    withhold(table, LIAR, {kind}, first=6)
    table.run()
    check_honest(table)
    others_are_done(table, LIAR)
    assert Kind.ESCROW in kinds_of(table, 1)


def test_who_withholds_its_vote_stops_the_hand_and_is_named() -> None:
    """A second absence: nobody can stand in for both, so the hand pauses for the one that is there."""
    table = lying_table("keeps its vote", LIAR)
    table.fall_silent(2, after=9)
    silent = table.broadcast

    def broadcast(source: Seat, data: bytes) -> None:
        if source != LIAR or decode_envelope(data).kind is not Kind.DROP:
            silent(source, data)

    table.broadcast = broadcast
    table.run()
    check_honest(table, away={2})
    for seat in (1, 3):
        machine = table.peers[seat].machine
        assert machine.phase not in (Phase.DONE, Phase.STOPPED)
        assert machine.waiting().called == 2
        assert machine.waiting().absent is None
        assert machine.fault is None


def test_who_withholds_its_vote_on_a_turn_is_waited_for_by_name() -> None:
    """The mark stands; at the absent seat's next turn the liar does not say whether it is back."""
    table = lying_table("keeps its second vote", LIAR)
    table.fall_silent(2, after=9)
    silent, seen = table.broadcast, []

    def broadcast(source: Seat, data: bytes) -> None:
        if source == LIAR and decode_envelope(data).kind is Kind.DROP:
            seen.append(data)
            if len(seen) > 1:
                return
        silent(source, data)

    table.broadcast = broadcast
    table.liars.clear()  # its shell calls like the others'
    table.run()
    for seat in (1, 3):
        peer = table.peers[seat]
        assert peer.machine.fault is None
        assert peer.machine.waiting().absent == 2
        assert LIAR in peer.machine.waiting().seats
        assert HandPaused(seat=Seat(LIAR)) in peer.effects


# Turns that go back ------------------------------------------------------------------------------------


def test_a_turn_that_has_changed_the_open_table_goes_back_and_costs_its_seat() -> None:
    """Its melds are taken off the table again, and it pays for that like for a take-back (G-18)."""
    rules = ruleset_for("101-classic")
    table = SilentTable(CHEAP, make_setup("back", rules=rules), "back", audit=scored)
    table.together = 0.0
    opener: list[Seat] = []
    before: list[tuple[object, ...]] = []
    honest = table.broadcast

    def broadcast(source: Seat, data: bytes) -> None:
        honest(source, data)
        item = decode_envelope(data)
        if opener or item.seat != source or not isinstance(item.message, Move):
            return
        if isinstance(decode_move(item.message.move), Open):
            opener.append(source)
            table.cut.add(source)
            game = table.peers[source].machine._core.turn_start.game
            before.append((game.racks, game.table.melds, game.table.charges))

    table.broadcast = broadcast
    table.run()
    (gone,) = opener
    others_are_done(table, gone)
    check_honest(table, away={gone})
    peer = table.peers[(gone + 1) % 4]
    charges = peer.machine.view().state.table.charges
    own = [charge for charge in charges[len(before[0][2]) :] if charge.seat == gone]
    assert own, "it pays"
    assert own[0].points == event_charge(rules, TableEvent.TAKE_BACK)
    report = audited(peer.finished.transcript)
    assert (report.status, report.findings, report.absent) == (Status.SOUND, (), (gone,))
