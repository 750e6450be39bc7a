"""The newest tile is marked as long as it matters, and the last move is told by public facts."""

import pytest

from p2pokey.rules.distance import distance
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Placed
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.templates import rack_of
from p2pokey.tiles import Seat, Slot, Tile, format_tile
from p2pokey.web.following import NewTile, kind_of, move_json
from p2pokey.web.hints import advice, intent_of
from tests.bots.decks import shuffled
from tests.bots.hands import Source, dealt, view_of
from tests.web.courses import course


def test_the_drawn_tile_is_new_until_the_turn_has_passed() -> None:
    rules = RULE_SETS["classic"]
    deck = shuffled("new")
    state, _ = dealt(rules, deck)
    engine, watch, seat = engine_for(rules), NewTile(), Seat(1)
    first = view_of(state, deck, Seat(0)).rack()[0]
    assert watch.seen(view_of(state, deck, seat)) is None
    state, _ = engine.apply(state, Discard(_placed(first)))
    assert watch.seen(view_of(state, deck, seat)) is None
    drawn = deck[state.stack[0]]
    state, _ = engine.apply(state, DrawStack())
    assert watch.seen(view_of(state, deck, seat)) == drawn
    assert watch.seen(view_of(state, deck, seat)) == drawn
    state, _ = engine.apply(state, Discard(_placed(view_of(state, deck, seat).rack()[0])))
    assert watch.seen(view_of(state, deck, seat)) is None


def test_a_taken_tile_is_new_too() -> None:
    rules = RULE_SETS["classic"]
    deck = shuffled("taken")
    state, _ = dealt(rules, deck)
    engine, watch, seat = engine_for(rules), NewTile(), Seat(1)
    watch.seen(view_of(state, deck, seat))
    slot, tile = view_of(state, deck, Seat(0)).rack()[0]
    state, _ = engine.apply(state, Discard(_placed((slot, tile))))
    state, events = engine.apply(state, DrawLeft())
    assert watch.seen(view_of(state, deck, seat)) == tile
    assert move_json(seat, DrawLeft(), events)["tile"] == format_tile(tile)


def test_in_the_duel_a_drawn_tile_stays_new_through_the_others_turn() -> None:
    rules = RULE_SETS["duel"]
    deck = shuffled("duel new")
    state, _ = dealt(rules, deck)
    engine, watch, seat = engine_for(rules), NewTile(), Seat(0)
    watch.seen(view_of(state, deck, seat))
    drawn = deck[state.stack[0]]
    for _ in range(2):
        state, _ = engine.apply(state, DrawStack())
        assert watch.seen(view_of(state, deck, seat)) == drawn


def _placed(found: tuple[Slot, Tile]) -> Placed:
    return Placed(*found)


@pytest.mark.parametrize("key", sorted(RULE_SETS))
def test_a_move_is_told_by_what_it_made_public(key: str) -> None:
    for view, move in course(key, "told"):
        after, events = engine_for(view.state.rules).apply(view.state, move)
        told = move_json(view.state.turn, move, events)
        public = {format_tile(tile) for tile in after.faces if tile is not None}
        assert set(told["tiles"]) <= public
        assert told["kind"] == kind_of(move) == intent_of(move)["do"]
        charges = [charge["points"] for charge in told["charges"]]
        assert all(charges)
        if isinstance(move, DrawStack):
            assert told["tiles"] == []
            assert "tile" not in told


def test_an_advised_discard_says_what_then_is_missing() -> None:
    for view, move in course("classic", 3):
        if not isinstance(move, Discard):
            continue
        told = advice(view, Source("why"))
        assert told is not None
        if told["intent"]["do"] == "discard":
            kept = [tile for tile in view.rack() if format_tile(tile[1]) != told["intent"]["tile"]]
            lacks = distance(rack_of([tile for _, tile in kept], view.state.okey), wrap=True)
            assert told["why"]["missing"] == lacks > 0


def test_an_advised_discard_at_an_open_table_says_what_it_costs() -> None:
    found = (advice(view, Source("why")) for view, _ in course("101-rising", 2, every=7))
    discards = [one["why"] for one in found if one and one["intent"]["do"] == "discard"]
    assert discards
    assert all(set(why) == {"code", "charge"} for why in discards)
