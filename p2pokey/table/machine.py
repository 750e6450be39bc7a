"""The table at one seat, between and beside the hands, without I/O, clock or randomness.

The machine is driven from outside: `receive` bytes of a link, `act` on a command, `timer`, and `poll`
for the ordered effects. What it decides together with others (whether a hand begins and how, a
rematch, other seats) follows from the contents of the signed chains, so all honest seats decide
alike whatever arrives when. What it decides for itself (an answer that has to be no, a line that is
not shown) is its own affair.

Why nobody is left behind: a seat that has asked something or said yes to it neither says NEXT nor
begins a hand before that is settled; all others answer no as soon as they are further. So whatever is
agreed on is known to every honest seat before it goes on.

With its records a machine comes back exactly: a message is on disk before it is sent, and what is
on disk is never signed a second time.
"""

from collections.abc import Iterable, Mapping

from p2pokey.ports import Signer, Verifier
from p2pokey.table.asking import Asking
from p2pokey.table.asks import Asks, OpenAsk
from p2pokey.table.chain import TableChains
from p2pokey.table.commands import (
    AnswerAsk,
    AskRematch,
    AskSeating,
    Command,
    HandAt,
    LinkIs,
    Mute,
    Refusal,
    SaveDraft,
    Say,
    SayPhrase,
    ShareLink,
    Synced,
    WantNext,
)
from p2pokey.table.contents import Answer, Ask, Chat, Next, QuickPhrase, What
from p2pokey.table.course import Course
from p2pokey.table.desk import Desk
from p2pokey.table.effects import (
    Effect,
    ScoresDiffer,
    SeatPresence,
)
from p2pokey.table.hands import Hands
from p2pokey.table.hearing import Hearing
from p2pokey.table.match import Match
from p2pokey.table.messages import TableMessage, is_link
from p2pokey.table.moving import Moving
from p2pokey.table.nexts import Nexts
from p2pokey.table.presence import Attendance, Presence
from p2pokey.table.questions import Questions
from p2pokey.table.records import (
    HandCounts,
    HandFailed,
    Record,
    RecordKind,
    decode_outcome,
)
from p2pokey.table.score_sheet import ScoreSheet
from p2pokey.table.talk import Line, Talk
from p2pokey.table.talking import Talking
from p2pokey.tiles import Seat


