"""Sorts what the links bring: this hand's messages, those of the table, early messages and who is there.

No input or output of its own. A seat may be one attempt ahead of this one, with very little: its
next round needs this seat's message. What cannot be sorted goes to the hand machine, which knows
whom to blame for it.

What nobody takes is bounded for each seat by itself, and what is taken comes from all in turn: a seat
that sends too much loses its own messages, and nobody else's wait behind them. What a seat repeats
is dropped.
"""

import logging
from collections import Counter
from collections.abc import Callable

from p2pokey.errors import DecodeError
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MeshEvent, MessageReceived
from p2pokey.peer.links import is_gone
from p2pokey.table.have import Have, decode_have, is_have
from p2pokey.table.messages import is_link, is_table_message
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import VERSION

MAX_EARLY = 8
"""Messages kept per seat for the next attempt; an honest seat sends two at most."""
MAX_PENDING = 512
"""Messages of one seat that may wait to be taken: twice all that it passes on of a whole hand."""
MAX_PENDING_BYTES = 4 * 1024 * 1024
"""Their bytes: two hands and more."""
_LOG_EVERY = 1000

_SESSION = slice(1, 33)
_HAND = slice(33, 37)
"""Where an envelope's body has its session and its attempt (docs/transcript-format.md)."""

_log = logging.getLogger(__name__)


