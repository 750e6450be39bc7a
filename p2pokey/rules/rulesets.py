"""Rule sets and table options: what is agreed and signed before a hand, and its hash.

Canonical form: `{"rules": {...}, "table": {...}}` as ASCII JSON with sorted keys and no spaces;
every field is written, as an int, a bool, a string, null or an object of such. Only the fields
named in `published.OPTIONS` may differ from the published values of a rule set; the others are
written so that two programs that disagree about a rule get different hashes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import TypeVar

from p2pokey.errors import InvalidRuleSet
from p2pokey.rules.published import OPTIONS, RULE_SETS, Option, RuleSet
from p2pokey.tiles import MAX_SEATS, MIN_SEATS

MAX_TIMER_S = 600
MAX_GRACE_S = 3600
_MAX_JSON_SIZE = 8192


def rule_set_keys() -> tuple[str, ...]:
    """Keys of all rule sets."""
    return tuple(RULE_SETS)


def ruleset_for(key: str, **options: Option) -> RuleSet:
    """The published rule set with that key, with some of its options changed.

    Raises:
        InvalidRuleSet: unknown key, a field that is no option of this rule set, or a value that
            the option does not allow.
    """
    if key not in RULE_SETS:
        raise InvalidRuleSet(f"expected a rule set key, got {key[:30]!r}", rule="OPT-1")
    rules = RULE_SETS[key]
    inner: dict[str, Option] = {}
    outer: dict[str, Option] = {}
    for name, value in options.items():
        allowed = OPTIONS[key].get(name)
        if allowed is None:
            raise InvalidRuleSet(f"{name[:30]} is no option of {key}", rule="OPT-1")
        # True == 1 in Python, but a switch is no number.
        is_switch = isinstance(value, bool)
        chosen = [o for o in allowed if o == value and isinstance(o, bool) is is_switch]
        if not chosen:
            said = ", ".join(map(str, allowed))
            raise InvalidRuleSet(f"expected {name} to be one of {said}", rule="OPT-1")
        in_table = rules.table is not None and hasattr(rules.table, name)
        (inner if in_table else outer)[name] = chosen[0]
    if rules.table is not None and inner:
        rules = _replaced(rules, table=_replaced(rules.table, **inner))
    return _replaced(rules, **outer)


def options_of(rules: RuleSet) -> dict[str, Option]:
    """The chosen value of every option of this rule set, by name."""
    names = OPTIONS[rules.key]
    inner = {} if rules.table is None else asdict(rules.table)
    outer = asdict(rules)
    return {name: inner[name] if name in inner else outer[name] for name in names}


_Frozen = TypeVar("_Frozen")


def _replaced(record: _Frozen, **changes: object) -> _Frozen:
    """A copy with some fields changed; their types were checked by the caller."""
    return replace(record, **changes)  # type: ignore[type-var]


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
    rules = _read_rules(value["rules"])
    options = _read_options(value["table"])
    if canonical_bytes(rules, options) != data:
        raise InvalidRuleSet("expected the canonical form", rule="OPT-1")
    return rules, options


def _read_rules(value: object) -> RuleSet:
    """The rule set that is written so, if it is a published one with allowed options."""
    key = value.get("key") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(key, str) or key not in RULE_SETS:
        raise InvalidRuleSet("expected the key of a rule set", rule="OPT-1")
    inner = value.get("table")
    written = {**value, **(inner if isinstance(inner, Mapping) else {})}
    chosen = {name: written[name] for name in OPTIONS[key] if name in written}
    if not all(isinstance(option, bool | int | str) for option in chosen.values()):
        raise InvalidRuleSet("expected options as numbers, switches or words", rule="OPT-1")
    rules = ruleset_for(key, **chosen)
    if _dump(asdict(rules)) != _dump(value):
        raise InvalidRuleSet(f"a fixed value of {key} was changed", rule="OPT-1")
    return rules


def _read_options(value: object) -> TableOptions:
    """Builds the options from an object with exactly their fields, each of exactly its type."""
    names = [field.name for field in fields(TableOptions)]
    if not isinstance(value, Mapping) or sorted(value) != sorted(names):
        raise InvalidRuleSet(f"expected the fields {', '.join(names)}", rule="OPT-1")
    for field in fields(TableOptions):
        if type(value[field.name]) is not field.type:
            raise InvalidRuleSet(f"wrong type of {field.name}", rule="OPT-1")
    return TableOptions(**value)
