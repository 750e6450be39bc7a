"""Friends play whole hands against each other: a program, a page and a link each, real WebRTC between."""

import asyncio
from pathlib import Path

import pytest

from tests.web.browser.performing import Finger, Keys, Mouse
from tests.web.real.playing import Player
from tests.web.real.seating import all_seated, host, join, points_on_screen, verified
from tests.web.real.visiting import Guest, House, visit

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1300)]

NAMES = ("Ayşe", "Baran", "Ceren", "Deniz")
WAYS: tuple[type[Mouse], ...] = (Mouse, Mouse, Finger, Keys)
"""How each of them plays: by mouse, with fingers on a phone, by keys alone."""
SECONDS = 1200


async def gather_friends(
    house: House, rules: str, *switches: str, players: int = 4, bots: int = 0
) -> list[Guest]:
    """Everybody at one table: the first hosts, the others paste the link."""
    guests = [
        await house.enter(name, size=way.size, touch=way.touch)
        for name, way in zip(NAMES[:players], WAYS, strict=False)
    ]
    link = await host(guests[0], rules, *switches, bots=bots)
    for guest in guests[1:]:
        await join(guest, link)
    await all_seated(guests)
    return guests


async def play_together(guests: list[Guest], *, hints: bool = False) -> None:
    """All play at once, each with their own page, to the audited end; all see the same."""
    players = [
        Player(guest, hints=hints, seed=n, way=WAYS[n] if len(guests) == len(WAYS) else Mouse)
        for n, guest in enumerate(guests)
    ]
    async with asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.play_hand(SECONDS))
    await asyncio.gather(*(verified(guest) for guest in guests))
    ends = [await guest.read("view.table.end") for guest in guests]
    for end in ends:
        assert (end["points"], end["totals"]) == (ends[0]["points"], ends[0]["totals"])
        assert end["racks"] == ends[0]["racks"]
    screens = [await points_on_screen(guest) for guest in guests]
    assert all(len(screen) == len(ends[0]["points"]) for screen in screens)
    assert all(sorted(screen.values()) == sorted(screens[0].values()) for screen in screens)
    words = [await guest.read("view.table.trust.words") for guest in guests]
    assert all(len(four) == 4 and four == words[0] for four in words)
    assert [guest.errors for guest in guests] == [[] for _ in guests]
    assert all(player.done for player in players)
    print([(guest.name, len(player.done)) for guest, player in zip(guests, players, strict=True)])


def test_four_play_a_hand_of_classic_over_webrtc(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        await play_together(await gather_friends(house, "classic"))

    visit(tmp_path, play, server=True, seconds=SECONDS)


def test_two_play_a_duel_by_pasting_a_link(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        await play_together(await gather_friends(house, "duel", players=2))

    visit(tmp_path, play, server=True, seconds=SECONDS)


def test_four_play_101_rising_with_partners(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guests = await gather_friends(house, "101-rising", "Partners", "Assisted")
        people = await guests[0].read("view.table.people")
        assert [one["team"] for one in people] == [0, 1, 0, 1]
        await play_together(guests, hints=True)

    visit(tmp_path, play, server=True, seconds=SECONDS)
