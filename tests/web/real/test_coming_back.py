"""A page that is loaded again and a program that is killed, both in the middle of a turn."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser.browsing import until, wait_js
from tests.web.real.playing import Player, Seen, is_to_move
from tests.web.real.seating import begin_solo
from tests.web.real.test_friends import SECONDS, gather_friends, play_together
from tests.web.real.visiting import WAIT_S, Guest, House, visit

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1300)]

_WHOLE_RACK = (
    "(rack => rack?.length && !rack.includes(null))(p2pokey.state.view?.table?.game?.rack)"
)
"""The others' keys for the drawn tile may come a moment after the rest."""


def _must_discard(seen: Seen) -> bool:
    """In the middle of a turn: the drawn tile is on the rack, the discard is still to come."""
    return is_to_move(seen) and seen["game"]["phase"] == "play"


async def _put_together(guest: Guest, tiles: list[str]) -> None:
    for tile in tiles:
        await guest.click(f'[data-tile="{tile}"]')
    await guest.click("[data-act=meld]")


async def _kept(guest: Guest) -> Any:
    """Waits until the program has the arrangement that the page shows."""
    rows = "JSON.stringify(p2pokey.state.local.rows)"
    layout = "JSON.stringify(p2pokey.state.view.table.layout)"
    await wait_js(guest.page, f"{rows} === {layout}", 60)
    return await guest.read("local.rows")


def _journal_bytes(guest: Guest) -> int:
    files = (guest.folder / "home" / "state" / "journals").rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file())


def test_a_page_is_loaded_again_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guest = await house.enter("Selin")
        await begin_solo(guest, "101-rising")
        player = Player(guest)
        seen = await player.play_until(_must_discard)
        await guest.click("[data-act=sort-pairs]")
        await _put_together(guest, (await guest.read("view.table.game.rack"))[:3])
        await guest.see(".lane.aside.busy .verdict")
        rows, melds = await _kept(guest), await guest.read("local.melds")
        await guest.page.reload()
        await guest.see(".rack [data-tile]")
        assert await guest.read("local.rows") == rows
        assert await guest.read("local.melds") == melds
        now = await guest.read("view.table.game")
        assert now["rack"] == seen["game"]["rack"]
        assert now["phase"] == "play"
        await guest.click(".lane.aside .drop-meld")
        turns = seen["game"]["stack"]
        await player.play_until(lambda seen: is_to_move(seen) and seen["game"]["stack"] < turns)
        assert guest.errors == []

    visit(tmp_path, play)


def test_a_killed_program_comes_back_from_the_lobby_and_the_hand_goes_on(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        stays, left = await gather_friends(house, "classic", players=2, bots=2)
        waiting = asyncio.create_task(Player(stays).play_until(_never))
        seen = await Player(left).play_until(_must_discard)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        written = _journal_bytes(left)
        await left.click("[data-act=sort-pairs]")
        rows = await _kept(left)
        await until(lambda: _journal_bytes(left) > written, 60)
        left.program.send(signal.SIGKILL)
        await left.see(".banner.bad")
        await stays.see(".seat.away")
        await left.context.close()

        back = await house.enter(left.name)
        await back.click(".resume .primary")
        await wait_js(back.page, _WHOLE_RACK, WAIT_S)
        now = await back.read("view.table.game")
        assert sorted(now["rack"]) == sorted(seen["game"]["rack"])
        assert (now["phase"], now["mine"]) == ("play", True)
        assert await back.read("local.rows") == rows
        everybody = "p2pokey.state.view.table.people.every(p => p.link === 'here')"
        await wait_js(stays.page, everybody, WAIT_S)
        await play_together([stays, back])

    visit(tmp_path, play, server=True, seconds=SECONDS)


def _never(seen: Seen) -> bool:
    return False
