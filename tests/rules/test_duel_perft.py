"""Counted moves of small positions of the duel: the engine against a brute force that shares nothing.

The counts in perft/duel.json were made by `python -m tests.rules.test_duel_perft`. Depth n counts
the different lines of n moves; a play counts once, however its tiles are written down.
"""

import json
from pathlib import Path

import pytest

from p2pokey.errors import RuleError
from p2pokey.rules import duel
from p2pokey.rules.duel_state import written_form
from p2pokey.rules.moves import DrawStack, Move, Pass, Play
from tests.rules.duel_brute import candidate_tables, count_lines
from tests.rules.duels import DuelHand, position

FILE = Path(__file__).parent / "perft" / "duel.json"
POSITIONS = json.loads(FILE.read_text())["positions"]
BY_NAME = pytest.mark.parametrize("entry", POSITIONS, ids=lambda entry: entry["name"])


def _hand(entry: dict) -> DuelHand:
    return position(
        table=entry["table"],
        racks=tuple(entry["racks"]),
        stack=entry["stack"],
        opened=tuple(entry["opened"]),
    )


def _accepted(hand: DuelHand) -> set[Move]:
    """Every move that `check` accepts, of all that there could be."""
    rack = hand.state.racks[hand.state.turn]
    lying = [placed.slot for placed in hand.lying.tiles]
    tried: list[Move] = [DrawStack(), Pass()]
    for groups in candidate_tables(lying, rack):
        try:
            tried.append(Play(written_form(map(hand.placed, group) for group in groups)))
        except ValueError:  # no meld, or no table at all
            continue
    found = set()
    for move in tried:
        try:
            duel.check(hand.own(), move)
        except RuleError:
            continue
        found.add(move)
    return found


def _is_listed(hand: DuelHand, move: Move) -> bool:
    """Whether `legal` promises that move: no play, one tile more, or one meld of three more."""
    if not isinstance(move, Play):
        return True
    new, gone = set(move.table) - set(hand.lying.melds), set(hand.lying.melds) - set(move.table)
    if len(new) != 1 or len(gone) > 1:
        return False
    tiles = set(next(iter(new)).tiles)
    return (
        len(tiles) == 3
        if not gone
        else tiles > set(next(iter(gone)).tiles) and (len(tiles) == len(next(iter(gone)).tiles) + 1)
    )


def _count(hand: DuelHand, depth: int) -> int:
    if depth == 0:
        return 1
    if duel.mover(hand.state) is None:
        return 0
    accepted = _accepted(hand)
    legal = set(hand.legal())
    assert legal <= accepted
    assert {move for move in accepted if _is_listed(hand, move)} <= legal
    return sum(_count(hand.play(move), depth - 1) for move in accepted)


def _count_by_brute_force(entry: dict, depth: int) -> int:
    hand = _hand(entry)
    first, second = ([hand.deck[slot] for slot in rack] for rack in hand.state.racks)
    table = tuple(tuple(placed.tile for placed in meld.tiles) for meld in hand.lying.melds)
    stack = tuple(hand.deck[slot] for slot in hand.state.stack)
    racks = (tuple(first), tuple(second))
    return count_lines(table, racks, stack, tuple(entry["opened"]), depth)


@BY_NAME
def test_the_engine_counts_the_same(entry):
    assert [_count(_hand(entry), depth) for depth in (1, 2)] == entry["counts"]


@BY_NAME
def test_brute_force_counts_the_same(entry):
    assert [_count_by_brute_force(entry, depth) for depth in (1, 2)] == entry["counts"]


def _write() -> None:
    document = json.loads(FILE.read_text())
    for entry in document["positions"]:
        entry["counts"] = [_count_by_brute_force(entry, depth) for depth in (1, 2)]
    FILE.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    _write()