class TableMachine:
    """The sans-IO machine of one table at one seat."""

    def __init__(
        self,
        *,
        match: Match,
        seat: Seat,
        signer: Signer,
        verifier: Verifier,
        now: float,
        records: Iterable[Record] | None = None,
        is_tail_lost: bool = False,
    ) -> None:
        """A table that stands, or one that is taken up again.

        Args:
            match: at the beginning of the session (`new_match` or `carried_match`).
            seat: this seat; `signer` holds its key.
            now: seconds of any clock that never goes back.
            records: what the machine of an earlier run has persisted, oldest first, even if that is
                nothing; None: the table has just come to stand.
            is_tail_lost: the end of the journal was damaged: nothing is signed before `Synced`.

        Raises:
            DecodeError: the records cannot be read.
        """
        seats = len(match.roster)
        chains = TableChains(roster=match.roster, verifier=verifier)
        self._desk = Desk(session=match.session, seat=seat, signer=signer, chains=chains)
        self._desk.handle = self._handle
        self._desk.is_synced = not is_tail_lost
        self._chains = chains
        self._course = Course(match)
        self._nexts = Nexts(seats)
        self._attendance = Attendance(seats, seat, now)
        self._talking = Talking(self._desk, Talk(seats, seat, now))
        self._asking = Asking(
            own=seat,
            asks=Asks(seats=seats, nexts=self._nexts),
            course=self._course,
            attendance=self._attendance,
            faulty=chains.faults.keys(),
        )
        self._questions = Questions(self._desk, self._asking)
        self._hearing = Hearing(self._desk)
        self._moving = Moving(self._desk)
        self._hands = Hands(self._desk, self._course, self._nexts, self._asking)
        if records is not None:
            self._restore(records, now)

    # What the shell sees -------------------------------------------------------------------------

    @property
    def match(self) -> Match:
        """Where the match stands."""
        return self._course.match

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of the match."""
        return self._course.sheet

    @property
    def history(self) -> tuple[ScoreSheet, ...]:
        """Score sheets of the matches before a rematch, oldest first."""
        return tuple(sheet for sheet, _ in self._course.history)

    @property
    def said(self) -> Mapping[Seat, Next]:
        """What the seats have said of the next attempt."""
        return self._nexts.of(self._course.attempt)

    @property
    def counts(self) -> tuple[int, ...]:
        """Accepted messages of each seat, for HAVE."""
        return self._chains.counts

    @property
    def is_synced(self) -> bool:
        """Whether this seat may sign: what its journal had lost is known again."""
        return self._desk.is_synced

    @property
    def draft(self) -> bytes:
        """Newest unfinished edits of a page."""
        return self._talking.draft

    @property
    def muted(self) -> frozenset[Seat]:
        """Seats whose lines are not shown."""
        return frozenset(self._talking.talk.muted)

    def lines(self) -> list[Line]:
        """The last lines of the chat, without those of muted seats."""
        return self._talking.talk.history()

    def open_asks(self) -> list[OpenAsk]:
        """Questions that are not settled."""
        return self._asking.asks.open()

    def missing(self, opened: OpenAsk) -> tuple[Seat, ...]:
        """Seats that must answer a question and have not."""
        return self._asking.asks.missing(opened)

    def is_bound(self, now: float) -> bool:
        """Whether this seat has asked something, or said yes to it, that may yet be agreed on."""
        return any(not self._asking.is_hopeless(opened, now) for opened in self._asking.bonds())

    def owes_answer(self, now: float) -> bool:
        """Whether a question that may yet be agreed on waits for this seat's answer."""
        asking = self._asking
        owed = [opened for opened in asking.asks.open() if asking.awaits_own(opened)]
        return any(not asking.is_hopeless(opened, now) for opened in owed)

    def is_asked(self, now: float) -> bool:
        """Whether there is a question whose answers may yet come."""
        opened = self._asking.asks.open()
        return any(not self._asking.is_stuck(question, now) for question in opened)

    @property
    def awaited(self) -> frozenset[Seat]:
        """Other seats without whose word the next hand does not begin."""
        silent = set(map(Seat, range(len(self.match.roster)))) - self.said.keys()
        return self._asking.awaited(silent) - {self._desk.seat}

    def after(self, counts: Iterable[int]) -> list[bytes]:
        """Messages that a seat with these counts lacks."""
        return self._chains.after(counts)

    def decisive(self, most: int) -> list[bytes]:
        """The newest messages of each seat on which something hangs, at most so many."""
        return self._chains.decisive(most)

    def presence(self, seat: Seat) -> tuple[Presence, float]:
        """Whether a seat can be reached, and since when."""
        return self._attendance.state(seat), self._attendance.since(seat)

    def may_move(self) -> bool:
        """Whether moves are to be made now: a duel waits for the other seat."""
        others = [Seat(s) for s in range(len(self.match.roster)) if s != self._desk.seat]
        is_alone = len(others) == 1 and self._attendance.is_gone(others[0])
        return not is_alone and not self._hands.is_giving_up and self._moving.order is None

    # Verbs ---------------------------------------------------------------------------------------

    def receive(self, data: bytes, sender: Seat, now: float) -> None:
        """Takes bytes that came by the link of a seat; what is signed may be another seat's."""
        if is_link(data):
            self._moving.take_link(data, sender)
            return
        for message in self._hearing.take(data, sender):
            self._desk.persist(RecordKind.TALK, message.encoded)
            self._handle(message, now)
            self._go_on(now)
        self._hearing.tell_faults()

    def act(self, command: Command, now: float) -> None:
        """Carries out a command; what is not possible is told with `Refused`.

        Raises:
            LocalProtocolError: a hand ends that was not begun, or with a false score.
            DecodeError: a link that has no form.
        """
        match command:
            case Say() | SayPhrase() | Mute() | SaveDraft():
                self._talking.act(command, now)
            case WantNext() | AskRematch() | AskSeating() | AnswerAsk() if (
                self._moving.order is not None
            ):
                self._desk.refuse(Refusal.TABLE_OVER)
            case WantNext(wish=wish):
                self._hands.want(wish)
            case AskRematch() | AskSeating():
                self._questions.ask(command, now)
            case AnswerAsk():
                self._lapse(now)
                self._questions.answer(command, now)
            case ShareLink(link=link):
                self._moving.share(link)
            case Synced():
                self._desk.is_synced = True
            case LinkIs():
                self._set_link(command, now)
            case HandAt() if self._course.hand is not None:
                if command.attempt == self._course.hand.hand:
                    self._course.moves = max(self._course.moves, command.moves)
                    self._course.is_played |= command.is_played
            case HandCounts() | HandFailed():
                self._hands.end(command)
        self._go_on(now)

    def timer(self, now: float) -> None:
        """Does what time alone makes due."""
        self._go_on(now)

    def next_timer(self) -> float | None:
        """When `timer` is due next; None: not at all."""
        return self._asking.next_timer() if self._desk.can_speak else None

    def poll(self) -> list[Effect]:
        """The effects since the last call, in the order in which they are to be carried out."""
        return self._desk.take_effects()

    # Messages ------------------------------------------------------------------------------------

    def _handle(self, message: TableMessage, now: float) -> None:
        seat, seq = message.seat, message.seq
        match message.content:
            case Next() as said:
                self._hands.put_next(seat, said)
            case Chat() | QuickPhrase() as line:
                self._talking.show(seat, seq, line, now)
            case Ask() as ask:
                self._questions.put_ask(seat, seq, ask, message.body_hash, now)
            case Answer() as answer:
                self._questions.put_answer(seat, answer)

    def _set_link(self, command: LinkIs, now: float) -> None:
        seat = command.seat
        was_gone, since = self._attendance.is_gone(seat), self._attendance.since(seat)
        if not self._attendance.set(seat, command.state, now):
            return
        if was_gone:
            self._talking.talk.was_away(seat, now - since)
        if command.state is Presence.HERE:
            self._moving.share_with(seat)  # perhaps another run of its program is there now
        self._desk.emit(SeatPresence(seat=seat, state=command.state, since=now))

    # What follows --------------------------------------------------------------------------------

    def _go_on(self, now: float) -> None:
        """Does everything that has become possible or due."""
        self._settle()
        self._lapse(now)
        if self._moving.order is None:
            self._hands.say_next(now)
            self._hands.look()
        self._lapse(now)

    def _lapse(self, now: float) -> None:
        if self._questions.lapse(now):
            self._settle()
        self._questions.show()

    def _settle(self) -> None:
        for opened in self._questions.settle():
            if opened.ask.what is What.REMATCH:
                self._hands.rematch(opened.ask.attempt)
            else:
                self._moving.agreed.append(opened)
        self._hands.begin_anew()
        self._change_seats()

    def _change_seats(self) -> None:
        """Goes over to seats that were agreed on, once this seat is between the hands, too.

        Whoever stays is there when it says yes. A seat that is out may still play the hand before,
        and can compare scores only after it; its hand never ends because others want that.
        """
        if self._course.hand is not None or self._moving.order is not None:
            return
        for opened in filter(self._asking.is_due, self._moving.in_order()):
            match = self._course.match_of(opened.ask.sheet)
            if match is None and self._asking.may_begin_anew():
                continue
            self._moving.agreed.remove(opened)
            if match is not None:
                self._asking.is_over = True
                self._moving.agree(opened.ask.order, match)
                return
            self._desk.emit(ScoresDiffer(seat=opened.asker))

    # Coming back ---------------------------------------------------------------------------------

    def _restore(self, records: Iterable[Record], now: float) -> None:
        """Reads the records of an earlier run, and tells what is still open."""
        self._desk.is_restoring = True
        for record in records:
            self._read(record, now)
        self._desk.is_restoring = False
        self._talking.talk.restored()
        self._questions.forget_shown()
        self._moving.announce()
        self._hearing.tell_faults()
        self._hands.announce()
        self._go_on(now)

    def _read(self, record: Record, now: float) -> None:
        if record.kind is RecordKind.OUTCOME:
            self._course.end(decode_outcome(record.payload))
        elif record.kind is RecordKind.TALK:
            for message in self._hearing.read(record.payload):
                self._handle(message, now)
        else:
            self._talking.restore(record.kind, record.payload)
        self._go_on(now)
