"""Peers that break the protocol: all honest seats name the same culprit, and none plays on.

Every case states the seat to blame, the cause (docs/protocol.md S12) and the round.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.stopped import VOIDED
from p2pokey.crypto.group import IDENTITY, Group
from p2pokey.crypto.reencrypt import reencrypt_steps, shuffle_secrets
from p2pokey.crypto.shuffle import Statement, _prove_steps
from p2pokey.crypto.steps import UNDIVIDED, run
from p2pokey.deck.chain import shuffle_context
from p2pokey.deck.shares import build_complaint
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Abandon, CallAbsent, Phase, Send
from p2pokey.hand.machine import MAX_WAITING
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Discard, DrawStack, Placed
from p2pokey.tiles import Seat, Tile
from p2pokey.transcript.envelope import Envelope, decode_envelope, seal_envelope, signed_data
from p2pokey.transcript.messages import (
    NOBODY,
    Complaint,
    Disclose,
    End,
    Kind,
    Message,
    Ready,
    Tokens,
    Void,
)
from tests.hand.test_whole_hand import own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.cheats import change_message, flip, resign_after, two_faced
from tests.sim.table import SimTable, fixed_bytes, make_setup, signer_of
from tests.sim.textbook_ed25519 import other_signature

CHEAP = Group(CheapBackend())
BAD_SCALAR = b"\xff" * 32
CHEATER = 2


@dataclass(frozen=True)
class Case:
    """One cheat of seat 2 and what the others must say of it."""

    name: str
    kind: Kind
    change: Callable[[HandCore, Message], Message]
    cause: str
    phase: Phase
    number: int = 0


def field(name: str, change: Callable[[bytes], bytes]) -> Callable[[HandCore, Message], Message]:
    return lambda core, message: replace(message, **{name: change(getattr(message, name))})


def value(name: str, new: object) -> Callable[[HandCore, Message], Message]:
    return lambda core, message: replace(message, **{name: new})


def reflected_key(core: HandCore, message: Message) -> Message:
    """protocol S17 row 8: another seat's key with its proof."""
    other = core.commits[0]
    return replace(message, hand_key=other.sealing_key, pop=other.pop)


def swapped_outputs(core: HandCore, message: Message) -> Message:
    deck = message.deck
    return replace(message, deck=deck[64:128] + deck[:64] + deck[128:])


def doubled_tile(core: HandCore, message: Message) -> Message:
    return replace(message, deck=message.deck[:64] * 2 + message.deck[128:])


def fewer_tokens(core: HandCore, message: Message) -> Message:
    deck = core.need_deck()
    positions = message.positions[:-1]
    tokens, proof = deck.prove_tokens(
        seat=core.seat,
        seed=core.secrets.seed,
        secret=core.secrets.hand_secret,
        purpose=message.purpose.label,
        index=core.next_seq(),
        positions=positions,
    )
    return Tokens(purpose=message.purpose, positions=positions, tokens=tokens, proof=proof)


def other_tile(core: HandCore, message: Message) -> Message:
    """Claims a discard of another tile than the slot holds."""
    move = decode_move(message.move)
    if not isinstance(move, Discard):
        return replace(
            message, move=encode_move(Discard(Placed(core.game.racks[core.seat][0], Tile(0))))
        )
    lie = Discard(Placed(move.placed.slot, Tile((move.placed.tile + 1) % 104)))
    return replace(message, move=encode_move(lie))


def draws_twice(core: HandCore, message: Message) -> Message:
    return replace(message, move=encode_move(DrawStack()), remask=None, tokens=b"", proof=b"")


def no_remask(core: HandCore, message: Message) -> Message:
    return replace(message, remask=None)


def bad_remask(core: HandCore, message: Message) -> Message:
    remask = message.remask
    return replace(message, remask=replace(remask, proof=flip(remask.proof, 40)))


