"""Aids for counting and for the clock (C-15, C-17)."""

import pytest

from p2pokey.errors import InvalidMeld
from p2pokey.rules.counting import quick_value, turn_seconds
from p2pokey.rules.rulesets import rule_set_keys, ruleset_for

C = ("101-standard", "101-progressive")


@pytest.mark.parametrize("first", range(1, 12))
@pytest.mark.parametrize("length", range(3, 6))
def test_every_middle_of_a_run_counts_the_same(first: int, length: int):
    """C-17: a counting aid changes no value."""
    numbers = range(first, first + length)
    values = {quick_value([(numbers, middle)]) for middle in numbers[1:-1]}

    assert [value.points for value in values] == [sum(numbers)]


def test_thirds_of_several_melds_are_added():
    value = quick_value([((11, 12, 13), 12), ((5, 6, 7, 8), 6), ((1, 1, 1, 1), 1)])

    assert (value.thirds, value.remainder) == (22, 0)
    assert value.points == 66


@pytest.mark.parametrize("middle", [4, 7, 8])
def test_an_end_is_no_middle(middle: int):
    with pytest.raises(InvalidMeld) as error:
        quick_value([((5, 6, 7), middle)])

    assert error.value.rule == "C-17"


@pytest.mark.parametrize("key", rule_set_keys())
@pytest.mark.parametrize(
    ("base", "accepted", "person", "expected"),
    [
        (30, True, True, 45),
        (50, True, True, 60),
        (90, True, True, 90),
        (30, False, True, 30),
        (30, True, False, 30),
        (0, True, True, 0),
    ],
)
def test_an_accepted_opening_gives_a_person_more_time(
    key: str, base: int, accepted: bool, person: bool, expected: int
):
    """C-15: only where the rules say so, and 0 stays without a limit."""
    seconds = turn_seconds(ruleset_for(key), base, opening_accepted=accepted, is_person=person)

    assert seconds == (expected if key in C else base)
