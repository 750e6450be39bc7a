"""Memory of the programs of one table: a signalling server, and four peers with WebRTC open."""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.programs import Program, place

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in MB (10^6 bytes); the largest of four peers."""

    connected: float
    """When all three links of a peer are open."""
    peak: float
    """The most until the hand was counted."""


def measure_memory() -> Memory | None:
    """Plays a hand between real programs; None where the system does not tell (no /proc)."""
    if not sys.platform.startswith("linux"):
        return None
    with tempfile.TemporaryDirectory() as folder, place(Path(folder)) as here:
        here.serve()
        peers = here.table()
        for peer in peers:
            peer.wait_for("Connected", timeout=_TIMEOUT_S)
        connected = max(_status(peer, "VmRSS") for peer in peers)
        for peer in peers:
            peer.wait_for("StagePassed", when=_is_replayed, timeout=_TIMEOUT_S)
        return Memory(connected, max(_status(peer, "VmHWM") for peer in peers))


def _is_replayed(record: dict[str, object]) -> bool:
    return record["stage"] == "replayed"


def _status(peer: Program, name: str) -> float:
    """A value of /proc/PID/status, which counts in KiB."""
    for line in Path(f"/proc/{peer.process.pid}/status").read_text("ascii").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0]) * 1024 / 1e6
    raise AssertionError(f"no {name}: the program has ended")
