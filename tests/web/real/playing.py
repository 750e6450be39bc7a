"""Plays on a page as a person would: looks at what it shows, clicks, and waits for what comes of it."""

import asyncio
import json
import random
import time
from collections.abc import Callable
from typing import Any

from playwright.async_api import Page

from p2pokey.rules.analysis import analyse
from p2pokey.rules.distance import distance
from p2pokey.rules.duel_solver import best_table
from p2pokey.rules.melds import identity
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import left_of
from p2pokey.rules.templates import bit_of, rack_of
from p2pokey.tiles import Seat, format_tile, parse_face, parse_tile
from tests.web.browser.performing import Mouse, carry_out
from tests.web.players import pick
from tests.web.proposals import proposals
from tests.web.real.visiting import WAIT_S, Guest

Json = dict[str, Any]
POLL_S = 0.05
_LOOK = """() => {
  const {view, local} = globalThis.p2pokey?.state ?? {};
  const table = view?.table;
  if (!table) return null;
  return {game: table.game, seat: table.seat, stage: table.stage, rules: table.rules, match: table.match,
    ended: Boolean(table.end), shown: Boolean(document.querySelector(".result")),
    busy: Boolean(document.querySelector("dialog[open]")), bad: [...document.querySelectorAll(".toast.bad")].map(e => e.textContent),
    aside: local.melds.length, work: Boolean(local.work)};
}"""
Seen = dict[str, Any]


async def look(page: Page) -> Seen | None:
    """What the page shows of the table; None where it shows none."""
    seen: Seen | None = await page.evaluate(_LOOK)
    return seen


