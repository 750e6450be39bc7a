"""Keys, shares, tokens, reveals and re-masks of one hand (docs/protocol.md S2 to S10)."""

import itertools

import pytest

from p2pokey.crypto.group import IDENTITY, Group
from p2pokey.crypto.sharing import combine_tokens
from p2pokey.crypto.shuffle import prove_shuffle
from p2pokey.deck.chain import input_digest, ready_digest
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.keys import find_duplicate, starter_by_coins
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.points import initial_deck, tile_of, tile_points
from p2pokey.deck.secrets import SeatSecrets, coin_commitment, seed_commitment
from p2pokey.deck.shares import (
    ShareTable,
    build_complaint,
    build_escrow,
    build_shares,
    check_escrow,
    check_share_sizes,
    judge_complaint,
    open_share,
    recover_tokens,
)
from p2pokey.errors import (
    BadLength,
    DleqInvalid,
    LocalProtocolError,
    ShareInvalid,
    TileMismatch,
    UnknownTile,
)
from p2pokey.native.backends import choose_backend
from p2pokey.native.sealing import ChaChaSealer
from tests.sim.cheap_group import CheapBackend
from tests.sim.cheats import flip
from tests.sim.table import fixed_bytes

SEATS = 4
CONTEXTS = Contexts(fixed_bytes("deck hand", 64))
KEYSET = fixed_bytes("keyset", 64)
SEALER = ChaChaSealer()


@pytest.fixture(scope="module", params=["cheap", "libsodium"])
def group(request: pytest.FixtureRequest) -> Group:
    backend = CheapBackend() if request.param == "cheap" else choose_backend("auto")
    return Group(backend)


def secrets_of(seat: int, *, threshold: int = 3) -> SeatSecrets:
    return SeatSecrets.derive(
        seed=fixed_bytes(f"deck seed {seat}"), contexts=CONTEXTS, seat=seat, threshold=threshold
    )


SECRETS = [secrets_of(seat) for seat in range(SEATS)]


@pytest.fixture(scope="module")
def hand_keys(group: Group) -> list[bytes]:
    return [group.base_mul([secrets.hand_secret]) for secrets in SECRETS]


@pytest.fixture(scope="module")
def sealing_keys(group: Group) -> list[bytes]:
    return [group.base_mul([secrets.sealing_secret]) for secrets in SECRETS]


@pytest.fixture
def deck(group: Group, hand_keys: list[bytes]) -> MaskedDeck:
    joint = group.sum_points(b"".join(hand_keys))
    shuffled, _ = prove_shuffle(
        group,
        seed=fixed_bytes("dealer"),
        ctx=CONTEXTS.sub("shuffle", 0),
        key=joint,
        deck=initial_deck(group)[: 64 * 8],
    )
    return MaskedDeck(group, contexts=CONTEXTS, keyset=KEYSET, hand_keys=hand_keys, deck=shuffled)


def give_tokens(deck: MaskedDeck, positions: list[int], seats: list[int]) -> None:
    for seat in seats:
        tokens, proof = deck.prove_tokens(
            seat=seat,
            seed=SECRETS[seat].seed,
            secret=SECRETS[seat].hand_secret,
            purpose="deal",
            index=5,
            positions=positions,
        )
        deck.check_tokens(
            seat=seat,
            purpose="deal",
            index=5,
            positions=positions,
            tokens=tokens,
            proof=proof,
        )
        deck.store_tokens(seat, positions, tokens)


def test_tile_points_differ_and_are_found_again(group: Group) -> None:
    points = tile_points(group)
    assert len({IDENTITY, *points}) == 107
    assert [tile_of(group, point) for point in points] == list(range(106))
    with pytest.raises(UnknownTile):
        tile_of(group, IDENTITY)


def test_known_answers_of_the_tile_points() -> None:
    points = tile_points(Group(choose_backend("auto")))
    assert points[0].hex() == "b62a59a4605d6dc79fb63fcd39c4da073f216c0e686ef7e068f2c6841486711b"
    assert points[105].hex() == "9c6c8d94b338634e00fd0c546fab9e843cc90c1bf8fe8d03482826d06987cd4a"


