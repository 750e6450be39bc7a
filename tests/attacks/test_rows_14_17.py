"""Rows 14 to 17 of docs/protocol.md S17: changed files, false claims, chance, and sizes.

Every byte of a file is changed in `test_edits`; here are the ways in which a file could say the same
thing twice.
"""

import ast
import json
import os
import random
import secrets
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest

from p2pokey.audit import reading
from p2pokey.audit.reading import read_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.dleq import verify_dleq
from p2pokey.crypto.group import Group, L
from p2pokey.crypto.possession import verify_possession
from p2pokey.crypto.reencrypt import N_MAX
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.points import initial_deck
from p2pokey.errors import BadLength, DecodeError, TileMismatch
from p2pokey.hand.core import HandCore
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.ports import GroupBackend
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Finish, LaidMeld, Placed, Show
from p2pokey.rules.moves import Move as GameMove
from p2pokey.tiles import TILE_COUNT, Tile, face_of
from p2pokey.transcript import envelope as envelope_module
from p2pokey.transcript import file as file_module
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.file import MAX_FILE, MAX_LINE, decode_line
from p2pokey.transcript.messages import MAX_ENVELOPE, Kind, Message
from tests.attacks.support import (
    assert_named_by_all,
    audit,
    envelopes,
    honest,
    named_by_audit,
    new_table,
    played,
    turns,
)
from tests.core import ROOT
from tests.crypto.support import CTX, some_scalars
from tests.crypto.support import SEED as NONCES
from tests.sim.cheats import change_message
from tests.sim.forge import joined, lines_of
from tests.sim.table import fixed_bytes
from tests.test_architecture import no_game_randomness

# Row 14 -------------------------------------------------------------------------------------------


def rewritten(line: bytes, change: Callable[[dict[str, object]], object]) -> bytes:
    """The line with its JSON changed and written in the usual way."""
    fields = json.loads(line)
    return json.dumps(change(fields) or fields, separators=(",", ":")).encode()


def other_forms(line: bytes) -> dict[str, bytes]:
    """The same values in another form."""
    fields = json.loads(line)
    text = line.decode()
    first = next(iter(fields))
    return {
        "keys in another order": json.dumps(
            dict(reversed(fields.items())), separators=(",", ":")
        ).encode(),
        "spaces": json.dumps(fields).encode(),
        "space at the end": line + b" ",
        "carriage return": line + b"\r",
        "escaped letter": text.replace(
            f'"{first}"', f'"\\u{ord(first[0]):04x}{first[1:]}"'
        ).encode(),
        "key twice": text.replace("{", '{"' + first + '":0,', 1).encode(),
        "key more": (text[:-1] + ',"note":1}').encode(),
        "byte order mark": b"\xef\xbb\xbf" + line,
        "other encoding": text.encode("utf-16"),
    }


@pytest.mark.parametrize("form", list(other_forms(b'{"a":1,"b":2}')))
def test_row_14_a_line_has_one_form(form: str) -> None:
    lines = lines_of(played())
    for at in (0, 5):
        assert json.loads(lines[at])
        edited = [*lines[:at], other_forms(lines[at])[form], *lines[at + 1 :]]
        report = audit(joined(edited))
        assert report.exit_code in (3, 4)
        assert report.findings[0].line == at + 1
        assert report.findings[0].cause in ("DecodeError", "UnsupportedVersion")


def test_row_14_a_signature_has_one_form() -> None:
    """S and S + L sign the same; R and S are nothing else in base64 either."""
    lines = lines_of(played())
    for at in (1, 7, len(lines) - 1):
        envelope = decode_line(lines[at])
        s = int.from_bytes(envelope.signature[32:], "little") + L
        plus_order = envelope.signature[:32] + s.to_bytes(32, "little")
        for signature in (plus_order, bytes(64), envelope.signature[32:] * 2):
            edited = [*lines]
            edited[at] = file_module.encode_line(replace(envelope, signature=signature))
            report = audit(joined(edited))
            assert report.exit_code == 3
            places = {(f.line, f.cause, f.seat) for f in report.findings}
            assert (at + 1, "BadSignature", envelope.seat) in places


