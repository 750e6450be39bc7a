"""The replay viewer on a real transcript: step, scrub, play, any seat's view, each proof counted."""

import dataclasses

import pytest

from p2pokey.audit.report import Finding
from tests.web.browser.browsing import SIZES, Visit, browse, wait_js
from tests.web.browser.inspecting import inspect, measure
from tests.web.browser.tables import lobby
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e

READ_MS = 60_000
STEP = "p2pokey.state.view.replay.step"
HIDDEN = "document.querySelectorAll('.replay-seat okey-tile[data-c=back]').length"


async def _open(visit: Visit) -> None:
    page = visit.page
    await page.locator("nav button", has_text="Saved games").click()
    await page.locator(".cards button").first.click()
    await page.locator(".scrubber").wait_for(timeout=READ_MS)


def test_a_hand_is_stepped_through() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await _open(visit)
        last = await page.evaluate("p2pokey.state.view.replay.steps - 1")
        assert last > 10
        seats = await page.evaluate("p2pokey.state.view.replay.people.length")
        assert await page.locator(".replay-seat").count() == seats
        await page.get_by_label("One step on").click()
        await wait_js(page, f"{STEP} === 1")
        done = await page.evaluate("p2pokey.state.view.replay.checks.done")
        await page.locator(".scrubber input[type=range]").fill("6")
        await wait_js(page, f"{STEP} === 6")
        assert await page.evaluate("p2pokey.state.view.replay.checks.done") > done
        await page.locator(".replay .see select").select_option("1")
        await wait_js(page, f"{HIDDEN} > 20")
        await page.locator(".replay .see select").select_option("all")
        await wait_js(page, f"{HIDDEN} === 0")
        await page.get_by_label("Play", exact=True).click()
        await wait_js(page, f"{STEP} >= 8")
        await page.get_by_label("Pause").click()
        await page.get_by_label("To the end").click()
        await wait_js(page, f"{STEP} === {last}")
        await page.locator(".trust.verified").wait_for()
        await page.get_by_label("Close").click()
        await page.locator(".choices, .cards").first.wait_for()

    browse(lobby(), play)


def test_the_viewer_is_sound_at_every_size() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await _open(visit)
        await page.locator(".scrubber input[type=range]").fill("12")
        await wait_js(page, f"{STEP} === 12")
        for size in SIZES:
            await page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            await page.wait_for_timeout(60)
            await measure(page, f"replay {size}")
            await visit.shot(f"replay-{size}")
            if size in ("desktop", "phone"):
                await inspect(page, f"replay {size}")

    browse(lobby(), play)


def test_a_failed_proof_is_named_where_it_came_up() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await _open(visit)
        assert engine._replay is not None
        report = engine._replay.report
        finding = Finding(line=1, seat=1, message=None, cause="BadProof", text="wrong on purpose")
        bad = dataclasses.replace(report, findings=(finding,))
        engine._replay = dataclasses.replace(engine._replay, report=bad)
        engine.changed()
        await visit.page.locator(".scrubber input[type=range]").fill("9")
        await visit.page.locator(".trust.failed").wait_for()
        assert "wrong on purpose" in await visit.page.locator(".findings").inner_text()

    browse(lobby(), play)
