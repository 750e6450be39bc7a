"""Worked examples of finishes, scores and options on an open table (conformance.py): B, C, D."""

from dataclasses import replace

from p2pokey.errors import DecodeError
from p2pokey.rules.conformance_common import (
    COMMON_KINDS,
    DECK,
    INDICATOR_KINDS,
    FaceUp,
    placed,
    run_teams,
    team_totals,
    with_options,
)
from p2pokey.rules.conformance_input import (
    Example,
    Facts,
    Kind,
    by_seat,
    okey_of,
    read_groups,
    read_tiles,
    seat_of,
)
from p2pokey.rules.conformance_open import OPEN_KINDS, opened_of
from p2pokey.rules.conformance_position import ME, Setting, laid_meld, position
from p2pokey.rules.conformance_tables import further_pairs
from p2pokey.rules.conformance_taking import TAKING_KINDS
from p2pokey.rules.counting import quick_value, turn_seconds
from p2pokey.rules.melds import MeldKind, is_wild, read_meld
from p2pokey.rules.moves import Discard, Open
from p2pokey.rules.open_scoring import FinishFlags, flags_of
from p2pokey.rules.open_state import Charge, Opened, TurnRecord, table_of
from p2pokey.rules.published import OPTIONS, Option, RuleSet, Scoring
from p2pokey.rules.state import Ending
from p2pokey.tiles import Face, Seat, Tile, parse_face

_ANY_OKEY = parse_face("k5")


# Finishes ----------------------------------------------------------------------------------------


def _run_finish_flags(rules: RuleSet, given: Example) -> Facts:
    opened = opened_of(given["finisher_opened"])
    others = {Seat(1): (Opened.MELDS, 0)} if given["others_opened"] else {}
    [laid] = read_tiles([given["discard"]])
    hand = position(
        Setting(
            rules=rules,
            okey=okey_of(given),
            rack=[laid.tile],
            opened={ME: (opened, 0), **others},
            turn_record=TurnRecord(opened=given["opened_this_turn"]),
        )
    )
    flags = _flags_of(hand.after(Discard(placed(laid))))
    return {"okey": flags.okey, "pairs": flags.pairs, _rack_word(rules): flags.rack}


def _rack_word(rules: RuleSet) -> str:
    return "straight" if rules.open_table.scoring is Scoring.OKEY_101 else "rack"


def _flags_of(hand: FaceUp) -> FinishFlags:
    flags = flags_of(hand.state, table_of(hand.state))
    if flags is None:
        raise DecodeError("expected a hand that somebody has finished")
    return flags


# Scores ------------------------------------------------------------------------------------------


def _run_hand_score(rules: RuleSet, given: Example) -> Facts:
    rules = with_options(
        rules, partners=given.get("partners"), penalties=given.get("penalty_table")
    )
    hand = _finished(rules, given) if given["finisher"] else _without_finisher(rules, given)
    points = hand.score()
    facts: Facts = {"points": by_seat(points), "cancelled": hand.state.ending is Ending.CANCELLED}
    return {**facts, "teams": team_totals(rules, points)} if rules.partners else facts


def _racks(rules: RuleSet, given: Example) -> dict[Seat, list[Tile]]:
    seats = [given["seats"][str(seat + 1)] for seat in range(rules.players)]
    groups = read_groups(*(seat["rack"] for seat in seats))
    return {Seat(seat): [laid.tile for laid in rack] for seat, rack in enumerate(groups)}


def _openings(rules: RuleSet, given: Example) -> dict[Seat, tuple[Opened, int]]:
    seats = enumerate(given["seats"][str(seat + 1)] for seat in range(rules.players))
    return {Seat(seat): (opened_of(facts["opened"]), 0) for seat, facts in seats}


def _with_charges(hand: FaceUp, given: Example) -> FaceUp:
    """The hand with what was written during it, and with who is Going Pairs."""
    seats = [given["seats"][str(seat + 1)] for seat in range(hand.state.seats)]
    log = tuple(
        Charge(seat=Seat(seat), points=facts["immediate"], rule="G-15")
        for seat, facts in enumerate(seats)
        if facts.get("immediate", 0)
    )
    going = tuple(facts.get("going_pairs", False) for facts in seats)
    table = replace(table_of(hand.state), charges=log, going_pairs=going)
    return replace(hand, state=replace(hand.state, table=table))


def _spare(okey: Face, racks: dict[Seat, list[Tile]], *, wild: bool) -> Tile:
    """A tile that lies on no rack, an okey or none."""
    held = {tile for rack in racks.values() for tile in rack}
    free = [tile for tile in DECK if tile not in held and is_wild(tile, okey) is wild]
    if not free:
        raise DecodeError("expected an okey that nobody holds")
    return free[0]


