"""Worked examples of Classic Okey, one function per kind (conformance.py)."""

from collections.abc import Sequence
from dataclasses import replace

from p2pokey.errors import DecodeError
from p2pokey.rules.arrange import finishing_discards, split_melds, split_pairs
from p2pokey.rules.conformance_common import (
    COMMON_KINDS,
    INDICATOR_KINDS,
    FaceUp,
    any_indicator,
    dealt,
    match_facts,
)
from p2pokey.rules.conformance_input import Example, Facts, Kind, by_seat, read_tiles, seat_of
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Finish, LaidMeld, Show
from p2pokey.rules.published import RuleSet
from p2pokey.rules.scoring import classic_points
from p2pokey.rules.state import Ending, FinishKind, FinishRecord, Phase
from p2pokey.tiles import Face, Slot, Tile, face_of, next_face


def _after_turn(hand: FaceUp) -> FaceUp:
    """Draw if that is due, and discard the newest tile."""
    if hand.state.phase is Phase.DRAW:
        hand = hand.after(DrawStack())
    return hand.after(Discard(hand.placed(hand.state.racks[hand.state.turn][-1])))


def _run_options(rules: RuleSet, given: Example) -> Facts:
    return {
        "start_score": rules.start_score,
        "hands": "until_zero" if rules.hands == 0 else rules.hands,
        "teams": rules.partners,
    }


def _run_take(rules: RuleSet, given: Example) -> Facts:
    hand = _after_turn(dealt(rules, any_indicator(), {})).after(DrawLeft())
    *others, taken = hand.state.racks[hand.state.turn]
    slots = {"keep": others[0], "discard_it": taken}
    return {"legal": hand.accepts(Discard(hand.placed(slots[given["use"]]))), "charge": 0}


def _run_show(rules: RuleSet, given: Example) -> Facts:
    indicator, tile = (laid.tile for laid in read_tiles([given["indicator"], given["tile"]]))
    top_of_stack = rules.rack_size * rules.players + 2
    slot = Slot(top_of_stack if given.get("drawn", False) else 0)
    hand = dealt(rules, indicator, {slot: tile})
    if given.get("drawn", False):
        hand = _after_turn(hand).after(DrawStack())
    for _ in range(rules.players * (given["turn_of_seat"] - 1)):
        hand = _after_turn(hand)
    return {"legal": hand.accepts(Show(hand.placed(slot)))}


def _run_draw_out(rules: RuleSet, given: Example) -> Facts:
    hand = _after_turn(dealt(rules, any_indicator(), {}))
    left = given["stack_after_draw"] + 1
    hand = replace(hand, state=replace(hand.state, stack=hand.state.stack[:left]))
    hand = _after_turn(hand) if given["discard_made"] else hand.after(DrawStack())
    return {"draw_out": hand.state.ending is Ending.STACK_EMPTY}


def _rack_and_okey(given: Example) -> tuple[Tile, list[Tile], Face]:
    """Indicator and the 15 tiles, all different, and the okey's face."""
    indicator, *rack = (laid.tile for laid in read_tiles([given["indicator"], *given["rack"]]))
    face = face_of(indicator)
    if face is None:
        raise DecodeError("expected a numbered indicator")
    return indicator, rack, next_face(face)


def _index_in_rack(rack: Sequence[str], discard: str) -> int:
    """Where the discard stands, as written or else with the copy letter left out."""
    texts = rack if discard in rack else [text.rstrip("ab") for text in rack]
    return list(texts).index(discard)


def _run_finish14(rules: RuleSet, given: Example) -> Facts:
    indicator, rack, okey = _rack_and_okey(given)
    index = _index_in_rack(given["rack"], given["discard"])
    rest = [*rack[:index], *rack[index + 1 :]]
    slots = (*range(rules.rack_size), rules.rack_size * rules.players)
    hand = dealt(rules, indicator, dict(zip(slots, rack, strict=True)))
    placed = [hand.placed(Slot(slot)) for slot in slots]
    discard = placed.pop(index)
    # The layout is for display only: seven groups of two hold the fourteen tiles.
    layout = tuple(
        LaidMeld(kind=MeldKind.PAIR, tiles=tuple(placed[i : i + 2]))
        for i in range(0, len(placed), 2)
    )
    melds = split_melds(rest, okey=okey, wrap=rules.wrap)
    pairs = split_pairs(rest, okey=okey, two_okeys=rules.two_okeys_pair)
    move = Finish(discard, layout)
    loss = 0
    if hand.accepts(move):
        loss = -min(hand.after(move).score())
    return {
        "melds": melds is not None,
        "pairs": pairs is not None,
        "okey_discard": hand.state.is_okey(discard.tile),
        "each_opponent_loses": loss,
    }


def _run_finish_discards(rules: RuleSet, given: Example) -> Facts:
    _, rack, okey = _rack_and_okey(given)
    text_of = dict(zip(rack, given["rack"], strict=True))
    found = finishing_discards(rack, okey=okey, rules=rules.melds)
    return {"discards": sorted(text_of[tile] for tile, _ in found)}


def _run_score(rules: RuleSet, given: Example) -> Facts:
    finish = None
    if given["finisher"] is not None:
        finish = FinishRecord(
            seat=seat_of(given["finisher"]),
            discard=Slot(0),
            kind=FinishKind[given["finish"].upper()],
            okey_discarded=given.get("okey_discard", False),
            layout=(),
        )
    shown = given.get("shown_by")
    points = classic_points(
        rules, rules.players, finish=finish, shown_by=None if shown is None else seat_of(shown)
    )
    before = [given["before"][str(seat + 1)] for seat in range(rules.players)]
    after = [total + change for total, change in zip(before, points, strict=True)]
    return {"after": by_seat(after), **match_facts(rules, after, 1)}


KINDS: dict[str, Kind] = {
    **COMMON_KINDS,
    **INDICATOR_KINDS,
    "draw_out": _run_draw_out,
    "finish14": _run_finish14,
    "finish_discards": _run_finish_discards,
    "options": _run_options,
    "score_A": _run_score,
    "show": _run_show,
    "take": _run_take,
}
