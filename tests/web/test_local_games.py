"""Whole hands of every game through the page's intents, with what each seat sees checked."""

import asyncio
import random

import pytest

from p2pokey.rules.moves import Move
from p2pokey.rules.published import RULE_SETS
from p2pokey.tiles import Seat, format_tile
from tests.web.local_engine import LocalEngine
from tests.web.local_table import LocalTable, is_over
from tests.web.players import pick, tiles_in
from tests.web.schema import check_view

MAX_MOVES = 3000
LOOKS = 6
HANDS = 2


def _engines(table: LocalTable) -> list[LocalEngine]:
    return [LocalEngine(table, seat=seat) for seat in range(table.seats)]


async def _play(table: LocalTable, rng: random.Random) -> list[Move]:
    """All seats are people; one after the other does what its view offers."""
    engines = _engines(table)
    while not is_over(table.state):
        assert len(table.moves) < MAX_MOVES
        seat = table.state.turn
        for engine in engines:
            # All seats now and then: a view takes much longer than a move.
            if engine.seat == seat or len(table.moves) % LOOKS == 0:
                view = engine.view()
                check_view(view)
                _check_concealed(table, engine.seat, view)
        view = engines[seat].view()
        await engines[seat].act(pick(view["table"]["game"], rng))
    for engine in engines:
        check_view(engine.view())
    return [move for _, move in table.moves]


def _check_concealed(table: LocalTable, seat: int, view: dict) -> None:
    """No tile of the stack or of another rack is in the view unless everybody knows it."""
    state = table.state
    hidden = {slot for slot, face in enumerate(state.faces) if face is None}
    hidden -= set(state.racks[Seat(seat)])
    names = {format_tile(table.deck[slot]) for slot in hidden}
    assert not names & tiles_in(view)


@pytest.mark.parametrize("key", sorted(RULE_SETS))
def test_every_game_is_played_to_its_end_by_intents(key: str) -> None:
    kinds = set()
    for seed in range(HANDS):
        rules = RULE_SETS[key]
        table = LocalTable(key, people=range(rules.players), seed=seed)
        moves = asyncio.run(_play(table, random.Random(seed)))
        kinds |= {type(move).__name__ for move in moves}
        assert is_over(table.state)
    expected = {"Play"} if key == "duel" else {"Discard", "DrawStack"}
    expected |= {"Open"} if RULE_SETS[key].table else set()
    assert expected <= kinds


@pytest.mark.parametrize("key", sorted(RULE_SETS))
def test_the_automatic_players_play_on_when_a_person_has_moved(key: str) -> None:
    async def run() -> None:
        table = LocalTable(key, seed=5, pause_s=0)
        engine = LocalEngine(table)
        rng = random.Random(5)
        seen = asyncio.Event()
        engine.subscribe(seen.set)
        while not is_over(table.state):
            view = engine.view()
            if view["table"]["game"]["mine"]:
                await engine.act(pick(view["table"]["game"], rng))
            else:
                seen.clear()
                await seen.wait()
        assert engine.view()["table"]["end"] is not None
        await engine.act({"do": "ready", "play": True})
        assert engine.view()["table"]["end"] is None
        table.close()

    asyncio.run(asyncio.wait_for(run(), 60))
