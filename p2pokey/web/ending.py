"""How each seat's points of a hand came about, line by line (docs/page-protocol.md, END).

A line is what one rule adds: its points are what comes on top of the lines above, so that the lines
of a seat add up to its points.
"""

from collections.abc import Mapping, Sequence

from p2pokey.rules.duel_checks import rules_of
from p2pokey.rules.duel_scoring import rack_total
from p2pokey.rules.melds import is_wild
from p2pokey.rules.open_scoring import (
    FEEDING_FINISH,
    FEEDING_UNOPENED,
    FINISH,
    UNOPENED,
    FinishFlags,
    SeatFacts,
    facts_of,
    feeding_times,
    flags_of,
    held_points,
    multiplier,
    rack_sum,
)
from p2pokey.rules.open_state import Opened, OpenTable, table_of
from p2pokey.rules.published import PartnerCleared, RuleSet, Scoring
from p2pokey.rules.scoring import MELDS_LOSS, PAIRS_LOSS, SHOW_LOSS, HandScore, finish_loss
from p2pokey.rules.state import Ending, FinishKind, HandState
from p2pokey.tiles import Face, Seat, Slot, Tile
from p2pokey.web.game_view import table_json
from p2pokey.web.names import Json, tile_name

Lines = list[Json]


def end_json(
    state: HandState,
    score: HandScore,
    faces: Mapping[Slot, Tile],
    *,
    ready: Sequence[bool],
) -> Json:
    """END of docs/page-protocol.md.

    Args:
        state: of a hand that is over.
        faces: what disclosure has opened; the racks of a finish in Classic Okey are public anyway.
        ready: per seat, whether it wants the next hand.
    """
    finish = state.finish
    layout = [] if finish is None else finish.layout
    return {
        "reason": score.reason,
        # Whoever ends a hand is the last to move; in the duel nothing else records it.
        "finisher": state.turn if state.ending is Ending.FINISHED else None,
        "racks": [[tile_name(faces.get(slot)) for slot in rack] for rack in state.racks],
        "layout": [
            {
                "kind": meld.kind.word,
                "tiles": [tile_name(placed.tile) for placed in meld.tiles],
            }
            for meld in layout
        ],
        "discard": None if finish is None else tile_name(state.faces[finish.discard]),
        "melds": table_json(state, None)["melds"],
        "lines": score_lines(state, faces),
        "points": list(score.points),
        "totals": list(score.totals),
        "counts": score.counts,
        "ready": list(ready),
    }


def score_lines(state: HandState, faces: Mapping[Slot, Tile]) -> list[Lines]:
    """Per seat, the lines that add up to its points.

    Args:
        faces: tiles of all racks that count.
    """
    if state.rules.duel is not None:
        return _duel(state, faces)
    if state.rules.table is None:
        return _classic(state)
    if state.ending is Ending.CANCELLED:
        return [[_line("cancelled", 0, "C-12")] for _ in range(state.seats)]
    return _open(state, table_of(state), faces)


def _line(code: str, points: int, rule: str, **more: int) -> Json:
    return {"code": code, "points": points, "rule": rule, **more}


def _classic(state: HandState) -> list[Lines]:
    return [_classic_seat(state, Seat(seat)) for seat in range(state.seats)]


def _classic_seat(state: HandState, seat: Seat) -> Lines:
    lines: Lines = []
    finish = state.finish
    if finish is None:
        lines.append(_line("exhausted", 0, "G-7"))
    elif finish.seat == seat:
        lines.append(_line("finish", 0, "A-3"))
    else:
        is_pairs = finish.kind is FinishKind.PAIRS
        base = PAIRS_LOSS if is_pairs else MELDS_LOSS
        lines.append(_line("loss-pairs" if is_pairs else "loss-melds", -base, "A-3"))
        if finish.okey_discarded:
            lines.append(_line("loss-okey", base - finish_loss(finish), "A-3", factor=2))
    counts = finish is not None or state.rules.show_survives_drawout
    if state.shown_by not in (None, seat) and counts:
        lines.append(_line("shown", -SHOW_LOSS, "A-6"))
    return lines


def _duel(state: HandState, faces: Mapping[Slot, Tile]) -> list[Lines]:
    """The lower rack wins the difference (E-7)."""
    rules = rules_of(state)
    left = [rack_total(rules, [faces[slot] for slot in rack]) for rack in state.racks]
    lines: list[Lines] = []
    for own, other in (left, left[::-1]):
        if own >= other:
            lines.append([_line("duel-left", 0, "E-7", left=own)])
        else:
            won = [_line("duel-other-left", other, "E-7", left=other)]
            lines.append(won + ([_line("duel-own-left", -own, "E-7", left=own)] if own else []))
    return lines


