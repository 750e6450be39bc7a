"""Replays what the others did for an absent seat: shares, turns and its way back (S10)."""

from functools import partial

from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.crypto.sharing import combine_shares
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import (
    ShareTable,
    build_escrow,
    check_escrow,
    open_share,
    recover_tokens,
)
from p2pokey.errors import DecodeError, ShareInvalid, TokenNotDue, VerificationError
from p2pokey.rules.events import Reveal
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Escrow


def replay_escrow(course: Course, reveals: tuple[Reveal, ...]) -> None:
    """The shares of all others for the tokens that the absent seat owes."""
    mark = course.mark
    if mark is None:
        return
    due = course.due_tokens(reveals, mark.seat)
    if not due:
        return
    table = _table_of(course, mark.seat)
    given: dict[int, bytes] = {}
    for seat in course.present:
        line, message = course.take(Escrow, seat)
        is_due = message.absent == mark.seat and message.positions == due
        course.require(line, is_due, TokenNotDue, f"expected shares for positions {list(due)}")
        course.check(line, len(due) // 4 + 1, partial(_check, course, line, message, table))
        course.rebuild(line, message, partial(_build, course, line, message, table))
        given[seat] = message.tokens
    try:
        tokens = recover_tokens(course.group, course.threshold, given)
    except (VerificationError, DecodeError) as error:
        text = f"the shares do not give a token: {error}"
        finding = Finding(line=None, seat=None, message=None, cause=error.code, text=text)
        raise ReplayEnded(finding) from error
    course.need_deck().store_tokens(mark.seat, due, tokens)


def _table_of(course: Course, dealer: Seat) -> ShareTable:
    keys = course.keys[dealer]
    return ShareTable.check(
        course.group,
        seats=len(course.seats),
        dealer=dealer,
        hand_key=keys.hand_key,
        commitments=keys.commitments,
    )


def _check(course: Course, line: Line, message: Escrow, table: ShareTable) -> None:
    check_escrow(
        course.group,
        course.contexts,
        helper=line.envelope.seat,
        index=line.envelope.seq,
        absent=message.absent,
        positions=message.positions,
        keyset=course.keyset,
        table=table,
        points=course.need_deck().points_of(message.positions),
        tokens=message.tokens,
        proof=message.proof,
    )


def _build(
    course: Course, line: Line, message: Escrow, table: ShareTable, secrets: SeatSecrets
) -> Escrow:
    helper, dealer = line.envelope.seat, Seat(message.absent)
    tokens, proof = build_escrow(
        course.group,
        course.contexts,
        helper=helper,
        index=line.envelope.seq,
        absent=dealer,
        positions=message.positions,
        keyset=course.keyset,
        seed=secrets.seed,
        share=_share(course, dealer, helper, table, secrets),
        table=table,
        points=course.need_deck().points_of(message.positions),
    )
    return Escrow(absent=dealer, positions=message.positions, tokens=tokens, proof=proof)


def _share(
    course: Course, dealer: Seat, holder: Seat, table: ShareTable, secrets: SeatSecrets
) -> int:
    return open_share(
        course.group,
        course.sealer,
        course.contexts,
        dealer=dealer,
        holder=holder,
        secret=secrets.sealing_secret,
        sealing_key=course.commits[dealer].sealing_key,
        shares=course.keys[dealer].shares,
        table=table,
    )


def recover_key(course: Course) -> tuple[Seat, int] | None:
    """The hand key of the one seat that did not disclose, from the shares that the others hold.

    Returns:
        None where more seats are missing, or there are no shares.
    """
    missing = [seat for seat in course.seats if seat not in course.secrets]
    if len(missing) != 1 or not course.threshold:
        return None
    (dealer,) = missing
    try:
        table = _table_of(course, dealer)
    except (VerificationError, DecodeError):
        return None
    shares: dict[int, int] = {}
    for holder, secrets in course.secrets.items():
        try:
            shares[holder] = _share(course, dealer, holder, table, secrets)
        except (ShareInvalid, DecodeError):
            # It said with READY that its share was good; a complaint was its duty.
            text = f"it said that its share of seat {dealer + 1}'s key was good, and it is not"
            finding = Finding(
                line=None, seat=int(holder), message=None, cause=ShareInvalid.__name__, text=text
            )
            course.findings.append(finding)
            return None
    return dealer, combine_shares(shares)