def test_every_part_of_a_context_counts() -> None:
    variants = [
        CONTEXTS.sub("pop", 0),
        CONTEXTS.sub("pop-seal", 0),
        CONTEXTS.sub("pop", 1),
        CONTEXTS.sub("pop", 0, 1),
        CONTEXTS.sub("pop", 0, 0, b"x"),
        Contexts(fixed_bytes("other hand", 64)).sub("pop", 0),
    ]
    assert len(set(variants)) == len(variants)


def test_secrets_follow_from_the_seed_and_are_not_shown() -> None:
    assert secrets_of(1) == SECRETS[1]
    assert len({s.hand_secret for s in SECRETS} | {s.sealing_secret for s in SECRETS}) == 8
    assert str(SECRETS[0].hand_secret) not in repr(SECRETS[0])
    assert secrets_of(1, threshold=0).coefficients == ()


def test_commitments_bind_seat_and_value() -> None:
    seed, coin = fixed_bytes("seed"), fixed_bytes("coin")
    values = [
        seed_commitment(CONTEXTS, 0, seed),
        seed_commitment(CONTEXTS, 1, seed),
        seed_commitment(CONTEXTS, 0, flip(seed)),
        coin_commitment(CONTEXTS, 0, coin),
        coin_commitment(CONTEXTS, 1, coin),
        coin_commitment(CONTEXTS, 0, flip(coin)),
    ]
    assert len(set(values)) == 6
    assert {len(value) for value in values} == {32}


def test_the_chain_digests_bind_deck_and_proof_apart() -> None:
    """protocol S17 row 5: moving a byte from one part to the next gives another digest."""
    assert input_digest(b"ab", b"c") != input_digest(b"a", b"bc")
    one = ready_digest(bytes(64), KEYSET, [(b"ab", b"c")])
    assert one != ready_digest(bytes(64), KEYSET, [(b"a", b"bc")])


def test_only_the_holder_opens_a_rack(group: Group, deck: MaskedDeck) -> None:
    give_tokens(deck, [0, 1, 2], [1, 2, 3])
    for position in (0, 1, 2):
        deck.hand_over(position, 0)
    tiles = deck.open_privately([0, 1, 2], SECRETS[0].hand_secret)
    assert len(set(tiles)) == 3
    for other in (1, 2, 3):
        with pytest.raises(UnknownTile):
            deck.open_privately([0], SECRETS[other].hand_secret)


def test_a_position_does_not_open_while_a_token_is_missing(deck: MaskedDeck) -> None:
    give_tokens(deck, [3], [0, 1, 2])
    with pytest.raises(LocalProtocolError):
        deck.open_publicly(3)
    give_tokens(deck, [3], [3])
    assert deck.open_publicly(3) in range(8)


@pytest.mark.parametrize(
    "change",
    [
        {"seat": 1},
        {"purpose": "draw"},
        {"index": 6},
        {"positions": [0, 2]},
    ],
    ids=str,
)
def test_tokens_fit_their_place_only(deck: MaskedDeck, change: dict[str, object]) -> None:
    """protocol S17 row 9: no replay for another seat, purpose, message or position."""
    place = {"seat": 0, "purpose": "deal", "index": 5, "positions": [0, 1]}
    tokens, proof = deck.prove_tokens(seed=SECRETS[0].seed, secret=SECRETS[0].hand_secret, **place)
    deck.check_tokens(**place, tokens=tokens, proof=proof)
    with pytest.raises(DleqInvalid):
        deck.check_tokens(**{**place, **change}, tokens=tokens, proof=proof)


def reveal(deck: MaskedDeck, slots: list[int]) -> tuple[bytes, bytes]:
    return deck.prove_reveal(
        holder=0,
        seed=SECRETS[0].seed,
        secret=SECRETS[0].hand_secret,
        purpose="reveal",
        index=9,
        slots=slots,
        rack_indices=slots,
    )


