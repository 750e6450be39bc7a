"""Messages that do not come, come again, or belong to another hand (docs/protocol.md S4, S12).

Silence proves nothing: whatever a seat keeps back, the others wait for it by name and blame nobody.
And what was sent once proves nothing a second time.
"""

import random

import pytest

from p2pokey.hand.effects import Abandon, Phase, Waiting
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from p2pokey.transcript.messages import Kind
from tests.attacks.support import (
    SEED,
    SHORT,
    AttackTable,
    envelopes,
    honest,
    named_by_audit,
    new_table,
    played,
)
from tests.sim.cheats import fall_silent

SEATS = range(4)


def chain(seat: int) -> list[Kind]:
    """Kinds of the seat's messages in the honest hand, in its own order."""
    own = sorted((e for e in envelopes() if e.seat == seat), key=lambda e: e.seq)
    return [envelope.kind for envelope in own]


# Withheld -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(chain(2))), ids=lambda n: f"{n}-{chain(2)[n].label}")
def test_row_13_from_any_message_on_a_silent_seat_is_waited_for(number: int) -> None:
    """The seat's messages from one on reach nobody; once for each message of a whole hand."""
    table = new_table()
    fall_silent(table, 2, after=number)
    table.run()
    waits = {peer.machine.waiting() for peer in honest(table, 2)}
    assert len(waits) == 1, waits
    (waiting,) = waits
    assert waiting.seats == (2,)
    assert waiting.phase in PHASES_OF[chain(2)[number]]
    for peer in honest(table, 2):
        assert (peer.machine.fault, peer.stopped, peer.finished) == (None, None, None)
    # Nobody is further than the one who has everything.
    assert len({peer.machine.step for peer in honest(table, 2)}) == 1


@pytest.mark.parametrize("kind", [Kind.KEYS, Kind.TOKENS, Kind.END])
def test_row_13_the_file_of_a_hand_that_is_not_over_names_nobody(kind: Kind) -> None:
    """Saved after a crash, say: seat 3 of the table is silent, and seat 4 has done nothing wrong."""
    table = new_table()
    fall_silent(table, 2, after=chain(2).index(kind))
    table.run()
    for peer in honest(table, 2):
        assert named_by_audit(peer) == set()


PHASES_OF = {
    Kind.COMMIT: (Phase.COMMIT,),
    Kind.KEYS: (Phase.KEYS,),
    Kind.SHUFFLE: (Phase.SHUFFLE,),
    Kind.READY: (Phase.READY,),
    Kind.TOKENS: (Phase.DEAL, Phase.INDICATOR, Phase.PLAY),
    Kind.MOVE: (Phase.PLAY,),
    Kind.END: (Phase.END,),
    Kind.DISCLOSE: (Phase.DISCLOSE,),
    Kind.RESULT: (Phase.RESULT,),
}


def test_row_13_every_kind_of_message_is_withheld_once() -> None:
    assert set(chain(2)) == set(PHASES_OF)


@pytest.mark.parametrize("kind", [Kind.KEYS, Kind.SHUFFLE, Kind.TOKENS, Kind.END])
def test_row_13_silence_towards_one_seat_blames_nobody(kind: Kind) -> None:
    """Only one seat lacks a message; the others go on until they need that seat in turn."""
    table = new_table()
    fall_silent(table, 2, after=chain(2).index(kind), to={0})
    table.run()
    assert table.peers[0].machine.waiting().seats == (2,)
    for peer in honest(table, 2):
        assert (peer.machine.fault, peer.stopped, peer.finished) == (None, None, None)
        assert set(peer.machine.waiting().seats) <= {0, 2}
    # When all have given up, no file holds the silence against anybody.
    for peer in honest(table, 2):
        peer.machine.act(Abandon(reason="it takes too long"), table.now)
    table.run()
    for peer in honest(table, 2):
        assert peer.machine.phase is Phase.STOPPED
        assert (peer.machine.fault, named_by_audit(peer)) == (None, set())


