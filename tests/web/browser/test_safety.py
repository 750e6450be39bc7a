"""What the page must never do: ask outside, show markup from others, lose what the player has put in order."""

import asyncio
from typing import Any

import pytest

from p2pokey.tiles import Seat, format_tile
from tests.web.browser.browsing import Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, may, rack, seated
from tests.web.browser.test_mouse import drag, place, tile
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e

EVIL = '<img src=x onerror="document.title=1">\u202eevil\u2066<script>document.title=2</script>'


def test_nothing_is_asked_for_outside_and_the_token_leaves_the_address() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, is_mine)
        origin = visit.server.address.split("/#")[0]
        assert visit.requests
        assert all(url.startswith((origin, origin.replace("http", "ws"))) for url in visit.requests)
        token = visit.server.gate.token
        assert token not in page.url
        assert not any(token in url for url in visit.requests)
        await page.reload()
        await page.locator(".rack").wait_for()

    browse(seated("101-rising", seed=3), play)


def test_without_the_token_there_is_an_explanation_and_nothing_else() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = await (await visit.browser.new_context()).new_page()
        await page.goto(visit.server.address.split("#")[0] + "#t=" + "0" * 64)
        await page.locator(".message h1").wait_for()
        await wait_js(page, "document.querySelector('.message').innerText.includes('printed')")
        assert await page.locator(".rack").count() == 0

    browse(seated("classic", seed=3), play)


@pytest.mark.parametrize("length", [1, 10_000])
def test_names_and_chat_are_text_and_fit(length: int) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, table = visit.page, engine.table
        assert table is not None
        name = (EVIL + "W" * length)[: max(length, len(EVIL))]
        table.names[1] = table.names[2] = name
        table.chat = [{"n": 1, "seat": 1, "text": name, "phrase": None, "at": "12:31"}]
        engine.changed()
        await page.locator(".line").first.wait_for()
        assert await page.locator("img, script:not([src])").count() == 0
        assert await page.title() not in ("1", "2")
        text = await page.locator(".line").first.inner_text()
        assert "<img" in text
        assert not set(text) & set("\u202e\u2066")
        for width, height in ((1280, 800), (390, 844), (320, 640), (844, 390)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.wait_for_timeout(50)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await page.evaluate("p2pokey.act({do: 'settings', theme: 'night'})")
        await advance(engine, lambda seen: seen["end"] is not None)
        await page.locator(".result").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 844

    browse(seated("101-rising", seed=1, solo=False), play)


def test_a_drag_survives_what_happens_meanwhile() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await page.locator(".stack.open").wait_for()
        name = (await visit.local("rows"))[0][3]
        box = await tile(page, name).bounding_box()
        assert box is not None
        await page.evaluate(
            f"globalThis.dragged = document.querySelector('[data-tile=\"{name}\"]')"
        )
        await page.mouse.move(box["x"] + 10, box["y"] + 10)
        await page.mouse.down()
        await page.mouse.move(box["x"] + 40, box["y"] - 40)
        await page.mouse.move(box["x"] + 60, box["y"] - 60)
        await engine.act({"do": "draw"})  # a tile comes, the view is another one
        table = engine.table
        assert table is not None
        table.say(table.people[0], text="bu arada")
        await page.locator(".line", has_text="bu arada").wait_for()
        assert await page.evaluate("globalThis.dragged.isConnected")
        assert await page.locator(".ghost").count() == 1
        target = await place(page, 1, 14).bounding_box()
        assert target is not None
        await page.mouse.move(target["x"] + 20, target["y"] + 20)
        await page.mouse.up()
        await wait_js(page, f"p2pokey.state.local.rows[1][14] === '{name}'")
        assert await page.locator(".ghost").count() == 0
        assert sorted(one for row in await visit.local("rows") for one in row if one) == sorted(
            rack(engine)
        )

    browse(seated("classic", seed=8, solo=False), play)


def test_the_order_of_the_rack_survives_draws_reload_and_reconnection() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        name = (await visit.local("rows"))[0][0]
        await drag(page, tile(page, name), place(page, 1, 14))
        before = await visit.local("rows")
        await until(lambda: engine.view()["table"]["layout"] == before)
        await page.reload()
        await page.locator(".rack").wait_for()
        assert await visit.local("rows") == before
        await page.evaluate("sessionStorage.removeItem('p2pokey-hand')")
        await page.reload()  # another tab, or another launch: the engine has kept it
        await page.locator(".rack").wait_for()
        assert await visit.local("rows") == before
        await advance(engine, may("draw"))
        await engine.act({"do": "draw"})
        await wait_js(page, "p2pokey.state.view.table.game.phase !== 'draw'")
        after = await visit.local("rows")
        for row in range(2):
            for column in range(15):
                if before[row][column] in rack(engine):
                    assert after[row][column] == before[row][column]

    browse(seated("classic", seed=8), play)


def test_a_tile_that_cannot_be_read_at_once_after_coming_back_is_where_it_was() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, table = visit.page, engine.table
        assert table is not None
        name = (await visit.local("rows"))[0][0]
        await drag(page, tile(page, name), place(page, 0, 10))
        before = await visit.local("rows")
        await until(lambda: engine.view()["table"]["layout"] == before)
        await page.evaluate("sessionStorage.removeItem('p2pokey-hand')")
        slot = next(slot for slot, one in table.view_of(Seat(0)).rack() if format_tile(one) == name)
        table.unread(slot)
        await page.reload()
        await page.locator(".rack").wait_for()
        assert name not in [one for row in await visit.local("rows") for one in row]
        table.read(slot)
        await page.locator(f'.rack [data-tile="{name}"]').wait_for()
        assert await visit.local("rows") == before

    browse(seated("classic", seed=8), play)


def test_melds_that_are_not_sent_survive_a_reload() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        first = [one for one in (await visit.local("rows"))[0] if one][:3]
        for one in first:
            await tile(page, one).click()
        await page.locator("[data-act=meld]").click()
        await page.locator(".lane.aside.busy").wait_for()
        await page.wait_for_timeout(400)
        await page.reload()
        await page.locator(".lane.aside.busy").wait_for()
        assert await visit.local("melds") == [first]

    browse(seated("101-rising", seed=3), play)


def test_a_second_tab_looks_on_until_it_takes_over() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        other = await visit.another()
        await other.locator(".banner", has_text="Another tab").wait_for()
        await advance(engine, may("draw"))
        sent = len(engine.intents)
        await other.locator(".stack").click(force=True)
        await other.locator(".toast.bad").wait_for()
        assert len([i for i in engine.intents[sent:] if i["do"] == "draw"]) == 0
        await other.locator(".banner button").click()
        await visit.page.locator(".banner", has_text="Another tab").wait_for()
        await other.locator(".stack.open").click()
        await until(lambda: did(engine, "draw"))

    browse(seated("classic", seed=8), play)


def test_a_lost_connection_is_said_and_mended() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page

        async def drop_all() -> Any:
            for connection in list(visit.server._tabs):
                await connection.close()

        await drop_all()
        await until(lambda: visit.server._tabs)
        await wait_js(page, "p2pokey.state.net === 'open'")
        await asyncio.sleep(0.1)
        assert await page.locator(".banner.bad").count() == 0

    browse(seated("classic", seed=8), play)
