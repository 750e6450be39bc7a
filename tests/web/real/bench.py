"""What a player feels, measured on pages of real programs: `python -m tests.web.real.bench`.

Prints medians of one run beside what is asked for and a floor below which nothing can be: the empty
page of the same browser, the way from the page to its program and back. Nothing is asserted. Only a
computer with nothing else to do gives figures that mean something; the load is printed with them.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.async_api import Page

from tests.web.browser.browsing import PHONE
from tests.web.real import stopwatch
from tests.web.real.frames import drag_frames
from tests.web.real.playing import Player, Seen, is_to_move, look, sensible
from tests.web.real.seating import all_seated, begin_solo, host, join
from tests.web.real.visiting import Guest, House, open_house

NAMES = ("Ayse", "Baran", "Ceren", "Deniz")
SLOW_PHONE = 4
"""How many times slower than this computer a phone is taken to be."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One line of the result; milliseconds."""

    what: str
    median: float
    worst: float
    asked: float | None
    floor: float | None
    n: int


def figure(
    what: str, taken: list[float], *, asked: float | None = None, floor: float | None = None
) -> Figure:
    """Of single measurements; `asked` and `floor` in milliseconds as well."""
    return Figure(
        what=what,
        median=statistics.median(taken),
        worst=max(taken),
        asked=asked,
        floor=floor,
        n=len(taken),
    )


async def ready(house: House, runs: int) -> list[Figure]:
    """From the printed address to a lobby that can be used, each time with an empty cache."""
    taken, blank, starts = [], [], []
    for n in range(runs):
        begun = time.perf_counter()
        folder = house.folder / f"ready{n}"
        folder.mkdir()
        program = house.start(folder, "--name", "Selin")
        record = await asyncio.to_thread(program.wait_for, "PageReady")
        starts.append(_since(begun))
        context = await house.browser.new_context()
        page = await context.new_page()
        begun = time.perf_counter()
        await page.goto(record["address"].split("#")[0] + "icon.svg")
        blank.append(_since(begun))
        begun = time.perf_counter()
        await page.goto(record["address"], wait_until="commit")
        await page.locator("[data-choice=solo]").wait_for()
        taken.append(_since(begun))
        await context.close()
        program.close()
    return [
        figure("`p2pokey play` prints its address", starts),
        figure("page ready after that", taken, asked=1000, floor=statistics.median(blank)),
    ]


async def alone(house: House, moves: int) -> list[Figure]:
    """A game against computer players: dragging, and the own moves."""
    guest = await house.enter("Selin")
    await begin_solo(guest, "101-rising")
    await guest.see(".rack [data-tile]")
    made = [await _dragging(house, guest, "")]
    session = await guest.context.new_cdp_session(guest.page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_PHONE})
    await guest.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    made.append(await _dragging(house, guest, f", {SLOW_PHONE} times slower, phone size"))
    await session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    await guest.page.set_viewport_size({"width": 1280, "height": 800})
    await stopwatch.watch(guest.page)
    floor = statistics.median(await stopwatch.round_trips(guest.page, 20))
    own = Own()
    player = Player(guest)
    while len(own.discards) < moves and not (await _once(player, own))["shown"]:
        pass
    made.append(figure("own discard to own screen, alone", own.discards, asked=100, floor=floor))
    made.append(figure("own draw to own screen, alone", own.draws, floor=floor))
    guest.program.close()
    await guest.context.close()
    return made


async def _dragging(house: House, guest: Guest, how: str) -> Figure:
    frames = await drag_frames(house.browser, guest.page)
    high = sorted(frames)[int(len(frames) * 0.99)]
    return Figure(
        what=f"script per drag frame, p99{how}",
        median=high,
        worst=max(frames),
        asked=16,
        floor=statistics.median(frames),
        n=len(frames),
    )


class Own:
    """Times from a click to the own screen."""

    def __init__(self) -> None:
        self.discards: list[float] = []
        self.draws: list[float] = []


async def _once(player: Player, own: Own) -> Seen:
    """One own move, timed from inside the page."""
    seen = await player.play_until(lambda seen: is_to_move(seen) or seen["shown"])
    if seen["shown"]:
        return seen
    held = len(seen["game"]["rack"])
    made = len(player.done)
    await player.move(seen)
    intent = player.done[made]
    log = await stopwatch.read(player.page)
    clicked = log["clicks"][-1][1]
    if intent["do"] == "discard":
        own.discards.append(await _first_sight(player.page, intent["tile"]) - clicked)
    elif intent["do"] == "draw":
        own.draws.append(await _first_rack(player.page, held + 1, clicked) - clicked)
    return await look(player.page) or seen


async def together(house: House, hands: int, moves: int) -> list[Figure]:
    """Four programs and pages: new hands, and a friend's discard on the other three pages."""
    guests = await _sit_down(house)
    dealt = [await _dealt(guests)]
    for _ in range(1, hands):
        for guest in guests:
            guest.program.close()
            await guest.context.close()
        guests = await _sit_down(house)
        dealt.append(await _dealt(guests))
    floor = statistics.median(await stopwatch.round_trips(guests[0].page, 20))
    own, seen_by = await _discards(guests, moves)
    return [
        figure("new hand shuffled, verified and dealt, four", dealt, asked=3000),
        figure("own discard to own screen, four", own, asked=100, floor=floor),
        figure("a friend's discard on the other three", seen_by, asked=300, floor=floor),
    ]


