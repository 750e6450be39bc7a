"""The parts of a rule card that are about points; asked of the engines' own tables."""

from collections.abc import Iterator
from itertools import product

from p2pokey.cli.card_parts import Row, Say, Section
from p2pokey.rules.melds import Stand
from p2pokey.rules.open_charges import (
    TableEvent,
    event_charge,
    feed_charge,
    retrieve_charge,
    taken_charge,
)
from p2pokey.rules.open_floors import opening_bonus
from p2pokey.rules.open_scoring import FinishFlags, SeatFacts, end_points
from p2pokey.rules.open_state import Opened
from p2pokey.rules.published import OpenTableRules, RuleSet, Scoring
from p2pokey.rules.scoring import SHOW_LOSS, finish_loss
from p2pokey.rules.state import FinishKind, FinishRecord
from p2pokey.tiles import Colour, Face, Seat, Slot, Tile, parse_tile

_ONE = parse_tile("r1a")
"""A tile worth 1: what it costs is the factor."""

_OKEY = Face(Colour.YELLOW, 1)
_OKEY_TILE = parse_tile("y1a")
_HIGHEST_OPENING = 300
"""More than the tiles of a rack are worth."""


def charges_section(rules: RuleSet, words: Say) -> Section | None:
    """What costs points during a hand; None where nothing does."""
    if rules.table is None:
        return None
    rows = (*_own_charges(rules, rules.table, words), *_charges_by_others(rules, words))
    return Section(title=words("section.charges"), rows=rows)


def _own_charges(rules: RuleSet, table: OpenTableRules, words: Say) -> Iterator[Row]:
    yield words("charge.playable"), str(table.playable_charge)
    if table.okey_discard_charge:
        yield words("charge.okey"), str(table.okey_discard_charge)
    for event, name in (
        (TableEvent.TAKE_BACK, "charge.take_back"),
        (TableEvent.CLOSE_BELOW_FLOOR, "charge.failed"),
        (TableEvent.INVALID_RACK_FINISH, "charge.claim"),
    ):
        points = event_charge(rules, event)
        if points:
            yield words(name), str(points)


def _charges_by_others(rules: RuleSet, words: Say) -> Iterator[Row]:
    payer, other = Seat(0), Seat(1)
    supplied = _retrieval(rules, payer, other, 0)
    factor = _retrieval(rules, payer, other, 1) - supplied
    if factor:
        yield words("charge.steal"), words("charge.plus_times", points=supplied, times=factor)
    else:
        yield words("charge.retrieve"), str(supplied)
    stands = (Stand(Colour.RED, 1),)
    fed = feed_charge(rules, rules.players, owner=payer, feeder=other, stands=stands)
    if fed:
        yield words("charge.feed"), words("charge.times", times=fed)
    yield from _used_discards(rules, words)


def _retrieval(rules: RuleSet, payer: Seat, taker: Seat, number: int) -> int:
    supplied = (Face(Colour.RED, number),)
    return retrieve_charge(rules, rules.players, payer=payer, taker=taker, supplied=supplied)


def _used_discards(rules: RuleSet, words: Say) -> Iterator[Row]:
    def factor(tile: Tile, *, in_pair: bool, in_opening: bool) -> int:
        return taken_charge(
            rules,
            tile=tile,
            stands=Stand(Colour.RED, 1),
            okey=_OKEY,
            in_pair=in_pair,
            in_opening=in_opening,
        )

    is_same = factor(_ONE, in_pair=False, in_opening=True) == factor(
        _ONE, in_pair=True, in_opening=True
    )
    only_opening = not factor(_ONE, in_pair=False, in_opening=False)
    for in_pair in (False,) if is_same else (False, True):
        times = factor(_ONE, in_pair=in_pair, in_opening=True)
        okey = factor(_OKEY_TILE, in_pair=in_pair, in_opening=True)
        if not times:
            continue
        where = "pairs" if in_pair else "melds"
        name = f"charge.opening_{where}" if only_opening else f"charge.used_{where}"
        cost = words("charge.times", times=times)
        if okey != times:
            cost = words("charge.times_okey", times=times, okey=okey)
        yield words("charge.used" if is_same else name), cost


def scores_section(rules: RuleSet, words: Say) -> Section:
    """What a hand is worth."""
    title = words("section.scores")
    if rules.table is not None:
        rows = (*_open_rows(rules, words),)
        notes = (*_open_notes(rules, rules.table, words),)
        return Section(title=title, rows=rows, has_head=True, notes=notes)
    if rules.duel is not None:
        rows = (
            (words("duel.empty"), words("duel.empty_points")),
            (words("duel.blocked"), words("duel.blocked_points")),
            (words("duel.joker"), str(rules.duel.joker_left)),
        )
        return Section(title=title, rows=rows)
    return Section(title=title, rows=(*_classic_rows(words),), has_head=True)


