"""Rows 12 and 13 of docs/protocol.md S17: choosing last, and falling silent when it helps."""

import itertools

import pytest

from p2pokey.crypto.sharing import combine_shares, combine_tokens
from p2pokey.deck.keys import HandKeyFields, check_hand_key, starter_by_coins
from p2pokey.deck.points import tile_of
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import ShareTable, build_escrow, check_escrow, open_share, recover_tokens
from p2pokey.errors import CommitMismatch, ShareInvalid
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Abandon, Phase, Waiting
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Kind, Message, Tokens
from tests.attacks.second_versions import other_commit
from tests.attacks.support import (
    SEED,
    AttackTable,
    assert_named_by_all,
    envelopes,
    honest,
    named_by_audit,
    new_table,
)
from tests.sim.cheats import change_message, fall_silent, resign
from tests.sim.table import fixed_bytes

# Row 12 -------------------------------------------------------------------------------------------


def in_keys_round() -> AttackTable:
    """All have committed; the last one knows every coin but has not opened its own."""
    table = new_table()
    fall_silent(table, 3, after=1)
    table.run()
    assert {peer.machine.phase for peer in honest(table, 3)} == {Phase.KEYS}
    assert len(table.peers[3].machine._core.keys) == 4
    return table


def test_row_12_none_of_a_thousand_other_coins_opens_the_commitment() -> None:
    """The last seat sees where each of its coins would lead, and cannot use any but the first."""
    core: HandCore = in_keys_round().peers[3].machine._core
    own = core.keys[core.seat]
    others = [core.keys[seat].coin for seat in core.others]
    led_to = set()
    for number in range(1000):
        coin = fixed_bytes(f"another coin {number}")
        led_to.add(starter_by_coins([*others, coin], core.hand_ctx))
        fields = HandKeyFields(hand_key=own.hand_key, pop=own.pop, coin=coin)
        with pytest.raises(CommitMismatch):
            check_hand_key(
                core.group, core.contexts, core.seat, fields, core.commits[core.seat].coin_commit
            )
    assert led_to == {0, 1, 2, 3}, "a choice would have been worth it"


def test_row_12_a_second_commitment_is_a_fork() -> None:
    table = in_keys_round()
    first = next(decode_envelope(data) for data in table.peers[3].disk)
    again = resign(SEED, first, other_commit(table.peers[3].machine._core, first.message))
    for peer in honest(table, 3):
        peer.machine.receive(again.encoded, Seat(3), table.now)
    table.run()
    assert_named_by_all(table, 3)
    assert {peer.machine.fault.cause for peer in honest(table, 3)} == {"Equivocation"}


def test_row_12_a_commitment_in_the_place_of_an_opening_is_refused() -> None:
    def commit_again(core: HandCore, message: Message) -> Message:
        return other_commit(core, core.commits[core.seat])

    table = new_table()
    change_message(table, 3, Kind.KEYS, commit_again)
    table.run()
    assert_named_by_all(table, 3)
    assert "TokenNotDue" in {peer.machine.fault.cause for peer in honest(table, 3)}


def test_row_12_nobody_opens_a_coin_before_all_are_committed() -> None:
    """Nor shows a hand key, on which the deck's key depends."""
    table = new_table()
    fall_silent(table, 3, after=0)
    table.run()
    for peer in honest(table, 3):
        assert [decode_envelope(data).kind for data in peer.disk if own(peer.seat, data)] == [
            Kind.COMMIT
        ]
        assert peer.machine.waiting() == Waiting(phase=Phase.COMMIT, seats=(3,))


def own(seat: int, data: bytes) -> bool:
    return decode_envelope(data).seat == seat


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


