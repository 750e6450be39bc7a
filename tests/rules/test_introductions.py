"""What newcomers read of each game."""

import re

import pytest

from p2pokey.rules.introductions import introduction, summary
from p2pokey.rules.published import RULE_SETS


@pytest.mark.parametrize("key", RULE_SETS)
def test_every_game_is_introduced_in_both_languages(key: str) -> None:
    for texts in (summary(key), introduction(RULE_SETS[key])):
        assert texts.keys() == {"en", "tr"}
        assert all(text.endswith(".") and "{" not in text for text in texts.values())
    english, turkish = introduction(RULE_SETS[key]).values()
    assert re.findall(r"\d+", english) == re.findall(r"\d+", turkish)


def test_the_figures_are_those_of_the_rules() -> None:
    assert "worth 51, or with" in introduction(RULE_SETS["51"])["en"]
    assert "worth 30" in introduction(RULE_SETS["duel"])["en"]
