"""A hand of every game from the first screen to the audited end, on the page of the real program."""

import time
from pathlib import Path

import pytest

from p2pokey.rules.published import RULE_SETS
from tests.web.real.playing import Player
from tests.web.real.seating import begin_solo, points_on_screen, verified
from tests.web.real.visiting import Guest, House, visit

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1000)]

EVENINGS = (
    ("classic", "101-classic", "101-rising"),
    ("101-standard", "101-challenge", "101-progressive"),
    ("51", "51-feeding", "duel"),
)
"""One program and one page for the games of each: a start takes as long as some hands."""


def test_every_game_is_in_one_of_the_evenings() -> None:
    assert sorted(game for games in EVENINGS for game in games) == sorted(RULE_SETS)


@pytest.mark.parametrize("games", EVENINGS, ids=" ".join)
def test_a_hand_of_every_game_is_played_alone(games: tuple[str, ...], tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guest = await house.enter("Selin", "--pace", "0")
        for rules in games:
            begun = time.monotonic()
            player = await _play_a_hand(guest, rules)
            taken = time.monotonic() - begun
            print(f"{rules}: {len(player.done)} moves, {taken:.1f} s", flush=True)
            await guest.click(".result button:has-text('Leave the table')")
            await guest.see("dialog.question, .lobby")  # asked where the match is not over
            if await guest.page.locator("dialog.question").count():
                await guest.click("[data-answer=yes]")
            await guest.see(".lobby")

    visit(tmp_path, play)


async def _play_a_hand(guest: Guest, rules: str) -> Player:
    await begin_solo(guest, rules)
    player = Player(guest, hints=True)
    await player.play_hand()
    await verified(guest)
    end = await guest.read("view.table.end")
    assert await guest.read("view.table.rules") == rules
    for seat, points in enumerate(end["points"]):
        assert sum(line["points"] for line in end["lines"][seat]) == points
    assert len(await points_on_screen(guest)) == RULE_SETS[rules].players
    assert player.done
    assert guest.errors == []
    return player
