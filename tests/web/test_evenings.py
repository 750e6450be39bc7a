"""An evening with friends at the real engine: a real server, links in memory, the cheap group."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from p2pokey.native.contacts import Contact, save_contacts
from p2pokey.native.identity import Ed25519Signer
from p2pokey.peer import evening
from p2pokey.peer.table_names import load_names
from p2pokey.peer.waits import WaitLimits
from p2pokey.web import gathering, rooms
from p2pokey.web.engine import IntentRefused
from p2pokey.web.net_table import NetTable
from tests.web.engines import Friends, Json, Page, friends, is_over, is_playing, stage_of


class FakeBots:
    """Notes what is wanted of it."""

    def __init__(self) -> None:
        self.joined: list[tuple[int, str, str]] = []
        self.ended: list[bool] = []

    def join(self, count: int, link: str, password: str, taken: Any) -> None:
        self.joined.append((count, link, password))

    def come_back(self, roster: Any) -> None:
        self.joined.append((0, "", ""))

    async def end(self, *, soon: bool) -> None:
        self.ended.append(soon)


def code_of(view: Json) -> Any:
    return view["gathering"] and view["gathering"]["code"]


def notice_of(view: Json) -> Any:
    return view["notice"]


async def sit_down(host: Page, *guests: Page, **wishes: Any) -> None:
    await host.act("host", **{"rules": "duel", "options": {"hands": 1}, "assisted": True, **wishes})
    code = await host.until(code_of)
    for guest in guests:
        await guest.act("join", invite=code)
    for page in (host, *guests):
        await page.until(is_playing)


def test_a_table_of_two_with_talk_and_coming_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            await sit_down(ayse, baran)
            await talk(ayse, baran)
            rack = ayse.engine.view()["table"]["game"]["rack"]
            rows = [[*rack[:5], None], rack[5:]]
            await ayse.act("layout", rows=rows)
            await ayse.act("stage", melds=[rack[:3]])
            assert await ayse.refused("host", rules="classic") == "at-a-table"
            assert await ayse.refused("solo", rules="classic") == "at-a-table"
            assert await ayse.refused("void") == "not-paused"
            assert await ayse.refused("kick", seat=0) == "form"
            await people.leave(ayse)
            gone = await baran.until(
                lambda view: (
                    view["table"]["people"][0]["link"] == "left" and view["table"]["people"][0]
                )
            )
            assert gone["then"]["what"] == "waits"
            assert 500 < gone["then"]["in_s"] <= 600
            await come_back(people, baran, rows)

    asyncio.run(main())


async def talk(ayse: Page, baran: Page) -> None:
    await baran.act("say", text="Merhaba \u202e<b>")
    await baran.act("phrase", code="good-luck")
    lines = await ayse.until(lambda view: len(view["table"]["chat"]) == 2 and view["table"]["chat"])
    assert "\u202e" not in lines[0]["text"]
    assert (lines[0]["seat"], lines[1]["phrase"]) == (1, "good-luck")
    assert len({line["n"] for line in lines}) == 2
    await ayse.act("mute", seat=1, on=True)
    assert ayse.engine.view()["table"]["chat"] == []
    assert ayse.engine.view()["table"]["muted"] == [1]
    await ayse.act("mute", seat=1, on=False)
    assert len(ayse.engine.view()["table"]["chat"]) == 2
    assert await ayse.refused("phrase", code="nonsense") == "form"
    assert await ayse.refused("say", text="x" * 501) == "form"
    for _ in range(30):
        if (code := await _said(baran)) is not None:
            break
    assert code == "too-fast"


async def _said(page: Page) -> str | None:
    try:
        await page.act("say", text="again")
    except IntentRefused as error:
        return error.code
    return None


async def come_back(people: Friends, baran: Page, rows: Any) -> None:
    ayse = people.sit("Ayse")
    [one] = ayse.engine.view()["lobby"]["resumable"]
    assert (one["rules"], one["names"], one["hands"]) == ("duel", ["Ayse", "Baran"], 0)
    await ayse.act("resume", id=one["id"])
    await ayse.until(is_playing)
    table = await ayse.until(lambda view: view["table"]["staged"] and view["table"])
    assert table["layout"] == rows
    assert [meld["tiles"] for meld in table["staged"]["melds"]]
    await baran.until(lambda view: view["table"]["people"][0]["link"] == "here")
    hands = await asyncio.gather(ayse.play_hand(), baran.play_hand())
    ends = [view["table"]["end"] for view, _ in hands]
    assert ends[0]["points"] == ends[1]["points"]
    [row] = hands[0][0]["table"]["match"]["rows"]
    assert row["reason"] == ends[0]["reason"]
    # Both want a rematch at the same moment.
    await asyncio.gather(ayse.act("ready", play=True), baran.act("ready", play=True))
    for page in (ayse, baran):
        await page.until(lambda view: is_playing(view) and not view["table"]["match"]["rows"])
    await stop_and_look_back(people, ayse, baran)


async def stop_and_look_back(people: Friends, ayse: Page, baran: Page) -> None:
    """A program that ends when the hand is over shows its end again."""
    await asyncio.gather(ayse.play_hand(), baran.play_hand())
    before = ayse.engine.view()["table"]["end"]
    await people.leave(ayse)
    ayse = people.sit("Ayse")
    [one] = ayse.engine.view()["lobby"]["resumable"]
    assert one["hands"] >= 1
    await ayse.act("resume", id=one["id"])
    again = await ayse.until(lambda view: is_over(view) and view["table"])
    assert again["end"]["racks"] == before["racks"]
    assert again["trust"]["audit"]["status"] == "sound"
    await ayse.act("leave")
    assert ayse.engine.view()["screen"] == "lobby"
    [names] = [load_names(path) for path in ayse.engine.hands.iterdir()]
    assert sorted(known.name for known in names.values()) == ["Ayse", "Baran"]


def test_a_public_table_asks_about_strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def knock_of(view: Json) -> Any:
        return view["gathering"]["knocks"]

    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, eve, baran = (people.sit(name) for name in ("Ayse", "Eve", "Baran"))
            await ayse.act("host", rules="duel", listed=True)
            await ayse.until(code_of)
            for guest in (eve, baran):
                await guest.act("public")
                [room] = await guest.until(lambda view: view["lobby"]["public"])
                assert (room["rules"], room["free"]) == ("duel", 1)
            assert "Ayse" in room["title"]
            assert await ayse.refused("admit", yes=True) == "not-now"
            await eve.act("join", invite=room["room"])
            [knock] = await ayse.until(knock_of)
            assert knock["name"] == "Eve"
            assert await ayse.refused("admit", n=knock["n"] + 1, yes=True) == "not-now"
            await ayse.act("admit", n=knock["n"], yes=False)
            assert await ayse.refused("admit", n=knock["n"], yes=True) == "not-now"
            notice = await eve.until(notice_of)
            assert notice["code"] == "no-table"
            assert eve.engine.view()["screen"] == "lobby"
            assert eve.engine.view()["lobby"]["resumable"] == []
            await baran.act("join", invite=room["room"])
            await ayse.until(knock_of)
            await ayse.act("admit", yes=True)
            for page in (ayse, baran):
                await page.until(is_playing)

    asyncio.run(main())


def test_a_password_a_closed_window_and_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rooms, "WINDOW_S", 2)
    monkeypatch.setattr(gathering, "WINDOW_S", 2)
    bots = FakeBots()

    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse = people.sit("Ayse", make_bots=lambda signer: bots)
            baran = people.sit("Baran")
            await ayse.act("host", rules="classic", password="çay", bots=2)
            code = await ayse.until(code_of)
            await ayse.until(lambda view: view["gathering"]["window"] == "closed")
            await ayse.act("reopen")
            await ayse.until(lambda view: view["gathering"]["window"] == "open")
            await baran.act("join", invite=code)
            notice = await baran.until(notice_of)
            assert (notice["code"], notice["kind"]) == ("no-table", "PasswordNeeded")
            await ayse.act("reopen")
            await baran.act("join", invite=code, password="çay")
            for page in (ayse, baran):
                await page.until(lambda view: view["gathering"]["here"] == ["Ayse", "Baran"])
                assert page.engine.view()["gathering"]["seats"] == 4
            await ayse.act("bots", count=1)
            await baran.act("cancel")
            await ayse.until(lambda view: view["gathering"]["here"] == ["Ayse"])
            await ayse.act("cancel")
            assert ayse.engine.view()["screen"] == "lobby"
            assert ayse.engine.view()["lobby"]["resumable"] == []

    asyncio.run(main())
    assert [(count, password) for count, _, password in bots.joined] == [(2, "çay"), (1, "çay")]
    assert all(link.startswith("p2pokey+ws://") for _, link, _ in bots.joined)
    assert bots.ended == [True]


def test_a_friend_with_another_key_is_pointed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            path = baran.engine.profile.dirs.contacts
            save_contacts(path, (Contact(name="ayse", key=bytes(32), since="2026-01-01"),))
            await sit_down(ayse, baran)
            person = baran.engine.view()["table"]["people"][0]
            assert (person["met"], person["known"]) == ("changed", "ayse")
            assert ayse.engine.view()["table"]["people"][1]["met"] == "new"
            notice = baran.engine.view()["notice"]
            assert (notice["code"], notice["name"]) == ("key-changed", "Ayse")
            await baran.act("layout", rows=[[], []])
            assert baran.engine.view()["notice"] == notice, "the page's own intents close nothing"
            await baran.act("accept-key", seat=0)
            assert baran.engine.view()["notice"] is None
            assert await baran.refused("accept-key", seat=0) == "not-now"
            assert await ayse.refused("accept-key", seat=0) == "not-now"
            assert stage_of(baran.engine.view()) == "play"

    asyncio.run(main())


def test_a_hand_that_waits_for_a_friend_can_be_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rooms, "NetTable", partial(NetTable, patience_s=1.0))
    monkeypatch.setattr(evening, "WaitLimits", partial(WaitLimits, round_s=5.0))

    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            await sit_down(ayse, baran)
            await people.leave(baran)
            paused = await ayse.until(lambda view: view["table"]["paused"])
            assert paused["seats"] == [1]
            assert ayse.engine.view()["table"]["people"][1]["then"] == {"what": "waits", "in_s": 0}
            assert ayse.engine.view()["table"]["trust"]["state"] == "unproved"
            await ayse.act("void")
            notice = await ayse.until(notice_of)
            assert notice["code"] == "hand-failed"
            assert "seat 2 (Baran)" in notice["text"]
            await ayse.until(lambda view: view["table"]["paused"] is None)
            waiting = await ayse.until(lambda view: view["table"]["waiting"])
            assert (waiting["what"], waiting["seats"]) == ("next-hand", [1])

    asyncio.run(main())


def test_who_takes_a_seat_up_and_leaves_at_once_can_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Both intents may be there before the table's task has run at all."""

    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            await sit_down(ayse, baran)
            await ayse.act("leave")
            [one] = ayse.engine.view()["lobby"]["resumable"]
            for _ in range(3):
                await asyncio.gather(ayse.act("resume", id=one["id"]), ayse.act("leave"))
                assert ayse.engine.view()["lobby"]["resumable"] == [one]
            await ayse.act("resume", id=one["id"])
            await ayse.until(is_playing)

    asyncio.run(main())


