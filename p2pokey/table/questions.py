"""Questions at this seat: asking, showing, answering, and telling what has become of them."""

from p2pokey.errors import DecodeError
from p2pokey.table.asking import Asking
from p2pokey.table.asks import AskOutcome, OpenAsk
from p2pokey.table.carry import MIN_STAYING, VACANT, check_order
from p2pokey.table.commands import AnswerAsk, AskRematch, AskSeating, Refusal
from p2pokey.table.contents import Answer, Ask, Reply, What
from p2pokey.table.desk import Desk
from p2pokey.table.effects import AskAnswered, AskClosed, AskOpened, ScoresDiffer
from p2pokey.tiles import Seat


class Questions:
    """All questions of the session, with what this seat does about them."""

    def __init__(self, desk: Desk, asking: Asking) -> None:
        self._desk = desk
        self._asking = asking
        self._asks = asking.asks

    # Commands ------------------------------------------------------------------------------------

    def ask(self, command: AskRematch | AskSeating, now: float) -> None:
        """Asks all whom it concerns, unless that is not possible now."""
        course = self._asking.course
        attempt, step = course.position
        if isinstance(command, AskRematch):
            ask = Ask(what=What.REMATCH, attempt=attempt, step=step)
            self._ask(ask, set(range(self._asks.seats)), now)
            return
        order, digest = command.order, course.sheet.digest()
        if len(set(order) - {VACANT}) < MIN_STAYING:
            self._desk.refuse(Refusal.ALONE)
            return
        try:
            check_order(order, self._asks.seats)
        except DecodeError:
            self._desk.refuse(Refusal.BAD_ORDER)
            return
        if self._desk.seat not in order:
            self._desk.refuse(Refusal.NOT_STAYING)
            return
        ask = Ask(what=What.SEATING, attempt=attempt, step=step, order=order, sheet=digest)
        self._ask(ask, set(order) - {VACANT}, now)

    def answer(self, command: AnswerAsk, now: float) -> None:
        """The player answers a question."""
        opened = self._asks.find(command.asker, command.seq)
        if not self._desk.can_speak:
            self._desk.refuse(Refusal.NOT_SYNCED)
            return
        if opened is None or not opened.shown or not self._asking.awaits_own(opened):
            self._desk.refuse(Refusal.NO_SUCH_ASK)
            return
        self._reply(opened, Reply.YES if command.yes else Reply.NO, now)

    def _ask(self, ask: Ask, must: set[int], now: float) -> None:
        others = {Seat(seat) for seat in must if seat != self._desk.seat}
        refusal = self._asking.refusal(ask, others, now)
        if refusal is None and not self._desk.can_speak:
            refusal = Refusal.NOT_SYNCED
        if refusal is not None:
            self._desk.refuse(refusal)
        else:
            self._desk.say(ask, now)

    # Accepted messages ---------------------------------------------------------------------------

    def put_ask(self, seat: Seat, seq: int, ask: Ask, digest: bytes, now: float) -> None:
        """An ASK has been accepted."""
        self._asks.put_ask(seat, seq, ask, digest, now)

    def put_answer(self, by: Seat, answer: Answer) -> None:
        """An ANSWER has been accepted."""
        is_open = self._asks.find(answer.asker, answer.seq) is not None
        if self._asks.put_answer(by, answer) and is_open:
            self._desk.emit(
                AskAnswered(asker=answer.asker, seq=answer.seq, by=by, reply=answer.reply)
            )

    # What follows --------------------------------------------------------------------------------

    def show(self) -> None:
        """Shows the questions that this seat has got to, and can answer if it must."""
        for opened in self._asks.open():
            must = self._asking.awaits_own(opened)
            is_due = self._asking.is_reached(opened) and self._desk.is_synced
            if opened.shown or (must and not is_due):
                continue
            opened.shown = True
            self._desk.emit(
                AskOpened(asker=opened.asker, seq=opened.seq, ask=opened.ask, must_answer=must)
            )

    def lapse(self, now: float) -> bool:
        """Says no for the player where that has to be; whether it was anywhere."""
        if not self._desk.can_speak:
            return False
        due = [
            opened
            for opened in self._asks.open()
            if self._asking.awaits_own(opened) and self._asking.must_lapse(opened, now)
        ]
        for opened in due:
            if self._asking.is_strange(opened):
                self._desk.emit(ScoresDiffer(seat=opened.asker))
            self._reply(opened, Reply.LAPSED, now)
        return bool(due)

    def settle(self) -> list[OpenAsk]:
        """Closes what is settled, and gives back what was agreed on."""
        agreed = []
        for opened, outcome in self._asks.settle():
            against = [seat for seat in sorted(opened.must) if self._is_against(opened, seat)]
            self._desk.emit(
                AskClosed(
                    asker=opened.asker,
                    seq=opened.seq,
                    ask=opened.ask,
                    outcome=outcome,
                    against=tuple(against),
                )
            )
            if outcome is AskOutcome.AGREED:
                agreed.append(opened)
        return agreed

    def forget_shown(self) -> None:
        """After a restart open questions are shown again."""
        for opened in self._asks.open():
            opened.shown = False

    def _is_against(self, opened: OpenAsk, seat: Seat) -> bool:
        return self._asks.counted(opened, seat) in (Reply.NO, Reply.LAPSED)

    def _reply(self, opened: OpenAsk, reply: Reply, now: float) -> None:
        answer = Answer(asker=opened.asker, seq=opened.seq, reply=reply, asked=opened.digest)
        self._desk.say(answer, now)
