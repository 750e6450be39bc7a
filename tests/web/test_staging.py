"""Melds under construction: what STAGED says is what the rules then do."""

import random

import pytest

from p2pokey.bots.choosing import choose
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Discard, Lay, Open, Play
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.view import View
from p2pokey.tiles import format_tile
from p2pokey.web.acting import move_of, read_wishes
from p2pokey.web.engine import IntentRefused
from p2pokey.web.game_view import game_json
from p2pokey.web.hints import intent_of
from p2pokey.web.names import Json
from p2pokey.web.staging import Stage
from tests.bots.decks import shuffled
from tests.bots.hands import Source, dealt, view_of
from tests.web.courses import course
from tests.web.schema import check_staged

LAYING = {"open": Open, "lay": Lay, "play": Play}
KEYS = sorted(key for key, rules in RULE_SETS.items() if rules.table or rules.duel)


def _staged(view: View, heaps: list[list[str]]) -> Json:
    stage = Stage()
    stage.put(view, read_wishes(heaps))
    staged = stage.json(view)
    assert staged is not None
    check_staged(staged)
    return staged


@pytest.mark.parametrize("key", KEYS)
def test_what_can_be_sent_is_said_to_be_ok_and_nothing_else(key: str) -> None:
    rng = random.Random(key)
    good = bad = 0
    for seed in range(3):
        for view, move in course(key, seed):
            if not isinstance(move, Open | Lay | Play):
                continue
            intent = intent_of(move)
            name = "table" if isinstance(move, Play) else "melds"
            for heaps in (intent[name], _spoilt(rng, intent[name])):
                staged = _staged(view, heaps)
                assert LAYING[staged["does"]] is type(move)
                try:
                    move_of(view, {"do": staged["does"], name: heaps})
                except IntentRefused as error:
                    details = error.details
                    bad += 1
                    assert not staged["ok"]
                    assert staged["refused"]["rule"] == details["rule"]
                else:
                    good += 1
                    assert staged["ok"]
    assert good > 5
    assert bad > 3


def _spoilt(rng: random.Random, heaps: list[list[str]]) -> list[list[str]]:
    """One tile less, or two heaps thrown together."""
    copy = [list(heap) for heap in heaps]
    if len(copy) > 1 and rng.random() < 0.5:
        return [copy[0] + copy[1], *copy[2:]][:35]
    copy[0].pop(rng.randrange(len(copy[0])))
    return [heap for heap in copy if heap] or [heaps[0][:1]]


def test_the_total_grows_meld_by_meld_to_the_value_of_the_opening() -> None:
    view, move = next((v, m) for v, m in course("101-rising", 3) if isinstance(m, Open))
    heaps = intent_of(move)["melds"]
    totals = [_staged(view, heaps[: count + 1]) for count in range(len(heaps))]
    values = [staged["total"] or staged["pairs"] for staged in totals]
    assert values == sorted(values)
    after, _ = engine_for(view.state.rules).apply(view.state, move)
    opened = game_json(View(state=after))["values"][view.state.turn]
    assert values[-1] == opened
    assert totals[0]["refused"]["rule"] == "OT-7"
    floors = game_json(view)["floors"]
    assert totals[0]["refused"]["numbers"]["floor"] in floors.values()


def test_tiles_stay_staged_through_the_turns_of_others_and_leave_with_the_rack() -> None:
    rules = RULE_SETS["101-classic"]
    deck = shuffled("stay")
    state, _ = dealt(rules, deck)
    engine = engine_for(rules)
    stage, seat = Stage(), 2
    rack = [format_tile(tile) for _, tile in view_of(state, deck, seat).rack()]
    stage.put(view_of(state, deck, seat), read_wishes([[tile] for tile in rack]))
    sources = [Source(i) for i in range(4)]
    gone: set[str] = set()
    for _ in range(12):
        view = view_of(state, deck, state.turn)
        move = choose(view, sources[state.turn])
        if isinstance(move, Discard) and state.turn == seat:
            gone.add(format_tile(move.placed.tile))
        state, _ = engine.apply(state, move)
        staged = stage.json(view_of(state, deck, seat))
        assert staged is not None
        left = {tile for meld in staged["melds"] for tile in meld["tiles"]}
        assert left == set(rack) - gone
    assert gone


def test_work_on_a_table_that_another_changes_is_given_up() -> None:
    views = [(v, m) for v, m in course("duel", 1)]
    at = next(i for i, (_, m) in enumerate(views) if isinstance(m, Play))
    (before, move), (after, _) = views[at], views[at + 1]
    stage = Stage()
    stage.put(before, read_wishes(intent_of(move)["table"]))
    assert stage.json(before) is not None
    assert stage.json(after) is None
    assert stage.wishes == []


def test_the_duel_names_sets_that_are_none_and_tiles_that_are_missing() -> None:
    views = [(v, m) for v, m in course("duel", 2) if isinstance(m, Play)]
    view, move = next((v, m) for v, m in views if v.state.table.slots())
    table = intent_of(move)["table"]
    lying = {one["tile"] for meld in game_json(view)["melds"] for one in meld["tiles"]}
    cut = [heap for heap in table if not set(heap) & lying]
    staged = _staged(view, [*cut, [next(iter(lying))]])
    assert set(staged["missing"]) == lying - {next(iter(lying))}
    assert staged["melds"][-1]["kind"] is None
    assert staged["refused"]["rule"] == "E-2"


def test_a_classic_hand_stages_nothing() -> None:
    view, _ = next(course("classic", 1))
    stage = Stage()
    stage.put(view, read_wishes([[format_tile(view.rack()[0][1])]]))
    assert stage.json(view) is None
