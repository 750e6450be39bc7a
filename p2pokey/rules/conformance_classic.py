"""Worked examples of Classic Okey, one function per kind (conformance.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from p2pokey.errors import DecodeError, RuleError
from p2pokey.rules import classic
from p2pokey.rules.arrange import finishing_discards, split_melds, split_pairs
from p2pokey.rules.conformance_input import Example, Facts, Kind, read_face, read_tiles, seat_of
from p2pokey.rules.melds import MeldKind, identity, read_meld
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Finish, LaidMeld, Placed, Show
from p2pokey.rules.rulesets import RuleSet
from p2pokey.rules.scoring import classic_points, match_over, starter_of_hand
from p2pokey.rules.state import Ending, FinishKind, FinishRecord, HandState, Phase, right_of
from p2pokey.tiles import (
    FALSE_OKEYS,
    TILE_COUNT,
    Face,
    Seat,
    Slot,
    Tile,
    face_of,
    format_tile,
    is_false_okey,
    next_face,
    parse_tile,
)


@dataclass(frozen=True, slots=True)
class _Hand:
    """A hand with the deck face up."""

    state: HandState
    deck: tuple[Tile, ...]

    def placed(self, slot: Slot) -> Placed:
        return Placed(slot, self.deck[slot])

    def after(self, move: DrawStack | DrawLeft | Show | Discard | Finish) -> "_Hand":
        return _Hand(classic.apply(self.state, move)[0], self.deck)

    def after_turn(self) -> "_Hand":
        """Draw if that is due, and discard the newest tile."""
        hand = self.after(DrawStack()) if self.state.phase is Phase.DRAW else self
        return hand.after(Discard(hand.placed(hand.state.racks[hand.state.turn][-1])))


def _deal(rules: RuleSet, indicator: Tile, fixed: Mapping[int, Tile]) -> _Hand:
    """A hand of starter 0 with some tiles fixed by slot, and the indicator turned."""
    state, _ = classic.start(rules, rules.players, Seat(0))
    wanted = {**fixed, state.stack[0]: indicator}
    # False okeys last, so that none is drawn or turned unless the example says so.
    others = (tile for tile in map(Tile, range(TILE_COUNT)) if tile not in wanted.values())
    deck = tuple(wanted[slot] if slot in wanted else next(others) for slot in range(TILE_COUNT))
    return _Hand(classic.turn_indicator(state, indicator)[0], deck)


def _any_indicator() -> Tile:
    return parse_tile("y13b")


def _run_deal(rules: RuleSet, given: Example) -> Facts:
    hand = _deal(rules, _any_indicator(), {})
    false = sum(map(is_false_okey, hand.deck))
    return {
        "tiles": len(hand.deck),
        "numbered": len(hand.deck) - false,
        "false": false,
        "starter": len(hand.state.racks[0]),
        "others": len(hand.state.racks[1]),
        "players": hand.state.seats,
        "stack": len(hand.state.stack),
    }


def _run_identity(rules: RuleSet, given: Example) -> Facts:
    indicator = read_tiles([given["indicator"]])[0].tile
    state = _deal(rules, indicator, {}).state
    return {
        "okey": str(state.okey),
        "false_plays_as": str(identity(FALSE_OKEYS[0], state.okey)),
        "okey_copies": sum(state.is_okey(Tile(tile)) for tile in range(TILE_COUNT)),
    }


def _run_turn_indicator(rules: RuleSet, given: Example) -> Facts:
    tiles = [laid.tile for laid in read_tiles(given["stack_top_first"])]
    state, _ = classic.start(rules, rules.players, Seat(0))
    stack = state.stack[: len(tiles)]
    tile_of = dict(zip(stack, tiles, strict=True))
    state = replace(state, stack=stack)
    while state.phase is Phase.INDICATOR:
        state, _ = classic.turn_indicator(state, tile_of[state.stack[0]])
    assert state.indicator is not None
    return {
        "indicator": format_tile(tile_of[state.indicator]),
        "stack_top_first": [format_tile(tile_of[slot]) for slot in state.stack],
        "public_in_stack": [
            format_tile(tile_of[slot]) for slot in state.stack if state.faces[slot] is not None
        ],
    }


def _okey(given: Example) -> Face | None:
    return None if given["okey"] is None else read_face(given["okey"])


def _run_meld(rules: RuleSet, given: Example) -> Facts:
    try:
        meld = read_meld(
            MeldKind.from_word(given["meld_kind"]),
            read_tiles(given["tiles"]),
            okey=_okey(given),
            rules=rules.melds,
            is_new=given.get("newly_opened", False),
        )
    except RuleError:
        return {"valid": False}
    return {"valid": True, "value": meld.value, "represents": list(map(str, meld.stands))}


def _run_pair(rules: RuleSet, given: Example) -> Facts:
    return {"valid": _run_meld(rules, {**given, "meld_kind": "pair"})["valid"]}


def _run_options(rules: RuleSet, given: Example) -> Facts:
    return {
        "start_score": rules.start_score,
        "hands": "until_zero" if rules.hands == 0 else rules.hands,
        "teams": rules.partners,
    }


def _run_next_seat(rules: RuleSet, given: Example) -> Facts:
    return {"next": right_of(seat_of(given["seat"]), rules.players) + 1}


def _run_starter(rules: RuleSet, given: Example) -> Facts:
    return {"starter": starter_of_hand(seat_of(given["first"]), given["hand"], rules.players) + 1}


def _run_take(rules: RuleSet, given: Example) -> Facts:
    hand = _deal(rules, _any_indicator(), {}).after_turn().after(DrawLeft())
    *others, taken = hand.state.racks[hand.state.turn]
    slots = {"keep": others[0], "discard_it": taken}
    return {"legal": _accepts(hand, Discard(hand.placed(slots[given["use"]]))), "charge": 0}


def _accepts(hand: _Hand, move: Show | Discard | Finish) -> bool:
    try:
        hand.after(move)
    except RuleError:
        return False
    return True


def _run_show(rules: RuleSet, given: Example) -> Facts:
    indicator, tile = (laid.tile for laid in read_tiles([given["indicator"], given["tile"]]))
    top_of_stack = rules.rack_size * rules.players + 2
    slot = Slot(top_of_stack if given.get("drawn", False) else 0)
    hand = _deal(rules, indicator, {slot: tile})
    if given.get("drawn", False):
        hand = hand.after_turn().after(DrawStack())
    for _ in range(rules.players * (given["turn_of_seat"] - 1)):
        hand = hand.after_turn()
    return {"legal": _accepts(hand, Show(hand.placed(slot)))}


def _run_draw_out(rules: RuleSet, given: Example) -> Facts:
    hand = _deal(rules, _any_indicator(), {}).after_turn()
    left = given["stack_after_draw"] + 1
    hand = _Hand(replace(hand.state, stack=hand.state.stack[:left]), hand.deck)
    hand = hand.after_turn() if given["discard_made"] else hand.after(DrawStack())
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
    hand = _deal(rules, indicator, dict(zip(slots, rack, strict=True)))
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
    if _accepts(hand, move):
        score = classic.score(hand.after(move).state, {}, (0,) * rules.players)
        loss = -min(score.points)
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
    return {"after": _by_seat(after), **_match_facts(rules, after, 1)}


def _by_seat(values: Sequence[int]) -> dict[str, int]:
    return {str(seat + 1): value for seat, value in enumerate(values)}


def _match_facts(rules: RuleSet, totals: Sequence[int], hands_played: int) -> Facts:
    over, winners = match_over(rules, totals, hands_played)
    return {"over": over, "winners": [seat + 1 for seat in winners]}


def _run_match_end(rules: RuleSet, given: Example) -> Facts:
    totals = [given["totals"][str(seat + 1)] for seat in range(rules.players)]
    return _match_facts(rules, totals, given["hands_played"])


KINDS: dict[str, Kind] = {
    "deal": _run_deal,
    "draw_out": _run_draw_out,
    "finish14": _run_finish14,
    "finish_discards": _run_finish_discards,
    "identity": _run_identity,
    "match_end": _run_match_end,
    "meld": _run_meld,
    "next_seat": _run_next_seat,
    "options": _run_options,
    "pair": _run_pair,
    "score_A": _run_score,
    "show": _run_show,
    "starter": _run_starter,
    "take": _run_take,
    "turn_indicator": _run_turn_indicator,
}