def smaller_remask(core: HandCore, message: Message) -> Message:
    remask = message.remask
    count = len(remask.deck) // 64 - 1
    size = 32 * (5 * count + 9)
    smaller = replace(remask, deck=remask.deck[:-64], proof=remask.proof[:size])
    return replace(message, remask=smaller)


CASES = [
    Case("pop-of-the-sealing-key", Kind.COMMIT, field("pop", flip), "PopInvalid", Phase.COMMIT),
    Case("identity-as-sealing-key", Kind.COMMIT, value("sealing_key", IDENTITY), "IdentityPoint", Phase.COMMIT),
    Case("no-point-as-sealing-key", Kind.COMMIT, value("sealing_key", BAD_SCALAR), "BadPoint", Phase.COMMIT),
    Case("another-coin", Kind.KEYS, field("coin", flip), "CommitMismatch", Phase.KEYS),
    Case("reflected-key", Kind.KEYS, reflected_key, "PopInvalid", Phase.KEYS),
    Case("identity-as-key", Kind.KEYS, value("hand_key", IDENTITY), "IdentityPoint", Phase.KEYS),
    Case("identity-as-commitment", Kind.KEYS, field("commitments", lambda c: bytes(len(c))), "ShareInvalid", Phase.KEYS),
    Case("no-shares", Kind.KEYS, value("shares", b""), "BadLength", Phase.KEYS),
    Case("bad-share", Kind.KEYS, field("shares", flip), "ShareInvalid", Phase.SHUFFLE),
    Case("shuffle-proof", Kind.SHUFFLE, field("proof", lambda p: flip(p, 32 * 300)), "ShuffleInvalid", Phase.SHUFFLE),
    Case("shuffle-swapped", Kind.SHUFFLE, swapped_outputs, "ShuffleInvalid", Phase.SHUFFLE),
    Case("shuffle-doubled-tile", Kind.SHUFFLE, doubled_tile, "ShuffleInvalid", Phase.SHUFFLE),
    Case("shuffle-identity", Kind.SHUFFLE, field("deck", lambda d: bytes(32) + d[32:]), "OutputIdentity", Phase.SHUFFLE),
    Case("shuffle-bad-scalar", Kind.SHUFFLE, field("proof", lambda p: p[:-32] + BAD_SCALAR), "BadScalar", Phase.SHUFFLE),
    Case("shuffle-of-few-tiles", Kind.SHUFFLE, lambda c, m: replace(m, deck=m.deck[: 64 * 4], proof=bytes(32 * 29)), "BadLength", Phase.SHUFFLE),
    Case("shuffle-of-another-deck", Kind.SHUFFLE, field("input_hash", flip), "DeckDisagreement", Phase.SHUFFLE),
    Case("ready-for-another-deck", Kind.READY, field("digest", flip), "DeckDisagreement", Phase.READY),
    Case("token", Kind.TOKENS, field("tokens", lambda t: t[32:64] + t[:32] + t[64:]), "DleqInvalid", Phase.DEAL),
    Case("token-identity", Kind.TOKENS, field("tokens", lambda t: bytes(32) + t[32:]), "IdentityPoint", Phase.DEAL),
    Case("token-proof", Kind.TOKENS, field("proof", lambda p: flip(p, 40)), "DleqInvalid", Phase.DEAL),
    Case("token-missing", Kind.TOKENS, fewer_tokens, "TokenNotDue", Phase.DEAL),
    Case("token-of-a-draw", Kind.TOKENS, field("proof", flip), "DleqInvalid", Phase.PLAY, number=1),
    Case("wrong-tile", Kind.MOVE, other_tile, "TileMismatch", Phase.PLAY, number=1),
    Case("no-remask", Kind.MOVE, no_remask, "IllegalMove", Phase.PLAY, number=1),
    Case("remask-proof", Kind.MOVE, bad_remask, "ShuffleInvalid", Phase.PLAY, number=1),
    Case("remask-of-too-few", Kind.MOVE, smaller_remask, "BadLength", Phase.PLAY, number=1),
    Case("draws-twice", Kind.MOVE, draws_twice, "IllegalMove", Phase.PLAY, number=1),
    Case("unreadable-move", Kind.MOVE, value("move", b"\xee"), "DecodeError", Phase.PLAY),
    Case("end-of-another-state", Kind.END, field("digest", flip), "StateDisagreement", Phase.END),
    Case("another-seed", Kind.DISCLOSE, field("seed", flip), "CommitMismatch", Phase.DISCLOSE),
    Case("another-result", Kind.RESULT, value("points", (0, 0, 0, 7)), "ReplayMismatch", Phase.RESULT),
]  # fmt: skip


