"""Tables for the tests of this folder, at interesting points of a hand."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from tests.web.local_engine import LocalEngine
from tests.web.local_table import LocalTable
from tests.web.players import pick

Json = dict[str, Any]
MOST_MOVES = 900


def lobby(**settings: Any) -> Callable[[], LocalEngine]:
    """A player in the lobby."""

    def make() -> LocalEngine:
        engine = LocalEngine(name="Selin", pause_s=0)
        engine.settings |= {"lang": "en", **settings}
        return engine

    return make


def seated(
    rules: str, *, lang: str = "en", theme: str = "felt", **options: Any
) -> Callable[[], LocalEngine]:
    """A player at a table whose hand has just been dealt."""

    def make() -> LocalEngine:
        options.setdefault("pause_s", 0)
        table = LocalTable(rules, **options)
        table.names[0] = "Selin"
        engine = LocalEngine(table, name="Selin")
        engine.settings |= {"lang": lang, "theme": theme}
        return engine

    return make


async def advance(engine: LocalEngine, there: Callable[[Json], bool], seed: int = 4) -> Json:
    """Plays for the person until the table looks like that, over several hands if it must.

    `never` stops at the end of the first hand.
    """
    rng = random.Random(seed)
    for _ in range(MOST_MOVES):
        table = engine.view()["table"]
        if there(table) or (table["end"] is not None and there is never):
            return table
        if table["end"] is not None:
            await engine.act({"do": "ready", "play": True})
        elif table["game"]["mine"]:
            await engine.act(pick(table["game"], rng))
        else:
            await asyncio.sleep(0.005)
    raise AssertionError("the hand never came to that point")


def may(name: str) -> Callable[[Json], bool]:
    """Whether the player may do that now."""
    return lambda table: bool(table["game"]["can"][name])


def is_mine(table: Json) -> bool:
    """Whether the player is to move."""
    return bool(table["game"]["mine"])


def never(table: Json) -> bool:
    """Plays to the end of the hand."""
    return False


def rack(engine: LocalEngine) -> list[str]:
    """The player's tiles."""
    return list(engine.view()["table"]["game"]["rack"])


def did(engine: LocalEngine, name: str) -> list[Json]:
    """The intents of that name that the page has sent."""
    return [dict(intent) for intent in engine.intents if intent["do"] == name]