class Player:
    """Whoever sits before one page.

    Args:
        hints: whether to press the hint button and do what the page proposes.
        seed: of the choice between moves where there is no hint.
        way: by mouse, by finger or by keys.
    """

    def __init__(
        self, guest: Guest, *, hints: bool = False, seed: int = 1, way: type[Mouse] = Mouse
    ) -> None:
        self.guest, self.page, self.hints = guest, guest.page, hints
        self.done: list[Json] = []
        """What was clicked."""
        self._hand = way(guest.page)
        self._rng = random.Random(seed)

    async def play_hand(self, seconds: float = 600) -> None:
        """Plays until the end of the hand is on the screen."""
        await self.play_until(lambda seen: seen["shown"], seconds)

    async def play_until(self, there: Callable[[Seen], bool], seconds: float = 600) -> Seen:
        """Plays until the page looks like that; makes no move once it does."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            seen = await look(self.page)
            if seen is not None and there(seen):
                return seen
            if seen is not None and is_to_move(seen):
                await self.move(seen)
            else:
                await asyncio.sleep(POLL_S)
        raise AssertionError(f"{self.guest.name} waited too long: {await look(self.page)}")

    async def move(self, seen: Seen) -> None:
        """Makes one move by clicks, and waits until the page shows it."""
        intent = await self._choose(seen)
        await self._tidy(seen)
        self.done.append(intent)
        await carry_out(self._hand, intent)
        await self._wait_for_change(seen, intent)

    async def _choose(self, seen: Seen) -> Json:
        game = seen["game"]
        # A whole table of the duel takes a hundred clicks: one that is proposed is enough.
        enough = game["duel"] and any(intent["do"] == "play" for intent in self.done)
        there = self.hints and not enough and await self.page.locator("[data-act=hint]").count() > 0
        advised = await self._advice() if there else None
        return advised or sensible(game, self._rng)

    async def _advice(self) -> Json | None:
        """Presses the hint button, reads what it says, and closes it again."""
        await self.page.locator("[data-act=hint]").click()
        await self.page.locator("dialog[open]").wait_for()
        advice = await self.guest.read("view.table.advice")
        await self.page.keyboard.press("Escape")
        await self.page.locator("dialog[open]").wait_for(state="detached")
        return advice["intent"] if advice else None

    async def _tidy(self, seen: Seen) -> None:
        """Puts back what an earlier thought has picked or laid aside."""
        back = self.page.locator(".lane.aside .drop-meld")
        for _ in range(seen["aside"]):
            await back.first.click()
        if seen["work"]:
            await self.page.locator("[data-act=reset]").click()
        picked = self.page.locator(".rack .picked")
        while tiles := await picked.evaluate_all("tiles => tiles.map(one => one.dataset.tile)"):
            await self._hand.pick(tiles[0])

    async def _wait_for_change(self, seen: Seen, intent: Json) -> None:
        before, until = fingerprint(seen), time.monotonic() + WAIT_S
        while time.monotonic() < until:
            now = await look(self.page)
            if now is None or fingerprint(now) != before:
                return
            if new := [text for text in now["bad"] if text not in seen["bad"]]:
                raise AssertionError(f"{self.guest.name}: {intent} was refused: {new}")
            answer = self.page.locator("dialog.question [data-answer=yes]")
            if now["busy"] and await answer.count():
                await self._hand.sure()
            await asyncio.sleep(POLL_S)
        raise AssertionError(f"{self.guest.name}: nothing came of {intent}")


def is_to_move(seen: Seen) -> bool:
    """Whether the player is to move and sees all tiles of the rack."""
    game = seen["game"]
    if game is None or seen["ended"] or seen["stage"]["name"] != "play":
        return False
    return bool(game["mine"]) and game["phase"] in ("draw", "play") and None not in game["rack"]


def fingerprint(seen: Seen) -> str:
    """Differs once a move was made."""
    game = {
        name: value for name, value in (seen["game"] or {}).items() if name not in ("hints", "new")
    }
    return json.dumps([seen["ended"], seen["stage"]["name"], game], sort_keys=True)


def sensible(game: Json, rng: random.Random) -> Json:
    """A move that gets on with the hand: finishes if it can, lays what can be laid, keeps what fits."""
    if game["duel"]:
        return thrifty(game) or pick(game, rng)
    if not game["floors"]:
        return towards_a_finish(game) or pick(game, rng)
    return pick(game, rng)


def towards_a_finish(game: Json) -> Json | None:
    """Where nothing is laid before the end: whatever brings the rack closer to it, if that is known."""
    can, okey, wrap = game["can"], parse_face(game["okey"]), ruleset_for(game["rules"]).wrap
    tiles = [parse_tile(tile) for tile in game["rack"]]
    rack = rack_of(tiles, okey)
    if can["finish"] or can["show"]:
        return None
    if can["take"]:
        left = left_of(Seat(game["turn"]), len(game["counts"]))
        more = rack_of([*tiles, parse_tile(game["discards"][left][-1])], okey)
        closer = distance(more, wrap=wrap) < distance(rack, wrap=wrap)
        return {"do": "take" if closer else "draw"}
    if not can["discard"]:
        return None
    useful = analyse(rack, wrap=wrap).useful

    def chances(tile: str) -> int:
        face = identity(parse_tile(tile), okey)
        mask = None if face is None else useful.get(bit_of(face))
        return -1 if mask is None else mask.bit_count()

    return {"do": "discard", "tile": max(can["discard"], key=chances)}


def thrifty(game: Json) -> Json | None:
    """In the duel: new sets of the own rack, or one more tile on a set; else a draw, else nothing.

    The best table of all takes a hundred clicks.
    """
    if not game["duel"]["opened"][game["turn"]]:
        return proposals(game) or ({"do": "draw"} if game["can"]["draw"] else None)
    rack = [parse_tile(tile) for tile in game["rack"]]
    lying = [[one["tile"] for one in meld["tiles"]] for meld in game["melds"]]
    if game["can"]["play"]:
        if (own := best_table([], rack)) is not None and own.melds:
            sets = [[format_tile(tile) for tile in meld.tiles] for meld in own.melds]
            return {"do": "play", "table": [*lying, *sets]}
        for n, meld in enumerate(lying):
            grown = best_table([parse_tile(tile) for tile in meld], rack)
            if grown is not None and grown.used and len(grown.melds) == 1:
                longer = [format_tile(tile) for tile in grown.melds[0].tiles]
                return {"do": "play", "table": [*lying[:n], longer, *lying[n + 1 :]]}
    return {"do": "draw"} if game["can"]["draw"] else None
