"""Seats that fall silent, come back, or lie about who is there, in seeded simulations (S10).

A sample: `python -m tests.sim.silent_sweep` and `make sim-table` go on at every message.
"""

import random
from dataclasses import replace
from functools import cache

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report, Status
from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import (
    Abandon,
    CallAbsent,
    HandPaused,
    Persist,
    Phase,
    Play,
    SeatAbsent,
    SeatReturned,
)
from p2pokey.hand.restoring import restore
from p2pokey.native.backends import choose_backend
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.moves import DrawStack
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.transcript.absence import Ballot
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import Drop, Escrow, Kind, Message, Refuse
from tests.hand.test_whole_hand import own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.cheats import change_message, flip
from tests.sim.crashes import new_machine
from tests.sim.silence import SilentTable, check_honest, describe
from tests.sim.table import make_setup

CHEAP = Group(CheapBackend())
SHORT = replace(ruleset_for("classic"), turn_limit=14)
"""A hand that ends after three rounds of turns: its file is read by nobody here."""
QUICK = table_options(4, unlinkable_discards=False)


def short_table(seed: object, **more) -> SilentTable:
    """A short hand without re-masks, scored as nothing."""
    setup = make_setup(seed, rules=SHORT, options=more.pop("options", QUICK))
    return SilentTable(CHEAP, setup, seed, audit=lambda data: ((0,) * 4, (0,) * 4), **more)


def whole_table(seed: object, **more) -> SilentTable:
    """A whole hand with all options, scored by each seat's own audit."""
    return SilentTable(CHEAP, make_setup(seed), seed, audit=scored, **more)


