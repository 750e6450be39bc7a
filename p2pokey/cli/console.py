"""What is typed at a table: lines of chat, and commands that begin with a slash.

Lines are read only while a table is played, so that whoever asks something before loses nothing.
"""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress

from p2pokey.cli.table_texts import language, phrase_text
from p2pokey.errors import LocalProtocolError
from p2pokey.peer.table import Table
from p2pokey.peer.waits import people
from p2pokey.table.carry import VACANT
from p2pokey.table.commands import (
    AnswerAsk,
    AskRematch,
    AskSeating,
    Mute,
    Say,
    SayPhrase,
)
from p2pokey.table.phrases import Phrase
from p2pokey.tiles import Seat

_STDIN = 0
_MAX_LINE = 8192

HELP = """\
  What you type is said to all. Commands:
  /1 ... /17          a quick phrase, shown to everybody in their own language; /phrases lists them
  /mute N, /unmute N  do not show what seat N says, or show it again
  /who                who is there
  /score              the score sheet
  /rematch            ask all for a new match
  /kick N             ask for a table without seat N, when this hand is over
  /seats 2 1 3 4      ask for other seats: for each the one who sits there now, 0 for somebody new
  /yes, /no           answer the open question
  /void               end a hand that waits for somebody, without points
  /leave              play no further hand; Ctrl-C leaves at once, and you can come back
  /help               this list"""


class Console:
    """Carries out what is typed."""

    def __init__(
        self, table: Table, *, say: Callable[[str], None], lang: str | None = None
    ) -> None:
        """Args: say: shows a line to the player; lang: of quick phrases, None: of the locale."""
        self._table = table
        self._say = say
        self._lang = lang or language()
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "help": lambda _: self._say(HELP),
            "phrases": lambda _: self._list_phrases(),
            "mute": lambda words: self._mute(words, on=True),
            "unmute": lambda words: self._mute(words, on=False),
            "who": lambda _: self._who(),
            "score": lambda _: self._score(),
            "rematch": lambda _: self._table.act(AskRematch()),
            "kick": self._kick,
            "seats": self._seats,
            "yes": lambda _: self._answer(yes=True),
            "no": lambda _: self._answer(yes=False),
            "void": lambda _: self._void(),
            "leave": lambda _: self._leave(),
        }

    async def read(self) -> None:
        """Reads standard input to its end."""
        loop, typed, rest = asyncio.get_running_loop(), asyncio.Queue[bytes](), b""

        def read_some() -> None:
            # At once: a later read might wait for what is not there, and everything with it.
            data = b""
            with suppress(OSError):
                data = os.read(_STDIN, _MAX_LINE)
            if not data:
                loop.remove_reader(_STDIN)
            typed.put_nowait(data)

        try:
            loop.add_reader(_STDIN, read_some)
        except (OSError, NotImplementedError):
            return  # a file, or a system without that: nobody types there
        try:
            while data := await typed.get():
                *lines, rest = (rest + data).split(b"\n")
                rest = rest[-_MAX_LINE:]
                for line in lines:
                    self.line(line.decode("utf-8", errors="replace"))
        finally:
            loop.remove_reader(_STDIN)

    def line(self, text: str) -> None:
        """Does what a line says; tells what is wrong with it."""
        text = text.strip()
        if not text:
            return
        if not text.startswith("/"):
            self._table.act(Say(text=text))
            return
        name, *words = text[1:].split() or [""]
        try:
            if name.isdecimal():
                self._phrase(int(name))
            elif name in self._commands:
                self._commands[name](words)
            else:
                self._say(f"  There is no command /{name}; /help lists all.")
        except (ValueError, LocalProtocolError) as error:
            self._say(f"  Not possible: {error}.")

    # Commands ------------------------------------------------------------------------------------

    def _phrase(self, code: int) -> None:
        if code not in list(Phrase):
            raise ValueError(f"there are phrases 1 to {len(Phrase)}")
        self._table.act(SayPhrase(code=code))

    def _list_phrases(self) -> None:
        for phrase in Phrase:
            self._say(f"  /{phrase.value:<3} {phrase_text(phrase, self._lang)}")

    def _mute(self, words: list[str], *, on: bool) -> None:
        seat = self._seat(words)
        if seat == self._table.links.seat:
            raise ValueError("that is your own seat")
        self._table.act(Mute(seat=seat, on=on))
        who = people([seat], self._table.names)
        if on:
            self._say(
                f"  You see nothing more of what {who} says; /unmute {seat + 1} shows it again."
            )
        else:
            self._say(f"  You see again what {who} says.")

    def _who(self) -> None:
        now = self._table.clock()
        for place, name in enumerate(self._table.names):
            state, since = self._table.machine.presence(Seat(place))
            at = time.strftime("%H:%M", time.localtime(time.time() - (now - since)))
            more = " (you)" if place == self._table.links.seat else f" since {at}"
            self._say(f"  {place + 1} {name}: {state.value}{more}")

    def _score(self) -> None:
        sheet, names = self._table.machine.sheet, self._table.names
        number = self._table.machine.match.hands_played - sum(row.counts for row in sheet.rows)
        for row in sheet.rows:
            number += row.counts
            what = f"hand {number}" if row.counts else "cancelled"
            points = zip(names, row.points, strict=True)
            self._say(f"  {what}: " + ", ".join(f"{name} {change:+d}" for name, change in points))
        totals = zip(names, sheet.totals, strict=True)
        self._say("  score: " + ", ".join(f"{name} {total}" for name, total in totals))

    def _kick(self, words: list[str]) -> None:
        out, seats = self._seat(words), range(len(self._table.names))
        if out == self._table.links.seat:
            raise ValueError("whoever wants to go just goes: /leave")
        if len(seats) == 2:
            raise ValueError("nobody else would stay: /leave ends the table")
        order = [VACANT if seat == out else seat for seat in seats]
        if order[0] == VACANT:
            order = [*order[1:], VACANT]  # somebody who stays has to open the room
        self._ask_seats(tuple(order))

    def _seats(self, words: list[str]) -> None:
        count = len(self._table.names)
        if len(words) != count or not all(word.isdecimal() for word in words):
            raise ValueError(f"name {count} seats, e.g. /seats 2 1 3 4")
        numbers = [int(word) for word in words]
        if any(number > count for number in numbers):
            raise ValueError(f"there are seats 1 to {count}")
        order = tuple(number - 1 if number else VACANT for number in numbers)
        self._ask_seats(order)

    def _ask_seats(self, order: tuple[int, ...]) -> None:
        if not self._table.between_hands(AskSeating(order=order)):
            self._say("  The others are asked when this hand is over.")

    def _answer(self, *, yes: bool) -> None:
        own = self._table.links.seat
        machine = self._table.machine
        asked = [opened for opened in machine.open_asks() if own in machine.missing(opened)]
        if not asked:
            raise ValueError("there is no question to answer")
        newest = max(asked, key=lambda opened: opened.came)
        self._table.act(AnswerAsk(asker=newest.asker, seq=newest.seq, yes=yes))

    def _void(self) -> None:
        self._table.void()
        self._say("  You end this hand without points.")

    def _leave(self) -> None:
        self._table.leave()
        self._say("  You play no further hand.")

    def _seat(self, words: list[str]) -> Seat:
        count = len(self._table.names)
        if len(words) != 1 or not words[0].isdecimal() or not 1 <= int(words[0]) <= count:
            raise ValueError(f"name a seat from 1 to {count}")
        return Seat(int(words[0]) - 1)
