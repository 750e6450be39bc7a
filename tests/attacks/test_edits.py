"""Changed files: whatever is changed in a transcript is found, at its place (docs/protocol.md S11).

The first pass of an audit reads every line by itself and finds changed bytes; it alone is asked
where tens of thousands of bytes are changed one by one, and the whole audit for a sample of them.
"""

import json
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.reading import read_transcript
from p2pokey.audit.report import Finding, Report, Status
from p2pokey.cli.auditing import Audited, exit_code, find_differences
from p2pokey.errors import DecodeError
from p2pokey.hand.effects import Phase
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.file import decode_line, encode_line
from p2pokey.transcript.messages import Kind, Move
from tests.attacks.support import (
    CHEAP,
    SEED,
    SHORT,
    audit,
    envelopes,
    line_of,
    named_by_audit,
    new_table,
    played,
)
from tests.sim.cheats import change_message, flip
from tests.sim.forge import joined, lines_of, signed_by
from tests.sim.table import signer_of

VERIFIER = Ed25519Verifier()

FORM = {"DecodeError", "BadLength", "UnsupportedVersion", "BadPoint"}
"""Causes of what is not in the one form that a writer gives it."""


HEX = b"0123456789abcdef"


def other_byte(data: bytes, at: int, rng: random.Random) -> bytes:
    """The data with another value at one place."""
    value = (data[at] + rng.randrange(1, 256)) % 256
    return data[:at] + bytes([value]) + data[at + 1 :]


def other_digit(data: bytes, at: int, rng: random.Random) -> bytes:
    """The same, but a digit becomes another digit: what a person would change."""
    if data[at] not in HEX:
        return other_byte(data, at, rng)
    value = rng.choice([digit for digit in HEX if digit != data[at]])
    return data[:at] + bytes([value]) + data[at + 1 :]


def read(data: bytes) -> tuple[Finding, ...] | None:
    """What the first pass finds; None if it is no transcript at all."""
    try:
        return read_transcript(data, VERIFIER).findings
    except DecodeError:
        return None


# Every byte of one line of each kind -------------------------------------------------------------------


def a_move_with_a_remask() -> int:
    return next(
        at
        for at, e in enumerate(envelopes(), start=2)
        if isinstance(e.message, Move) and e.message.remask is not None
    )


@cache
def stopped() -> bytes:
    """The file of a hand that was stopped by a complaint, with VOIDs."""
    table = new_table()
    change_message(table, 1, Kind.KEYS, lambda core, m: replace(m, shares=flip(m.shares, 50)))
    table.run()
    assert table.peers[0].machine.phase is Phase.STOPPED
    return table.peers[0].machine.transcript()


KINDS = (
    Kind.COMMIT,
    Kind.KEYS,
    Kind.COMPLAINT,
    Kind.SHUFFLE,
    Kind.READY,
    Kind.TOKENS,
    Kind.MOVE,
    Kind.END,
    Kind.DISCLOSE,
    Kind.RESULT,
    Kind.VOID,
)
"""All kinds that a program of this version sends."""


def sample_line(kind: Kind) -> bytes:
    """A line of this kind from a real file; a VOID with evidence, a MOVE with a re-mask."""
    if kind is Kind.MOVE:
        return lines_of(played())[a_move_with_a_remask() - 1]
    lines = lines_of(stopped() if kind in (Kind.COMPLAINT, Kind.VOID) else played())
    found = [line for line in lines[1:] if decode_line(line).kind is kind]
    return max(found, key=len) if kind is Kind.VOID else found[0]


EVERY = 1 if os.environ.get("P2POKEY_EVERY_BYTE") else 17
"""A SHUFFLE has 32,000 bytes: in a nightly run every one of them, else every seventeenth."""

