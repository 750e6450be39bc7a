"""The table chains: order, gaps, forks, floods; whoever is at fault is named, and nobody else."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import P2POkeyError
from p2pokey.table import chain as chain_module
from p2pokey.table.chain import MAX_EARLY, TableChains
from p2pokey.table.commands import AnswerAsk, AskRematch, Refusal, Say, Synced, WantNext
from p2pokey.table.contents import Chat, Content, Next, QuickPhrase, Wish
from p2pokey.table.effects import (
    AskOpened,
    BadLink,
    BeginHand,
    ChainFull,
    Persist,
    Refused,
    Send,
    TableFault,
)
from p2pokey.table.messages import (
    NO_PREVIOUS,
    TableMessage,
    decode_message,
    encode_link,
    seal_message,
    verify_message,
)
from p2pokey.tiles import Seat
from tests.table.table_net import SESSION, SIGNERS, VERIFIER, Net

ROSTER = tuple(signer.public_key for signer in SIGNERS)


def line(number: int) -> Content:
    return Chat(text=f"line {number}")


def chain(seat: int, contents: list[Content], session: bytes = SESSION) -> list[TableMessage]:
    messages: list[TableMessage] = []
    previous = NO_PREVIOUS
    for seq, content in enumerate(contents):
        message = seal_message(
            SIGNERS[seat],
            session=session,
            seat=Seat(seat),
            seq=seq,
            previous=previous,
            content=content,
        )
        messages.append(message)
        previous = message.body_hash
    return messages


def book() -> TableChains:
    return TableChains(roster=ROSTER, verifier=VERIFIER)


CHAIN = chain(1, [line(number) for number in range(6)])
FORK = chain(1, [line(number + 100 * (number > 2)) for number in range(6)])


@given(st.permutations(range(6)), st.lists(st.integers(0, 5)))
def test_any_order_and_repetitions_give_the_same_chain(order: list[int], again: list[int]):
    chains = book()
    accepted = [each for at in [*order, *again] for each in chains.accept(CHAIN[at])]

    assert accepted == CHAIN == chains.chain(Seat(1))
    assert chains.counts == (0, 6, 0, 0)
    assert chains.head(Seat(1)) == (6, CHAIN[-1].body_hash)
    assert chains.after((9, 4, 0, 0)) == [message.encoded for message in CHAIN[4:]]
    assert not chains.faults


@given(st.permutations(range(12)))
def test_a_fork_is_found_in_any_order(order: list[int]):
    chains = book()
    both = [*CHAIN, *FORK]
    for at in order:
        chains.accept(both[at])

    assert list(chains.faults) == [1]
    evidence = [decode_message(data) for data in chains.faults[Seat(1)].evidence]
    for message in evidence:
        verify_message(VERIFIER, ROSTER, message)
        assert message.seat == 1
    assert chains.faults[Seat(1)].code in ("Equivocation", "BrokenChain")


def test_a_message_that_does_not_follow_breaks_the_chain():
    chains = book()
    chains.accept(CHAIN[0])
    stray = seal_message(
        SIGNERS[1], session=SESSION, seat=Seat(1), seq=1, previous=b"x" * 32, content=line(1)
    )
    assert chains.accept(stray) == ()

    assert chains.faults[Seat(1)].evidence == (CHAIN[0].encoded, stray.encoded)
    assert chains.accept(CHAIN[1]) == ()


def test_early_messages_are_bounded():
    chains = book()
    many = chain(2, [QuickPhrase(code=1)] * (MAX_EARLY + 10))
    for message in many[1:]:
        chains.accept(message)
    assert len(chains.accept(many[0])) == MAX_EARLY + 1


def test_a_stranger_and_a_seat_that_is_not_there_are_refused():
    chains = TableChains(roster=ROSTER[:2], verifier=VERIFIER)
    with pytest.raises(P2POkeyError):
        chains.accept(chain(3, [line(0)])[0])
    forged = CHAIN[0].encoded[:-1] + bytes([CHAIN[0].encoded[-1] ^ 1])
    with pytest.raises(P2POkeyError):
        chains.accept(decode_message(forged))
    assert chains.counts == (0, 0)


def test_a_chain_has_a_limit_and_who_talks_too_much_can_still_play(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(chain_module, "MAX_MESSAGES", 3)
    monkeypatch.setattr(chain_module, "SPARE_MESSAGES", 2)
    wish = Next(attempt=0, wish=Wish.PLAY, sheet=bytes(32))
    chains = book()
    for message in chain(1, [line(0), line(1), line(2), wish, wish, wish]):
        chains.accept(message)
    assert chains.counts[1] == 5
    assert chains.full == {1}

    chains = book()
    for message in chain(1, [line(0), line(1), line(2), line(3), wish]):
        chains.accept(message)
    assert chains.counts[1] == 3
    assert chains.full == {1}
    assert not chains.faults


def test_bytes_are_limited_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chain_module, "MAX_BYTES", 3 * len(CHAIN[0].encoded))
    chains = book()
    for message in CHAIN:
        chains.accept(message)

    assert chains.counts[1] == 3


# At a table --------------------------------------------------------------------------------------


def give(net: Net, seat: int, data: bytes, sender: int) -> None:
    net.chairs[seat].machine.receive(data, Seat(sender), net.now)
    net.carry_out(seat)
    net.run()


def faults(net: Net) -> list[list[tuple[int, str]]]:
    return [[(fault.seat, fault.cause) for fault in heard] for heard in net.told(TableFault)]


def bad_links(net: Net, seat: int) -> list[int]:
    return [bad.seat for bad in net.chairs[seat].heard(BadLink)]


def test_a_fork_is_shown_to_all_and_names_its_author_only():
    net = Net()
    for seat, version in ((0, CHAIN), (2, FORK)):
        for message in version[:4]:
            give(net, seat, message.encoded, 1)
    assert faults(net)[0] == faults(net)[3] == []

    give(net, 2, CHAIN[3].encoded, 0)
    assert faults(net)[0] == faults(net)[2] == [(1, "Equivocation")]
    net.catch_up(3)
    assert [seat for seat, _ in faults(net)[3]] == [1]
    assert bad_links(net, 2) == []
    evidence = net.told(TableFault)[0][0].evidence
    assert {decode_message(data).content for data in evidence} == {line(3), line(103)}


def test_a_seat_with_a_fork_begins_no_hand():
    net = Net()
    give(net, 0, CHAIN[0].encoded, 1)
    give(net, 0, chain(1, [line(9)])[0].encoded, 2)
    net.all_act(WantNext(wish=Wish.PLAY))

    assert net.told(BeginHand)[0] == []


def test_a_fork_is_still_known_after_a_restart():
    net = Net()
    give(net, 0, CHAIN[3].encoded, 1)
    give(net, 0, FORK[3].encoded, 1)
    assert faults(net)[0] == [(1, "Equivocation")]

    net.restart(0)
    assert faults(net)[0] == [(1, "Equivocation")]
    give(net, 0, CHAIN[0].encoded, 1)
    assert net.chairs[0].machine.counts[1] == 0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 50,
        b"\x82",
        b"\x82" + bytes(3000),
        CHAIN[0].encoded[:-1],
        CHAIN[0].encoded[:-1] + b"\xff",
        CHAIN[0].encoded + b"\0",
        encode_link(SESSION, "x" * 600),
        encode_link(SESSION, ""),
    ],
)
def test_garbage_is_the_fault_of_the_link_it_came_by(data: bytes):
    net = Net()
    give(net, 0, data, 2)

    assert bad_links(net, 0) == [2]
    assert faults(net) == [[]] * 4
    assert net.chairs[0].machine.counts == (0, 0, 0, 0)


def test_another_session_is_ignored():
    net = Net()
    give(net, 0, chain(1, [line(0)], session=b"o" * 32)[0].encoded, 1)
    give(net, 0, encode_link(b"o" * 32, "p2pokey://x/Y#z"), 1)

    assert bad_links(net, 0) == []
    assert net.chairs[0].machine.counts == (0, 0, 0, 0)


def test_what_is_signed_may_come_by_any_link():
    net = Net()
    give(net, 0, CHAIN[0].encoded, 3)

    assert net.chairs[0].machine.counts == (0, 1, 0, 0)
    assert bad_links(net, 0) == []


def test_a_full_chain_is_told_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chain_module, "MAX_MESSAGES", 2)
    net = Net()
    for message in CHAIN:
        give(net, 0, message.encoded, 1)

    assert [full.seat for full in net.chairs[0].heard(ChainFull)] == [1]
    assert faults(net) == [[]] * 4


@settings(max_examples=60)
@given(st.binary(max_size=200), st.integers(0, 3))
def test_no_bytes_at_all_raise_or_blame_another_seat(noise: bytes, mark: int):
    machine = NOISE_NET.chairs[0].machine
    machine.receive(bytes([0x80 + mark]) + noise, Seat(2), 1.0)
    for effect in machine.poll():
        assert isinstance(effect, BadLink)
        assert effect.seat == 2


NOISE_NET = Net()


# Coming back -------------------------------------------------------------------------------------


def test_nothing_is_signed_twice_at_any_prefix_of_the_disk():
    """A crash after any record: what was sent before is the beginning of what is said later."""
    net = Net()
    net.act(0, Say(text="hello"))
    net.act(0, WantNext(wish=Wish.PLAY))
    net.run()
    net.act(1, Say(text="hi"))
    net.run()
    net.act(0, Say(text="so"))
    net.run()
    disk = tuple(net.chairs[0].disk)
    for length in range(len(disk) + 1):
        machine = net.machine(0, disk[:length])
        own = machine.counts[0]
        assert machine.after((0, 0, 0, 0)) == [r.payload for r in sorted_by_seat(disk[:length])]
        machine.act(Say(text="and now?"), net.now)
        sent = [decode_message(e.data) for e in machine.poll() if isinstance(e, Send)]
        assert [message.seq for message in sent] == [own]


def sorted_by_seat(records):
    return sorted(records, key=lambda record: decode_message(record.payload).seat)


def test_a_lost_tail_is_asked_back_before_anything_is_signed():
    net = Net()
    net.act(0, Say(text="one"))
    net.act(0, Say(text="two"))
    net.run()
    net.chairs[0].disk.pop()
    net.restart(0, is_tail_lost=True)
    for command in (Say(text="three"), WantNext(wish=Wish.PLAY), AskRematch()):
        assert not any(isinstance(e, Persist | Send) for e in net.act(0, command))

    net.catch_up(0)
    net.act(0, Synced())
    net.run()
    own = net.chairs[1].machine._chains.chain(Seat(0))
    assert [type(message.content) for message in own] == [Chat, Chat, Next]
    assert faults(net) == [[]] * 4


def test_a_question_is_not_answered_before_that_either():
    """The answer that was lost with the tail may be another one."""
    net = Net()
    net.act(1, AskRematch())
    net.run()
    net.act(0, AnswerAsk(asker=Seat(1), seq=0, yes=False))
    net.run()
    net.chairs[0].disk.pop()
    net.restart(0, is_tail_lost=True)
    effects = net.act(0, AnswerAsk(asker=Seat(1), seq=0, yes=True))
    assert not any(isinstance(effect, Persist | Send) for effect in effects)
    assert [e.why for e in effects if isinstance(e, Refused)] == [Refusal.NOT_SYNCED]

    net.catch_up(0)
    net.act(0, Synced())
    net.run()
    assert faults(net) == [[]] * 4


def test_who_is_asked_is_asked_again_once_it_can_answer():
    """Its answer went with the end of its journal, and reached nobody."""
    net = Net()
    net.act(1, AskRematch())
    net.run()
    before = len(net.chairs[0].disk)
    net.act(0, AnswerAsk(asker=Seat(1), seq=0, yes=True))
    for wire in net.wires.values():
        wire.clear()
    assert not net.chairs[0].machine.owes_answer(net.now)
    del net.chairs[0].disk[before:]
    net.restart(0, is_tail_lost=True)
    assert net.chairs[0].heard(AskOpened) == []
    assert net.chairs[0].machine.owes_answer(net.now)

    net.catch_up(0)
    net.act(0, Synced())
    assert [(asked.asker, asked.must_answer) for asked in net.chairs[0].heard(AskOpened)] == [
        (1, True)
    ]


def test_a_program_that_forgot_what_it_signed_blames_itself():
    """A backup of an old journal: the seat stops signing as soon as it sees what it said before."""
    net = Net()
    net.act(0, Say(text="one"))
    net.run()
    net.chairs[0].disk.clear()
    net.restart(0)
    net.act(0, Say(text="another"))
    net.run()

    assert all(seat == 0 for heard in faults(net) for seat, _ in heard)
    assert not any(isinstance(e, Send) for e in net.act(0, Say(text="three")))


def test_records_that_cannot_be_read_are_refused():
    net = Net()
    net.act(0, Say(text="one"))
    record = net.chairs[0].disk[0]
    for cut in itertools.chain(range(0, len(record.payload), 17)):
        broken = type(record)(kind=record.kind, payload=record.payload[:cut])
        with pytest.raises(P2POkeyError):
            net.machine(0, (broken,))
