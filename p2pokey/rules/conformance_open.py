"""Worked examples of what may be done on an open table (conformance.py): games B, C and D."""

from collections.abc import Sequence

from p2pokey.errors import DecodeError, RuleError
from p2pokey.rules.conformance_common import FaceUp, placed, with_options
from p2pokey.rules.conformance_input import (
    Example,
    Facts,
    Kind,
    okey_of,
    read_face,
    read_groups,
    read_tiles,
    seat_of,
)
from p2pokey.rules.conformance_position import (
    ME,
    Setting,
    charged,
    laid_meld,
    lying_meld,
    position,
    read_table,
)
from p2pokey.rules.conformance_tables import meld_that_takes
from p2pokey.rules.melds import MeldKind, identity, is_wild
from p2pokey.rules.moves import Add, Discard, End, LaidMeld, Open, Retrieve
from p2pokey.rules.open_floors import Floors, floors, opening_bonus
from p2pokey.rules.open_melds import opening_value, read_new
from p2pokey.rules.open_state import Opened, table_of
from p2pokey.rules.playable import is_playable
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import Seat

OTHER = Seat(1)
_REASONS = {"OT-6": "no_tile_left", "OT-7": "below_floor"}


def opened_of(word: str) -> Opened:
    """How a seat has opened, by its word."""
    return Opened[word.upper()]


# Openings ----------------------------------------------------------------------------------------


def _run_threshold(rules: RuleSet, given: Example) -> Facts:
    chosen = with_options(rules, partners=given.get("partners"), melds_rise=given.get("doubling"))
    openings = [(Opened.NONE, 0)] * rules.players
    for opening in given["openings"]:
        openings[seat_of(opening["seat"])] = (opened_of(opening["kind"]), opening["value"])
    return floors(chosen, seat_of(given["seat"]), openings)._asdict()


def _run_bonus(rules: RuleSet, given: Example) -> Facts:
    return {"points": opening_bonus(rules, opened_of(given["opening_kind"]), given["value"])}


def _with_floors(rules: RuleSet, wanted: Floors) -> tuple[RuleSet, dict[Seat, tuple[Opened, int]]]:
    """Rules and openings of other seats under which the seat to move has these floors."""
    base = rules.open_table
    if wanted.melds != base.melds_floor and not base.melds_rise:
        rules = with_options(rules, melds_rise=True)
    openings: dict[Seat, tuple[Opened, int]] = {}
    if wanted.melds != base.melds_floor:
        openings[Seat(1)] = (Opened.MELDS, wanted.melds - 1)
    if wanted.pairs != base.pairs_floor:
        openings[Seat(3)] = (Opened.PAIRS, wanted.pairs - 1)
    listed = [openings.get(Seat(seat), (Opened.NONE, 0)) for seat in range(rules.players)]
    if floors(rules, ME, listed) != wanted:
        raise DecodeError(f"expected floors that this game can have, got {wanted}")
    return rules, openings


def _run_opening(rules: RuleSet, given: Example) -> Facts:
    rules, openings = _with_floors(rules, Floors(**given["floors"]))
    is_pairs = "pairs" in given
    groups = given["pairs"] if is_pairs else [meld["tiles"] for meld in given["melds"]]
    kinds = ["pair"] * len(groups) if is_pairs else [meld["kind"] for meld in given["melds"]]
    melds = tuple(
        laid_meld(MeldKind.from_word(kind), tiles)
        for kind, tiles in zip(kinds, read_groups(*groups), strict=True)
    )
    hand = position(
        Setting(
            rules=rules,
            okey=okey_of(given),
            rack=[one.tile for meld in melds for one in meld.tiles],
            rack_size=given["rack_before"],
            opened=openings,
        )
    )
    return {**_opening_facts(hand, melds), **_opening_value(hand, melds)}


def _opening_facts(hand: FaceUp, melds: tuple[LaidMeld, ...]) -> Facts:
    rules = hand.state.rules
    is_pairs = melds[0].kind is MeldKind.PAIR
    try:
        after = hand.after(Open(melds)).state
    except RuleError as error:
        invalid = "invalid_pair" if is_pairs else "invalid_meld"
        if any(len(meld.tiles) > rules.max_new for meld in melds):
            invalid = "more_than_five"
        return {"legal": False, "reason": _REASONS.get(error.rule, invalid)}
    if table_of(after).opened[ME] is Opened.NONE:
        return {"legal": False, "reason": "below_floor"}  # shown and charged (C-1)
    return {"legal": True}


def _opening_value(hand: FaceUp, melds: Sequence[LaidMeld]) -> Facts:
    """Value or count of the opening, where its melds are valid."""
    try:
        value = opening_value(read_new(hand.state, melds))
    except RuleError:
        return {}
    return {"count" if melds[0].kind is MeldKind.PAIR else "value": value}


# Discards ----------------------------------------------------------------------------------------