@pytest.mark.parametrize("honest_seat", range(4))
def test_row_12_one_honest_coin_makes_all_starters_equally_likely(honest_seat: int) -> None:
    """The three others agree on their coins beforehand, the best of a hundred tries for seat 0."""
    tries = [[fixed_bytes(f"trick {n} {seat}") for seat in range(4)] for n in range(100)]

    def wins(coins: list[bytes]) -> int:
        hands = range(20)
        drawn = [with_honest(coins, fixed_bytes(f"guess {hand}")) for hand in hands]
        return sum(starter_by_coins(each, bytes(64)) == 0 for each in drawn)

    def with_honest(coins: list[bytes], coin: bytes) -> list[bytes]:
        return [coin if seat == honest_seat else coins[seat] for seat in range(4)]

    best = max(tries, key=wins)
    counts = [0] * 4
    for number in range(1000):
        coins = with_honest(best, fixed_bytes(f"honest {number} {honest_seat}"))
        counts[starter_by_coins(coins, bytes(64))] += 1
    # p = 0.001 with three degrees of freedom; the inputs are fixed, so this cannot flicker.
    assert chi_square(counts) < 16.3, counts


def test_row_12_who_withholds_its_coin_wins_nothing_by_it() -> None:
    """It is excluded in the next attempt, and the others keep equal chances."""
    counts = [0] * 4
    for number in range(1000):
        coins = [fixed_bytes(f"again {number} {seat}") for seat in range(4)]
        counts[starter_by_coins(coins, bytes(64), 1 << 3)] += 1
    assert counts[3] == 0
    assert chi_square(counts[:3]) < 13.8


# Row 13 -------------------------------------------------------------------------------------------


def seq_of(kind: Kind, seat: int, number: int = 0) -> int:
    """Place in the seat's chain of its `number`-th message of this kind in the honest hand."""
    return [e.seq for e in envelopes() if (e.kind, e.seat) == (kind, seat)][number]


WITHHELD = [
    ("shuffle", Kind.SHUFFLE, 0, Phase.SHUFFLE),
    ("token of the deal", Kind.TOKENS, 0, Phase.DEAL),
    ("token of a draw", Kind.TOKENS, 1, Phase.PLAY),
    ("token of another draw", Kind.TOKENS, 3, Phase.PLAY),
    ("own move", Kind.MOVE, 1, Phase.PLAY),
    ("seed", Kind.DISCLOSE, 0, Phase.DISCLOSE),
]


@pytest.mark.parametrize(
    ("kind", "number", "phase"),
    [case[1:] for case in WITHHELD],
    ids=[case[0].replace(" ", "-") for case in WITHHELD],
)
def test_row_13_a_seat_that_withholds_is_waited_for_by_name(kind, number, phase) -> None:
    """Whatever it withholds, and whomever that helps: the others see the same and say the same."""
    table = new_table()
    fall_silent(table, 2, after=seq_of(kind, 2, number))
    table.run()
    for peer in honest(table, 2):
        assert peer.machine.waiting() == Waiting(phase=phase, seats=(2,))
        assert (peer.machine.fault, peer.stopped) == (None, None)
    # A limit on the wait is the shell's: each gives the hand up in words, and blames nobody.
    for peer in honest(table, 2):
        if peer.machine.phase is not Phase.STOPPED:
            peer.machine.act(Abandon(reason="seat 3 was silent"), table.now)
            table.run()
    for peer in honest(table, 2):
        assert peer.machine.phase is Phase.STOPPED
        assert peer.machine.fault is None
        assert peer.finished is None
        assert named_by_audit(peer) == set()
        kinds = [decode_envelope(data).kind for data in peer.disk if own(peer.seat, data)]
        assert kinds.count(Kind.VOID) == 1


def waiting_for_a_token() -> AttackTable:
    """Seat 2 keeps its token for a draw to itself."""
    table = new_table()
    fall_silent(table, 2, after=seq_of(Kind.TOKENS, 2, 1))
    table.run()
    return table


def helper_tokens(table: AttackTable, absent: int, position: int) -> dict[int, bytes]:
    """Checked tokens of all others for one position, from the shares that they hold."""
    tokens = {}
    for peer in honest(table, absent):
        core = peer.machine._core
        keys = core.keys[absent]
        shares = ShareTable.check(
            core.group,
            seats=4,
            dealer=absent,
            hand_key=keys.hand_key,
            commitments=keys.commitments,
        )
        share = open_share(
            core.group,
            core.sealer,
            core.contexts,
            dealer=absent,
            holder=core.seat,
            secret=core.secrets.sealing_secret,
            sealing_key=core.commits[absent].sealing_key,
            shares=keys.shares,
            table=shares,
        )
        place = {
            "helper": core.seat,
            "index": core.next_seq(),
            "absent": absent,
            "positions": [position],
            "keyset": core.keyset,
            "table": shares,
            "points": core.need_deck()._c1([position]),
        }
        tokens[core.seat], proof = build_escrow(
            core.group, core.contexts, seed=core.secrets.seed, share=share, **place
        )
        check_escrow(core.group, core.contexts, tokens=tokens[core.seat], proof=proof, **place)
    return tokens


