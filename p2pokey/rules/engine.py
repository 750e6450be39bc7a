"""What every engine offers, and which engine plays which rule set."""

from collections.abc import Mapping
from typing import Protocol

from p2pokey.errors import InvalidRuleSet
from p2pokey.rules import classic, duel, open_table
from p2pokey.rules.dealing import Outcome
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RULE_SETS, RuleSet
from p2pokey.rules.scoring import HandScore
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Slot, Tile


class Engine(Protocol):
    """The moves of one hand as pure functions; same arguments, same results, on every peer."""

    def start(self, rules: RuleSet, seats: int, starter: Seat) -> Outcome:
        """The deal: which slots lie where, and which must now be opened to whom."""

    def turn_indicator(self, state: HandState, tile: Tile) -> Outcome:
        """The top of the stack opened to `tile` for the indicator."""

    def mover(self, state: HandState) -> Seat | None:
        """The seat to move, or None."""

    def legal(self, view: View) -> tuple[Move, ...]:
        """The moves open to the viewer."""

    def check(self, view: View, move: Move) -> None:
        """Raises RuleError if the seat to move may not make that move."""

    def apply(self, state: HandState, move: Move) -> Outcome:
        """The state after a move of the seat to move, checked on public facts."""

    def score(
        self, state: HandState, faces: Mapping[Slot, Tile], totals: tuple[int, ...]
    ) -> HandScore:
        """Points of a hand that is over.

        Args:
            faces: all 106 tiles, known after disclosure.
            totals: score per seat before the hand.
        """


_OPEN_TABLES = [key for key, rules in RULE_SETS.items() if rules.table is not None]
_ENGINES: dict[str, Engine] = {
    **dict.fromkeys(_OPEN_TABLES, open_table),
    "classic": classic,
    "duel": duel,
}


def engine_for(rules: RuleSet) -> Engine:
    """The engine that plays a rule set; raises InvalidRuleSet where there is none."""
    engine = _ENGINES.get(rules.key)
    if engine is None:
        raise InvalidRuleSet(f"no engine plays {rules.key[:30]!r}", rule="OPT-1")
    return engine
