"""Every action by mouse."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Locator, Page

from p2pokey.web.engine import IntentRefused
from tests.web.browser.browsing import Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, may, never, rack, seated
from tests.web.local_engine import LocalEngine
from tests.web.proposals import proposals

pytestmark = pytest.mark.e2e


async def drag(page: Page, start: Locator, end: Locator, dx: float = 0, dy: float = 0) -> None:
    """By real mouse moves, from middle to middle."""
    a, b = await start.bounding_box(), await end.bounding_box()
    assert a is not None
    assert b is not None
    await page.mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    await page.mouse.down()
    for part in (0.3, 0.7, 1.0):
        x = a["x"] + (b["x"] + b["width"] / 2 + dx - a["x"]) * part
        y = a["y"] + (b["y"] + b["height"] / 2 + dy - a["y"]) * part
        await page.mouse.move(x, y)
    await page.mouse.up()


def tile(page: Page, name: str) -> Locator:
    return page.locator(f'[data-tile="{name}"]')


def place(page: Page, row: int, column: int) -> Locator:
    return page.locator(f'[data-drop="slot:{row}:{column}"]')


async def places(visit: Visit) -> list[str]:
    return [one for row in await visit.local("rows") for one in row if one is not None]


def test_tiles_are_dragged_within_the_rack_and_never_lost() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, held = visit.page, rack(engine)
        first = (await visit.local("rows"))[0][0]
        await drag(page, tile(page, first), place(page, 1, 14))
        assert (await visit.local("rows"))[1][14] == first
        second = (await visit.local("rows"))[0][1]
        await drag(page, tile(page, second), place(page, 0, 4))  # between others: they move aside
        assert sorted(await places(visit)) == sorted(held)
        await drag(page, tile(page, second), page.locator(".bar"))  # nowhere: it returns
        assert sorted(await places(visit)) == sorted(held)
        assert await page.locator(".rack okey-tile").count() == len(held)
        await page.locator("[data-act=undo]").click()
        await page.locator("[data-act=undo]").click()
        await until(lambda: did(engine, "layout"))
        assert (await visit.local("rows"))[0][0] == first

    browse(seated("101-rising", seed=3), play)


def test_draw_and_discard_by_click_and_by_drag() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await page.locator(".stack.open").click()
        await until(lambda: did(engine, "draw"))
        chosen = engine.view()["table"]["game"]["can"]["discard"][0]
        await tile(page, chosen).click()
        await page.locator(".discard").click()
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)
        await advance(engine, may("draw"))
        await page.locator(".stack.open").wait_for()
        free = page.locator(".rack .row:nth-child(2) .empty:not(.tail)").last
        await drag(page, page.locator(".stack.open"), free)
        await until(lambda: may("discard")(engine.view()["table"]))
        chosen = engine.view()["table"]["game"]["can"]["discard"][0]
        await drag(page, tile(page, chosen), page.locator(".discard"))
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)

    browse(seated("classic", seed=8), play)


def test_the_drawn_tile_lands_where_the_stack_was_dragged() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await page.locator(".stack.open").wait_for()
        before = set(rack(engine))
        await drag(page, page.locator(".stack"), place(page, 1, 13))
        await until(lambda: did(engine, "draw"))
        (new,) = set(rack(engine)) - before
        await page.locator(f'[data-tile="{new}"]').wait_for()
        assert (await visit.local("rows"))[1][13] == new

    browse(seated("classic", seed=8), play)


def test_a_double_click_discards_and_an_okey_asks_first() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: bool(table["game"]["can"]["discard"]))
        game = engine.view()["table"]["game"]
        chosen = next(one for one in game["can"]["discard"] if one[:-1] != game["okey"])
        await tile(page, chosen).dblclick()
        await until(lambda: {"do": "discard", "tile": chosen} in engine.intents)

    browse(seated("classic", seed=8), play)


@pytest.mark.parametrize("accepted", [True, False], ids=["accepted", "refused"])
def test_a_discard_lies_on_the_pile_before_the_program_has_answered(accepted: bool) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: bool(table["game"]["can"]["discard"]))
        game = engine.view()["table"]["game"]
        chosen = next(one for one in game["can"]["discard"] if one[:-1] != game["okey"])
        answer, act = asyncio.Event(), engine.act

        async def held(intent: Any) -> Any:
            if intent["do"] != "discard":
                return await act(intent)
            await answer.wait()
            if not accepted:
                raise IntentRefused("not-your-turn")
            return await act(intent)

        engine.act = held  # type: ignore[method-assign]
        await tile(page, chosen).dblclick()
        on_pile = page.locator(f'.discard okey-tile.top[t="{chosen}"]')
        await on_pile.wait_for()
        engine.changed()  # a view that does not know of it yet
        assert await tile(page, chosen).count() == 0
        assert await on_pile.count() == 1
        answer.set()
        if accepted:
            await until(lambda: chosen not in rack(engine))
            assert await tile(page, chosen).count() == 0
        else:
            await tile(page, chosen).wait_for()
            assert await on_pile.count() == 0

    browse(seated("classic", seed=8), play)


def test_take_and_return_the_left_discard() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("take"))
        await page.locator(".take.open").click()
        await until(lambda: did(engine, "take"))
        if engine.view()["table"]["game"]["can"]["return"]:
            await page.locator("[data-act=return]").click()
            await until(lambda: did(engine, "return"))

    browse(seated("101-rising", seed=3), play)


def test_an_opening_is_staged_with_a_live_total_and_sent() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: _opening(table) is not None)
        wanted = _opening(engine.view()["table"])
        assert wanted is not None
        for meld in wanted["melds"]:
            for one in meld:
                await tile(page, one).click()
            await page.locator("[data-act=meld]").click()
        await until(lambda: (engine.view()["table"]["staged"] or {}).get("ok"))
        await page.locator(".act.primary[data-act=open]:not(.waiting)").wait_for()
        assert not set(await places(visit)) & {one for meld in wanted["melds"] for one in meld}
        staged = engine.view()["table"]["staged"]
        label = await page.locator("[data-act=open]").inner_text()
        assert str(staged["total"] or staged["pairs"]) in label
        await visit.shot("staged-desktop")
        await page.locator("[data-act=open]").click()
        await until(lambda: did(engine, "open"))
        await until(lambda: engine.view()["table"]["game"]["opened"][0] != "none")
        await page.locator(".lane.aside.busy").wait_for(state="detached")

    browse(seated("51", seed=2), play)


def _opening(table: Any) -> Any:
    game = table["game"]
    found = proposals(game) if game["mine"] and game["can"]["open"] else None
    return found if found is not None and found["do"] == "open" else None


def test_an_opening_below_the_floor_is_held_back_with_its_figures() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("open"))
        await wait_js(page, "p2pokey.state.view.table.game.can.open")
        first = [one for one in (await visit.local("rows"))[0] if one][:2]
        for one in first:
            await tile(page, one).click()
        await page.locator("[data-act=meld]").click()
        await page.locator(".lane.aside.busy").wait_for()
        await page.locator("[data-act=open]").click(force=True)
        await page.locator(".toast.bad").wait_for()
        assert engine.view()["table"]["game"]["opened"][0] == "none"
        await page.locator(".drop-meld").click()
        assert set(first) <= set(await places(visit))

    browse(seated("101-classic", seed=5), play)


def test_tiles_are_added_to_melds_and_okeys_fetched() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: bool(table["game"]["can"]["add"]))
        entry = engine.view()["table"]["game"]["can"]["add"][0]
        await wait_js(page, "p2pokey.state.view.table.game.can.add.length > 0")
        await tile(page, entry["tile"]).click()
        await page.locator(f'[data-drop="meld:{entry["meld"]}:{entry["end"]}"]').click()
        await until(lambda: did(engine, "add"))

    browse(seated("51-feeding", seed=6), play)


def test_a_tile_is_dragged_onto_a_meld() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: bool(table["game"]["can"]["add"]))
        game = engine.view()["table"]["game"]
        entry, left = game["can"]["add"][0], game["stack"]
        newest = f"(game => game.stack === {left} && game.can.add.length > 0)"
        await wait_js(page, f"{newest}(p2pokey.state.view.table.game)")
        target = page.locator(f'[data-drop="meld:{entry["meld"]}"]')
        await target.scroll_into_view_if_needed()
        await drag(page, tile(page, entry["tile"]), target)
        await until(lambda: did(engine, "add"))

    browse(seated("51-feeding", seed=6), play)


def test_a_take_back_names_its_price_first() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("take_back"))
        await page.locator("[data-act=take-back]").click()
        dialog = page.locator("dialog.question")
        await dialog.wait_for()
        price = engine.view()["table"]["game"]["can"]["take_back"]["charge"]
        assert str(price) in await dialog.inner_text()
        assert not did(engine, "take-back")
        await dialog.locator("[data-answer=yes]").click()
        await until(lambda: did(engine, "take-back"))

    browse(seated("101-rising", seed=3), play)


def test_sorting_is_one_click_and_undone_by_one() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        before = await visit.local("rows")
        for kind in ("runs", "pairs"):
            await page.locator(f"[data-act=sort-{kind}]").click()
            await wait_js(page, "p2pokey.state.local.past.length === 1")
            assert sorted(await places(visit)) == sorted(rack(engine))
            await page.locator("[data-act=undo]").click()
            assert await visit.local("rows") == before

    browse(seated("101-rising", seed=3), play)


def test_the_end_shows_racks_and_lines_and_leads_to_the_next_hand() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, never)
        await page.locator(".result").wait_for()
        assert await page.locator(".seat-result").count() == 4
        assert await page.locator(".lines li").count() >= 4
        end = engine.view()["table"]["end"]
        for seat in range(4):
            assert sum(line["points"] for line in end["lines"][seat]) == end["points"][seat]
        await page.locator(".result footer .primary").click()
        await until(lambda: {"do": "ready", "play": True} in engine.intents)
        await page.locator(".result").wait_for(state="detached")

    browse(seated("101-rising", seed=1), play)


def test_a_whole_hand_of_classic_is_played_by_clicks() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        for _ in range(250):
            table = engine.view()["table"]
            if table["end"] is not None:
                break
            if not is_mine(table):
                await asyncio.sleep(0.01)
                continue
            can = table["game"]["can"]
            seen = f"p2pokey.state.view.table.game.can.draw === {str(can['draw']).lower()}"
            await wait_js(page, seen)
            sent = len(engine.intents)
            if can["finish"]:
                await page.locator("[data-act=finish]").click()
            elif can["draw"]:
                await page.locator(".stack").click()
            else:
                game = table["game"]
                free = [one for one in can["discard"] if one[:-1] != game["okey"]]
                await page.keyboard.press("Escape")
                await tile(page, free[-1]).dblclick()
            await until(lambda sent=sent: len(engine.intents) > sent)
        assert engine.view()["table"]["end"] is not None
        await page.locator(".result").wait_for()

    browse(seated("classic", seed=8), play)
