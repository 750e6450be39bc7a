"""The duel: the table is taken apart and rebuilt before anything is sent."""

from typing import Any

import pytest

from tests.web.browser.browsing import PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, may, rack, seated
from tests.web.browser.test_mouse import drag, tile
from tests.web.local_engine import LocalEngine
from tests.web.proposals import proposals

pytestmark = pytest.mark.e2e


def _can_play(table: Any) -> bool:
    return is_mine(table) and proposals(table["game"]) is not None


async def _build(visit: Visit, wanted: list[list[str]]) -> None:
    """By clicks: each new set is picked tile by tile."""
    page = visit.page
    lying = await page.evaluate(
        "p2pokey.state.view.table.game.melds.map(m => m.tiles.map(p => p.tile).sort().join())"
    )
    for meld in wanted:
        if ",".join(sorted(meld)) in lying:
            continue
        for one in meld:
            await tile(page, one).click()
        await page.locator("[data-act=meld]").click()


def test_a_first_play_by_clicks_is_sent_as_the_whole_table() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, _can_play)
        wanted = proposals(engine.view()["table"]["game"])
        assert wanted is not None
        await wait_js(page, "p2pokey.state.view.table.game.can.play")
        await _build(visit, wanted["table"])
        await page.locator(".act.primary[data-act=open]:not(.waiting)").click()
        (sent,) = await until(lambda: did(engine, "play"))
        assert sorted(map(sorted, sent["table"])) == sorted(map(sorted, wanted["table"]))

    browse(seated("duel", seed=1), play)


def test_edits_are_undone_reset_split_and_taken_back_to_the_rack() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda table: is_mine(table) and len(table["game"]["melds"]) > 3)
        await wait_js(page, "p2pokey.state.view.table.game.can.play")
        own, sent = rack(engine), len(did(engine, "play"))
        sets = await page.evaluate(
            "p2pokey.state.view.table.game.melds.map(m => m.tiles.map(p => p.tile))"
        )
        middle = sets[0][1]
        await tile(page, middle).click()
        await page.locator(".split").click()
        await wait_js(page, f"p2pokey.state.local.work.sets.length === {len(sets) + 1}")
        await page.locator("[data-act=undo]").click()
        await wait_js(page, "p2pokey.state.local.work === null")
        await drag(page, tile(page, own[0]), page.locator(".melds .meld").first)
        await wait_js(page, f"p2pokey.state.local.work?.sets[0].includes('{own[0]}')")
        await page.locator(".meld.loose, .meld .verdict").first.wait_for()
        await tile(page, own[0]).click()
        await page.locator("[data-act=to-rack]").click()
        await wait_js(page, f"p2pokey.state.local.rows.flat().includes('{own[0]}')")
        await tile(page, own[1]).click()
        await page.locator("[data-act=meld]").click()
        await page.wait_for_timeout(400)
        work = await visit.local("work")
        await page.reload()
        await page.locator(".rack").wait_for()
        assert (await visit.local("work"))["sets"] == work["sets"]
        await visit.shot("duel-work-desktop")
        await page.locator("[data-act=reset]").click()
        await wait_js(page, "p2pokey.state.local.work === null")
        assert sorted(one for row in await visit.local("rows") for one in row if one) == sorted(own)
        await drag(page, tile(page, sets[0][0]), page.locator(".rack .empty").last)
        await page.locator(".toast.bad").wait_for()  # a tile of the table stays on it
        assert len(did(engine, "play")) == sent

    browse(seated("duel", seed=1), play)


def test_a_set_with_less_than_the_floor_is_refused_with_its_figures() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, is_mine)
        await wait_js(page, "p2pokey.state.view.table.game.can.play")
        for one in rack(engine)[:3]:
            await tile(page, one).click()
        await page.locator("[data-act=meld]").click()
        note = page.locator(".melds .note")
        await note.wait_for()
        assert "good" not in (await note.get_attribute("class") or "")
        await page.locator("[data-act=open]").click(force=True)
        await page.locator(".toast.bad").wait_for()
        assert engine.view()["table"]["game"]["melds"] == []

    browse(seated("duel", seed=1), play)


def test_drawing_asks_before_it_drops_the_work() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await wait_js(page, "p2pokey.state.view.table.game.can.play")
        await tile(page, rack(engine)[0]).click()
        await page.locator("[data-act=meld]").click()
        await page.locator(".stack").click()
        await page.locator("dialog.question [data-answer=yes]").click()
        await until(lambda: did(engine, "draw"))

    browse(seated("duel", seed=1), play)


def test_two_at_one_device_never_see_each_other() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await engine.act({"do": "share"})
        await page.locator(".handover").wait_for()
        assert await page.locator(".rack").count() == 0
        await visit.shot("handover-phone")
        await page.locator(".handover .primary").tap()
        await page.locator(".rack okey-tile").first.wait_for()
        mine = rack(engine)
        await page.locator("[data-act=sort-runs]").tap()
        rows = await visit.local("rows")
        await page.locator(".stack.open").tap()
        await page.locator(".handover").wait_for()
        assert await page.locator(".rack").count() == 0
        assert not set(mine) & set(
            await page.evaluate(
                "[...document.querySelectorAll('okey-tile')].map(e => e.getAttribute('t'))"
            )
        )
        await page.locator(".handover .primary").tap()
        await page.locator(".rack okey-tile").first.wait_for()
        assert not set(rack(engine)) & set(mine)
        await page.locator(".stack.open").tap()
        await page.locator(".handover .primary").tap()
        await page.locator(".rack okey-tile").first.wait_for()
        kept = await visit.local("rows")
        for row, before in zip(kept, rows, strict=False):
            assert [one for one in before if one] == [one for one in row if one in before and one]

    browse(seated("duel", people=(0, 1), shared=False), play, size=PHONE, touch=True)
