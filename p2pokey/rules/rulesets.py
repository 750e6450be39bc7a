"""Rule sets and table options: what is agreed and signed before a hand, and its hash.

Canonical form: `{"rules": {...}, "table": {...}}` as ASCII JSON with sorted keys and no spaces;
every field is written, as an int, a bool or a string. Only the fields named in `_OPTIONS` may
differ from the published values of a rule set; the others are written so that two programs that
disagree about a rule get different hashes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import TypeVar

from p2pokey.errors import InvalidRuleSet
from p2pokey.rules.melds import MeldRules
from p2pokey.tiles import MAX_SEATS, MIN_SEATS

MAX_TIMER_S = 600
MAX_GRACE_S = 3600
_MAX_JSON_SIZE = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The parameters and options of one game (docs/rules)."""

    key: str
    """Name everywhere: `classic`."""

    players: int
    """Number of seats of a table."""

    rack_size: int
    """Tiles per rack after the deal; the starter gets one more."""

    wrap: bool
    """Whether 12-13-1 is a run (A-1)."""

    two_okeys_pair: bool
    """Whether the two okeys are a pair (A-2)."""

    partners: bool
    """Whether opposite seats play together."""

    start_score: int
    """Score of every seat before the first hand."""

    hands: int
    """Hands of a match; 0: until a score is 0 or below (A-7)."""

    most_points_win: bool
    """Whether the highest total wins the match; otherwise the lowest."""

    turn_limit: int
    """Turns after which a hand ends as exhausted (G-17)."""

    discard_taken: bool = False
    """Option A-12: the tile just taken may be discarded without finishing."""

    last_discard_offer: bool = False
    """Option G-7: the next seat may still take the last discard of an empty stack."""

    show_survives_drawout: bool = False
    """Option A-6: a shown indicator scores in an exhausted hand, too."""

    @property
    def melds(self) -> MeldRules:
        """Parameters of the meld validators."""
        return MeldRules(wrap=self.wrap, two_okeys_pair=self.two_okeys_pair)


CLASSIC = RuleSet(
    key="classic",
    players=4,
    rack_size=14,
    wrap=True,
    two_okeys_pair=True,
    partners=False,
    start_score=20,
    hands=0,
    most_points_win=True,
    turn_limit=240,
)

_RULE_SETS = {CLASSIC.key: CLASSIC}
_OPTIONS = {CLASSIC.key: ("discard_taken", "last_discard_offer", "show_survives_drawout")}


def rule_set_keys() -> tuple[str, ...]:
    """Keys of all rule sets."""
    return tuple(_RULE_SETS)


