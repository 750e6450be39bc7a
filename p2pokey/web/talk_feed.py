"""What the page shows of the people at a table: presence, pauses, talk and questions (TABLE)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from p2pokey.native.contacts import Meeting
from p2pokey.peer.events import (
    HandBegan,
    HandFailed,
    HandGoesOn,
    HandPausedFor,
    LinkSeen,
    MoveMade,
    PeerEvent,
    SeatBack,
    SeatPlayedFor,
    ShuffleChecked,
    StagePassed,
    StillWaiting,
)
from p2pokey.peer.table_events import (
    ChatLine,
    ChatPhrase,
    Question,
    QuestionAnswered,
    QuestionClosed,
    Refused,
)
from p2pokey.table.commands import Refusal
from p2pokey.table.phrases import Phrase
from p2pokey.table.presence import Presence
from p2pokey.table.roster import Roster
from p2pokey.table.talk import Line
from p2pokey.tiles import Seat
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json

MAX_LINES = 200
"""Lines of talk that the page gets."""
PresenceOf = Callable[[Seat], tuple[Presence, float]]
"""State of a seat's link, and since when by the feed's clock."""


def phrase_code(phrase: Phrase) -> str:
    """Name of a quick phrase in the page's catalogues, e.g. `good-luck`."""
    return phrase.name.lower().replace("_", "-")


PHRASES = {phrase_code(phrase): phrase for phrase in Phrase}
REFUSALS = {why.value: why.name.lower().replace("_", "-") for why in Refusal}
"""Codes of what the table machine refuses, by its sentence."""