def loose_base64(text: str) -> str:
    """Other text that a lenient decoder reads as the same bytes: unused bits set."""
    assert len(text) % 4
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f | {"sig": loose_base64(f["sig"])},
        lambda f: f | {"sig": f["sig"] + "=="},
        lambda f: f | {"body": f["body"].replace("-", "+").replace("_", "/")},
        lambda f: f | {"summary": f["summary"] | {"seat": 3}},
        lambda f: f | {"summary": f["summary"] | {"step": True}},
        lambda f: f | {"summary": None},
        lambda f: f | {"body": 5},
    ],
    ids=["unused-bits", "padding", "alphabet", "summary", "true-for-1", "no-summary", "number"],
)
def test_row_14_base64_and_summary_have_one_form(change) -> None:
    lines = lines_of(played())
    at = next(
        n
        for n, line in enumerate(lines[1:], start=1)
        if b"-" in line[:200] or b"_" in line[:200]
        if json.loads(line)["summary"]["step"] == 1
    )
    edited = [*lines]
    edited[at] = rewritten(lines[at], change)
    assert edited[at] != lines[at]
    report = audit(joined(edited))
    assert report.exit_code == 3
    assert any(f.line == at + 1 and f.cause == "DecodeError" for f in report.findings)


# Row 15 -------------------------------------------------------------------------------------------


def test_row_15_a_slot_opens_to_one_of_106_tiles_only(sodium: Group) -> None:
    """The holder proves its token honestly and claims each of the other tiles in turn."""
    secrets_ = some_scalars("row 15", 2)
    keys = [sodium.base_mul([secret]) for secret in secrets_]
    shuffled, _ = prove_shuffle(
        sodium,
        seed=NONCES,
        ctx=CTX,
        key=sodium.sum_points(b"".join(keys)),
        deck=initial_deck(sodium)[: 64 * 3],
    )
    deck = MaskedDeck(sodium, contexts=Contexts(CTX), keyset=CTX, hand_keys=keys, deck=shuffled)
    deck.store_tokens(1, [0], sodium.mul([secrets_[1]], deck._c1([0])))
    deck.hand_over(0, 0)
    (held,) = deck.open_privately([0], secrets_[0])
    place = {"holder": 0, "purpose": "reveal", "index": 4, "slots": [0], "rack_indices": [0]}
    tokens, proof = deck.prove_reveal(seed=NONCES, secret=secrets_[0], **place)
    deck.check_reveal(**place, tiles=[held], tokens=tokens, proof=proof)
    for tile in range(TILE_COUNT):
        if tile != held:
            with pytest.raises(TileMismatch):
                deck.check_reveal(**place, tiles=[Tile(tile)], tokens=tokens, proof=proof)


def hidden_tile(core: HandCore) -> Tile:
    """A tile that lies in nobody's sight, and not in this seat's rack."""
    game = core.need_game()
    seen = {tile for tile in game.faces if tile is not None} | set(core.private.values())
    return next(Tile(tile) for tile in range(104) if tile not in seen)


def false_discard(core: HandCore) -> GameMove:
    move = decode_move(core.pending.move)
    return type(move)(Placed(move.placed.slot, hidden_tile(core)))


def false_show(core: HandCore) -> GameMove:
    """Claims to hold the indicator's twin."""
    game = core.need_game()
    indicator = game.faces[game.indicator]
    twin = next(Tile(t) for t in range(104) if t != indicator and face_of(t) == face_of(indicator))
    assert twin not in core.private.values()
    return Show(Placed(game.racks[core.seat][0], twin))