def test_a_guest_sees_and_forgets_no_tables_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            await sit_down(ayse, baran)
            await ayse.act("leave")
            [one] = ayse.engine.view()["lobby"]["resumable"]
            ayse.engine.profile.signer = Ed25519Signer(bytes(32))  # somebody else on this computer
            for intent in ("resume", "forget"):
                assert await ayse.refused(intent, id=one["id"]) == "other-key"
            await ayse.act("leave")
            assert ayse.engine.view()["lobby"]["resumable"] == []

    asyncio.run(main())


def test_who_wants_to_go_on_before_all_have_signed_goes_on_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A duel is one hand: what follows is a rematch, which both ask for."""

    def is_audited(view: Json) -> Any:
        table = view["table"]
        return table and table["end"] and table["stage"]["name"] != "done" and table["end"]

    async def early(page: Page) -> None:
        async for view in page.views():
            if is_audited(view):
                assert view["table"]["end"]["ready"] == [False, False]
                await page.act("ready", play=True)
                seat = view["table"]["seat"]
                assert page.engine.view()["table"]["end"]["ready"][seat]
                return

    async def main() -> None:
        async with friends(tmp_path, monkeypatch) as people:
            ayse, baran = people.sit("Ayse"), people.sit("Baran")
            await sit_down(ayse, baran)
            playing = [asyncio.create_task(page.play_hand()) for page in (ayse, baran)]
            asking = [asyncio.create_task(early(Page(page.engine))) for page in (ayse, baran)]
            await asyncio.gather(*playing, *asking)
            for page in (ayse, baran):
                await page.until(is_playing)

    asyncio.run(main())