def _open(state: HandState, table: OpenTable, faces: Mapping[Slot, Tile]) -> list[Lines]:
    finish = flags_of(state, table)
    finisher = None if state.finish is None else state.finish.seat
    assert state.okey is not None
    partner = None if finisher is None else state.partner_of(finisher)
    of_seat = _feeding if state.rules.open_table.scoring is Scoring.FEEDING else _okey_101
    found = []
    for number in range(state.seats):
        seat = Seat(number)
        facts = facts_of(state, table, seat, faces)
        lines = of_seat(state.rules, facts, state.okey, finish, seat == finisher)
        if seat == partner:
            lines.append(_cleared(state.rules, lines))
        found.append(_with_charges(state.rules, table, lines, seat, is_spared=seat == partner))
    return found


def _cleared(rules: RuleSet, lines: Lines) -> Json:
    return _line("partner-cleared", -sum(line["points"] for line in lines), "T-1")


def _with_charges(
    rules: RuleSet, table: OpenTable, lines: Lines, seat: Seat, *, is_spared: bool
) -> Lines:
    """What was booked during the hand; a partner may be spared that, too (T-1)."""
    booked = [
        _line("bonus" if charge.points < 0 else "charge", charge.points, charge.rule)
        for charge in table.charges
        if charge.seat == seat
    ]
    if booked and is_spared and rules.open_table.partner_cleared is PartnerCleared.ALL:
        booked.append(_cleared(rules, booked))
    return lines + booked


def _okey_101(
    rules: RuleSet, facts: SeatFacts, okey: Face, finish: FinishFlags | None, is_finisher: bool
) -> Lines:
    """B and C: sum, pairs, finish, okeys left (docs/rules/open-table.md)."""
    factor = multiplier(rules, finish)
    if is_finisher:
        return [_line("finish", FINISH, "B-6"), *_times("times-finish", FINISH, factor, "B-6")]
    if facts.opened is Opened.NONE:
        lines = [_line("unopened", UNOPENED, "B-6")]
        lines += _times("times-finish", UNOPENED, factor, "B-6")
        lines += _times("going-pairs", UNOPENED * factor, 2 if facts.going_pairs else 1, "B-11")
    else:
        total = rack_sum(rules, facts.rack, okey)
        doubled = 2 if facts.opened is Opened.PAIRS else 1
        lines = [_line("rack", total, "B-9")]
        lines += _times("opened-pairs", total, doubled, "B-24")
        lines += _times("times-finish", total * doubled, factor, "B-6")
    counts_held = facts.opened is not Opened.NONE or rules.open_table.held_okey_unopened
    if rules.open_table.penalties and counts_held:
        lines += _held(rules, facts, okey, "B-10")
    return lines


def _feeding(
    rules: RuleSet, facts: SeatFacts, okey: Face, finish: FinishFlags | None, is_finisher: bool
) -> Lines:
    """D: 500 and 1000, sums times 5 or 10, okeys left."""
    big = 2 if finish is not None and (finish.okey or finish.pairs) else 1
    if is_finisher:
        return [
            _line("finish", FEEDING_FINISH, "D-9"),
            *_times("times-finish", FEEDING_FINISH, big, "D-9"),
        ]
    if facts.opened is Opened.NONE:
        return [
            _line("unopened", FEEDING_UNOPENED, "D-17"),
            *_times("times-finish", FEEDING_UNOPENED, big, "D-9"),
        ]
    total = rack_sum(rules, facts.rack, okey)
    times = feeding_times(rules, facts.opened, finish)
    lines = [_line("rack", total, "D-1"), *_times("times", total, times, "D-9")]
    return lines + _held(rules, facts, okey, "D-2")


def _times(code: str, base: int, factor: int, rule: str) -> Lines:
    """What a factor adds to a sum; nothing for a factor of 1."""
    if factor == 1:
        return []
    return [_line(code, base * (factor - 1), rule, factor=factor)]


def _held(rules: RuleSet, facts: SeatFacts, okey: Face, rule: str) -> Lines:
    points = held_points(rules, facts, okey)
    count = sum(is_wild(tile, okey) for tile in facts.rack)
    return [_line("held-okeys", points, rule, count=count)] if points else []
