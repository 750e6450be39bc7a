"""Where a computer player's choices come from."""

from p2pokey.native.entropy import OsEntropy
from p2pokey.peer.players import player_seed


def test_a_seed_may_hold_bytes_that_are_no_text():
    seeds = {
        player_seed(data.decode("utf-8", "surrogateescape"), OsEntropy())
        for data in (b"\xff", b"\xfe", b"\xff")
    }

    assert len(seeds) == 2
