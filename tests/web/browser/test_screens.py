"""Every screen at every size, in both languages: axe, targets, no sideways scroll; pictures are left."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page

from tests.web.browser.browsing import SIZES, Visit, browse, wait_js
from tests.web.browser.inspecting import inspect, measure
from tests.web.browser.tables import advance, is_mine, lobby, never, rack, seated
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e

INSPECTED = {("desktop", "felt"), ("phone", "felt"), ("phone", "contrast"), ("desktop", "night")}
Step = Callable[[Visit, LocalEngine], Awaitable[None]]


def _is_busy(table: Any) -> bool:
    game = table["game"]
    return is_mine(table) and len(game["melds"]) > 5 and game["can"]["draw"]


async def _nothing(visit: Visit, engine: LocalEngine) -> None:
    pass


def _tab(name: str) -> Step:
    async def go(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator(f"nav button:has-text('{name}')").click()
        await visit.page.locator("#page-title").wait_for()

    return go


def _choice(name: str) -> Step:
    async def go(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator(f"[data-choice={name}]").click()
        await visit.page.locator(".page-title").wait_for()

    return go


async def _gather(visit: Visit, engine: LocalEngine) -> None:
    await engine.act({"do": "host", "rules": "101-rising"})
    await visit.page.locator(".gathering .qr").wait_for()


async def _busy(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, _is_busy)
    await visit.page.locator(".meld").first.wait_for()
    await visit.page.locator("[data-act=sort-runs]").click()


async def _staged(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, is_mine)
    for tile in rack(engine)[:3]:
        await visit.page.locator(f'[data-tile="{tile}"]').click()
    await visit.page.locator("[data-act=meld]").click()
    await visit.page.locator(".lane.aside.busy .verdict").wait_for()


async def _ended(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, never)
    await visit.page.locator(".result").wait_for()


async def _proof(visit: Visit, engine: LocalEngine) -> None:
    await visit.page.locator("button.trust").click()
    await visit.page.locator(".proof").wait_for()


async def _failed(visit: Visit, engine: LocalEngine) -> None:
    assert engine.table is not None
    engine.table.failed = engine.table.people[0].__class__(2)
    engine.changed()
    await visit.page.locator(".banner.failed").wait_for()
    assert "Tilki" in await visit.page.locator(".banner.failed").inner_text()


async def _shuffling(visit: Visit, engine: LocalEngine) -> None:
    assert engine.table is not None
    engine.table.stage = {"name": "shuffle", "seat": 1, "done": 1, "total": 4}
    engine.changed()
    await visit.page.locator(".progress").wait_for()


async def _menu(visit: Visit, engine: LocalEngine) -> None:
    await visit.page.locator(".bar > .plain").last.click()
    await visit.page.locator("dialog[open]").wait_for()


async def _settings(visit: Visit, engine: LocalEngine) -> None:
    await _menu(visit, engine)
    await visit.page.locator(".menu-list button").first.click()
    await visit.page.locator(".settings").wait_for()


async def _help(visit: Visit, engine: LocalEngine) -> None:
    await visit.page.keyboard.press("?")
    await visit.page.locator("dialog[open] .help").wait_for()


async def _words(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, _is_busy)
    await visit.page.keyboard.press("w")
    await visit.page.locator("dialog[open] .words-view").wait_for()


async def _refused(visit: Visit, engine: LocalEngine) -> None:
    await _staged(visit, engine)
    await visit.page.locator("[data-act=open]").click(force=True)
    await visit.page.locator(".rule-card").wait_for()


async def _question(visit: Visit, engine: LocalEngine) -> None:
    await _menu(visit, engine)
    await visit.page.locator(".menu-list button").last.click()
    await visit.page.locator("dialog.question").wait_for()


async def _hint(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, _is_busy)
    await visit.page.locator("[data-act=hint]").click()
    await visit.page.locator("dialog[open]").wait_for()


async def _away(visit: Visit, engine: LocalEngine) -> None:
    assert engine.table is not None
    engine.table.links[1], engine.table.paused = "away", engine.table.people[0].__class__(1)
    engine.changed()
    await visit.page.locator(".banner.warn").wait_for()
    await visit.page.locator(".seat.right").click()
    await visit.page.locator("dialog[open]").wait_for()


SCREENS: dict[str, tuple[Callable[[], LocalEngine], Step]] = {
    "lobby": (lobby(), _nothing),
    "host": (lobby(), _choice("host")),
    "solo": (lobby(), _choice("solo")),
    "public": (lobby(), _choice("public")),
    "archive": (lobby(), _tab("Saved")),
    "stats": (lobby(), _tab("Statistics")),
    "lobby-settings": (lobby(), _tab("Settings")),
    "gathering": (lobby(), _gather),
    "table": (seated("101-rising", seed=3, timer_s=30), _busy),
    "table-classic": (seated("classic", seed=8), _nothing),
    "table-duel": (seated("duel", seed=1), _busy),
    "table-partners": (seated("51-feeding", seed=6, assisted=True), _staged),
    "result": (seated("101-rising", seed=1), _ended),
    "result-classic": (seated("classic", seed=8), _ended),
    "proof": (seated("101-rising", seed=3), _proof),
    "proof-failed": (seated("101-rising", seed=3), _failed),
    "shuffling": (seated("101-rising", seed=3), _shuffling),
    "menu": (seated("101-rising", seed=3), _menu),
    "settings": (seated("101-rising", seed=3), _settings),
    "help": (seated("101-rising", seed=3), _help),
    "words": (seated("101-rising", seed=3), _words),
    "refused": (seated("101-classic", seed=5), _refused),
    "question": (seated("classic", seed=8), _question),
    "share": (lobby(), _choice("share")),
    "hint": (seated("101-rising", seed=3), _hint),
    "away": (seated("101-rising", seed=3, solo=False), _away),
    "handover": (seated("duel", people=(0, 1), shared=True), _nothing),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_sound_at_every_size(name: str) -> None:
    make, reach = SCREENS[name]

    async def look(visit: Visit, engine: LocalEngine) -> None:
        await reach(visit, engine)
        for size in SIZES:
            await visit.page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            for theme in ("felt", "contrast", "night"):
                if theme != "felt" and (size, theme) not in INSPECTED:
                    continue
                await _wear(visit.page, engine, theme)
                await measure(visit.page, f"{name} {size}")
                await visit.shot(f"{name}-{size}" + ("" if theme == "felt" else f"-{theme}"))
                if (size, theme) in INSPECTED:
                    await inspect(visit.page, f"{name} {size} {theme}")

    browse(make, look)


async def _wear(page: Page, engine: LocalEngine, theme: str) -> None:
    engine.settings["theme"] = theme
    engine.changed()
    await wait_js(page, f"document.documentElement.dataset.theme === '{theme}'")
    await page.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


@pytest.mark.parametrize("name", ["lobby", "host", "table", "result", "proof", "gathering"])
def test_a_screen_fits_in_turkish(name: str) -> None:
    make, reach = SCREENS[name]

    async def look(visit: Visit, engine: LocalEngine) -> None:
        await reach(visit, engine)
        engine.settings["lang"] = "tr"
        engine.changed()
        await wait_js(visit.page, "document.documentElement.lang === 'tr'")
        for size in ("desktop", "phone", "tiny"):
            await visit.page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            await visit.page.wait_for_timeout(60)
            await measure(visit.page, f"{name} {size} tr")
            await visit.shot(f"{name}-{size}-tr")

    browse(make, look)
