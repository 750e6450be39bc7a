"""A whole table in virtual time: the real programs above the network, their files, and their ends.

Every seat is what `p2pokey host`, `join` and `resume` run: `peer.table.Table` with its journals on
disk. A seed decides what goes wrong (table_faults); `World.check` says what must hold whatever it
was. The same seed gives the same run.
"""

import asyncio
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, DecodeError, TableCancelled
from p2pokey.hand.effects import Phase
from p2pokey.hand.machine import HandMachine
from p2pokey.native.journal import RECORD_BYTES, Journal, RecordKind, release_lock
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.membership import Membership
from p2pokey.net.seats import SeatCard
from p2pokey.peer.events import HandCounted, HandFailed, HandPausedFor, PeerEvent, StillWaiting
from p2pokey.peer.moving_on import MovingOn
from p2pokey.peer.players import AutoPlayer
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import RematchBegun, ScoreDiffers, SeatLied, SeatsAgreed
from p2pokey.peer.table_journal import (
    Person,
    TableJournal,
    table_folders,
    without_superseded,
)
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import canonical_bytes, table_options
from p2pokey.rules.state import all_places
from p2pokey.rules.view import View
from p2pokey.table.commands import Say
from p2pokey.table.roster import Roster, RosterSeat, commit_nonce, session_id
from p2pokey.tiles import Seat
from tests.sim import liars
from tests.sim.cheap_group import CheapBackend
from tests.sim.next_room import Rooms, meeting
from tests.sim.stand_ins import SeededEntropy, StandInAudit, StandInSigner, StandInVerifier
from tests.sim.table_faults import Block, Crash, Plan
from tests.sim.table_wishes import People
from tests.sim.virtual_loop import PACE, VirtualLoop, VirtualThread
from tests.sim.virtual_net import Crash as Killed
from tests.sim.virtual_net import Life, VirtualLinks, VirtualNet

ENVELOPE = int(RecordKind.ENVELOPE)
GROUP = Group(CheapBackend())
SIGNERS = tuple(StandInSigner(bytes([seat + 1]) * 32) for seat in range(4))
NAMES = ("Ayse", "Baran", "Ceren", "Deniz")
NONCES = tuple(bytes([seat + 11]) * 32 for seat in range(4))
LONGEST_S = 3600.0
"""Virtual seconds after which a table that has not ended is looked at as it is."""
STILL_S = 300.0
"""The same after that long without news, once every fault is over: longer than any patience here."""

MAX_RUNS = 12
FORKS = ("fork", "table fork", "both")
"""Lies by which honest seats have different chains until they compare them."""
NOBODY_THERE = "nobody of that table can be reached"

Score = tuple[int, tuple[int, ...], tuple[int, ...]]
"""An attempt, its points and the totals after it."""

LIFE: ContextVar["Run | None"] = ContextVar("life", default=None)


@dataclass(eq=False)
class Run(Life):
    """One run of a program, with what it holds."""

    world: "World | None" = None
    journals: list[Journal] = field(default_factory=list)
    machines: list[HandMachine] = field(default_factory=list)
    table: Table | None = None
    task: "asyncio.Task[None] | None" = None
    chat: "asyncio.Task[None] | None" = None
    session: bytes = b""
    """The new table that it has come back to."""


