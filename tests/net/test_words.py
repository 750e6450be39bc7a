"""The word list: size, alphabet, and words that no slip turns into each other."""

import pytest

from p2pokey.net.words import WORDS, is_word, nearest_word, normalise_word, slips, words_at


def test_the_list_has_1296_distinct_sorted_words():
    assert len(WORDS) == 1296
    assert sorted(set(WORDS)) == list(WORDS)


def test_words_are_short_and_plain():
    for word in WORDS:
        assert 3 <= len(word) <= 7
        assert set(word) <= set("abcdefghijklmnopqrstuvwxyz")


def test_no_two_words_are_one_slip_apart():
    """Deleting one letter of each word finds every pair that is one change or letter apart."""
    seen = {}
    for word in WORDS:
        shorter = {(i, word[:i] + "?" + word[i + 1 :]) for i in range(len(word))}
        shorter |= {("cut", word[:i] + word[i + 1 :]) for i in range(len(word))}
        swapped = {
            word[:i] + word[i + 1] + word[i] + word[i + 2 :]
            for i in range(len(word) - 1)
            if word[i] != word[i + 1]
        }
        for key in shorter:
            kind, text = key
            assert kind == "cut" or seen.setdefault(key, word) == word
            assert kind != "cut" or not is_word(text)
        assert not any(is_word(other) for other in swapped)


def test_slips_counts_changes_and_swaps():
    assert [slips("lale", other) for other in ("lale", "lael", "lal", "lales", "kale", "")] == [
        0, 1, 1, 1, 1, 4,
    ]  # fmt: skip
    assert slips("abcd", "badc") == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("dneiz", "deniz"), ("deniiz", "deniz"), ("kartl", None), ("qqqqq", None), ("x" * 99, None)],
)
def test_the_only_near_word_is_suggested(typed, meant):
    assert nearest_word(typed) == meant


@pytest.mark.parametrize("typed", ["LALE", "Lale", "lâle", "LÂLE"])
def test_words_are_read_in_any_case(typed):
    assert normalise_word(typed) == "lale"


@pytest.mark.parametrize(
    ("typed", "word"), [("DENİZ", "deniz"), ("denız", "deniz"), ("İZMİR", "izmir")]
)
def test_turkish_letters_are_read_as_plain_ones(typed, word):
    assert normalise_word(typed) == word


def test_words_at_indexes_the_list():
    assert words_at((0, 1295)) == (WORDS[0], WORDS[-1])
