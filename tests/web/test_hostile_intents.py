"""Whatever the page sends, the real engine does it or refuses it, and the game goes on."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from p2pokey.web import play_engine
from p2pokey.web.engine import IntentRefused
from p2pokey.web.play_engine import PlayEngine
from tests.web.engines import Page, engine_at, is_playing
from tests.web.schema import check_view

NAMES = (
    "name", "settings", "dismiss", "solo", "share", "host", "join", "resume", "forget", "public",
    "past", "save", "replay", "step", "see", "close", "reopen", "admit", "bots", "accept-key",
    "stage", "layout", "hint", "say", "phrase", "mute", "ready", "rematch", "seating", "kick",
    "answer", "void", "recheck", "take-seat", "draw", "take", "pass", "return", "take-back",
    "go-pairs", "show", "discard", "finish", "open", "lay", "add", "retrieve", "claim", "play", "",
)  # fmt: skip
KEYS = (
    "rules", "options", "name", "level", "invite", "password", "server", "id", "data", "size", "at",
    "to", "seat", "n", "yes", "count", "bots", "melds", "rows", "text", "code", "on", "play", "order",
    "by", "seq", "tile", "tiles", "meld", "end", "place", "supply", "discard", "additions", "table",
    "listed", "hands", "timer_s", "theme", "other", "sure",
)  # fmt: skip
LEAVES_THE_TABLE = ("solo", "share", "leave", "cancel", "ready")
"""Proper intents that end a table alone."""


def junk(rng: random.Random, depth: int = 0) -> Any:
    leaves = [
        None, True, False, 0, 1, -1, 3, 2**40, 1.5, float("nan"), "", "x", "r5a", "**a", "r5", "ı\u202e",
        "x" * 600, "classic", "duel", "../../etc/passwd", "ws://127.0.0.1:1", "\ud800", "K7Q2M",
    ]  # fmt: skip
    if depth < 3 and rng.random() < 0.3:
        if rng.random() < 0.5:
            return [junk(rng, depth + 1) for _ in range(rng.randrange(5))]
        return {rng.choice(KEYS): junk(rng, depth + 1) for _ in range(rng.randrange(4))}
    return rng.choice(leaves)


def intents(seed: int, count: int, leave_out: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    names = [name for name in NAMES if name not in leave_out]
    return [
        {
            **{rng.choice(KEYS): junk(rng) for _ in range(rng.randrange(6))},
            "do": rng.choice(names) if rng.random() < 0.97 else junk(rng),
        }
        for _ in range(count)
    ]


async def throw(engine: PlayEngine, thrown: list[dict[str, Any]]) -> None:
    for intent in thrown:
        try:
            await engine.act(intent)
        except IntentRefused:
            pass
        except Exception as error:
            raise AssertionError(f"{intent} has caused {error!r}") from error


@pytest.mark.parametrize("seed", range(3))
def test_in_the_lobby(tmp_path: Path, seed: int):
    async def main() -> None:
        with engine_at(tmp_path) as engine:
            await throw(engine, intents(seed, 400))
            check_view(engine.view())
            await engine.close()

    asyncio.run(main())


@pytest.mark.parametrize("rules", ["classic", "101-challenge", "duel"])
def test_at_a_table(tmp_path: Path, rules: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(play_engine.LEVELS, "easy", 60.0)

    async def main() -> None:
        with engine_at(tmp_path) as engine:
            page = Page(engine)
            await page.act("solo", rules=rules, level="easy")
            await page.until(is_playing)
            await throw(engine, intents(7, 500, LEAVES_THE_TABLE))
            view = engine.view()
            check_view(view)
            assert view["table"]["rules"] == rules
            assert view["table"]["trust"]["failed"] == 0
            await engine.close()

    asyncio.run(main())