@cache
def scored(data: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What each seat's own audit comes to: the same for all that hold the same file."""
    return own_audit(CHEAP, data)


@cache
def audited(data: bytes, *, recompute: bool = False) -> Report:
    return audit_transcript(
        data, group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer(), recompute=recompute
    )


def kinds_of(table: SilentTable, seat: int) -> list[Kind]:
    """What the seat has signed."""
    messages = [decode_envelope(data) for data in table.peers[seat].disk]
    return [item.kind for item in messages if item.seat == seat]


def others_are_done(table: SilentTable, away: int) -> None:
    for peer in table.peers:
        assert peer.seat == away or peer.machine.phase is Phase.DONE, describe(table)


def play_without(table: SilentTable, away: int, *, after: int) -> None:
    """Plays to the end with a seat that is gone from that message on."""
    table.together = 0.0
    table.fall_silent(away, after=after)
    table.run()
    others_are_done(table, away)


def voted_hand(seed: str, *, hasty: float, back_after: int) -> SilentTable:
    """A short hand with votes about seat 3, which two of the others lose for a while."""
    table = short_table(seed, hasty=hasty)
    table.together = 0.0
    table.fall_silent(2, after=9, to=(0, 1), back_after=back_after)
    table.run()
    check_honest(table)
    return table


def until_absent(table: SilentTable, seat: int, *, after: int) -> None:
    """Plays until the others have marked the seat, which is gone from that message on."""
    table.together = 0.0
    table.fall_silent(seat, after=after)
    while table.peers[(seat + 1) % 4].machine.waiting().absent is None:
        assert table.step()


# A seat falls silent at any message ------------------------------------------------------------------


@pytest.mark.parametrize("after", [*range(6), *range(7, 36, 6)])
def test_a_seat_that_is_gone_from_any_message_on_does_not_stop_the_others(after: int) -> None:
    table = short_table(f"gone {after}")
    table.together = 0.0
    table.fall_silent(2, after=after)
    table.run()
    check_honest(table, away={2})
    for peer in table.peers:
        if peer.seat == 2:
            continue
        if peer.stopped is not None:
            assert peer.machine.step < 4
            assert peer.stopped.missing in (2, None)
        else:
            assert peer.machine.phase is Phase.DONE, describe(table)
    stopped = [peer.stopped for peer in table.peers if peer.stopped and peer.seat != 2]
    assert not stopped or 2 in {stop.missing for stop in stopped}


@pytest.mark.parametrize("after", range(4, 32, 9))
def test_a_seat_that_comes_back_plays_on_or_follows(after: int) -> None:
    table = short_table(f"back {after}")
    table.together = 0.0
    table.fall_silent(2, after=after, back_after=4 + after % 5)
    table.run()
    check_honest(table)
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4, describe(table)
    assert len({peer.finished.transcript_hash for peer in table.peers}) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_move_and_a_time_out_that_race_never_both_stand(seed: int) -> None:
    """Hasty shells, and a last message that reaches only some: states never differ."""
    dice = random.Random(f"race {seed}")
    table = short_table(f"race {seed}", hasty=dice.choice([0.002, 0.02, 0.05]))
    reach = dice.choice([range(4), (0,), (1,), (3,), (0, 1), (0, 3)])
    table.fall_silent(
        2, after=dice.randrange(30), to=reach, back_after=dice.choice([None, 1, 2, 3, 5])
    )
    table.run()
    check_honest(table, away={2})


@pytest.mark.parametrize("seed", range(2))
def test_nobody_is_lost_where_shells_are_only_hasty(seed: int) -> None:
    table = short_table(f"hasty {seed}", hasty=0.03)
    table.run()
    check_honest(table)
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4, describe(table)


# A whole hand ------------------------------------------------------------------------------------------


@cache
def with_absent_seat() -> SilentTable:
    """Seat 3 is gone from its second turn on, and never comes back."""
    table = whole_table("whole 3")
    play_without(table, 2, after=14)
    return table


def test_a_hand_with_an_absent_seat_is_scored_and_sound() -> None:
    table = with_absent_seat()
    ends = {peer.finished for peer in table.peers if peer.finished}
    assert len(ends) == 1
    (end,) = ends
    report = audited(end.transcript, recompute=True)
    assert (report.status, report.findings) == (Status.SOUND, ())
    assert report.absent == (2,)
    assert report.points == end.points
    assert report.transcript_hash == end.transcript_hash


def test_the_absent_seats_rack_stays_closed() -> None:
    """Nobody's view and no public face shows a tile that lies on its rack at the end."""
    table = with_absent_seat()
    for peer in table.peers:
        if peer.seat != 2:
            view = peer.machine.view()
            rack = view.state.racks[2]
            assert [view.face(slot) for slot in rack] == [view.state.faces[slot] for slot in rack]
            assert len([slot for slot in rack if view.face(slot) is None]) >= 12


def test_an_absent_seat_discards_what_is_drawn_for_it() -> None:
    table = with_absent_seat()
    state = table.peers[0].machine.view().state
    assert state.turns_taken[2] >= 2
    assert Kind.ESCROW in kinds_of(table, 0)
    assert [effect for effect in table.peers[0].effects if isinstance(effect, SeatAbsent)]


def test_a_seat_that_returns_plays_its_turns_and_keeps_its_key() -> None:
    """The file holds what it had sent in vain, and is sound."""
    table = whole_table("whole 5")
    until_absent(table, 2, after=10)
    table.come_back(2)
    table.run()
    check_honest(table)
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4, describe(table)
    assert [effect for effect in table.peers[0].effects if isinstance(effect, SeatReturned)]
    assert Kind.RETURN in kinds_of(table, 2)
    files = {peer.finished.transcript for peer in table.peers}
    assert len(files) == 1
    report = audited(files.pop(), recompute=True)
    assert (report.status, report.findings, report.absent) == (Status.SOUND, (), ())


@cache
def undisturbed() -> SilentTable:
    """A whole hand in which everybody answers."""
    table = whole_table("whole 7")
    table.run()
    return table


@pytest.mark.parametrize("kind", [Kind.END, Kind.DISCLOSE, Kind.RESULT])
def test_who_withholds_at_the_end_is_named_and_the_hand_counts(kind: Kind) -> None:
    honest = undisturbed()
    after = kinds_of(honest, 2).index(kind)
    table = whole_table("whole 7")
    play_without(table, 2, after=after)
    ends = {peer.finished for peer in table.peers if peer.finished and peer.seat != 2}
    assert {end.points for end in ends} == {honest.peers[0].finished.points}
    for transcript in {end.transcript for end in ends}:
        report = audited(transcript)
        assert (report.status, report.findings) == (Status.SOUND, ())
        assert report.absent == (2,)


@pytest.mark.parametrize("key", ["101-classic"])
def test_open_tables_go_on_without_a_seat(key: str) -> None:
    rules = ruleset_for(key)
    table = SilentTable(CHEAP, make_setup(key, rules=rules), key, audit=scored)
    play_without(table, 1, after=9)
    end = table.peers[0].finished
    assert end is not None
    assert audited(end.transcript).findings == ()


def test_a_hand_on_the_real_group_goes_on_without_a_seat() -> None:
    group = Group(choose_backend("auto"))
    setup = make_setup("real", rules=SHORT, options=QUICK)
    table = SilentTable(group, setup, "real", audit=lambda data: ((0,) * 4, (0,) * 4), chaos=False)
    play_without(table, 0, after=8)
    assert Kind.ESCROW in kinds_of(table, 1)


# Pauses ----------------------------------------------------------------------------------------------------


def test_without_recovery_the_hand_pauses_and_goes_on_with_the_seat() -> None:
    table = short_table("pause", options=table_options(4, recovery=False))
    table.fall_silent(2, after=9, back_after=3)
    table.run()
    check_honest(table)
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    paused = [effect for peer in table.peers for effect in peer.effects]
    assert HandPaused(seat=2) in paused
    assert not {Kind.DROP, Kind.ESCROW} & set(kinds_of(table, 0))


def test_a_second_absence_pauses_the_hand_and_nothing_is_lost() -> None:
    table = short_table("two away")
    table.together = 0.0
    until_absent(table, 2, after=8)
    seq = table.peers[1].machine.count(table.peers[1].seat)
    table.fall_silent(1, after=seq + 1, back_after=6)
    table.run()
    check_honest(table, away={2})
    assert HandPaused(seat=1) in table.peers[0].effects
    for seat in (0, 1, 3):
        assert table.peers[seat].machine.phase is Phase.DONE, describe(table)


def test_a_paused_hand_can_be_given_up() -> None:
    table = short_table("give up", options=table_options(4, recovery=False))
    table.fall_silent(2, after=9)
    table.run()
    machine = table.peers[0].machine
    assert machine.waiting().paused == (2,)
    machine.act(Abandon(reason="tea"), table.now)
    table.run()
    assert table.peers[3].stopped is not None
    assert table.peers[3].machine.fault is None


def test_calling_whom_nobody_waits_for_does_nothing() -> None:
    table = short_table("calm", chaos=False)
    for _ in range(400):
        table.step()
    for peer in table.peers:
        waited = set(peer.machine.waiting().seats)
        for seat in set(range(4)) - waited:
            peer.machine.act(CallAbsent(seat=seat), table.now)
    table.run()
    assert all(Kind.DROP not in kinds_of(table, seat) for seat in range(4))


def test_an_absent_seat_cannot_move() -> None:
    table = short_table("no move")
    until_absent(table, 2, after=8)
    table.come_back(2)
    while not table.peers[2].machine._core.is_absent:
        assert table.step()
    assert not table.peers[2].machine.can_move
    with pytest.raises(LocalProtocolError):
        table.peers[2].machine.act(Play(move=DrawStack()), table.now)


# Liars -------------------------------------------------------------------------------------------------------


def lying_table(seed: str, liar: int, **more) -> SilentTable:
    table = short_table(seed, liars={liar}, **more)
    table.together = 0.0
    return table


class Blind(Ballot):
    """The ballot of a liar, who does not check itself."""

    def note_drop(self, envelope: Envelope, drop: Drop) -> None:
        del envelope, drop

    def note_refusal(self, envelope: Envelope, message: Envelope) -> None:
        del envelope, message


def send_at(table: SilentTable, seat: int, phase: Phase, build) -> None:
    """Lets a seat sign one more message as soon as it is in that phase and idle."""
    core: HandCore = table.peers[seat].machine._core
    done: list[Message] = []

    def check(_: SilentTable) -> None:
        is_idle = not core.own_queue and table.peers[seat].machine._lane is None
        if not done and core.phase is phase and is_idle and core.game is not None:
            message = build(core)
            if message is not None:
                done.append(message)
                core.ballot = Blind(core.setup)
                core.send(message)

    table.on_step.append(check)


def vote_about(core: HandCore, seat: int, *, back: int = 0) -> Drop | None:
    chain = core.book.chain(seat)
    if len(chain) <= back + 1:
        return None
    head = len(chain) - back
    return Drop(
        absent=seat,
        step=core.step,
        head_seq=head,
        head=chain[head - 1].body_hash,
        state=core.states[-1],
    )


def test_one_lying_vote_drops_nobody() -> None:
    for seed in range(2):
        table = lying_table(f"lie {seed}", 0)
        send_at(table, 0, Phase.PLAY, lambda core: vote_about(core, 2))
        table.run()
        check_honest(table)
        for seat in (1, 2, 3):
            machine = table.peers[seat].machine
            assert machine.waiting().absent is None
            assert machine.phase is Phase.DONE, describe(table)


def test_a_vote_for_an_older_head_is_refused_and_drops_nobody() -> None:
    table = lying_table("older head", 0)
    send_at(table, 0, Phase.PLAY, lambda core: vote_about(core, 2, back=1))
    table.run()
    check_honest(table)
    assert Kind.REFUSE in kinds_of(table, 1)
    assert table.peers[1].machine.phase is Phase.DONE, describe(table)


def test_a_vote_about_oneself_or_for_another_step_names_the_liar() -> None:
    def own(core: HandCore) -> Drop | None:
        vote = vote_about(core, 2)
        return None if vote is None else replace(vote, absent=0)

    def step(core: HandCore) -> Drop | None:
        vote = vote_about(core, 2)
        return None if vote is None else replace(vote, step=vote.step + 1)

    for number, build in enumerate((own, step)):
        table = lying_table(f"wrong vote {number}", 0)
        send_at(table, 0, Phase.PLAY, build)
        table.run()
        check_honest(table)
        for seat in (1, 2, 3):
            assert table.peers[seat].machine.fault.culprit == 0


def test_a_refusal_without_a_later_message_names_nobody_honest() -> None:
    """It shows a message that all have: no vote, no effect."""
    table = lying_table("idle refusal", 0)

    def old(core: HandCore) -> Refuse | None:
        chain = core.book.chain(2)
        return Refuse(message=chain[-1].encoded) if len(chain) > 6 else None

    send_at(table, 0, Phase.PLAY, old)
    table.run()
    check_honest(table)
    assert table.peers[1].machine.phase is Phase.DONE


def test_a_forged_message_in_a_refusal_names_its_author() -> None:
    table = lying_table("forged refusal", 0)

    def forged(core: HandCore) -> Refuse | None:
        chain = core.book.chain(2)
        return Refuse(message=flip(chain[-1].encoded, -1)) if len(chain) > 6 else None

    send_at(table, 0, Phase.PLAY, forged)
    table.run()
    check_honest(table)
    for seat in (1, 2, 3):
        assert table.peers[seat].machine.fault.culprit == 0


def test_a_wrong_share_names_its_helper() -> None:
    table = lying_table("wrong share", 0)
    table.liars.clear()
    table.fall_silent(2, after=8)
    change_message(
        table,
        0,
        Kind.ESCROW,
        lambda core, message: replace(message, proof=flip(message.proof)),
    )
    table.run()
    for seat in (1, 3):
        assert table.peers[seat].machine.fault.culprit == 0
        assert table.peers[seat].machine.fault.cause in ("DleqInvalid", "BadScalar")


def test_a_share_for_a_seat_that_is_there_names_its_helper() -> None:
    """Nobody opens anything before a certificate stands (S17 row 19)."""
    table = lying_table("early share", 0)

    def early(core: HandCore) -> Escrow | None:
        if not core.game.stack:
            return None
        return Escrow(absent=2, positions=(core.game.stack[0],), tokens=bytes(32), proof=bytes(64))

    send_at(table, 0, Phase.PLAY, early)
    table.run()
    check_honest(table)
    for seat in (1, 2, 3):
        assert table.peers[seat].machine.fault.culprit == 0
        assert table.peers[seat].machine.fault.cause == "TokenNotDue"


# Coming back from a journal --------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2])
def test_a_journal_with_votes_leads_back_to_the_same_place(seat: int) -> None:
    """Votes, refusals and RETURN of an earlier run are taken again, and nothing is signed anew."""
    seed = "journal of votes"
    table = voted_hand(seed, hasty=0.01, back_after=5)
    peer = table.peers[seat]
    assert {Kind.DROP, Kind.REFUSE} & set(kinds_of(table, 0))
    for length in (*range(0, len(peer.disk), 29), len(peer.disk)):
        again = new_machine(table, peer.seat, seed)
        effects = restore(again, peer.disk[:length], 0.0)
        signed = [e.envelope for e in effects if isinstance(e, Persist)]
        own = {data for data in peer.disk if decode_envelope(data).seat == seat}
        assert not signed or set(signed) <= own or length < len(peer.disk)
        assert again.count(peer.seat) >= sum(
            decode_envelope(data).seat == seat for data in peer.disk[:length]
        )
    while again.work(0.0):
        pass
    assert again.phase in (peer.machine.phase, Phase.AUDIT, Phase.RESULT)
    assert again.state_hash == peer.machine.state_hash