CHUNK = 90
"""Changed lines that are read as one file: each is read by itself, until there are too many."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.label)
def test_row_14_every_byte_of_a_line_counts(kind: Kind) -> None:
    """One copy of the line for each of its bytes, with that byte changed: all of them are named."""
    header, line = lines_of(played())[0], sample_line(kind)
    rng = random.Random(kind.label)
    step = EVERY if kind is Kind.SHUFFLE else 1
    copies = [one_byte_off(line, at, rng) for at in range(rng.randrange(step), len(line), step)]
    assert len(copies) > 400
    for start in range(0, len(copies), CHUNK):
        chunk = copies[start : start + CHUNK]
        found = read(joined([header, line, *chunk, line]))
        assert found is not None
        named = {f.line for f in found if f.cause in {*FORM, "BadSignature"}}
        # The line itself, before and after them, is in order.
        assert named == set(range(3, 3 + len(chunk)))


def one_byte_off(line: bytes, at: int, rng: random.Random) -> bytes:
    """The line with another byte, which does not break it in two."""
    changed = other_byte(line, at, rng)
    return changed if b"\n" not in changed else one_byte_off(line, at, rng)


def test_row_14_the_kinds_are_all_that_are_sent() -> None:
    lines = [*lines_of(played())[1:], *lines_of(stopped())[1:]]
    assert {decode_line(line).kind for line in lines} == set(KINDS)


# Every byte of the header -----------------------------------------------------------------------------


def opening() -> bytes:
    """Header and COMMITs: the state in the first message covers all that the header says."""
    return joined(lines_of(played())[:5])


def whole_audit(data: bytes) -> Report:
    """As `audit`, and keeps nothing."""
    return audit_transcript(data, group=CHEAP, verifier=VERIFIER, sealer=ChaChaSealer())


def test_row_14_every_byte_of_the_header_counts() -> None:
    """It is unreadable, or the first message does not belong to what it says."""
    data, rng = opening(), random.Random("header")
    assert whole_audit(data).findings == ()
    header = lines_of(data)[0]
    read_on = 0
    for at in range(len(header)):
        report = whole_audit(other_digit(data, at, rng))
        assert report.exit_code in (3, 4), at
        assert report.findings, at
        first = report.findings[0]
        assert first.line in (1, 2) or first.cause == "BadSignature", (at, str(first))
        read_on += report.exit_code == 3
    assert read_on > 100, "some changes leave a readable header"


# Random bytes of a whole file ----------------------------------------------------------------------------


def line_at(data: bytes, at: int) -> int:
    """1-based line of a byte; a newline belongs to the line that it ends."""
    return data.count(b"\n", 0, at) + 1


BYTES = 300


def changed_bytes() -> Iterator[tuple[int, bytes]]:
    """Place and file, three hundred of them, the same in every run."""
    rng = random.Random("bytes")
    whole = played()
    for _ in range(BYTES):
        at = rng.randrange(len(whole))
        yield at, other_byte(whole, at, rng)


def test_row_14_three_hundred_random_bytes_are_found_and_placed() -> None:
    """Most bytes are in long lines; the small lines are gone through above."""
    whole = played()
    assert read(whole) == ()
    for at, changed in changed_bytes():
        line = line_at(whole, at)
        if line == 1:
            continue  # see the header, above
        # What follows is as it was; should a newline be gone, one line more is read.
        found = read(joined(lines_of(changed)[: line + 1]))
        assert found, at
        assert line in {finding.line for finding in found}, (at, line)
        assert min(finding.line or 0 for finding in found) == line, (at, line)


def test_row_14_the_whole_audit_finds_and_places_a_sample_of_them() -> None:
    whole = played()
    for at, changed in list(changed_bytes())[::20]:
        report, line = whole_audit(changed), line_at(whole, at)
        assert report.exit_code == (4 if line == 1 else 3)
        assert line in {finding.line for finding in report.findings}
        assert report.findings[0].line == line, (at, line)


def test_row_14_the_last_newline_counts() -> None:
    assert audit(played()[:-1]).exit_code == 4
    assert audit(played()[:-1] + b"\r").exit_code in (3, 4)


# Lines -------------------------------------------------------------------------------------------------


def boundaries() -> list[int]:
    """Indices of lines before which another kind stands, the header left out."""
    kinds = [envelope.kind for envelope in envelopes()]
    return [at for at in range(2, len(kinds) + 1) if kinds[at - 1] is not kinds[at - 2]]


def first_line(data: bytes) -> int:
    """Line of the first finding of the first pass, which sees chains and order as well."""
    found = read(data)
    assert found
    return min(finding.line or 0 for finding in found)


def test_row_14_lines_swapped_at_every_change_of_kind_are_found() -> None:
    lines = lines_of(played())
    for at in boundaries():
        swapped = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
        assert first_line(joined(swapped)) in (at, at + 1), at


def test_row_14_lines_dropped_at_every_change_of_kind_are_found() -> None:
    """By the author's next message or, for a last one, by the replay; a lost end is no sound file."""
    lines = lines_of(played())
    for at in boundaries():
        dropped = joined([*lines[:at], *lines[at + 1 :]])
        seat = envelopes()[at - 1].seat
        later = [n for n in range(at, len(lines) - 1) if envelopes()[n].seat == seat]
        if later:
            assert at < first_line(dropped) <= later[0] + 1, at
            continue
        report = whole_audit(dropped)
        if report.findings:
            assert report.findings[0].line == at + 1
        else:
            assert report.status is Status.INCOMPLETE, at


def test_row_14_the_whole_audit_finds_dropped_lines_at_their_place() -> None:
    lines = lines_of(played())
    for at in boundaries()[::4]:
        report = whole_audit(joined([*lines[:at], *lines[at + 1 :]]))
        assert report.exit_code == 3
        assert report.points is None or at > line_of(Kind.END)
        assert report.findings[0].line in (at, at + 1), at


def test_row_14_lines_doubled_at_every_change_of_kind_are_found() -> None:
    lines = lines_of(played())
    for at in boundaries():
        assert first_line(joined([*lines[: at + 1], *lines[at:]])) == at + 2, at


def test_row_14_lines_appended_are_found() -> None:
    lines = lines_of(played())
    for at in (1, *boundaries(), len(lines) - 1):
        report = read(joined([*lines, lines[at]]))
        assert report
        assert {finding.line for finding in report} == {len(lines) + 1}
    assert audit(joined([*lines, b""])).exit_code == 3
    assert audit(joined([*lines, lines[0]])).exit_code == 3


