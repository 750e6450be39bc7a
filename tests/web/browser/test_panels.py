"""Dialogs and panels: the table in words, seats, the proof, the door of a public table."""

from typing import Any

import pytest

from p2pokey.tiles import Seat
from tests.web.browser.browsing import PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import advance, did, is_mine, lobby, may, never, rack, seated
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e


def test_the_table_in_words_has_all_that_the_pictures_show() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, lambda seen: is_mine(seen) and len(seen["game"]["melds"]) > 3)
        await page.locator(".meld").first.wait_for()
        await page.keyboard.press("w")
        words = await page.locator(".words-view").inner_text()
        game = engine.view()["table"]["game"]
        assert words.count("Meld ") == len(game["melds"])
        for name in ("Selin", "Baykuş", "Tilki", "Karga", "the okey is", "left in the stack"):
            assert name in words
        labels = await page.evaluate(
            "[...document.querySelectorAll('.rack [data-tile]')].map(e => e.ariaLabel)"
        )
        assert len(labels) == len(game["rack"])
        assert all(label.split(", ")[0] in words for label in labels)
        await page.keyboard.press("Escape")
        await page.locator("dialog").wait_for(state="detached")

    browse(seated("101-rising", seed=3), play)


def test_a_hand_can_be_given_up_only_while_it_waits_for_somebody() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, table = visit.page, engine.table
        assert table is not None
        give_up = page.get_by_role("button", name="Give the hand up")
        await page.locator("button.menu").click()
        await page.locator(".menu-list").wait_for()
        assert await give_up.count() == 0
        table.links[1], table.paused = "away", Seat(1)
        engine.changed()
        await page.locator(".banner.warn").wait_for()
        await page.locator(".menu-list").get_by_text("Give the hand up").click()
        question = page.locator("dialog.question")
        assert "dealt again" in await question.inner_text()
        await question.locator("[data-answer=yes]").click()
        assert await until(lambda: did(engine, "void")) == [{"do": "void"}]

    browse(seated("101-rising", seed=1, solo=False), play)


def test_a_friend_who_is_away_has_a_fate_and_can_be_muted_or_replaced() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, table = visit.page, engine.table
        assert table is not None
        bots, table.people = table.people, (Seat(0), Seat(1))
        table.links[1] = "away"
        engine.changed()
        await page.locator(".seat.right.away").click()
        assert "away" in await page.locator("dialog").inner_text()
        await page.get_by_role("button", name="Mute").click()
        assert await until(lambda: did(engine, "mute")) == [{"do": "mute", "seat": 1, "on": True}]
        table.links[1], table.people = "here", bots
        await advance(engine, never)
        table.links[1], table.people = "left", (Seat(0), Seat(1))
        engine.changed()
        await page.get_by_role("button", name="See the table").click()
        await page.locator(".seat.right").click()
        await page.get_by_role("button", name="Let a computer player sit here").click()
        await page.locator("[data-answer=yes]").click()
        assert await until(lambda: did(engine, "kick")) == [{"do": "kick", "seat": 1, "bots": True}]

    browse(seated("101-rising", seed=1, solo=False), play)


def test_a_failed_proof_names_the_seat_and_freezes_the_hand() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await page.locator(".stack.open").wait_for()
        assert engine.table is not None
        engine.table.fail_proof(2)
        await page.locator(".banner.failed", has_text="Tilki").wait_for()
        assert "seat 3" in await page.locator("button.trust").inner_text()
        await page.locator(".stack").click(force=True)
        await page.locator(".toast.bad").wait_for()
        assert not did(engine, "draw")
        async with page.expect_download() as download:
            await page.locator(".banner.failed button").click()
        assert (await download.value).suggested_filename.endswith(".jsonl")

    browse(seated("101-rising", seed=3), play)


def test_the_proof_panel_checks_again_and_gives_the_transcript() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("button.trust").click()
        for name in ("Who shuffled", "Proofs checked", "Failed", "lale", "Keys disclosed"):
            await page.locator(".proof", has_text=name).wait_for()
        await page.get_by_role("button", name="Check again now").click()
        await until(lambda: did(engine, "recheck"))
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Save the transcript").click()
        assert await (await download.value).path()

    browse(seated("101-rising", seed=3), play)


