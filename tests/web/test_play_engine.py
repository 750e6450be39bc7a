"""The real engine of the page: a solo hand with real peers, lobby intents, hostile intents."""

import asyncio
import base64
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.journal import Journal
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net import public_tables
from p2pokey.net.limits import Limits
from p2pokey.peer.table_journal import TableJournal
from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.web import archive, play_engine, rooms
from p2pokey.web.engine import IntentRefused
from p2pokey.web.play_engine import PlayEngine
from tests.peer.memory import GROUP
from tests.web.engines import WAIT_S, Page, engine_at, is_over, is_playing
from tests.web.schema import check_view


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayEngine]:
    monkeypatch.setitem(play_engine.LEVELS, "hard", 1000.0)  # the program's own pace goes before it
    with engine_at(tmp_path, pace_s=0.0) as made:
        yield made


@pytest.mark.parametrize("rules", ["classic", "51-feeding", "duel"])
def test_a_solo_hand_is_played_counted_saved_and_can_be_audited(engine: PlayEngine, rules: str):
    async def main():
        page = Page(engine)
        await page.act("solo", rules=rules, level="hard")
        view, stages = await page.play_hand()
        await engine.close()
        return view, stages

    view, stages = asyncio.run(main())
    table = view["table"]
    assert stages[0] == "keys"
    assert stages[-1] == "done"
    assert table["trust"]["state"] == "verified"
    assert table["trust"]["failed"] == 0
    assert table["trust"]["audit"]["status"] == "sound"
    assert table["match"]["totals"] == table["end"]["totals"]
    assert [person["bot"] for person in table["people"][1:]] == [True] * (table["seats"] - 1)
    data = Path(table["trust"]["transcript"]).read_bytes()
    report = audit_transcript(data, group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer())
    assert report.status is Status.SOUND
    assert list(report.points or ()) == table["end"]["points"]


def test_the_next_hand_begins_when_the_player_is_ready(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="duel", options={"hands": 3}, level="hard")
        view, _ = await page.play_hand()
        assert view["table"]["match"]["hand"] == 1
        await asyncio.sleep(0.2)
        assert is_over(engine.view()), "nothing begins by itself"
        await page.act("ready", play=True)
        async for later in page.views():
            if later["table"]["match"]["hand"] == 2:
                break
        await page.act("leave")
        return engine.view()

    assert asyncio.run(main())["screen"] == "lobby"


@pytest.mark.parametrize("rules", list(RULE_SETS))
def test_every_game_begins_alone_and_can_be_left_at_any_time(engine: PlayEngine, rules: str):
    partners = {"partners": True} if "partners" in OPTIONS[rules] else {}

    async def main():
        page = Page(engine)
        await page.act("solo", rules=rules, options=partners, level="hard")
        view = await page.until(lambda view: is_playing(view) and view)
        await page.until(lambda view: view["table"]["sorts"])
        await page.act("leave")
        return view["table"]

    table = asyncio.run(main())
    assert engine.view()["screen"] == "lobby"
    assert table["options"]["partners"] == bool(partners)
    assert table["seats"] == RULE_SETS[rules].players
    assert {person["link"] for person in table["people"]} == {"here"}
    assert list((engine.profile.dirs.state / "alone").iterdir()) == [], "nothing is left behind"


def test_a_game_alone_makes_room_for_another_one(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="classic", level="hard")
        await page.until(lambda view: view["table"])
        await page.act("solo", rules="duel", level="hard")
        rules = await page.until(lambda view: view["table"] and view["table"]["rules"])
        await engine.close()
        return rules

    assert asyncio.run(main()) == "duel"


def test_two_at_one_device_hand_it_over_and_play_on(engine: PlayEngine):
    """No rack is shown before its owner has taken the seat."""

    async def main():
        page = Page(engine)
        await page.act("share", other="Baran")
        for seat in engine._seated._seats:
            seat.helps = True  # only so that the test knows a move
        table = (await page.until(lambda view: view["table"]["game"] and view))["table"]
        assert [person["name"] for person in table["people"]] == ["Ayşe", "Baran"]
        view, _ = await page.play_hand()
        assert view["table"]["shared"]
        await page.act("ready", play=True)
        again = await page.until(lambda view: is_playing(view) and view["table"])
        await engine.close()
        return again

    table = asyncio.run(main())
    assert (table["match"]["rows"], table["match"]["over"]) == ([], False), "it was the only hand"
    assert table["handover"] is not None


