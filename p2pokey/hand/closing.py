"""Rounds END, DISCLOSE and RESULT, and what follows a VOID (docs/protocol.md S4.7, S4.8)."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from p2pokey.deck.secrets import seed_commitment
from p2pokey.errors import CommitMismatch, ReplayMismatch, StateDisagreement
from p2pokey.hand.blame import Dispute
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import AuditDue, HandFinished, Phase, Send
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import VOTES, encode_transcript, signed_lines
from p2pokey.transcript.messages import Disclose, Drop, End, Kind, Result


def handle_end(core: HandCore, envelope: Envelope, message: End) -> Steps:
    """All sign the same final state before anybody discloses."""
    yield
    if message.digest != core.final_state:
        raise Dispute(envelope.seat, StateDisagreement("END for another final state"))
    core.contributions[envelope.seat] = message
    complete_closing(core)


def handle_disclose(core: HandCore, envelope: Envelope, message: Disclose) -> Steps:
    """A seed, checked against its commitment; the audit then rebuilds everything from it."""
    yield
    seat = envelope.seat
    if seed_commitment(core.contexts, seat, message.seed) != core.commits[seat].seed_commit:
        raise CommitMismatch("the disclosed seed is not the one that was committed to")
    core.contributions[seat] = message
    complete_closing(core)


def complete_closing(core: HandCore) -> None:
    """Goes on from END or DISCLOSE once all seats that are present have sent theirs."""
    if not core.has_all():
        return
    if core.phase is Phase.END:
        core.complete_round("ended", core.final_state, Phase.DISCLOSE)
        core.contribute(Disclose(seed=core.secrets.seed))
    elif core.phase is Phase.DISCLOSE:
        seeds = b"".join(m.seed for m in core.in_seat_order() if isinstance(m, Disclose))
        core.complete_round("disclosed", seeds, Phase.AUDIT)
        chains = _counted(core)
        core.audited = encode_transcript(core.setup, signed_lines(chains))
        # If a seed was withheld, the votes about that follow; no RESULT signs them.
        lines = signed_lines(chains) if core.mark is None else _until_result(chains)
        core.audit_due = encode_transcript(core.setup, lines)
        core.emit(AuditDue(transcript=core.audit_due))


def _counted(core: HandCore) -> dict[Seat, list[Envelope]]:
    """The chains of all seats; of an absent one the part that counts."""
    chains = {seat: core.book.chain(seat) for seat in core.seats}
    if core.mark is not None:
        chains[core.mark.seat] = chains[core.mark.seat][: core.mark.head_seq]
    return chains


def counted_lines(core: HandCore) -> list[Envelope]:
    """All messages so far; of an absent seat those that count."""
    return [item for chain in _counted(core).values() for item in chain]


def _until_result(chains: dict[Seat, list[Envelope]]) -> list[Envelope]:
    """What RESULT signs, and the votes that follow the DISCLOSE of each seat."""
    lines = signed_lines(chains)
    for chain in chains.values():
        first = next((item.seq + 1 for item in chain if item.kind is Kind.DISCLOSE), len(chain))
        lines.extend(takewhile(lambda item: item.kind in VOTES, chain[first:]))
    return lines


def send_result(core: HandCore, points: tuple[int, ...], totals: tuple[int, ...]) -> None:
    """Signs the score that this seat's own audit confirmed; an absent seat only keeps it."""
    core.result = Result(
        points=points,
        totals=totals,
        state=core.final_state,
        transcript=hashlib.sha512(core.audited).digest(),
    )
    core.enter(Phase.RESULT)
    core.contribute(core.result)


def repeat_result(core: HandCore, envelope: Envelope, message: Result) -> None:
    """Goes on from the score that this seat has signed in an earlier run."""
    core.result = message
    core.enter(Phase.RESULT)
    core.publish(envelope)


def handle_result(core: HandCore, envelope: Envelope, message: Result) -> Steps:
    """All sign the same score."""
    yield
    assert core.result is not None
    if message != core.result:
        error = ReplayMismatch("a result that the transcript does not give")
        if replace(message, transcript=core.result.transcript) == core.result:
            # The same score from other lines: a third seat may have shown two versions.
            raise Dispute(envelope.seat, error)
        raise error
    core.contributions[envelope.seat] = message
    if core.has_all():
        finish(core)


def finish(core: HandCore, votes: Sequence[Envelope] = ()) -> None:
    """The hand counts.

    Args:
        votes: the certificate against a seat that withholds its RESULT, if there is one.
    """
    assert core.result is not None
    # Only what was asked for: a VOID or a stray message beside the results is left out.
    chains = _counted(core)
    for vote in votes:
        assert isinstance(vote.message, Drop)
        absent = Seat(vote.message.absent)
        chains[absent] = chains[absent][: vote.message.head_seq]
    results = [item for item in core.handled if item.kind is Kind.RESULT]
    lines = [*_until_result(chains), *results, *_after_result(chains, votes)]
    core.transcript = encode_transcript(core.setup, lines)
    core.enter(Phase.DONE)
    for item in results:
        # Whoever was not shown a RESULT gets it from every seat that has it.
        if item.seat != core.seat:
            core.emit(Send(envelope=item.encoded))
    core.emit(
        HandFinished(
            points=core.result.points,
            totals=core.result.totals,
            transcript=core.transcript,
            transcript_hash=core.result.transcript,
        )
    )


def _after_result(chains: dict[Seat, list[Envelope]], votes: Sequence[Envelope]) -> list[Envelope]:
    """What leads from each voter's RESULT to its vote."""
    lines: list[Envelope] = []
    for vote in votes:
        chain = chains[vote.seat]
        first = next(item.seq for item in chain if item.kind is Kind.RESULT)
        lines.extend(item for item in chain[first + 1 : vote.seq + 1] if item.kind is not Kind.VOID)
    return lines
