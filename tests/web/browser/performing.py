"""Does with the page what an intent says, by clicks alone, as a person would."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Page

from tests.web.browser.browsing import Visit, wait_js
from tests.web.local_engine import LocalEngine

Json = dict[str, Any]
SILENT = ("stage", "layout")
"""Intents that the page sends by itself."""


async def perform(visit: Visit, engine: LocalEngine, intent: Json) -> None:
    """Clicks until the engine has got that intent, saying yes where the page asks."""
    page, before = visit.page, _sent(engine)
    await in_step(page, engine.view()["table"]["game"])
    await page.keyboard.press("Escape")
    await page.evaluate("p2pokey.state.local.picked = []")
    await clicks(page, intent)
    for _ in range(300):
        if _sent(engine) > before:
            last = [one for one in engine.intents if one["do"] not in SILENT][-1]
            assert last["do"] == intent["do"], (last, intent)
            return
        answer = page.locator("dialog.question [data-answer=yes]")
        if await answer.count():
            await answer.click()
        await asyncio.sleep(0.02)
    toasts = await page.locator(".toast").all_inner_texts()
    raise AssertionError(f"never sent: {intent}; the page says {toasts}")


async def clicks(page: Page, intent: Json) -> None:
    """The clicks that mean that intent; a question that the page asks is left open."""
    await _DOING[intent["do"]](page, intent)


async def in_step(page: Page, game: Json) -> None:
    """Waits until the page shows this state."""
    wanted = json.dumps([game["stack"], game["phase"], game["turn"], game["counts"]])
    seen = "[g.stack, g.phase, g.turn, g.counts]"
    shown = f"JSON.stringify((g => {seen})(p2pokey.state.view.table.game))"
    await wait_js(page, f"{shown} === {json.dumps(wanted.replace(' ', ''))}")


def _sent(engine: LocalEngine) -> int:
    return sum(one["do"] not in SILENT for one in engine.intents)


async def _pick(page: Page, tiles: list[str]) -> None:
    for tile in tiles:
        await page.locator(f'[data-tile="{tile}"]').click()


def _press(name: str) -> Callable[[Page, Json], Awaitable[None]]:
    async def press(page: Page, intent: Json) -> None:
        await page.locator(name).click()

    return press


async def _discard(page: Page, intent: Json) -> None:
    await _pick(page, [intent["tile"]])
    await page.locator(".source.discard").click()


async def _finish(page: Page, intent: Json) -> None:
    await _pick(page, [intent["tile"]])
    await page.locator("[data-act=finish]").click()


async def _add(page: Page, intent: Json) -> None:
    await _pick(page, intent["tiles"])
    await page.locator(f'[data-drop="meld:{intent["meld"]}:{intent["end"]}"]').click()


async def _retrieve(page: Page, intent: Json) -> None:
    await _pick(page, intent["supply"])
    okey = page.locator(f'[data-drop="meld:{intent["meld"]}"] .fetch')
    await okey.first.click()


async def _lay(page: Page, intent: Json) -> None:
    for meld in intent["melds"]:
        await _pick(page, meld)
        await page.locator("[data-act=meld]").click()
    await page.locator(".act.primary[data-act=open]:not(.waiting)").click()


async def _play(page: Page, intent: Json) -> None:
    for wanted in intent["table"]:
        sets = await page.evaluate(
            "p2pokey.state.local.work?.sets"
            " ?? p2pokey.state.view.table.game.melds.map(m => m.tiles.map(p => p.tile))"
        )
        if sorted(wanted) in map(sorted, sets):
            continue
        await _pick(page, wanted)
        await page.locator("[data-act=meld]").click()
    await page.locator(".act.primary[data-act=open]:not(.waiting)").click()


_DOING: dict[str, Callable[[Page, Json], Awaitable[None]]] = {
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