def honest(table: SimTable, cheater: int = CHEATER):
    return [peer for peer in table.peers if peer.seat != cheater]


def assert_all_blame(table: SimTable, culprit: int, cause: str) -> None:
    for peer in honest(table, culprit):
        fault = peer.machine.fault
        assert peer.machine.phase is Phase.STOPPED, peer.machine.waiting()
        assert fault is not None, peer.stopped
        assert (fault.culprit, fault.cause) == (culprit, cause), fault
        assert peer.finished is None
    assert_audits_name_only(table, culprit)


def assert_audits_name_only(table: SimTable, culprit: int, *, proves: bool = False) -> None:
    """What the files of the honest seats prove, they prove against the culprit alone.

    `proves`: and each of them stands alone as evidence (docs/transcript-format.md).
    """
    for peer in honest(table, culprit):
        report = audit_transcript(
            peer.machine.transcript(),
            group=CHEAP,
            verifier=Ed25519Verifier(),
            sealer=ChaChaSealer(),
        )
        named = {f.seat for f in report.findings if f.cause != VOIDED}
        if proves:
            assert (named, report.exit_code) == ({culprit}, 3), report.findings
        else:
            assert named <= {culprit}, report.findings


def new_table(seed: object = "faults", **options: object) -> SimTable:
    setup = make_setup(seed)
    # Seat 3 starts, so that seat 2 makes the third turn and draws before its first discard.
    setup = dataclasses.replace(setup, starter=Seat(3))
    return SimTable(CHEAP, setup, seed, audit=lambda data: own_audit(CHEAP, data), **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_cheat_is_blamed_on_its_seat_by_all(case: Case) -> None:
    table = new_table()
    change_message(table, CHEATER, case.kind, case.change, number=case.number)
    table.run()
    assert_all_blame(table, CHEATER, case.cause)
    # Whether a seat was shown another link than this file holds, the file alone cannot tell.
    is_provable = case.name != "shuffle-of-another-deck"
    assert_audits_name_only(table, CHEATER, proves=is_provable)
    phases = {peer.machine.fault.phase for peer in honest(table)}
    assert case.phase.label in phases


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (Kind.COMMIT, lambda m: replace(m, coin_commit=flip(m.coin_commit))),
        (Kind.READY, lambda m: Ready(digest=flip(m.digest))),
        (Kind.SHUFFLE, lambda m: replace(m, proof=flip(m.proof))),
        (Kind.TOKENS, lambda m: replace(m, proof=flip(m.proof))),
        (Kind.END, lambda m: replace(m, digest=flip(m.digest))),
        (Kind.DISCLOSE, lambda m: replace(m, seed=flip(m.seed))),
    ],
    ids=lambda value: value.label if isinstance(value, Kind) else "",
)
def test_a_seat_that_shows_two_versions_is_blamed_by_all(kind, change) -> None:
    """protocol S17 row 11: whoever sees the fork, or its consequence, names the same seat."""
    table = new_table("two-faced")
    two_faced(table, "two-faced", CHEATER, kind, change, target=0)
    table.run()
    for peer in honest(table):
        assert peer.machine.phase is Phase.STOPPED
        assert peer.machine.fault is not None
        assert peer.machine.fault.culprit == CHEATER
        assert peer.finished is None
    assert_audits_name_only(table, CHEATER)


