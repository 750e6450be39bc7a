"""Drives the table machine of one seat: brings it what links and players say, carries out effects.

Everything here runs on the event loop and waits for nothing. What a chat line costs is one short write
to the journal, which has to come before the line is sent. If it fails nothing is sent or decided any
more: what was signed is not known after a restart, so nobody else may know it either.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.errors import TableCancelled
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.peer.events import HandCounted
from p2pokey.peer.events import HandFailed as HandLost
from p2pokey.peer.links import Links
from p2pokey.peer.table_events import (
    ChatLine,
    ChatPhrase,
    LinesDropped,
    Question,
    QuestionAnswered,
    QuestionClosed,
    Refused,
    RematchBegun,
    ScoreDiffers,
    SeatLied,
    SeatsAgreed,
    TableEvent,
)
from p2pokey.peer.table_journal import TableJournal
from p2pokey.peer.waits import people
from p2pokey.table import effects as told
from p2pokey.table.commands import Command, LinkIs
from p2pokey.table.machine import TableMachine
from p2pokey.table.presence import Presence
from p2pokey.table.records import Outcome, Record, RecordKind
from p2pokey.tiles import Seat

DOUBT_S = 3.0
"""After that time a seat that keeps another score is named, unless one is found that has lied."""
_SHOWN = 100
"""Messages of each seat that are shown to all then."""

TellEvent = Callable[[TableEvent | HandCounted | HandLost], None]


@dataclass(kw_only=True)
class Board:
    """A table machine with its links and its journal."""

    machine: TableMachine
    links: Links
    diary: TableJournal | None
    """Where records go; None: nowhere."""
    names: tuple[str, ...]
    emit: TellEvent
    clock: Callable[[], float]
    refuse: Callable[[MessageReceived], None]
    """Takes what is no message of this table, for whoever blames the link that it came by."""
    wake: Callable[[], None]
    """Wakes whoever waits for something to change."""
    fail: Callable[[Exception], None] = lambda error: None
    """Told why a record could not be written; then every call raises that, too."""
    give_up: Callable[[str], None]
    """The running hand has to end without a score."""
    begun: told.BeginHand | None = None
    """The hand that is to be played."""
    ended: told.MatchEnded | None = None
    seating: told.SeatingAgreed | None = None
    room: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(maxsize=1))
    """The newest link of the new room, until it is taken."""
    has_room: bool = False
    """Whether there was one."""
    _end: TableCancelled | None = None
    _doubt: tuple[Seat, float] | None = None
    """Who keeps another score, and when that is told."""
    _after_hand: HandCounted | HandLost | None = None
    """How the hand ended, until that is on disk."""
    _newest: MessageReceived | None = None
    _pending: list[told.Effect] = field(default_factory=list)
    _is_carrying: bool = False
    _shows: bool = False
    """Whether all that is decisive is to be shown to all, once it is on disk."""
    _failure: Exception | None = None

    # What happens --------------------------------------------------------------------------------

    def receive(self, message: MessageReceived) -> None:
        """A message of the table chain, or the link of a new room."""
        self.check_alive()
        self._newest = message
        self.machine.receive(message.data, message.seat, self.clock())
        self.carry_out()

    def link(self, change: LinkChanged) -> None:
        """A link has another state."""
        self.act(LinkIs(seat=change.seat, state=Presence(change.state.value)))

    def act(self, command: Command) -> None:
        """Carries out a command; what is not possible is told by an event."""
        self.check_alive()
        self.machine.act(command, self.clock())
        self.carry_out()

    def end_hand(self, outcome: Outcome, event: HandCounted | HandLost) -> None:
        """The hand has ended: the event tells of it once that is on disk, before what follows."""
        self._after_hand = event
        self.act(outcome)

    def timer(self) -> None:
        """Does what time alone makes due."""
        self.check_alive()
        self.machine.timer(self.clock())
        self.carry_out()

    def check(self) -> None:
        """Raises TableCancelled once nothing more can be played here."""
        self.check_alive()
        if self._doubt is not None and self._end is None and self.clock() >= self._doubt[1]:
            seat = self._doubt[0]
            self.emit(ScoreDiffers(seat=seat))
            self._stop(f"{people([seat], self.names)} keeps another score of this match")
        if self._end is not None:
            raise self._end

    def take_hand(self) -> told.BeginHand | None:
        """The hand that is to be played; it is the caller's then."""
        hand, self.begun = self.begun, None
        return hand

    def check_alive(self) -> None:
        """Raises why a record could not be written: nothing may be sent any more."""
        if self._failure is not None:
            raise self._failure

    # Effects -------------------------------------------------------------------------------------

    def carry_out(self) -> None:
        """Carries out what the machine wants, in order; a record is on disk before it is sent."""
        self.check_alive()
        self._pending += self.machine.poll()
        if self._is_carrying:
            return  # somebody who was told something has answered with a command
        self._is_carrying = True
        try:
            while self._pending:
                self._do(self._pending.pop(0))
            if self._shows:
                self._shows = False
                self._show_decisive()
        finally:
            self._is_carrying = False
        self.wake()

    def _do(self, effect: told.Effect) -> None:
        match effect:
            case told.Persist(record=record):
                self._keep(record)
                if record.kind is RecordKind.OUTCOME and self._after_hand is not None:
                    event, self._after_hand = self._after_hand, None
                    self.emit(event)
            case told.Send(data=data, to=None):
                self.links.broadcast(data)
            case told.Send(data=data, to=seat):
                assert seat is not None
                self.links.send(seat, data)
            case told.BeginHand():
                self.begun, self._doubt = effect, None  # all keep the same score now
            case told.GiveUpHand(reason=reason):
                self.give_up(reason)
            case told.MatchEnded():
                self.ended = effect
            case told.RoomLink(link=link):
                self.has_room = True
                if self.room.full():
                    self.room.get_nowait()
                self.room.put_nowait(link)
            case told.BadLink():
                assert self._newest is not None
                self.refuse(self._newest)
            case told.SeatPresence() | told.SeatReady():
                pass  # links tell the one themselves; the other shows when the hand begins
            case _:
                self._tell(effect)

    def _keep(self, record: Record) -> None:
        if self.diary is None:
            return
        try:
            self.diary.keep(record)
        except Exception as error:
            self._failure = error
            self._pending.clear()
            self.fail(error)
            raise

    def _tell(self, effect: told.Effect) -> None:
        """Effects that the player is told of."""
        match effect:
            case told.ChatShown(line=line):
                self.emit(ChatLine(seat=line.seat, seq=line.seq, text=line.text or ""))
            case told.PhraseShown(line=line):
                self.emit(ChatPhrase(seat=line.seat, seq=line.seq, code=line.phrase or 0))
            case told.LinesDropped(seat=seat, count=count):
                self.emit(LinesDropped(seat=seat, count=count))
            case told.ChainFull(seat=seat):
                who = people([seat], self.names)
                self.emit(Refused(text=f"{who} has said more than a table keeps"))
            case told.Refused(why=why, wait_s=wait):
                more = f" ({wait:.0f} s)" if wait else ""
                self.emit(Refused(text=why.value + more))
            case told.AskOpened() | told.AskAnswered() | told.AskClosed():
                self._tell_question(effect)
            case told.RematchBegins(attempt=attempt):
                self.ended = None
                self.emit(RematchBegun(attempt=attempt))
            case told.SeatingAgreed(order=order, seat=new):
                self.seating = effect
                self._shows = True
                self.emit(SeatsAgreed(order=order, seat=new))
            case told.ScoresDiffer(seat=seat):
                if self._doubt is None:
                    self._doubt = (seat, self.clock() + DOUBT_S)
                    self._shows = True
            case told.TableFault(seat=seat, cause=cause):
                self.emit(SeatLied(seat=seat, cause=cause))
                who = people([seat], self.names)
                self._stop(f"{who} broke the protocol at the table ({cause})")

    def _tell_question(self, effect: told.AskOpened | told.AskAnswered | told.AskClosed) -> None:
        match effect:
            case told.AskOpened(asker=asker, seq=seq, ask=ask, must_answer=must):
                what = ask.what.name.lower()
                self.emit(
                    Question(asker=asker, seq=seq, what=what, order=ask.order, must_answer=must)
                )
            case told.AskAnswered(asker=asker, seq=seq, by=by, reply=reply):
                text = reply.name.lower()
                self.emit(QuestionAnswered(asker=asker, seq=seq, by=by, reply=text))
            case told.AskClosed(asker=asker, seq=seq, ask=ask):
                self.emit(
                    QuestionClosed(
                        asker=asker,
                        seq=seq,
                        what=ask.what.name.lower(),
                        outcome=effect.outcome.value,
                        against=effect.against,
                    )
                )

    def _show_decisive(self) -> None:
        """Lets all compare what they have: a seat that has told them different things is found.

        Nobody asks for messages that it has, so two versions of one may lie unseen at different seats.
        """
        for data in self.machine.decisive(_SHOWN):
            self.links.broadcast(data)

    def _stop(self, reason: str) -> None:
        self._end = self._end or TableCancelled(reason)
