"""Worked examples of the duel, one function per kind (conformance.py)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from p2pokey.errors import DecodeError, RuleError
from p2pokey.rules.conformance_common import COMMON_KINDS, DECK, FaceUp, placed
from p2pokey.rules.conformance_input import Example, Facts, Kind, read_groups
from p2pokey.rules.conformance_tables import free_tiles, run_of
from p2pokey.rules.duel import start
from p2pokey.rules.duel_checks import opening_value, rules_of, table_of
from p2pokey.rules.duel_state import DuelTable, read_together, written_form
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import DrawStack, Move, Pass, Play
from p2pokey.rules.published import OPTIONS, RuleSet
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Colour, Face, Seat, Slot, Tile, face_of, parse_tile

ME, OTHER = Seat(0), Seat(1)
_RUN = tuple(map(parse_tile, ("r1a", "r2a", "r3a")))
_NEXT = parse_tile("r4a")
_REASONS = {"E-6": "table_tile_missing", "E-12": "no_rack_tile", "M-4": "not_on_rack"}


def _table(melds: Iterable[Sequence[Tile]], *, opened: bool, passes: int = 0) -> DuelTable:
    written = written_form(list(map(placed, meld)) for meld in melds)
    return DuelTable(melds=written, opened=(opened, opened), passes=passes)


def _position(
    rules: RuleSet,
    racks: Mapping[Seat, Sequence[Tile]],
    table: DuelTable,
    *,
    stack: int | None = None,
) -> FaceUp:
    """A round with seat 1 on turn: slot n holds tile n; tiles that are not named fill the stack."""
    state, _ = start(rules, rules.players, ME)
    lying = [one.tile for one in table.tiles]
    named = {*lying, *(tile for rack in racks.values() for tile in rack)}
    free = [tile for tile in DECK if tile not in named]
    if ME not in racks or OTHER not in racks:
        raise DecodeError("expected the racks of seats 1 and 2")
    state = replace(
        state,
        racks=tuple(tuple(map(Slot, racks[seat])) for seat in (ME, OTHER)),
        stack=tuple(map(Slot, free[:stack])),
        faces=tuple(tile if tile in lying else None for tile in DECK),
        table=table,
    )
    return FaceUp(state, DECK)


def _run_meld(rules: RuleSet, given: Example) -> Facts:
    """Tiles of a set as the duel reads them: their order means nothing, the best reading counts."""
    [tiles] = read_groups(given["tiles"])
    kind = MeldKind.from_word(given["meld_kind"])
    try:
        reading = read_together(laid.tile for laid in tiles)
    except RuleError:
        return {"valid": False}
    naturals = [face for laid in tiles if (face := face_of(laid.tile)) is not None]
    if reading.kind is not kind and len(naturals) > 1:
        return {"valid": False}
    stands = _stands(reading.kind, reading.numbers, [face_of(laid.tile) for laid in tiles])
    return {"valid": True, "value": reading.value, "represents": stands}


def _stands(kind: MeldKind, numbers: Sequence[int], faces: Sequence[Face | None]) -> list[str]:
    """What each tile stands for; jokers take what is left, ascending."""
    naturals = [face for face in faces if face is not None]
    if kind is MeldKind.RUN:
        left = [number for number in numbers if number not in {face.number for face in naturals}]
        free = [str(Face(naturals[0].colour, number)) for number in left]
    else:
        taken = {face.colour for face in naturals}
        open_colours = [colour.letter for colour in Colour if colour not in taken]
        letters = open_colours if len(numbers) == len(Colour) else ["?"] * len(numbers)
        free = [f"{letter}{numbers[0]}" for letter in letters]
    return [free.pop(0) if face is None else str(face) for face in faces]


def _run_turn(rules: RuleSet, given: Example) -> Facts:
    before, after = given["before"], given["after"]
    tile_of = _tiles_by_text([*before, given["rack"]], after)
    lying = [[tile_of[text].pop(0) for text in meld] for meld in before]
    rack = [tile_of[text].pop(0) for text in given["rack"]]
    table = _table(lying, opened=given["opened"])
    tile_of = _tiles_by_text([*before, given["rack"]], after)
    played = [[tile_of[text].pop(0) for text in meld] for meld in after]
    used = {tile for meld in [*lying, *played, rack] for tile in meld}
    other = [next(tile for tile in DECK if tile not in used)]
    hand = _position(rules, {ME: rack, OTHER: other}, table)
    try:
        move = Play(written_form(list(map(placed, meld)) for meld in played))
    except RuleError:
        return {"legal": False, "reason": "invalid_set"}
    return _play_facts(hand, move)


def _tiles_by_text(
    groups: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> dict[str, list[Tile]]:
    """The tiles that each text means, in the order in which they are named.

    Texts of the table afterwards that are named nowhere else mean tiles of neither.
    """
    texts = [text for group in groups for text in group]
    left = list(texts)
    for text in (text for meld in after for text in meld):
        if text in left:
            left.remove(text)
        else:
            texts.append(text)
    [laid] = read_groups(texts)
    tiles: dict[str, list[Tile]] = {}
    for text, one in zip(texts, laid, strict=True):
        tiles.setdefault(text, []).append(one.tile)
    return tiles


def _play_facts(hand: FaceUp, move: Play) -> Facts:
    table = table_of(hand.state)
    facts: Facts = {}
    if not table.opened[ME]:
        facts["value"] = opening_value(table, move)
    try:
        after = hand.after(move)
    except RuleError as error:
        return {**facts, "legal": False, "reason": _reason(hand, move, error)}
    return {**facts, "legal": True, "rack_left": len(after.state.racks[ME])}


def _reason(hand: FaceUp, move: Play, error: RuleError) -> str:
    if error.rule != "E-1":
        return _REASONS.get(error.rule, error.rule)
    touched = not set(table_of(hand.state).melds) <= set(move.table)
    return "opening_touched_table" if touched else f"below_{rules_of(hand.state).opening_floor}"


def _run_end(rules: RuleSet, given: Example) -> Facts:
    [one, two] = [
        [laid.tile for laid in rack]
        for rack in read_groups(given["racks"]["1"], given["racks"]["2"])
    ]
    blocked = given["end"] == "blocked"
    hand = _blocked(rules, one, two) if blocked else _emptied(rules, one, two)
    points = hand.score()
    seats = [seat + 1 for seat, value in enumerate(points) if value > 0]
    return {"winner": seats[0] if seats else None, "points": max(points)}


def _blocked(rules: RuleSet, one: list[Tile], two: list[Tile]) -> FaceUp:
    """The round after both have passed."""
    table = _table([], opened=True)
    hand = _position(rules, {ME: one, OTHER: two}, table, stack=0).after(Pass(), Pass())
    return _ended(hand)


def _emptied(rules: RuleSet, one: list[Tile], two: list[Tile]) -> FaceUp:
    """The round after the seat with the empty rack has played its last tile."""
    racks = {ME: one, OTHER: two}
    winners = [seat for seat, rack in racks.items() if not rack]
    if len(winners) != 1:
        raise DecodeError("expected one empty rack")
    held = {*one, *two}
    run, last = _run_beside(held)
    racks[winners[0]] = [last]
    hand = _position(rules, racks, _table([run], opened=True))
    hand = replace(hand, state=replace(hand.state, turn=winners[0]))
    played = written_form([list(map(placed, (*run, last)))])
    return _ended(hand.after(Play(played)))


def _run_beside(held: set[Tile]) -> tuple[list[Tile], Tile]:
    """A run of three tiles that nobody holds, and the tile that follows it."""
    for colour, first in product(Colour, range(1, 11)):
        tiles = free_tiles(run_of(colour, first, first + 3), okey=None, used=held)
        if tiles is not None:
            return tiles[:3], tiles[3]
    raise DecodeError("expected a run that nobody holds")


def _ended(hand: FaceUp) -> FaceUp:
    if hand.state.phase is not Phase.OVER:
        raise DecodeError("the round is not over")
    return hand


def _run_action(rules: RuleSet, given: Example) -> Facts:
    moves: dict[str, Move] = {
        "pass": Pass(),
        "draw": DrawStack(),
        "play": Play(written_form([list(map(placed, (*_RUN, _NEXT)))])),
    }
    move = moves[given["action"]]
    table = _table([_RUN], opened=True, passes=given["passes_before"])
    spare = [tile for tile in DECK if tile not in (*_RUN, _NEXT)][-4:]
    drawn = given.get("drawn_this_turn", False)
    racks = {ME: [_NEXT, *spare[:2]], OTHER: spare[2:]}
    hand = _position(rules, racks, table, stack=given["pool"] + drawn)
    if drawn:
        hand = hand.after(DrawStack())
    try:
        hand.engine.check(View(state=hand.state, seat=ME), move)
        after = hand.after(move)
    except RuleError:
        return {"legal": False}
    return {
        "legal": True,
        "passes": table_of(after.state).passes,
        "round_over": after.state.phase is Phase.OVER,
    }


def _run_options(rules: RuleSet, given: Example) -> Facts:
    duel = rules.duel
    if duel is None:
        raise DecodeError("expected the duel")
    return {
        "hands": "independent_rounds",  # score_duel looks at one round only
        "teams": "partners" in OPTIONS[rules.key],
        "opening": duel.opening_floor,
        "joker_left": duel.joker_left,
    }


KINDS: dict[str, Kind] = {
    **COMMON_KINDS,
    "e_action": _run_action,
    "e_end": _run_end,
    "e_turn": _run_turn,
    "meld": _run_meld,
    "options": _run_options,
}
