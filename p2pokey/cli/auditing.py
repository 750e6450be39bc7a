"""`p2pokey audit`: checks transcripts, alone and against each other."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Finding, Report, Status
from p2pokey.cli.exits import ExitCode
from p2pokey.cli.output import Output, mark
from p2pokey.crypto.group import Group
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.native.threads import usual_threads
from p2pokey.transcript.file import MAX_FILE
from p2pokey.transcript.setup import FORMAT

Progress = Callable[[int, int], None]

_SHOWN_FINDINGS = 10
_NOT_READ = "Unreadable"
"""Cause of a finding: the system does not give the file."""
_CUT = ": the file is cut off; get it again from whoever saved it."
_HEAD_BYTES = 200
"""The format stands at the beginning of the first line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One file and what its audit found."""

    path: Path
    data: bytes
    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two files of one hand that are not the same bytes."""

    first: Path
    second: Path
    line: int
    """First line that differs, 1-based."""
    is_prefix: bool
    """Whether one of them merely ends earlier."""

    def __str__(self) -> str:
        if self.is_prefix:
            return f"{self.second} and {self.first} are the same until one ends at line {self.line}"
        return f"{self.second} differs from {self.first} from line {self.line} on"


def run_audit(
    output: Output,
    *,
    files: tuple[Path, ...],
    as_json: bool,
    recompute: bool,
    backend: BackendName,
) -> int:
    """Prints the findings; the code is that of the worst file."""
    group = Group(choose_backend(backend, threads=usual_threads()))
    audited = []
    for path in files:
        with progress_bar(output, f"audit of {path.name}") as progress:
            audited.append(audit_file(path, group=group, recompute=recompute, progress=progress))
    differences = tuple(find_differences(audited))
    if as_json:
        output.data(json.dumps(to_json(audited, differences), indent=2, ensure_ascii=True))
    else:
        for item in audited:
            output.data(describe(item))
        for difference in differences:
            output.data(f"{mark(False)} {difference}")
    return exit_code(audited, differences)


def audit_file(
    path: Path, *, group: Group, recompute: bool = False, progress: Progress | None = None
) -> Audited:
    """Reads and audits one file; a file that cannot be read is a finding."""
    try:
        # One byte more than is allowed is enough to be refused.
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        return Audited(path=path, data=b"", report=_unreadable(error.strerror or str(error)))
    report = audit_transcript(
        data,
        group=group,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=recompute,
        progress=progress,
    )
    return Audited(path=path, data=data, report=report)


def _unreadable(reason: str) -> Report:
    finding = Finding(line=None, seat=None, message=None, cause=_NOT_READ, text=reason)
    return Report(
        status=Status.UNREADABLE,
        findings=(finding,),
        setup=None,
        points=None,
        totals=None,
        lines=0,
        proofs=0,
        recomputed=0,
        transcript_hash=b"",
    )


def find_differences(audited: list[Audited]) -> Iterator[Difference]:
    """Compares files of one session and hand with the first of them, byte for byte."""
    first: dict[tuple[bytes, int], Audited] = {}
    for item in audited:
        setup = item.report.setup
        if setup is None:
            continue
        reference = first.setdefault((setup.session, setup.hand), item)
        if item.data != reference.data:
            yield _difference(reference, item)


def _difference(first: Audited, second: Audited) -> Difference:
    left, right = first.data.split(b"\n"), second.data.split(b"\n")
    pairs = zip(left, right, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
    shorter, longer = sorted((first.data, second.data), key=len)
    return Difference(
        first=first.path,
        second=second.path,
        line=same + 1,
        is_prefix=longer.startswith(shorter),
    )


def exit_code(audited: list[Audited], differences: tuple[Difference, ...]) -> int:
    """0 if all is sound, 3 for any violation or difference, 4 for what cannot be judged.

    A file that ends earlier than another one is incomplete and no violation.
    """
    codes = {item.report.exit_code for item in audited}
    if ExitCode.VIOLATION in codes or any(not one.is_prefix for one in differences):
        return ExitCode.VIOLATION
    return ExitCode.UNREADABLE if differences else max(codes, default=ExitCode.OK)


def to_json(audited: list[Audited], differences: tuple[Difference, ...]) -> dict[str, object]:
    """All that was found, as plain values."""
    return {
        "exit_code": int(exit_code(audited, differences)),
        "files": [{"file": str(item.path), **item.report.to_json()} for item in audited],
        "differences": [
            {
                "files": [str(one.first), str(one.second)],
                "line": one.line,
                "is_prefix": one.is_prefix,
            }
            for one in differences
        ],
    }


def describe(item: Audited) -> str:
    """A few lines for people."""
    report = item.report
    head = f"{mark(report.status is Status.SOUND)} {item.path}: {report.status.value}"
    lines = [head + _verdict(item)]
    if _is_foreign(item):
        return lines[0]
    if report.setup is not None:
        lines.append(
            f"    hand {report.setup.hand + 1} of session {report.setup.session.hex()[:12]}, "
            f"{report.setup.rules.key}: {report.lines} lines, {report.proofs} proofs verified"
            + (f", {report.recomputed} messages rebuilt" if report.recomputed else "")
        )
    lines += [f"    {finding}" for finding in report.findings[:_SHOWN_FINDINGS]]
    if (more := len(report.findings) - _SHOWN_FINDINGS) > 0:
        lines.append(f"    ... and {more} more: --json shows all")
    if report.points is not None and report.totals is not None:
        scores = (
            f"seat {seat + 1} {change:+d} = {total}"
            for seat, (change, total) in enumerate(zip(report.points, report.totals, strict=True))
        )
        lines.append("    score: " + ", ".join(scores))
    return "\n".join(lines)


def _is_foreign(item: Audited) -> bool:
    """Whether the file was read and is nothing that p2pokey wrote."""
    is_read = all(finding.cause != _NOT_READ for finding in item.report.findings)
    is_ours = FORMAT.encode("ascii") in item.data[:_HEAD_BYTES]
    return item.report.status is Status.UNREADABLE and is_read and not is_ours


def _verdict(item: Audited) -> str:
    is_cut = bool(item.data) and not item.data.endswith(b"\n")
    match item.report.status:
        case Status.SOUND:
            return ": every signature, proof and move holds, and the score follows from them."
        case Status.VIOLATION:
            return ": do not accept this score; the places are named below."
        case Status.UNREADABLE if _is_foreign(item):
            return ": this is no p2pokey transcript."
        case Status.INCOMPLETE if is_cut:
            return _CUT
        case Status.UNREADABLE if is_cut and b"\n" not in item.data:
            return _CUT
        case Status.INCOMPLETE:
            return ": nothing is wrong so far, but the hand has no result that all seats signed."
        case Status.UNREADABLE:
            return ": get the file again from whoever saved it, or a newer p2pokey."


@contextmanager
def progress_bar(output: Output, what: str) -> Iterator[Progress | None]:
    """A bar on standard error if that is a screen."""
    if output.verbosity < 0 or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)
