"""The lobby: every way to a table, and what is kept."""

import base64

import pytest

from tests.web.browser.browsing import DESKTOP, PHONE, Visit, browse, until, wait_js
from tests.web.browser.tables import did, lobby
from tests.web.local_engine import LocalEngine

pytestmark = pytest.mark.e2e


def test_the_name_is_changed_and_kept() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.fill("#my-name", "Özgür Işık")
        await visit.page.keyboard.press("Enter")
        await until(lambda: engine.name == "Özgür Işık")
        await visit.page.reload()
        assert await visit.page.locator("#my-name").input_value() == "Özgür Işık"

    browse(lobby(), play)


@pytest.mark.parametrize("typed", [None, "Işık"])
def test_who_has_no_name_is_offered_the_word_of_the_language(typed: str | None) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        engine.name, engine.is_named = "Player", False
        engine.changed()
        await wait_js(page, "document.querySelector('#my-name').value === 'Oyuncu'")
        assert did(engine, "name") == []
        for size in (DESKTOP, PHONE):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await page.wait_for_timeout(60)
            await visit.shot(f"nameless-{size[0]}")
        if typed is not None:
            await page.fill("#my-name", typed)
        await page.locator("[data-choice=solo]").click()
        await page.locator(".submit .primary").click()
        await page.locator(".rack okey-tile").first.wait_for()
        assert engine.name == (typed or "Oyuncu")

    browse(lobby(lang="tr"), play)


def test_solo_starts_in_two_clicks() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator("[data-choice=solo]").tap()
        await visit.page.locator(".submit .primary").tap()
        await visit.page.locator(".rack okey-tile").first.wait_for()
        (sent,) = did(engine, "solo")
        assert sent["rules"] == "101-rising"
        assert sent["level"] == "normal"

    browse(lobby(), play, size=PHONE, touch=True)


def test_a_table_is_hosted_with_every_choice() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("[data-choice=host]").click()
        await page.locator(".game", has_text="101 Challenge").click()
        await page.get_by_label("Partners").check()
        await page.get_by_label("Assisted").check()
        await page.get_by_label("Play on without an absent friend").uncheck()
        await page.locator("#field-hands").select_option("7")
        await page.locator("#field-timer_s").select_option("45")
        await page.locator("#field-bots").select_option("1")
        await page.locator("details.more summary").click()
        await page.get_by_label("Show in the public list").check()
        await page.locator("#field-password").fill("çay")
        await page.get_by_label("Unlinkable discards").check()
        await page.locator(".submit .primary").click()
        (sent,) = await until(lambda: did(engine, "host"))
        assert sent["rules"] == "101-challenge"
        assert sent["options"]["partners"] is True
        assert sent["options"]["hands"] == 7
        wanted = {
            "hands": 7, "timer_s": 45, "assisted": True, "recovery": False, "unlinkable": True,
            "listed": True, "bots": 1, "password": "çay",
        }  # fmt: skip
        assert {key: sent[key] for key in wanted} == wanted
        await page.locator(".gathering .code").wait_for()
        await page.locator(".gathering .qr").wait_for()
        await page.get_by_role("button", name="Close the table").click()
        await page.locator(".choices").wait_for()

    browse(lobby(), play)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("  K7Q2M-lale-deniz-kartal ", "K7Q2M-lale-deniz-kartal"),
        ("K7Q2M-lale ışık çınar", "K7Q2M-lale ışık çınar"),
        ("https://example.org/j#K7Q2M-a-b-c", "https://example.org/j#K7Q2M-a-b-c"),
    ],
)
def test_a_code_or_link_is_joined(typed: str, sent: str) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator(".join input").first.fill(typed)
        await visit.page.keyboard.press("Enter")
        found = await until(lambda: did(engine, "join"))
        assert found == [{"do": "join", "invite": sent}]
        await visit.page.locator(".gathering").wait_for()

    browse(lobby(), play)


def test_a_refused_code_is_explained_and_kept() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        await visit.page.locator(".join input").first.fill("00000-a-b-c")
        await visit.page.keyboard.press("Enter")
        await visit.page.locator(".toast.bad", has_text="No table has this code").wait_for()
        assert await visit.page.locator(".join input").first.input_value() == "00000-a-b-c"

    browse(lobby(), play)


def test_public_tables_past_hands_and_statistics() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("[data-choice=public]").click()
        await page.locator(".card", has_text="Akşam 101").get_by_role("button").click()
        await until(lambda: did(engine, "join"))
        await engine.act({"do": "cancel"})
        await page.locator("nav button", has_text="Saved games").click()
        await page.locator(".cards .card").first.wait_for()
        await page.locator(".cards button").first.click()
        await until(lambda: {"do": "replay", "id": "hand-1"} in engine.intents)
        await page.locator("nav button", has_text="Statistics").click()
        await page.locator("table.scores", has_text="Mehmet").wait_for()

    browse(lobby(), play)


def test_a_transcript_file_goes_to_the_engine_in_pieces() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("nav button", has_text="Saved games").click()
        data = bytes(range(256)) * 200
        await page.set_input_files(
            "input[type=file]", {"name": "hand.jsonl", "mimeType": "text/plain", "buffer": data}
        )
        first = (await until(lambda: did(engine, "replay")))[0]
        assert first["size"] == len(data)
        assert first["at"] == 0
        assert data.startswith(base64.b64decode(first["data"]))
        assert len(first["data"]) <= 48 * 1024

    browse(lobby(), play)


def test_settings_change_the_page_at_once() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        page = visit.page
        await page.locator("nav button", has_text="Settings").click()
        await page.locator("label", has_text="Türkçe").click()
        await wait_js(page, "document.documentElement.lang === 'tr'")
        await page.locator("h1", has_text="Ayarlar").wait_for()
        await page.locator("label", has_text="Gece").click()
        await wait_js(page, "document.documentElement.dataset.theme === 'night'")
        await page.locator("label", has_text="Renk körlüğü").click()
        await wait_js(page, "document.documentElement.dataset.palette === 'cvd'")
        await page.get_by_label("Şekiller").uncheck()
        await wait_js(page, "document.documentElement.dataset.shapes === 'off'")
        assert engine.settings["lang"] == "tr"

    browse(lobby(), play)


def test_an_open_table_can_be_taken_up_again() -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        engine.resumable = [
            {"id": "t1", "names": ["Selin", "Mert"], "rules": "classic", "hands": 2}
        ]
        engine.changed()
        await visit.page.get_by_role("button", name="Forget").click()
        await visit.page.locator("dialog.question").get_by_role("button", name="Cancel").click()
        assert not did(engine, "forget")
        await visit.page.locator(".resume .primary").click()
        await until(lambda: {"do": "resume", "id": "t1"} in engine.intents)

    browse(lobby(), play)
