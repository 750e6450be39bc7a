"""How long anything may take while friends meet; each wait has one of these limits and a name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """All in seconds."""

    server_s: float = 10.0
    """Reaching the signalling server, and each answer of it."""
    patience_s: float = 30.0
    """Trying to reach a signalling server again that went away while friends meet."""
    admission_s: float = 30.0
    """The host's answer to a guest: a host checks a code within 30 ms, but may be busy."""
    window_s: int = 300
    """How long a host lets guests in; after that it gives up if seats are still free."""
    waiting_s: float = 900.0
    """A guest's patience for the others; the host usually gives up first."""
    cards_s: float = 20.0
    """Roster and seat cards, which are one round trip through the server for each guest."""
    link_s: float = 8.0
    """One try to open a link directly; without a path WebRTC itself would take 63 s."""
    links_s: float = 25.0
    """All links together: three tries."""
    ready_s: float = 30.0
    """Until everybody has all links, counted from our own last one."""
    goodbye_s: float = 3.0
    """Until the others have acknowledged our goodbye."""
    retry_s: float = 1.0
    """First pause before a lost link is tried again; doubled up to `retry_max_s`."""
    retry_max_s: float = 15.0
    """Longest such pause."""
