"""Pictures of the page for the documentation: `python -m tests.web.browser.pictures [FOLDER]`.

They show the real page with a seeded table, so that they come out the same until the page changes.
"""

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.web.browser.browsing import DESKTOP, LANDSCAPE, PHONE, Visit, browse
from tests.web.browser.tables import advance, is_mine, lobby, never, seated
from tests.web.local_engine import LocalEngine

Step = Callable[[Visit, LocalEngine], Awaitable[None]]


def _is_busy(table: Any) -> bool:
    game = table["game"]
    return is_mine(table) and len(game["melds"]) > 5 and game["can"]["draw"]


async def _busy(visit: Visit, engine: LocalEngine) -> None:
    assert engine.table is not None
    for seat, line in ((1, "herkese selam"), (2, "bol şans!")):
        engine.table.say(engine.table.people[0].__class__(seat), text=line)
    await advance(engine, _is_busy)
    await visit.page.locator("[data-act=sort-runs]").click()


async def _proof(visit: Visit, engine: LocalEngine) -> None:
    await _busy(visit, engine)
    await visit.page.locator("button.trust").click()


async def _end(visit: Visit, engine: LocalEngine) -> None:
    await advance(engine, never)
    await visit.page.locator(".result").wait_for()


async def _nothing(visit: Visit, engine: LocalEngine) -> None:
    pass


TABLE = {"seed": 3, "timer_s": 30}
PICTURES: dict[str, tuple[Callable[[], LocalEngine], Step, tuple[int, int]]] = {
    "lobby": (lobby(), _nothing, DESKTOP),
    "table": (seated("101-rising", **TABLE), _busy, DESKTOP),
    "proof": (seated("101-rising", **TABLE), _proof, DESKTOP),
    "result": (seated("101-rising", seed=1), _end, DESKTOP),
    "duel": (seated("duel", seed=1), _busy, DESKTOP),
    "phone": (seated("101-rising", lang="tr", **TABLE), _busy, PHONE),
    "landscape": (seated("101-rising", lang="tr", **TABLE), _busy, LANDSCAPE),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes pictures of the page.")
    parser.add_argument("folder", nargs="?", default="docs/images", type=Path)
    folder = parser.parse_args().folder
    for name, (make, reach, size) in PICTURES.items():

        async def take(
            visit: Visit, engine: LocalEngine, name: str = name, reach: Any = reach
        ) -> None:
            await reach(visit, engine)
            await visit.page.wait_for_timeout(2600)  # until nothing glows
            await visit.page.screenshot(path=folder / f"{name}.png")

        browse(make, take, size=size)
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
