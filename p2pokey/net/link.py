"""One link to another seat: numbered messages over whatever transport is there at the moment.

A machine without clock, sockets or tasks. It cuts messages into frames, acknowledges, notices
silence, and survives its transport: after `attach` everything that was not acknowledged is sent
again and what arrives twice is dropped (docs/network.md, Link framing).

Frames arrive in order or not at all, because every transport is ordered. So a gap, a chunk out of
turn or anything else that no correct program sends ends the link (`LinkBroken`); it never raises.

Memory is bounded: one unfinished incoming message of at most 1 MiB, and at most `MAX_BACKLOG_BYTES`
of messages that the other side has not acknowledged.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from p2pokey.errors import LinkError
from p2pokey.net.frames import (
    MAX_SEQUENCE,
    Frame,
    FrameType,
    decode_frame,
    encode_frame,
    split_message,
)

PING_S = 2.0
"""Seconds between pings."""
UNSTABLE_S = 6.0
"""Seconds of silence after which a link counts as unstable: three pings."""
AWAY_S = 15.0
"""Seconds of silence after which the other seat counts as away; WebRTC alone takes 33."""
MAX_BACKLOG_BYTES = 8 * 1024 * 1024
"""A whole hand's messages to a seat that is away."""
_MESSAGE_COST = 64
"""What a small message costs in the backlog, so that empty ones are bounded too."""


class LinkState(StrEnum):
    """How it is with the other seat."""

    HERE = "here"
    """Heard of within the last 6 seconds."""
    UNSTABLE = "unstable"
    """Silent for 6 seconds."""
    AWAY = "away"
    """Silent for 15 seconds; may come back."""
    LEFT = "left"
    """Said goodbye, or broke the link; only another run of its program can come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReady:
    """Send this frame on the attached transport."""

    frame: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageArrived:
    """The next message of the other seat."""

    message: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The state is another one now."""

    state: LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBroken:
    """The link is over: the other side sent what no correct program sends, or took nothing."""

    error: LinkError


LinkEffect = FrameReady | MessageArrived | StateChanged | LinkBroken


