"""Rows 3, 4 and 5 of docs/protocol.md S17: bad encodings, weak challenges, ambiguous hashing."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.fiat_shamir import FiatShamir, fr
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, encode_scalar, split32
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.crypto.sharing import check_sharing, seal_key
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.keys import check_joint_key, keyset_digest
from p2pokey.deck.masked import MaskedDeck
from p2pokey.errors import (
    BadPoint,
    DleqInvalid,
    IdentityPoint,
    OutputIdentity,
    P2POkeyError,
    PopInvalid,
    ShareInvalid,
    ShuffleInvalid,
)
from p2pokey.hand.effects import Phase
from p2pokey.ports import GroupBackend
from p2pokey.rules.rulesets import table_options
from p2pokey.transcript.messages import Kind
from tests.attacks.support import SEED, new_table
from tests.crypto.literal import Statement
from tests.crypto.support import (
    ALL_INVALID,
    CTX,
    fresh_deck,
    get_cell,
    group_of,
    other_encodings,
    put_cell,
    random_points,
    some_scalars,
)
from tests.crypto.support import (
    SEED as NONCE_SEED,
)
from tests.crypto.test_dleq import make_proved
from tests.crypto.test_shuffle import N, make_shuffled
from tests.crypto.test_shuffle_cheats import shift_outputs
from tests.sim.cheats import change_message, flip
from tests.sim.table import make_setup

SECRET = some_scalars("attack", 1)[0]

BAD = [bad for _, bad in ALL_INVALID] + other_encodings(IDENTITY)
"""The 29 of RFC 9496 A.2, and bytes that a careless decoder reads as the identity."""


# Row 3 --------------------------------------------------------------------------------------------


class Spy:
    """A backend that remembers every point which it multiplied with a secret."""

    def __init__(self, inner: GroupBackend) -> None:
        self.inner = inner
        self.touched: set[bytes] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        return self._answer(self.inner.mul(scalars, points), points)

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        return self._answer(self.inner.mul_one_scalar(scalar, points), points)

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        return self._answer(self.inner.msm(scalars, points), points)

    def _answer(self, result: bytes, points: bytes) -> bytes:
        self.touched |= set(split32(points))
        return result


@pytest.fixture
def spied(sodium: Group) -> Group:
    return Group(Spy(sodium._backend))


Entry = Callable[[Group, bytes], object]


def shuffled(**where: int) -> Entry:
    """Verifies a shuffle with the point in place of one cell of a field."""
    ((field, cell),) = where.items()

    def run(group: Group, point: bytes) -> None:
        good = make_shuffled(group_of("libsodium"), N)
        verify_shuffle(group, **good | {field: put_cell(good[field], cell, point)})

    return run


def revealed(field: str) -> Entry:
    def run(group: Group, point: bytes) -> None:
        good = make_proved(group_of("libsodium"), 3)
        changed = point if field == "public" else put_cell(good[field], 1, point)
        verify_dleq(group, **good | {field: changed})

    return run


def deck_with(group: Group, point: bytes) -> MaskedDeck:
    """A deck whose first C1 is this point: no valid shuffle makes one."""
    return MaskedDeck(
        group,
        contexts=Contexts(CTX),
        keyset=CTX,
        hand_keys=[group.base_mul([SECRET])] * 2,
        deck=point + BASE_POINT,
    )


def prove_token(group: Group, point: bytes) -> None:
    deck_with(group, point).prove_tokens(
        seat=0, seed=NONCE_SEED, secret=SECRET, purpose="deal", index=0, positions=[0]
    )


ENTRIES: dict[str, tuple[Entry, type[P2POkeyError] | None]] = {
    "key of a shuffle": (shuffled(key=0), IdentityPoint),
    "C1 that goes into a shuffle": (shuffled(deck_in=2), ShuffleInvalid),
    "C2 that goes into a shuffle": (shuffled(deck_in=3), ShuffleInvalid),
    "C1 that comes out": (shuffled(deck_out=4), OutputIdentity),
    "C2 that comes out": (shuffled(deck_out=5), OutputIdentity),
    "commitment of the proof": (shuffled(proof=1), ShuffleInvalid),
    "key behind tokens": (revealed("public"), IdentityPoint),
    "C1 under a token": (revealed("points"), IdentityPoint),
    "token": (revealed("tokens"), IdentityPoint),
    "hand or sealing key": (
        lambda group, point: verify_possession(group, ctx=CTX, public=point, proof=bytes(64)),
        IdentityPoint,
    ),
    "commitment of a sharing": (
        lambda group, point: check_sharing(
            group, public=BASE_POINT, commitments=BASE_POINT + point, t=3, seats=[1, 2, 3]
        ),
        ShareInvalid,
    ),
    "part of the joint key": (
        lambda group, point: check_joint_key(group, [BASE_POINT, point]),
        None,  # a key that is O has no proof of possession, so it does not come here
    ),
    "C1 to prove a token for": (prove_token, IdentityPoint),
    "C1 to open": (
        lambda group, point: make_held(group, point).open_privately([0], SECRET),
        None,  # a stripped C1 that is O is a public tile, which is named and not opened
    ),
    "key to seal a share to": (
        lambda group, point: seal_key(group, CTX, SECRET, point),
        None,  # refused with its proof of possession, in COMMIT
    ),
}
"""Where points come in from other seats, and what the identity is called there."""


def make_held(group: Group, point: bytes) -> MaskedDeck:
    deck = deck_with(group, point)
    deck.store_tokens(1, [0], BASE_POINT)
    deck.hand_over(0, 0)
    return deck


@pytest.mark.parametrize("where", ENTRIES)
def test_row_03_no_bad_encoding_comes_in_or_meets_a_secret(spied: Group, where: str) -> None:
    enter, _ = ENTRIES[where]
    for bad in BAD:
        with pytest.raises(BadPoint):
            enter(spied, bad)
        assert bad not in spied._backend.touched
    with pytest.raises(P2POkeyError):
        enter(spied, BASE_POINT[:-1])


@pytest.mark.parametrize("where", [name for name, (_, error) in ENTRIES.items() if error])
def test_row_03_the_identity_is_refused_where_it_would_open_something(
    spied: Group, where: str
) -> None:
    enter, error = ENTRIES[where]
    with pytest.raises(error):
        enter(spied, IDENTITY)
    assert IDENTITY not in spied._backend.touched


def test_row_03_the_spy_sees_points_that_meet_a_secret(spied: Group) -> None:
    prove_token(spied, BASE_POINT)
    assert BASE_POINT in spied._backend.touched


def test_row_03_a_hand_stops_at_a_bad_key_before_its_own_secrets_touch_it(spied: Group) -> None:
    """On the real group; shares are sealed to these keys in the next round."""
    for bad in [*BAD, IDENTITY]:
        table = new_table(group=spied)
        change = {"sealing_key": bad}
        change_message(table, 2, Kind.COMMIT, lambda core, m, c=change: replace(m, **c))
        while table.step() and table.peers[0].machine.phase is Phase.COMMIT:
            pass
        fault = table.peers[0].machine.fault
        assert fault is not None
        expected = "IdentityPoint" if bad == IDENTITY else "BadPoint"
        assert (fault.culprit, fault.cause, fault.phase) == (2, expected, "commit")
        assert bad not in spied._backend.touched


# Row 4: every public value is under every later challenge ---------------------------------------------


def challenges_of(monkeypatch: pytest.MonkeyPatch, verify: Callable[[], None]) -> dict[str, Any]:
    """The challenges that a verifier draws, by label; it need not accept."""
    drawn: dict[str, Any] = {}
    honest = FiatShamir.scalars

    def scalars(self: FiatShamir, label: str, count: int) -> list[int]:
        drawn[label] = honest(self, label, count)
        return drawn[label]

    with monkeypatch.context() as patch:
        patch.setattr(FiatShamir, "scalars", scalars)
        try:
            verify()
        except P2POkeyError:
            drawn["refused"] = True
    return drawn


def shuffle_mutants() -> Iterator[tuple[str, int, set[str]]]:
    """Field, place of a byte, and the challenges that must change with it."""
    for place in range(0, 64, 7):
        yield "ctx", place, {"u", "x", "w"}
    yield "key", 5, {"u", "x", "w"}
    for field in ("deck_in", "deck_out"):
        for cell in range(2 * N):
            yield field, 32 * cell + cell, {"u", "x", "w"}
    for cell in range(3 * N + 5):
        yield "proof", 32 * cell + cell, {"u", "x", "w"} if cell < N else {"x", "w"}
    for cell in range(3 * N + 5, 5 * N + 9):
        yield "proof", 32 * cell, {"w"}


def test_row_04_each_public_value_changes_the_challenges_of_a_shuffle(
    sodium: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = make_shuffled(sodium, N)
    before = challenges_of(monkeypatch, lambda: verify_shuffle(sodium, **good))
    assert set(before) == {"u", "x", "w"}
    for field, place, expected in shuffle_mutants():
        bad = good | {field: flip(good[field], place)}
        after = challenges_of(monkeypatch, lambda bad=bad: verify_shuffle(sodium, **bad))
        assert after.pop("refused", False), (field, place)
        changed = {label for label in after if after[label] != before[label]}
        assert changed == expected, (field, place)


def test_row_04_each_public_value_changes_the_challenges_of_tokens_and_keys(
    sodium: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = make_proved(sodium, 3)
    before = challenges_of(monkeypatch, lambda: verify_dleq(sodium, **tokens))
    assert set(before) == {"d", "c"}
    for field in ("ctx", "public", "points", "tokens"):
        for cell in range(len(tokens[field]) // 32):
            other = sodium.add(get_cell(tokens["points"], 0), BASE_POINT)
            bad = tokens | {field: put_cell(tokens[field], cell, other)}
            after = challenges_of(monkeypatch, lambda bad=bad: verify_dleq(sodium, **bad))
            assert after.pop("refused", False)
            assert all(after[label] != before[label] for label in ("d", "c")), (field, cell)

    public = sodium.base_mul([SECRET])
    proof = prove_possession(sodium, seed=NONCE_SEED, ctx=CTX, secret=SECRET, public=public)
    owned = {"ctx": CTX, "public": public, "proof": proof}
    before = challenges_of(monkeypatch, lambda: verify_possession(sodium, **owned))
    for field in owned:
        bad = owned | {field: flip(owned[field], 3)}
        after = challenges_of(monkeypatch, lambda bad=bad: verify_possession(sodium, **bad))
        assert after.pop("refused", False)
        assert after["c"] != before["c"], field


SETUP = make_setup(SEED)

OTHER_SETUPS = {
    "session": replace(SETUP, session=flip(SETUP.session)),
    "hand": replace(SETUP, hand=1),
    "a player": replace(SETUP, roster=(*SETUP.roster[:3], flip(SETUP.roster[3]))),
    "order of seats": replace(SETUP, roster=SETUP.roster[::-1]),
    "a rule": replace(
        SETUP, rules=replace(SETUP.rules, discard_taken=not SETUP.rules.discard_taken)
    ),
    "recovery": replace(SETUP, options=table_options(4, recovery=False)),
    "re-masks": replace(SETUP, options=table_options(4, unlinkable_discards=False)),
    "hand of the match": replace(SETUP, match_hand=1),
    "starter": replace(SETUP, starter=0),
    "excluded": replace(SETUP, excluded=2),
    "a total": replace(SETUP, totals=(20, 20, 20, 21)),
    "hand before": replace(SETUP, previous=flip(SETUP.previous)),
}


@pytest.mark.parametrize("what", OTHER_SETUPS)
def test_row_04_a_proof_holds_under_its_own_setup_only(sodium: Group, what: str) -> None:
    contexts = Contexts(SETUP.hand_ctx())
    public, points = sodium.base_mul([SECRET]), random_points(sodium, 2)
    place = {"purpose": "deal", "seat": 1, "index": 3, "extra": bytes([4, 5]) + CTX}
    tokens, proof = prove_dleq(
        sodium,
        seed=NONCE_SEED,
        ctx=contexts.sub(**place),
        secret=SECRET,
        public=public,
        points=points,
    )
    given = {"public": public, "points": points, "tokens": tokens, "proof": proof}
    verify_dleq(sodium, ctx=contexts.sub(**place), **given)
    elsewhere = Contexts(OTHER_SETUPS[what].hand_ctx())
    with pytest.raises(DleqInvalid):
        verify_dleq(sodium, ctx=elsewhere.sub(**place), **given)


def test_row_04_the_keyset_covers_every_byte_of_all_keys() -> None:
    """It goes into the context of every shuffle and token."""
    parts = [[bytes([10 * kind + seat]) * 40 for seat in range(4)] for kind in range(3)]
    seen = {keyset_digest(*parts)}
    for kind, seat, byte in itertools.product(range(3), range(4), range(0, 40, 13)):
        changed = [list(part) for part in parts]
        changed[kind][seat] = flip(changed[kind][seat], byte)
        seen.add(keyset_digest(*changed))
    assert len(seen) == 1 + 3 * 4 * 4


# Row 4: forgers who know the challenge before they choose what they prove -----------------------------


def leave_out(patch: pytest.MonkeyPatch, *labels: str) -> None:
    """Weakens every challenge in this process: these values are not hashed."""
    honest = FiatShamir.add

    def add(self: FiatShamir, label: str, data: bytes) -> None:
        if label not in labels:
            honest(self, label, data)

    patch.setattr(FiatShamir, "add", add)


def forged_key(group: Group, others: bytes) -> tuple[bytes, bytes]:
    """A key that cancels all others, with a proof solved for a challenge known beforehand."""
    T = FiatShamir("pop")
    T.add("ctx", CTX)
    c = T.scalars("c", 1)[0]
    rogue = group.sub(group.base_mul([SECRET]), group.sum_points(others))
    s = 4711
    R = group.sub(group.base_mul([s]), group.mul([c], rogue))
    return rogue, R + encode_scalar(s)


def test_row_04_a_forger_of_keys_needs_a_weak_challenge(
    sodium: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = sodium.base_mul(some_scalars("others", 3))
    with monkeypatch.context() as weak:
        leave_out(weak, "X", "R")
        rogue, proof = forged_key(sodium, others)
        verify_possession(sodium, ctx=CTX, public=rogue, proof=proof)
        # Whoever wins this is alone in knowing the key of the whole deck.
        assert check_joint_key(sodium, [*split32(others), rogue]) == sodium.base_mul([SECRET])
    with pytest.raises(PopInvalid):
        verify_possession(sodium, ctx=CTX, public=rogue, proof=proof)


def forged_token(group: Group, public: bytes, point: bytes) -> tuple[bytes, bytes]:
    """A token of the forger's choice: D is solved for after a challenge that does not know it."""
    k, other = 1234, 98765
    A, B = group.base_mul([k]), group.mul([other], point)
    T = FiatShamir("dleq")
    for label, data in (("ctx", CTX), ("X", public), ("m", b"\1\0\0\0"), ("C", point)):
        T.add(label, data)
    for label, data in (("M", point), ("A", A), ("B", B)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]
    s = k - c * SECRET
    token = group.mul([(other - s) * pow(c, -1, L)], point)
    return token, encode_scalar(c) + encode_scalar(s)


