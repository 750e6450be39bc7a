"""A whole hand of every game by clicks, against automatic players."""

import asyncio
import random

import pytest

from p2pokey.rules.published import RULE_SETS
from tests.web.browser.browsing import Visit, browse
from tests.web.browser.performing import perform
from tests.web.browser.tables import seated
from tests.web.local_engine import LocalEngine
from tests.web.players import pick

pytestmark = pytest.mark.e2e

MOST_MOVES = 400


@pytest.mark.timeout(320)
@pytest.mark.parametrize("key", sorted(RULE_SETS))
def test_a_hand_is_played_to_its_end(key: str) -> None:
    async def play(visit: Visit, engine: LocalEngine) -> None:
        rng = random.Random(4)
        for _ in range(MOST_MOVES):
            table = engine.view()["table"]
            if table["end"] is not None:
                break
            if table["game"]["mine"]:
                await perform(visit, engine, pick(table["game"], rng))
            else:
                await asyncio.sleep(0.01)
        await visit.page.locator(".result").wait_for()
        lines = engine.view()["table"]["end"]["lines"]
        assert await visit.page.locator(".lines li").count() == sum(map(len, lines))

    browse(seated(key, seed=3), play, seconds=300)
