"""`p2pokey rules`: the list of games and the cards, in two languages."""

import json
import re
from dataclasses import replace
from string import Formatter

import pytest

from p2pokey.cli import cards
from p2pokey.cli.card_texts import TEXTS, Language, say
from p2pokey.cli.cards import card_of
from p2pokey.cli.explaining import _shown, card_lines
from p2pokey.rules.published import OPTIONS, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import options_of, ruleset_for

KEYS = sorted(RULE_SETS)
LANGUAGES = [language.value for language in Language]


def lines_of(rules: RuleSet, language: Language = Language.EN) -> list[str]:
    return list(card_lines(card_of(rules, language)))


def line(rules: RuleSet, label: str) -> str:
    """What a card says behind a label."""
    found = [text for text in lines_of(rules) if text.strip().startswith(label + "  ")]
    assert len(found) == 1, label
    return found[0].strip().removeprefix(label).strip()


# The list ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("--list",), ("--list", "--lang", "tr")])
def test_the_list_names_every_game(run, arguments: tuple[str, ...]):
    ran = run("rules", *arguments)

    assert ran.code == 0
    assert [text.split()[0] for text in ran.out.splitlines()] == list(RULE_SETS)
    assert "p2pokey rules KEY" in ran.err


def test_the_list_as_json(run):
    ran = run("rules", "--list", "--json")
    listed = {item["key"]: item for item in json.loads(ran.out)["rules"]}

    assert ran.code == 0
    assert ran.err == ""
    assert list(listed) == list(RULE_SETS)
    for key, item in listed.items():
        assert item["players"] == RULE_SETS[key].players
        assert sorted(item["name"]) == LANGUAGES
        usual = options_of(RULE_SETS[key])
        assert item["options"] == {
            name: {"values": list(OPTIONS[key][name]), "usual": value}
            for name, value in usual.items()
        }


@pytest.mark.parametrize("arguments", [("duel", "--list"), ("duel", "--json")])
def test_the_list_is_of_all_games(run, arguments: tuple[str, ...]):
    ran = run("rules", *arguments)

    assert ran.code == 2
    assert "leave the key out" in ran.err
    assert ran.out == ""


def test_an_unknown_game(run):
    ran = run("rules", "102")

    assert ran.code == 2
    assert "'102'" in ran.err
    assert all(f"'{key}'" in ran.err for key in RULE_SETS)
    assert ran.err.count("\n") == 2  # the sentence, and where to look
    assert ran.out == ""


def test_an_unknown_language(run):
    ran = run("rules", "duel", "--lang", "de")

    assert ran.code == 2
    assert "'tr'" in ran.err


# The cards ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("key", KEYS)
def test_every_game_has_a_card(run, key: str, lang: str):
    ran = run("rules", key, "--lang", lang)

    assert ran.code == 0
    assert ran.out.splitlines()[0] == say(Language(lang), f"name.{key}")
    assert f"docs/rules/{key}.md" in ran.out
    assert all(re.search(rf"^  {name} ", ran.out, re.MULTILINE) for name in OPTIONS[key])
    assert max(map(len, ran.out.splitlines())) <= 100


def test_the_scores_of_101_classic():
    text = "\n".join(lines_of(ruleset_for("101-classic")))
    rows = [re.split(r" {2,}", row.strip()) for row in text.splitlines()]

    assert ["ordinary", "-101", "202", "sum", "sum × 2"] in rows
    assert ["okey discarded", "-202", "404", "sum × 2", "sum × 4"] in rows
    assert ["okey discarded + pairs + straight out", "-404", "808", "sum × 4", "sum × 8"] in rows
    assert ["stack exhausted", "202", "sum", "sum × 2"] in rows


def test_the_scores_of_the_other_games():
    standard = "\n".join(lines_of(ruleset_for("101-standard")))
    feeding = "\n".join(lines_of(ruleset_for("51-feeding")))
    classic = ruleset_for("classic")

    assert re.search(r"pairs \+ opened this turn +-808 +1616 +sum × 8 +sum × 16", standard)
    assert re.search(r"okey discarded \+ pairs +-1000 +1000 +sum × 10 +sum × 10", feeding)
    assert "melds: 500 more, with pairs: 1000" in feeding
    assert [line(classic, name) for name in ("melds", "pairs", "pairs, okey discarded")] == [
        "2",
        "4",
        "8",
    ]


def test_the_charges_and_the_bonus():
    challenge, rising = ruleset_for("101-challenge"), ruleset_for("101-rising")
    feeding = ruleset_for("51-feeding")

    assert line(challenge, "your discard is used in a pair") == "value × 20, an okey × 40"
    assert line(feeding, "a rival steals an okey from your meld") == "100 + value × 10"
    assert line(feeding, "discarding a playable tile") == "100"
    assert line(rising, "150 or more") == "-101"
    assert line(rising, "9 pairs or more") == "-202"
    assert not any("Bonus" in text for text in lines_of(ruleset_for("51")))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("playable_charge", "discarding a playable tile"),
        ("okey_discard_charge", "discarding an okey without finishing"),
        ("take_back_charge", "an opening below the floor"),
        ("retrieve_charge", "another seat fetches the okey that you placed"),
        ("melds_floor", "to open with melds"),
    ],
)
def test_the_figures_are_those_of_the_rules(name: str, label: str):
    rules = ruleset_for("101-standard")
    table = replace(rules.open_table, **{name: 777})

    assert line(rules, label) == str(getattr(rules.open_table, name))
    assert line(replace(rules, table=table), label) == "777"


# The texts ---------------------------------------------------------------------------------------


def places(text: str) -> set[str]:
    """Names of the figures in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_there_in_both_languages(name: str):
    words = TEXTS[name]

    assert all(text.strip() == text and text for text in words)
    assert places(words.en) == places(words.tr)
    typed = re.sub("p2pokey|12-13-1", "", words.en + words.tr)
    if name[:5] not in ("name.", "line."):
        assert not re.search(r"\d", typed), "a figure that is typed, not taken"


def test_every_text_is_used(run, monkeypatch: pytest.MonkeyPatch):
    used = set()

    def noting(language: Language, name: str, **figures: object) -> str:
        used.add(name)
        return say(language, name, **figures)

    monkeypatch.setattr(cards, "say", noting)
    monkeypatch.setattr("p2pokey.cli.explaining.say", noting)
    run("rules")
    for key in KEYS:
        run("rules", key)

    assert used == set(TEXTS)


def test_a_terminal_without_turkish_letters_gets_plain_ones():
    assert _shown("sum × 2, ıstaka, değeri", "ascii") == "sum x 2, istaka, degeri"
    assert _shown("sum × 2, ıstaka, değeri", "utf-8") == "sum × 2, ıstaka, değeri"
