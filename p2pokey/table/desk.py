"""What all parts of the table machine share: the chains, the own signature, the effects."""

from collections.abc import Callable

from p2pokey.errors import LocalProtocolError
from p2pokey.ports import Signer
from p2pokey.table.chain import TableChains
from p2pokey.table.commands import Refusal
from p2pokey.table.contents import Chat, Content, QuickPhrase
from p2pokey.table.effects import Effect, Persist, Refused, Send
from p2pokey.table.messages import TableMessage, seal_message
from p2pokey.table.records import Record, RecordKind
from p2pokey.tiles import Seat


class Desk:
    """One seat's place to write."""

    def __init__(self, *, session: bytes, seat: Seat, signer: Signer, chains: TableChains) -> None:
        self.session = session
        self.seat = seat
        self.chains = chains
        self.handle: Callable[[TableMessage, float], None] | None = None
        """What happens with every accepted message, own ones included."""
        self.is_restoring = False
        """Records are being read back: nothing is written, sent or shown."""
        self.is_synced = True
        """Whether this seat knows for sure what it has signed; else it signs nothing."""
        self._signer = signer
        self._effects: list[Effect] = []
        self._told: set[tuple[str, Seat, int]] = set()

    @property
    def can_speak(self) -> bool:
        """Whether this seat may sign something now."""
        return not self.is_restoring and self.is_synced and self.seat not in self.chains.faults

    def emit(self, effect: Effect) -> None:
        """Tells the shell."""
        if not self.is_restoring:
            self._effects.append(effect)

    def is_news(self, what: str, seat: Seat, number: int = 0) -> bool:
        """Whether this is to be told; not a second time."""
        if self.is_restoring or (what, seat, number) in self._told:
            return False
        self._told.add((what, seat, number))
        return True

    def refuse(self, why: Refusal, wait_s: float = 0.0) -> None:
        """Tells the shell that a command has no effect."""
        self.emit(Refused(why=why, wait_s=wait_s))

    def persist(self, kind: RecordKind, payload: bytes) -> None:
        """Has a record written before anything that follows."""
        self.emit(Persist(record=Record(kind=kind, payload=payload)))

    def take_effects(self) -> list[Effect]:
        """The effects since the last call."""
        effects, self._effects = self._effects, []
        return effects

    def say(self, content: Content, now: float) -> bool:
        """Signs a message of this seat and sends it to all; False if there is no room for it."""
        assert self.handle is not None
        seq, previous = self.chains.head(self.seat)
        message = seal_message(
            self._signer,
            session=self.session,
            seat=self.seat,
            seq=seq,
            previous=previous,
            content=content,
        )
        is_line = isinstance(content, Chat | QuickPhrase)
        if not self.chains.has_room(self.seat, is_line=is_line, size=len(message.encoded)):
            return False
        if self.chains.accept(message) != (message,):
            raise LocalProtocolError(f"own message {seq} does not continue the own chain")
        self.persist(RecordKind.TALK, message.encoded)
        self.emit(Send(data=message.encoded))
        self.handle(message, now)
        return True