def _finished(rules: RuleSet, given: Example) -> FaceUp:
    """The hand after the finisher's last discard."""
    okey, finisher, finish = okey_of(given), seat_of(given["finisher"]), given["finish"]
    racks = _racks(rules, given)
    last = _spare(okey, racks, wild=finish.get("okey", False))
    in_one_turn = finish.get("straight", False) or finish.get("rack", False)
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            turn=finisher,
            rack=[*racks.pop(finisher), last],
            racks=racks,
            opened=_openings(rules, given),
            turn_record=TurnRecord(opened=in_one_turn),
        )
    )
    hand = _with_charges(hand, given).after(Discard(placed(last)))
    flags = _flags_of(hand)
    said = FinishFlags(
        okey=finish.get("okey", False), pairs=finish.get("pairs", False), rack=in_one_turn
    )
    if flags != said:
        raise DecodeError(f"the seats make the finish {flags}, the example says {said}")
    return hand


def _without_finisher(rules: RuleSet, given: Example) -> FaceUp:
    """The hand after the discard that left the stack empty, or the opening that cancelled it."""
    okey, racks = okey_of(given), _racks(rules, given)
    openings = _openings(rules, given)
    all_pairs = all(opened is Opened.PAIRS for opened, _ in openings.values())
    if all_pairs and rules.open_table.four_pairs_cancel:
        return _fourth_pairs_opening(rules, given)
    last = _spare(okey, racks, wild=False)
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            rack=[*racks.pop(ME), last],
            racks=racks,
            opened=openings,
            stack=0,
        )
    )
    hand = _with_charges(hand, given)
    if len(hand.state.racks[ME]) > 1:
        return hand.after(Discard(placed(last)))
    raise DecodeError("expected tiles on the rack of seat 1")


def _fourth_pairs_opening(rules: RuleSet, given: Example) -> FaceUp:
    """The hand after the first seat's opening, as the fourth with pairs."""
    okey, racks = okey_of(given), _racks(rules, given)
    held = [tile for rack in racks.values() for tile in rack]
    pairs = further_pairs(rules.open_table.pairs_floor, okey=okey, used=held)
    tiles = [laid.tile for pair in pairs for laid in pair]
    openings = {**_openings(rules, given), ME: (Opened.NONE, 0)}
    hand = position(
        Setting(
            rules=rules,
            okey=okey,
            rack=[*racks.pop(ME), *tiles],
            racks=racks,
            opened=openings,
        )
    )
    melds = tuple(laid_meld(MeldKind.PAIR, pair) for pair in pairs)
    return _with_charges(hand, given).after(Open(melds))


def _run_draw_out(rules: RuleSet, given: Example) -> Facts:
    left = given["stack_after_draw"]
    hand = position(
        Setting(
            rules=rules,
            okey=_ANY_OKEY,
            rack_size=rules.rack_size + 1,
            stack=left,
        )
    )
    if given["discard_made"]:
        hand = hand.after(Discard(hand.placed(hand.state.racks[ME][0])))
    return {"draw_out": hand.state.ending is Ending.STACK_EMPTY}


# Options, counting, clock ------------------------------------------------------------------------


def _choices(rules: RuleSet, name: str) -> list[Option]:
    """The values of an option; of a switch, on comes first."""
    values = OPTIONS[rules.key][name]
    return sorted(values, reverse=isinstance(values[0], bool), key=int)


def _run_options(rules: RuleSet, given: Example) -> Facts:
    names = OPTIONS[rules.key]
    facts: Facts = {"hands": _choices(rules, "hands"), "teams": "partners" in names}
    if "penalties" in names:
        facts["penalty_table"] = _choices(rules, "penalties")
    if "melds_rise" in names:
        facts["doubling"] = _choices(rules, "melds_rise")
    table = rules.open_table
    if table.opening_bonus_s:
        facts["opening_bonus_seconds"] = table.opening_bonus_s
        facts["timer_max"] = table.timer_cap_s
    return facts


def _run_timer(rules: RuleSet, given: Example) -> Facts:
    seconds = turn_seconds(
        rules,
        given["base"],
        opening_accepted=given["opening_accepted"],
        is_person=given["human"],
    )
    return {"seconds": seconds}


def _run_quick_value(rules: RuleSet, given: Example) -> Facts:
    okey = okey_of(given)
    groups = read_groups(*(meld["tiles"] for meld in given["melds"]))
    counted = []
    for meld, tiles in zip(given["melds"], groups, strict=True):
        kind = MeldKind.from_word(meld["kind"])
        read = read_meld(kind, tiles, okey=okey, rules=rules.melds)
        counted.append(([stand.number for stand in read.stands], meld["middle"]))
    value = quick_value(counted)
    return {"thirds": value.thirds, "remainder": value.remainder, "points": value.points}


KINDS: dict[str, Kind] = {
    **COMMON_KINDS,
    **INDICATOR_KINDS,
    **OPEN_KINDS,
    **TAKING_KINDS,
    "draw_out": _run_draw_out,
    "finish_flags": _run_finish_flags,
    "hand_score": _run_hand_score,
    "options": _run_options,
    "quick_value": _run_quick_value,
    "teams": run_teams,
    "timer": _run_timer,
}