class Postbox:
    """The sorted incoming messages of one table."""

    def __init__(self, *, session: bytes, seats: int) -> None:
        self._session = session
        self._seats = seats
        self.on_table: Callable[[MessageReceived], None] = self.put_strange
        """Takes messages of the table chains and links of new rooms, at once."""
        self._hand = 0
        self._is_known: Callable[[bytes], bool] = _nothing_is_known
        self._now: dict[Seat, dict[bytes, int]] = {}
        """What each seat has sent, oldest first, and when it came in the order of all."""
        self._arrived = 0
        self._waiting_bytes: Counter[Seat] = Counter()
        self._early: dict[Seat, list[MessageReceived]] = {}
        self._haves: dict[tuple[Seat, bool], Have] = {}
        self.dropped: Counter[Seat] = Counter()
        """How many messages of each seat were too many."""
        self.strangers: set[Seat] = set()
        """Seats that sent what is no message of this table, since the current attempt began."""
        self.links: dict[Seat, LinkChanged] = {}
        """Newest state of each seat's link, once it has changed."""

    def put(self, event: MeshEvent) -> None:
        """Takes one event of a link."""
        match event:
            case LinkChanged(seat=seat):
                self.links[seat] = event
            case MessageReceived(data=data) if is_table_message(data) or is_link(data):
                self.on_table(event)
            case MessageReceived(data=data) if is_have(data):
                self._put_have(event)
            case MessageReceived():
                self._put_message(event)

    def begin(self, hand: int, is_known: Callable[[bytes], bool] | None = None) -> None:
        """Attempt `hand` begins: what came early for it is now due.

        Args:
            hand: its number.
            is_known: whether a message of it has been accepted; such a one is dropped.
        """
        self.strangers.clear()
        self._turn_to(hand, is_known or _nothing_is_known)

    def expect(self, hand: int) -> None:
        """Attempt `hand` is the next one: what comes for it waits until it begins.

        Else a seat that comes back between two attempts, which others have begun already, would lose
        what they answer it with.
        """
        if hand > self._hand:
            self._turn_to(hand, _nothing_is_known)

    def _turn_to(self, hand: int, is_known: Callable[[bytes], bool]) -> None:
        self._is_known = is_known
        if hand != self._hand:
            self._clear()
        self._hand = hand
        early, self._early = self._early, {}
        for messages in early.values():
            for message in messages:
                self._put_message(message)

    def take(self, most: int | None = None) -> list[MessageReceived]:
        """This attempt's messages since the last call, in the order in which they came.

        Args:
            most: how many at most, from all seats in turn; the others stay. None: all.
        """
        left = self.pending if most is None else min(most, self.pending)
        taken: list[tuple[int, MessageReceived]] = []
        while len(taken) < left:
            seats = list(self._now)[: left - len(taken)]
            taken += [self._take_oldest(seat) for seat in seats]
        return [message for _, message in sorted(taken, key=lambda item: item[0])]

    def _take_oldest(self, seat: Seat) -> tuple[int, MessageReceived]:
        waiting = self._now.pop(seat)
        data = next(iter(waiting))
        arrived = waiting.pop(data)
        self._waiting_bytes[seat] -= len(data)
        if waiting:
            self._now[seat] = waiting  # behind the other seats
        return arrived, MessageReceived(seat=seat, data=data)

    def take_haves(self) -> list[tuple[Seat, Have]]:
        """The newest question and the newest answer of each seat, since the last call."""
        haves, self._haves = self._haves, {}
        return [(seat, have) for (seat, _), have in haves.items()]

    def put_have(self, seat: Seat, have: Have) -> None:
        """Keeps a HAVE for later, unless there is a newer one."""
        self._haves.setdefault((seat, have.asks), have)

    @property
    def pending(self) -> int:
        """Messages that nobody has taken yet."""
        return sum(map(len, self._now.values()))

    @property
    def gone(self) -> tuple[Seat, ...]:
        """Seats from which nothing more is to be expected."""
        return tuple(sorted(seat for seat, link in self.links.items() if is_gone(link.state)))

    def has_left(self, seat: Seat) -> bool:
        """Whether that seat has said goodbye."""
        link = self.links.get(seat)
        return link is not None and link.state is LinkState.LEFT

    def _put_message(self, message: MessageReceived) -> None:
        data = message.data
        is_envelope = data[:1] == bytes([VERSION]) and data[_SESSION] == self._session
        hand = int.from_bytes(data[_HAND], "little")
        if not is_envelope:
            self.put_strange(message)
        elif hand == self._hand:
            self._keep(message)
        elif hand == self._hand + 1:
            kept = self._early.setdefault(message.seat, [])
            if message in kept:
                return
            if len(kept) < MAX_EARLY:
                kept.append(message)
            else:
                self._drop(message.seat)

    def _put_have(self, message: MessageReceived) -> None:
        try:
            have = decode_have(message.data)
        except DecodeError as error:
            _log.warning("seat %d sent a bad HAVE: %s", message.seat + 1, error)
            self.put_strange(message)
            return
        if have.session == self._session and len(have.counts) == self._seats:
            self._haves[message.seat, have.asks] = have

    def put_strange(self, message: MessageReceived) -> None:
        """Within a hand the machine takes it, and signs whom it blames."""
        self.strangers.add(message.seat)
        self._keep(message)

    def _keep(self, message: MessageReceived) -> None:
        seat, data = message.seat, message.data
        waiting = self._now.get(seat, {})
        # Only what the same seat has sent counts as waiting: nobody's message waits behind another's.
        if data in waiting or self._is_known(data):
            return
        is_many = len(waiting) >= MAX_PENDING
        if is_many or self._waiting_bytes[seat] + len(data) > MAX_PENDING_BYTES:
            self._drop(seat)
            return
        self._arrived += 1
        self._waiting_bytes[seat] += len(data)
        waiting[data] = self._arrived
        self._now[seat] = waiting

    def _clear(self) -> None:
        self._now.clear()
        self._waiting_bytes.clear()

    def _drop(self, seat: Seat) -> None:
        """Not every one is logged: the log must not grow as fast as a seat can send."""
        self.dropped[seat] += 1
        count = self.dropped[seat]
        if count == 1 or count % _LOG_EVERY == 0:
            _log.warning("seat %d sends too much: %d messages dropped", seat + 1, count)


def _nothing_is_known(data: bytes) -> bool:
    del data
    return False
