"""Audits of whole hands, sound and forged: every change is found and placed."""

import base64
import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report, Status
from p2pokey.crypto.group import Group
from p2pokey.errors import DecodeError
from p2pokey.hand.effects import Abandon, Phase
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Discard, Placed, Show
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.file import decode_line, encode_line
from p2pokey.transcript.messages import Kind, Message, Move, Purpose
from tests.hand.test_whole_hand import own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.cheats import change_message, flip, two_faced
from tests.sim.forge import forge, joined, lines_of
from tests.sim.table import SimTable, make_setup

CHEAP = Group(CheapBackend())
SEED = "audit"


def audit(data: bytes, *, recompute: bool = False) -> Report:
    return audit_transcript(
        data,
        group=CHEAP,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=recompute,
    )


def new_table() -> SimTable:
    setup = dataclasses.replace(make_setup(SEED), starter=Seat(1))
    return SimTable(CHEAP, setup, SEED, audit=lambda data: own_audit(CHEAP, data))


@cache
def sound() -> bytes:
    table = new_table()
    table.run()
    return table.peers[0].machine.transcript()


def line_of(
    kind: Kind, *, number: int = 0, where: Callable[[Message], bool] = lambda m: True
) -> int:
    """1-based line of the `number`-th message of this kind."""
    found = [
        at
        for at, line in enumerate(lines_of(sound())[1:], start=2)
        if (e := decode_line(line)).kind is kind and where(e.message)
    ]
    return found[number]


def is_discard(message: Message) -> bool:
    return isinstance(decode_move(message.move), Discard)


def test_a_hand_that_was_played_is_sound() -> None:
    report = audit(sound(), recompute=True)
    assert (report.status, report.findings, report.exit_code) == (Status.SOUND, (), 0)
    assert report.points is not None
    assert report.totals == tuple(20 + point for point in report.points)


def test_recomputing_covers_every_message_that_holds_a_secret() -> None:
    kinds = [decode_line(line).kind for line in lines_of(sound())[1:]]
    secret = (Kind.COMMIT, Kind.KEYS, Kind.SHUFFLE, Kind.TOKENS, Kind.MOVE)
    report = audit(sound(), recompute=True)
    assert report.recomputed == sum(kind in secret for kind in kinds)


def test_progress_reaches_its_end() -> None:
    seen: list[tuple[int, int]] = []
    audit_transcript(
        sound(),
        group=CHEAP,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        progress=lambda done, whole: seen.append((done, whole)),
    )
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def other_tile(envelope: Envelope) -> Message:
    move = decode_move(envelope.message.move)
    lie = Discard(Placed(move.placed.slot, Tile((move.placed.tile + 2) % 104)))
    return replace(envelope.message, move=encode_move(lie))


def change(name: str, edit: Callable[[object], object]) -> Callable[[Envelope], Message]:
    return lambda e: replace(e.message, **{name: edit(getattr(e.message, name))})


def remask(edit: Callable[[bytes], bytes], name: str) -> Callable[[Envelope], Message]:
    def changed(envelope: Envelope) -> Message:
        old = envelope.message.remask
        return replace(envelope.message, remask=replace(old, **{name: edit(getattr(old, name))}))

    return changed


def has_remask(message: Message) -> bool:
    return isinstance(message, Move) and message.remask is not None