def false_finish(core: HandCore) -> GameMove:
    """Claims four runs in place of whatever the rack holds."""
    game = core.need_game()
    public = {tile for tile in game.faces if tile is not None}

    def tile(colour: int, number: int) -> Tile:
        copies = (26 * colour + 2 * (number - 1), 26 * colour + 2 * (number - 1) + 1)
        return next(Tile(copy) for copy in copies if copy not in public)

    slots = iter(sorted(game.racks[core.seat]))
    runs = [(0, 6, 4), (1, 6, 4), (2, 6, 3), (3, 6, 3)]
    melds = tuple(
        LaidMeld(
            kind=MeldKind.RUN,
            tiles=tuple(
                Placed(next(slots), tile(colour, number)) for number in range(low, low + size)
            ),
        )
        for colour, low, size in runs
    )
    return Finish(discard=Placed(next(slots), tile(3, 13)), melds=melds)


def claimed(build: Callable[[HandCore], GameMove]) -> Callable[[HandCore, Message], Message]:
    """The move with honest tokens for the slots that it names, and false tiles."""

    def change(core: HandCore, message: Message) -> Message:
        core.pending = message
        move = build(core)
        deck, game, seat = core.need_deck().copy(), core.need_game(), core.seat
        is_discard = build is false_discard
        remask = message.remask if is_discard else None
        if remask is not None:
            deck.apply_remask(seat, tuple(game.racks[seat]), remask.deck)
        core.engine.apply(game, move)  # the rules believe it: only the deck can tell
        placed = (
            [move.discard, *(p for m in move.melds for p in m.tiles)]
            if isinstance(move, Finish)
            else [move.placed]
        )
        slots = tuple(sorted(p.slot for p in placed))
        rack = game.racks[seat]
        tokens, proof = deck.prove_reveal(
            holder=seat,
            seed=core.secrets.seed,
            secret=core.secrets.hand_secret,
            purpose="finish" if isinstance(move, Finish) else "reveal",
            index=core.next_seq(),
            slots=slots,
            rack_indices=tuple(rack.index(slot) for slot in slots),
        )
        return replace(message, move=encode_move(move), remask=remask, tokens=tokens, proof=proof)

    return change


@pytest.mark.parametrize(
    "build", [false_discard, false_show, false_finish], ids=lambda build: build.__name__
)
def test_row_15_a_false_claim_is_rejected_at_once(build) -> None:
    """In the turn in which it is made, not at the audit: no seed is disclosed before."""
    starter = turns()[0].seat
    table = new_table()
    change_message(table, starter, Kind.MOVE, claimed(build))
    table.run()
    assert_named_by_all(table, starter)
    for peer in honest(table, starter):
        fault = peer.machine.fault
        assert fault.phase == "play"
        assert fault.cause == "TileMismatch"
        assert named_by_audit(peer) == {starter}
        signed = [e for data in peer.disk if (e := decode_envelope(data)).seat == peer.seat]
        kinds = [envelope.kind for envelope in signed]
        assert Kind.END not in kinds
        if Kind.DISCLOSE in kinds:
            assert kinds.index(Kind.VOID) < kinds.index(Kind.DISCLOSE)


# Row 16 -------------------------------------------------------------------------------------------


CHANCE = {"urandom", "getrandom", "token_bytes", "token_hex", "randbits", "SystemRandom", "uuid4"}


