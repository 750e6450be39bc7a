"""The replay viewer on a real transcript: step, scrub, play, any seat's view, each proof counted."""

import dataclasses

import pytest

from p2pokey.audit.report import Finding
from tests.web.browser.browsing import PHONE, SIZES, Visit, browse, wait_js
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


def test_the_arrow_keys_step_at_once() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await _open(visit)
        await visit.page.keyboard.press("ArrowRight")
        await wait_js(visit.page, f"{STEP} === 1")
        await visit.page.keyboard.press("ArrowLeft")
        await wait_js(visit.page, f"{STEP} === 0")

    browse(lobby(), play)


def test_the_end_shows_the_finish_and_the_points_of_everybody() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await _open(visit)
        last = await page.evaluate("p2pokey.state.view.replay.steps - 1")
        await page.locator(".scrubber input[type=range]").fill(str(last))
        await wait_js(page, f"{STEP} === {last}")
        end = await page.evaluate("p2pokey.state.view.replay.end")
        finisher = page.locator(".replay-seat").nth(end["finisher"])
        assert "finished" in await page.locator(".replay-felt h2").inner_text()
        assert await finisher.locator(".meld").count() == len(end["layout"]) > 1
        assert await finisher.locator(".meld okey-tile").count() == 14
        shown = await page.locator(".replay-seat .points").all_inner_texts()
        assert [int(text.replace("−", "-")) for text in shown] == end["points"]
        assert await page.locator(".replay-seat .lines li").count() >= len(end["points"])
        for size in ("desktop", "phone", "tiny"):
            await page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            await page.wait_for_timeout(60)
            await measure(page, f"replay end {size}")
            await visit.shot(f"replay-end-{size}")

    browse(lobby(), play)


@pytest.mark.parametrize("lang", ["en", "tr"])
def test_the_badge_of_the_proofs_is_whole_on_a_phone(lang: str) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await engine.act({"do": "replay", "id": "hand-1"})
        await page.locator(".scrubber").wait_for(timeout=READ_MS)
        await page.locator(".scrubber input[type=range]").fill("12")
        await wait_js(page, f"{STEP} === 12")
        edge = "document.querySelector('.replay .bar .plain').getBoundingClientRect().left"
        assert await page.evaluate(
            f"[...document.querySelectorAll('.trust, .trust b, .trust small')].every(e =>"
            f" e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= {edge})"
        )
        await visit.shot(f"replay-badge-{lang}")

    browse(lobby(lang=lang), play, size=PHONE)


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