@dataclass(kw_only=True)
class TalkFeed:
    """News of the people at one table."""

    roster: Roster
    seat: Seat
    tell_player: Callable[[Json], None] = lambda notice: None
    """Takes a notice for the player."""
    met: Mapping[Seat, Meeting] = field(default_factory=dict)
    """What the list of friends says of the others."""
    clock: Callable[[], float] = time.monotonic

    _absent: set[Seat] = field(default_factory=set)
    _pause: HandPausedFor | None = None
    _paused_at: float = 0.0
    _waiting: tuple[StillWaiting, float] | None = None
    _lines: list[Json] = field(default_factory=list)
    _said: int = 0
    _asks: dict[tuple[Seat, int], Json] = field(default_factory=dict)
    _refused: str | None = None
    _is_commanding: bool = False

    # News ----------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Takes an event of the peer; most are not about this."""
        match event:
            case ChatLine():
                self._say(event.seat, text=event.text)
            case ChatPhrase():
                self._say(event.seat, phrase=event.code)
            case Question():
                self._ask(event)
            case QuestionAnswered():
                self._answer(event)
            case QuestionClosed():
                self._close(event)
            case Refused(text=text) if self._is_commanding:
                self._refused = text
            case Refused(text=text):
                self.tell_player({"code": _code_of(text), "text": text})
            case _:
                self._tell_presence(event)

    def _tell_presence(self, event: PeerEvent) -> None:
        match event:
            case StillWaiting():
                self._waiting = (event, self.clock())
            case HandBegan():
                self._pause = self._waiting = None
                self._absent.clear()
            case MoveMade() | StagePassed() | ShuffleChecked() | LinkSeen():
                self._waiting = None
            case SeatPlayedFor(seat=seat):
                self._absent.add(seat)
            case SeatBack(seat=seat):
                self._absent.discard(seat)
            case HandPausedFor(seconds=seconds):
                self._pause, self._paused_at = event, self.clock() - seconds
            case HandGoesOn() | HandFailed():
                self._pause = self._waiting = None
            case _:
                pass

    def said_before(self, lines: Sequence[Line]) -> None:
        """What was said at this table before this run of the program."""
        for line in lines:
            at = time.time() - max(0.0, self.clock() - line.at)
            self._say(line.seat, text=line.text, phrase=line.phrase, at=at)

    def _say(
        self,
        seat: Seat,
        *,
        text: str | None = None,
        phrase: int | None = None,
        at: float | None = None,
    ) -> None:
        code = None
        if phrase is not None:
            code = phrase_code(Phrase(phrase)) if phrase in list(Phrase) else "unknown"
        line = {
            "n": self._said,
            "seat": seat,
            "text": text,
            "phrase": code,
            "at": time.strftime("%H:%M", time.localtime(at)),
        }
        self._said += 1
        self._lines = [*self._lines, line][-MAX_LINES:]

    def _ask(self, event: Question) -> None:
        self._asks[event.asker, event.seq] = {
            "by": event.asker,
            "seq": event.seq,
            "what": event.what,
            "order": list(event.order) or None,
            "yes": [event.asker],
            # Who is not asked has nothing to say.
            "mine": event.asker == self.seat if not event.must_answer else None,
            "must": event.must_answer,
        }

    def _answer(self, event: QuestionAnswered) -> None:
        ask = self._asks.get((event.asker, event.seq))
        if ask is None:
            return
        if event.reply == "yes":
            ask["yes"] = sorted({*ask["yes"], event.by})
        if event.by == self.seat:
            ask["mine"] = event.reply == "yes"

    def _close(self, event: QuestionClosed) -> None:
        self._asks.pop((event.asker, event.seq), None)
        if event.outcome != "agreed":
            against = list(event.against)
            notice = {"code": f"ask-{event.outcome}", "what": event.what, "seats": against}
            self.tell_player(notice)

    def check(self, command: Callable[[], object]) -> None:
        """Gives the table machine a command; raises IntentRefused if that refuses it."""
        self._refused, self._is_commanding = None, True
        try:
            command()
        finally:
            self._is_commanding = False
        if self._refused is not None:
            raise IntentRefused(_code_of(self._refused), text=self._refused)

    # JSON ----------------------------------------------------------------------------------------

    @property
    def paused_seats(self) -> tuple[Seat, ...]:
        """Seats for which the hand waits."""
        return () if self._pause is None else self._pause.seats

    def is_absent(self, seat: Seat) -> bool:
        """Whether the others play for the seat."""
        return seat in self._absent

    def people(self, presence: PresenceOf, *, teams: bool) -> list[Json]:
        """PEOPLE: who sits there, and how they can be reached."""
        names = {seat.public_key: seat.name for seat in self.roster.seats}
        found: list[Json] = []
        for number, seat in enumerate(self.roster.seats):
            state, since = presence(Seat(number))
            met = self.met.get(Seat(number))
            found.append(
                {
                    "name": seat.name,
                    "key": seat.public_key.hex()[:16],
                    "bot": seat.is_computer,
                    "runner": names.get(seat.runner) if seat.is_computer else None,
                    "link": state.value,
                    "since": None if state is Presence.HERE else self._ago(since),
                    "absent": number in self._absent,
                    "team": number % 2 if teams else None,
                    "met": None if met is None else met.met.value,
                    "known": None if met is None else met.known_as,
                }
            )
        return found

    def waiting(self) -> Json | None:
        """WAITING: something takes long."""
        if self._waiting is None or self._pause is not None:
            return None
        event, since = self._waiting
        seats, text = list(event.seats), event.text
        return {"what": event.what, "seats": seats, "since": self._ago(since), "text": text}

    def paused(self) -> Json | None:
        """PAUSED: who is missing, and since when."""
        if self._pause is None:
            return None
        seats = list(self._pause.seats)
        return {"seat": seats[0], "seats": seats, "since": self._ago(self._paused_at)}

    def lines(self, muted: frozenset[Seat]) -> list[Json]:
        """CHAT: without the lines of those who are muted."""
        return [line for line in self._lines if line["seat"] not in muted]

    def asks(self) -> list[Json]:
        """ASKS: questions that are not settled."""
        return list(self._asks.values())

    def _ago(self, when: float) -> int:
        return max(0, round(self.clock() - when))


def _code_of(text: str) -> str:
    """Code of a refusal's sentence, to which seconds may be added."""
    return next((code for why, code in REFUSALS.items() if text.startswith(why)), "refused")