def _classic_rows(words: Say) -> Iterator[Row]:
    yield words("finish"), words("others_lose")
    for kind, okey in product(FinishKind, (False, True)):
        finish = FinishRecord(
            seat=Seat(0), discard=Slot(0), kind=kind, okey_discarded=okey, layout=()
        )
        name = f"finish.{kind.name.lower()}" + "_okey" * okey
        yield words(name), str(finish_loss(finish))
    yield words("finish.exhausted"), "0"
    yield words("show"), str(SHOW_LOSS)


def _open_rows(rules: RuleSet, words: Say) -> Iterator[Row]:
    head = ("finish", "finisher", "unopened", "opened_melds", "opened_pairs")
    has_going_pairs = rules.open_table.going_pairs
    yield tuple(map(words, (*head, *(("going_pairs",) if has_going_pairs else ()))))
    for finish in _finishes(rules):
        finisher, *others = _end_points(rules, finish)
        cells = [str(finisher) if finish is not None else "", str(others[0])]
        cells += [_times(factor, words) for factor in others[1:3]]
        if has_going_pairs:
            cells.append(str(others[3]))
        yield _finish_name(rules, finish, words), *cells


def _finishes(rules: RuleSet) -> Iterator[FinishFlags | None]:
    """Every kind of finish, the ordinary one first, and the exhausted hand."""
    knows_rack = rules.open_table.scoring is not Scoring.FEEDING
    flags = [
        FinishFlags(okey=okey, pairs=pairs, rack=rack)
        for okey, pairs, rack in product((False, True), repeat=3)
        if knows_rack or not rack
    ]
    yield from sorted(flags, key=lambda flag: flag.okey + flag.pairs + flag.rack)
    yield None


def _end_points(rules: RuleSet, finish: FinishFlags | None) -> tuple[int, ...]:
    """Of the finisher, of who has not opened, of openers with 1 on the rack, of Going Pairs."""
    seats = [
        SeatFacts(opened=Opened.MELDS),
        SeatFacts(opened=Opened.NONE),
        SeatFacts(opened=Opened.MELDS, rack=(_ONE,)),
        SeatFacts(opened=Opened.PAIRS, rack=(_ONE,)),
        SeatFacts(opened=Opened.NONE, going_pairs=True),
    ]
    finisher = None if finish is None else Seat(0)
    return end_points(rules, okey=_OKEY, seats=seats, finisher=finisher, finish=finish)


def _times(factor: int, words: Say) -> str:
    return words("sum") if factor == 1 else words("sum_times", times=factor)


def _finish_name(rules: RuleSet, finish: FinishFlags | None, words: Say) -> str:
    if finish is None:
        return words("finish.exhausted")
    is_b = rules.open_table.scoring is Scoring.OKEY_101
    names = []
    if finish.okey:
        names.append(words("finish.okey"))
    if finish.pairs:
        names.append(words("finish.pairs"))
    if finish.rack:
        names.append(words("finish.straight" if is_b else "finish.rack"))
    return " + ".join(names) or words("finish.plain")


def _open_notes(rules: RuleSet, table: OpenTableRules, words: Say) -> Iterator[str]:
    if table.going_pairs:
        yield words("going_pairs.note")
    melds, pairs = table.held_okey_charge_melds, table.held_okey_charge_pairs
    if melds == pairs:
        yield words("held", points=melds)
    else:
        yield words("held.both", melds=melds, pairs=pairs)
    yield words(f"partner.{table.partner_cleared}")
    if table.four_pairs_cancel:
        yield words("cancelled")


def bonus_section(rules: RuleSet, words: Say) -> Section | None:
    """What dear openings bring; None where there is no bonus."""
    if rules.table is None or not rules.table.opening_bonus:
        return None
    rows = (
        *(
            (words("bonus.melds", value=value), str(points))
            for value, points in _steps(rules, Opened.MELDS)
        ),
        *(
            (words("bonus.pairs", value=value), str(points))
            for value, points in _steps(rules, Opened.PAIRS)
        ),
    )
    return Section(title=words("section.bonus"), rows=rows)


def _steps(rules: RuleSet, opened: Opened) -> Iterator[tuple[int, int]]:
    """The least openings that bring a bonus, and how much it is."""
    before = 0
    for value in range(1, _HIGHEST_OPENING):
        points = opening_bonus(rules, opened, value)
        if points != before:
            yield value, points
        before = points