def test_row_13_the_others_shares_give_the_withheld_token_and_fewer_do_not() -> None:
    """In the middle of a hand: the drawn tile opens to its owner without the silent seat."""
    table = waiting_for_a_token()
    core = table.peers[0].machine._core
    (reveal,) = core.reveals
    (position,) = reveal.slots
    tokens = helper_tokens(table, 2, position)
    expected = core.group.mul(
        [table.peers[2].machine._core.secrets.hand_secret], core.need_deck()._c1([position])
    )
    assert recover_tokens(core.group, core.threshold, tokens) == expected
    for pair in itertools.combinations(tokens, 2):
        few = {seat: tokens[seat] for seat in pair}
        with pytest.raises(ShareInvalid):
            recover_tokens(core.group, core.threshold, few)
        assert combine_tokens(core.group, few) != expected

    drawer = table.peers[reveal.to].machine._core
    deck = drawer.need_deck().copy()
    deck.store_tokens(2, [position], recover_tokens(core.group, core.threshold, tokens))
    deck.hand_over(position, reveal.to)
    (tile,) = deck.open_privately([position], drawer.secrets.hand_secret)
    assert tile_of(core.group, honest_opening(position)) == tile


def honest_opening(position: int) -> bytes:
    """The point at this position, with the keys that all seats disclose in the honest hand."""
    table = waiting_for_a_token()
    cores = [peer.machine._core for peer in table.peers]
    group, deck = cores[0].group, cores[0].shuffles[-1].deck
    joint = sum(core.secrets.hand_secret for core in cores)
    first, second = (deck[64 * position + at : 64 * position + at + 32] for at in (0, 32))
    return group.sub(second, group.mul([joint], first))


def test_row_13_a_withheld_seed_does_not_hide_the_hand() -> None:
    """The other seeds open the shares of the missing key: its tokens can still be checked."""
    table = new_table()
    fall_silent(table, 2, after=seq_of(Kind.DISCLOSE, 2))
    table.run()
    core = table.peers[0].machine._core
    assert core.phase is Phase.DISCLOSE
    assert set(core.contributions) == {0, 1, 3}
    keys = core.keys[2]
    shares = ShareTable.check(
        core.group, seats=4, dealer=2, hand_key=keys.hand_key, commitments=keys.commitments
    )
    opened = {}
    for seat in (0, 1, 3):
        secrets = SeatSecrets.derive(
            seed=core.contributions[seat].seed,
            contexts=core.contexts,
            seat=seat,
            threshold=core.threshold,
        )
        opened[seat] = open_share(
            core.group,
            core.sealer,
            core.contexts,
            dealer=2,
            holder=seat,
            secret=secrets.sealing_secret,
            sealing_key=core.commits[2].sealing_key,
            shares=keys.shares,
            table=shares,
        )
    assert combine_shares(opened) == table.peers[2].machine._core.secrets.hand_secret
    assert core.group.base_mul([combine_shares(opened)]) == keys.hand_key


def test_row_13_nobody_stands_in_for_a_seat_that_is_there() -> None:
    """Honest machines never use a share by themselves, however long they wait."""
    table = waiting_for_a_token()
    for peer in honest(table, 2):
        kinds = {decode_envelope(data).kind for data in peer.disk}
        assert kinds.isdisjoint({Kind.ESCROW, Kind.DROP, Kind.REFUSE, Kind.RETURN})


def test_row_13_cases_are_what_they_say() -> None:
    second = [e for e in envelopes() if (e.kind, e.seat) == (Kind.TOKENS, 2)][1].message
    assert isinstance(second, Tokens)
    assert second.purpose.label == "draw"
