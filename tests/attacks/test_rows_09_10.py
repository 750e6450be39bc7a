"""Rows 9 and 10 of docs/protocol.md S17: things used a second time, and tiles that are not the same.

Both on real proofs over libsodium and in whole hands on the cheap group.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.group import BASE_POINT, Group
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.crypto.reencrypt import reencrypt_steps
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.crypto.steps import UNDIVIDED, run
from p2pokey.deck.chain import shuffle_context
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.masked import MaskedDeck
from p2pokey.errors import DleqInvalid, OutputIdentity, PopInvalid, ShuffleInvalid
from p2pokey.hand.core import HandCore
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Kind, Message
from tests.attacks.support import (
    SEED,
    assert_named_by_all,
    envelopes,
    honest,
    named_by_audit,
    new_table,
    turns,
)
from tests.crypto.literal import Statement, apply, failing, permutation_matrix, prove
from tests.crypto.support import (
    CTX,
    fresh_deck,
    get_cell,
    group_of,
    put_cell,
    random_points,
    some_scalars,
)
from tests.crypto.support import SEED as NONCES
from tests.crypto.test_shuffle_cheats import PERM, R, key_and_deck, make, verdict
from tests.sim.cheats import change_message
from tests.sim.table import fixed_bytes, make_setup

# Row 9: places --------------------------------------------------------------------------------------

KEYSET, OTHER_KEYSET = fixed_bytes("keyset", 64), fixed_bytes("other keyset", 64)
HAND, NEXT_HAND = (Contexts(make_setup(SEED, hand=hand).hand_ctx()) for hand in (0, 1))
OTHER_TABLE = Contexts(make_setup("another table").hand_ctx())


def masked(contexts: Contexts, keyset: bytes = KEYSET) -> MaskedDeck:
    group = group_of("libsodium")
    keys = [BASE_POINT] * 4
    return MaskedDeck(group, contexts=contexts, keyset=keyset, hand_keys=keys, deck=b"")


def after_remask(holder: int) -> MaskedDeck:
    deck = masked(HAND)
    deck.apply_remask(holder, [], b"")
    return deck


PLACES: dict[str, bytes] = {
    "sealing key": HAND.sub("pop-seal", 1),
    "sealing key, next hand": NEXT_HAND.sub("pop-seal", 1),
    "sealing key, other table": OTHER_TABLE.sub("pop-seal", 1),
    "sealing key, other seat": HAND.sub("pop-seal", 2),
    "hand key": HAND.sub("pop", 1),
    "hand key, next hand": NEXT_HAND.sub("pop", 1),
    "hand key, other seat": HAND.sub("pop", 2),
    "shuffle": shuffle_context(HAND, 1, KEYSET),
    "shuffle, next hand": shuffle_context(NEXT_HAND, 1, KEYSET),
    "shuffle, other table": shuffle_context(OTHER_TABLE, 1, KEYSET),
    "shuffle, other seat": shuffle_context(HAND, 2, KEYSET),
    "shuffle, other keys": shuffle_context(HAND, 1, OTHER_KEYSET),
    "re-mask": masked(HAND).remask_context(1),
    "re-mask, next hand": masked(NEXT_HAND).remask_context(1),
    "re-mask, other seat": masked(HAND).remask_context(2),
    "re-mask, other keys": masked(HAND, OTHER_KEYSET).remask_context(1),
    "second re-mask": after_remask(1).remask_context(1),
    "token": masked(HAND).token_context("draw", 1, 7, [40]),
    "token, next hand": masked(NEXT_HAND).token_context("draw", 1, 7, [40]),
    "token, other table": masked(OTHER_TABLE).token_context("draw", 1, 7, [40]),
    "token, other seat": masked(HAND).token_context("draw", 2, 7, [40]),
    "token, other message": masked(HAND).token_context("draw", 1, 8, [40]),
    "token, other tile": masked(HAND).token_context("draw", 1, 7, [41]),
    "token, other purpose": masked(HAND).token_context("deal", 1, 7, [40]),
    "token, other keys": masked(HAND, OTHER_KEYSET).token_context("draw", 1, 7, [40]),
    "two tokens": masked(HAND).token_context("draw", 1, 7, [40, 41]),
    "reveal": masked(HAND).reveal_context("reveal", 1, 7, [3]),
    "reveal, next hand": masked(NEXT_HAND).reveal_context("reveal", 1, 7, [3]),
    "reveal, other seat": masked(HAND).reveal_context("reveal", 2, 7, [3]),
    "reveal, other message": masked(HAND).reveal_context("reveal", 1, 8, [3]),
    "reveal, other place": masked(HAND).reveal_context("reveal", 1, 7, [4]),
    "reveal, other purpose": masked(HAND).reveal_context("finish", 1, 7, [3]),
    "reveal, after a re-mask": after_remask(1).reveal_context("reveal", 1, 7, [3]),
    "complaint": HAND.sub("complaint", 1, 3, bytes([2]) + KEYSET),
    "complaint, other dealer": HAND.sub("complaint", 1, 3, bytes([0]) + KEYSET),
    "stand-in": HAND.sub("escrow", 1, 3, bytes([40, 2]) + KEYSET),
    "stand-in, other absent seat": HAND.sub("escrow", 1, 3, bytes([40, 0]) + KEYSET),
}
"""The context of every kind of proof, and of the same one elsewhere."""


def test_row_09_no_two_places_have_one_context() -> None:
    assert len(set(PLACES.values())) == len(PLACES)


SECRET = some_scalars("row 9", 1)[0]


def key_proof(group: Group, ctx: bytes) -> Callable[[bytes], None]:
    public = group.base_mul([SECRET])
    proof = prove_possession(group, seed=NONCES, ctx=ctx, secret=SECRET, public=public)
    return lambda where: verify_possession(group, ctx=where, public=public, proof=proof)


def token_proof(group: Group, ctx: bytes) -> Callable[[bytes], None]:
    public, points = group.base_mul([SECRET]), random_points(group, 1)
    tokens, proof = prove_dleq(
        group, seed=NONCES, ctx=ctx, secret=SECRET, public=public, points=points
    )
    given = {"public": public, "points": points, "tokens": tokens, "proof": proof}
    return lambda where: verify_dleq(group, ctx=where, **given)


def shuffle_proof(group: Group, ctx: bytes) -> Callable[[bytes], None]:
    key, deck = group.base_mul([SECRET]), fresh_deck(group, 2)
    deck_out, proof = prove_shuffle(group, seed=NONCES, ctx=ctx, key=key, deck=deck)
    given = {"key": key, "deck_in": deck, "deck_out": deck_out, "proof": proof}
    return lambda where: verify_shuffle(group, ctx=where, **given)


PROOFS = {
    "sealing key": (key_proof, PopInvalid),
    "hand key": (key_proof, PopInvalid),
    "shuffle": (shuffle_proof, ShuffleInvalid),
    "re-mask": (shuffle_proof, ShuffleInvalid),
    "token": (token_proof, DleqInvalid),
    "two tokens": (token_proof, DleqInvalid),
    "reveal": (token_proof, DleqInvalid),
    "complaint": (token_proof, DleqInvalid),
    "stand-in": (token_proof, DleqInvalid),
}


@pytest.mark.parametrize("name", PROOFS)
def test_row_09_a_proof_holds_at_its_own_place_only(sodium: Group, name: str) -> None:
    """Across hands, tables, seats, messages, tiles, purposes, and from one kind to another."""
    make_proof, error = PROOFS[name]
    verify = make_proof(sodium, PLACES[name])
    verify(PLACES[name])
    for other, ctx in PLACES.items():
        if other != name:
            with pytest.raises(error):
                verify(ctx)


def test_row_09_a_token_is_for_one_tile_only(sodium: Group) -> None:
    """In the place of its own tile's proof, another tile's token with its own honest proof."""
    public, points = sodium.base_mul([SECRET]), random_points(sodium, 2)
    ctx, place = PLACES["token"], {"seed": NONCES, "secret": SECRET, "public": public}
    first, second = points[:32], points[32:]
    token, proof = prove_dleq(sodium, ctx=ctx, points=second, **place)
    for tokens in (token, sodium.mul([SECRET], first)):
        with pytest.raises(DleqInvalid):
            verify_dleq(sodium, ctx=ctx, public=public, points=first, tokens=tokens, proof=proof)


# Row 9: whole messages --------------------------------------------------------------------------------


@cache
def next_hand() -> tuple[Envelope, ...]:
    """The opening of another hand of the same table, with fresh seeds."""
    table = new_table(hand=1)
    table.autoplay = False
    table.run()
    lines = table.peers[0].machine.transcript().split(b"\n")[1:-1]
    return tuple(map(decode_line, lines))


def first_of(messages: tuple[Envelope, ...], kind: Kind, seat: int) -> Message:
    return next(e.message for e in messages if (e.kind, e.seat) == (kind, seat))


def copied(source: str, kind: Kind, *names: str) -> Callable[[HandCore, Message], Message]:
    """These fields from the same message of another hand, or of another seat in this hand."""

    def change(core: HandCore, message: Message) -> Message:
        messages, seat = (next_hand(), core.seat) if source == "hand" else (envelopes(), 0)
        old = first_of(messages, kind, seat)
        return replace(message, **{name: getattr(old, name) for name in names})

    return change


REPLAYS = [
    ("hand", Kind.COMMIT, ("sealing_key", "pop"), "PopInvalid"),
    ("hand", Kind.COMMIT, ("seed_commit", "coin_commit", "sealing_key", "pop"), "PopInvalid"),
    ("hand", Kind.KEYS, ("hand_key", "pop", "commitments", "shares"), "PopInvalid"),
    ("hand", Kind.KEYS, ("coin",), "CommitMismatch"),
    ("hand", Kind.SHUFFLE, ("deck", "proof"), "ShuffleInvalid"),
    ("hand", Kind.SHUFFLE, ("proof",), "ShuffleInvalid"),
    ("hand", Kind.READY, ("digest",), "DeckDisagreement"),
    ("hand", Kind.TOKENS, ("tokens", "proof"), "DleqInvalid"),
    ("seat", Kind.COMMIT, ("sealing_key", "pop"), "PopInvalid"),
    ("seat", Kind.KEYS, ("hand_key", "pop", "commitments", "shares"), "PopInvalid"),
    ("seat", Kind.KEYS, ("coin",), "CommitMismatch"),
    ("seat", Kind.SHUFFLE, ("deck", "proof"), "ShuffleInvalid"),
    ("seat", Kind.TOKENS, ("proof",), "DleqInvalid"),
    ("seat", Kind.TOKENS, ("positions", "tokens", "proof"), "TokenNotDue"),
]


@pytest.mark.parametrize(
    ("source", "kind", "names", "cause"),
    REPLAYS,
    ids=[f"{source}-{kind.label}-{names[0]}-{len(names)}" for source, kind, names, _ in REPLAYS],
)
def test_row_09_a_copied_message_is_blamed_on_who_sends_it(source, kind, names, cause) -> None:
    table = new_table()
    change_message(table, 2, kind, copied(source, kind, *names))
    table.run()
    assert_named_by_all(table, 2)
    assert {peer.machine.fault.cause for peer in honest(table, 2)} == {cause}


def test_row_09_a_re_mask_cannot_be_sent_twice() -> None:
    """The first re-mask of a seat again in its second one."""
    masking = [turn for turn in turns() if turn.message.remask is not None]
    seat = next(t.seat for t in masking if sum(o.seat == t.seat for o in masking) > 1)
    first, second = [turn for turn in masking if turn.seat == seat][:2]
    table = new_table()
    change_message(
        table,
        seat,
        Kind.MOVE,
        lambda core, message: replace(message, remask=first.message.remask),
        number=second.number,
    )
    table.run()
    assert_named_by_all(table, seat)
    causes = {peer.machine.fault.cause for peer in honest(table, seat)}
    assert causes <= {"ShuffleInvalid", "BadLength"}


# Row 10 -------------------------------------------------------------------------------------------

N = 4


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, Callable[[Group, bytes], bytes]]:
    """What a shuffler can do to one tile of its output."""
    tile = draw(st.integers(0, N - 1))
    other = draw(st.integers(0, N - 1).filter(lambda number: number != tile))
    factor = draw(st.integers(2, 50) | st.just(-1))
    label = draw(st.sampled_from(("tile", "stranger")))
    cell1, cell2 = 2 * tile, 2 * tile + 1

    def moved(group: Group, deck: bytes, cell: int, by: bytes) -> bytes:
        return put_cell(deck, cell, group.add(get_cell(deck, cell), by))

    def copied_fresh(group: Group, deck: bytes) -> bytes:
        # The other tile again, masked anew: nothing repeats, and one tile is gone.
        key, _ = key_and_deck(group)
        again = run(
            reencrypt_steps(
                group, key, deck, (other, tile), [factor % 97 + 1, factor % 97 + 2], UNDIVIDED
            )
        )
        return put_cell(put_cell(deck, cell1, get_cell(again, 0)), cell2, get_cell(again, 1))

    choices: dict[str, Callable[[Group, bytes], bytes]] = {
        "doubled": copied_fresh,
        "copied": lambda group, deck: put_cell(
            put_cell(deck, cell1, get_cell(deck, 2 * other)), cell2, get_cell(deck, 2 * other + 1)
        ),
        "multiple of G": lambda group, deck: put_cell(deck, cell2, group.base_mul([factor])),
        "open multiple of G": lambda group, deck: put_cell(
            put_cell(deck, cell1, group.base_mul([factor])), cell2, group.base_mul([factor + 60])
        ),
        "C2 scaled": lambda group, deck: put_cell(
            deck, cell2, group.mul([factor], get_cell(deck, cell2))
        ),
        "both scaled": lambda group, deck: put_cell(
            put_cell(deck, cell1, group.mul([factor], get_cell(deck, cell1))),
            cell2,
            group.mul([factor], get_cell(deck, cell2)),
        ),
        "another tile": lambda group, deck: moved(
            group, deck, cell2, random_points(group, 1, label)
        ),
        "C1 moved": lambda group, deck: moved(group, deck, cell1, group.base_mul([factor])),
        "C1 taken": lambda group, deck: put_cell(deck, cell1, get_cell(deck, 2 * other)),
        "tile in the open": lambda group, deck: put_cell(
            put_cell(deck, cell1, BASE_POINT), cell2, random_points(group, 1, label)
        ),
    }
    name = draw(st.sampled_from(sorted(choices)))
    return name, choices[name]


EDITS = int(os.environ.get("P2POKEY_MUTANTS", "40"))
"""A nightly run asks for 10,000."""


@settings(max_examples=EDITS)
@given(edits())
def test_row_10_no_edit_of_one_tile_passes(edit) -> None:
    """The proof is made by whoever edits, for the edited deck, with the true witness."""
    name, change = edit
    sodium = group_of("libsodium")
    statement, proof = make(sodium, permutation_matrix(PERM), perm=PERM, change=change)
    assert failing(statement, proof), name
    assert not verdict(statement, proof), name


def test_row_10_the_unedited_deck_passes(sodium: Group) -> None:
    key, deck = key_and_deck(sodium)
    deck_out = apply(sodium, key, deck, permutation_matrix(PERM), R)
    statement = Statement(sodium, CTX, key, deck, deck_out)
    proof, _ = prove(statement, seed=NONCES, perm=PERM, r=R)
    assert verdict(statement, proof)
    with pytest.raises(OutputIdentity):
        verdict(replace(statement, deck_out=put_cell(deck_out, 1, bytes(32))), proof)


def whole(change: Callable[[Group, list[bytes]], None]) -> Callable[[HandCore, Message], Message]:
    """Edits the 212 components of a shuffled deck of a hand."""

    def edit(core: HandCore, message: Message) -> Message:
        cells = [message.deck[at : at + 32] for at in range(0, len(message.deck), 32)]
        change(core.group, cells)
        return replace(message, deck=b"".join(cells))

    return edit


def doubled(group: Group, cells: list[bytes]) -> None:
    cells[2], cells[3] = cells[8], group.add(cells[9], BASE_POINT)


def known_point(group: Group, cells: list[bytes]) -> None:
    cells[5] = group.base_mul([7])


def scaled(group: Group, cells: list[bytes]) -> None:
    cells[7] = group.mul([2], cells[7])


def exchanged(group: Group, cells: list[bytes]) -> None:
    cells[1], cells[3] = cells[3], cells[1]


@pytest.mark.parametrize(
    "change", [doubled, known_point, scaled, exchanged], ids=lambda change: change.__name__
)
@pytest.mark.parametrize("seat", [0, 3], ids=["first", "last"])
def test_row_10_an_edited_deck_is_blamed_on_its_shuffler(change, seat: int) -> None:
    table = new_table()
    change_message(table, seat, Kind.SHUFFLE, whole(change))
    table.run()
    assert_named_by_all(table, seat)
    for peer in honest(table, seat):
        assert peer.machine.fault.cause == "ShuffleInvalid"
        assert named_by_audit(peer) == {seat}
