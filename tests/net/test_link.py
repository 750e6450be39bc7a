"""One link: whatever the transport does, messages arrive once, in order, or the link is over."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import LinkError, LocalProtocolError
from p2pokey.net import link
from p2pokey.net.frames import CHUNK_BYTES, Frame, FrameType, decode_frame, encode_frame
from p2pokey.net.link import (
    AWAY_S,
    MAX_BACKLOG_BYTES,
    PING_S,
    UNSTABLE_S,
    FrameReady,
    Link,
    LinkBroken,
    LinkState,
    MessageArrived,
    StateChanged,
)

messages = st.lists(st.binary(max_size=40) | st.integers(0, 3 * CHUNK_BYTES).map(bytes), max_size=6)


class End:
    """A link, and what came out of it."""

    def __init__(self):
        self.link = Link(now=0.0)
        self.frames = []
        self.messages = []
        self.states = []
        self.errors = []

    def poll(self):
        for effect in self.link.poll():
            match effect:
                case FrameReady():
                    self.frames.append(effect.frame)
                case MessageArrived():
                    self.messages.append(effect.message)
                case StateChanged():
                    self.states.append(effect.state)
                case LinkBroken():
                    self.errors.append(effect.error)

    def take_frames(self):
        self.poll()
        frames, self.frames = self.frames, []
        return frames

    def receive(self, frames, now=0.0):
        for frame in frames:
            self.link.receive(frame, now)
        self.poll()


def make_ends():
    ends = End(), End()
    for end in ends:
        end.link.attach(0.0)
    settle(*ends)
    return ends


def settle(left, right, now=0.0):
    """Delivers everything until both are quiet."""
    while True:
        there, back = left.take_frames(), right.take_frames()
        if not there and not back:
            return
        right.receive(there, now)
        left.receive(back, now)


def control(kind, sequence=0, **fields):
    return encode_frame(Frame(type=kind, sequence=sequence, **fields))


@given(messages, messages)
def test_messages_arrive_in_order_both_ways(there, back):
    left, right = make_ends()
    for message in there:
        left.link.send(message)
    for message in back:
        right.link.send(message)
    settle(left, right)

    assert right.messages == there
    assert left.messages == back
    assert left.link.is_flushed
    assert right.link.is_flushed


@settings(deadline=None)
@given(messages, st.data())
def test_messages_survive_lost_transports(sent, data):
    """Each transport delivers some frames of each direction in order, and then nothing."""
    left, right = make_ends()
    for message in sent:
        left.link.send(message)
    for _ in range(data.draw(st.integers(0, 4))):
        there, back = left.take_frames(), right.take_frames()
        right.receive(there[: data.draw(st.integers(0, len(there)))])
        left.receive(back[: data.draw(st.integers(0, len(back)))])
        for end in (left, right):
            end.link.detach()
            end.take_frames()
        if data.draw(st.booleans()):
            left.link.send(b"meanwhile")
            sent = [*sent, b"meanwhile"]
        for end in (left, right):
            end.link.attach(0.0)
    settle(left, right)

    assert right.messages == sent
    assert right.errors == left.errors == []
    assert left.link.is_flushed


@settings(deadline=None)
@given(messages, st.randoms(use_true_random=False), st.integers(0, 8))
def test_shuffled_or_repeated_frames_never_give_wrong_messages(sent, rng, swaps):
    left, right = make_ends()
    for message in sent:
        left.link.send(message)
    frames = left.take_frames()
    frames += [frame for frame in frames if rng.random() < 0.3]
    for _ in range(swaps):
        if len(frames) > 1:
            i, j = rng.randrange(len(frames)), rng.randrange(len(frames))
            frames[i], frames[j] = frames[j], frames[i]
    right.receive(frames)

    assert right.messages == sent[: len(right.messages)]
    if right.messages != sent:
        assert len(right.errors) == 1


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_garbage_ends_the_link_and_never_raises(frames):
    _, right = make_ends()
    right.receive(frames)

    assert all(isinstance(error, LinkError) for error in right.errors)
    assert len(right.errors) <= 1
    assert (right.link.state is LinkState.LEFT) == bool(right.errors)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"hello, this is no frame",
        control(FrameType.DATA, 2, payload=b"x"),  # a gap
        control(FrameType.DATA, 1, index=1, count=2, payload=b"x"),  # second chunk first
        control(FrameType.ACK, 1),  # for something never sent
        control(FrameType.BYE, 2),
        control(FrameType.NONCE, payload=bytes(32)),
        control(FrameType.AUTH, payload=bytes(226)),
    ],
)
def test_what_ends_a_link(frame):
    _, right = make_ends()
    right.receive([frame])

    assert len(right.errors) == 1
    assert right.states == [LinkState.LEFT]
    right.link.send(b"x")
    right.link.timer(100.0)
    right.link.attach(100.0)
    assert right.take_frames() == []
    assert right.link.next_timer() is None


def test_chunks_of_two_messages_do_not_mix():
    _, right = make_ends()
    first = control(FrameType.DATA, 1, index=0, count=2, payload=bytes(CHUNK_BYTES))
    right.receive([first, control(FrameType.DATA, 1, index=1, count=3, payload=bytes(CHUNK_BYTES))])

    assert "expected 2 chunks" in str(right.errors[0])


def test_a_goodbye_inside_a_message_is_none():
    _, right = make_ends()
    first = control(FrameType.DATA, 1, index=0, count=2, payload=bytes(CHUNK_BYTES))
    right.receive([first, control(FrameType.BYE, 1)])

    assert len(right.errors) == 1


def test_a_goodbye_comes_after_everything_and_is_acknowledged():
    left, right = make_ends()
    left.link.send(bytes(40_000))
    left.link.bye()
    left.link.send(b"too late")
    settle(left, right)

    assert right.messages == [bytes(40_000)]
    assert right.states == [LinkState.LEFT]
    assert left.link.is_flushed
    assert left.errors == right.errors == []


def test_both_may_say_goodbye_at_once():
    left, right = make_ends()
    left.link.send(b"last")
    for end in (left, right):
        end.link.bye()
    there, back = left.take_frames(), right.take_frames()
    right.receive(there)
    left.receive(back)
    settle(left, right)

    assert right.messages == [b"last"]
    assert left.link.is_flushed
    assert right.link.is_flushed


def test_pings_are_answered():
    left, right = make_ends()
    left.link.timer(PING_S - 0.01)
    assert left.take_frames() == []
    left.link.timer(PING_S)
    pings = left.take_frames()
    assert [decode_frame(ping).type for ping in pings] == [FrameType.PING]
    right.receive(pings, PING_S)
    [pong] = right.take_frames()
    assert decode_frame(pong).type is FrameType.PONG
    assert decode_frame(pong).sequence == decode_frame(pings[0]).sequence


def test_silence_is_noticed_in_two_steps_and_ends_with_the_next_frame():
    left, _ = make_ends()
    for now in (UNSTABLE_S - 0.01, UNSTABLE_S, AWAY_S - 0.01, AWAY_S, AWAY_S + 100):
        left.link.timer(now)
        left.poll()
    assert left.states == [LinkState.UNSTABLE, LinkState.AWAY]
    left.receive([control(FrameType.PONG, 1)], AWAY_S + 101)

    assert left.states[-1] is LinkState.HERE


def test_silence_is_noticed_without_a_transport_too():
    left, _ = make_ends()
    left.link.detach()
    assert left.link.next_timer() == UNSTABLE_S
    left.link.timer(AWAY_S)
    left.poll()
    assert left.states == [LinkState.AWAY]
    assert left.link.next_timer() is None
    left.link.attach(20.0)
    left.poll()

    assert left.states[-1] is LinkState.HERE


def test_next_timer_is_never_late():
    left, _ = make_ends()
    now = 0.0
    while now < AWAY_S:
        now = left.link.next_timer()
        before = len(left.states) + len(left.frames)
        left.link.timer(now)
        left.poll()

        assert len(left.states) + len(left.frames) > before


def test_a_large_message_is_refused_here():
    left, _ = make_ends()
    with pytest.raises(LocalProtocolError):
        left.link.send(bytes(2**20 + 1))


def test_a_seat_that_takes_nothing_is_given_up():
    left, _ = make_ends()
    left.link.detach()
    message = bytes(2**20)
    for _ in range(MAX_BACKLOG_BYTES // len(message)):
        left.link.send(message)
    left.poll()

    assert [str(error) for error in left.errors] == ["the other player takes nothing any more"]
    assert left.link.state is LinkState.LEFT


def test_empty_messages_are_bounded_too(monkeypatch):
    monkeypatch.setattr(link, "MAX_BACKLOG_BYTES", 640)
    left, _ = make_ends()
    left.link.detach()
    for _ in range(11):
        left.link.send(b"")
    left.poll()

    assert len(left.errors) == 1


def test_refusing_ends_the_link_once():
    left, _ = make_ends()
    for _ in range(2):
        left.link.refuse(LinkError("enough"))
    left.poll()

    assert [str(error) for error in left.errors] == ["enough"]