async def _sit_down(house: House) -> list[Guest]:
    """A new table of four, dealt."""
    guests = [await house.enter(name) for name in NAMES]
    link = await host(guests[0], "classic", "Unlinkable")
    for guest in guests:
        await stopwatch.watch(guest.page)
    for guest in guests[1:]:
        await join(guest, link)
    await all_seated(guests)
    return guests


async def _dealt(guests: list[Guest]) -> float:
    """From the first page that shows the hand's beginning to the last one that shows its tiles."""
    logs = [await stopwatch.read(guest.page) for guest in guests]
    begins, ends = [], []
    for log in logs:
        stages = [when for name, when in log["stages"] if name in ("keys", "?keys")]
        shown = [when for tiles, when in log["racks"] if tiles >= 14]
        begins.append(stages[-1])
        ends.append(next(when for when in shown if when > stages[-1]))
    return max(ends) - min(begins)


async def _discards(guests: list[Guest], moves: int) -> tuple[list[float], list[float]]:
    """Every discard of some turns: on the own page, and on each of the others."""
    own: list[float] = []
    others: list[float] = []
    players = {
        await guest.read("view.table.seat"): Player(guest, seed=n) for n, guest in enumerate(guests)
    }
    while len(own) < moves:
        player, seen = await _whose_turn(list(players.values()))
        if player is None or seen is None:
            break
        intent = sensible(seen["game"], player._rng)
        await player.move(seen)
        intent = player.done[-1]
        if intent["do"] != "discard":
            continue
        clicked = (await stopwatch.read(player.page))["clicks"][-1][1]
        for other in players.values():
            when = await _first_sight(other.page, intent["tile"])
            (own if other is player else others).append(when - clicked)
    return own, others


async def _whose_turn(players: list[Player]) -> tuple[Player | None, Seen | None]:
    async with asyncio.timeout(120):
        while True:
            for player in players:
                seen = await look(player.page)
                if seen is not None and seen["shown"]:
                    return None, None
                if seen is not None and is_to_move(seen):
                    return player, seen
            await asyncio.sleep(0.05)


async def _first_sight(page: Page, tile: str) -> float:
    """When that tile was first seen on a pile."""

    async def seen() -> bool:
        return tile in (await stopwatch.read(page))["tops"]

    await _until(seen)
    return float((await stopwatch.read(page))["tops"][tile])


async def _first_rack(page: Page, tiles: int, after: float) -> float:
    """When the rack first showed so many faces."""

    async def found() -> list[float]:
        racks = (await stopwatch.read(page))["racks"]
        return [when for held, when in racks if when > after and held == tiles]

    async def seen() -> bool:
        return bool(await found())

    await _until(seen)
    return (await found())[0]


async def _until(true: Callable[[], Awaitable[bool]], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not await true():
        assert time.monotonic() < until, "it did not happen in time"
        await asyncio.sleep(0.05)


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


HEAD = f"{'':<60}{'median':>9}{'worst':>9}{'asked':>8}{'floor':>8}{'n':>6}"


def line(one: Figure) -> str:
    """One row of the table; the worst single value beside the median."""
    asked = "" if one.asked is None else f"{one.asked:.0f}"
    floor = "" if one.floor is None else f"{one.floor:.1f}"
    return f"{one.what:<60}{one.median:>9.1f}{one.worst:>9.1f}{asked:>8}{floor:>8}{one.n:>6}"


async def measure(parts: list[str], *, quick: bool, tell: Callable[[str], None]) -> list[Figure]:
    """The named parts, one after the other."""
    runs, moves, hands = (2, 2, 1) if quick else (9, 12, 4)
    known: dict[str, Callable[[House], Awaitable[list[Figure]]]] = {
        "ready": lambda house: ready(house, runs),
        "alone": lambda house: alone(house, moves),
        "together": lambda house: together(house, hands, moves),
    }
    found: list[Figure] = []
    for name in parts:
        with tempfile.TemporaryDirectory(prefix="p2pokey-bench-") as folder:
            async with open_house(Path(folder), server=name == "together") as house:
                made = await known[name](house)
        for one in made:
            tell(line(one))
        found += made
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the page.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="ready, alone, together; else all")
    parser.add_argument("--quick", action="store_true", help="few runs: only whether it works")
    parser.add_argument("--json", action="store_true", help="for machines")
    wishes = parser.parse_args()

    def tell(text: str) -> None:
        print(text, file=sys.stderr if wishes.json else sys.stdout, flush=True)

    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    tell(f"Load before: {load}; {os.cpu_count()} cores. Milliseconds.\n\n{HEAD}")
    parts = wishes.parts or ["ready", "alone", "together"]
    figures = asyncio.run(measure(parts, quick=wishes.quick, tell=tell))
    if wishes.json:
        json.dump([asdict(one) for one in figures], sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
