"""Per-seat chains: order, gaps, repetition, forks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import BadSignature, BrokenChain, Equivocation
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.chain import MAX_EARLY, ChainBook
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, decode_envelope, seal_envelope
from p2pokey.transcript.messages import Disclose
from tests.sim.table import make_setup, signer_of

SETUP = make_setup("chain")


def book() -> ChainBook:
    return ChainBook(roster=SETUP.roster, verifier=Ed25519Verifier())


def chain(seat: int, count: int, *, salt: int = 0, after: Envelope | None = None) -> list[Envelope]:
    envelopes: list[Envelope] = []
    start = 0 if after is None else after.seq + 1
    prev = NO_PREVIOUS if after is None else after.body_hash
    for seq in range(start, start + count):
        envelopes.append(
            seal_envelope(
                signer_of("chain", seat),
                session=SETUP.session,
                hand=0,
                seat=Seat(seat),
                seq=seq,
                prev=prev,
                step=seq,
                state=bytes(64),
                message=Disclose(seed=bytes([salt]) * 32),
            )
        )
        prev = envelopes[-1].body_hash
    return envelopes


@given(st.data())
def test_any_order_with_repetitions_gives_each_chain_in_order_once(data: st.DataObject) -> None:
    chains = [chain(seat, 5) for seat in range(4)]
    everything = [envelope for c in chains for envelope in c]
    order = data.draw(st.permutations(everything + everything[::3]))
    chains_book = book()
    accepted: list[Envelope] = []
    for envelope in order:
        accepted.extend(chains_book.accept(envelope))
    assert sorted(accepted, key=lambda e: (e.seat, e.seq)) == everything
    for seat in range(4):
        assert [e for e in accepted if e.seat == seat] == chains[seat]
        assert chains_book.head(Seat(seat)) == (5, chains[seat][-1].body_hash)


def test_a_fork_is_proven_by_both_messages() -> None:
    one, two = chain(1, 1)[0], chain(1, 1, salt=9)[0]
    chains_book = book()
    chains_book.accept(one)
    with pytest.raises(Equivocation) as caught:
        chains_book.accept(two)
    assert caught.value.evidence == (one.encoded, two.encoded)


def test_a_fork_ahead_of_a_gap_is_found_at_once() -> None:
    first = chain(1, 3)
    other = chain(1, 1, salt=9, after=first[1])[0]
    chains_book = book()
    assert chains_book.accept(first[2]) == ()
    with pytest.raises(Equivocation):
        chains_book.accept(other)


def test_a_message_that_does_not_name_its_predecessor_breaks_the_chain() -> None:
    first, stranger = chain(2, 1), chain(2, 2, salt=9)
    chains_book = book()
    chains_book.accept(first[0])
    with pytest.raises(BrokenChain) as caught:
        chains_book.accept(stranger[1])
    assert caught.value.evidence == (first[0].encoded, stranger[1].encoded)


def test_steps_that_go_back_break_the_chain() -> None:
    first = chain(2, 2)
    back = seal_envelope(
        signer_of("chain", 2),
        session=SETUP.session,
        hand=0,
        seat=Seat(2),
        seq=2,
        prev=first[1].body_hash,
        step=0,
        state=bytes(64),
        message=Disclose(seed=bytes(32)),
    )
    chains_book = book()
    for envelope in first:
        chains_book.accept(envelope)
    with pytest.raises(BrokenChain):
        chains_book.accept(back)


def test_another_seats_signature_is_refused() -> None:
    forged = chain(1, 1)[0]
    body = bytearray(forged.encoded)
    body[37] = 2  # the seat byte
    with pytest.raises(BadSignature):
        book().accept(decode_envelope(bytes(body)))


def test_a_seat_outside_the_roster_is_refused() -> None:
    two_seats = ChainBook(roster=SETUP.roster[:2], verifier=Ed25519Verifier())
    with pytest.raises(BrokenChain):
        two_seats.accept(chain(3, 1)[0])


def test_memory_is_bounded_while_a_gap_is_open() -> None:
    long = chain(0, MAX_EARLY + 20)
    chains_book = book()
    for envelope in long[1:]:
        assert chains_book.accept(envelope) == ()
    freed = chains_book.accept(long[0])
    assert len(freed) == MAX_EARLY + 1
    assert chains_book.accept(long[MAX_EARLY + 1]) == (long[MAX_EARLY + 1],)
