"""Rows 6, 7 and 8 of docs/protocol.md S17: trapdoors, verifiers that forget, rogue keys."""

import inspect
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import p2pokey.crypto.batch
import p2pokey.crypto.dleq
import p2pokey.crypto.possession
import p2pokey.crypto.reencrypt
import p2pokey.crypto.sharing
import p2pokey.crypto.shuffle
from p2pokey.crypto import shuffle
from p2pokey.crypto.batch import ShuffleClaim, verify_shuffles_steps
from p2pokey.crypto.dleq import verify_dleq
from p2pokey.crypto.group import IDENTITY, Group, L, encode_scalar, split32
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.crypto.reencrypt import generators
from p2pokey.crypto.shuffle import verify_shuffle
from p2pokey.crypto.steps import run
from p2pokey.deck.keys import check_joint_key
from p2pokey.errors import P2POkeyError, PopInvalid, ShuffleInvalid
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Phase
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Kind, Message
from tests.attacks.second_versions import other_key
from tests.attacks.support import (
    CHEAP,
    SEED,
    AttackTable,
    assert_named_by_all,
    assert_nobody_honest_is_blamed,
    honest,
    named_by_audit,
    new_table,
)
from tests.crypto.literal import Statement, apply, failing, prove
from tests.crypto.support import (
    CTX,
    get_cell,
    group_of,
    load,
    put_cell,
    random_points,
    some_scalars,
)
from tests.crypto.support import SEED as NONCES
from tests.crypto.test_dleq import make_proved
from tests.crypto.test_shuffle import N, make_shuffled
from tests.crypto.test_shuffle_cheats import HALF, SAME, R, key_and_deck, matrix
from tests.sim.cheats import change_message

# Row 6 --------------------------------------------------------------------------------------------

TRAPDOORS = some_scalars("trapdoor", N + 1)
"""Logarithms of H and the h_i that a setup by a cheater would give it."""


def trapdoored(group: Group, count: int) -> tuple[bytes, bytes]:
    points = group.base_mul(TRAPDOORS[: count + 1])
    return points[:32], points[32:]


def opened_with_trapdoors(group: Group) -> tuple[Statement, bytes]:
    """Tiles e_0/2 and 2*e_1 in place of e_0 and e_1, with an honest commitment opened twice.

    Only equation 3 ties the responses to the commitment; whoever knows the logarithms of the h_i
    makes it hold for any responses.
    """
    key, deck = key_and_deck(group)
    used = matrix((0, 0, 2), (1, 1, HALF))
    outputs = matrix((0, 0, HALF), (1, 1, 2))
    statement = Statement(group, CTX, key, deck, apply(group, key, deck, outputs, R))
    H, h = trapdoored(group, N)
    statement.H, statement.h = H, split32(h)
    proof, values = prove(statement, seed=NONCES, perm=SAME, r=R, used=used)
    u, x = values["u"], values["x"]
    u_out = [sum(m * u_j for m, u_j in zip(row, u, strict=True)) for row in used]
    shift = sum(a * (u[i] - u_out[i]) for i, a in enumerate(TRAPDOORS[1:]))
    s_3 = int.from_bytes(get_cell(proof, 3 * N + 7), "little") + x * shift
    return statement, put_cell(proof, 3 * N + 7, encode_scalar(s_3))


