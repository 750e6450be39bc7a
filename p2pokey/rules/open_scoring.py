"""End points of the games with an open table, from plain facts (docs/rules: B, C and D).

Order: sum of the rack, times two for who opened with pairs, times the finish, then held okeys, then
charges; what the finisher's partner is spared comes last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.melds import identity, is_wild
from p2pokey.rules.open_state import Opened, OpenTable
from p2pokey.rules.published import PartnerCleared, RuleSet, Scoring
from p2pokey.rules.scoring import HandScore, check_over, hand_score
from p2pokey.rules.state import Ending, HandState, partner_of
from p2pokey.tiles import Face, Seat, Slot, Tile

FINISH = -101
UNOPENED = 202
_CAP_B = 4
"""B knows no more than 404 (B-7)."""

FEEDING_FINISH = -500
FEEDING_UNOPENED = 500
_FEEDING_MELDS, _FEEDING_DOUBLE = 5, 10
"""Times the sum of the rack: melds openers, and twice that for pairs or a big finish (D-9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishFlags:
    """What makes a finish dearer."""

    okey: bool = False
    """The last discard is a real okey."""

    pairs: bool = False
    """The finisher has opened with pairs."""

    rack: bool = False
    """Opened and finished in one turn; in B a straight out, before anybody else has opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFacts:
    """What the end points of one seat depend on."""

    opened: Opened
    rack: tuple[Tile, ...] = ()
    """Tiles left; not looked at where they do not count."""

    going_pairs: bool = False
    """Whether it has declared Going Pairs."""


def finish_flags(
    rules: RuleSet,
    *,
    okey_discarded: bool,
    opened: Opened,
    opened_this_turn: bool,
    others_opened: bool,
) -> FinishFlags:
    """What a finish is worth more for (B-19, C-2, D-16).

    Args:
        opened: how the finisher has opened.
        others_opened: whether any other seat has, a partner included.
    """
    rack = opened_this_turn
    match rules.open_table.scoring:
        case Scoring.OKEY_101:
            rack = opened_this_turn and not others_opened
        case Scoring.OKEY_101_RACK:
            pass
        case Scoring.FEEDING:
            rack = False
    return FinishFlags(okey=okey_discarded, pairs=opened is Opened.PAIRS, rack=rack)


def multiplier(rules: RuleSet, finish: FinishFlags | None) -> int:
    """Factor of the finish in B (1, 2, 4) and C (1, 2, 4, 8); 1 without a finisher (B-6, B-7)."""
    if finish is None:
        return 1
    factor: int = 2 ** (finish.okey + finish.pairs + finish.rack)
    return min(_CAP_B, factor) if rules.open_table.scoring is Scoring.OKEY_101 else factor


def rack_sum(rules: RuleSet, rack: Sequence[Tile], okey: Face) -> int:
    """Sum of the tiles left: printed numbers, a false okey as the okey's (B-9, D-1)."""
    faces = [identity(tile, okey) for tile in rack]
    held = okey.number if rules.open_table.held_okey_face else 0
    return sum(held if face is None else face.number for face in faces)


def end_points(
    rules: RuleSet,
    *,
    okey: Face,
    seats: Sequence[SeatFacts],
    finisher: Seat | None,
    finish: FinishFlags | None,
) -> tuple[int, ...]:
    """End points per seat, before charges and before a partner is cleared.

    Args:
        finisher: None where the stack ran out; `finish` is None exactly then.
    """
    if (finisher is None) != (finish is None):
        raise LocalProtocolError("expected a finisher and what the finish is, or neither")
    of_seat = _feeding if rules.open_table.scoring is Scoring.FEEDING else _okey_101
    return tuple(
        of_seat(rules, facts, okey, finish, finished=seat == finisher)
        for seat, facts in enumerate(seats)
    )


def _okey_101(
    rules: RuleSet, facts: SeatFacts, okey: Face, finish: FinishFlags | None, *, finished: bool
) -> int:
    table = rules.open_table
    factor = multiplier(rules, finish)
    if finished:
        return FINISH * factor
    counts_held = facts.opened is not Opened.NONE or table.held_okey_unopened
    held = held_points(rules, facts, okey) if table.penalties and counts_held else 0
    if facts.opened is Opened.NONE:
        return UNOPENED * factor * (2 if facts.going_pairs else 1) + held
    doubled = 2 if facts.opened is Opened.PAIRS else 1
    return rack_sum(rules, facts.rack, okey) * doubled * factor + held


def _feeding(
    rules: RuleSet, facts: SeatFacts, okey: Face, finish: FinishFlags | None, *, finished: bool
) -> int:
    is_big = finish is not None and (finish.okey or finish.pairs)
    big = 2 if is_big else 1
    if finished:
        return FEEDING_FINISH * big
    if facts.opened is Opened.NONE:
        return FEEDING_UNOPENED * big
    times = feeding_times(rules, facts.opened, finish)
    return rack_sum(rules, facts.rack, okey) * times + held_points(rules, facts, okey)


def feeding_times(rules: RuleSet, opened: Opened, finish: FinishFlags | None) -> int:
    """By how much D multiplies the rack of a seat that has opened and not finished (D-9, D-10)."""
    is_double = finish is not None and (finish.okey or finish.pairs)
    if opened is Opened.PAIRS:
        is_double = finish is not None or rules.open_table.pairs_ten_at_drawout
    return _FEEDING_DOUBLE if is_double else _FEEDING_MELDS


def held_points(rules: RuleSet, facts: SeatFacts, okey: Face) -> int:
    """Points for okeys left, never multiplied (B-10, D-2, D-19)."""
    table = rules.open_table
    of_pairs = facts.opened is Opened.PAIRS
    each = table.held_okey_charge_pairs if of_pairs else table.held_okey_charge_melds
    return each * sum(is_wild(tile, okey) for tile in facts.rack)


def hand_points(
    rules: RuleSet, *, ends: Sequence[int], charges: Sequence[int], finisher: Seat | None
) -> tuple[int, ...]:
    """Points of the hand per seat: end points and charges, the finisher's partner cleared (T-1)."""
    partner = None
    if finisher is not None and rules.partners:
        partner = partner_of(finisher, len(ends))
    spares_all = rules.open_table.partner_cleared is PartnerCleared.ALL
    points = []
    for seat, (end, charged) in enumerate(zip(ends, charges, strict=True)):
        if seat == partner:
            points.append(0 if spares_all else charged)
        else:
            points.append(end + charged)
    return tuple(points)


def score_open(
    state: HandState, table: OpenTable, faces: Mapping[Slot, Tile], totals: Sequence[int]
) -> HandScore:
    """The score of a hand that is over.

    Args:
        faces: at least the tiles left on the racks of seats that have opened.
        totals: score per seat before the hand.

    Raises:
        LocalProtocolError: the hand is not over, or not one total per seat was given.
    """
    check_over(state, totals)
    if state.ending is Ending.CANCELLED:
        nothing = (0,) * state.seats
        return HandScore(points=nothing, totals=tuple(totals), reason="cancelled", counts=False)
    finish = flags_of(state, table)
    finisher = None if state.finish is None else state.finish.seat
    assert state.okey is not None
    seats = [facts_of(state, table, Seat(seat), faces) for seat in range(state.seats)]
    ends = end_points(state.rules, okey=state.okey, seats=seats, finisher=finisher, finish=finish)
    charges = [table.charged(seat) for seat in range(state.seats)]
    points = hand_points(state.rules, ends=ends, charges=charges, finisher=finisher)
    return hand_score(points, totals, _reason(finish))


def facts_of(
    state: HandState, table: OpenTable, seat: Seat, faces: Mapping[Slot, Tile]
) -> SeatFacts:
    opened = table.opened[seat]
    looks = opened is not Opened.NONE or state.rules.open_table.held_okey_unopened
    rack = tuple(faces[slot] for slot in state.racks[seat]) if looks else ()
    return SeatFacts(opened=opened, rack=rack, going_pairs=table.going_pairs[seat])


def flags_of(state: HandState, table: OpenTable) -> FinishFlags | None:
    """What makes the finish of a hand that is over dearer, None where nobody has finished.

    The record of the finishing turn still stands.
    """
    if state.finish is None:
        return None
    seat = state.finish.seat
    others = (opened for other, opened in enumerate(table.opened) if other != seat)
    return finish_flags(
        state.rules,
        okey_discarded=state.finish.okey_discarded,
        opened=table.opened[seat],
        opened_this_turn=table.turn.opened,
        others_opened=any(opened is not Opened.NONE for opened in others),
    )


def _reason(finish: FinishFlags | None) -> str:
    if finish is None:
        return "exhausted"
    kind = "pairs" if finish.pairs else "melds"
    return f"finish-{kind}" + "-rack" * finish.rack + "-okey" * finish.okey
