"""Files about an absent seat that somebody has rewritten with the keys of all seats (protocol S10, S17).

Signatures and chains are in order in every one of them; what is wrong are the votes, the shares, or
what the absent seat is said to have done.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

from p2pokey.audit.report import Finding, Report, Status
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.file import decode_line, encode_transcript
from p2pokey.transcript.messages import Drop, Kind, Message
from p2pokey.transcript.setup import decode_header
from tests.hand.test_absence import audited, with_absent_seat
from tests.sim.cheats import flip
from tests.sim.forge import _chained, joined, lines_of, signed_by, without
from tests.sim.table import signer_of

SEED = "whole 3"
AWAY = 2
"""The seat that is absent in that hand."""


def transcript() -> bytes:
    ends = [peer.finished for peer in with_absent_seat().peers if peer.finished]
    return ends[0].transcript


def envelopes() -> list[Envelope]:
    return [decode_line(line) for line in lines_of(transcript())[1:]]


def numbers_of(kind: Kind) -> list[int]:
    """Lines with messages of that kind, 1-based."""
    return [at for at, item in enumerate(envelopes(), start=2) if item.kind is kind]


def first_votes() -> list[int]:
    """Lines of the first certificate."""
    return numbers_of(Kind.DROP)[:3]


def rewritten(numbers: Collection[int], change: Callable[[Envelope], Message]) -> bytes:
    """The file with these lines changed and every chain signed anew."""
    items = envelopes()
    messages = [
        change(item) if at in numbers else item.message for at, item in enumerate(items, start=2)
    ]
    return joined([lines_of(transcript())[0], *_chained(SEED, items, messages)])


def with_lines(added: list[Envelope]) -> bytes:
    """The file with these messages, each at its place, and every chain signed anew."""
    items = sorted([*envelopes(), *added], key=lambda item: (item.seat, item.step, item.seq))
    lines = _chained(SEED, items, [item.message for item in items])
    return in_order(list(map(decode_line, lines)))


def in_order(items: list[Envelope]) -> bytes:
    """A file of these messages."""
    return encode_transcript(decode_header(lines_of(transcript())[0]), items)


def caught(data: bytes) -> list[Finding]:
    """What an auditor finds; there must be something."""
    report: Report = audited(data)
    assert report.status is Status.VIOLATION, report.status
    assert report.points is None or report.findings
    return list(report.findings)


def head_at(seq: int) -> bytes:
    chain = [item for item in envelopes() if item.seat == AWAY]
    return chain[seq - 1].body_hash


def test_the_file_itself_is_sound() -> None:
    assert audited(transcript()).status is Status.SOUND


@pytest.mark.parametrize("missing", range(3))
def test_a_certificate_that_lacks_a_vote_opens_nothing(missing: int) -> None:
    found = caught(without(transcript(), SEED, {first_votes()[missing]}))
    assert {item.cause for item in found[:2]} == {"Missing", "TokenNotDue"}
    assert "nobody was voted absent" in str(found[1])


def test_shares_without_any_vote_are_found_at_each_helper() -> None:
    found = caught(without(transcript(), SEED, numbers_of(Kind.DROP)))
    early = [item for item in found if "nobody was voted absent" in str(item)]
    assert {item.seat for item in early} >= {0, 1, 3}


VOTES: dict[str, Callable[[Drop], Drop]] = {
    "of another head": lambda vote: replace(vote, head=bytes(64)),
    "of an earlier head": lambda vote: replace(
        vote, head_seq=vote.head_seq - 1, head=head_at(vote.head_seq - 1)
    ),
    "of another step": lambda vote: replace(vote, step=vote.step - 1),
    "of another state": lambda vote: replace(vote, state=bytes(64)),
}


@pytest.mark.parametrize("name", VOTES)
@pytest.mark.parametrize("voters", [1, 3])
def test_votes_of_something_else_mark_nobody(name: str, voters: int) -> None:
    lines = first_votes()[:voters]
    found = caught(rewritten(lines, lambda item: VOTES[name](item.message)))
    # At the latest the shares are not due, or the state is another one: it holds the mark's head.
    assert {"TokenNotDue", "StateDisagreement"} & {item.cause for item in found}


def test_votes_about_another_seat_mark_nobody() -> None:
    def other(item: Envelope) -> Message:
        return replace(item.message, absent=3 if item.seat != 3 else 0)

    found = caught(rewritten(first_votes(), other))
    assert "TokenNotDue" in {item.cause for item in found}


@pytest.mark.parametrize("forger", [0, AWAY, 3])
def test_a_vote_that_somebody_else_has_signed_is_none(forger: int) -> None:
    lines = lines_of(transcript())
    number = first_votes()[0]
    author = decode_line(lines[number - 1]).seat
    assert author != forger
    lines[number - 1] = signed_by(lines[number - 1], signer_of(SEED, forger))
    found = caught(joined(lines))
    assert (found[0].line, found[0].seat, found[0].cause) == (number, author, "BadSignature")


SHARES: dict[str, tuple[Callable[[Envelope], Message], str]] = {
    "another token": (
        lambda item: replace(item.message, tokens=flip(item.message.tokens)),
        "DleqInvalid",
    ),
    "another proof": (
        lambda item: replace(item.message, proof=flip(item.message.proof)),
        "DleqInvalid",
    ),
    "of another seat": (lambda item: replace(item.message, absent=3), "TokenNotDue"),
    "of another position": (
        lambda item: replace(item.message, positions=(item.message.positions[0] - 1,)),
        "TokenNotDue",
    ),
}


@pytest.mark.parametrize("name", SHARES)
def test_a_wrong_share_names_its_helper(name: str) -> None:
    change, cause = SHARES[name]
    number = numbers_of(Kind.ESCROW)[0]
    found = caught(rewritten({number}, change))
    assert (found[0].line, found[0].seat) == (number, 0)
    assert found[0].cause in (cause, "BadPoint", "BadScalar")


def test_what_the_absent_seat_signed_behind_the_head_is_not_in_the_file() -> None:
    """A move and a time-out cannot both stand: the message is its author's, and counts for nothing."""
    head = with_absent_seat().peers[0].machine._core.mark.head_seq
    late = [
        item
        for item in map(decode_envelope, with_absent_seat().peers[AWAY].disk)
        if item.seat == AWAY and item.seq >= head
    ]
    assert late, "it has signed something that reached nobody"
    found = caught(in_order([*envelopes(), late[0]]))
    assert [item.cause for item in found] == ["ReplayMismatch"], "no RESULT has signed it"
    unsigned = [item for item in envelopes() if item.kind is not Kind.RESULT]
    found = caught(in_order([*unsigned, late[0]]))
    assert [(item.message, item.cause) for item in found] == [("tokens 14", "TokenNotDue")]
    assert found[0].seat is None, "being late is no fault"


def test_a_certificate_beside_the_move_that_it_denies_is_found() -> None:
    """All three others vote, in a file in which the seat has moved at that step."""
    move = next(item for item in envelopes() if item.seat == AWAY and item.kind is Kind.MOVE)
    added = []
    for seat in (0, 1, 3):
        newest = [item for item in envelopes() if item.seat == seat and item.step <= move.step][-1]
        vote = Drop(
            absent=AWAY,
            step=move.step,
            head_seq=move.seq,
            head=head_at(move.seq),
            state=move.state,
        )
        added.append(
            replace(newest, message=vote, step=move.step, state=move.state, seq=newest.seq + 1)
        )
    found = caught(with_lines(added))
    assert found[0].cause in ("TokenNotDue", "StateDisagreement", "BrokenChain", "Missing")