FORGERIES = {
    "pop": (Kind.COMMIT, change("pop", flip), "PopInvalid"),
    "coin-commitment": (Kind.COMMIT, change("coin_commit", flip), "ReplayMismatch"),
    "coin": (Kind.KEYS, change("coin", flip), "CommitMismatch"),
    "sealed-share": (Kind.KEYS, change("shares", flip), "ReplayMismatch"),
    "no-shares": (Kind.KEYS, change("shares", lambda shares: b""), "BadLength"),
    "shuffle-proof": (Kind.SHUFFLE, change("proof", lambda p: flip(p, 32 * 250)), "ShuffleInvalid"),
    "shuffled-deck": (
        Kind.SHUFFLE,
        change("deck", lambda d: d[64:128] + d[:64] + d[128:]),
        "ShuffleInvalid",
    ),
    "input-of-a-shuffle": (Kind.SHUFFLE, change("input_hash", flip), "DeckDisagreement"),
    "ready": (Kind.READY, change("digest", flip), "DeckDisagreement"),
    "token": (Kind.TOKENS, change("tokens", lambda t: t[32:64] + t[:32] + t[64:]), "DleqInvalid"),
    "token-proof": (Kind.TOKENS, change("proof", flip), "DleqInvalid"),
    "token-positions": (
        Kind.TOKENS,
        change("positions", lambda p: (*p[:-1], 105)),
        "TokenNotDue",
    ),
    "token-purpose": (Kind.TOKENS, change("purpose", lambda p: Purpose.DRAW), "TokenNotDue"),
    "end": (Kind.END, change("digest", flip), "StateDisagreement"),
    "seed": (Kind.DISCLOSE, change("seed", flip), "CommitMismatch"),
    "points": (Kind.RESULT, change("points", lambda p: (p[0] + 1, *p[1:])), "ReplayMismatch"),
    "totals": (Kind.RESULT, change("totals", lambda p: (p[0] + 1, *p[1:])), "ReplayMismatch"),
    "state-of-the-result": (Kind.RESULT, change("state", flip), "ReplayMismatch"),
}


def assert_found(report: Report, line: int, cause: str) -> None:
    assert report.exit_code == 3
    seat = decode_line(lines_of(sound())[line - 1]).seat
    places = {(f.line, f.seat, f.cause) for f in report.findings}
    assert (line, seat, cause) in places, report.findings


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_message_with_good_signatures_is_found_and_placed(name: str) -> None:
    kind, edit, cause = FORGERIES[name]
    line = line_of(kind)
    assert_found(audit(forge(sound(), SEED, line, edit)), line, cause)


def test_results_over_different_lines_make_no_sound_file_and_are_held_against_nobody() -> None:
    """Its author may be the liar, or the one seat that was shown other lines: who knows."""
    data = forge(sound(), SEED, line_of(Kind.RESULT), change("transcript", flip))
    report = audit(data)
    assert report.status is Status.INCOMPLETE
    assert [finding.seat for finding in report.findings] == [None]


def test_a_forged_commitment_to_a_seed_is_found_where_the_seed_is_disclosed() -> None:
    line = line_of(Kind.COMMIT)
    report = audit(forge(sound(), SEED, line, change("seed_commit", flip)))
    assert (line_of(Kind.DISCLOSE), 0, "CommitMismatch") in {
        (f.line, f.seat, f.cause) for f in report.findings
    }


def test_another_tile_is_found_at_its_discard() -> None:
    line = line_of(Kind.MOVE, number=1, where=is_discard)
    assert_found(audit(forge(sound(), SEED, line, other_tile)), line, "TileMismatch")


def test_a_forged_re_mask_names_the_equation() -> None:
    line = line_of(Kind.MOVE, where=has_remask)
    report = audit(forge(sound(), SEED, line, remask(lambda p: flip(p, len(p) - 32), "proof")))
    assert_found(report, line, "ShuffleInvalid")
    assert any("equation" in finding.text for finding in report.findings)


def test_a_missing_re_mask_is_found() -> None:
    line = line_of(Kind.MOVE, where=has_remask)
    edited = forge(sound(), SEED, line, lambda e: replace(e.message, remask=None))
    assert_found(audit(edited), line, "IllegalMove")


def test_an_illegal_move_is_found_with_its_rule() -> None:
    """The cause is a class name as everywhere; the rule stands in the text."""
    line = line_of(Kind.MOVE, number=1)
    draw_again = forge(
        sound(),
        SEED,
        line,
        lambda e: replace(e.message, move=encode_move(Show(Placed(Slot(0), Tile(0))))),
    )
    report = audit(draw_again)
    assert_found(report, line, "IllegalMove")
    assert any("(rule " in finding.text for finding in report.findings)


