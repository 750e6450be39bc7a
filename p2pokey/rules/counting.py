"""Aids for counting and for the clock: nothing here decides whether a move is legal."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from p2pokey.errors import InvalidMeld
from p2pokey.rules.published import RuleSet


class QuickValue(NamedTuple):
    """The value of melds, counted in thirds (C-17)."""

    thirds: int
    remainder: int
    """0 to 2."""

    @property
    def points(self) -> int:
        """The value itself."""
        return 3 * self.thirds + self.remainder


def quick_value(melds: Iterable[tuple[Sequence[int], int]]) -> QuickValue:
    """Counts melds by their middles: three tiles around a middle are worth three times it (C-17).

    Args:
        melds: per meld the numbers that its tiles stand for, in laid order, and the chosen middle.

    Raises:
        InvalidMeld: a middle without a number before and behind it that makes three times it.
    """
    thirds = rest = 0
    for numbers, middle in melds:
        around = _around(numbers, middle)
        thirds += middle
        rest += sum(numbers) - sum(around)
    return QuickValue(thirds + rest // 3, rest % 3)


def _around(numbers: Sequence[int], middle: int) -> Sequence[int]:
    for start in range(len(numbers) - 2):
        three = numbers[start : start + 3]
        if three[1] == middle and sum(three) == 3 * middle:
            return three
    raise InvalidMeld(f"{middle} is no middle of this meld", rule="C-17")


def turn_seconds(rules: RuleSet, base_s: int, *, opening_accepted: bool, is_person: bool) -> int:
    """Seconds of a turn: a person gets more for an accepted opening, up to a limit (C-15, C-19).

    Args:
        base_s: what the table has agreed on; 0: no limit.
        opening_accepted: whether the first opening of this seat was accepted in this turn.
    """
    table = rules.table
    if table is None or base_s == 0 or not (opening_accepted and is_person):
        return base_s
    if table.opening_bonus_s == 0:
        return base_s
    return max(base_s, min(base_s + table.opening_bonus_s, table.timer_cap_s))