@dataclass
class Node:
    """One seat: its files and what its programs have told."""

    seat: Seat
    folder: Path
    runs: list[Run] = field(default_factory=list)
    events: list[PeerEvent] = field(default_factory=list)
    boundaries: int = 0
    end: str | None = None
    """Why its program has ended for good; empty: the match is over."""
    arrived: bytes = b""
    """The new session that its program is in."""
    agreed_at: int | None = None
    """Boundary at which other seats were agreed on first."""
    known_from: int = 0
    """Number of the first event after the table's journal has lost its end."""
    is_gone: bool = False
    """Killed and never started again."""
    problem: BaseException | None = None
    """What its program did not expect."""

    @property
    def is_done(self) -> bool:
        return self.end is not None or self.is_gone or self.problem is not None

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def told(self) -> set[Score]:
        """Scores that whoever sits here was told of when the hand ended."""
        return {(e.hand, e.points, e.totals) for e in self.of(HandCounted)}

    @property
    def sheet(self) -> set[Score] | None:
        """Scores of the newest run that had a table; None: there was none.

        A score is on disk before anybody is told of it. If its program is killed in between, the next
        one has it in its totals and says nothing more of that hand.
        """
        tables = [run.table for run in self.runs if run.table is not None]
        if not tables:
            return None
        sheets = (*tables[-1].machine.history, tables[-1].machine.sheet)
        return {(row.attempt, row.points, row.totals) for sheet in sheets for row in sheet.rows}

    @property
    def order(self) -> tuple[int, ...] | None:
        """The new seats that its program has gone over to; None: it has not."""
        return self.orders[-1] if self.orders else None

    @property
    def orders(self) -> list[tuple[int, ...]]:
        """All of them, without what a broken disk has lost before anybody else knew of it."""
        kept = self.events[self.known_from :]
        orders = [event.order for event in kept if isinstance(event, SeatsAgreed)]
        tables = [run.table for run in self.runs[-1:] if run.table is not None]
        restored = [table.machine._moving.order for table in tables]
        return orders or [order for order in restored if order is not None]

    @property
    def scores(self) -> set[Score]:
        return self.told | (self.sheet or set())


class Thinker:
    """A person who takes time, sometimes more than there is; implements `peer.players.Person`."""

    def __init__(self, world: "World", seat: Seat) -> None:
        self._dice = world.dice
        self._longest = world.plan.thinks_s[seat]
        self._player = AutoPlayer(b"thinker", seat)

    async def choose(self, view: View) -> Move:
        await asyncio.sleep(self._dice.random() * self._longest)
        return self._player.choose(view)