def test_a_token_made_with_other_randomness_is_found_only_by_recomputing() -> None:
    """A proof with a fresh nonce verifies: only the seed shows that it is not the protocol's."""
    table = new_table()

    def fresh_nonce(core, message):
        tokens, proof = core.need_deck().prove_tokens(
            seat=core.seat,
            seed=b"another nonce key, 32 bytes long",
            secret=core.secrets.hand_secret,
            purpose=message.purpose.label,
            index=core.next_seq(),
            positions=message.positions,
        )
        return replace(message, tokens=tokens, proof=proof)

    change_message(table, 3, Kind.TOKENS, fresh_nonce)
    table.run()
    transcript = table.peers[0].machine.transcript()
    assert audit(transcript).status is Status.SOUND
    report = audit(transcript, recompute=True)
    assert [(f.seat, f.cause) for f in report.findings] == [(3, "ReplayMismatch")]


def test_changed_bytes_without_new_signatures_are_found_at_their_line() -> None:
    lines = lines_of(sound())
    for at in range(1, len(lines), 7):
        fields = json.loads(lines[at])
        body = fields["body"]
        fields["body"] = body[:-8] + ("A" if body[-8] != "A" else "B") + body[-7:]
        edited = [*lines]
        edited[at] = json.dumps(fields, separators=(",", ":")).encode()
        report = audit(joined(edited))
        assert report.exit_code == 3
        assert any(finding.line == at + 1 for finding in report.findings)


def test_one_changed_message_accuses_nobody_else() -> None:
    """Behind the changed line every state differs: that is no fault of the seats that follow."""
    lines = lines_of(sound())
    at = line_of(Kind.MOVE, number=1, where=is_discard) - 1
    fields = json.loads(lines[at])
    body = bytearray(base64.urlsafe_b64decode(fields["body"] + "=="))
    body[179] ^= 1  # the discarded tile: no signature fits, and the state goes another way
    changed = decode_envelope(bytes(body) + bytes(64))
    line = encode_line(replace(changed, signature=decode_line(lines[at]).signature))
    report = audit(joined([*lines[:at], line, *lines[at + 1 :]]))
    assert report.exit_code == 3
    assert {f.seat for f in report.findings if f.seat is not None} == {changed.seat}


def test_a_changed_signature_is_found() -> None:
    lines = lines_of(sound())
    fields = json.loads(lines[5])
    fields["sig"] = "A" + fields["sig"][1:] if fields["sig"][0] != "A" else "B" + fields["sig"][1:]
    lines[5] = json.dumps(fields, separators=(",", ":")).encode()
    report = audit(joined(lines))
    assert report.exit_code == 3
    assert (6, "BadSignature") in {(f.line, f.cause) for f in report.findings}


@pytest.mark.parametrize("at", [3, 10, 40])
def test_lines_swapped_dropped_or_doubled_are_found(at: int) -> None:
    lines = lines_of(sound())
    swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
    dropped = [*lines[:at], *lines[at + 1 :]]
    doubled = [*lines[: at + 1], lines[at], *lines[at + 1 :]]
    for edited in (swapped, dropped, doubled):
        report = audit(joined(edited))
        assert report.exit_code == 3
        first = min(finding.line for finding in report.findings if finding.line)
        assert first in (at + 1, at + 2)


def test_an_appended_line_is_found() -> None:
    lines = lines_of(sound())
    report = audit(joined([*lines, lines[-1]]))
    assert report.exit_code == 3
    assert report.findings[-1].line == len(lines) + 1


def test_lines_of_another_hand_are_found() -> None:
    other = SimTable(CHEAP, dataclasses.replace(make_setup(SEED), hand=1, starter=Seat(1)), SEED)
    other.autoplay = False
    other.run()
    lines, strangers = lines_of(sound()), lines_of(other.peers[0].machine.transcript())
    report = audit(joined([*lines[:6], *strangers[6:]]))
    assert report.exit_code == 3
    assert any(f.line == 7 and "another hand" in f.text for f in report.findings)


