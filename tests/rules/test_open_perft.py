"""Counted moves of small positions of the open table, one file per rule set.

Depth n counts the lines of n canonical moves (open_moves.py). The counts were made by
`python -m tests.rules.test_open_perft`; those of depth 1 are also there by kind, to be checked by
hand. At each node what `legal` lists is compared with what `check` accepts.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from p2pokey.rules import open_table
from p2pokey.rules.moves import Add, Lay, Move, Open
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Phase
from tests.rules.open_hands import OPEN_KEYS, FaceUp, position
from tests.rules.open_moves import all_moves

FOLDER = Path(__file__).parent / "perft"


def _read(key: str) -> dict:
    return json.loads((FOLDER / f"{key}.json").read_text())


def _hand(key: str, entry: dict) -> FaceUp:
    return position(
        ruleset_for(key, **entry.get("options", {})),
        *entry["racks"],
        table=[(owner, text) for owner, text in entry["table"]],
        opened=entry["opened"],
        going=tuple(entry.get("going_pairs", ())),
        discards=("", "", "", entry.get("left", "")),
        okey=entry.get("okey", "r5"),
        phase=Phase[entry["phase"].upper()],
    )


def _is_listed(move: Move) -> bool:
    """Whether `legal` promises that kind of move."""
    return not isinstance(move, Open | Lay) and not (isinstance(move, Add) and len(move.tiles) > 1)


def _moves(hand: FaceUp) -> set[Move]:
    if open_table.mover(hand.state) is None:
        return set()
    found = all_moves(hand)
    assert {move for move in found if _is_listed(move)} == set(hand.legal())
    return found


def _counts(hand: FaceUp) -> tuple[list[int], dict[str, int]]:
    first = _moves(hand)
    kinds = Counter(type(move).__name__ for move in first)
    second = sum(len(_moves(hand.play(move))) for move in first)
    return [len(first), second], dict(sorted(kinds.items()))


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_counts(key):
    document = _read(key)
    assert document["rules"] == key
    for entry in document["positions"]:
        counts, kinds = _counts(_hand(key, entry))
        assert (entry["name"], entry["counts"]) == (entry["name"], counts)
        assert entry["kinds"] == kinds


def _write() -> None:
    for key in OPEN_KEYS:
        document = _read(key)
        for entry in document["positions"]:
            entry["counts"], entry["kinds"] = _counts(_hand(key, entry))
        (FOLDER / f"{key}.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    _write()
