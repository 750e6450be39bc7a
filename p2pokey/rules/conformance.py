"""Runs worked examples (schema `p2pokey-rules-examples/1`) against the engines.

An example names its variant and kind, an input and the expected facts; one function per kind plays
the input through the real engines and returns the facts it found. A variant or kind that is not here
fails, so that nothing is skipped in silence.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from p2pokey.errors import DecodeError, P2POkeyError
from p2pokey.rules.conformance_classic import KINDS as CLASSIC_KINDS
from p2pokey.rules.conformance_duel import KINDS as DUEL_KINDS
from p2pokey.rules.conformance_input import Example, Facts, Kind
from p2pokey.rules.conformance_scores import KINDS as OPEN_KINDS
from p2pokey.rules.published import (
    B_51,
    B_CHALLENGE,
    B_CLASSIC,
    B_RISING,
    C_PROGRESSIVE,
    C_STANDARD,
    CLASSIC,
    D_FEEDING,
    DUEL,
    RuleSet,
)

SCHEMA = "p2pokey-rules-examples/1"

_VARIANTS: dict[str, tuple[RuleSet, dict[str, Kind]]] = {
    "A": (CLASSIC, CLASSIC_KINDS),
    "B.classic": (B_CLASSIC, OPEN_KINDS),
    "B.rising": (B_RISING, OPEN_KINDS),
    "B.challenge": (B_CHALLENGE, OPEN_KINDS),
    "B.51": (B_51, OPEN_KINDS),
    "C.standard": (C_STANDARD, OPEN_KINDS),
    "C.progressive": (C_PROGRESSIVE, OPEN_KINDS),
    "D": (D_FEEDING, OPEN_KINDS),
    "E": (DUEL, DUEL_KINDS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An example whose expectation was not met."""

    example: str
    expected: Facts
    got: Facts
    """The facts found, or `error` with the reason why the example could not be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of a file of examples, in file order."""

    passed: tuple[str, ...]
    """Ids."""

    failures: tuple[Failure, ...]


def is_supported(example: Example) -> bool:
    """Whether the example's variant is known and has examples of that kind."""
    _, kinds = _VARIANTS.get(str(example.get("variant")), (None, {}))
    return str(example.get("kind")) in kinds


def run_examples(examples: Iterable[Example]) -> Report:
    """Plays all examples; never raises for what an example says."""
    passed: list[str] = []
    failures: list[Failure] = []
    for example in examples:
        failure = run_example(example)
        if failure is None:
            passed.append(str(example.get("id")))
        else:
            failures.append(failure)
    return Report(passed=tuple(passed), failures=tuple(failures))


def run_example(example: Example) -> Failure | None:
    """Plays one example; None if every expected fact was found."""
    expected: Facts = {}
    got: Facts
    try:
        expected = dict(example["expect"])
        got = _facts(example)
    except (P2POkeyError, AttributeError, LookupError, TypeError, ValueError) as error:
        got = {"error": f"{type(error).__name__}: {error}"}
    relevant = {key: got[key] for key in expected if key in got}
    if relevant == expected and expected:
        return None
    return Failure(example=str(example.get("id")), expected=expected, got=got)


def _facts(example: Example) -> Facts:
    if not is_supported(example):
        variant, kind = str(example.get("variant"))[:30], str(example.get("kind"))[:30]
        raise DecodeError(f"no examples of kind {kind} for variant {variant}")
    rules, kinds = _VARIANTS[example["variant"]]
    return kinds[example["kind"]](rules, example["input"])
