"""Every action by keyboard alone."""

import pytest

from tests.web.browser.browsing import Visit, browse, until, wait_js
from tests.web.browser.performing import focus_on
from tests.web.browser.tables import advance, did, is_mine, may, never, rack, seated
from tests.web.local_engine import LocalEngine
from tests.web.proposals import proposals

pytestmark = pytest.mark.e2e


def test_a_tile_is_picked_up_carried_and_put_down() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        name = (await visit.local("rows"))[0][2]
        await focus_on(page, name)
        await page.keyboard.press("Space")
        for step in (1, 2, 3):
            await page.keyboard.press("ArrowRight")
            await wait_js(page, f"p2pokey.state.local.rows[0].indexOf('{name}') === {2 + step}")
        await page.keyboard.press("ArrowDown")
        await wait_js(page, f"p2pokey.state.local.rows[1].indexOf('{name}') === 5")
        await page.keyboard.press("Space")
        assert await page.evaluate("document.activeElement.dataset.tile") == name
        rows = await visit.local("rows")
        assert sorted(one for row in rows for one in row if one) == sorted(rack(engine))

    browse(seated("101-rising", seed=3), play)


def test_draw_take_and_discard_by_keys() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await page.locator(".stack.open").wait_for()
        await page.keyboard.press("s")
        await until(lambda: did(engine, "draw"))
        chosen = engine.view()["table"]["game"]["can"]["discard"][0]
        await page.locator(f'[data-tile="{chosen}"]').wait_for()
        await focus_on(page, chosen)
        await page.keyboard.press("d")
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)
        await advance(engine, may("take"))
        await page.locator(".take.open").wait_for()
        await page.keyboard.press("t")
        await until(lambda: did(engine, "take"))

    browse(seated("classic", seed=8), play)


def test_an_opening_by_keys() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page

        def opening(table: dict) -> object:
            found = proposals(table["game"]) if is_mine(table) else None
            return found if found and found["do"] == "open" else None

        await advance(engine, lambda table: opening(table) is not None)
        wanted = proposals(engine.view()["table"]["game"])
        assert wanted is not None
        await wait_js(page, "p2pokey.state.view.table.game.can.open")
        for meld in wanted["melds"]:
            for name in meld:
                await focus_on(page, name)
                await page.keyboard.press("Enter")
            await page.keyboard.press("m")
        await until(lambda: (engine.view()["table"]["staged"] or {}).get("ok"))
        await page.locator(".act.primary[data-act=open]:not(.waiting)").wait_for()
        await page.keyboard.press("o")
        await until(lambda: engine.view()["table"]["game"]["opened"][0] != "none")

    browse(seated("51", seed=2), play)


def test_sort_undo_help_and_chat_by_keys() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        before = await visit.local("rows")
        for key in ("r", "p"):
            await page.keyboard.press(key)
            await wait_js(page, "p2pokey.state.local.past.length === 1")
            await page.keyboard.press("u")
            await wait_js(page, "p2pokey.state.local.past.length === 0")
        assert await visit.local("rows") == before
        await page.keyboard.press("?")
        await page.locator("dialog[open]").wait_for()
        await page.keyboard.press("Escape")
        await page.locator("dialog[open]").wait_for(state="detached")
        await page.keyboard.press("c")
        await wait_js(page, "document.activeElement.matches('.say input')")
        await page.keyboard.type("tas var mi? d s t")  # letters of shortcuts are only text here
        await page.keyboard.press("Enter")
        await until(lambda: did(engine, "say"))
        assert not did(engine, "draw")
        await page.locator("#tab-chat").focus()
        await page.keyboard.press("ArrowRight")
        await wait_js(page, "document.activeElement.id === 'tab-log'")

    browse(seated("101-rising", seed=3), play)


def test_the_next_hand_by_keyboard() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, never)
        await wait_js(page, "document.activeElement.id === 'result-title'")
        for _ in range(20):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.matches('.result footer .primary')"):
                break
        await page.keyboard.press("Enter")
        await until(lambda: {"do": "ready", "play": True} in engine.intents)

    browse(seated("classic", seed=8), play)


@pytest.mark.parametrize(("rules", "discards"), [("duel", False), ("classic", True)])
def test_the_keys_of_the_rack_are_those_of_the_game(rules: str, discards: bool) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        said = await visit.page.locator("#rack-keys").text_content()
        assert said is not None
        assert "Arrow keys" in said
        assert ("D discards" in said) == discards

    browse(seated(rules, seed=1), play)


def test_moves_are_said_to_screen_readers() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await wait_js(page, "document.getElementById('live').innerText.includes('discarded')")
        assert "Your turn" in await page.locator("#live").inner_text()
        assert "Your turn" in await page.title()
        label = await page.locator(".rack okey-tile").first.get_attribute("aria-label")
        assert label is not None
        assert label.split()[0] in ("red", "blue", "black", "yellow", "false")

    browse(seated("classic", seed=8), play)
