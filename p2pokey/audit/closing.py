"""Replays END, DISCLOSE and RESULT, and the score (docs/protocol.md S4.7, S4.8, S11)."""

from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.audit.stopped import VOIDED
from p2pokey.deck.secrets import seed_commitment
from p2pokey.errors import CommitMismatch, ReplayMismatch, StateDisagreement
from p2pokey.rules.scoring import HandScore
from p2pokey.transcript.messages import Disclose, End, Kind, Result


def replay_end(course: Course) -> None:
    """All sign the final state, then disclose their seeds; those that are there."""
    course.final_state = course.states[-1]
    for seat in course.present:
        if course.is_dropped(seat, Kind.END):
            continue
        line, end = course.take(End, seat)
        text = "END for another final state than the replay gives"
        course.agree(line, end.digest == course.final_state, StateDisagreement, text)
    course.mark_called()
    course.complete("ended", course.final_state)
    seeds = b""
    for seat in course.present:
        if course.is_dropped(seat, Kind.DISCLOSE):
            continue
        line, disclosed = course.take(Disclose, seat)
        commitment = seed_commitment(course.contexts, seat, disclosed.seed)
        text = "the disclosed seed is not the one that was committed to"
        is_committed = commitment == course.commits[seat].seed_commit
        course.expect(line, is_committed, CommitMismatch, text)
        seeds += disclosed.seed
    course.mark_called()
    course.complete("disclosed", seeds)


def score_of(course: Course) -> HandScore | None:
    """The score, once play is over and all tiles are known."""
    if not course.is_over or not course.faces:
        return None
    return course.engine.score(course.need_game(), course.faces, course.setup.totals)


def absent_at_end(course: Course) -> tuple[int, ...]:
    """Seats that owed something at the end and did not give it."""
    marked = () if course.mark is None else (int(course.mark.seat),)
    withheld = () if course.withheld is None else (int(course.withheld),)
    return tuple(sorted({*marked, *withheld}))


def replay_results(course: Course, transcript_hash: bytes) -> None:
    """Every seat must have signed the score that the replay gives."""
    score = score_of(course)
    signed: list[tuple[Line, bytes]] = []
    try:
        for seat in course.present:
            if course.withheld is None and course.has_withheld_result(seat):
                course.withheld = seat
                continue
            line, message = course.take(Result, seat)
            _check_result(course, line, message, score)
            signed.append((line, message.transcript))
    except ReplayEnded:
        # In a hand that was stopped here some results are missing: the others still bind.
        for line in course.left():
            if isinstance(line.envelope.message, Result):
                _check_result(course, line, line.envelope.message, score)
        raise
    _check_lines(course, signed, transcript_hash)
    course.take_nothing_more()


def _check_lines(course: Course, signed: list[tuple[Line, bytes]], transcript_hash: bytes) -> None:
    """All must have signed the lines of this file, once everybody has signed and nobody stopped.

    Before that, and where they signed different lines, some seat may have been shown other lines
    by another: one file cannot tell which, so it is held against nobody.
    """
    if course.has_voids:
        return
    line, first = signed[0]
    if any(other != first for _, other in signed):
        cause, text = VOIDED, "the seats signed different lines: compare their files"
    elif first != transcript_hash:
        cause, text = ReplayMismatch.__name__, "all signed other lines than stand in this file"
    else:
        return
    finding = Finding(line=line.number, seat=None, message=line.label, cause=cause, text=text)
    course.findings.append(finding)


def _check_result(course: Course, line: Line, message: Result, score: HandScore | None) -> None:
    if score is not None:
        text = f"expected points {list(score.points)}, got {list(message.points)}"
        course.agree(line, message.points == score.points, ReplayMismatch, text)
        text = f"expected totals {list(score.totals)}, got {list(message.totals)}"
        course.agree(line, message.totals == score.totals, ReplayMismatch, text)
    text = "RESULT names another final state than the replay gives"
    course.agree(line, message.state == course.final_state, ReplayMismatch, text)