def test_a_false_complaint_is_blamed_on_its_author() -> None:
    table = new_table()

    def complain(core: HandCore, message: Message) -> Message:
        point, proof = build_complaint(
            core.group,
            core.contexts,
            dealer=0,
            holder=core.seat,
            index=core.next_seq(),
            keyset=core.keyset,
            secrets=core.secrets,
            sealing_keys=[commit.sealing_key for commit in core.commits],
        )
        return Complaint(dealer=0, shared_point=point, proof=proof)

    change_message(table, CHEATER, Kind.SHUFFLE, complain)
    table.run()
    assert_all_blame(table, CHEATER, "ShareInvalid")


def test_a_complaint_with_a_false_proof_is_blamed_on_its_author() -> None:
    table = new_table()
    complaint = Complaint(dealer=0, shared_point=bytes([7]) + bytes(31), proof=bytes(64))
    change_message(table, CHEATER, Kind.SHUFFLE, lambda core, message: complaint)
    table.run()
    assert_all_blame(table, CHEATER, "DleqInvalid")


@pytest.mark.parametrize("garbage", [b"", b"\x00" * 300, b"\xff" * 5000], ids=len)
def test_garbage_is_blamed_on_the_link_that_it_came_from(garbage: bytes) -> None:
    table = new_table()
    for _ in range(50):
        table.step()
    table.peers[0].machine.receive(garbage, CHEATER, table.now)
    table.run()
    fault = table.peers[0].machine.fault
    assert fault is not None
    assert fault.culprit == CHEATER
    # Nobody signed those bytes: the others stop, but do not take seat 1's word for it.
    for seat in (1, 3):
        assert table.peers[seat].machine.phase is Phase.STOPPED
        assert table.peers[seat].machine.fault is None


def test_garbage_does_not_stop_a_seat_whose_score_the_others_can_count() -> None:
    """Nobody would believe it, and the others would stand in for it: it alone would have no score."""
    table, victim = new_table(), 0
    while table.peers[victim].machine.phase is not Phase.END:
        assert table.step()
    table.peers[victim].machine.receive(b"\xff" * 50, CHEATER, table.now)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4


def test_a_message_of_another_hand_is_ignored() -> None:
    """protocol S17 row 9: replaying an earlier hand blames nobody."""
    earlier = new_table()
    earlier.run()
    setup = dataclasses.replace(make_setup("faults"), hand=1)
    table = SimTable(CHEAP, setup, "faults", audit=lambda data: own_audit(CHEAP, data))
    for peer in table.peers:
        for envelope in earlier.peers[0].disk[:40]:
            peer.machine.receive(envelope, (peer.seat + 1) % 4, 0.0)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4


def test_after_a_fault_the_honest_seats_disclose_so_that_it_can_be_traced() -> None:
    """protocol S4 VOID: from READY on, once all others have signed the same VOID."""
    table = new_table()
    change_message(table, CHEATER, Kind.MOVE, other_tile, number=1)
    table.run()
    for peer in honest(table):
        kinds = [decode_envelope(data).kind for data in peer.disk]
        assert kinds.count(Kind.VOID) >= 3
        assert kinds.count(Kind.DISCLOSE) == 3


def test_a_fault_before_ready_discloses_nothing() -> None:
    table = new_table()
    change_message(table, CHEATER, Kind.SHUFFLE, swapped_outputs)
    table.run()
    for peer in honest(table):
        kinds = [decode_envelope(data).kind for data in peer.disk]
        assert Kind.DISCLOSE not in kinds


def test_giving_up_blames_nobody() -> None:
    table = new_table()
    for _ in range(200):
        table.step()
    table.peers[1].machine.act(Abandon(reason="seat 2 had to leave"), table.now)
    table.run()
    for peer in table.peers:
        assert peer.machine.phase is Phase.STOPPED
        assert peer.machine.fault is None
        assert peer.stopped is not None


