"""Passing on: every seat keeps what it has accepted and gives it to whoever lacks it.

So a seat that was started again gets back what it missed, and a broken link between two seats does
not stop a table, because what is signed may come by any way. All that is passed on goes in portions,
the next one when the one before has arrived: a link keeps only so much that is not acknowledged, a seat
that comes back over a slow line asks more often than it can receive, and a seat that lies can make its
own chain, of votes in a hand too, longer than a link takes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from p2pokey.errors import DecodeError
from p2pokey.peer.links import Links
from p2pokey.peer.postbox import Postbox
from p2pokey.table.have import Have, encode_have
from p2pokey.table.machine import TableMachine
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope

ASK_S = 2.0
"""Seconds between two questions while something is awaited."""
ASK_MOVE_S = 10.0
"""The same while only a move is awaited, for which a player may think."""
ASK_BROKEN_S = 0.5
"""The same while the awaited seat has no link to us: others may have its message."""
_ANSWER_S = 0.2
"""A seat that asks more often than that is answered later."""
PORTION_BYTES = 512 * 1024
"""Sent for one question at most; links keep 8 MiB that is under way."""
_SMALL_BYTES = 64 * 1024
"""So little is sent again for every question."""
_SHOW_S = 1.0
"""Between two portions that are sent unasked."""
_ARRIVES_S = 10.0
"""After that time a portion that has not arrived is taken as lost."""


def _covers(some: Iterable[int], others: Iterable[int]) -> bool:
    return all(a >= b for a, b in zip(some, others, strict=True))


class Archive:
    """The accepted envelopes of one attempt; one thread adds, any thread reads."""

    def __init__(self, seats: int) -> None:
        self._chains: tuple[list[tuple[int, bytes]], ...] = tuple([] for _ in range(seats))
        self._all: set[bytes] = set()

    def add(self, data: bytes) -> None:
        """Keeps the next envelope of its author; what is no envelope or known is left out."""
        try:
            envelope = decode_envelope(data)
        except DecodeError:
            return
        chain = self._chains[envelope.seat]
        if envelope.seq == len(chain):
            chain.append((envelope.step, data))
            self._all.add(data)

    def has(self, data: bytes) -> bool:
        """Whether it is one of them."""
        return data in self._all

    @property
    def counts(self) -> tuple[int, ...]:
        """Envelopes of each seat."""
        return tuple(map(len, self._chains))

    def after(self, counts: Iterable[int]) -> list[bytes]:
        """What a seat with these counts lacks, each author's in order, and all authors' by step.

        So whoever gets only the first of it can go on with the hand.
        """
        missing: list[tuple[int, bytes]] = []
        for chain, count in zip(self._chains, counts, strict=False):
            missing += _rising(chain[count:])
        return [data for _, data in sorted(missing, key=lambda item: item[0])]


def _rising(chain: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """A chain whose steps never fall, whatever its author says: so sorting keeps its order."""
    step, rising = 0, []
    for own, data in chain:
        step = max(step, own)
        rising.append((step, data))
    return rising


@dataclass(frozen=True, slots=True, kw_only=True)
class _Portion:
    """Much that is on its way to a seat."""

    hand: int
    """The attempt that it is of, besides the table chains."""
    count: int
    """Messages of that attempt that the seat has when it has arrived."""
    table: int
    """The same of the table chains."""
    until: float
    """When it is taken as lost."""

    def is_under_way(self, have: Have, now: float) -> bool:
        """Whether the seat may still get it, by what it says that it has."""
        if now >= self.until:
            return False
        is_hand = have.hand == self.hand and sum(have.counts) < self.count
        return is_hand or sum(have.table) < self.table


def _first_of(messages: list[bytes]) -> list[bytes]:
    """The first messages, as many as make a portion."""
    size = 0
    for count, data in enumerate(messages):
        size += len(data)
        if size > PORTION_BYTES:
            return messages[:count]
    return messages


@dataclass(kw_only=True)
class Passing:
    """One seat's questions and answers about what there is."""

    links: Links
    postbox: Postbox
    machine: TableMachine
    """Has the table chains."""
    seats: int
    clock: Callable[[], float]
    check: Callable[[], None] = lambda: None
    """Raises if nothing may be sent any more: the machine has something that is on no disk."""
    on_all_answered: Callable[[], None] = lambda: None
    """Called once, when every other seat has answered a question of this run."""
    hand: int = 0
    """Current attempt."""
    synced: set[Seat] = field(default_factory=set)
    """Seats that have answered since the current attempt was begun or taken up again."""
    known: dict[Seat, Have] = field(default_factory=dict)
    """What each seat has said last of what it has."""
    _archives: dict[int, Archive] = field(default_factory=dict)
    _heard: set[Seat] = field(default_factory=set)
    _answered: dict[Seat, float] = field(default_factory=dict)
    _asked: float = float("-inf")
    _portions: dict[Seat, _Portion] = field(default_factory=dict)
    """What each seat was sent last, if that was much."""
    _unanswered: dict[Seat, tuple[float, int]] = field(default_factory=dict)
    """Seats that were asked as they came: when, and how much this seat had then."""
    _shown: dict[Seat, tuple[float, list[bytes]]] = field(default_factory=dict)
    """What seats are still to be sent unasked, and from when on."""

    @property
    def unheard(self) -> set[Seat]:
        """Seats that have answered no question of this run yet."""
        return set(map(Seat, range(self.seats))) - self._heard - {self.links.seat}

    def begin(self, hand: int) -> Archive:
        """Attempt `hand` begins; that of the one before is kept for seats that lag behind."""
        self.hand = hand
        self.synced.clear()
        self._shown.clear()
        archive = self._archives.setdefault(hand, Archive(self.seats))
        self._archives = {n: kept for n, kept in self._archives.items() if n >= hand - 1}
        self._portions = {
            seat: portion
            for seat, portion in self._portions.items()
            if portion.hand in self._archives
        }
        return archive

    def is_level(self, seat: Seat, hand: int) -> bool:
        """Whether that seat has said that it has all of attempt `hand` and of the table chains.

        Only a question tells which attempt its sender is at: an answer repeats that of the question.
        """
        have = self.known.get(seat)
        if have is None or not _covers(have.table, self.machine.counts):
            return False
        archive, is_past = self._archives.get(hand), have.asks and have.hand > hand
        has_all = archive is None or (have.hand == hand and _covers(have.counts, archive.counts))
        return is_past or has_all

    def is_ahead(self, seat: Seat) -> bool:
        """Whether that seat has said that it has more of the table chains than this one."""
        have = self.known.get(seat)
        return have is not None and not _covers(self.machine.counts, have.table)

    def ask(self, seat: Seat) -> None:
        """Asks one seat, which has just become reachable, until it has answered with all it has."""
        self._unanswered[seat] = (self.clock(), self._count)
        self.links.send(seat, self._have(self.hand, asks=True))

    def show(self, seat: Seat) -> None:
        """Sends one seat all there is, known to it or not, and asks: its answer says it has it."""
        archive = self._archives.get(self.hand)
        self.synced.discard(seat)
        everything = [] if archive is None else archive.after((0,) * self.seats)
        self._shown[seat] = (self.clock(), everything)
        self._show_more()

    def _show_more(self) -> None:
        """Sends the next portions of what is shown; the question comes behind the last one."""
        now = self.clock()
        for seat, (due, left) in list(self._shown.items()):
            if now < due:
                continue
            portion = _first_of(left)
            for data in portion:
                self.links.send(seat, data)
            if len(portion) < len(left):
                self._shown[seat] = (now + _SHOW_S, left[len(portion) :])
            else:
                del self._shown[seat]
                self.ask(seat)

    def ask_all(self, pause_s: float = ASK_S, hand: int | None = None) -> None:
        """Asks everybody about an attempt, usually the current one.

        Not if anything was asked less than `pause_s` ago.
        """
        now = self.clock()
        if now - self._asked >= pause_s:
            self._asked = now
            self.links.broadcast(self._have(self.hand if hand is None else hand, asks=True))

    def answer(self) -> None:
        """Answers all questions that have come, and notes the answers."""
        self.check()
        now = self.clock()
        for seat, have in self.postbox.take_haves():
            if now - self._answered.get(seat, float("-inf")) < _ANSWER_S:
                self.postbox.put_have(seat, have)
                continue
            if have.asks:
                self._answered[seat] = now
            self._give(seat, have)
        self._show_more()
        for seat, (asked, count) in list(self._unanswered.items()):
            # What has come meanwhile may have been a portion.
            pause = ASK_S if count == self._count else ASK_BROKEN_S
            if seat not in self.postbox.gone and now - asked >= pause:
                self.ask(seat)

    def lost(self, seat: Seat) -> None:
        """The link to a seat is broken, and what was under way may be lost with it."""
        self._portions.pop(seat, None)
        self._shown.pop(seat, None)

    def _give(self, seat: Seat, have: Have) -> None:
        is_all = self._send_missing(seat, have)
        self.known[seat] = have
        if not have.asks:
            if have.hand == self.hand:
                self.synced.add(seat)
            self._unanswered.pop(seat, None)
            self._note_answer(seat)
            return
        if is_all:
            self.links.send(seat, self._have(have.hand, asks=False))

    def _send_missing(self, seat: Seat, have: Have) -> bool:
        """Sends a portion of what a seat lacks; whether it then has everything."""
        now, before = self.clock(), self._portions.get(seat)
        if before is not None and before.is_under_way(have, now):
            return False
        archive = self._archives.get(have.hand)
        of_hand = [] if archive is None else archive.after(have.counts)
        missing = of_hand + self.machine.after(have.table)
        portion = _first_of(missing)
        for data in portion:
            self.links.send(seat, data)
        if sum(map(len, portion)) > _SMALL_BYTES:
            count = min(len(portion), len(of_hand))
            self._portions[seat] = _Portion(
                hand=have.hand,
                count=sum(have.counts) + count if count else 0,
                table=sum(have.table) + len(portion) - count,
                until=now + _ARRIVES_S,
            )
        return len(portion) == len(missing)

    @property
    def _count(self) -> int:
        """How much this seat has."""
        archive = self._archives.get(self.hand)
        of_hand = 0 if archive is None else sum(archive.counts)
        return of_hand + sum(self.machine.counts)

    def _note_answer(self, seat: Seat) -> None:
        """An answer comes after all that its sender has."""
        if len(self._heard) == self.seats - 1:
            return
        self._heard.add(seat)
        if len(self._heard) == self.seats - 1:
            self.on_all_answered()

    def _have(self, hand: int, *, asks: bool) -> bytes:
        self.check()
        archive = self._archives.get(hand)
        counts = (0,) * self.seats if archive is None else archive.counts
        session, table = self.links.session_id, self.machine.counts
        have = Have(session=session, hand=hand, asks=asks, counts=counts, table=table)
        return encode_have(have)
