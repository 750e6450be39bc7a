"""What a rule card consists of."""

from dataclasses import dataclass
from typing import Protocol


class Say(Protocol):
    """The texts of one language."""

    def __call__(self, name: str, /, **figures: object) -> str:
        """The text with that name, its figures filled in."""


Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a card."""

    title: str
    rows: tuple[Row, ...]
    """Equally many cells each; the first says what the row is about."""

    has_head: bool = False
    """Whether the first row names the columns."""

    notes: tuple[str, ...] = ()
    """Sentences below the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The card of one game."""

    name: str
    intro: str
    sections: tuple[Section, ...]
    more: str
    """Where all the rules stand."""
