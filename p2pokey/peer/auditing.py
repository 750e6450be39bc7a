"""A seat's own audit at the end of a hand, and what it makes the seat sign."""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from p2pokey.crypto.group import Group
from p2pokey.hand.effects import Abandon, ConfirmResult, RejectResult
from p2pokey.ports import Sealer, Verifier

if TYPE_CHECKING:
    from p2pokey.audit.report import Outcome, Report


class _AuditStopped(Exception):
    """Nobody waits for the audit any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a seat's own audit of the hand came to."""

    command: ConfirmResult | RejectResult | Abandon
    proofs: int
    """Proof objects that verified."""
    outcome: "Outcome | None" = None
    """How the hand ended, if the audit came to a score."""


class Auditor(Protocol):
    """Audits a hand whose seeds are disclosed; runs in the worker thread."""

    def __call__(self, transcript: bytes, stop: threading.Event) -> Verdict:
        """The verdict; returns early, with any verdict, once `stop` is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAudit:
    """Audits with the ports of this computer; implements `Auditor`."""

    group: Group
    verifier: Verifier
    sealer: Sealer

    def __call__(self, transcript: bytes, stop: threading.Event) -> Verdict:
        """The verdict on a transcript without results."""
        # Only here: nothing of it is needed before the end of a hand, and coming back is urgent.
        from p2pokey.audit.auditor import audit_transcript

        def watch(done: int, whole: int) -> None:
            del done, whole
            if stop.is_set():
                raise _AuditStopped

        try:
            report = audit_transcript(
                transcript,
                group=self.group,
                verifier=self.verifier,
                sealer=self.sealer,
                progress=watch,
            )
        except _AuditStopped:
            return Verdict(command=Abandon(reason="the audit was stopped"), proofs=0)
        return Verdict(command=command_of(report), proofs=report.proofs, outcome=report.outcome)


def command_of(report: "Report") -> ConfirmResult | RejectResult | Abandon:
    """What to tell the hand machine: the score, or the first seat at fault."""
    for finding in report.findings:
        if finding.seat is not None:
            return RejectResult(culprit=finding.seat, cause=finding.cause, message=str(finding))
    if report.findings or report.points is None or report.totals is None:
        reason = str(report.findings[0]) if report.findings else "the audit came to no score"
        return Abandon(reason=reason)
    return ConfirmResult(points=report.points, totals=report.totals)