def sources_of_chance(source: str) -> set[str]:
    """Names in a source text that draw randomness, and imports of predictable generators."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in CHANCE:
                found.add(name)
            case ast.Attribute(attr="generate", value=ast.Name(id=name)) if "Key" in name:
                found.add(f"{name}.generate")
        if (offence := no_game_randomness(node)) is not None:
            found.add(offence)
    return found


def test_row_16_one_place_draws_from_the_operating_system() -> None:
    """Everything else takes `Entropy` as an argument, so a stub sees every draw.

    That no predictable generator is imported holds for the signalling server, too:
    tests/test_architecture.py.
    """
    package = ROOT / "p2pokey"
    found = {
        path.relative_to(package).as_posix(): names
        for path in package.rglob("*.py")
        if (names := sources_of_chance(path.read_text("utf-8")))
    }
    # Names of temporary files are drawn too; they are no secrets.
    assert found == {"native/entropy.py": {"urandom"}, "native/files.py": {"token_hex"}}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nx = os.urandom(4)",
        "from secrets import token_bytes\nx = token_bytes(4)",
        "x = X25519PrivateKey.generate()",
        "import random\nx = random.SystemRandom()",
        "def f():\n    from random import shuffle",
        "import numpy.random",
    ],
)
def test_row_16_the_lint_sees_every_source_of_chance(source: str) -> None:
    assert sources_of_chance(source)


class Tally:
    """Entropy that counts and repeats itself."""

    def __init__(self) -> None:
        self.draws: list[int] = []

    def random_bytes(self, count: int) -> bytes:
        self.draws.append(count)
        return fixed_bytes(f"draw {len(self.draws)}", count)


def test_row_16_a_hand_draws_nothing_but_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every source of chance broken, a hand from the same seeds comes out the same."""

    def broken(*args: object) -> bytes:
        raise AssertionError("drew randomness behind the back of Entropy")

    before = played()
    table = new_table()  # the network of the simulation has its own generator, made here
    monkeypatch.setattr(os, "urandom", broken)
    monkeypatch.setattr(secrets, "token_bytes", broken)
    monkeypatch.setattr(random, "random", broken)
    with pytest.raises(AssertionError):
        OsEntropy().random_bytes(1)
    table.run()
    assert table.peers[0].machine.transcript() == before


def test_row_16_every_secret_of_a_meeting_comes_from_the_entropy_port() -> None:
    """Invite, key exchange, keys of links, nonces: what is drawn follows from the stub alone."""
    from p2pokey.native.pake import guest_side, host_side
    from p2pokey.net.invites import new_invite
    from p2pokey.peer.players import player_seed

    def everything(entropy: Tally) -> list[object]:
        keys = {"password": b"p", "host_key": bytes(32), "guest_key": bytes([1]) * 32}
        return [
            player_seed(None, entropy),
            new_invite("K7Q2M", entropy),
            host_side(**keys, room="K7Q2M", entropy=entropy).start(),
            guest_side(**keys, room="K7Q2M", entropy=entropy).start(),
        ]

    one, two = Tally(), Tally()
    assert everything(one) == everything(two)
    assert one.draws == two.draws
    assert len(one.draws) >= 4
    assert all(count >= 2 for count in one.draws)


# Row 17 -------------------------------------------------------------------------------------------


class Untouchable:
    """A backend that must not be asked anything."""

    name = "untouchable"

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was reached before the sizes were checked")


HUGE = bytes(64 * (N_MAX + 1))


@pytest.mark.parametrize(
    "verify",
    [
        lambda g: verify_shuffle(g, ctx=CTX, key=bytes(32), deck_in=HUGE, deck_out=HUGE, proof=b""),
        lambda g: verify_shuffle(
            g, ctx=CTX, key=bytes([1]) * 32, deck_in=HUGE[:-64], deck_out=HUGE, proof=bytes(17_248)
        ),
        lambda g: verify_shuffle(
            g,
            ctx=CTX,
            key=bytes([1]) * 32,
            deck_in=HUGE[:-64],
            deck_out=HUGE[:-64],
            proof=HUGE * 50,
        ),
        lambda g: prove_shuffle(g, seed=NONCES, ctx=CTX, key=bytes(32), deck=HUGE),
        lambda g: verify_dleq(
            g, ctx=CTX, public=bytes(32), points=HUGE, tokens=HUGE[:-32], proof=bytes(64)
        ),
        lambda g: verify_dleq(
            g, ctx=CTX, public=bytes([1]) * 32, points=b"\1" * 32, tokens=b"\1" * 32, proof=HUGE
        ),
        lambda g: verify_possession(g, ctx=CTX, public=HUGE, proof=bytes(64)),
        lambda g: verify_possession(g, ctx=CTX, public=bytes(32), proof=HUGE),
    ],
    ids=[
        "shuffle-of-107",
        "longer-output",
        "huge-proof",
        "to-shuffle",
        "fewer-tokens",
        "huge-token-proof",
        "huge-key",
        "huge-key-proof",
    ],
)
def test_row_17_sizes_are_refused_before_any_group_operation(verify) -> None:
    backend: GroupBackend = Untouchable()
    with pytest.raises(BadLength):
        verify(Group(backend))