def test_who_knocks_is_let_in_and_a_seat_is_filled() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await engine.act({"do": "host", "rules": "101-rising"})
        gathering: Any = engine.gathering
        gathering |= {"knocks": [{"n": 7, "name": "Deniz", "key": "ab12cd34ef56"}]}
        gathering |= {"window": "closed", "phase": "window-closed"}
        engine.changed()
        await page.locator(".banner", has_text="Deniz").get_by_role("button", name="Let in").tap()
        assert await until(lambda: did(engine, "admit")) == [{"do": "admit", "n": 7, "yes": True}]
        await page.get_by_role("button", name="Fill a seat").tap()
        await until(lambda: {"do": "bots", "count": 1} in engine.intents)
        await page.get_by_role("button", name="Invite again").tap()
        await until(lambda: did(engine, "reopen"))
        rows = await page.evaluate("p2pokey.state.view.gathering.qr")
        path = await page.locator(".qr path").get_attribute("d")
        assert path is not None
        assert path.count("M") == "".join(rows).count("1")

    browse(lobby(), play, size=PHONE, touch=True)


def test_a_notice_is_said_and_closed() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        engine.notice = {"code": "key-changed", "name": "Mert", "known": "Mert", "n": 1}
        engine.changed()
        await page.locator(".banner.info", has_text="another key").wait_for()
        await page.locator(".banner.info").get_by_label("Close").click()
        await page.locator(".banner.info").wait_for(state="detached")
        assert did(engine, "dismiss")

    browse(seated("classic", seed=8), play)


def test_what_was_played_for_whoever_dreams_is_said_in_both_languages() -> None:
    moves = [{"seat": 0, "kind": "draw", "tiles": []}]
    moves += [{"seat": 0, "kind": "discard", "tile": "r5a", "tiles": ["r5a"]}]

    async def play(visit: Visit, engine: LocalEngine) -> None:
        engine.notice = {"code": "moved-for-idle", "moves": moves, "n": 1}
        banner = visit.page.locator(".banner.info")
        for lang, said in {"en": "Selin discarded red 5", "tr": "Selin attı: kırmızı 5"}.items():
            engine.settings["lang"] = lang
            engine.changed()
            await banner.filter(has_text=said).wait_for()
            await visit.shot(f"moved-for-idle-{lang}")
        assert "çekti" not in await banner.inner_text()

    browse(seated("classic", seed=8), play, size=PHONE)


def test_a_hint_marks_its_tiles_until_the_next_move() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page, marked = visit.page, visit.page.locator(".rack .hinted")
        await advance(
            engine, lambda table: is_mine(table) and bool(table["game"]["can"]["discard"])
        )
        await page.locator("[data-act=hint]").click()
        await page.locator("dialog").get_by_label("Close").click()
        intent = engine.view()["table"]["advice"]["intent"]
        assert intent["do"] == "discard"
        assert await marked.get_attribute("data-tile") == intent["tile"]
        assert "the hint" in (await marked.get_attribute("aria-label") or "")
        await visit.shot("hinted-desktop")
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await page.wait_for_timeout(60)
        await visit.shot("hinted-phone")
        await engine.act(intent)
        await marked.wait_for(state="detached")

    browse(seated("classic", seed=8), play)


@pytest.mark.parametrize("lang", ["en", "tr"])
def test_all_quick_phrases_are_in_sight_without_scrolling(lang: str) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        box = visit.page.locator(".drawer .quick")
        assert await box.locator("button").count() > 10
        assert await box.evaluate("e => e.scrollHeight <= e.clientHeight")
        await visit.shot(f"quick-{lang}")

    browse(seated("classic", seed=8, lang=lang), play)


def test_two_at_one_device_begin_with_both_names() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("[data-choice=share]").tap()
        await page.locator("#field-other").fill("Mert")
        await page.locator(".submit button").tap()
        await page.locator(".handover", has_text="Selin").wait_for()
        assert did(engine, "share") == [{"do": "share", "other": "Mert"}]
        assert await page.locator(".rack").count() == 0

    browse(lobby(), play, size=PHONE, touch=True)


def test_work_is_taken_up_in_another_tab_from_what_the_engine_has_kept() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        first = rack(engine)[:3]
        for tile in first:
            await page.locator(f'[data-tile="{tile}"]').click()
        await page.locator("[data-act=meld]").click()
        await until(lambda: engine.view()["table"]["staged"])
        other = await visit.another()
        await other.locator(".lane.aside.busy").wait_for()
        await wait_js(other, f"p2pokey.state.local.melds[0].length === {len(first)}")

    browse(seated("101-rising", seed=3), play)


def test_the_title_and_the_live_region_tell_of_the_turn() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await advance(engine, may("draw"))
        await wait_js(page, "document.title.startsWith('▶')")
        await wait_js(page, "document.getElementById('live').innerText.includes('Your turn')")
        await engine.act({"do": "draw"})
        tile = engine.view()["table"]["game"]["can"]["discard"][0]
        engine.table.hold()  # type: ignore[union-attr]
        await engine.act({"do": "discard", "tile": tile})
        await wait_js(page, "!document.title.startsWith('▶')")

    browse(seated("classic", seed=8), play)