@pytest.mark.parametrize("phase", [Phase.END, Phase.DISCLOSE, Phase.RESULT])
def test_a_hand_whose_end_is_signed_is_given_up_only_without_regard_to_that(phase: Phase) -> None:
    table = new_table()
    machine = table.peers[1].machine
    machine.act(Abandon(reason="a rematch", before_end=True), table.now)
    assert machine.phase is Phase.STOPPED

    table = new_table()
    machine = table.peers[1].machine
    while machine.phase is not phase:
        table.step()
    machine.act(Abandon(reason="a rematch", before_end=True), table.now)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4


@pytest.mark.parametrize("seed", range(12))
def test_a_false_accusation_is_blamed_on_the_accuser(seed: int) -> None:
    """A VOID whose evidence is in order names the accuser, in whatever order it arrives."""
    table = new_table(f"accuse {seed}")

    def accuse(core: HandCore, message: Message) -> Message:
        chain = [e for e in core.book.accepted() if e.seat == 0]
        return Void(reason="DleqInvalid", culprit=0, evidence=(chain[0].encoded,))

    change_message(table, CHEATER, Kind.READY, accuse)
    table.run()
    assert_all_blame(table, CHEATER, "FalseAccusation")


@pytest.mark.parametrize("seed", range(4))
def test_a_shuffle_with_equal_components_is_blamed_on_its_maker(seed: int) -> None:
    """Its proof can be valid, but nobody could shuffle on: the maker is at fault, not the next."""
    table = new_table(f"equal {seed}")

    def equal(core: HandCore, message: Message) -> Message:
        deck_in = core.deck_in if not core.shuffles else core.shuffles[-1].deck
        ctx = shuffle_context(core.contexts, core.seat, core.keyset)
        perm, r = shuffle_secrets(core.secrets.seed, ctx, deck_in)
        r = [r[0], r[0], *r[2:]]
        deck, proof = prove_with(
            core.group, core.secrets.seed, ctx, core.joint_key, deck_in, perm, r
        )
        return replace(message, deck=deck, proof=proof)

    change_message(table, 0, Kind.SHUFFLE, equal)
    table.run()
    assert_all_blame(table, 0, "ShuffleInvalid")


def prove_with(group, seed, ctx, key, deck, perm, r) -> tuple[bytes, bytes]:
    """A valid proof with randomness of the cheater's choice."""
    deck_out = run(reencrypt_steps(group, key, deck, perm, r, UNDIVIDED))
    statement = Statement(ctx, key, deck, deck_out)
    return deck_out, run(_prove_steps(group, statement, perm, r, seed, UNDIVIDED))


@pytest.mark.parametrize("seed", range(8))
def test_a_message_that_is_not_due_never_turns_honest_seats_on_each_other(seed: int) -> None:
    """Another seat's VOID may overtake the message itself, in the middle of handling it."""
    table = new_table(f"undue {seed}")
    seed_of = table.peers[CHEATER].machine._core.secrets.seed
    change_message(table, CHEATER, Kind.KEYS, lambda core, message: Disclose(seed=seed_of))
    table.run()
    assert_all_blame(table, CHEATER, "TokenNotDue")


@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.READY, Kind.END, Kind.DISCLOSE], ids=str)
def test_a_second_signature_of_the_same_body_is_a_fork(kind: Kind) -> None:
    """Any signer can choose another nonce: state hashes agree, only the files would differ."""
    table = new_table("second signature")

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (envelope.seat, envelope.kind, receiver) == (CHEATER, kind, 0):
            return [envelope.body + signed_again("second signature", CHEATER, envelope)]
        return [data]

    table.wire = wire
    table.run()
    for peer in honest(table):
        assert peer.machine.phase is Phase.STOPPED
        assert peer.machine.fault is not None
        assert peer.machine.fault.culprit == CHEATER
    assert_audits_name_only(table, CHEATER)


def signed_again(seed: object, seat: int, envelope: Envelope) -> bytes:
    """A valid Ed25519 signature that is not the deterministic one (RFC 8032 with another prefix)."""
    secret = fixed_bytes(f"identity {seed} {seat}")
    return other_signature(secret, signed_data(envelope.kind, envelope.body))