class World:
    """One table and everything that happens to it."""

    def __init__(self, plan: Plan, folder: Path, log: Callable[[str], None] | None = None) -> None:
        self.plan = plan
        self.log = log or (lambda text: None)
        self.is_logging = log is not None
        self.dice = random.Random(f"world {plan.seed}")
        self.loop = VirtualLoop()
        self.net = VirtualNet(self.loop, plan.seats, self.dice, delay_s=plan.delay_s)
        self.net.loss = plan.loss
        self.nodes = [Node(seat=Seat(n), folder=folder / str(n)) for n in range(plan.seats)]
        self.signed: dict[tuple[int, bytes], bytes] = {}
        """By author and place, the body of every message that has left a seat."""
        self._over = asyncio.Event()
        self._news_at = 0.0
        self._faults_until = 0.0
        self.violations: list[str] = []
        self.states: dict[tuple[int, int], bytes] = {}
        self.people = None if plan.evening is None else People(self, plan.evening)
        self.rooms = Rooms(self)
        rules = RULE_SETS[plan.game]
        options = table_options(
            plan.seats, recovery=plan.recovery, timer_s=plan.timer_s, grace_s=plan.grace_s
        )
        self.roster = Roster(
            room="K7Q2M",
            epoch=0,
            rules=canonical_bytes(rules, options),
            seats=tuple(
                RosterSeat(
                    public_key=SIGNERS[seat].public_key,
                    runner=SIGNERS[seat].public_key,
                    nonce_commit=commit_nonce(SIGNERS[seat].public_key, NONCES[seat]),
                    name=NAMES[seat],
                )
                for seat in range(plan.seats)
            ),
        )
        self.session = session_id(self.roster, NONCES[: plan.seats])
        liars.prepare(self)

    # Running -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Plays until every program has ended, or nothing will ever end."""
        asyncio.set_event_loop(None)
        with simulated(self):
            self.loop.run_until_complete(self._play())
            for task in asyncio.all_tasks(self.loop):
                task.cancel()
            for _ in range(5):
                self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    async def _play(self) -> None:
        for node in self.nodes:
            node.folder.mkdir()
            self._create_diary(node)
        for node in self.nodes:
            self._start(node, together=True)
        while not self._over.is_set() and self.loop.time() < min(
            LONGEST_S, max(self._news_at, self._faults_until) + STILL_S
        ):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), STILL_S / 4)
        for node in self.nodes:
            for run in node.runs:
                if not run.is_dead:
                    self._stop(run)

    def _create_diary(self, node: Node) -> None:
        person = Person(
            guest_secret=None,
            out=node.folder / "out",
            hands=1,
            player_seed=bytes(32),
            ice=(),
            patience_s=self.plan.absent_s,
        )
        person.out.mkdir()
        TableJournal.create(node.folder, self._membership(node.seat), person).close()

    def _membership(self, seat: Seat) -> Membership:
        cards = tuple(
            SeatCard(ephemeral=bytes(32), nonce=NONCES[n], signature=bytes(64))
            for n in range(self.plan.seats)
        )
        return Membership(
            server="ws://127.0.0.1:1",
            roster=self.roster,
            seat=seat,
            cards=cards,
            ephemeral=bytes(32),
            place="c",
            token="t",
            routes=("c",) * self.plan.seats,
        )

    def _start(self, node: Node, *, together: bool = False) -> None:
        run = Run(seat=node.seat, number=len(node.runs), world=self)
        node.runs.append(run)
        self.net.begin(run, together=together)
        self.say(run, "starts")
        run.task = self.loop.create_task(self._live(node, run))

    async def _live(self, node: Node, run: Run) -> None:
        LIFE.set(run)
        PACE.set(lambda: self.dice.random() * self.plan.slow[node.seat])
        try:
            end = await self._sit(node, run)
        except (Killed, asyncio.CancelledError):
            return
        except BaseException as error:  # noqa: BLE001 - reported with the seed
            if not run.is_dead:
                self._end_badly(node, run, error)
            return
        node.end = end
        self.say(run, f"ends: {end or 'the match is over'}")
        self.net.goodbye(run)
        await asyncio.sleep(2.0)
        self._stop(run)

    async def _sit(self, node: Node, run: Run) -> str:
        """What `p2pokey resume` does; returns why the table is over."""
        diary = self._open(node)
        if diary is None:
            return "nothing to resume"
        if diary.person.before:
            session = session_id(
                diary.membership.roster, [card.nonce for card in diary.membership.cards]
            )
            if await self.rooms.come_back(run, session):
                diary.close()
                self._arrive(node, run, session)
                return ""
            diary.close()
            before = diary.reopen_before()
            if before is None:
                return await self._try_again(node, run)
            diary = before
        return await self._play_at(node, run, diary)

    def _open(self, node: Node) -> TableJournal | None:
        """As `cli.resuming.open_table`."""
        tables = []
        for folder in table_folders(node.folder):
            with suppress(DecodeError):  # killed while it was made
                tables.append(TableJournal.reopen(folder))
        newest = without_superseded(tables)
        for table in tables:
            if table not in newest:
                table.close()
        if len(newest) > 1:
            raise AssertionError(f"several tables: {[table.folder.name for table in newest]}")
        return newest[0] if newest else None

    async def _play_at(self, node: Node, run: Run, diary: TableJournal) -> str:
        table = self._table(node, run, diary)
        run.table = table
        end = ""
        if self.plan.chats:
            run.chat = self.loop.create_task(self._chat(run, table))
        try:
            await table.play()
        except TableCancelled as error:
            end = str(error)
        except ConnectError as error:
            self.say(run, f"loses the others: {error}")
            diary.close()
            return await self._try_again(node, run)
        finally:
            if run.chat is not None:
                run.chat.cancel()
        diary.discard()
        return end

    async def _move_on(self, node: Node, run: Run, diary: TableJournal, table: Table) -> None:
        way = MovingOn(diary=diary, signer=SIGNERS[node.seat])
        mesh, kept = await way.go(table)
        kept.close()
        self._arrive(node, run, mesh.session_id)

    def _arrive(self, node: Node, run: Run, session: bytes) -> None:
        self.say(run, f"is at the new table {session.hex()[:8]}")
        if node.arrived not in (b"", session):
            self.violations.append(f"seat {node.seat + 1} is at two new tables")
        node.arrived = session
        self._news_at = self.loop.time()

    async def _chat(self, run: Run, table: Table) -> None:
        """Says something every few seconds, as long as the program runs."""
        count = 0
        while not run.is_dead and self.nodes[run.seat].end is None and count < 20:
            await asyncio.sleep(self.dice.random() * 10)
            if not run.is_dead:
                count += 1
                table.act(Say(text=f"line {count} of run {run.number}"))

    async def _try_again(self, node: Node, run: Run) -> str:
        """Nobody else is there: whoever sits here starts the program again, as long as it helps."""
        others = [other for other in self.nodes if other is not node]
        if all(other.is_done and not other.arrived for other in others):
            return NOBODY_THERE
        if run.number > MAX_RUNS:
            return NOBODY_THERE
        self.say(run, "finds nobody")
        self.loop.call_later(20.0, self._start, node)
        self._fault_lasts(20.0)
        self._stop(run)
        raise Killed

    def _table(self, node: Node, run: Run, diary: TableJournal) -> Table:
        def emit(event: PeerEvent) -> None:
            if run.is_dead:
                return
            node.events.append(event)
            if not isinstance(event, HandPausedFor | StillWaiting):
                self._news_at = self.loop.time()
            if self.is_logging:
                self.say(run, str(event))
            if isinstance(event, SeatsAgreed) and node.agreed_at is None:
                node.agreed_at = node.boundaries
            if self.people is not None:
                self.people.hear(run, event)
            elif isinstance(event, HandCounted):
                table.hands = 0  # one hand is enough, also if the rules cancel it

        plan, evening = self.plan, self.plan.evening
        hands: int | None = 0 if node.told else 1
        table = Table(
            links=VirtualLinks(self.net, run, self.roster, self.session, self._before_send),
            ports=PeerPorts(
                group=GROUP,
                signer=SIGNERS[node.seat],
                verifier=StandInVerifier(),
                sealer=ChaChaSealer(),
                entropy=SeededEntropy(f"{plan.seed} {node.seat} {run.number}"),
            ),
            player=AutoPlayer(bytes([plan.seed % 251, run.number % 256]), node.seat),
            person=Thinker(self, node.seat) if plan.thinks_s[node.seat] else None,
            if_missing=IfMissing.WAIT if plan.waits else IfMissing.VOID,
            out=node.folder / "out",
            journals=diary.folder,
            emit=emit,
            hands=hands if evening is None else evening.hands,
            stays=evening is not None and evening.stays,
            on_seating=partial(self._move_on, node, run, diary) if evening is not None else None,
            is_resumed=run.number > 0,
            limits=WaitLimits(
                absent_s=plan.absent_s,
                round_s=plan.round_s,
                audit_s=plan.round_s,
                untimed_move_s=plan.round_s + max(plan.thinks_s),
                linger_s=60.0 if plan.is_gentle else 20.0,
                next_hand_s=plan.absent_s,
                farewell_s=5.0,
                stay_s=40.0,
            ),
            clock=self.loop.time,
            diary=diary,
        )
        if table.machine.sheet.rows and evening is None:
            table.hands = 0
        if node.seat == plan.liar:
            liars.talk(self, run, table)
        return table

    def _end_badly(self, node: Node, run: Run, error: BaseException) -> None:
        self.say(run, f"fails: {error!r}")
        if node.seat != self.plan.liar:
            node.problem = error
        else:
            node.is_gone = True  # a liar's program is its own affair
        self._stop(run)

    def _stop(self, run: Run, *, notice_s: float = 0.1, keep: float = 1.0) -> None:
        """From here on nothing that this run does has any effect."""
        run.is_dead = True
        if all(node.is_done for node in self.nodes):
            self._over.set()
        self.net.end(run, notice_s=notice_s, keep=keep)
        for journal in run.journals:
            if journal._is_open:
                journal._is_open = False
                os.close(journal._descriptor)
                release_lock(journal._path, journal._lock, remove=False)
        if run.task is not None:
            run.task.cancel()

    # Effects -------------------------------------------------------------------------------------

    def boundary(self, run: Run) -> Crash | None:
        """A place between two effects; returns how the program is killed here, if it is."""
        if run.is_dead:
            raise Killed
        node = self.nodes[run.seat]
        node.boundaries += 1
        if self.people is not None:
            self.people.reach(run, node.boundaries)
        for strike in self.plan.strikes:
            since = node.agreed_at if strike.is_moving else 0
            if since is None:
                continue
            if (strike.seat, strike.boundary) == (node.seat, node.boundaries - since):
                match strike.fault:
                    case Crash():
                        return strike.fault
                    case Block(ways=ways, seconds=seconds):
                        self.say(run, f"blocks {ways} for {seconds} s")
                        for source, target in ways:
                            self.net.block(Seat(source), Seat(target), seconds)
                        self._fault_lasts(seconds or 0.0)
        return None

    def _fault_lasts(self, seconds: float) -> None:
        self._faults_until = max(self._faults_until, self.loop.time() + seconds)

    def kill(self, run: Run, how: Crash) -> None:
        """The program dies here; raises Killed."""
        self.say(run, f"is killed: {how}")
        node = self.nodes[run.seat]
        node.is_gone = how.down_s is None
        self._stop(run, notice_s=how.notice_s, keep=how.keep)
        if how.cut:
            paths = sorted(node.folder.glob("*/*-???.journal"))
            _cut(paths[-1:], how.cut, keep=4)
        if how.cut_table:
            node.known_from = len(node.events)
            _cut(list(node.folder.glob("*/table.journal")), how.cut_table, keep=2)
        if how.down_s is not None:
            self.loop.call_later(how.down_s, self._start, node)
            self._fault_lasts(how.down_s)
        raise Killed

    def _before_send(self, life: Life, seat: Seat, data: bytes) -> None:
        assert isinstance(life, Run)
        how = self.boundary(life)
        if how is not None:
            self.kill(life, how)
        self._note_sent(data)

    def _note_sent(self, data: bytes) -> None:
        """No honest seat ever signs two things for one place.

        A seat whose disk loses what it has been told to keep cannot know what it has signed, if that
        has come to nobody else either: of such a seat, what the others keep counts.
        """
        key = _place(data)
        if key is not None and key[0] not in self.plan.forgetful:
            self._note_signed(key, data)

    def note_kept(self, run: Run, written: bytes) -> None:
        """What goes into a journal."""
        at = 0
        while at + RECORD_BYTES <= len(written):
            size = int.from_bytes(written[at : at + 4], "little")
            data = written[at + 5 : at + 5 + size]
            at += RECORD_BYTES + size
            key = _place(data) if written[at - RECORD_BYTES - size + 4] == ENVELOPE else None
            if key is not None and key[0] != run.seat:
                self._note_signed(key, data)

    def _note_signed(self, key: tuple[int, bytes], data: bytes) -> None:
        if key[0] == self.plan.liar:
            return
        body = data[:-64]
        if self.signed.setdefault(key, body) != body:
            self.violations.append(f"seat {key[0] + 1} signed twice differently: {key[1].hex()}")

    def say(self, run: Run, text: str) -> None:
        if self.is_logging:
            self.log(f"{self.loop.time():9.3f}  seat {run.seat + 1}.{run.number}  {text}")

    @property
    def is_split(self) -> bool:
        """Whether an impatient seat gave a hand up that the others counted without it.

        It says so, and its scores are others from then on (`IfMissing.VOID` with limits that are too
        short for this network). Where patience is enough this never happens.
        """
        if self.plan.is_gentle:
            return False
        counted = {e.hand for node in self.honest for e in node.of(HandCounted)}
        failed = {e.hand for node in self.honest for e in node.of(HandFailed)}
        return bool(counted & failed)

    # What must hold ------------------------------------------------------------------------------

    @property
    def honest(self) -> list[Node]:
        return [node for node in self.nodes if node.seat != self.plan.liar]

    def check(self) -> str:
        """How the table ended, in a word. Raises AssertionError for a violation."""
        found = self.violations
        for node in self.honest:
            if node.problem is not None:
                raise AssertionError(f"seat {node.seat + 1} failed") from node.problem
            self._check_blame(node)
            self._check_machines(node)
            self._check_sheet(node)
        counted = {score for node in self.honest for score in node.scores}
        hands = [hand for hand, _, _ in counted]
        if len(hands) != len(set(hands)):
            found.append(f"honest seats have different scores: {counted}")
        self._check_matches()
        self._check_orders()
        word = self._check_ends(bool(counted))
        assert not found, "\n".join([*found, *map(self._describe, self.nodes)])
        return f"{self.plan.kind}: {word}"

    def _describe(self, node: Node) -> str:
        """Where a seat is, for the report of a failing seed."""
        run = node.runs[-1]
        hand = run.machines[-1] if run.machines else None
        where = "no hand" if hand is None else f"{hand.phase.label} {hand.step} {hand.waiting()}"
        return f"  seat {node.seat + 1}.{run.number}: {node.end!r} {where}"

    def _check_blame(self, node: Node) -> None:
        liar = self.plan.liar
        for event in node.of(HandFailed):
            if event.culprit is not None and event.culprit != liar:
                self.violations.append(f"seat {node.seat + 1} blames {event.culprit + 1}: {event}")
        differing = [] if self.is_split else node.of(ScoreDiffers)
        for event in (*node.of(SeatLied), *differing):
            if event.seat != liar:
                self.violations.append(f"seat {node.seat + 1} blames {event.seat + 1}: {event}")
        for run in node.runs:
            if run.table is not None and run.table._inbox.postbox.strangers - {liar}:
                self.violations.append(f"seat {node.seat + 1} takes honest seats for strangers")
            for machine in run.machines:
                fault = machine.fault
                if fault is not None and fault.culprit != liar:
                    self.violations.append(f"seat {node.seat + 1}: {fault}")

    def _check_sheet(self, node: Node) -> None:
        """Whoever was told of a score has it, whatever its program goes through, on a whole disk."""
        is_lost = node.sheet is not None and not node.told <= node.sheet
        if is_lost and node.seat not in self.plan.careless:
            self.violations.append(f"seat {node.seat + 1} has lost a score: {node.told}")

    def _check_machines(self, node: Node) -> None:
        for run in node.runs:
            for machine in run.machines:
                core = machine._core
                if core.game is not None:
                    places = sorted(all_places(machine.view().state))
                    if places != list(range(106)):
                        self.violations.append(f"seat {node.seat + 1} has lost a tile")
                if run is node.runs[-1] and machine is run.machines[-1]:
                    self._check_result(node, machine)

    def _check_result(self, node: Node, machine: HandMachine) -> None:
        """Whoever counts a hand went through the same states."""
        if machine.phase is not Phase.DONE:
            return
        for step, state in enumerate(machine._core.states):
            if self.states.setdefault((machine._core.setup.hand, step), state) != state:
                self.violations.append(f"seat {node.seat + 1} has another state at step {step}")
                return

    def _check_ends(self, is_counted: bool) -> str:
        plan = self.plan
        for node in self.honest:
            if not node.is_done:
                self._check_pause(node)
            elif node.end:
                self._check_reason(node)
        here = [node for node in self.honest if not node.is_gone]
        is_alone = plan.kind == "gone" and plan.recovery and self._was_dealt(here)
        if plan.must_count or (is_alone and not self._is_second_played_for(here)):
            for node in here:
                if not node.scores:
                    self.violations.append(
                        f"seat {node.seat + 1} has no score although the hand could end: {node.end}"
                    )
        if plan.evening is not None:
            return self._evening_word(here)
        with_score = sum(bool(node.scores) for node in here)
        if with_score == len(here):
            return "counted"
        if with_score:
            return "counted by some"
        return "failed" if all(node.is_done for node in here) else "paused"

    def _evening_word(self, here: list[Node]) -> str:
        more = " after a rematch" if any(node.of(RematchBegun) for node in here) else ""
        moved = sum(node.order is not None for node in here)
        if moved:
            return ("other seats" if moved == len(here) else "other seats for some") + more
        if not all(node.is_done for node in here):
            return "paused" + more
        return ("failed" if any(node.end for node in here) else "over") + more

    def _check_matches(self) -> None:
        """Every honest seat has the same matches with the same hands, as far as it has come.

        With a disk that loses scores, or a seat that shows different chains to others, only those are
        compared that have the same beginning.
        """
        lie = "" if self.plan.lie is None else self.plan.lie.kind
        if self.plan.careless or self.is_split or lie in FORKS:
            return
        courses = {}
        for node in self.honest:
            tables = [run.table for run in node.runs if run.table is not None]
            if tables:
                machine = tables[-1].machine
                sheets = (*machine.history, machine.sheet)
                starts = tuple(sheet.first_attempt for sheet in sheets)
                rows = tuple(row.attempt for sheet in sheets for row in sheet.rows)
                courses[node.seat] = (machine.match.attempts, starts, rows)
        for one, (attempts, starts, rows) in courses.items():
            for other, (more, later, others) in courses.items():
                reached = min(attempts, more)
                if [n for n in starts if n < reached] != [n for n in later if n < reached]:
                    self.violations.append(f"seats {one + 1} and {other + 1}: {starts}, {later}")
                if [n for n in rows if n < reached] != [n for n in others if n < reached]:
                    self.violations.append(f"seats {one + 1} and {other + 1}: {rows}, {others}")

    def _check_orders(self) -> None:
        """Who goes over to other seats does so with all others of that order that can."""
        for node in self.honest:
            if len(set(node.orders)) > 1:
                self.violations.append(f"seat {node.seat + 1} has agreed on two orders")
        if self.plan.lie is not None and self.plan.lie.kind in FORKS:
            return
        for node in self.honest:
            order = node.order
            if order is None or node.seat not in order:
                continue
            excused = self.plan.forgetful | self.plan.cut_off
            for other in self.honest:
                if other.seat not in order or other.is_gone or other.seat in excused:
                    continue
                if self._gave_up(other):
                    continue
                if other.order != order and (other.is_done or self.plan.is_gentle):
                    self.violations.append(
                        f"seat {node.seat + 1} goes over to {order}, seat {other.seat + 1} to "
                        f"{other.order}: {other.end!r}"
                    )
                is_possible = self.plan.is_gentle and not self.plan.has_lasting_block
                if is_possible and not other.arrived:
                    self.violations.append(f"seat {other.seat + 1} has not got to the new table")
                if other.arrived and node.arrived and other.arrived != node.arrived:
                    self.violations.append("there are two new tables")

    def _is_second_played_for(self, here: list[Node]) -> bool:
        """Whether another seat than the one that is gone is played for until its next turn."""
        marks = [node.runs[-1].machines[-1]._core.mark for node in here]
        return any(mark is not None and mark.seat not in self.plan.gone for mark in marks)

    def _gave_up(self, other: Node) -> bool:
        """Whether somebody was away for longer than it waits for what it has said yes to."""
        is_lost = (other.end or "").endswith(" has lost the connection")
        return not self.plan.is_gentle and other.order is None and is_lost

    def _was_dealt(self, here: list[Node]) -> bool:
        """Whether the hand of everybody here got to the deal."""
        return all(
            node.runs[-1].machines and node.runs[-1].machines[-1]._core.game is not None
            for node in here
        )

    def _check_pause(self, node: Node) -> None:
        """It says for whom it waits, and has reason to wait for them.

        On the way to other seats it is the new room that tells who is there.
        """
        if node.order is not None and self.plan.has_lasting_block:
            return
        last = [event for event in node.events if isinstance(event, HandPausedFor | StillWaiting)]
        named = set() if not last else _named_by(last[-1])
        missing = {other.seat for other in self.nodes if other.is_done or other.runs[-1].is_dead}
        missing |= self.plan.troubled
        if not (named - {node.seat}) & missing:
            found = f"seat {node.seat + 1} has not ended and names {named}, missing are {missing}"
            self.violations.append(f"{found}: {last[-1:]}")

    def _check_reason(self, node: Node) -> None:
        if node.end in ("nothing to resume", NOBODY_THERE):
            return
        if not _named(node.end or ""):
            self.violations.append(f"seat {node.seat + 1} ended and names nobody: {node.end}")