def test_row_04_a_forger_of_tokens_needs_a_weak_challenge(
    sodium: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, point = sodium.base_mul([SECRET]), random_points(sodium, 1)
    with monkeypatch.context() as weak:
        leave_out(weak, "D", "Z")
        token, proof = forged_token(sodium, public, point)
        assert token != sodium.mul([SECRET], point)
        given = {"ctx": CTX, "public": public, "points": point, "tokens": token, "proof": proof}
        verify_dleq(sodium, **given)
    with pytest.raises(DleqInvalid):
        verify_dleq(sodium, **given)


def test_row_04_a_forger_of_shuffles_needs_a_weak_challenge(
    sodium: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two tiles are exchanged for others after the responses are made."""
    key, deck = sodium.base_mul([SECRET]), make_shuffled(sodium, N)["deck_in"]
    with monkeypatch.context() as weak:
        leave_out(weak, "out")
        deck_out, proof = prove_shuffle(sodium, seed=NONCE_SEED, ctx=CTX, key=key, deck=deck)
        forged = shift_outputs(sodium, Statement(sodium, CTX, key, deck, deck_out), proof)
        assert forged != deck_out
        given = {"ctx": CTX, "key": key, "deck_in": deck, "deck_out": forged, "proof": proof}
        verify_shuffle(sodium, **given)
    with pytest.raises(ShuffleInvalid):
        verify_shuffle(sodium, **given)


# Row 5 --------------------------------------------------------------------------------------------


LABELS = ("", "a", "b", "ab")
VALUES = (b"", b"a", b"b", b"ab", b"\0", fr("a", b"b"), fr("", b""))
FRAMES = list(itertools.product(LABELS, VALUES))


def digest(frames: Sequence[tuple[str, bytes]]) -> bytes:
    T = FiatShamir("injective")
    for label, data in frames:
        T.add(label, data)
    return T.digest()


def test_row_05_no_two_short_sequences_collide() -> None:
    """All sequences of up to three of these frames, whose parts are made to be confused."""
    sequences = [s for count in range(4) for s in itertools.product(FRAMES, repeat=count)]
    assert len({digest(s) for s in sequences}) == len(sequences) == 1 + 28 + 28**2 + 28**3
    # Without frames they do collide: the sequences are a fair trial.
    joined = {b"".join(label.encode() + data for label, data in s) for s in sequences}
    assert len(joined) < len(sequences) / 2


Tree = bytes | list["Tree"]

trees: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(VALUES) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=8,
)


def hashed(tree: Any) -> bytes:
    """A nested structure under one hash: a list is hashed into a value of its own."""
    T = FiatShamir("tree")
    if isinstance(tree, bytes):
        T.add("leaf", tree)
    else:
        for child in tree:
            T.add("node", hashed(child))
    return T.digest()


@given(trees, trees)
def test_row_05_nested_structures_hash_alike_only_if_they_are_alike(one: Any, two: Any) -> None:
    assert (hashed(one) == hashed(two)) == (one == two)
    assert hashed([one, two]) != hashed([[one, two]])
    assert hashed([one, [two]]) != hashed([one, two])


def test_row_05_parts_of_statements_cannot_change_places(sodium: Group) -> None:
    """The same bytes split differently between input, output and number of entries."""
    deck = fresh_deck(sodium, 6)
    splits = [(deck[: 64 * at], deck[64 * at :]) for at in (2, 3, 4)]
    digests = set()
    for left, right in splits:
        T = FiatShamir("shuffle")
        T.add("in", left)
        T.add("out", right)
        digests.add(T.digest())
    assert len(digests) == 3
    assert len({Contexts(CTX).sub("draw", 1, 2, extra) for extra in (b"", b"\0", bytes(2))}) == 3
    assert Contexts(CTX).sub("pop", 1, 0) != Contexts(CTX).sub("pop-seal", 1, 0)
