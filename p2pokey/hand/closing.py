"""Rounds END, DISCLOSE and RESULT, and what follows a VOID (docs/protocol.md S4.7, S4.8)."""

import hashlib
from dataclasses import replace

from p2pokey.deck.secrets import seed_commitment
from p2pokey.errors import CommitMismatch, ReplayMismatch, StateDisagreement
from p2pokey.hand.blame import Dispute
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import AuditDue, HandFinished, Phase, Send
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import encode_transcript, without_results
from p2pokey.transcript.messages import Disclose, End, Kind, Result


def handle_end(core: HandCore, envelope: Envelope, message: End) -> Steps:
    """All sign the same final state before anybody discloses."""
    yield
    if message.digest != core.states[-1]:
        raise Dispute(envelope.seat, StateDisagreement("END for another final state"))
    core.contributions[envelope.seat] = message
    if len(core.contributions) == len(core.seats):
        core.complete_round("ended", core.states[-1], Phase.DISCLOSE)
        core.send(Disclose(seed=core.secrets.seed))


def handle_disclose(core: HandCore, envelope: Envelope, message: Disclose) -> Steps:
    """A seed, checked against its commitment; the audit then rebuilds everything from it."""
    yield
    seat = envelope.seat
    if seed_commitment(core.contexts, seat, message.seed) != core.commits[seat].seed_commit:
        raise CommitMismatch("the disclosed seed is not the one that was committed to")
    core.contributions[seat] = message
    if len(core.contributions) == len(core.seats):
        seeds = b"".join(m.seed for m in core.in_seat_order() if isinstance(m, Disclose))
        core.complete_round("disclosed", seeds, Phase.AUDIT)
        # Another seat may be quicker: its RESULT is not part of what this seat audits.
        before = without_results(core.handled)
        core.audited = encode_transcript(core.setup, before)
        core.emit(AuditDue(transcript=core.audited))


def send_result(core: HandCore, points: tuple[int, ...], totals: tuple[int, ...]) -> None:
    """Signs the score that this seat's own audit confirmed.

    The final state is the one that END signed: two rounds, END and DISCLOSE, came after it.
    """
    core.result = Result(
        points=points,
        totals=totals,
        state=core.states[-3],
        transcript=hashlib.sha512(core.audited).digest(),
    )
    core.enter(Phase.RESULT)
    core.send(core.result)


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
    if len(core.contributions) == len(core.seats):
        # Only what was asked for: a VOID or a stray message beside the results is left out.
        lines = core.handled
        core.transcript = encode_transcript(core.setup, lines)
        core.enter(Phase.DONE)
        for item in lines:
            # Whoever was not shown a RESULT gets it from every seat that has it.
            if item.kind is Kind.RESULT and item.seat != core.seat:
                core.emit(Send(envelope=item.encoded))
        core.emit(
            HandFinished(
                points=message.points,
                totals=message.totals,
                transcript=core.transcript,
                transcript_hash=message.transcript,
            )
        )