def ruleset_for(key: str, **options: bool) -> RuleSet:
    """The published rule set with that key, with some of its options changed.

    Raises:
        InvalidRuleSet: unknown key, or a field that is no option of this rule set.
    """
    if key not in _RULE_SETS:
        raise InvalidRuleSet(f"expected a rule set key, got {key[:30]!r}", rule="OPT-1")
    unknown = sorted(set(options) - set(_OPTIONS[key]))
    if unknown:
        raise InvalidRuleSet(f"{unknown[0][:30]} is no option of {key}", rule="OPT-1")
    return RuleSet(**{**asdict(_RULE_SETS[key]), **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """What a table agrees on besides the rules.

    Raises:
        InvalidRuleSet: a value out of range, or options that contradict each other.
    """

    seats: int
    """Number of seats, 2..4."""

    assisted: bool
    """Whether the page marks melds and gives hints; the rules stay the same."""

    timer_s: int
    """Seconds per turn, 0 (off) .. MAX_TIMER_S."""

    grace_s: int
    """Seconds that a lost connection may take to return, 0 .. MAX_GRACE_S."""

    recovery: bool
    """Whether the others can play on for an absent seat (docs/protocol.md S10)."""

    threshold: int
    """Seats needed to open a tile of an absent seat: seats - 1; 0 without recovery."""

    unlinkable_discards: bool
    """Whether racks are re-masked before discards (docs/protocol.md S9)."""

    def __post_init__(self) -> None:
        _check_range("seats", self.seats, MIN_SEATS, MAX_SEATS)
        _check_range("timer_s", self.timer_s, 0, MAX_TIMER_S)
        _check_range("grace_s", self.grace_s, 0, MAX_GRACE_S)
        if self.recovery and self.seats < 3:
            raise InvalidRuleSet("two seats cannot recover a third", rule="OPT-2")
        expected = self.seats - 1 if self.recovery else 0
        if self.threshold != expected:
            raise InvalidRuleSet(
                f"expected threshold {expected}, got {self.threshold}", rule="OPT-2"
            )


def table_options(
    seats: int,
    *,
    assisted: bool = False,
    timer_s: int = 30,
    grace_s: int = 60,
    recovery: bool | None = None,
    unlinkable_discards: bool = True,
) -> TableOptions:
    """Table options with the usual defaults; recovery is on from three seats if not said."""
    recovers = seats >= 3 if recovery is None else recovery
    return TableOptions(
        seats=seats,
        assisted=assisted,
        timer_s=timer_s,
        grace_s=grace_s,
        recovery=recovers,
        threshold=seats - 1 if recovers else 0,
        unlinkable_discards=unlinkable_discards,
    )


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise InvalidRuleSet(f"expected {name} from {low} to {high}, got {value}", rule="OPT-2")


def check_table(rules: RuleSet, options: TableOptions) -> None:
    """Raises InvalidRuleSet unless the rules can be played with these options."""
    if options.seats != rules.players:
        raise InvalidRuleSet(
            f"expected {rules.players} seats for {rules.key}, got {options.seats}", rule="OPT-2"
        )


def canonical_bytes(rules: RuleSet, options: TableOptions) -> bytes:
    """The one written form of rules and options (module docstring).

    Raises:
        InvalidRuleSet: the two contradict each other.
    """
    check_table(rules, options)
    return _dump({"rules": asdict(rules), "table": asdict(options)})


def rules_hash(rules: RuleSet, options: TableOptions) -> bytes:
    """SHA-512 of `canonical_bytes`, 64 bytes."""
    return hashlib.sha512(canonical_bytes(rules, options)).digest()


@cache
def ruleset_hash(rules: RuleSet) -> bytes:
    """SHA-512 of the rule set alone, 64 bytes: part of the state of a hand."""
    return hashlib.sha512(_dump(asdict(rules))).digest()


def _dump(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def from_json(data: bytes) -> tuple[RuleSet, TableOptions]:
    """Reads what `canonical_bytes` writes, and nothing else.

    Raises:
        InvalidRuleSet: not the canonical form, an unknown key, a missing or unknown field, a wrong
            type, a value that is fixed in the rule set, or a contradiction.
    """
    if len(data) > _MAX_JSON_SIZE:
        raise InvalidRuleSet(f"expected at most {_MAX_JSON_SIZE} bytes", rule="OPT-1")
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidRuleSet("expected rules and options as JSON", rule="OPT-1") from error
    if not isinstance(value, dict) or sorted(value) != ["rules", "table"]:
        raise InvalidRuleSet("expected the fields rules and table", rule="OPT-1")
    rules = _typed(RuleSet, value["rules"])
    options = _typed(TableOptions, value["table"])
    chosen = {name: getattr(rules, name) for name in _OPTIONS.get(rules.key, ())}
    if ruleset_for(rules.key, **chosen) != rules:
        raise InvalidRuleSet(f"a fixed value of {rules.key} was changed", rule="OPT-1")
    if canonical_bytes(rules, options) != data:
        raise InvalidRuleSet("expected the canonical form", rule="OPT-1")
    return rules, options


_Record = TypeVar("_Record", RuleSet, TableOptions)


def _typed(record: type[_Record], value: object) -> _Record:
    """Builds the record from a JSON object with exactly its fields, each of exactly its type."""
    names = [field.name for field in fields(record)]
    if not isinstance(value, Mapping) or sorted(value) != sorted(names):
        raise InvalidRuleSet(f"expected the fields {', '.join(names)}", rule="OPT-1")
    for field in fields(record):
        if type(value[field.name]) is not field.type:
            raise InvalidRuleSet(f"wrong type of {field.name}", rule="OPT-1")
    return record(**value)