def test_a_hand_is_checked_again_and_saved_while_it_is_played_and_after(engine: PlayEngine):
    """And after the only hand of a match a rematch begins anew."""

    def audit_of(view: Any) -> Any:
        audit = view["table"]["trust"]["audit"]
        return audit and audit["status"] != "running" and audit

    async def main():
        page = Page(engine)
        await page.act("solo", rules="duel", options={"hands": 1}, level="hard")
        await page.until(is_playing)
        await page.act("recheck")
        early = await page.until(audit_of), await page.act("save")
        view, _ = await page.play_hand()
        await page.act("recheck")
        late = await page.until(audit_of), await page.act("save")
        assert view["table"]["match"]["over"]
        await page.act("ready", play=True)
        again = await page.until(lambda view: is_playing(view) and view["table"]["match"])
        await page.act("ready", play=False)
        return early, late, again

    (during, part), (after, whole), match = asyncio.run(main())
    assert during["status"] == "incomplete"
    assert during["findings"] == []
    assert during["proofs"] > 0
    assert after["status"] == "sound"
    assert after["proofs"] > during["proofs"]
    assert (match["rows"], match["over"], match["totals"]) == ([], False, [0, 0])
    assert engine.view()["screen"] == "lobby"
    for saved, status in ((part, Status.INCOMPLETE), (whole, Status.SOUND)):
        data = base64.b64decode(saved["file"]["data"])
        report = audit_transcript(
            data, group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
        )
        assert report.status is status


def test_past_hands_and_statistics(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="duel", level="hard")
        await page.play_hand()
        await page.act("leave")
        await page.act("past")
        async for view in page.views():
            past = view["past"]
            if past is not None and past["stats"] is not None:
                break
        return past, await page.act("save", id=past["hands"][0]["id"])

    past, saved = asyncio.run(main())
    assert past["hands"][0]["status"] == "scored"
    assert past["stats"][0]["rules"] == "duel"
    assert past["stats"][0]["hands"] == 1
    assert len(past["stats"]) == 1, "computer players have no row"
    assert past["hands"][0]["names"] == ["Ayşe", "Kedi"]
    data = base64.b64decode(saved["file"]["data"])
    assert saved["file"]["name"].endswith(".jsonl")
    report = audit_transcript(data, group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer())
    assert report.status is Status.SOUND


def refusal(engine: PlayEngine, intent: Any) -> str:
    with pytest.raises(IntentRefused) as refused:
        asyncio.run(engine.act(intent))
    return refused.value.code


@pytest.mark.parametrize(
    ("intent", "code"),
    [
        ({}, "form"),
        ({"do": 7}, "form"),
        ({"do": "draw"}, "no-table"),
        ({"do": "solo"}, "form"),
        ({"do": "solo", "rules": "chess"}, "form"),
        ({"do": "solo", "rules": "classic", "options": {"hands": -1}}, "options"),
        ({"do": "solo", "rules": "classic", "options": {"nothing": 1}}, "options"),
        ({"do": "solo", "rules": "classic", "level": "brutal"}, "form"),
        ({"do": "name", "name": "a\u202eb"}, "name"),
        ({"do": "name", "name": "x" * 10_000}, "name"),
        ({"do": "join", "invite": "nonsense"}, "InvalidInvite"),
        ({"do": "join", "invite": "x" * 10_000}, "form"),
        ({"do": "host", "rules": "classic", "timer_s": -5}, "form"),
        ({"do": "host", "rules": "classic", "bots": 9}, "form"),
        ({"do": "resume", "id": "../../etc"}, "nothing-to-resume"),
        ({"do": "forget", "id": "../../etc"}, "nothing-to-resume"),
        ({"do": "host", "rules": "classic", "bots": 2}, "no-bots"),
        ({"do": "host", "rules": "classic", "server": "nowhere"}, "server"),
        ({"do": "join", "invite": "K7Q2M", "public": True, "server": "x"}, "server"),
        ({"do": "share", "other": "a\u202eb"}, "name"),
        ({"do": "replay", "id": "../../etc/passwd"}, "no-hand"),
        ({"do": "replay", "id": 5}, "no-hand"),
        ({"do": "recheck"}, "no-table"),
        ({"do": "save"}, "no-table"),
        ({"do": "reopen"}, "no-table"),
        ({"do": "admit", "yes": True}, "no-table"),
        ({"do": "bots", "count": 1}, "no-table"),
        ({"do": "step", "to": 1}, "no-replay"),
        ({"do": "see", "seat": 1}, "no-replay"),
        ({"do": "save", "id": "../../etc/passwd"}, "no-hand"),
        ({"do": "public", "server": 5}, "form"),
        ({"do": "public", "server": "nowhere"}, "server"),
    ],
)
def test_what_cannot_be_done_is_refused(engine: PlayEngine, intent: Any, code: str):
    assert refusal(engine, intent) == code
    check_view(engine.view())


