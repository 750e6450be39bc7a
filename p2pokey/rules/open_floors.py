"""What an opening must reach, and the bonus of a dear one (docs/rules: B, C and D)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from p2pokey.rules.open_state import Opened
from p2pokey.rules.published import RuleSet
from p2pokey.rules.state import partner_of
from p2pokey.tiles import Seat

_BONUS_STEPS = {Opened.MELDS: ((180, -202), (150, -101)), Opened.PAIRS: ((9, -202), (7, -101))}
"""Value or number of pairs from which a bonus is due, the higher step first (B-14)."""


class Floors(NamedTuple):
    """The least that a seat may open with."""

    melds: int
    """Value of runs and sets."""

    pairs: int
    """Number of pairs."""


def floors(rules: RuleSet, seat: Seat, openings: Sequence[tuple[Opened, int]]) -> Floors:
    """What the seat's opening must reach now.

    Args:
        openings: per seat, how it has opened and with what value or number of pairs.
    """
    table = rules.open_table
    spared = {seat}
    if rules.partners and not table.rise_counts_partner:
        spared.add(partner_of(seat, len(openings)))
    counted = [opening for other, opening in enumerate(openings) if other not in spared]
    melds = [value for opened, value in counted if opened is Opened.MELDS]
    pairs = [value for opened, value in counted if opened is Opened.PAIRS]
    return Floors(
        melds=_risen(table.melds_floor, melds if table.melds_rise else ()),
        pairs=_risen(table.pairs_floor, pairs if table.pairs_rise else ()),
    )


def _risen(floor: int, values: Iterable[int]) -> int:
    return max((floor, *(value + 1 for value in values)))


def opening_bonus(rules: RuleSet, opened: Opened, value: int) -> int:
    """Points of an opening's bonus: negative, 0 where there is none (B-14).

    Args:
        value: value of the melds, or number of pairs.
    """
    if not rules.open_table.opening_bonus:
        return 0
    steps = _BONUS_STEPS.get(opened, ())
    return next((points for least, points in steps if value >= least), 0)