def _named_by(event: HandPausedFor | StillWaiting) -> set[int]:
    return set(event.seats) if isinstance(event, HandPausedFor) else _named(event.text)


def _named(text: str) -> set[int]:
    return {int(number) - 1 for number in re.findall(r"seat (\d)", text)}


def _place(data: bytes) -> tuple[int, bytes] | None:
    """Author and place of a signed message: what it may sign only once."""
    match data[0]:
        case 0:
            return data[37], b"hand" + data[1:42]
        case 0x80:
            return data[37], b"next" + data[1:38]
        case 0x82:
            return data[33], b"table" + data[1:38]
    return None


def _cut(paths: list[Path], size: int, *, keep: int) -> None:
    """A journal loses its end, in the middle of a record; the first ones stay."""
    for path in paths:
        data = path.read_bytes()
        ends = _record_ends(data)
        end = max(len(data) - size, 0)
        if end in ends:
            end -= 1
        if len(ends) > keep and end > ends[keep]:
            os.truncate(path, end)


def _record_ends(data: bytes) -> list[int]:
    ends, at = [8], 8
    while at + RECORD_BYTES <= len(data):
        at += RECORD_BYTES + int.from_bytes(data[at : at + 4], "little")
        ends.append(at)
    return ends


# The computer under the programs ------------------------------------------------------------------


