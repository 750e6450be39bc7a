"""QR codes: the fixed patterns of the standard, and that every text has its own."""

import pytest

from p2pokey.web.qr import matrix

LINK = "p2pokey://relay.example.org/j#K7Q2M-lale-deniz-kartal"
FINDER = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]


def test_a_link_has_the_three_finder_patterns() -> None:
    rows = matrix(LINK)
    assert (len(rows) - 17) % 4 == 0
    assert {len(row) for row in rows} == {len(rows)}
    assert {module for row in rows for module in row} == {"0", "1"}
    assert [row[:7] for row in rows[:7]] == FINDER
    assert [row[-7:] for row in rows[:7]] == FINDER
    assert [row[:7] for row in rows[-7:]] == FINDER


def test_texts_differ() -> None:
    assert matrix(LINK) == matrix(LINK)
    assert matrix(LINK) != matrix(LINK + "x")


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        matrix("x" * 5000)
