"""Who decides a seat's moves: the computer player of the game."""

import hashlib
from typing import Protocol

from p2pokey.crypto.drbg import Drbg
from p2pokey.ports import Entropy
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View
from p2pokey.tiles import Seat


class Player(Protocol):
    """Chooses moves of one seat."""

    def choose(self, view: View) -> Move:
        """A legal move of the viewer, whose turn it is; runs in the worker thread."""


class Person(Protocol):
    """A player who takes time, e.g. somebody before a screen."""

    async def choose(self, view: View) -> Move:
        """A legal move of the viewer, whose turn it is; cancelled when the time is nearly up."""


class AutoPlayer:
    """A computer player; its taste follows from a seed and nothing else."""

    def __init__(self, seed: bytes, seat: Seat) -> None:
        """Args: seed: of the choices alone, never of a key; seat: makes seats choose apart."""
        self._source = Drbg(seed, "player", bytes([seat]))

    def choose(self, view: View) -> Move:
        """A legal move."""
        # Only here: the players of all games take a while to load, and coming back is urgent.
        from p2pokey.bots.choosing import choose

        return choose(view, self._source)


def player_seed(text: str | None, entropy: Entropy) -> bytes:
    """The seed of a player's choices: from a text, the same each time, or fresh."""
    if text is None:
        return entropy.random_bytes(32)
    # A command line may hold bytes that are no text; Python keeps them as surrogates.
    data = text.encode("utf-8", "surrogateescape")
    return hashlib.sha256(b"p2pokey player seed\0" + data).digest()
