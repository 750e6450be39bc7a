"""The rule books say what the program plays: ids, figures and options."""

import re
from collections.abc import Callable

import pytest

from p2pokey.rules.published import OPTIONS, OpenTableRules, Option, RuleSet, Starter
from p2pokey.rules.rulesets import options_of, rule_set_keys, ruleset_for
from p2pokey.tiles import TILE_COUNT
from tests.core import ROOT

RULES = ROOT / "docs" / "rules"
PAGES = {path.stem: path.read_text("utf-8") for path in RULES.glob("*.md")}
OPEN_TABLE = [key for key in rule_set_keys() if ruleset_for(key).table is not None]
PAGED = [key for key in rule_set_keys() if key != "classic"]
BASES = {
    "101-rising": "101-classic",
    "101-challenge": "101-classic",
    "51": "101-classic",
    "101-progressive": "101-standard",
}
"""Pages that refer to another one for their options."""

HIGHEST = {
    "A": 12,
    "B": 27,
    "C": 19,
    "D": 21,
    "E": 13,
    "G": 20,
    "M": 6,
    "OT": 12,
    "P": 8,
    "T": 4,
    "OPT": 2,
}
"""Per family the rules that have an id of old; ids are never given up."""


def defined(text: str) -> list[str]:
    """Ids of the rules that stand in a text, not of those that it only cites."""
    return re.findall(r"\*\*([A-Z]+-\d+)\*\*", text)


def table(text: str, heading: str) -> list[list[str]]:
    """Cells of the first table below a heading, without its head."""
    part = text.split(f"\n## {heading}\n", 1)[1]
    lines = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)
    assert lines is not None
    rows = [re.split(r" *\| *", line.strip("| ")) for line in lines[0].splitlines()]
    return rows[2:]


# Ids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", HIGHEST)
def test_every_rule_stands_on_a_page(family: str) -> None:
    found = {rule for text in PAGES.values() for rule in defined(text)}

    assert {f"{family}-{number}" for number in range(1, HIGHEST[family] + 1)} <= found


@pytest.mark.parametrize("key", PAGES)
def test_a_page_says_a_rule_once(key: str) -> None:
    rules = defined(PAGES[key])

    assert sorted(set(rules)) == sorted(rules)


@pytest.mark.parametrize("key", rule_set_keys())
def test_every_game_has_its_page(key: str) -> None:
    assert f"ule set key: `{key}`" in " ".join(PAGES[key].split())


# Figures -----------------------------------------------------------------------------------------


def tiles_dealt(rules: RuleSet) -> str:
    first = f", starter {rules.rack_size + 1}" if rules.starter_extra else ""
    return f"{rules.rack_size}{first}"


def stack(rules: RuleSet) -> str:
    dealt = rules.players * rules.rack_size + rules.starter_extra + rules.indicator
    return str(TILE_COUNT - dealt)


def yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def open_table(rules: RuleSet) -> OpenTableRules:
    assert rules.table is not None
    return rules.table


def rises(rules: RuleSet) -> str:
    against = "everybody" if open_table(rules).rise_counts_partner else "opponents"
    if "melds_rise" in OPTIONS[rules.key]:
        return f"melds only, as an option, against {against}"
    match open_table(rules).melds_rise, open_table(rules).pairs_rise:
        case True, True:
            return f"both, against {against}"
        case True, False:
            return f"melds only, against {against}"
        case _:
            return "no"


def hands(rules: RuleSet) -> str:
    *most, last = map(str, OPTIONS[rules.key]["hands"])
    return f"{', '.join(most)} or {last}; usually {rules.hands}"


def starter(rules: RuleSet) -> str:
    return {
        Starter.COINS: "chance in each hand",
        Starter.ROTATES: "chance in the first hand, then one seat to the right",
        Starter.ALTERNATES: "seat 1, then alternating",
    }[rules.starter]


FIGURES: dict[str, Callable[[RuleSet], str]] = {
    "players": lambda rules: str(rules.players),
    "tiles dealt": tiles_dealt,
    "stack after the deal": stack,
    "pool after the deal": stack,
    "floor, melds": lambda rules: str(open_table(rules).melds_floor),
    "floor, pairs": lambda rules: str(open_table(rules).pairs_floor),
    "the floors rise": rises,
    "12-13-1": lambda rules: yes(rules.wrap),
    "tiles of a new meld": lambda rules: f"at most {rules.max_new}",
    "hands of a match": hands,
    "starter": starter,
    "first play": lambda rules: str(rules.duel and rules.duel.opening_floor),
    "joker left on the rack": lambda rules: str(rules.duel and rules.duel.joker_left),
}


@pytest.mark.parametrize("key", PAGED)
def test_figures(key: str) -> None:
    rules = ruleset_for(key)
    written = table(PAGES[key], "The figures")

    assert [[label, FIGURES[label](rules)] for label, _ in written] == written
    assert len(written) >= 7
    assert rules.max_new == 13 or "tiles of a new meld" in dict(written)


def test_figures_of_the_open_table() -> None:
    rows = {
        re.split(r"[\[\]]", row[0])[1]: row[1:] for row in table(PAGES["open-table"], "The figures")
    }
    expected = {}
    for key in OPEN_TABLE:
        rules = ruleset_for(key)
        is_option = "melds_rise" in OPTIONS[key]
        expected[key] = [
            tiles_dealt(rules),
            stack(rules),
            str(open_table(rules).melds_floor),
            "option" if is_option else yes(open_table(rules).melds_rise),
            str(open_table(rules).pairs_floor),
            yes(open_table(rules).pairs_rise),
            yes(rules.wrap),
            str(rules.max_new),
            yes(open_table(rules).take_playable),
            yes(rules.two_okeys_pair),
        ]

    assert rows == expected


# Options -----------------------------------------------------------------------------------------


def said(value: Option) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("key", [key for key in PAGED if key not in BASES])
def test_options(key: str) -> None:
    usual = options_of(ruleset_for(key))
    expected = {
        f"`{name}`": [", ".join(map(said, values)), said(usual[name])]
        for name, values in OPTIONS[key].items()
    }

    assert {name: rest for name, *rest in table(PAGES[key], "Options")} == expected


@pytest.mark.parametrize("key", BASES)
def test_options_that_stand_on_another_page(key: str) -> None:
    base = BASES[key]
    usual, usual_there = options_of(ruleset_for(key)), options_of(ruleset_for(base))
    others = {name for name in usual if usual[name] != usual_there[name]}

    assert OPTIONS[key] == OPTIONS[base]
    assert f"As in [{base}.md]" in PAGES[key] or f"as in [{base}.md]" in PAGES[key]
    assert all(f"`{name}`" in PAGES[key] for name in others)


def test_options_of_classic_okey() -> None:
    for name, usual in options_of(ruleset_for("classic")).items():
        assert f"`{name}`" in PAGES["classic"]
        assert usual is False
