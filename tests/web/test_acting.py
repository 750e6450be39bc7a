"""Intents: everything offered is accepted, everything else is refused, nothing breaks."""

import asyncio
import contextlib
import random
from typing import Any

import pytest

from p2pokey.errors import RuleError
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Add, ClaimFinish, Lay, Move, Open
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, format_tile, parse_face, parse_tile
from p2pokey.web.acting import MOVES, move_of
from p2pokey.web.choices import choices
from p2pokey.web.engine import IntentRefused
from p2pokey.web.game_view import game_json
from p2pokey.web.hints import advice, hints_json, intent_of
from p2pokey.web.sorting import sorts_json
from tests.bots.hands import Source
from tests.web.courses import course
from tests.web.local_engine import LocalEngine
from tests.web.local_table import LocalTable
from tests.web.players import choices_of, tiles_in
from tests.web.schema import check_game, check_view

KEYS = sorted(RULE_SETS)


@pytest.mark.parametrize("key", KEYS)
def test_moves_become_the_same_moves_again(key: str) -> None:
    for seed in range(4):
        for view, move in course(key, seed):
            made = move_of(view, intent_of(move))
            if isinstance(move, Open | Lay | ClaimFinish):
                assert _tiles(made.melds) == _tiles(move.melds)
                continue
            assert made == move


def _tiles(melds: Any) -> list[set[int]]:
    return [{placed.tile for placed in meld.tiles} for meld in melds]


@pytest.mark.parametrize("key", KEYS)
def test_what_is_offered_is_accepted_and_the_rest_has_a_reason(key: str) -> None:
    for view, move in course(key, "offer", every=3):
        game = game_json(view)
        for intent in choices_of(game):
            move_of(view, intent)
        can, why = choices(view)
        for name in ("draw", "take", "pass", "return", "take_back", "go_pairs"):
            if not can[name] and name in why:
                with pytest.raises(IntentRefused) as refused:
                    move_of(view, {"do": name.replace("_", "-")})
                assert refused.value.details == why[name]
        for name, reason in why.items():
            if name.startswith("discard "):
                with pytest.raises(IntentRefused) as refused:
                    move_of(view, {"do": "discard", "tile": name.split()[1]})
                assert refused.value.details == reason
        assert intent_of(move)["do"] in MOVES


def test_nobody_moves_in_anothers_turn() -> None:
    view, _ = next(course("classic", "turn"))
    other = View(state=view.state, seat=Seat(1))
    can, why = choices(other)
    assert not any(can.values())
    assert {reason["rule"] for reason in why.values()} == {"M-1"}
    with pytest.raises(IntentRefused) as refused:
        move_of(other, {"do": "draw"})
    assert refused.value.details["rule"] == "M-1"


@pytest.mark.parametrize("key", KEYS)
def test_a_drawn_tile_that_cannot_be_read_yet_is_nothing_to_act_with(key: str) -> None:
    looked = 0
    for view, _ in course(key, "unread", every=2):
        if view.state.phase is not Phase.PLAY or not view.private:
            continue
        *known, (slot, tile) = view.private
        if slot != view.state.racks[view.seat][-1]:
            continue
        looked += 1
        unread = View(state=view.state, seat=view.seat, private=tuple(known))
        game = game_json(unread)
        check_game(game, view.state.seats)
        assert game["rack"][-1] is None
        assert format_tile(tile) not in tiles_in(game)
        for intent in choices_of(game):
            move_of(unread, intent)
        assert advice(unread, Source("unread")) is None
        sorts_json(unread)
        hints_json(unread)
        if key == "classic":
            assert game["can"]["finish"] == []
    assert looked


# --- hostile intents ---

_WORDS = [
    "r5a",
    "**a",
    "**b",
    "k13b",
    "y1a",
    "low",
    "high",
    "run",
    "set",
    "pair",
    "",
    "r5",
    "\u202e",
]
_FIELDS = [
    "tile", "tiles", "melds", "meld", "end", "place", "supply", "discard", "additions", "table",
    "sure", "rows", "text", "code", "seat", "on", "play", "order", "by", "seq", "yes", "name",
    "rules", "options", "invite", "data", "id", "lang", "theme", "shapes", "kind", "as",
]  # fmt: skip
_OTHERS = [
    "stage", "layout", "say", "mute", "answer", "ready", "seating", "settings", "name", "replay",
    "host", "join", "solo", "hint", "step", "see", "close", "what",
]  # fmt: skip
_DOES = [*sorted(MOVES), *_OTHERS]