def check(
    deck: MaskedDeck, slots: list[int], tiles: list[int], proven: tuple[bytes, bytes]
) -> None:
    deck.check_reveal(
        holder=0,
        purpose="reveal",
        index=9,
        slots=slots,
        rack_indices=slots,
        tiles=tiles,
        tokens=proven[0],
        proof=proven[1],
    )


def test_a_reveal_shows_exactly_the_tile_before_and_after_a_re_mask(
    group: Group, deck: MaskedDeck, hand_keys: list[bytes]
) -> None:
    slots = [0, 1, 2, 3]
    give_tokens(deck, slots, [1, 2, 3])
    for slot in slots:
        deck.hand_over(slot, 0)
    tiles = list(deck.open_privately(slots, SECRETS[0].hand_secret))
    proven = reveal(deck, [2])
    check(deck, [2], [tiles[2]], proven)
    with pytest.raises(TileMismatch):
        check(deck, [2], [tiles[1]], proven)

    before = deck.state_digest()
    twin = deck.copy()
    permutation = deck.remask_permutation(holder=0, seed=SECRETS[0].seed, slots=slots)
    masked, _ = prove_shuffle(
        group,
        seed=SECRETS[0].seed,
        ctx=deck.remask_context(0),
        key=hand_keys[0],
        deck=deck.remask_input(slots),
    )
    deck.apply_remask(0, slots, masked)
    moved = [tiles[source] for source in permutation]
    assert list(deck.open_privately(slots, SECRETS[0].hand_secret)) == moved
    assert (deck.remask_count(0), deck.state_digest() != before) == (1, True)
    with pytest.raises(DleqInvalid):
        check(deck, [2], [tiles[2]], proven)
    check(deck, [2], [moved[2]], reveal(deck, [2]))
    assert list(twin.open_privately(slots, SECRETS[0].hand_secret)) == tiles


def shares_of(group: Group, dealer: int, sealing_keys: list[bytes]) -> tuple[bytes, bytes]:
    return build_shares(
        group,
        SEALER,
        CONTEXTS,
        dealer=dealer,
        secrets=SECRETS[dealer],
        sealing_keys=sealing_keys,
    )


def table_of(group: Group, dealer: int, commitments: bytes, hand_keys: list[bytes]) -> ShareTable:
    return ShareTable.check(
        group,
        seats=SEATS,
        dealer=dealer,
        hand_key=hand_keys[dealer],
        commitments=commitments,
    )


def test_all_helpers_together_give_the_absent_seats_token_and_fewer_do_not(
    group: Group, deck: MaskedDeck, hand_keys: list[bytes], sealing_keys: list[bytes]
) -> None:
    """protocol S10 and S17 row 19: three shares of four seats open, any two give nothing."""
    absent, point = 2, tile_points(group)[5]
    commitments, sealed = shares_of(group, absent, sealing_keys)
    table = table_of(group, absent, commitments, hand_keys)
    tokens = {}
    for helper in (0, 1, 3):
        share = open_share(
            group,
            SEALER,
            CONTEXTS,
            dealer=absent,
            holder=helper,
            secret=SECRETS[helper].sealing_secret,
            sealing_key=sealing_keys[absent],
            shares=sealed,
            table=table,
        )
        place = {
            "helper": helper,
            "index": 7,
            "absent": absent,
            "positions": [5],
            "keyset": KEYSET,
            "table": table,
            "points": point,
        }
        tokens[helper], proof = build_escrow(
            group, CONTEXTS, seed=SECRETS[helper].seed, share=share, **place
        )
        check_escrow(group, CONTEXTS, tokens=tokens[helper], proof=proof, **place)
        for change in (
            {"index": 8},
            {"positions": [6]},
            {"absent": 3},
            {"helper": 0 if helper else 1},
        ):
            with pytest.raises(DleqInvalid):
                check_escrow(
                    group, CONTEXTS, tokens=tokens[helper], proof=proof, **{**place, **change}
                )
        with pytest.raises(ShareInvalid):
            check_escrow(
                group, CONTEXTS, tokens=tokens[helper], proof=proof, **{**place, "helper": absent}
            )
    expected = group.mul([SECRETS[absent].hand_secret], point)
    assert recover_tokens(group, 3, tokens) == expected
    for pair in itertools.combinations(tokens, 2):
        two = {seat: tokens[seat] for seat in pair}
        assert combine_tokens(group, two) != expected
        with pytest.raises(ShareInvalid):
            recover_tokens(group, 3, two)