def test_row_14_lines_cut_off_leave_an_incomplete_file() -> None:
    """Not sound, and nothing is wrong: exactly what a hand that is not over looks like."""
    lines = lines_of(played())
    for at in boundaries()[::3]:
        report = whole_audit(joined(lines[:at]))
        assert (report.exit_code, report.findings) == (4, ()), at


# Two hands and foreign keys -----------------------------------------------------------------------------


def test_row_14_two_hands_spliced_are_found() -> None:
    """The front of one and the back of another, where kinds change; headers of either."""
    one, two = lines_of(played()), lines_of(played(SHORT[1]))
    for at in boundaries()[::2]:
        if at < len(two):
            assert first_line(joined([*one[:at], *two[at:]])) == at + 1, at
            assert first_line(joined([two[0], *one[1:at], *two[at:]])) == 2, at


def test_row_14_a_hand_under_the_header_of_another_is_found() -> None:
    """The same session and players, and the facts of the next hand."""
    header = json.loads(lines_of(played())[0])
    for change in ({"hand": 1}, {"session": "00" * 32}, {"roster": header["roster"][::-1]}):
        edited = json.dumps(header | change, separators=(",", ":")).encode()
        report = whole_audit(joined([edited, *lines_of(played())[1:]]))
        assert report.exit_code == 3
        assert report.findings[0].line == 2


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in (Kind.COMPLAINT, Kind.VOID)]
)
def test_row_14_a_line_signed_by_another_seats_key_is_found(kind: Kind) -> None:
    at = line_of(kind, seat=2) - 1
    lines = lines_of(played())
    for signer in (signer_of(SEED, 3), signer_of("a stranger", 2)):
        edited = [*lines]
        edited[at] = signed_by(lines[at], signer)
        found = read(joined(edited))
        assert found is not None
        assert [(f.line, f.seat, f.cause) for f in found] == [(at + 1, 2, "BadSignature")]
    again = [*lines]
    again[at] = signed_by(lines[at], signer_of(SEED, 2))
    assert again == lines, "the right key gives the same line"


def test_row_14_a_signature_made_for_another_kind_does_not_fit() -> None:
    """READY and END have payloads of one shape: the kind is under the signature, too."""
    at = line_of(Kind.READY, seat=2) - 1
    lines = lines_of(played())
    ready = decode_line(lines[at])
    as_end = as_kind(ready, Kind.END)
    assert as_end is not None
    lines[at] = as_end
    found = read(joined(lines))
    assert found
    assert (at + 1, "BadSignature") in {(f.line, f.cause) for f in found}


def as_kind(envelope: Envelope, kind: Kind) -> bytes | None:
    """The line with the byte that names the kind changed in its body."""
    place = len(envelope.body) - len(envelope.message.encode()) - 1
    assert envelope.body[place] == envelope.kind
    body = envelope.body[:place] + bytes([kind]) + envelope.body[place + 1 :]
    return encode_line(decode_envelope(body + envelope.signature))


# The files of all seats --------------------------------------------------------------------------------


def files_of_all() -> list[Audited]:
    """What `p2pokey audit` reads when it is given the files of all four seats."""
    table = new_table()
    table.run()
    return [audited(peer.seat, peer.machine.transcript()) for peer in table.peers]


def audited(seat: int, data: bytes) -> Audited:
    return Audited(path=Path(f"seat-{seat}.jsonl"), data=data, report=audit(data))


def test_row_14_the_files_of_all_seats_are_one_and_the_same() -> None:
    files = files_of_all()
    assert list(find_differences(files)) == []
    assert exit_code(files, ()) == 0


@pytest.mark.parametrize("seat", range(4))
def test_row_14_one_changed_file_among_four_is_found_with_its_line(seat: int) -> None:
    whole, line = played(), line_of(Kind.TOKENS, seat=1)
    lines = lines_of(whole)
    lines[line - 1] = signed_by(lines[line - 1], signer_of(SEED, 3))
    files = [audited(n, joined(lines) if n == seat else whole) for n in range(4)]
    differences = tuple(find_differences(files))
    assert {difference.line for difference in differences} == {line}
    assert exit_code(files, differences) == 3
    named = {difference.first for difference in differences} | {d.second for d in differences}
    assert Path(f"seat-{seat}.jsonl") in named
    # The first file is the measure: if it is the changed one, all three others differ.
    assert len(differences) == (3 if seat == 0 else 1)


def test_row_14_a_shorter_file_of_the_same_hand_is_no_violation() -> None:
    shorter = joined(lines_of(played())[:30])
    files = [audited(0, played()), audited(1, shorter)]
    (difference,) = find_differences(files)
    assert difference.is_prefix
    assert exit_code(files, (difference,)) == 4


def test_row_14_files_of_stopped_hands_all_name_the_same_seat() -> None:
    """They differ, because seats stop at different places; none names anybody else."""
    table = new_table()
    change_message(table, 1, Kind.KEYS, lambda core, m: replace(m, shares=flip(m.shares, 50)))
    table.run()
    for peer in table.peers:
        if peer.seat != 1:
            assert named_by_audit(peer) == {1}
