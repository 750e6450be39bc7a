"""What somebody needs who sees the page for the first time: help that holds, words before a loss, no cut lines."""

import pytest

from tests.web.browser.browsing import DESKTOP, LANDSCAPE, PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, lobby, never, seated
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_table_is_no_taller_than_the_window(size: tuple[int, int]) -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator(".rack").wait_for()
        await wait_js(visit.page, "document.getElementById('live').childElementCount")
        height = await visit.page.evaluate("document.documentElement.scrollHeight - innerHeight")
        assert height <= 0

    browse(seated("101-rising", seed=3), look, size=size)


def test_statistics_fit_on_a_phone() -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator("nav button:has-text('Statistics')").click()
        card = visit.page.locator(".card:has(.scores)").first
        assert "5 of 12" in await card.inner_text()
        assert await card.evaluate("(node) => node.scrollWidth <= node.clientWidth")

    browse(lobby(), look, size=PHONE)


def test_the_clock_is_seen_on_a_phone_held_sideways() -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await advance(engine, is_mine)
        clock = await visit.page.locator(".turn-text .time").bounding_box()
        line = await visit.page.locator(".turn-text").bounding_box()
        assert clock is not None
        assert line is not None
        assert clock["x"] + clock["width"] <= line["x"] + line["width"]

    browse(seated("101-rising", seed=3, timer_s=30), look, size=LANDSCAPE)


@pytest.mark.parametrize(
    ("rules", "has", "has_not"),
    [
        ("duel", ["New set", "Finish turn"], ["Discard", "discard", "Put together", "Take", "Finish", "Hint"]),
        ("classic", ["Discard", "Double-tap", "Finish"], ["Put together", "open or lay", "Hint"]),
        ("101-rising", ["Discard", "Put together", "open or lay"], ["New set", "Hint"]),
    ],
)  # fmt: skip
def test_the_help_lists_what_the_game_has(rules: str, has: list[str], has_not: list[str]) -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.keyboard.press("?")
        tips = await visit.page.locator(".help ul").inner_text()
        keys = await visit.page.locator(".help dd").all_inner_texts()
        for text in has:
            assert text in keys or text in tips
        for text in has_not:
            assert text not in keys
            assert text not in tips

    browse(seated(rules, seed=1, solo=False), look)


@pytest.mark.parametrize(
    ("solo", "said"), [(True, "You cannot come back to it"), (False, "the lobby keeps the table")]
)
def test_leaving_says_whether_the_game_is_kept(solo: bool, said: str) -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator(".menu").click()
        await page.locator(".menu-list button").last.click()
        assert said in await page.locator("dialog.question").inner_text()
        await page.locator("[data-answer=yes]").click()
        await page.locator(".lobby").wait_for()
        assert await page.locator("#live p").count() == 0, "it tells of a game that is left"

    browse(seated("classic", seed=8, solo=solo), look)


def test_leaving_a_game_alone_between_hands_asks_first() -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await advance(engine, never)
        await visit.page.locator(".result footer button:has-text('Leave')").click()
        question = visit.page.locator("dialog.question")
        assert "You cannot come back to it" in await question.inner_text()
        assert not any(sent.get("play") is False for sent in did(engine, "ready"))
        await question.locator("[data-answer=yes]").click()
        await until(lambda: any(sent.get("play") is False for sent in did(engine, "ready")))

    browse(seated("classic", seed=8), look)


def test_the_moves_tell_the_deal_and_the_end_once() -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator("#tab-log").click()
        panel = visit.page.locator(".in-log")
        assert await panel.inner_text() == "The tiles are dealt."
        await advance(engine, never)
        await visit.page.locator(".result").wait_for()
        assert (await panel.inner_text()).count("finished") <= 1

    browse(seated("classic", seed=8), look)


def test_an_invitation_says_where_the_link_goes() -> None:
    async def look(visit: Visit, engine: LocalEngine) -> None:
        await engine.act({"do": "host", "rules": "classic"})
        said = await visit.page.locator(".invitation").inner_text()
        assert "Friends paste it under “Join friends”." in said

    browse(lobby(), look)
