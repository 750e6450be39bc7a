"""Matches of several hands through the whole protocol, with fresh keys for every hand."""

import pytest

from p2pokey.crypto.group import Group
from p2pokey.rules.published import Option
from p2pokey.transcript.setup import decode_header
from tests.sim.cheap_group import CheapBackend
from tests.sim.matches import play_match

CHEAP = Group(CheapBackend())


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("101-challenge", {"hands": 3, "partners": True}),
        ("51-feeding", {"hands": 3}),
        ("duel", {"hands": 3}),
    ],
)
def test_a_match_goes_on_to_its_winner(key: str, options: dict[str, Option]) -> None:
    played = play_match(key, 1, CHEAP, **options)
    match = played.match
    assert match.hands_played == 3
    setups = [decode_header(transcript.splitlines()[0]) for transcript in played.transcripts]
    assert [setup.match_hand for setup in setups] == [0, 1, 2]
    assert setups[0].totals == (0,) * len(match.roster)
    # A hand key and a sealing key of every seat in every hand, and none comes back.
    assert len(match.used_keys) == 2 * len(match.roster) * len(played.transcripts)
    best = max if match.rules.most_points_win else min
    standing = match.totals
    if match.rules.partners:
        standing = tuple(standing[seat] + standing[(seat + 2) % 4] for seat in range(4))
    expected = [seat for seat, total in enumerate(standing) if total == best(standing)]
    assert list(match.winners) == expected