def _run_playable(rules: RuleSet, given: Example) -> Facts:
    okey = okey_of(given)
    melds, [[laid]] = read_table(rules, okey, given["table"], [given["tile"]], owner=OTHER)
    return {"playable": is_playable(rules, melds, laid.tile, okey)}


def _run_discard_penalty(rules: RuleSet, given: Example) -> Facts:
    rules = with_options(rules, penalties=given.get("penalty_table"))
    okey = okey_of(given)
    melds, [[laid]] = read_table(rules, okey, given["table"], [given["tile"]], owner=OTHER)
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            rack=[laid.tile],
            rack_size=1 if given.get("finishes", False) else rules.rack_size + 1,
            melds=melds,
            opened={ME: (Opened.MELDS, rules.open_table.melds_floor)},
        )
    )
    return {"points": charged(hand.after(Discard(placed(laid))), ME)}


# Melds on the table ------------------------------------------------------------------------------


def _opening_of(rules: RuleSet, given: Example) -> tuple[Opened, int]:
    """How the seat to move has opened: with melds unless the example says otherwise."""
    if not given.get("opened", True):
        return Opened.NONE, 0
    kind = opened_of(given.get("opened_kind", "melds"))
    return kind, _floor_of(rules, kind)


def _floor_of(rules: RuleSet, kind: Opened) -> int:
    table = rules.open_table
    return table.pairs_floor if kind is Opened.PAIRS else table.melds_floor


def _run_add(rules: RuleSet, given: Example) -> Facts:
    okey = okey_of(given)
    melds, [tiles] = read_table(rules, okey, [given["meld"]], given["tiles"], owner=OTHER)
    end = End[given.get("end", "high").upper()]
    # Written as they lie on the table; a move names the nearest to the meld first.
    nearest = tuple(map(placed, tiles if end is End.HIGH else reversed(tiles)))
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            rack=[laid.tile for laid in tiles],
            rack_size=given.get("rack_before", len(tiles) + 1),
            melds=melds,
            opened={ME: _opening_of(rules, given)},
        )
    )
    return {"legal": hand.accepts(Add(meld=0, end=end, tiles=nearest))}


def _run_feed(rules: RuleSet, given: Example) -> Facts:
    rules = with_options(rules, partners=given.get("partners"))
    okey = okey_of(given)
    owner, feeder = seat_of(given["owner"]), seat_of(given["feeder"])
    [laid] = read_tiles([given["tile"]])
    face = read_face(given["as"]) if "as" in given else identity(laid.tile, okey)
    if face is None:
        raise DecodeError("expected what the okey is fed as")
    kind, tiles, end = meld_that_takes(face, okey=okey, wrap=rules.wrap, used=[laid.tile])
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            turn=feeder,
            rack=[laid.tile],
            rack_size=rules.rack_size,
            melds=(lying_meld(rules, okey, kind, tiles, owner=owner),),
            opened=dict.fromkeys((owner, feeder), (Opened.MELDS, rules.open_table.melds_floor)),
        )
    )
    return {"owner": charged(hand.after(Add(meld=0, end=end, tiles=(placed(laid),))), owner)}


def _run_retrieve(rules: RuleSet, given: Example) -> Facts:
    rules = with_options(rules, partners=given.get("partners"))
    okey, taker = okey_of(given), seat_of(given["taker"])
    tiles, supply = read_groups(given["meld"]["tiles"], given["supply"])
    placer = seat_of(given["placer"])
    kind = MeldKind.from_word(given["meld"]["kind"])
    owner = seat_of(given.get("owner", given["placer"]))
    meld = lying_meld(rules, okey, kind, tiles, owner=owner, placer=placer)
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            turn=taker,
            rack=[laid.tile for laid in supply],
            rack_size=rules.rack_size,
            melds=(meld,),
            opened={taker: _opening_of(rules, given)},
        )
    )
    names = {laid.tile: text for laid, text in zip(tiles, given["meld"]["tiles"], strict=True)}
    names.update(zip((laid.tile for laid in supply), given["supply"], strict=True))
    wilds = [place for place, laid in enumerate(tiles) if is_wild(laid.tile, okey)]
    for place in wilds:
        move = Retrieve(meld=0, place=place, supply=tuple(map(placed, supply)))
        if hand.accepts(move):
            after = table_of(hand.after(move).state)
            return {
                "legal": True,
                "taken": names[tiles[place].tile],
                "meld_after": [names[tile.tile] for tile in after.melds[0].tiles],
                "charge": sum(charge.points for charge in after.charges),
            }
    return {"legal": False}


OPEN_KINDS: dict[str, Kind] = {
    "add": _run_add,
    "bonus": _run_bonus,
    "discard_penalty": _run_discard_penalty,
    "feed": _run_feed,
    "opening": _run_opening,
    "playable": _run_playable,
    "retrieve": _run_retrieve,
    "threshold": _run_threshold,
}