def test_a_result_that_is_withheld_from_one_seat_reaches_it_through_the_others() -> None:
    table = new_table()

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        is_result = decode_envelope(data).kind is Kind.RESULT
        return [] if is_result and (source, receiver) == (CHEATER, 0) else [data]

    table.wire = wire
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert len({peer.machine.transcript() for peer in table.peers}) == 1


@pytest.mark.parametrize("evidence", [(), (b"no message",)], ids=["none", "against-nobody"])
def test_nobody_gives_a_hand_up_once_its_secrets_are_open(evidence: tuple[bytes, ...]) -> None:
    table = new_table()
    void = Void(reason="Abandoned", culprit=NOBODY, evidence=evidence)
    two_faced(table, "faults", CHEATER, Kind.RESULT, lambda message: void, target=0)
    table.run()
    for seat in (1, 3):
        assert table.peers[seat].machine.phase is Phase.DONE
    assert table.peers[0].machine.phase is Phase.DONE
    assert table.peers[0].machine.transcript() == table.peers[1].machine.transcript()


def test_nobody_gives_a_hand_up_with_all_ends_at_hand() -> None:
    """They may come together with a VOID: whether they are handled before it is heard is chance."""
    table = new_table()
    held: list[tuple[int, bytes]] = []

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (receiver, envelope.kind, envelope.seat) != (0, Kind.END, source):
            return [data]
        held.append((source, data))
        if source == CHEATER:
            void = Void(reason="Abandoned", culprit=NOBODY, evidence=())
            held.append((source, resign_after("faults", envelope, void).encoded))
        return []

    table.wire = wire
    while len(held) < 4 or table.peers[0].machine.phase is not Phase.END:
        assert table.step()
    for source, data in sorted(held, key=lambda item: item[0] == CHEATER):
        table.peers[0].machine.receive(data, Seat(source), table.now)
    while table.peers[0].machine.work(table.now):
        pass
    assert table.peers[0].machine.phase is not Phase.STOPPED


def test_a_void_after_ones_result_takes_nothing_back() -> None:
    table = new_table()
    core = table.peers[CHEATER].machine._core

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (envelope.seat, envelope.kind, source) != (CHEATER, Kind.RESULT, CHEATER):
            return [data]
        lie = Void(reason="DleqInvalid", culprit=0, evidence=(core.book.accepted()[0].encoded,))
        after = resign_after("faults", envelope, lie)
        return [data, after.encoded]

    table.wire = wire
    table.run()
    for peer in honest(table):
        assert peer.machine.phase is Phase.DONE
    report = audit_transcript(
        table.peers[0].machine.transcript(),
        group=CHEAP,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
    )
    assert report.exit_code == 0


def test_a_stray_message_beside_the_results_does_not_get_into_the_file() -> None:
    """It would sort before the RESULT lines, whose hash says that it was not there."""
    table = new_table()

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (envelope.seat, envelope.kind, source) != (CHEATER, Kind.RESULT, CHEATER):
            return [data]
        stray = resign_after("faults", envelope, Ready(digest=bytes(64)))
        return [stray.encoded, data] if receiver == 0 else [data]

    table.wire = wire
    table.run()
    files = {peer.machine.transcript() for peer in table.peers if peer.machine.fault is None}
    assert len(files) == 1
    assert (
        audit_transcript(
            files.pop(), group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
        ).exit_code
        == 0
    )
    for peer in honest(table):
        assert peer.machine.fault is None or peer.machine.fault.culprit == CHEATER


def test_a_forked_move_and_silence_never_blames_the_next_player() -> None:
    """The fork comes in a VOID, behind messages that are not due and in the middle of a dispute."""
    for seed in range(4):
        table = new_table(f"forked move {seed}")

        def other_discard(message: Message, table: SimTable = table) -> Message:
            return replace(message, proof=flip(message.proof) if message.proof else b"")

        two_faced(table, f"forked move {seed}", CHEATER, Kind.MOVE, other_discard, target=3)
        table.run()
        for peer in honest(table):
            assert peer.machine.fault is not None
            assert peer.machine.fault.culprit == CHEATER