@pytest.mark.parametrize(
    ("intent", "blocked"),
    [({"do": "past"}, "look_at"), ({"do": "forget", "id": "x"}, "discard")],
)
def test_a_folder_that_cannot_be_used_is_told(
    engine: PlayEngine, intent: Any, blocked: str, monkeypatch: pytest.MonkeyPatch
):
    def fail(*args: Any, **more: Any) -> Any:
        raise OSError(5, "Input/output error")

    journal = SimpleNamespace(discard=fail)
    monkeypatch.setattr(rooms.Lobby, "_reopen", lambda lobby, intent: journal)
    monkeypatch.setattr(archive, "hand_files", fail)

    async def main():
        page = Page(engine)
        if blocked == "discard":
            return await page.refused(**intent)
        await page.act(**intent)
        return await page.until(lambda view: view["past"])

    assert asyncio.run(main()) in ("journal", {"hands": [], "stats": []})


def test_a_server_without_public_tables_is_told(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("public", server="ws://127.0.0.1:1")
        return await page.until(lambda view: view["notice"] and view)

    view = asyncio.run(main())
    assert (view["notice"]["code"], view["lobby"]["public"]) == ("server", [])


def test_a_server_that_never_answers_holds_nothing_up(
    engine: PlayEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(public_tables, "Limits", lambda: Limits(server_s=3600.0))

    async def main():
        page = Page(engine)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            server = f"ws://127.0.0.1:{silent.getsockname()[1]}"
            for _ in range(3):
                await page.act("public", server=server)
                await page.act("name", name="Selin")
            await asyncio.sleep(0.05)
            async with asyncio.timeout(WAIT_S):
                await engine.close()

    asyncio.run(main())
    assert engine.view()["me"]["name"] == "Selin"


def test_two_tabs_at_once_make_one_table(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="classic", level="hard")
        await page.until(is_playing)
        work = (page.act("solo", rules=rules, level="hard") for rules in ("classic", "duel"))
        done = await asyncio.gather(*work, return_exceptions=True)
        tables = list((engine.profile.dirs.state / "alone").iterdir())
        await engine.close()
        return done, tables

    done, tables = asyncio.run(main())
    assert [error.code for error in done if isinstance(error, IntentRefused)] == ["at-a-table"]
    assert len(tables) == 1


def test_a_table_that_cannot_be_written_is_shown_as_one_that_has_ended(
    engine: PlayEngine, monkeypatch: pytest.MonkeyPatch
):
    def fail(*args: Any, **more: Any) -> Any:
        raise OSError(28, "No space left on device")

    async def main():
        page = Page(engine)
        await page.act("solo", rules="classic", level="hard")
        await page.until(
            lambda view: is_playing(view) and any(view["table"]["game"]["can"].values())
        )
        monkeypatch.setattr(TableJournal, "keep", fail)
        monkeypatch.setattr(Journal, "append", fail)
        with suppress(OSError, IntentRefused):
            await page.act("draw")
        view = await page.until(lambda view: view["notice"] and view)
        assert view["notice"]["code"] == "not-kept"
        await page.until(lambda view: view["table"]["stage"]["name"] == "stopped")
        game = engine.view()["table"]["game"]
        await page.act("solo", rules="duel", level="hard")
        monkeypatch.undo()
        await engine.close()
        return game

    game = asyncio.run(main())
    assert not game["mine"]
    assert not any(game["can"].values())


def test_what_a_killed_program_left_is_swept_up(tmp_path: Path):
    with engine_at(tmp_path) as engine:
        left = engine.profile.dirs.state / "alone" / "table-x" / "seat-1"
    left.mkdir(parents=True)
    with engine_at(tmp_path):
        assert not left.parent.exists()


def test_a_name_is_kept(engine: PlayEngine):
    asyncio.run(engine.act({"do": "name", "name": "Selin"}))
    assert engine.view()["me"]["name"] == "Selin"
    assert (engine.profile.dirs.config / "name").read_text() == "Selin\n"


def test_no_key_is_in_any_view(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="duel", level="hard")
        seen = []
        async for view in page.views():
            seen.append(str(view))
            if view["table"]["game"] is not None:
                break
        await engine.close()
        return seen

    secret = (engine.profile.dirs.data / "identity.key").read_text().split()[-1]
    assert not any(secret in view for view in asyncio.run(main()))
