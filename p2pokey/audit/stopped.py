"""What the file of a hand without score proves: forks shown in a VOID, and complaints (S4, S10).

That a seat names another proves nothing by itself. A fork is proven by its two signed messages; a
complaint opens the share that it is about; everything else must show in the replay.
"""

from collections.abc import Sequence

from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.crypto.group import Group
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.shares import ShareTable
from p2pokey.deck.shares import judge_complaint as share_is_bad
from p2pokey.errors import (
    DecodeError,
    Equivocation,
    ShareInvalid,
    VerificationError,
)
from p2pokey.ports import Sealer, Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, verify_envelope
from p2pokey.transcript.messages import Commit, Complaint, Keys, Void
from p2pokey.transcript.setup import HandSetup

VOIDED = "Voided"
"""Cause of the finding that a hand has no score that all agree on: nothing wrong by itself."""


def voids_in(lines: Sequence[Line]) -> list[tuple[Line, Void]]:
    """All VOID messages of a file."""
    found = [(line, line.envelope.message) for line in lines]
    return [(line, message) for line, message in found if isinstance(message, Void)]


def lines_from_voids_on(lines: Sequence[Line]) -> frozenset[int]:
    """Numbers of the lines that stand at the end: what a seat signed from its VOID on."""
    first = {line.envelope.seat: line.envelope.seq for line, _ in reversed(voids_in(lines))}
    return frozenset(
        line.number
        for line in lines
        if line.envelope.seq >= first.get(line.envelope.seat, line.envelope.seq + 1)
    )


def proven_forks(
    verifier: Verifier, setup: HandSetup, voids: Sequence[tuple[Line, Void]]
) -> dict[tuple[Seat, int], Finding]:
    """Places (seat, sequence) for which the evidence of a VOID holds two signed messages."""
    forks: dict[tuple[Seat, int], Finding] = {}
    for line, void in voids:
        pair = _signed(verifier, setup, void.evidence)
        if len(pair) != 2 or pair[0].encoded == pair[1].encoded:
            continue
        seat, seq = pair[0].seat, pair[0].seq
        if (pair[1].seat, pair[1].seq) == (seat, seq):
            text = f"two different messages {seq} of seat {seat + 1} are both signed"
            finding = line.finding(Equivocation, text, seat=int(seat))
            forks.setdefault((seat, seq), finding)
    return forks


def _signed(verifier: Verifier, setup: HandSetup, evidence: Sequence[bytes]) -> list[Envelope]:
    """The messages of this hand among the evidence that their authors signed."""
    signed = []
    for item in evidence:
        try:
            envelope = decode_envelope(item)
            if (envelope.session, envelope.hand) != (setup.session, setup.hand):
                continue
            if envelope.seat < setup.seats:
                verify_envelope(verifier, setup.roster[envelope.seat], envelope)
                signed.append(envelope)
        except (DecodeError, VerificationError):
            continue
    return signed


def judge_complaint(
    group: Group,
    sealer: Sealer,
    contexts: Contexts,
    threshold: int,
    *,
    line: Line,
    complaint: Complaint,
    commits: Sequence[Commit],
    keys: Sequence[Keys],
    keyset: bytes,
) -> Finding:
    """Who lied: the dealer of the share, or the seat that complains about it."""
    holder, dealer = line.envelope.seat, complaint.dealer
    if not threshold or dealer == holder or dealer >= len(keys):
        return line.finding(ShareInvalid, "a complaint about a share that was never dealt")
    try:
        table = ShareTable.check(
            group,
            seats=len(keys),
            dealer=dealer,
            hand_key=keys[dealer].hand_key,
            commitments=keys[dealer].commitments,
        )
        is_bad = share_is_bad(
            group,
            sealer,
            contexts,
            dealer=dealer,
            holder=holder,
            index=line.envelope.seq,
            keyset=keyset,
            sealing_keys=[commit.sealing_key for commit in commits],
            shares=keys[dealer].shares,
            table=table,
            shared_point=complaint.shared_point,
            proof=complaint.proof,
        )
    except (VerificationError, DecodeError) as error:
        return line.finding(type(error), f"a complaint that proves nothing: {error}")
    if is_bad:
        text = f"the share for seat {holder + 1} does not fit its commitments"
        return line.finding(ShareInvalid, text, seat=dealer)
    return line.finding(ShareInvalid, "a complaint about a share that is good")
