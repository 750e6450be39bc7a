"""What the people at a simulated table want besides playing: a rematch, other seats, to talk, to go.

They ask when their seat comes to a certain boundary, so that a question may stand anywhere: within a
hand, in between, after the match. Others answer as it pleases them, and not always.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from p2pokey.errors import LocalProtocolError
from p2pokey.peer.events import PeerEvent
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import Question
from p2pokey.table.carry import MIN_STAYING, VACANT
from p2pokey.table.commands import AnswerAsk, AskRematch, AskSeating, Mute, SayPhrase
from p2pokey.tiles import Seat
from tests.sim.virtual_net import Crash

if TYPE_CHECKING:
    from tests.sim.whole_table import Run, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One seat wants something."""

    seat: int
    boundary: int
    """When it does."""
    what: str
    """rematch, seats, leave, phrase or mute."""
    order: tuple[int, ...] = ()
    """Of the new seats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    """What a table does besides one hand."""

    hands: int | None
    """Hands that everybody wants; None: until the match is over."""
    match_hands: int
    """Hands of a match."""
    stays: bool
    """Whether people stay for a rematch when it is over."""
    wishes: tuple[Wish, ...]
    yes: float
    """How likely somebody says yes."""
    silence: float
    """How likely somebody says nothing at all."""
    answers_s: float
    """How long an answer takes at most."""


def draw_evening(seats: int, turns: int, dice: random.Random, *, agrees: bool) -> Evening:
    """Several hands, with questions; `agrees`: nearly everybody says yes, mostly to other seats."""
    hands = dice.choice([1, 2, 3, None])
    yes = 0.98 if agrees else dice.choice([0.5, 0.9, 1.0])
    size = (60 + 12 * turns) * (2 if hands is None else hands)
    kinds = {"rematch": 5, "seats": 5, "leave": 1, "phrase": 2, "mute": 1}
    if agrees:
        kinds = {"rematch": 1, "seats": 9}
    whats = dice.choices(list(kinds), list(kinds.values()), k=dice.choice([1, 2, 3, 5]))
    return Evening(
        hands=hands,
        match_hands=dice.choice([1, 1, 3]),
        stays=dice.random() < 0.5,
        wishes=tuple(_wish(what, seats, size, dice) for what in whats),
        yes=yes,
        silence=0.0 if agrees else dice.choice([0.0, 0.0, 0.1]),
        answers_s=dice.choice([0.0, 0.5, 3.0, 20.0]),
    )


def _wish(what: str, seats: int, size: int, dice: random.Random) -> Wish:
    seat, boundary = dice.randrange(seats), dice.randrange(1, size)
    order = _order(seat, seats, dice) if what == "seats" else ()
    return Wish(seat=seat, boundary=boundary, what=what, order=order)


def _order(asker: int, seats: int, dice: random.Random) -> tuple[int, ...]:
    """An order with the asker in it, half of the time without somebody."""
    others = [seat for seat in range(seats) if seat != asker]
    dice.shuffle(others)
    most = len(others) if dice.random() < 0.5 else dice.randint(MIN_STAYING - 1, len(others))
    staying = [asker, *others[:most]]
    dice.shuffle(staying)
    order = staying[1:] + [VACANT] * (seats - len(staying))
    dice.shuffle(order)
    return (staying[0], *order)


class People:
    """Carries out what the people of a table want."""

    def __init__(self, world: "World", evening: Evening) -> None:
        self._world = world
        self._evening = evening
        self._dice = random.Random(f"people {world.plan.seed}")

    def reach(self, run: "Run", boundary: int) -> None:
        """A seat has come to a boundary: what it wants there it says as soon as it is free."""
        for wish in self._evening.wishes:
            if (wish.seat, wish.boundary) == (run.seat, boundary) and run.table is not None:
                self._later(run, 0.0, self._want, run.table, wish)

    def hear(self, run: "Run", event: PeerEvent) -> None:
        """Somebody is told something and may answer."""
        if not isinstance(event, Question) or not event.must_answer or run.table is None:
            return
        if self._dice.random() < self._evening.silence:
            return
        is_yes = self._dice.random() < self._evening.yes
        answer = AnswerAsk(asker=event.asker, seq=event.seq, yes=is_yes)
        delay = self._dice.random() * self._evening.answers_s
        self._later(run, delay, run.table.act, answer)

    def _want(self, table: Table, wish: Wish) -> None:
        match wish.what:
            case "rematch":
                table.act(AskRematch())
            case "seats":
                table.between_hands(AskSeating(order=wish.order))
            case "leave":
                table.leave()
            case "phrase":
                table.act(SayPhrase(code=1 + wish.boundary % 17))
            case "mute":
                seat = Seat((wish.seat + 1) % self._world.plan.seats)
                table.act(Mute(seat=seat, on=bool(wish.boundary % 2)))

    def _later(self, run: "Run", delay: float, do: Callable[..., None], *what: object) -> None:
        def now() -> None:
            if run.is_dead or self._world.nodes[run.seat].end is not None:
                return
            try:
                do(*what)
            except Crash:
                pass
            except LocalProtocolError as error:
                if "closed" not in str(error):  # its table is over just now
                    raise

        asyncio.get_running_loop().call_later(delay, now)