_real_init = Journal.__init__
_real_write = Journal._write
_real_finish = Journal._finish


def _init(journal: Journal, *args: Any, **more: Any) -> None:
    _real_init(journal, *args, **more)
    run = LIFE.get()
    if run is not None:
        run.journals.append(journal)


def _write(journal: Journal, data: bytes) -> None:
    run = LIFE.get()
    if run is None:
        _real_write(journal, data)
        return
    assert run.world is not None
    how = run.world.boundary(run)
    if run.seat != run.world.plan.liar and not data.startswith(b"p2pj"):
        run.world.note_kept(run, data)
    if how is None:
        _real_write(journal, data)
        return
    part = data[: round(len(data) * how.torn)]
    if part:
        _real_write(journal, part)
    run.world.kill(run, how)


def _finish(journal: Journal, *, remove: bool) -> None:
    run = LIFE.get()
    if run is None or not remove:
        if run is None or not run.is_dead:
            _real_finish(journal, remove=remove)
        return
    assert run.world is not None
    how = run.world.boundary(run)
    if how is None or how.torn == 1.0:
        _real_finish(journal, remove=remove)
    if how is not None:
        run.world.kill(run, how)


def _save(real: Callable[..., Any]) -> Callable[..., Any]:
    def save(*args: Any, **more: Any) -> Any:
        run = LIFE.get()
        how = None if run is None or run.world is None else run.world.boundary(run)
        if how is None or how.torn == 1.0:
            result = real(*args, **more)
        if how is not None:
            assert run is not None
            assert run.world is not None
            run.world.kill(run, how)
        return result

    return save


