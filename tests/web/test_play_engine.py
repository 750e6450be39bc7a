"""The real engine of the page: a solo hand with real peers, lobby intents, hostile intents."""

import asyncio
import base64
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.profile import open_profile
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.web import play_engine
from p2pokey.web.engine import IntentRefused
from p2pokey.web.play_engine import PlayEngine
from tests.peer.memory import GROUP
from tests.web.schema import check_view


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlayEngine:
    monkeypatch.setenv("P2POKEY_HOME", str(tmp_path))
    monkeypatch.setitem(play_engine.LEVELS, "hard", 0.0)
    with open_profile(OsEntropy(), guest=False) as profile:
        return PlayEngine(
            profile=profile,
            name="Ayşe",
            group=GROUP,
            hands=tmp_path / "hands",
            server="ws://127.0.0.1:1",
        )


class Page:
    """What the page does: looks at every view, and acts."""

    def __init__(self, engine: PlayEngine) -> None:
        self.engine = engine
        self.changed = asyncio.Event()
        engine.subscribe(self.changed.set)

    async def views(self) -> Any:
        """Every view that differs, until the test has seen enough."""
        while True:
            async with asyncio.timeout(60):
                await self.changed.wait()
            self.changed.clear()
            view = self.engine.view()
            check_view(view)
            yield view
            await asyncio.sleep(0)

    async def act(self, do: str, **more: Any) -> Any:
        return await self.engine.act({"do": do, **more})


def is_over(view: Any) -> bool:
    table = view["table"]
    return table is not None and table["end"] is not None and table["stage"]["name"] == "done"


async def play_hand(page: Page) -> Any:
    """The player takes every advice; returns the view in which the hand is over, and all stages."""
    stages = []
    async for view in page.views():
        table = view["table"]
        if table["stage"]["name"] not in stages:
            stages.append(table["stage"]["name"])
        if is_over(view):
            return view, stages
        game = table["game"]
        if table["handover"] is not None:
            assert game is None or game["rack"] == []
            await page.act("take-seat")
        elif game is not None and game["mine"] and any(game["can"].values()):
            with suppress(IntentRefused):  # the next move is asked for a moment after the view
                await page.act("hint")
                advice = page.engine.view()["table"]["advice"]
                await page.act(**{**advice["intent"], "sure": True})
    raise AssertionError("the views have ended")


@pytest.mark.parametrize("rules", ["classic", "51-feeding", "duel"])
def test_a_solo_hand_is_played_counted_saved_and_can_be_audited(engine: PlayEngine, rules: str):
    async def main():
        page = Page(engine)
        await page.act("solo", rules=rules, level="hard")
        view, stages = await play_hand(page)
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
        view, _ = await play_hand(page)
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


def test_past_hands_and_statistics(engine: PlayEngine):
    async def main():
        page = Page(engine)
        await page.act("solo", rules="duel", level="hard")
        await play_hand(page)
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
        ({"do": "step", "to": 1}, "no-replay"),
        ({"do": "see", "seat": 1}, "no-replay"),
        ({"do": "save", "id": "../../etc/passwd"}, "no-hand"),
        ({"do": "public", "server": 5}, "form"),
        ({"do": "public", "server": "ws://127.0.0.1:1"}, "server"),
    ],
)
def test_what_cannot_be_done_is_refused(engine: PlayEngine, intent: Any, code: str):
    assert refusal(engine, intent) == code
    check_view(engine.view())


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
