"""What host and guest tell their player while friends meet. Texts are for the shell to choose."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """The steps from a code to a table, in order; then what may be told on the way."""

    SERVER_REACHED = "server-reached"
    """Connected to the signalling server."""
    CODE_SHOWN = "code-shown"
    """Host: there is an invite to pass on."""
    CODE_ACCEPTED = "code-accepted"
    """Guest: host and guest have shown each other that they know the words."""
    LET_IN = "let-in"
    """Guest of a public table: the host has let us in."""
    HOST_DECIDES = "host-decides"
    """Guest: the player who hosts this public table is asked whether we may come in."""
    FRIENDS_HERE = "friends-here"
    """`done` of `total` seats are taken; `name` came or left last."""
    ROSTER_SIGNED = "roster-signed"
    """All seats are taken and the host has signed who sits where."""
    LINK_OPEN = "link-open"
    """`done` of `total` links are open; `name` is at the other end of the last one."""
    LINK_AUTHENTICATED = "link-authenticated"
    """`done` of `total` links have shown that the right player is at the other end."""
    READY = "ready"
    """Everybody has all links: the table stands."""
    WINDOW_CLOSED = "window-closed"
    """Host: nobody else is let in until the window is opened again; `done` of `total` are here."""
    WINDOW_OPEN = "window-open"
    """Host: the window is open again, or for another time than before."""
    BANNED_KNOCKED = "banned-knocked"
    """`name` was sent away from this table earlier, knocked again and was refused."""
    SAME_KEY = "same-key"
    """Somebody knocked with the key of `name`, who has a seat already, and was refused."""
    WRONG_CODE = "wrong-code"
    """Somebody tried to come in with a wrong code or password."""
    CODE_BURNT = "code-burnt"
    """Somebody guessed at the code until the host changed it."""
    STRANGER_LEFT = "stranger-left"
    """Host: somebody who has no seat came into the room of a table that stands and was sent away."""
    FALSE_RUNNER = "false-runner"
    """`name` claimed to be the computer player of somebody who has not signed that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step."""

    phase: Phase
    done: int = 0
    total: int = 0
    name: str = ""
    names: tuple[str, ...] = ()
    """Of `FRIENDS_HERE`: everybody who is here, the host first."""


OnProgress = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """For callers that show nothing."""
