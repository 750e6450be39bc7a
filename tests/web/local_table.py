"""A whole match in memory for tests of the page: real rules, simple players, no cryptography.

People at the table are engines (local_engine.py) that see only their own view; everybody else is
one of the automatic players. All is seeded; nothing runs but what the event loop is asked to.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

from p2pokey.bots.choosing import choose
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import Event, TileDrawn
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import options_of, ruleset_for
from p2pokey.rules.scoring import HandScore, match_over, next_starter
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.web.ending import end_json
from p2pokey.web.following import move_json
from tests.bots.decks import shuffled
from tests.bots.hands import Source

Json = dict[str, Any]
NAMES = ("Ayşe", "Mehmet", "Zeynep", "Can")
BOT_NAMES = ("Kedi", "Baykuş", "Tilki", "Karga")
WORDS = ["lale", "deniz", "kartal", "bulut"]


class LocalTable:
    """One table: its match, its hand, its talk.

    Args:
        rules: key of a rule set, or a rule set.
        people: seats that are played by hand; the rest are automatic.
        seed: of the decks and of the automatic players.
        pause_s: how long an automatic player thinks.
        deal_s: how long keys, shuffles and deal seem to take; 0: no such stages are seen.
        read_s: how long a drawn tile cannot be read by its person.
        deck: the deck of the first hand, slot by slot; None: from the seed.
        held: whether automatic players wait for `step` or `release`.
    """

    def __init__(
        self,
        rules: str | RuleSet = "classic",
        *,
        people: Sequence[int] = (0,),
        seed: object = 1,
        pause_s: float = 0.05,
        deal_s: float = 0.0,
        read_s: float = 0.0,
        assisted: bool = False,
        solo: bool = True,
        shared: bool = False,
        timer_s: int = 0,
        names: Sequence[str] = NAMES,
        deck: Sequence[Tile] | None = None,
        held: bool = False,
    ) -> None:
        self.rules = ruleset_for(rules) if isinstance(rules, str) else rules
        self.seats = self.rules.players
        self.people = tuple(Seat(seat) for seat in people)
        self.seed, self.pause_s, self.deal_s, self.read_s = seed, pause_s, deal_s, read_s
        self.assisted, self.solo, self.shared, self.timer_s = assisted, solo, shared, timer_s
        self.names = [
            names[seat] if seat in self.people else BOT_NAMES[seat] for seat in range(self.seats)
        ]
        self.totals: tuple[int, ...] = (self.rules.start_score,) * self.seats
        self.rows: list[Json] = []
        self.hands = 0
        self.first: Seat | None = None
        self.again: Seat | None = None
        self.chat: list[Json] = []
        self.asks: list[Json] = []
        self.links = ["here"] * self.seats
        self.failed: Seat | None = None
        self.paused: Seat | None = None
        self.stage = self._first_stage()
        self.game = 0
        """Number of the deal: another one with every hand."""
        self._watchers: list[Callable[[], None]] = []
        self._given = deck
        self._free = asyncio.Event()
        if not held:
            self._free.set()
        self._steps = asyncio.Semaphore(0)
        self._runner: asyncio.Task[None] | None = None
        self._deal()

    # --- the hand ---

    def _deal(self) -> None:
        self.game += 1
        rng = random.Random(f"coins {self.seed} {self.game}")
        starter = self.again
        if starter is None:
            starter = next_starter(self.rules, self.first, self.hands + 1, self.seats)
        if starter is None:
            starter = Seat(rng.randrange(self.seats)) if self.game > 1 else Seat(0)
        self.deck = shuffled(f"{self.seed} {self.game}") if self._given is None else self._given
        self._given = None
        engine = engine_for(self.rules)
        self.state, _ = engine.start(self.rules, self.seats, starter)
        while self.state.phase is Phase.INDICATOR:
            self.state, _ = engine.turn_indicator(self.state, self.deck[self.state.stack[0]])
        self._sources = [Source(f"{self.seed} {self.game} {seat}") for seat in range(self.seats)]
        self.last: Json | None = None
        self.moves: list[tuple[Seat, Move]] = []
        self.score: HandScore | None = None
        self.ready = [seat not in self.people for seat in range(self.seats)]
        self._unread: set[Slot] = set()

    def _first_stage(self) -> Json:
        name = "keys" if self.deal_s else "play"
        return {"name": name, "seat": None, "done": 0, "total": self.seats if self.deal_s else 0}

    @property
    def is_dealing(self) -> bool:
        """Whether the racks cannot be seen yet."""
        return self.stage["name"] in ("keys", "shuffle", "deal")

    def view_of(self, seat: Seat | None) -> View:
        """What the seat may see."""
        if seat is None:
            return public_view(self.state)
        own = self.state.racks[seat]
        known = [slot for slot in own if slot not in self._unread]
        concealed = [slot for slot in known if self.state.faces[slot] is None]
        private = tuple((slot, self.deck[slot]) for slot in concealed)
        return View(state=self.state, seat=seat, private=private)

    def play(self, seat: Seat, move: Move) -> None:
        """A legal move of the seat to move; automatic players answer later."""
        engine = engine_for(self.rules)
        self.state, events = engine.apply(self.state, move)
        self._happened(seat, move, events)

    def _happened(self, seat: Seat, move: Move, events: tuple[Event, ...]) -> None:
        self.last = move_json(seat, move, events)
        self.moves.append((seat, move))
        for event in events:
            if isinstance(event, TileDrawn) and seat in self.people and self.read_s:
                self._unread.add(event.slot)
                asyncio.get_running_loop().call_later(self.read_s, self.read, event.slot)
        if self.state.phase is Phase.OVER:
            self._count()
        self.changed()

    def unread(self, slot: Slot) -> None:
        """A tile cannot be read until the others' keys have come, as after coming back."""
        self._unread.add(slot)
        self.changed()

    def read(self, slot: Slot) -> None:
        """The others' keys have come: the tile can be read."""
        self._unread.discard(slot)
        self.changed()

    def _count(self) -> None:
        faces = {Slot(slot): tile for slot, tile in enumerate(self.deck)}
        self.score = engine_for(self.rules).score(self.state, faces, self.totals)
        self.totals = self.score.totals
        self.again = None if self.score.counts else self.state.starter
        if self.score.counts:
            self.hands += 1
            self.first = self.state.starter if self.first is None else self.first
            self.rows.append(
                {
                    "hand": self.hands,
                    "points": list(self.score.points),
                    "totals": list(self.totals),
                    "reason": self.score.reason,
                }
            )
        self.stage = {"name": "result", "seat": None, "done": 0, "total": 0}

    def end(self) -> Json | None:
        """END of the page, None while the hand goes on."""
        if self.score is None:
            return None
        faces = {Slot(slot): tile for slot, tile in enumerate(self.deck)}
        return end_json(self.state, self.score, faces, ready=self.ready)

    def match(self) -> Json:
        """The score sheet."""
        over, winners = match_over(self.rules, self.totals, self.hands)
        return {
            "hand": self.hands + (self.score is None),
            "hands": self.rules.hands,
            "totals": list(self.totals),
            "rows": self.rows,
            "over": over,
            "winners": list(winners),
        }

    def get_ready(self, seat: Seat) -> None:
        """The seat wants the next hand; it begins when all do."""
        self.ready[seat] = True
        if all(self.ready):
            if self.match()["over"]:
                self.totals = (self.rules.start_score,) * self.seats
                self.rows, self.hands, self.first = [], 0, None
            self._deal()
            self.stage = self._first_stage()
            self._start()
        self.changed()

    # --- what tests do ---

    def hold(self) -> None:
        """Automatic players stop; whoever is to move stays to move."""
        self._free.clear()

    def release(self) -> None:
        """They play on."""
        self._free.set()

    async def step(self) -> None:
        """One move of an automatic player, at once, while the others are held."""
        if self._bot() is None:
            return
        moved = asyncio.Event()
        end = self.watch(moved.set)
        self._steps.release()
        self._start()
        await moved.wait()
        end()

    def say(self, seat: int, text: str | None = None, phrase: str | None = None) -> None:
        """A line of talk."""
        line = {"n": len(self.chat), "seat": seat, "text": text, "phrase": phrase, "at": "12:31"}
        self.chat.append(line)
        self.changed()

    def link(self, seat: int, state: str) -> None:
        """How the seat is connected: here, unstable, away or left."""
        self.links[seat] = state
        self.paused = Seat(seat) if state == "away" else None
        self.changed()

    def fail_proof(self, seat: int) -> None:
        """A proof of that seat fails: the hand freezes."""
        self.failed = Seat(seat)
        self.stage = {"name": "stopped", "seat": seat, "done": 0, "total": 0}
        self.hold()
        self.changed()

    def ask(self, seat: int, what: str, order: list[int] | None = None) -> None:
        """A seat proposes a rematch or another order of seats."""
        number = len(self.asks)
        self.asks.append({"by": seat, "seq": number, "what": what, "order": order, "yes": [seat]})
        self.changed()

    # --- running ---

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` after every change; returns the end of it."""
        self._watchers.append(changed)
        self._start()
        return lambda: self._watchers.remove(changed)

    def changed(self) -> None:
        """Tells everybody, and lets the automatic players go on."""
        for watcher in tuple(self._watchers):
            watcher()
        if self._bot() is not None:
            self._start()

    def close(self) -> None:
        """Ends the automatic players."""
        if self._runner is not None:
            self._runner.cancel()

    def _bot(self) -> Seat | None:
        """The automatic player that is to move, if one is."""
        seat = engine_for(self.rules).mover(self.state)
        is_still = self.failed is not None or self.paused is not None
        return None if seat is None or seat in self.people or is_still else seat

    def _start(self) -> None:
        if self._runner is None or self._runner.done():
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return
            self._runner = loop.create_task(self._run())

    async def _run(self) -> None:
        if self.stage["name"] == "keys":
            await self._show_deal()
        while (seat := self._bot()) is not None:
            await self._may_go_on()
            if self._bot() != seat:
                continue
            self.play(seat, choose(self.view_of(seat), self._sources[seat]))

    async def _may_go_on(self) -> None:
        """Waits for the pause, or for a step while the table is held."""
        if self._free.is_set():
            await asyncio.sleep(self.pause_s)
        if self._free.is_set():
            return
        free = asyncio.ensure_future(self._free.wait())
        step = asyncio.ensure_future(self._steps.acquire())
        try:
            await asyncio.wait({free, step}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            free.cancel()
            step.cancel()

    async def _show_deal(self) -> None:
        """Keys, shuffles and deal as the page sees them."""
        steps = [("keys", None)] + [("shuffle", seat) for seat in range(self.seats)]
        for number, (name, seat) in enumerate([*steps, ("deal", None)]):
            self.stage = {"name": name, "seat": seat, "done": number, "total": len(steps) + 1}
            for watcher in tuple(self._watchers):
                watcher()
            await asyncio.sleep(self.deal_s / (len(steps) + 1))
        self.stage = {"name": "play", "seat": None, "done": 0, "total": 0}
        self.changed()


def options_json(table: LocalTable) -> Json:
    """The options that the table has agreed on."""
    return {
        **options_of(table.rules),
        "partners": table.rules.partners,
        "assisted": table.assisted,
        "recovery": table.seats > 2,
        "timer_s": table.timer_s,
        "unlinkable_discards": True,
    }


def is_over(state: HandState) -> bool:
    """Whether the hand has ended."""
    return state.phase is Phase.OVER
