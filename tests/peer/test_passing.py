"""Who lacks something gets it from whoever has it, and nobody is flooded."""

import pytest

from p2pokey.native.identity import Ed25519Verifier
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.passing import Archive, Passing
from p2pokey.peer.postbox import Postbox
from p2pokey.table.have import Have, decode_have, encode_have, is_have
from p2pokey.tiles import Seat
from tests.hand.test_whole_hand import finished
from tests.peer.memory import Hub
from tests.peer.test_postbox import wish

SESSION = b"\x42" * 32


class Desk:
    """One seat's passing, and what it sends to whom."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.sent: list[tuple[int, bytes]] = []
        self.hub.wire = self.note
        roster = tuple(signer.public_key for signer in self.hub.signers)
        self.box = Postbox(session=SESSION, roster=roster, verifier=Ed25519Verifier())
        self.now = 100.0
        self.passing = Passing(
            links=self.hub.links[0], postbox=self.box, seats=4, clock=lambda: self.now
        )
        self.archive = self.passing.begin(0)

    def note(self, source: Seat, target: Seat, data: bytes) -> list[bytes]:
        self.sent.append((target, data))
        return []

    def hear(self, seat: int, counts: tuple[int, ...], *, asks: bool = True, hand: int = 0) -> None:
        have = Have(session=SESSION, hand=hand, asks=asks, counts=counts, table=(0,) * 4)
        self.box.put(MessageReceived(seat=Seat(seat), data=encode_have(have)))

    def take(self) -> list[tuple[int, bytes]]:
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    for data in finished(0).peers[0].disk:
        made.archive.add(data)
    return made


def test_a_question_is_answered_with_what_is_missing_and_then_the_own_counts(desk: Desk):
    counts = desk.archive.counts
    desk.hear(2, (counts[0], counts[1] - 2, counts[2], counts[3]))
    desk.passing.answer()
    sent = desk.take()

    assert [target for target, _ in sent] == [2, 2, 2]
    assert [data for _, data in sent[:2]] == desk.archive.after((999, counts[1] - 2, 999, 999))
    assert decode_have(sent[2][1]) == Have(
        session=SESSION, hand=0, asks=False, counts=counts, table=(0,) * 4
    )


def test_an_answer_is_not_answered(desk: Desk):
    desk.hear(1, desk.archive.counts, asks=False)
    desk.passing.answer()

    assert desk.take() == []
    assert desk.passing.synced == {1}


def test_what_an_answer_lacks_is_sent(desk: Desk):
    counts = desk.archive.counts
    desk.hear(1, (counts[0] - 1, *counts[1:]), asks=False)
    desk.passing.answer()

    assert len(desk.take()) == 1


def test_wishes_are_passed_on(desk: Desk):
    said = wish(3, 0, session=SESSION)
    desk.box.put(MessageReceived(seat=Seat(3), data=said))
    desk.hear(1, desk.archive.counts)
    desk.passing.answer()

    assert (1, said) in desk.take()


def test_the_hand_before_is_still_known_and_older_ones_are_not(desk: Desk):
    desk.passing.begin(1)
    desk.hear(1, (0, 0, 0, 0))
    desk.passing.answer()
    assert len(desk.take()) == sum(desk.archive.counts) + 1
    desk.passing.begin(2)
    desk.now += 1
    desk.hear(1, (0, 0, 0, 0))
    desk.passing.answer()
    ((_, only),) = desk.take()
    assert decode_have(only).counts == (0, 0, 0, 0)


def test_who_asks_too_often_waits(desk: Desk):
    for _ in range(100):
        desk.hear(1, (0, 0, 0, 0))
        desk.passing.answer()
    answers = [data for _, data in desk.take() if is_have(data)]
    assert len(answers) == 1
    desk.now += 1
    desk.passing.answer()
    assert [data for _, data in desk.take() if is_have(data)]


def test_everybody_is_asked_but_not_all_the_time(desk: Desk):
    for _ in range(10):
        desk.passing.ask_all(2.0)
    assert [target for target, _ in desk.take()] == [1, 2, 3]
    desk.now += 2
    desk.passing.ask_all(2.0)
    assert len(desk.take()) == 3


def test_an_archive_keeps_each_chain_in_order_and_once():
    archive = Archive(4)
    disk = finished(0).peers[0].disk
    for data in (*disk, *disk, b"noise"):
        archive.add(data)

    assert sum(archive.counts) == len(disk)
    assert sorted(archive.after((0, 0, 0, 0))) == sorted(disk)
    assert archive.after(archive.counts) == []
