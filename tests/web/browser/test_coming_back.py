"""What is still there when the page is loaded anew, and what is said of friends who are not."""

from typing import Any

import pytest

from p2pokey.tiles import Seat
from tests.web.browser.browsing import PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, lobby, may, never, seated
from tests.web.browser.test_mouse import tile
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e


def test_an_untouched_rack_keeps_its_order() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await engine.act({"do": "draw"})
        await wait_js(page, "p2pokey.state.view.table.game.phase === 'play'")
        rows = await visit.local("rows")
        await until(lambda: [one for one in did(engine, "layout") if one["rows"] == rows])
        other = await visit.another()  # it has kept nothing itself
        await other.locator(".rack").wait_for()
        assert await other.evaluate("p2pokey.state.local.rows") == rows

    browse(seated("classic", seed=8), play)


def test_moves_and_undo_survive_a_reload() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await engine.act({"do": "draw"})
        await wait_js(page, "p2pokey.state.local.log.length")
        log, rows = await visit.local("log"), await visit.local("rows")
        await page.locator("[data-act=sort-runs]").click()
        await page.locator("[data-act=undo]").wait_for()
        await page.wait_for_timeout(400)
        await page.reload()
        await page.locator("[data-act=undo]").click()
        assert await visit.local("rows") == rows
        assert await visit.local("log") == log

    browse(seated("classic", seed=8), play)


def test_the_first_words_are_in_the_players_language() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await advance(engine, is_mine)
        await visit.page.reload()
        await wait_js(visit.page, "document.getElementById('live').innerText")
        assert "Sıra sende" in await visit.page.locator("#live").inner_text()

    browse(seated("classic", seed=8, lang="tr"), play)


def test_a_duel_says_what_becomes_of_a_friend_who_has_gone() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, table = visit.page, engine.table
        assert table is not None
        table.people = (Seat(0), Seat(1))
        table.links[1] = "left"
        told = engine._person

        def gone(at: Any, seat: int) -> dict[str, Any]:
            then = {"what": "waits", "in_s": 25} if seat == 1 else None
            return {**told(at, seat), "absent": False, "then": then}

        engine._person = gone  # type: ignore[method-assign]
        engine.changed()
        banner = page.locator(".banner", has_text="has left the table and can come back")
        await banner.wait_for()
        assert "the hand waits, and can be given up" in await banner.inner_text()
        await page.locator(".menu").click()
        await page.get_by_role("button", name="Leave the table").click()
        asked = await page.locator("dialog.question").inner_text()
        assert "You can come back" in asked

    browse(seated("duel", seed=1, solo=False, timer_s=60), play)


def test_a_duel_is_hosted_without_help() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("[data-choice=host]").click()
        await page.locator(".switch", has_text="Assisted").click()
        await page.locator(".game", has_text="Duel").click()
        assert await page.locator(".switch", has_text="Assisted").count() == 0
        await page.locator(".submit button").click()
        (sent,) = await until(lambda: did(engine, "host"))
        assert sent["assisted"] is False

    browse(lobby(), play)


def test_the_way_back_to_the_result_covers_nothing_on_a_phone() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, never)
        await page.get_by_role("button", name="See the table").click()
        back = await page.get_by_role("button", name="Show the result").bounding_box()
        felt = await page.locator(".felt").bounding_box()
        assert back is not None
        assert felt is not None
        assert back["y"] >= felt["y"] + felt["height"]
        detail = page.locator(".trust small")
        assert await detail.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        await page.get_by_role("button", name="Show the result").click()
        await page.locator(".result").wait_for()

    browse(seated("101-rising", seed=1, solo=False), play, size=PHONE)


def test_a_hint_says_why_and_the_help_how_a_turn_goes() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("discard"))
        picked = engine.view()["table"]["game"]["rack"][0]
        await tile(page, picked).click()
        await page.locator("[data-act=hint]").click()
        said = await page.locator("dialog").inner_text()
        assert "Of least use to you" in said or "ends the hand" in said
        await page.keyboard.press("Escape")
        await wait_js(page, "!document.querySelector('dialog[open]')")
        await page.keyboard.press("?")
        assert "Draw a tile or take" in await page.locator("dialog .help").inner_text()

    browse(seated("classic", seed=8), play)
