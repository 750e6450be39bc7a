"""What the page shows of the people at a table: presence, pauses, talk and questions (TABLE)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.net.link import LinkState
from p2pokey.peer.events import (
    HandBegan,
    HandGoesOn,
    HandPausedFor,
    LinkSeen,
    MoveMade,
    PeerEvent,
    SeatBack,
    SeatPlayedFor,
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
from p2pokey.table.phrases import Phrase
from p2pokey.table.roster import Roster
from p2pokey.tiles import Seat
from p2pokey.web.names import Json

MAX_LINES = 200
"""Lines of talk that the page gets."""


def phrase_code(phrase: Phrase) -> str:
    """Name of a quick phrase in the page's catalogues, e.g. `good-luck`."""
    return phrase.name.lower().replace("_", "-")


PHRASES = {phrase_code(phrase): phrase for phrase in Phrase}


@dataclass(kw_only=True)
class TalkFeed:
    """News of the people at one table."""

    roster: Roster
    seat: Seat
    clock: Callable[[], float] = time.monotonic

    notice: Json | None = None
    """Something to tell the player."""
    _links: dict[Seat, tuple[LinkState, float]] = field(default_factory=dict)
    _absent: set[Seat] = field(default_factory=set)
    _pause: HandPausedFor | None = None
    _paused_at: float = 0.0
    _waiting: tuple[str, float] | None = None
    _lines: list[Json] = field(default_factory=list)
    _asks: dict[tuple[Seat, int], Json] = field(default_factory=dict)

    # News ----------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Takes an event of the peer; most are not about this."""
        match event:
            case ChatLine():
                self._say(event.seat, event.seq, text=event.text)
            case ChatPhrase():
                known = event.code in list(Phrase)
                phrase = phrase_code(Phrase(event.code)) if known else "unknown"
                self._say(event.seat, event.seq, phrase=phrase)
            case Question():
                self._ask(event)
            case QuestionAnswered():
                self._answer(event)
            case QuestionClosed():
                self._close(event)
            case Refused(text=text):
                self.notice = {"code": "refused", "text": text}
            case StillWaiting(text=text):
                self._waiting = (text, self.clock())
            case MoveMade():
                self._waiting = None
            case _:
                self._tell_presence(event)

    def _tell_presence(self, event: PeerEvent) -> None:
        match event:
            case HandBegan():
                self._pause = self._waiting = None
                self._absent.clear()
            case LinkSeen(seat=seat, state=state):
                self._links[seat] = (state, self.clock())
            case SeatPlayedFor(seat=seat):
                self._absent.add(seat)
            case SeatBack(seat=seat):
                self._absent.discard(seat)
            case HandPausedFor(seconds=seconds):
                self._pause, self._paused_at = event, self.clock() - seconds
            case HandGoesOn():
                self._pause = None
            case _:
                pass

    def _say(self, seat: Seat, seq: int, *, text: str | None = None, phrase: str = "") -> None:
        line = {
            "n": seq,
            "seat": seat,
            "text": text,
            "phrase": phrase or None,
            "at": time.strftime("%H:%M"),
        }
        self._lines = [*self._lines, line][-MAX_LINES:]

    def _ask(self, event: Question) -> None:
        self._asks[event.asker, event.seq] = {
            "by": event.asker,
            "seq": event.seq,
            "what": event.what,
            "order": list(event.order) or None,
            "yes": [event.asker],
            "mine": True if event.asker == self.seat else None,
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
            self.notice = {"code": f"ask-{event.outcome}", "what": event.what, "seats": against}

    # JSON ----------------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether the hand waits for somebody who is missing."""
        return self._pause is not None

    def people(self, *, teams: bool) -> list[Json]:
        """PEOPLE: who sits there, and how they can be reached."""
        names = {seat.public_key: seat.name for seat in self.roster.seats}
        found: list[Json] = []
        for number, seat in enumerate(self.roster.seats):
            state, since = self._links.get(Seat(number), (LinkState.HERE, 0.0))
            is_bot = seat.is_computer
            found.append(
                {
                    "name": seat.name,
                    "bot": is_bot,
                    "runner": names.get(seat.runner) if is_bot else None,
                    "link": state.value,
                    "since": None if state is LinkState.HERE else self._ago(since),
                    "absent": number in self._absent,
                    "team": number % 2 if teams else None,
                }
            )
        return found

    def waiting(self) -> Json | None:
        """WAITING: something takes long."""
        if self._waiting is None:
            return None
        text, since = self._waiting
        return {"what": text, "seats": [], "since": self._ago(since)}

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