def test_changed_facts_in_the_header_are_found() -> None:
    header = json.loads(lines_of(sound())[0])
    for name, value in (("match_hand", 1), ("totals", [20, 20, 20, 21]), ("starter", 2)):
        edited = {**header, "setup": {**header["setup"], name: value}}
        line = json.dumps(edited, separators=(",", ":")).encode()
        report = audit(joined([line, *lines_of(sound())[1:]]))
        assert report.exit_code == 3
        assert report.findings[0].cause == "StateDisagreement"


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "DecodeError"),
        (b"hello\n", "DecodeError"),
        (b'{"format":"p2pokey-transcript","version":9,"suite":"x"}\n', "UnsupportedVersion"),
        (b"[" * 100_000 + b"\n", "DecodeError"),
        (b"\xff\xfe\n", "DecodeError"),
    ],
)
def test_what_is_no_transcript_is_unreadable(data: bytes, cause: str) -> None:
    report = audit(data)
    assert (report.status, report.exit_code) == (Status.UNREADABLE, 4)
    assert report.findings[0].cause == cause


def test_a_file_cut_after_a_line_is_incomplete_and_in_a_line_too() -> None:
    lines = lines_of(sound())
    for count in (1, 4, 9, 30, len(lines) - 5, len(lines) - 1):
        report = audit(joined(lines[:count]))
        assert (report.status, report.findings, report.exit_code) == (Status.INCOMPLETE, (), 4)
    report = audit(sound()[:-1])
    assert report.exit_code == 4


def test_a_hand_that_was_given_up_is_incomplete() -> None:
    table = new_table()
    for _ in range(200):
        table.step()
    table.peers[1].machine.act(Abandon(reason="left"), table.now)
    table.run()
    assert table.peers[0].machine.phase is Phase.STOPPED
    report = audit(table.peers[0].machine.transcript())
    assert report.exit_code == 4
    assert report.findings[0].cause == "Voided"


def test_a_hand_that_stopped_for_a_fault_names_the_seat() -> None:
    table = new_table()
    change_message(table, 2, Kind.TOKENS, lambda core, m: replace(m, proof=flip(m.proof)))
    table.run()
    for seat in (0, 1, 3):
        report = audit(table.peers[seat].machine.transcript())
        assert report.exit_code == 3
        assert {f.seat for f in report.findings if f.cause != "Voided"} == {2}


def test_a_fork_in_the_evidence_names_its_signer() -> None:
    table = new_table()
    two_faced(table, SEED, 2, Kind.READY, lambda m: replace(m, digest=flip(m.digest)), target=0)
    table.run()
    causes = set()
    for seat in (0, 1, 3):
        report = audit(table.peers[seat].machine.transcript())
        assert report.exit_code == 3
        assert {f.seat for f in report.findings if f.cause != "Voided"} == {2}
        causes |= {f.cause for f in report.findings}
    assert "Equivocation" in causes


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_bytes_anywhere_never_pass_and_never_crash(data: st.DataObject) -> None:
    transcript = bytearray(sound())
    at = data.draw(st.integers(0, len(transcript) - 1))
    transcript[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != transcript[at]))
    report = audit(bytes(transcript))
    assert report.exit_code in (3, 4)
    json.dumps(report.to_json())


@given(st.binary(max_size=500))
def test_any_bytes_give_a_report(data: bytes) -> None:
    assert audit(data).exit_code == 4


def test_every_finding_says_where_and_what() -> None:
    line = line_of(Kind.TOKENS)
    report = audit(forge(sound(), SEED, line, change("proof", flip)))
    text = str(report.findings[0])
    assert text.startswith(f"line {line}, seat ")
    assert "[DleqInvalid]" in text
    assert report.to_json()["findings"][0]["line"] == line
    with pytest.raises(DecodeError):
        decode_line(b"{}")
