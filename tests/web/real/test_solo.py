"""A hand of every game from the first screen to the audited end, on the page of the real program."""

from pathlib import Path

import pytest

from p2pokey.rules.published import RULE_SETS
from tests.web.real.playing import Player
from tests.web.real.seating import begin_solo, points_on_screen, verified
from tests.web.real.visiting import House, visit

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1000)]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_hand_of_every_game_is_played_alone(rules: str, tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guest = await house.enter("Selin")
        await begin_solo(guest, rules)
        player = Player(guest, hints=True)
        await player.play_hand()
        await verified(guest)
        end = await guest.read("view.table.end")
        for seat, points in enumerate(end["points"]):
            assert sum(line["points"] for line in end["lines"][seat]) == points
        assert len(await points_on_screen(guest)) == RULE_SETS[rules].players
        assert player.done
        assert guest.errors == []

    visit(tmp_path, play)