class Link:
    """This side of a link.

    Verbs: `attach`, `detach`, `send`, `bye`, `receive`, `timer`; call `poll` after each of them.

    Args:
        now: seconds, monotonic; later calls never give an earlier time.
        state: how it is with the other seat before the first transport.
    """

    def __init__(self, *, now: float, state: LinkState = LinkState.HERE) -> None:
        self._state = state
        self._attached = False
        self._heard = now
        self._pinged = now
        self._pings = 0
        self._sent = 0
        self._unacked: deque[tuple[int, bytes | None]] = deque()
        self._backlog = 0
        self._received = 0
        self._chunks: list[bytes] = []
        self._chunk_count = 0
        self._said_bye = False
        self._effects: list[LinkEffect] = []

    # --- what is known ---

    @property
    def state(self) -> LinkState:
        """How it is with the other seat."""
        return self._state

    @property
    def is_flushed(self) -> bool:
        """Whether the other side has acknowledged everything, a goodbye included."""
        return not self._unacked

    def poll(self) -> list[LinkEffect]:
        """What is to be done, in order; each effect is given once."""
        effects, self._effects = self._effects, []
        return effects

    # --- verbs ---

    def attach(self, now: float) -> None:
        """A new authenticated transport is there: sends again what was not acknowledged."""
        if self._state is LinkState.LEFT:
            return
        self._attached = True
        self._pinged = now
        self._chunks, self._chunk_count = [], 0
        self._hear(now)
        self._put(FrameType.ACK, self._received)
        for sequence, message in self._unacked:
            self._transmit(sequence, message)

    def restart(self) -> None:
        """The other side has begun anew and knows nothing of this link: it is empty again.

        Whoever is above has to say again what still matters.
        """
        self._attached = False
        self._sent, self._received, self._backlog = 0, 0, 0
        self._unacked.clear()
        self._chunks, self._chunk_count = [], 0
        self._said_bye = False
        self._become(LinkState.AWAY)

    def detach(self) -> None:
        """The transport is gone; messages wait for the next one."""
        self._attached = False

    def send(self, message: bytes) -> None:
        """Sends a message, now or after the next `attach`; nothing if the other seat has left.

        Raises:
            LocalProtocolError: the message is larger than 1 MiB.
        """
        if self._state is LinkState.LEFT or self._said_bye:
            return
        frames = split_message(self._sent + 1, message)
        cost = len(message) + _MESSAGE_COST
        if self._backlog + cost > MAX_BACKLOG_BYTES or self._sent + 1 >= MAX_SEQUENCE:
            self._break(LinkError("the other player takes nothing any more"))
            return
        self._sent += 1
        self._backlog += cost
        self._unacked.append((self._sent, message))
        if self._attached:
            self._effects.extend(FrameReady(frame=frame) for frame in frames)

    def bye(self) -> None:
        """Says goodbye after everything that was sent; `is_flushed` tells when it has arrived."""
        if self._state is LinkState.LEFT or self._said_bye:
            return
        self._said_bye = True
        self._sent += 1
        self._unacked.append((self._sent, None))
        if self._attached:
            self._transmit(self._sent, None)

    def receive(self, data: bytes, now: float) -> None:
        """A frame arrived on the attached transport. Never raises for what is in it."""
        if not self._attached:
            return
        try:
            frame = decode_frame(data)
            if self._state is LinkState.LEFT:
                self._take_after_bye(frame)
                return
            self._hear(now)
            self._take(frame)
        except LinkError as error:
            self._break(error)

    def refuse(self, error: LinkError) -> None:
        """Ends the link for a reason that the caller has found, e.g. more than it can hold."""
        if self._state is not LinkState.LEFT:
            self._break(error)

    def timer(self, now: float) -> None:
        """Time has passed: pings, and notices silence."""
        if self._state is LinkState.LEFT:
            return
        if self._attached and now - self._pinged >= PING_S:
            self._pinged = now
            self._pings = (self._pings + 1) % MAX_SEQUENCE
            self._put(FrameType.PING, self._pings)
        silence = now - self._heard
        if silence >= AWAY_S:
            self._become(LinkState.AWAY)
        elif silence >= UNSTABLE_S:
            self._become(LinkState.UNSTABLE)

    def next_timer(self) -> float | None:
        """When `timer` wants to be called, or None if never again."""
        if self._state is LinkState.LEFT:
            return None
        times = [self._pinged + PING_S] if self._attached else []
        if self._state is LinkState.HERE:
            times.append(self._heard + UNSTABLE_S)
        elif self._state is LinkState.UNSTABLE:
            times.append(self._heard + AWAY_S)
        return min(times, default=None)

    # --- frames ---

    def _take(self, frame: Frame) -> None:
        match frame.type:
            case FrameType.DATA:
                self._take_chunk(frame)
            case FrameType.ACK:
                self._take_ack(frame.sequence)
            case FrameType.PING:
                self._put(FrameType.PONG, frame.sequence)
            case FrameType.PONG:
                pass  # having heard it is all that counts
            case FrameType.BYE:
                self._take_bye(frame.sequence)
            case FrameType.NONCE | FrameType.AUTH:
                raise LinkError("expected no authentication on an authenticated link")

    def _take_chunk(self, frame: Frame) -> None:
        if frame.sequence <= self._received:
            if frame.index == frame.count - 1:  # sent again because our answer was lost
                self._put(FrameType.ACK, self._received)
            return
        if frame.sequence != self._received + 1 or frame.index != len(self._chunks):
            expected = f"{self._received + 1} chunk {len(self._chunks)}"
            raise LinkError(f"expected message {expected}, got {frame.sequence} {frame.index}")
        if frame.index and frame.count != self._chunk_count:
            raise LinkError(f"expected {self._chunk_count} chunks, got {frame.count}")
        self._chunk_count = frame.count
        self._chunks.append(frame.payload)
        if len(self._chunks) == frame.count:
            message, self._chunks = b"".join(self._chunks), []
            self._received = frame.sequence
            self._put(FrameType.ACK, self._received)
            self._effects.append(MessageArrived(message=message))

    def _take_ack(self, sequence: int) -> None:
        if sequence > self._sent:
            raise LinkError(f"expected at most {self._sent} to be acknowledged, got {sequence}")
        while self._unacked and self._unacked[0][0] <= sequence:
            _, message = self._unacked.popleft()
            if message is not None:
                self._backlog -= len(message) + _MESSAGE_COST

    def _take_bye(self, sequence: int) -> None:
        if sequence != self._received + 1 or self._chunks:
            raise LinkError(f"expected a goodbye after message {self._received}, got {sequence}")
        self._received = sequence
        self._put(FrameType.ACK, sequence)
        self._become(LinkState.LEFT)

    def _take_after_bye(self, frame: Frame) -> None:
        """Both sides may say goodbye at once: ours still wants its acknowledgement."""
        if frame.type is FrameType.ACK:
            self._take_ack(frame.sequence)

    # --- helpers ---

    def _put(self, kind: FrameType, sequence: int) -> None:
        frame = encode_frame(Frame(type=kind, sequence=sequence))
        self._effects.append(FrameReady(frame=frame))

    def _transmit(self, sequence: int, message: bytes | None) -> None:
        if message is None:
            self._put(FrameType.BYE, sequence)
            return
        frames = split_message(sequence, message)
        self._effects.extend(FrameReady(frame=frame) for frame in frames)

    def _hear(self, now: float) -> None:
        self._heard = now
        self._become(LinkState.HERE)

    def _become(self, state: LinkState) -> None:
        if state is not self._state:
            self._state = state
            self._effects.append(StateChanged(state=state))

    def _break(self, error: LinkError) -> None:
        self._attached = False
        self._chunks, self._backlog = [], 0
        self._unacked.clear()
        self._effects.append(LinkBroken(error=error))
        self._become(LinkState.LEFT)