def test_messages_ahead_of_their_time_are_bounded() -> None:
    table = new_table()
    victim = table.peers[0].machine
    signer, prev = signer_of("faults", CHEATER), bytes(64)
    for seq in range(MAX_WAITING + 20):
        envelope = seal_envelope(
            signer,
            session=table.setup.session,
            hand=0,
            seat=Seat(CHEATER),
            seq=seq,
            prev=prev,
            step=5,
            state=bytes(64),
            message=Ready(digest=bytes(64)),
        )
        prev = envelope.body_hash
        victim.receive(envelope.encoded, Seat(CHEATER), 0.0)
    assert victim.count(Seat(CHEATER)) == MAX_WAITING
    # It may be a third seat that has brought them in this order.
    assert victim.fault is None


def test_a_message_for_a_later_step_is_not_the_one_that_is_missing() -> None:
    """Instead of END a liar signs one for a step that never comes, and then nothing more."""
    table = new_table()
    victim = table.peers[0].machine

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        return [] if (envelope.seat, envelope.kind) == (CHEATER, Kind.END) else [data]

    table.wire = wire
    while victim.phase is not Phase.END:
        assert table.step()
    seq, prev = victim._core.book.head(Seat(CHEATER))
    later = seal_envelope(
        signer_of("faults", CHEATER),
        session=table.setup.session,
        hand=0,
        seat=Seat(CHEATER),
        seq=seq,
        prev=prev,
        step=victim.step + 300,
        state=victim.state_hash,
        message=End(digest=victim.state_hash),
    )
    victim.receive(later.encoded, Seat(CHEATER), table.now)
    while victim.work(table.now):
        pass
    victim.poll()
    victim.act(CallAbsent(seat=Seat(CHEATER)), table.now)
    while victim.work(table.now):
        pass
    said = [item.envelope for item in victim.poll() if isinstance(item, Send)]
    assert [decode_envelope(data).kind for data in said] == [Kind.DROP]


def test_what_an_accusation_shows_stays_before_what_its_author_signed_later() -> None:
    """The accused message comes in the VOID while this seat is busy, then the one behind it comes."""
    table = new_table(chaos=False)
    kept: dict[int, list[Envelope]] = {1: [], CHEATER: []}

    def wire(source: int, receiver: int, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        is_kept = receiver == 0 and source in kept and envelope.kind in (Kind.END, Kind.DISCLOSE)
        if is_kept:
            kept[source].append(envelope)
        return [] if is_kept else [data]

    table.wire = wire
    table.run()
    (first, second), ended = kept[1], kept[CHEATER][0]
    lie = Void(reason="StateDisagreement", culprit=1, evidence=(first.encoded,))
    void = resign_after("faults", ended, lie)
    machine = table.peers[0].machine
    machine.receive(ended.encoded, Seat(CHEATER), table.now)
    machine.receive(void.encoded, Seat(CHEATER), table.now)
    machine.work(table.now)
    machine.receive(second.encoded, Seat(1), table.now)
    while machine.work(table.now):
        pass
    assert machine.fault is not None, machine.waiting()
    assert (machine.fault.culprit, machine.fault.cause) == (CHEATER, "FalseAccusation")


def test_an_accusation_without_evidence_is_not_repeated_by_honest_seats() -> None:
    table = new_table()
    lie = Void(reason="DleqInvalid", culprit=0, evidence=())
    change_message(table, CHEATER, Kind.READY, lambda core, message: lie)
    table.run()
    for peer in honest(table):
        voids = [decode_envelope(data) for data in peer.disk]
        own = [e.message for e in voids if e.kind is Kind.VOID and e.seat != CHEATER]
        assert own
        assert all(void.culprit == NOBODY for void in own)