def _rules(plan: Plan) -> dict[str, Any]:
    """The rule set of the plan, with short hands and short matches."""
    rules = RULE_SETS[plan.game]
    if plan.turn_limit is not None:
        rules = replace(rules, turn_limit=plan.turn_limit)
    if plan.evening is not None:
        rules = replace(rules, hands=plan.evening.match_hands)
    return {plan.game: rules}


@contextmanager
def simulated(world: World) -> Iterator[None]:
    """Puts the virtual computer under `p2pokey.peer`."""
    from p2pokey.net import next_table
    from p2pokey.peer import playing, saving
    from p2pokey.peer import table as tables

    plan = world.plan

    def machine(**more: Any) -> HandMachine:
        made = HandMachine(**more)
        run = LIFE.get()
        assert run is not None
        run.machines.append(made)
        if run.seat == plan.liar:
            liars.corrupt(world, run, made)
        return made

    with (
        patch.dict(RULE_SETS, _rules(plan)),
        patch.object(Journal, "__init__", _init),
        patch.object(Journal, "_write", _write),
        patch.object(Journal, "_finish", _finish),
        patch.object(os, "fsync", lambda descriptor: None),
        patch.object(saving, "write_atomic", _save(saving.write_atomic)),
        patch.object(tables, "ThreadPoolExecutor", VirtualThread),
        patch.object(playing, "HandMachine", machine),
        patch.object(next_table, "host_table", meeting("host")),
        patch.object(next_table, "join_table", meeting("join")),
        patch.object(
            playing, "OwnAudit", playing.OwnAudit if plan.turn_limit is None else StandInAudit
        ),
    ):
        yield


@contextmanager
def room_on_disk() -> Iterator[Path]:
    """A folder for one table's files, in memory where the system has that."""
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=fast if fast.is_dir() else None) as folder:
        yield Path(folder)


def simulate(plan: Plan, log: Callable[[str], None] | None = None) -> str:
    """Plays a plan; returns how it ended. Raises AssertionError for a violation."""
    with room_on_disk() as folder:
        with patch.dict(RULE_SETS, _rules(plan)):
            world = World(plan, folder, log)
        world.run()
        return world.check()
