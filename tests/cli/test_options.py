"""Options of a game as they are typed."""

import pytest

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.options import chosen_rules
from p2pokey.rules.published import OPTIONS, RULE_SETS


def test_what_is_typed_is_chosen() -> None:
    rules = chosen_rules("101-classic", ["hands=7", "partners=YES", "take_use=any-meld"])
    assert (rules.hands, rules.partners) == (7, True)
    assert rules.table is not None
    assert rules.table.take_use == "any-meld"
    assert chosen_rules("duel", []) == RULE_SETS["duel"]


@pytest.mark.parametrize("key", RULE_SETS)
def test_every_value_of_every_option_can_be_typed(key: str) -> None:
    for name, allowed in OPTIONS[key].items():
        for value in allowed:
            chosen = chosen_rules(key, [f"{name}={str(value).lower()}"])
            holder = chosen.table if hasattr(chosen.table, name) else chosen
            assert getattr(holder, name) == value


@pytest.mark.parametrize(
    ("key", "pairs"),
    [
        ("classic", ["hands=3"]),
        ("101-classic", ["hands=2"]),
        ("101-classic", ["hands=true"]),
        ("101-classic", ["hands"]),
        ("101-classic", ["partners=perhaps"]),
        ("101-classic", ["partners=1"]),
        ("101-classic", ["partners=on", "partners=on"]),
        ("101-classic", ["=3"]),
        ("101-classic", ["\x1b[2J=3"]),
        ("duel", ["partners=true"]),
    ],
)
def test_anything_else_is_refused_with_what_there_is(key: str, pairs: list[str]) -> None:
    with pytest.raises(CommandError) as raised:
        chosen_rules(key, pairs)
    assert raised.value.code is ExitCode.USAGE
    assert all(name in raised.value.advice for name in OPTIONS[key])
    assert "\x1b" not in str(raised.value)
