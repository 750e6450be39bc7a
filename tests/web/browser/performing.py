"""Does with the page what an intent says: by mouse, by finger or by keys alone, as a person would."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Page

from tests.web.browser.browsing import DESKTOP, PHONE, Visit, wait_js
from tests.web.local_engine import LocalEngine

Json = dict[str, Any]
SILENT = ("stage", "layout")
"""Intents that the page sends by itself."""


class Mouse:
    """Clicks. The other two ways differ in these methods only."""

    size = DESKTOP
    touch = False

    def __init__(self, page: Page) -> None:
        self.page = page

    async def press(self, selector: str, *, force: bool = False) -> None:
        """`force`: also what is greyed, to be told why."""
        await self.page.locator(selector).first.click(force=force)

    async def pick(self, tile: str) -> None:
        await self.press(f'[data-tile="{tile}"]')

    async def sure(self) -> None:
        await self.press("dialog.question [data-answer=yes]")


class Finger(Mouse):
    """Taps, on a phone."""

    size = PHONE
    touch = True

    async def press(self, selector: str, *, force: bool = False) -> None:
        await self.page.locator(selector).first.tap(force=force)


class Keys(Mouse):
    """Keys only: buttons by Enter where the focus is, tiles of the rack by arrows and Enter."""

    async def press(self, selector: str, *, force: bool = False) -> None:
        await self.page.locator(selector).first.focus()
        await self.page.keyboard.press("Enter")

    async def pick(self, tile: str) -> None:
        on_rack = f"p2pokey.state.local.rows.flat().includes('{tile}')"
        if await self.page.evaluate(on_rack):
            await focus_on(self.page, tile)
            await self.page.keyboard.press("Enter")
        else:
            await self.press(f'[data-tile="{tile}"]')


async def focus_on(page: Page, tile: str) -> None:
    """By arrows only, from wherever the rack has its stop."""
    await page.locator(".rack [tabindex='0']").first.focus()
    place, wanted = await page.evaluate(
        "tile => [Number(document.activeElement.dataset.place),"
        " p2pokey.state.local.rows.flat().indexOf(tile)]",
        tile,
    )
    (row, column), (to_row, to_column) = divmod(place, 15), divmod(wanted, 15)
    for key, steps in (
        ("ArrowDown", to_row - row),
        ("ArrowUp", row - to_row),
        ("ArrowRight", to_column - column),
        ("ArrowLeft", column - to_column),
    ):
        for _ in range(steps):
            await page.keyboard.press(key)
    await wait_js(page, f"Number(document.activeElement.dataset.place) === {wanted}")


async def perform(
    visit: Visit, engine: LocalEngine, intent: Json, way: type[Mouse] = Mouse
) -> None:
    """Presses until the engine has got that intent, saying yes where the page asks."""
    page, before, hand = visit.page, _sent(engine), way(visit.page)
    await in_step(page, engine.view()["table"]["game"])
    await page.keyboard.press("Escape")
    await page.evaluate("p2pokey.state.local.picked = []")
    await carry_out(hand, intent)
    for _ in range(300):
        if _sent(engine) > before:
            last = [one for one in engine.intents if one["do"] not in SILENT][-1]
            assert last["do"] == intent["do"], (last, intent)
            return
        answer = page.locator("dialog.question [data-answer=yes]")
        if await answer.count():
            await hand.sure()
        await asyncio.sleep(0.02)
    toasts = await page.locator(".toast").all_inner_texts()
    raise AssertionError(f"never sent: {intent}; the page says {toasts}")


async def carry_out(hand: Mouse, intent: Json) -> None:
    """Presses what means that intent; a question that the page asks is left open."""
    await _DOING[intent["do"]](hand, intent)


async def in_step(page: Page, game: Json) -> None:
    """Waits until the page shows this state."""
    wanted = json.dumps([game["stack"], game["phase"], game["turn"], game["counts"]])
    seen = "[g.stack, g.phase, g.turn, g.counts]"
    shown = f"JSON.stringify((g => {seen})(p2pokey.state.view.table.game))"
    await wait_js(page, f"{shown} === {json.dumps(wanted.replace(' ', ''))}")


def _sent(engine: LocalEngine) -> int:
    return sum(one["do"] not in SILENT for one in engine.intents)


def _press(name: str) -> Callable[[Mouse, Json], Awaitable[None]]:
    async def press(hand: Mouse, intent: Json) -> None:
        await hand.press(name)

    return press


async def _discard(hand: Mouse, intent: Json) -> None:
    await hand.pick(intent["tile"])
    await hand.press(".source.discard")


async def _finish(hand: Mouse, intent: Json) -> None:
    await hand.pick(intent["tile"])
    await hand.press("[data-act=finish]")


async def _add(hand: Mouse, intent: Json) -> None:
    for tile in intent["tiles"]:
        await hand.pick(tile)
    await hand.press(f'[data-drop="meld:{intent["meld"]}:{intent["end"]}"]')


async def _retrieve(hand: Mouse, intent: Json) -> None:
    for tile in intent["supply"]:
        await hand.pick(tile)
    await hand.press(f'[data-drop="meld:{intent["meld"]}"] .fetch')


async def _build(hand: Mouse, tiles: list[str]) -> None:
    for tile in tiles:
        await hand.pick(tile)
    await hand.press("[data-act=meld]")


async def _lay(hand: Mouse, intent: Json) -> None:
    for meld in intent["melds"]:
        await _build(hand, meld)
    await hand.press(".act.primary[data-act=open]:not(.waiting)")


async def _play(hand: Mouse, intent: Json) -> None:
    for wanted in intent["table"]:
        sets = await hand.page.evaluate(
            "p2pokey.state.local.work?.sets"
            " ?? p2pokey.state.view.table.game.melds.map(m => m.tiles.map(p => p.tile))"
        )
        if sorted(wanted) in map(sorted, sets):
            continue
        grown = next((n for n, one in enumerate(sets) if set(one) < set(wanted)), None)
        more = [tile for tile in wanted if not any(tile in one for one in sets)]
        if grown is not None and len(sets[grown]) + len(more) == len(wanted):
            for tile in more:
                await hand.pick(tile)
            await hand.press(f'.fit[data-drop="aside:{grown}"]')
        else:
            await _build(hand, wanted)
    await hand.press(".act.primary[data-act=open]:not(.waiting)")


_DOING: dict[str, Callable[[Mouse, Json], Awaitable[None]]] = {
    "draw": _press(".stack.open"),
    "take": _press(".take.open"),
    "pass": _press("[data-act=pass]"),
    "return": _press("[data-act=return]"),
    "take-back": _press("[data-act=take-back]"),
    "go-pairs": _press("[data-act=go-pairs]"),
    "show": _press("[data-act=show]"),
    "discard": _discard,
    "finish": _finish,
    "add": _add,
    "retrieve": _retrieve,
    "open": _lay,
    "lay": _lay,
    "play": _play,
}