def test_row_17_an_envelope_is_refused_by_its_size_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope_module, "Reader", Untouchable())
    for size in (0, 1, MAX_ENVELOPE + 1, 10 * MAX_ENVELOPE):
        with pytest.raises(BadLength):
            decode_envelope(bytes(size))


def test_row_17_a_line_and_a_file_are_refused_by_their_size_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_module.json, "loads", Untouchable())
    with pytest.raises(BadLength):
        decode_line(b"[" * (MAX_LINE + 1))
    monkeypatch.setattr(reading, "decode_header", Untouchable())
    with pytest.raises(DecodeError):
        read_transcript(bytes(MAX_FILE + 1), Ed25519Verifier())


def messages_with_huge_counts() -> list[tuple[Kind, bytes]]:
    """Payloads whose counts promise far more than is there."""
    return [
        (Kind.KEYS, b"\xff\xff"),
        (Kind.SHUFFLE, bytes(64) + b"\xff"),
        (Kind.TOKENS, b"\1\xff"),
        (Kind.MOVE, b"\xff\xff"),
        (Kind.MOVE, b"\1\0\1\xff"),
        (Kind.MOVE, b"\1\0\1\0\xff"),
        (Kind.REFUSE, b"\xff\xff\xff\xff"),
        (Kind.RESULT, b"\xff"),
        (Kind.VOID, b"\1a\xff\2\xff\xff\xff\xff"),
        (Kind.VOID, b"\1a\xff\xff"),
    ]


def test_row_17_counts_are_not_believed() -> None:
    """No memory is set aside for what a count promises."""
    head = envelopes()[0].body[: -len(envelopes()[0].message.encode()) - 1]
    tracemalloc.start()
    try:
        for kind, payload in messages_with_huge_counts():
            with pytest.raises(DecodeError):
                decode_envelope(head + bytes([kind]) + payload + bytes(64))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_row_17_a_machine_blames_the_link_for_what_is_too_large() -> None:
    table = new_table()
    for _ in range(20):
        table.step()
    table.peers[0].machine.receive(bytes(MAX_ENVELOPE + 1), 2, table.now)
    fault = table.peers[0].machine.fault
    assert (fault.culprit, fault.cause, fault.evidence) == (2, "BadLength", ())


def test_row_17_a_move_with_too_many_tokens_is_not_computed_with() -> None:
    """The count of tokens is compared with the move before any of them is looked at."""
    starter = turns()[0].seat
    table = new_table()
    change_message(
        table,
        starter,
        Kind.MOVE,
        lambda core, m: replace(m, tokens=b"\xff" * 32 * 106, proof=bytes(64)),
    )
    table.run()
    assert_named_by_all(table, starter)
    assert {peer.machine.fault.cause for peer in honest(table, starter)} == {"TokenNotDue"}


def test_row_17_the_report_of_a_hostile_file_stays_small() -> None:
    lines = lines_of(played())
    hostile = joined([lines[0], *[b"{" * 200] * 3000])
    report = audit(hostile)
    assert report.status in (Status.VIOLATION, Status.INCOMPLETE)
    assert len(json.dumps(report.to_json())) < 200 * len(report.findings)
