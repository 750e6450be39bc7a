"""Check again now: the audit of a transcript in a thread, with its progress (TRUST, `audit`)."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report
from p2pokey.crypto.group import Group
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.web.names import Json
from p2pokey.web.telling import Stopped, progress_for

MAX_FINDINGS = 20
_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Checker:
    """Audits one transcript at a time."""

    group: Group
    on_change: Callable[[], None]
    _progress: tuple[int, int] | None = None
    """Work done and in all, while an audit runs."""
    _report: Report | None = None
    _number: int = 0
    _tasks: set[asyncio.Task[Report | None]] = field(default_factory=set)

    @property
    def is_running(self) -> bool:
        """Whether an audit runs."""
        return self._progress is not None

    def start(self, data: bytes) -> asyncio.Task[Report | None]:
        """Begins; an audit that still runs ends. The task gives None if it was stopped."""
        self.forget()
        self._progress = (0, 0)
        task = asyncio.create_task(self._check(self._number, data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def forget(self) -> None:
        """The last result means nothing any more."""
        self._number += 1
        self._progress = self._report = None

    async def finish(self) -> None:
        """Stops, and waits until the thread has ended."""
        self.forget()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _check(self, number: int, data: bytes) -> Report | None:
        def note(reading: tuple[int, int]) -> None:
            self._progress = reading

        progress = progress_for(
            note, is_wanted=lambda: number == self._number, on_change=self.on_change
        )

        try:
            report = await asyncio.to_thread(
                audit_transcript,
                data,
                group=self.group,
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
                progress=progress,
            )
        except Stopped:
            return None
        except Exception:  # noqa: BLE001 - the page must not wait for ever
            _log.exception("checking a transcript failed")
            if number == self._number:
                self.forget()
                self.on_change()
            return None
        if number != self._number:
            return None
        self._report, self._progress = report, None
        self.on_change()
        return report

    def json(self) -> Json | None:
        """AUDIT of docs/page-protocol.md; None if nothing was checked again."""
        if self._progress is not None:
            done, total = self._progress
            return {"status": "running", "done": done, "total": total, "proofs": 0, "findings": []}
        return None if self._report is None else audit_json(self._report)


def audit_json(report: Report) -> Json:
    """A finished audit."""
    return {
        "status": report.status.value,
        "proofs": report.proofs,
        "findings": [
            {"line": one.line, "seat": one.seat, "cause": one.cause, "text": one.text}
            for one in report.findings[:MAX_FINDINGS]
        ],
    }
