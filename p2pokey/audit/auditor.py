"""Audits a transcript: bytes in, report out, nothing else needed (docs/protocol.md S11).

Two passes. The first looks at every line by itself and at the chains; the second replays the hand,
checks every proof, and uses the disclosed seeds to rebuild keys, shuffled decks and tiles (and with
`recompute` every message, byte for byte).
"""

from collections.abc import Callable

from p2pokey.audit.closing import absent_at_end, replay_end, replay_results, score_of
from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.opening import replay_commits, replay_keys, replay_ready, replay_shuffles
from p2pokey.audit.playing import replay_deal, replay_moves
from p2pokey.audit.reading import Line, Reading, read_transcript
from p2pokey.audit.report import Finding, Outcome, Report, Status
from p2pokey.audit.stopped import VOIDED
from p2pokey.audit.watching import Watch
from p2pokey.crypto.group import CELL, Group
from p2pokey.crypto.reencrypt import ENTRY
from p2pokey.errors import DecodeError
from p2pokey.ports import Sealer, Verifier
from p2pokey.rules.scoring import HandScore
from p2pokey.transcript.messages import Commit, Escrow, Keys, Move, Shuffle, Tokens

Progress = Callable[[int, int], None]
"""Called with the work done so far and the whole work, in tiles."""


def audit_transcript(
    data: bytes | Reading,
    *,
    group: Group,
    verifier: Verifier,
    sealer: Sealer,
    recompute: bool = False,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Report:
    """Audits one transcript file.

    Args:
        data: the whole file, or what `read_transcript` has made of it.
        group: of either backend.
        verifier: of signatures.
        sealer: to rebuild recovery shares.
        recompute: also rebuild every message of every disclosed seat byte for byte.
        progress: told how far the work has come.
        watch: shown every state of the hand as soon as all before it is checked.

    Returns:
        The report; this function raises nothing for anything that a file can hold.
    """
    try:
        reading = data if isinstance(data, Reading) else read_transcript(data, verifier)
    except DecodeError as error:
        return _unreadable(error)
    course = Course(
        group=group,
        verifier=verifier,
        sealer=sealer,
        setup=reading.setup,
        lines=reading.lines,
        damaged_from=min([f.line or 1 for f in reading.findings], default=reading.count + 1),
        recompute=recompute,
        progress=_counter(reading.lines, progress),
        watch=watch,
    )
    ended = _replay(course, reading)
    course.verify_claims()
    course.check_votes()
    score = score_of(course)
    findings = _in_file_order([*reading.findings, *course.findings])
    return Report(
        status=_status(findings, reading, ended),
        findings=findings,
        setup=reading.setup,
        points=None if score is None else score.points,
        totals=None if score is None else score.totals,
        lines=reading.count,
        proofs=course.proofs,
        recomputed=course.recomputed,
        transcript_hash=reading.transcript_hash,
        absent=absent_at_end(course),
        outcome=_outcome(course, score),
    )


def _outcome(course: Course, score: HandScore | None) -> Outcome | None:
    if score is None:
        return None
    return Outcome(state=course.need_game(), faces=dict(course.faces), score=score)


def _replay(course: Course, reading: Reading) -> bool:
    """Replays the file; returns whether it came to the end of a complete hand."""
    try:
        replay_commits(course)
        replay_keys(course)
        replay_shuffles(course)
        replay_ready(course)
        replay_deal(course)
        replay_moves(course)
        replay_end(course)
        replay_results(course, reading.transcript_hash)
    except ReplayEnded as ended:
        if ended.finding is not None:
            course.findings.append(ended.finding)
        return False
    return True


def _status(findings: tuple[Finding, ...], reading: Reading, is_complete: bool) -> Status:
    if any(finding.cause != VOIDED for finding in findings):
        return Status.VIOLATION
    if findings or not is_complete or reading.is_cut:
        return Status.INCOMPLETE
    return Status.SOUND


def _unreadable(error: DecodeError) -> Report:
    finding = Finding(line=1, seat=None, message=None, cause=error.code, text=str(error))
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


def _in_file_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """What is about no single line comes last: it follows from what is."""
    return tuple(sorted(findings, key=lambda finding: (finding.line is None, finding.line or 0)))


def _counter(lines: tuple[Line, ...], progress: Progress | None) -> Callable[[int], None]:
    whole = sum(_weight(line) for line in lines)
    done = 0

    def count(work: int) -> None:
        nonlocal done
        done = min(done + work, whole)
        if progress is not None:
            progress(done, whole)

    return count


def _weight(line: Line) -> int:
    """Tiles that the checks of a line are about, as the rounds report them."""
    match line.envelope.message:
        case Commit() | Keys():
            return 1
        case Shuffle(deck=deck):
            return len(deck) // ENTRY
        case Tokens(positions=positions) | Escrow(positions=positions):
            return len(positions) // 4 + 1
        case Move(remask=remask, tokens=tokens):
            return len(tokens) // CELL + (0 if remask is None else len(remask.deck) // ENTRY)
        case _:
            return 0
