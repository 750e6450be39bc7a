"""Whole programs with a page: an evening with friends and computer players, and what survives a kill.

Real processes, a real server, real WebRTC. Slow by nature: `make e2e`.
"""

import asyncio
import base64
import uuid
from pathlib import Path
from typing import Any

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.group import Group
from p2pokey.native.backends import choose_backend
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from tests.e2e.programs import left_behind
from tests.web.page_programs import Json, PageProgram, Programs, signalling

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def code_of(view: Json) -> Any:
    return view["gathering"] and view["gathering"]["code"]


def stage_of(view: Json) -> Any:
    return view["table"] and view["table"]["stage"]["name"]


def is_done(view: Json) -> bool:
    return bool(view["table"] and view["table"]["end"] and stage_of(view) == "done")


def rack_of(view: Json) -> Any:
    game = view["table"] and view["table"]["game"]
    return game and game["rack"]


async def sit_down(host: PageProgram, *guests: PageProgram, **wishes: Any) -> None:
    await host.does("host", assisted=True, timer_s=0, **wishes)
    code = await host.until(code_of)
    for guest in guests:
        await guest.does("join", invite=code)


def test_a_program_that_is_killed_in_mid_hand_comes_back_to_rack_layout_and_edits(tmp_path: Path):
    async def main() -> None:
        async with signalling(tmp_path) as server, Programs(tmp_path, server) as programs:
            ayse, baran = await programs.play("Ayse"), await programs.play("Baran")
            await sit_down(ayse, baran, rules="duel", options={"hands": 1})
            for page in (ayse, baran):
                await page.until(lambda view: stage_of(view) == "play" and rack_of(view))
            rack = sorted(rack_of(ayse.view))
            rows = [[*rack[:7], None], [None, *rack[7:]]]
            await ayse.does("layout", rows=rows)
            await ayse.does("stage", melds=[rack[:3], rack[3:5]])
            await ayse.does("say", text="back in a moment")
            staged = await ayse.until(lambda view: view["table"]["staged"])
            assert [meld["tiles"] for meld in staged["melds"]]
            await asyncio.sleep(0.5)
            await programs.kill(ayse)
            await baran.until(lambda view: view["table"]["people"][0]["link"] in ("away", "left"))
            then = baran.view["table"]["people"][0]["then"]
            assert then["what"] == "waits"

            ayse = await programs.play("Ayse")
            [open_table] = ayse.view["lobby"]["resumable"]
            assert (open_table["rules"], open_table["names"]) == ("duel", ["Ayse", "Baran"])
            await ayse.does("resume", id=open_table["id"])
            await ayse.until(lambda view: stage_of(view) == "play" and rack_of(view))
            table = ayse.view["table"]
            assert sorted(table["game"]["rack"]) == rack
            assert table["layout"] == rows
            assert [len(meld["tiles"]) for meld in table["staged"]["melds"]] == [3, 2]
            assert table["chat"][-1]["text"] == "back in a moment"
            await baran.until(lambda view: view["table"]["people"][0]["link"] == "here")

            ends = await asyncio.gather(ayse.play_on(is_done), baran.play_on(is_done))
            assert ends == [True, True]
            assert ayse.view["table"]["end"]["points"] == baran.view["table"]["end"]["points"]
            assert ayse.view["table"]["match"]["rows"][0]["reason"].startswith("duel-")
            await asyncio.gather(ayse.does("ready", play=True), baran.does("ready", play=True))
            for page in (ayse, baran):
                await page.until(lambda view: not view["table"]["end"] and stage_of(view) == "play")

    asyncio.run(main())


def test_bots_fill_the_seats_and_want_a_rematch_when_people_do(tmp_path: Path):
    async def main() -> None:
        async with signalling(tmp_path) as server, Programs(tmp_path, server) as programs:
            ayse = await programs.play("Ayse")
            await sit_down(ayse, rules="101-classic", options={"hands": 1}, bots=3)
            await ayse.until(lambda view: stage_of(view) == "play")
            people = ayse.view["table"]["people"]
            assert [person["bot"] for person in people] == [False, True, True, True]
            assert {person["runner"] for person in people[1:]} == {"Ayse"}
            await ayse.play_on(is_done)
            assert ayse.view["table"]["match"]["over"]
            answer = await ayse.does("save")
            assert answer is not None
            data = base64.b64decode(answer["file"]["data"])
            report = audit_transcript(
                data,
                group=Group(choose_backend("auto")),
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
            )
            assert report.status is Status.SOUND
            await ayse.does("ready", play=True)
            await ayse.until(lambda view: stage_of(view) == "play")
            assert ayse.view["table"]["match"]["rows"] == []

            await programs.kill(ayse)
            ayse = await programs.play("Ayse")
            [open_table] = ayse.view["lobby"]["resumable"]
            await ayse.does("resume", id=open_table["id"])
            await ayse.until(lambda view: stage_of(view) == "play" and rack_of(view))
            await ayse.until(
                lambda view: all(one["link"] == "here" for one in view["table"]["people"])
            )
            await ayse.does("leave")
            await ayse.until(lambda view: view["screen"] == "lobby")

    asyncio.run(main())


def test_a_bot_takes_the_seat_of_a_friend_who_is_sent_away(tmp_path: Path):
    mark = uuid.uuid4().hex

    async def main() -> None:
        async with signalling(tmp_path) as server, Programs(tmp_path, server, mark) as programs:
            ayse, baran = await programs.play("Ayse"), await programs.play("Baran")
            await sit_down(ayse, baran, rules="classic", bots=2)
            for page in (ayse, baran):
                await page.until(lambda view: stage_of(view) == "play")
            seat = next(
                n for n, one in enumerate(ayse.view["table"]["people"]) if one["name"] == "Baran"
            )
            await asyncio.gather(ayse.play_on(is_done), baran.play_on(is_done))
            totals = ayse.view["table"]["match"]["totals"]
            await ayse.does("kick", seat=seat, bots=True)
            await baran.until(lambda view: view["notice"] and view["notice"]["code"] == "sent-away")
            await ayse.until(lambda view: stage_of(view) in ("keys", "shuffle", "deal", "play"))
            await ayse.until(lambda view: stage_of(view) == "play")
            people = ayse.view["table"]["people"]
            assert [one["bot"] for one in people] == [False, True, True, True]
            assert "Baran" not in [one["name"] for one in people]
            assert sorted(ayse.view["table"]["match"]["totals"]) == sorted(totals)

    asyncio.run(main())
    assert left_behind(mark) == []