def _any(rng: random.Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        return rng.choice([None, True, False, 0, -1, 1.5, 2**70, -(2**70)])
    if kind == 1:
        return rng.randrange(-2, 120)
    if kind <= 5:
        return rng.choice(_WORDS)
    if kind == 6:
        return [_any(rng, depth - 1) for _ in range(rng.randrange(5))]
    return {rng.choice(_FIELDS): _any(rng, depth - 1) for _ in range(rng.randrange(4))}


def _intent(rng: random.Random) -> dict[str, Any]:
    name = rng.choice(_DOES) if rng.random() < 0.95 else _any(rng)
    return {"do": name, **{field: _any(rng) for field in rng.sample(_FIELDS, rng.randrange(9))}}


def _try(view: View, intent: dict[str, Any]) -> Move | None:
    """The move, which must then be legal; None where it was refused in proper form."""
    try:
        move = move_of(view, intent)
    except IntentRefused as error:
        code = error.code
    else:
        engine_for(view.state.rules).check(view, move)
        return move
    assert code in ("rule", "form", "unknown")
    return None


def test_a_hostile_intent_is_refused_or_a_legal_move() -> None:
    rng = random.Random(1)
    for _ in range(6000):
        _try(rng.choice(_VIEWS), _intent(rng))


@pytest.mark.parametrize("key", KEYS)
def test_an_engine_survives_whatever_a_page_sends(key: str) -> None:
    async def run() -> None:
        rng = random.Random(f"engine {key}")
        for seed in range(3):
            engine = LocalEngine(LocalTable(key, seed=seed, held=True))
            for _ in range(60):
                with contextlib.suppress(IntentRefused):
                    await engine.act(_intent(rng))
                check_view(engine.view())
            engine.leave()

    asyncio.run(run())


def test_own_tiles_in_wrong_places_are_refused_or_legal() -> None:
    rng = random.Random(2)
    made = 0
    for _ in range(4000):
        view = rng.choice(_VIEWS)
        move = _try(view, _tile_intent(rng, view))
        if move is not None:
            engine_for(view.state.rules).apply(view.state, move)
            made += 1
    assert made > 100


def _tile_intent(rng: random.Random, view: View) -> dict[str, Any]:
    """A move of known tiles, most of which do not go together."""
    tiles = [format_tile(tile) for _, tile in view.rack()]
    tiles += [format_tile(tile) for tile in view.state.faces if tile is not None][-6:]
    mixed = rng.sample(sorted(set(tiles)), min(12, len(set(tiles))))
    sizes = [rng.randrange(5) for _ in range(rng.randrange(4))]
    heaps = [[mixed.pop() for _ in range(min(size, len(mixed)))] for size in sizes]
    return {
        "do": rng.choice(sorted(MOVES)), "tile": rng.choice(tiles), "melds": heaps,
        "table": heaps, "tiles": rng.sample(tiles, 2), "discard": rng.choice(tiles),
        "supply": rng.sample(tiles, rng.randrange(3)), "meld": rng.randrange(6),
        "place": rng.randrange(4), "end": rng.choice(["low", "high"]),
        "sure": rng.random() < 0.5,
    }  # fmt: skip


_VIEWS = [view for key in KEYS for view, _ in course(key, "fuzz", every=25)]


# --- single intents ---


def _late(key: str, wanted: type[Move]) -> tuple[View, Move]:
    """A view before such a move."""
    for seed in range(40):
        for view, move in course(key, f"late {seed}"):
            if isinstance(move, wanted):
                return view, move
    raise AssertionError(f"no {wanted.__name__} in {key}")


def test_the_end_and_the_order_of_added_tiles_need_not_be_named() -> None:
    view, move = _late("101-rising", Add)
    assert isinstance(move, Add)
    intent = intent_of(move)
    del intent["end"]
    made = move_of(view, intent)
    assert isinstance(made, Add)
    assert made.tiles == move.tiles


def test_an_opening_that_would_be_charged_needs_a_player_who_is_sure() -> None:
    view, move = _late("101-standard", Open)
    assert isinstance(move, Open)
    low = {"do": "open", "melds": intent_of(move)["melds"][:1]}
    with pytest.raises(IntentRefused) as refused:
        move_of(view, low)
    assert refused.value.details["rule"] == "OT-7"
    assert refused.value.details["numbers"]["floor"] >= 5
    assert isinstance(move_of(view, {**low, "sure": True}), Open)


def test_refusals_name_rule_and_figures() -> None:
    view, move = _late("101-rising", Open)
    assert isinstance(move, Open)
    with pytest.raises(IntentRefused) as refused:
        move_of(view, {"do": "open", "melds": intent_of(move)["melds"][:1]})
    details = refused.value.details
    assert details["rule"] == "OT-7"
    have = details["numbers"]["have"]
    assert (
        details["text"] == f"floor {details['numbers']['floor']}, you have {have}"
        or "pairs" in details["text"]
    )


def test_choices_match_a_randomcourse() -> None:
    """Random legal moves lead to places where automatic players never come."""
    rng = random.Random(7)
    table = LocalTable("51-feeding", people=range(4), seed=7)
    for _ in range(60):
        view = table.view_of(table.state.turn)
        found = choices_of(game_json(view))
        if not found:
            break
        table.play(table.state.turn, move_of(view, rng.choice(found)))


def test_faces_and_tiles_in_names_are_those_of_the_rules() -> None:
    assert parse_tile("**b") == 105
    assert str(parse_face("k13")) == "k13"
    assert issubclass(RuleError, ValueError)
