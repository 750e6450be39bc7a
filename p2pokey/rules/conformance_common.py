"""Worked examples that every game has: deal, indicator, melds, seats, the end of a match."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from p2pokey.errors import RuleError
from p2pokey.rules.conformance_input import (
    Example,
    Facts,
    Kind,
    read_okey,
    read_tiles,
    seat_of,
)
from p2pokey.rules.engine import Engine, engine_for
from p2pokey.rules.melds import Laid, MeldKind, identity, read_meld
from p2pokey.rules.moves import Move, Placed
from p2pokey.rules.published import OPTIONS, Option, RuleSet
from p2pokey.rules.rulesets import options_of, ruleset_for
from p2pokey.rules.scoring import match_over, next_starter, side_totals
from p2pokey.rules.state import HandState, Phase, partner_of, right_of
from p2pokey.tiles import (
    FALSE_OKEYS,
    TILE_COUNT,
    Seat,
    Slot,
    Tile,
    format_tile,
    is_false_okey,
    parse_tile,
)

TEAM_NAMES = "AB"
DECK = tuple(map(Tile, range(TILE_COUNT)))
"""A deck whose slot n holds tile n, for positions in the middle of a hand."""


def placed(laid: Laid | Tile) -> Placed:
    """A tile in its slot of `DECK`."""
    tile = laid.tile if isinstance(laid, Laid) else laid
    return Placed(Slot(tile), tile)


@dataclass(frozen=True, slots=True)
class FaceUp:
    """A hand with the deck face up, played by its engine."""

    state: HandState
    deck: tuple[Tile, ...]

    @property
    def engine(self) -> Engine:
        """What plays it."""
        return engine_for(self.state.rules)

    def placed(self, slot: Slot) -> Placed:
        """The slot with its tile."""
        return Placed(slot, self.deck[slot])

    def after(self, *moves: Move) -> "FaceUp":
        """The hand after these moves; raises RuleError where one is illegal."""
        state = self.state
        for move in moves:
            state, _ = self.engine.apply(state, move)
        return replace(self, state=state)

    def accepts(self, *moves: Move) -> bool:
        """Whether these moves are legal, one after the other."""
        try:
            self.after(*moves)
        except RuleError:
            return False
        return True

    def score(self) -> tuple[int, ...]:
        """Points per seat of the hand, which is over."""
        faces = dict(enumerate(self.deck))
        nothing = (0,) * self.state.seats
        return self.engine.score(self.state, {Slot(s): t for s, t in faces.items()}, nothing).points


def any_indicator() -> Tile:
    """An indicator for examples that do not say which."""
    return parse_tile("y13b")


def dealt(rules: RuleSet, indicator: Tile, fixed: Mapping[int, Tile]) -> FaceUp:
    """A hand of starter 0 with some tiles fixed by slot, and the indicator turned."""
    engine = engine_for(rules)
    state, _ = engine.start(rules, rules.players, Seat(0))
    wanted = {**fixed, state.stack[0]: indicator} if rules.indicator else dict(fixed)
    # False okeys last, so that none is drawn or turned unless the example says so.
    others = (tile for tile in map(Tile, range(TILE_COUNT)) if tile not in wanted.values())
    deck = tuple(wanted[slot] if slot in wanted else next(others) for slot in range(TILE_COUNT))
    if rules.indicator:
        state, _ = engine.turn_indicator(state, indicator)
    return FaceUp(state, deck)


def with_options(rules: RuleSet, **options: Option | None) -> RuleSet:
    """The rule set with the options that an example names; None: it does not.

    An option of other games may be named with the value that this game always has.
    """
    chosen = options_of(rules)
    for name, value in options.items():
        if value is None or (name not in OPTIONS[rules.key] and value == _fixed(rules, name)):
            continue
        chosen[name] = value
    return ruleset_for(rules.key, **chosen)


def _fixed(rules: RuleSet, name: str) -> object:
    return getattr(rules, name, getattr(rules.table, name, None))


def run_deal(rules: RuleSet, given: Example) -> Facts:
    hand = dealt(rules, any_indicator(), {})
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


def run_identity(rules: RuleSet, given: Example) -> Facts:
    indicator = read_tiles([given["indicator"]])[0].tile
    state = dealt(rules, indicator, {}).state
    return {
        "okey": str(state.okey),
        "false_plays_as": str(identity(FALSE_OKEYS[0], state.okey)),
        "okey_copies": sum(state.is_okey(Tile(tile)) for tile in range(TILE_COUNT)),
    }


def run_turn_indicator(rules: RuleSet, given: Example) -> Facts:
    engine = engine_for(rules)
    tiles = [laid.tile for laid in read_tiles(given["stack_top_first"])]
    state, _ = engine.start(rules, rules.players, Seat(0))
    stack = state.stack[: len(tiles)]
    tile_of = dict(zip(stack, tiles, strict=True))
    state = replace(state, stack=stack)
    while state.phase is Phase.INDICATOR:
        state, _ = engine.turn_indicator(state, tile_of[state.stack[0]])
    assert state.indicator is not None
    return {
        "indicator": format_tile(tile_of[state.indicator]),
        "stack_top_first": [format_tile(tile_of[slot]) for slot in state.stack],
        "public_in_stack": [
            format_tile(tile_of[slot]) for slot in state.stack if state.faces[slot] is not None
        ],
    }


def run_meld(rules: RuleSet, given: Example) -> Facts:
    is_new = given.get("newly_opened", False)
    try:
        meld = read_meld(
            MeldKind.from_word(given["meld_kind"]),
            read_tiles(given["tiles"]),
            okey=read_okey(given),
            rules=rules.melds,
            is_new=is_new,
        )
    except RuleError:
        is_long = is_new and len(given["tiles"]) > rules.max_new
        return {"valid": False, "reason": "more_than_five" if is_long else "invalid_meld"}
    return {"valid": True, "value": meld.value, "represents": list(map(str, meld.stands))}


def run_pair(rules: RuleSet, given: Example) -> Facts:
    return {"valid": run_meld(rules, {**given, "meld_kind": "pair"})["valid"]}


def run_next_seat(rules: RuleSet, given: Example) -> Facts:
    return {"next": right_of(seat_of(given["seat"]), rules.players) + 1}


def run_starter(rules: RuleSet, given: Example) -> Facts:
    starter = next_starter(rules, seat_of(given["first"]), given["hand"], rules.players)
    return {"starter": None if starter is None else starter + 1}


def run_teams(rules: RuleSet, given: Example) -> Facts:
    return {
        name: [seat + 1, partner_of(Seat(seat), rules.players) + 1]
        for seat, name in enumerate(TEAM_NAMES)
    }


def team_totals(rules: RuleSet, values: Sequence[int]) -> dict[str, int]:
    """Sums of partners, by the team's name (T-2)."""
    return dict(zip(TEAM_NAMES, side_totals(rules, values), strict=False))


def match_facts(rules: RuleSet, totals: Sequence[int], hands_played: int) -> Facts:
    """Whether the match is over and who has won: seats, or teams where partners play."""
    over, winners = match_over(rules, totals, hands_played)
    if not rules.partners:
        return {"over": over, "winners": [seat + 1 for seat in winners]}
    names = [name for seat, name in enumerate(TEAM_NAMES) if seat in winners]
    return {"over": over, "winners": names, "teams": team_totals(rules, totals)}


def run_match_end(rules: RuleSet, given: Example) -> Facts:
    chosen = with_options(rules, hands=given.get("hands"), partners=given.get("partners"))
    totals = [given["totals"][str(seat + 1)] for seat in range(rules.players)]
    return match_facts(chosen, totals, given["hands_played"])


COMMON_KINDS: dict[str, Kind] = {
    "deal": run_deal,
    "match_end": run_match_end,
    "meld": run_meld,
    "next_seat": run_next_seat,
    "starter": run_starter,
}
INDICATOR_KINDS: dict[str, Kind] = {
    "identity": run_identity,
    "pair": run_pair,
    "turn_indicator": run_turn_indicator,
}
"""Examples of the games in which an indicator is turned."""
