"""Every action by finger: taps, drags with real touch events, and what a phone must not do."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Locator, Page

from tests.web.browser.browsing import LANDSCAPE, PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, may, never, rack, seated
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e


class Finger:
    """A finger on the screen, by the browser's own input events."""

    def __init__(self, page: Page, session: Any) -> None:
        self.page, self.session = page, session

    @classmethod
    async def of(cls, page: Page) -> "Finger":
        return cls(page, await page.context.new_cdp_session(page))

    async def send(self, kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        await self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    async def drag(self, start: Locator, end: Locator) -> None:
        (x, y), (to_x, to_y) = await middle(start), await middle(end)
        await self.send("touchStart", (x, y))
        for part in (0.2, 0.5, 0.8, 1.0):
            await self.send("touchMove", (x + (to_x - x) * part, y + (to_y - y) * part))
            await asyncio.sleep(0.02)
        await self.send("touchEnd")


async def middle(locator: Locator) -> tuple[float, float]:
    box = await locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tile(page: Page, name: str) -> Locator:
    return page.locator(f'[data-tile="{name}"]')


def test_a_finger_drags_tiles_and_the_page_does_not_scroll() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        finger = await Finger.of(page)
        first, last = (await visit.local("rows"))[0][0], (await visit.local("rows"))[1][0]
        await finger.drag(tile(page, first), tile(page, last))
        rows = await visit.local("rows")
        assert first in rows[1]
        assert sorted(one for row in rows for one in row if one) == sorted(rack(engine))
        assert await page.evaluate("scrollX + scrollY") == 0

    browse(seated("101-rising", seed=3), play, size=PHONE, touch=True)


def test_the_ghost_is_larger_and_above_the_finger() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        finger = await Finger.of(page)
        name = (await visit.local("rows"))[0][4]
        x, y = await middle(tile(page, name))
        box = await tile(page, name).bounding_box()
        await finger.send("touchStart", (x, y))
        await finger.send("touchMove", (x, y - 30))
        await finger.send("touchMove", (x, y - 60))
        await page.locator(".ghost.lifted").wait_for()
        ghost = await page.locator(".ghost okey-tile").bounding_box()
        assert ghost is not None
        assert box is not None
        assert ghost["width"] > 1.15 * box["width"]
        assert ghost["y"] + ghost["height"] / 2 < y - 60 - 25
        await visit.shot("drag-phone")
        await finger.send("touchEnd")

    browse(seated("101-rising", seed=3), play, size=PHONE, touch=True)


def test_draw_tap_and_discard_by_finger() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        finger = await Finger.of(page)
        await advance(engine, may("draw"))
        await page.locator(".stack.open").tap()
        await until(lambda: did(engine, "draw"))
        chosen = engine.view()["table"]["game"]["can"]["discard"][0]
        await finger.drag(tile(page, chosen), page.locator(".discard"))
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)
        await advance(engine, may("draw"))
        await page.locator(".stack.open").tap()
        await until(lambda: may("discard")(engine.view()["table"]))
        chosen = engine.view()["table"]["game"]["can"]["discard"][0]
        await tile(page, chosen).tap()
        await page.locator(".discard.open").tap()
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)

    browse(seated("classic", seed=8), play, size=PHONE, touch=True)


def test_tap_a_tile_then_a_free_place() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        name = (await visit.local("rows"))[0][0]
        await tile(page, name).tap()
        await page.locator(".rack .row:nth-child(2) .empty:not(.tail)").first.tap()
        await wait_js(page, f"p2pokey.state.local.rows[1].includes('{name}')")

    browse(seated("101-rising", seed=3), play, size=LANDSCAPE, touch=True)


def test_chat_by_quick_phrase_and_by_text() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator(".talkbar .quick button").first.tap()
        await until(lambda: did(engine, "phrase"))
        await page.locator(".talkbar > .plain").tap()
        await page.locator(".drawer.open .say input").fill("iyi oyun")
        await page.keyboard.press("Enter")
        await until(lambda: {"do": "say", "text": "iyi oyun"} in engine.intents)
        await page.locator(".line.mine", has_text="iyi oyun").wait_for()
        await visit.shot("chat-phone")
        await page.locator(".drawer > .close").tap()

    browse(seated("101-rising", seed=3, solo=False), play, size=PHONE, touch=True)


def test_the_end_by_finger() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await advance(engine, never)
        await visit.page.locator(".result footer .primary").tap()
        await until(lambda: {"do": "ready", "play": True} in engine.intents)

    browse(seated("classic", seed=8), play, size=PHONE, touch=True)


@pytest.mark.parametrize("size", [PHONE, LANDSCAPE])
def test_tiles_under_the_finger_are_large_enough(size: tuple[int, int]) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator("[data-act=sort-runs]").tap()
        for box in await visit.page.evaluate(
            "[...document.querySelectorAll('.rack okey-tile')].map(e => e.getBoundingClientRect())"
            ".map(r => [r.width, r.height])"
        ):
            assert box[0] >= 24
            assert box[1] >= 24

    browse(seated("101-rising", seed=3), play, size=size, touch=True)


def test_a_pen_drags_like_a_mouse() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        session = await page.context.new_cdp_session(page)
        name = (await visit.local("rows"))[0][0]
        (x, y), (to_x, to_y) = (
            await middle(tile(page, name)),
            await middle(page.locator('[data-drop="slot:1:14"]')),
        )
        await page.evaluate("addEventListener('pointerdown', e => globalThis.by = e.pointerType)")
        steps = [("mousePressed", x, y)]
        steps += [("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part) for part in (0.5, 1)]
        for kind, at_x, at_y in (*steps, ("mouseReleased", to_x, to_y)):
            await session.send(
                "Input.dispatchMouseEvent",
                {
                    "type": kind, "x": at_x, "y": at_y, "button": "left", "buttons": 1,
                    "clickCount": 1, "pointerType": "pen",
                },
            )  # fmt: skip
        await wait_js(page, f"p2pokey.state.local.rows[1][14] === '{name}'")
        assert await page.evaluate("globalThis.by") == "pen"

    browse(seated("101-rising", seed=3), play)
