"""One whole hand of Classic Okey with fixed secrets, played by the machines of the product.

Everything follows from a label: identities, session and seeds. The moves are chosen by the simple
players, or repeated from a list by the tiles that they name, so that a better player does not change
the hand.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from p2pokey.audit.auditor import audit_transcript
from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.effects import Phase, Play
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.moves import Discard, Finish, LaidMeld, Move, Placed, Show
from p2pokey.rules.view import View
from p2pokey.transcript.setup import HandSetup
from tests.sim.table import SimPeer, SimTable, fixed_bytes, make_setup, signer_of

SEATS = 4
EXCLUDED = 2
"""The dice of the hand name this seat first and must be thrown again."""


def hand_setup(label: str) -> HandSetup:
    """The third hand of a match, in the fourth attempt: no field that is all zeros."""
    return replace(
        make_setup(label, seats=SEATS, hand=3),
        match_hand=2,
        excluded=1 << EXCLUDED,
        totals=(18, 20, 17, 19),
        previous=fixed_bytes(f"previous {label}", 64),
    )


def hand_seed(label: str, seat: int) -> bytes:
    """The 32-byte seed of a seat, as SimTable gives it to the machine."""
    return fixed_bytes(f"seed {label} {hand_setup(label).hand} {seat}")


def identity_secret(label: str, seat: int) -> bytes:
    """The Ed25519 secret behind `signer_of`."""
    secret = fixed_bytes(f"identity {label} {seat}")
    assert Ed25519Signer(secret).public_key == signer_of(label, seat).public_key
    return secret


class RepeatTable(SimTable):
    """A table whose players repeat given moves."""

    def __init__(self, group: Group, label: str, moves: Iterable[Move] | None) -> None:
        """Args: moves: in order, of all seats; None lets the simple players choose."""
        super().__init__(
            group,
            hand_setup(label),
            label,
            chaos=False,
            audit=lambda transcript: _score(group, transcript),
        )
        self._moves = None if moves is None else deque(moves)

    def work(self, peer: SimPeer) -> bool:
        """As SimTable, but the move comes from the list."""
        if self._moves is None or not peer.wants_to_move or peer.machine.work(self.now):
            return super().work(peer)
        if peer.machine.phase is not Phase.PLAY:
            return super().work(peer)
        if not self._moves:
            raise LocalProtocolError("the list of moves ends before the hand")
        peer.wants_to_move = False
        move = rebind(self._moves.popleft(), peer.machine.view())
        peer.machine.act(Play(move=move), self.now)
        return True


def play(group: Group, label: str, moves: Iterable[Move] | None = None) -> bytes:
    """The transcript of the hand.

    Raises:
        RuleError, LocalProtocolError: the moves do not fit this hand.
    """
    table = RepeatTable(group, label, moves)
    table.run()
    files = [peer.finished.transcript for peer in table.peers if peer.finished is not None]
    if len(files) != SEATS or len(set(files)) != 1:
        raise LocalProtocolError("the hand did not come to its end")
    return files[0]


def rebind(move: Move, view: View) -> Move:
    """The same move with each tile named by the slot where the viewer has it now."""
    slots = {tile: slot for slot, tile in view.rack()}

    def here(placed: Placed) -> Placed:
        if placed.tile not in slots:
            raise LocalProtocolError(f"tile {placed.tile} is not on this rack")
        return Placed(slots[placed.tile], placed.tile)

    match move:
        case Show(placed):
            return Show(here(placed))
        case Discard(placed):
            return Discard(here(placed))
        case Finish(discard, melds):
            laid = [
                LaidMeld(kind=meld.kind, tiles=tuple(here(placed) for placed in meld.tiles))
                for meld in melds
            ]
            return Finish(here(discard), tuple(laid))
        case _:
            return move


@lru_cache(maxsize=1)
def _score(group: Group, transcript: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What every seat's audit comes to; all hold the same file."""
    report = audit_transcript(
        transcript, group=group, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )
    assert not report.findings
    assert report.points is not None
    assert report.totals is not None
    return report.points, report.totals