@pytest.mark.parametrize("number", [1, 3, 6])
def test_row_13_two_silent_seats_are_both_waited_for(number: int) -> None:
    table = new_table()

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        is_late = decode_envelope(data).seq >= number
        return [] if source in (1, 2) and is_late else [data]

    table.wire = wire
    table.run()
    waits = {table.peers[seat].machine.waiting() for seat in (0, 3)}
    assert len(waits) == 1
    (waiting,) = waits
    assert waiting.seats
    assert set(waiting.seats) <= {1, 2}
    for seat in (0, 3):
        assert table.peers[seat].machine.fault is None


def test_row_13_a_seat_that_speaks_again_is_heard() -> None:
    """What was kept back arrives later in one go: the hand goes on as if nothing had been."""
    table = new_table()
    kept: list[tuple[Seat, bytes]] = []

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        if source == 2 and decode_envelope(data).seq >= 5:
            kept.append((receiver, data))
            return []
        return [data]

    table.wire = wire
    table.run()
    assert table.peers[0].machine.waiting() == Waiting(phase=Phase.PLAY, seats=(2,))
    while kept:
        for receiver, data in list(kept):
            kept.remove((receiver, data))
            table.peers[receiver].machine.receive(data, Seat(2), table.now)
        table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert table.peers[1].machine.transcript() == played()


# Replayed -----------------------------------------------------------------------------------------


def whole_hand(seed: str = SEED, *, hand: int = 0) -> list[bytes]:
    """Everything that was sent in a hand."""
    if hand == 0:
        return [envelope.encoded for envelope in envelopes(seed)]
    table = new_table(seed, hand=hand)
    table.autoplay = False
    table.run()
    return table.peers[0].disk


def mixed_into(table: AttackTable, strangers: list[bytes]) -> None:
    """Every link brings some of these messages between its own, whoever signed them."""
    rng = random.Random("replay")

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        return [*rng.sample(strangers, min(3, len(strangers))), data]

    table.wire = wire


EARLIER = {
    "hand before": lambda: whole_hand(),
    "hand after": lambda: whole_hand(hand=2),
    "other table": lambda: whole_hand(SHORT[1]),
    "hands before and after": lambda: whole_hand() + whole_hand(hand=2),
}


@pytest.mark.parametrize("name", EARLIER)
def test_row_09_whole_hands_mixed_into_another_change_nothing(name: str) -> None:
    strangers = EARLIER[name]()
    table = new_table(hand=1)
    table.autoplay = False
    alone = table.setup
    mixed_into(table, strangers)
    table.run()
    assert alone.hand == 1
    for peer in table.peers:
        # Nobody plays by itself here: all wait for the first move, with nothing lost.
        assert peer.machine.waiting().phase is Phase.PLAY
        assert (peer.machine.fault, peer.stopped) == (None, None)
        assert set(peer.disk).isdisjoint(strangers)


def test_row_09_a_hand_with_all_of_another_mixed_in_is_finished() -> None:
    """To the end: the file has none of the foreign lines, and the audit finds nothing."""
    table = new_table(hand=1)
    mixed_into(table, whole_hand())
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert len({peer.machine.transcript() for peer in table.peers}) == 1
    assert named_by_audit(table.peers[0]) == set()


def test_row_09_a_hand_repeated_to_itself_is_the_same_hand() -> None:
    """Every message comes again and again, through all links, and after the hand as well."""
    table = new_table()
    sent: list[bytes] = []
    rng = random.Random("again")

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        sent.append(data)
        return [data, *rng.sample(sent, min(2, len(sent)))]

    table.wire = wire
    table.run()
    for peer in table.peers:
        for data in sent:
            peer.machine.receive(data, Seat((peer.seat + 1) % 4), table.now)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert {peer.machine.transcript() for peer in table.peers} == {played()}
    for peer in table.peers:
        assert len(peer.disk) == len(set(peer.disk)) == len(envelopes())


def test_row_09_own_messages_that_come_back_are_ignored() -> None:
    """A link that echoes: seats hear themselves."""
    table = new_table()
    for _ in range(300):
        table.step()
    for peer in table.peers:
        for data in [d for d in peer.disk if decode_envelope(d).seat == peer.seat]:
            peer.machine.receive(data, Seat((peer.seat + 1) % 4), table.now)
    table.run()
    assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * 4
    assert table.peers[3].machine.transcript() == played()