def test_row_06_generators_with_a_trapdoor_would_let_false_tiles_pass(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement, proof = opened_with_trapdoors(group)
    given = {
        "ctx": CTX,
        "key": statement.key,
        "deck_in": statement.deck_in,
        "deck_out": statement.deck_out,
        "proof": proof,
    }
    assert failing(statement, proof) == set()
    with monkeypatch.context() as weak:
        weak.setattr(shuffle, "generators", trapdoored)
        verify_shuffle(group, **given)
    with pytest.raises(ShuffleInvalid):
        verify_shuffle(group, **given)


def test_row_06_generators_are_those_of_the_golden_file(group: Group) -> None:
    known = load("generators.json")
    H, h = generators(group, 106)
    assert (H.hex(), h[:32].hex(), h[-32:].hex()) == (known["H"], known["h_0"], known["h_105"])
    powers = set(split32(group.base_mul(list(range(1, 300)))))
    assert powers.isdisjoint({H, *split32(h)})


def test_row_06_no_function_takes_generators() -> None:
    modules = (
        p2pokey.crypto.batch,
        p2pokey.crypto.dleq,
        p2pokey.crypto.possession,
        p2pokey.crypto.reencrypt,
        p2pokey.crypto.sharing,
        p2pokey.crypto.shuffle,
    )
    functions = [f for module in modules for _, f in inspect.getmembers(module, inspect.isfunction)]
    assert len(functions) > 40
    public = [f for f in functions if not f.__name__.startswith("_")]
    names = {name for f in public for name in inspect.signature(f).parameters}
    assert {"group", "ctx", "proof"} <= names
    assert names.isdisjoint({"H", "h", "g", "G", "base", "generator", "generators", "bases"})


# Row 7 --------------------------------------------------------------------------------------------

BACKENDS = ("libsodium", "python")


NAMED = ("identity", "the order", "the order and one", "random")
"""What docs/protocol.md S17 names: tried on plain Python as well, which takes its time."""


def replacements(group: Group, cell: bytes, is_point: bool) -> dict[str, bytes]:
    """What an optimised verifier may take for granted about one cell of a proof."""
    values = {
        "identity": IDENTITY,
        "the order": L.to_bytes(32, "little"),
        "the order and one": (L + 1).to_bytes(32, "little"),
        "one": (1).to_bytes(32, "little"),
    }
    if is_point:
        values |= {
            "random": random_points(group, 1, "row 7"),
            "negative": group.sub(IDENTITY, cell),
        }
    else:
        value = int.from_bytes(cell, "little")
        values |= {
            "random": encode_scalar(some_scalars("row 7", 1)[0]),
            "negative": encode_scalar(-value),
            "and the order": (value + L).to_bytes(32, "little"),
        }
    return {name: new for name, new in values.items() if new != cell}


def refusal(verify: Callable[..., None], *args: object, **given: object) -> str:
    """Name of the error, or `accepted`."""
    try:
        verify(*args, **given)
    except P2POkeyError as error:
        return error.code
    return "accepted"


def shuffle_cells() -> Iterator[tuple[str, int, bool]]:
    """Every cell that a shuffler sends."""
    for index in range(2 * N):
        yield "deck_out", index, True
    for index in range(5 * N + 9):
        yield "proof", index, index < 3 * N + 5


@pytest.mark.parametrize(("field", "index", "is_point"), list(shuffle_cells()))
def test_row_07_every_cell_of_a_shuffle_counts_on_both_backends(
    field: str, index: int, is_point: bool
) -> None:
    good = make_shuffled(group_of("libsodium"), N)
    cell = get_cell(good[field], index)
    for name, new in replacements(group_of("libsodium"), cell, is_point).items():
        bad = good | {field: put_cell(good[field], index, new)}
        backends = BACKENDS if name in NAMED else BACKENDS[:1]
        found = {refusal(verify_shuffle, group_of(backend), **bad) for backend in backends}
        assert len(found) == 1, (name, found)
        assert found != {"accepted"}, name


@pytest.mark.parametrize("field", ["public", "points", "tokens", "proof"])
def test_row_07_every_cell_of_a_token_message_counts_on_both_backends(field: str) -> None:
    good = make_proved(group_of("libsodium"), 3)
    for index in range(len(good[field]) // 32):
        cell = get_cell(good[field], index)
        for name, new in replacements(group_of("libsodium"), cell, field != "proof").items():
            bad = good | {field: put_cell(good[field], index, new)}
            found = {refusal(verify_dleq, group_of(backend), **bad) for backend in BACKENDS}
            assert len(found) == 1, (name, found)
            assert found != {"accepted"}, name


def test_row_07_every_cell_of_a_key_counts_on_both_backends() -> None:
    sodium = group_of("libsodium")
    secret = some_scalars("row 7 key", 1)[0]
    public = sodium.base_mul([secret])
    proof = prove_possession(sodium, seed=NONCES, ctx=CTX, secret=secret, public=public)
    for index, is_point in ((0, True), (1, True), (2, False)):
        cell = get_cell(public + proof, index)
        for name, new in replacements(sodium, cell, is_point).items():
            cells = put_cell(public + proof, index, new)
            bad = {"ctx": CTX, "public": cells[:32], "proof": cells[32:]}
            found = {refusal(verify_possession, group_of(backend), **bad) for backend in BACKENDS}
            assert len(found) == 1, (name, found)
            assert found != {"accepted"}, name


MUTANTS = int(os.environ.get("P2POKEY_MUTANTS", "60"))
"""A nightly run asks for 10,000."""


def test_row_07_fast_slow_and_batched_verifier_agree_on_mutants(sodium: Group) -> None:
    """Pairs of changes that are made to cancel under some weights, or to hit one equation only."""
    rng = random.Random("mutants")
    good = make_shuffled(sodium, N)
    statement = Statement(sodium, good["ctx"], good["key"], good["deck_in"], good["deck_out"])
    for number in range(MUTANTS):
        proof = mutate(sodium, rng, good["proof"]) if number else good["proof"]
        fast = refusal(verify_shuffle, sodium, **good | {"proof": proof}) == "accepted"
        slow = not failing(statement, proof)
        claims = [ShuffleClaim(**good), ShuffleClaim(**good | {"proof": proof})]
        together = refusal(lambda c=claims: run(verify_shuffles_steps(sodium, c))) == "accepted"
        assert fast == slow == together == (proof == good["proof"]), number


def mutate(group: Group, rng: random.Random, proof: bytes) -> bytes:
    """Moves one or two cells of the same sort by the same amount, one up and one down."""
    points, scalars = range(3 * N + 5), range(3 * N + 5, 5 * N + 9)
    cells = rng.sample(rng.choice((points, scalars)), rng.choice((1, 2)))
    amount = rng.choice((1, L - 1, rng.randrange(L)))
    for sign, cell in zip((1, -1), cells, strict=False):
        old = get_cell(proof, cell)
        if cell in points:
            new = group.add(old, group.base_mul([sign * amount]))
        else:
            new = encode_scalar(int.from_bytes(old, "little") + sign * amount)
        proof = put_cell(proof, cell, new)
    return proof


# Row 8 --------------------------------------------------------------------------------------------


def rushing(table: AttackTable, seat: int, build: Callable[[HandCore, Message], Message]) -> None:
    """The seat holds its KEYS back until it has seen everybody else's, then builds its own."""
    core = table.peers[seat].machine._core
    send, held, sent = core.send, [], []

    def hold(message: Message) -> None:
        if message.kind is Kind.KEYS and not sent:
            held.append(message)
            return
        send(message)

    def release(_: object) -> None:
        if held and core.phase is Phase.KEYS and len(core.contributions) == 3:
            send(build(core, held.pop()))
            sent.append(True)

    core.send = hold
    table.on_step.append(release)


def rogue(core: HandCore, message: Message) -> Message:
    """X = own - sum of the others: the joint key becomes the cheater's own."""
    others = b"".join(keys.hand_key for keys in core.contributions.values())
    own = core.group.base_mul([core.secrets.hand_secret])
    key = core.group.sub(own, core.group.sum_points(others))
    assert check_joint_key(core.group, [*split32(others), key]) == own
    ctx = core.contexts.sub("pop", core.seat)
    proof = prove_possession(
        core.group, seed=NONCES, ctx=ctx, secret=core.secrets.hand_secret, public=key
    )
    return replace(message, hand_key=key, pop=proof)


def reflected(core: HandCore, message: Message) -> Message:
    """Another seat's key with that seat's proof."""
    other = core.contributions[0]
    return replace(message, hand_key=other.hand_key, pop=other.pop)


def negated(core: HandCore, message: Message) -> Message:
    """The negative of another seat's key, which would take its layer off the deck again."""
    other = core.contributions[0]
    key = core.group.sub(IDENTITY, other.hand_key)
    return replace(message, hand_key=key, pop=other.pop)


@pytest.mark.parametrize("build", [rogue, reflected, negated], ids=lambda build: build.__name__)
def test_row_08_the_last_seat_cannot_choose_its_key_from_the_others(sodium: Group, build) -> None:
    """On the real group: in the cheap one everybody knows every logarithm."""
    table = new_table(group=sodium)
    rushing(table, 3, build)
    while table.step() and table.peers[0].machine.phase in (Phase.COMMIT, Phase.KEYS):
        pass
    fault = table.peers[0].machine.fault
    assert fault is not None
    assert (fault.culprit, fault.cause, fault.phase) == (3, "PopInvalid", "keys")


def test_row_08_a_rogue_key_would_open_the_deck_without_the_proof(sodium: Group) -> None:
    """What the proof of possession prevents, and that it is the proof that does."""
    secrets = some_scalars("row 8", 4)
    others, own = sodium.base_mul(secrets[:3]), secrets[3]
    key = sodium.sub(sodium.base_mul([own]), sodium.sum_points(others))
    joint = check_joint_key(sodium, [*split32(others), key])
    deck = key_and_deck(sodium)[1]
    masked, _ = shuffle.prove_shuffle(sodium, seed=NONCES, ctx=CTX, key=joint, deck=deck)
    firsts, seconds = shuffle.columns(masked)
    opened = split32(sodium.sub(seconds, sodium.mul_one_scalar(own, firsts)))
    c1, c2 = shuffle.columns(deck)
    assert set(opened) == set(split32(sodium.sub(c2, sodium.mul_one_scalar(own, c1))))
    proof = prove_possession(sodium, seed=NONCES, ctx=CTX, secret=own, public=key)
    with pytest.raises(PopInvalid):
        verify_possession(sodium, ctx=CTX, public=key, proof=proof)


def twin_key(core: HandCore, message: Message) -> Message:
    """Seat 1 told seat 3 its secret: a valid proof for a key that is there already."""
    secret = core.accomplice.secrets.hand_secret
    return keyed(core, message, secret)


def own_sealing_key(core: HandCore, message: Message) -> Message:
    """The seat's own sealing key as its hand key: tokens would open sealed shares."""
    return keyed(core, message, core.secrets.sealing_secret)


def keyed(core: HandCore, message: Message, secret: int) -> Message:
    # `other_key` takes the next secret.
    core.secrets = replace(core.secrets, hand_secret=secret - 1)
    return other_key(core, message)


def with_known_key(build: Callable[[HandCore, Message], Message], seed: str) -> AttackTable:
    table = new_table(seed)
    cores = [peer.machine._core for peer in table.peers]
    cores[3].accomplice = cores[1]
    change_message(table, 3, Kind.KEYS, build)
    table.run()
    return table


KNOWN_KEYS = [twin_key, own_sealing_key]


@pytest.mark.parametrize("build", KNOWN_KEYS, ids=lambda build: build.__name__)
def test_row_08_a_key_that_is_there_already_is_refused(build) -> None:
    """Whoever sees it first: the round is complete at different times for different seats."""
    for number in range(8):
        table = with_known_key(build, f"dup {number}")
        assert_named_by_all(table, 3)
        assert {peer.machine.fault.cause for peer in honest(table, 3)} == {"DuplicateKey"}


def test_row_08_a_key_chosen_late_does_not_follow_from_the_seed() -> None:
    """A seat that has seen the other keys takes a fresh one and proves it: the seed tells.

    Its shares fit that key and its tokens too, so the hand is played to the end.
    """
    table = new_table()
    change_message(table, 3, Kind.KEYS, other_key)
    table.run()
    for peer in honest(table, 3):
        assert peer.machine.phase is Phase.STOPPED
        assert peer.finished is None
        assert named_by_audit(peer) == {3}
        assert Kind.DISCLOSE in {decode_envelope(data).kind for data in peer.disk}
    assert_nobody_honest_is_blamed(table, 3)


def test_row_08_the_kit_holds_keys_back(sodium: Group) -> None:
    """A seat that waits and then sends its honest KEYS is not at fault."""
    table = new_table(SEED, group=CHEAP)
    rushing(table, 3, lambda core, message: message)
    while table.step() and table.peers[0].machine.phase in (Phase.COMMIT, Phase.KEYS):
        pass
    assert [peer.machine.fault for peer in table.peers] == [None] * 4
    assert table.peers[0].machine.phase is Phase.SHUFFLE