def complain(
    group: Group, holder: int, dealer: int, sealing_keys: list[bytes]
) -> tuple[bytes, bytes]:
    return build_complaint(
        group,
        CONTEXTS,
        dealer=dealer,
        holder=holder,
        index=2,
        keyset=KEYSET,
        secrets=SECRETS[holder],
        sealing_keys=sealing_keys,
    )


def judge(
    group: Group, sealed: bytes, table: ShareTable, sealing_keys: list[bytes], complaint
) -> bool:
    return judge_complaint(
        group,
        SEALER,
        CONTEXTS,
        dealer=2,
        holder=1,
        index=2,
        keyset=KEYSET,
        sealing_keys=sealing_keys,
        shares=sealed,
        table=table,
        shared_point=complaint[0],
        proof=complaint[1],
    )


def test_a_complaint_shows_everybody_whether_the_share_is_bad(
    group: Group, hand_keys: list[bytes], sealing_keys: list[bytes]
) -> None:
    commitments, sealed = shares_of(group, 2, sealing_keys)
    table = table_of(group, 2, commitments, hand_keys)
    complaint = complain(group, 1, 2, sealing_keys)
    assert judge(group, sealed, table, sealing_keys, complaint) is False
    bad = flip(sealed, 48 + 3)  # the second share: seat 1's
    assert judge(group, bad, table, sealing_keys, complaint) is True
    with pytest.raises(DleqInvalid):
        judge(group, bad, table, sealing_keys, (complaint[0], flip(complaint[1])))
    with pytest.raises(ShareInvalid):
        open_share(
            group,
            SEALER,
            CONTEXTS,
            dealer=2,
            holder=1,
            secret=SECRETS[1].sealing_secret,
            sealing_key=sealing_keys[2],
            shares=bad,
            table=table,
        )


def test_share_sizes_follow_from_seats_and_threshold() -> None:
    check_share_sizes(4, 3, bytes(64), bytes(144))
    check_share_sizes(4, 0, b"", b"")
    for commitments, shares in ((32, 144), (64, 96), (0, 0)):
        with pytest.raises(BadLength):
            check_share_sizes(4, 3, bytes(commitments), bytes(shares))
    with pytest.raises(BadLength):
        check_share_sizes(2, 0, b"", bytes(48))


def test_duplicates_blame_the_later_seat() -> None:
    keys = [bytes([seat]) * 32 for seat in (1, 2, 1, 3)]
    assert find_duplicate(keys) == 2
    assert find_duplicate(keys[:2]) is None
    assert find_duplicate(keys[:2], frozenset({keys[1]})) == 1


def test_coins_choose_every_seat_about_equally_often_and_never_an_excluded_one() -> None:
    """protocol S17 row 12: chi-square over 4,000 joint coins, three degrees of freedom."""
    counts = [0] * 4
    for number in range(4000):
        coins = [fixed_bytes(f"coin {number} {seat}") for seat in range(4)]
        counts[starter_by_coins(coins, bytes(64))] += 1
        assert starter_by_coins(coins, bytes(64), 0b1011) == 2
    chi_square = sum((count - 1000) ** 2 / 1000 for count in counts)
    assert chi_square < 16.3  # p = 0.001; the inputs are fixed, so this cannot flicker
