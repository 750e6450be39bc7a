"""Every action of a turn by mouse, by finger and by keys alone."""

import asyncio
from typing import Any

import pytest

from tests.web.browser.browsing import Visit, browse, until, wait_js
from tests.web.browser.performing import Finger, Keys, Mouse, perform
from tests.web.browser.tables import advance, seated
from tests.web.local_engine import LocalEngine
from tests.web.proposals import proposals

pytestmark = pytest.mark.e2e

Json = dict[str, Any]
TABLES = {
    "show discard take": ("classic", 1),
    "draw": ("classic", 8),
    "open take-back lay": ("101-rising", 2),
    "return": ("51", 1),
    "add": ("51", 2),
    "retrieve": ("101-rising", 4),
    "go-pairs": ("101-challenge", 1),
    "finish": ("51", 12),
    "play": ("duel", 2),
}
"""Actions, and the game and seed of a hand in which they come up in that order."""
MOST_MOVES = 900


def wish(game: Json, name: str) -> Json | None:
    """That action, if the player can do it now."""
    can = game["can"]
    if name in ("open", "lay", "play"):
        found = proposals(game) if game["mine"] else None
        return found if found is not None and found["do"] == name else None
    if name in ("discard", "finish"):
        tiles = [tile for tile in can[name] if tile[:-1] != game["okey"]]
        return {"do": name, "tile": tiles[0]} if tiles else None
    if name == "add" and can["add"]:
        entry = can["add"][0]
        return {"do": name, "meld": entry["meld"], "end": entry["end"], "tiles": [entry["tile"]]}
    if name == "retrieve" and can["retrieve"]:
        return {"do": name, **can["retrieve"][0]}
    return {"do": name} if can[name.replace("-", "_")] else None


@pytest.mark.parametrize("way", [Mouse, Finger, Keys])
@pytest.mark.parametrize("names", TABLES)
def test_an_action(names: str, way: type[Mouse]) -> None:
    rules, seed = TABLES[names]

    async def play(visit: Visit, engine: LocalEngine) -> None:
        for name in names.split():
            table = await advance(engine, lambda seen, name=name: bool(wish(seen["game"], name)))
            wanted = wish(table["game"], name)
            assert wanted is not None
            await perform(visit, engine, wanted, way)

    browse(seated(rules, seed=seed), play, size=way.size, touch=way.touch)


@pytest.mark.parametrize("way", [Mouse, Finger, Keys])
def test_a_pass_once_the_stack_is_empty(way: type[Mouse]) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        for _ in range(MOST_MOVES):
            can = engine.view()["table"]["game"]["can"]
            if can["pass"]:
                break
            if can["draw"]:
                await engine.act({"do": "draw"})
            await asyncio.sleep(0.005)
        await perform(visit, engine, {"do": "pass"}, way)

    browse(seated("duel", seed=1), play, size=way.size, touch=way.touch)


@pytest.mark.parametrize("way", [Mouse, Finger, Keys])
def test_tiles_are_sorted_and_put_back(way: type[Mouse]) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        hand, before = way(visit.page), await visit.local("rows")
        for kind in ("runs", "pairs"):
            await hand.press(f"[data-act=sort-{kind}]")
            await visit.page.locator("[data-act=undo]").wait_for()
            await hand.press("[data-act=undo]")
            await visit.page.locator("[data-act=undo]").wait_for(state="detached")
        assert await visit.local("rows") == before

    browse(seated("101-rising", seed=3), play, size=way.size, touch=way.touch)


@pytest.mark.parametrize("has_sorts", [True, False])
def test_a_press_on_runs_right_after_the_deal_counts(has_sorts: bool) -> None:
    """Before the indicator is turned, and before the engine has found the order."""

    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, usual = visit.page, engine._table

        def dealt() -> Any:
            table: Any = usual()
            table["game"] |= {"phase": "indicator", "indicator": None, "okey": None}
            return table if has_sorts else table | {"sorts": None}

        engine._table = dealt  # type: ignore[method-assign]
        engine.changed()
        await wait_js(page, "p2pokey.state.view.table.game.indicator === null")
        # In one go: the order is kept a moment later only.
        await page.evaluate("document.querySelector('[data-act=sort-runs]').click()")
        engine._table = usual  # type: ignore[method-assign]
        engine.changed()
        await wait_js(page, "p2pokey.state.view.table.game.indicator !== null")
        runs = [tile for group in engine.view()["table"]["sorts"]["runs"] for tile in group]
        rows = "p2pokey.state.local.rows.flat().filter(Boolean).join()"
        await wait_js(page, f"{rows} === '{','.join(runs)}'")

    browse(seated("101-rising", seed=3), play)


@pytest.mark.parametrize("way", [Mouse, Finger, Keys])
def test_the_table_of_the_duel_is_rebuilt(way: type[Mouse]) -> None:
    """Select, new set, plus, split, undo one step, back to the rack, reset."""

    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, hand = visit.page, way(visit.page)

        async def sets() -> int:
            return len((await visit.local("work"))["sets"])

        await advance(engine, lambda seen: len(seen["game"]["melds"]) > 3 and seen["game"]["mine"])
        await page.locator("[data-act=open]").wait_for()
        lying = engine.view()["table"]["game"]["melds"]
        first = [tile["tile"] for tile in lying[0]["tiles"]]
        own = engine.view()["table"]["game"]["rack"][0]
        await hand.pick(own)
        await hand.press("[data-act=meld]")  # new set
        assert await sets() == len(lying) + 1
        await hand.pick(first[0])
        await hand.press(".meld .fit >> nth=-1")  # plus: to the last set
        assert await sets() == len(lying) + 1
        await hand.press("[data-act=undo]")
        await hand.pick(first[1])
        await hand.press(".split")
        assert await sets() == len(lying) + 2
        await hand.pick(own)
        await hand.press("[data-act=to-rack]")
        assert own in [tile for row in await visit.local("rows") for tile in row]
        await hand.press("[data-act=reset]")
        assert await visit.local("work") is None

    browse(seated("duel", seed=1), play, size=way.size, touch=way.touch)


@pytest.mark.parametrize("way", [Mouse, Finger, Keys])
def test_a_refusal_is_a_card_with_rule_number_and_words(way: type[Mouse]) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, hand = visit.page, way(visit.page)
        engine.settings["lang"] = "tr"
        engine.changed()
        await advance(engine, lambda seen: bool(seen["game"]["can"]["open"]))
        for tile in engine.view()["table"]["game"]["rack"][:3]:
            await hand.pick(tile)
        await hand.press("[data-act=meld]")
        await page.locator(".lane.aside.busy .verdict").wait_for()
        await hand.press("[data-act=open]", force=True)
        card = page.locator(".rule-card")
        await card.wait_for()
        said = await card.inner_text()
        assert "Kural" in said
        staged = await until(lambda: engine.view()["table"]["staged"])
        assert staged["refused"]["rule"] in said
        assert not engine.view()["table"]["game"]["melds"]
        await hand.press(".rule-card button")
        await card.wait_for(state="detached")

    browse(seated("101-classic", seed=5), play, size=way.size, touch=way.touch)
