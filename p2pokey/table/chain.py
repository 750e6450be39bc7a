"""The table chains of all seats: order, gaps, repetitions, forks and limits.

Like transcript/chain.py, for messages beside the hands. A chain that has a fork or a break takes
nothing more; the evidence names its author. Every seat that has seen the same messages keeps the
same chains, whichever way and in whatever order they came.
"""

from collections.abc import Iterable

from p2pokey.errors import BrokenChain, Equivocation, VerificationError
from p2pokey.ports import Verifier
from p2pokey.table.contents import Chat, QuickPhrase
from p2pokey.table.messages import NO_PREVIOUS, TableMessage, verify_message
from p2pokey.tiles import Seat

MAX_EARLY = 256
"""Messages kept per seat while a gap is open; passing on brings them in order."""
MAX_MESSAGES = 20_000
"""Of one seat in one session; a line every two seconds for a whole evening."""
MAX_BYTES = 4 * 1024 * 1024
"""Of one seat in one session."""
SPARE_MESSAGES = 1_000
"""Further messages of a full chain that are no lines, so that a talkative seat can still play."""


class TableChains:
    """What every seat has said at one table."""

    def __init__(self, *, roster: tuple[bytes, ...], verifier: Verifier) -> None:
        self._roster = roster
        self._verifier = verifier
        self._chains: tuple[list[TableMessage], ...] = tuple([] for _ in roster)
        self._heads = [NO_PREVIOUS for _ in roster]
        self._early: tuple[dict[int, TableMessage], ...] = tuple({} for _ in roster)
        self._sizes = [0 for _ in roster]
        self.faults: dict[Seat, VerificationError] = {}
        """Seats whose chain has a fork or a break, with the evidence."""
        self.full: set[Seat] = set()
        """Seats that have said more than is kept."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Accepted messages of each seat."""
        return tuple(map(len, self._chains))

    def accept(self, message: TableMessage) -> tuple[TableMessage, ...]:
        """The messages that are now in order: none for a repetition, a gap or a bad chain.

        A fork or a break is put into `faults`.

        Raises:
            DecodeError: of a seat that the table does not have.
            BadSignature: not signed by its seat.
        """
        if self._has(message):
            return ()
        verify_message(self._verifier, self._roster, message)
        seat = message.seat
        if seat in self.faults:
            return ()
        known = self._at(seat, message.seq)
        if known is not None:
            self.faults[seat] = Equivocation(
                f"seat {seat + 1} signed two different messages number {message.seq}",
                evidence=(known.encoded, message.encoded),
            )
            return ()
        if message.seq > len(self._chains[seat]):
            if len(self._early[seat]) < MAX_EARLY:
                self._early[seat][message.seq] = message
            return ()
        return self._append_all(message)

    def head(self, seat: Seat) -> tuple[int, bytes]:
        """Number of accepted messages of the seat, and `previous` of its next one."""
        return len(self._chains[seat]), self._heads[seat]

    def chain(self, seat: Seat) -> list[TableMessage]:
        """The accepted messages of one seat, in order."""
        return list(self._chains[seat])

    def after(self, counts: Iterable[int]) -> list[bytes]:
        """What a seat with these counts lacks, each author's in order."""
        return [
            message.encoded
            for chain, count in zip(self._chains, counts, strict=False)
            for message in chain[count:]
        ]

    def decisive(self, most: int) -> list[bytes]:
        """The newest messages of each seat that are no chat, at most so many, each author's in order."""
        chosen: list[bytes] = []
        for chain in self._chains:
            kept = [
                message for message in chain if not isinstance(message.content, Chat | QuickPhrase)
            ]
            chosen += [message.encoded for message in kept[-most:]]
        return chosen

    def has_room(self, seat: Seat, *, is_line: bool, size: int) -> bool:
        """Whether a further message of that size would be kept."""
        count, spare = len(self._chains[seat]), 0 if is_line else SPARE_MESSAGES
        fits = self._sizes[seat] + size <= MAX_BYTES or not is_line
        return count < MAX_MESSAGES + spare and fits

    def _has(self, message: TableMessage) -> bool:
        if message.seat >= len(self._roster):
            return False
        known = self._at(message.seat, message.seq)
        return known is not None and known.encoded == message.encoded

    def _at(self, seat: Seat, seq: int) -> TableMessage | None:
        chain = self._chains[seat]
        return chain[seq] if seq < len(chain) else self._early[seat].get(seq)

    def _append_all(self, message: TableMessage) -> tuple[TableMessage, ...]:
        """Appends a message and those that were waiting for it."""
        seat, accepted = message.seat, []
        following: TableMessage | None = message
        while following is not None and self._append(following):
            accepted.append(following)
            following = self._early[seat].pop(len(self._chains[seat]), None)
        return tuple(accepted)

    def _append(self, message: TableMessage) -> bool:
        seat, chain = message.seat, self._chains[message.seat]
        if message.previous != self._heads[seat]:
            before = (chain[-1].encoded,) if chain else ()
            self.faults[seat] = BrokenChain(
                f"message {message.seq} of seat {seat + 1} does not follow the one before it",
                evidence=(*before, message.encoded),
            )
            return False
        is_line = isinstance(message.content, Chat | QuickPhrase)
        if not self.has_room(seat, is_line=is_line, size=len(message.encoded)):
            self.full.add(seat)
            return False
        chain.append(message)
        self._heads[seat] = message.body_hash
        self._sizes[seat] += len(message.encoded)
        return True
