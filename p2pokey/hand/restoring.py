"""Brings a hand back from what a seat has kept of it, and never signs anything twice differently.

A machine is deterministic: with the same setup and seed, the same accepted envelopes in the same
order and the same decisions it comes to the same place. The decisions (moves, the confirmed score,
giving up) are in the seat's own envelopes, so these are all that has to be kept. Wherever a machine
would sign a message whose place in its chain is taken by one that it is known to have signed before,
that one is taken instead (`SignedBefore`); a decision that is due and known is not asked for again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from p2pokey.errors import DecodeError, LocalProtocolError, VerificationError
from p2pokey.hand.effects import AuditDue, Effect, Persist, Phase, Send, TurnReady
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, verify_envelope
from p2pokey.transcript.messages import Drop, Kind, Message, Refuse
from p2pokey.transcript.setup import HandSetup

_FEED = 16
MAX_KNOWN = 4096
"""Own messages kept for their turn; a hand has some hundred."""


class SignedBefore:
    """Own envelopes that were signed in an earlier run and are not yet reached in this one."""

    def __init__(self) -> None:
        self._by_seq: dict[int, Envelope] = {}

    def add(self, envelope: Envelope) -> None:
        """Keeps an envelope whose signature is known to be this seat's; the first one counts."""
        if len(self._by_seq) < MAX_KNOWN:
            self._by_seq.setdefault(envelope.seq, envelope)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._by_seq)

    def holds(self, kind: Kind) -> bool:
        """Whether there is one of that kind."""
        return any(item.kind is kind for item in self._by_seq.values())

    def at(self, seq: int) -> Envelope | None:
        """The envelope with that place in the chain, if it is known."""
        return self._by_seq.get(seq)

    def take(self, seq: int) -> Envelope | None:
        """Like `at`, and forgets it."""
        return self._by_seq.pop(seq, None)


class Restorable(Protocol):
    """What restoring needs of a machine; `HandMachine` is one."""

    @property
    def seat(self) -> Seat:
        """The own seat."""

    @property
    def phase(self) -> Phase:
        """The current round."""

    @property
    def can_move(self) -> bool:
        """Whether a move of this seat is due and possible."""

    def count(self, seat: Seat) -> int:
        """How many messages of a seat have been accepted."""

    def signed_before(self, envelope: Envelope) -> None:
        """This seat has signed that."""

    def receive(self, data: bytes, sender: Seat, now: float, *, from_journal: bool = False) -> None:
        """A message of another seat; `from_journal`: accepted by an earlier run."""

    def work(self, now: float, *, more_comes: bool = False) -> bool:
        """One slice; False when there is nothing to do; `more_comes`: before the next message."""

    def poll(self) -> tuple[Effect, ...]:
        """The effects so far."""


def restore(
    machine: Restorable,
    journal: Sequence[bytes],
    now: float,
    *,
    passed_on: Sequence[tuple[Seat, bytes]] = (),
    pause: Callable[[], None] = lambda: None,
) -> tuple[Effect, ...]:
    """Brings a new machine to where the journal ends.

    Args:
        machine: fresh, with the setup, seat, seed and used keys of the journal.
        journal: own and accepted envelopes in the order in which they were persisted.
        now: seconds, monotonic.
        passed_on: what the others say that this seat and they have signed after it, each with the
            seat that passed it on; needed where the journal has lost its end.
        pause: called after each slice of work; may raise to give up.

    Returns:
        The effects of all that was replayed, in order, for a shell that shows them. What the journal
        holds is neither persisted nor sent again, and what is no longer due is left out.

    Raises:
        LocalProtocolError: the journal is not one of this hand at this seat.
    """
    envelopes = [decode_envelope(data) for data in journal]
    for envelope in envelopes:
        if envelope.seat == machine.seat:
            machine.signed_before(envelope)
    try:
        for envelope in envelopes:
            if envelope.seat == machine.seat:
                _work_until(machine, envelope.seq, now, pause)
            else:
                if envelope.kind is Kind.VOID:
                    # It is heard at once: before that comes what has come before it.
                    _work_through(machine, now, pause, more_comes=True)
                machine.receive(envelope.encoded, envelope.seat, now, from_journal=True)
        own = [envelope.seq for envelope in envelopes if envelope.seat == machine.seat]
        if own:
            _work_until(machine, own[-1], now, pause)
    except VerificationError as error:
        raise LocalProtocolError("the journal is not one of this seat's hand") from error
    if own and machine.count(machine.seat) <= own[-1]:
        raise LocalProtocolError(
            f"the journal holds message {own[-1]} of this seat, and nothing leads to it"
        )
    if passed_on:
        _follow(machine, passed_on, now, pause)
    return _still_due(machine, machine.poll(), frozenset(journal))


def whole_hand(messages: Iterable[bytes], setup: HandSetup, verifier: Verifier) -> frozenset[bytes]:
    """Each seat's chain up to the same RESULT, after which nobody has anything left to sign.

    RESULTs alone are not enough: what a seat has signed before its own one binds it, too.

    Args:
        messages: from anybody.
        setup: of the hand.
        verifier: of signatures.

    Returns:
        Those messages that their authors have signed; none if they are not the whole hand.
    """
    where = (setup.session, setup.hand)
    found = [item for item in map(_envelope, messages) if item and item.seat < setup.seats]
    found = [item for item in found if (item.session, item.hand) == where]
    if {item.seat for item in found if item.kind is Kind.RESULT} != set(range(setup.seats)):
        return frozenset()
    chains: list[dict[int, Envelope]] = [{} for _ in setup.roster]
    for item in found:
        if _is_signed(item, setup, verifier):
            chains[item.seat].setdefault(item.seq, item)
    ends = [_result_of(chain) for chain in chains]
    if None in ends or len(set(ends)) > 1:
        return frozenset()
    return frozenset(item.encoded for chain in chains for item in chain.values())


def _is_signed(envelope: Envelope, setup: HandSetup, verifier: Verifier) -> bool:
    try:
        verify_envelope(verifier, setup.roster[envelope.seat], envelope)
    except VerificationError:
        return False
    return True


def _result_of(chain: dict[int, Envelope]) -> Message | None:
    """The RESULT of one seat, if its messages from the first up to it are there."""
    end = next((seq for seq, item in sorted(chain.items()) if item.kind is Kind.RESULT), None)
    if end is None or any(seq not in chain for seq in range(end)):
        return None
    return chain[end].message


def _follow(
    machine: Restorable,
    passed_on: Sequence[tuple[Seat, bytes]],
    now: float,
    pause: Callable[[], None],
) -> None:
    """Takes what the others have passed on, this seat's own messages first: they bind it.

    What an own vote did not take comes only after that vote, and a VOID, which is heard at once, last.
    """
    items = [_Item(sender, data, _envelope(data)) for sender, data in passed_on]
    own = [item for item in items if item.is_by(machine.seat)]
    for item in own:
        machine.receive(item.data, item.sender, now)
    votes = [vote for item in own if (vote := item.envelope) and isinstance(vote.message, Drop)]
    left = [item for item in items if not item.is_by(machine.seat)]
    while left:
        open_votes = [vote for vote in votes if vote.seq >= machine.count(machine.seat)]
        due = [item for item in left if not item.is_void and not item.is_behind(open_votes)]
        # Where nothing else leads on: the others may have had it otherwise.
        due = due or [item for item in left if not item.is_void][:1] or left[:1]
        for number, item in enumerate(due):
            machine.receive(item.data, item.sender, now)
            # A machine takes only so much ahead of its time.
            if number % _FEED == 0:
                _work_through(machine, now, pause, more_comes=True)
        _work_through(machine, now, pause, more_comes=True)
        taken = set(map(id, due))
        left = [item for item in left if id(item) not in taken]
    _work_through(machine, now, pause)


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that was passed on."""

    sender: Seat
    data: bytes
    envelope: Envelope | None
    """None: it is no message."""

    def is_by(self, seat: Seat) -> bool:
        return self.envelope is not None and self.envelope.seat == seat

    @property
    def is_void(self) -> bool:
        return self.envelope is not None and self.envelope.kind is Kind.VOID

    def is_behind(self, votes: Iterable[Envelope]) -> bool:
        """Whether it is, or shows, what one of these votes did not take."""
        shown = self.envelope
        if shown is not None and isinstance(shown.message, Refuse):
            shown = _envelope(shown.message.message)
        return any(
            shown is not None
            and isinstance(vote.message, Drop)
            and (shown.seat == vote.message.absent and shown.seq >= vote.message.head_seq)
            for vote in votes
        )


def _work_through(
    machine: Restorable, now: float, pause: Callable[[], None], *, more_comes: bool = False
) -> None:
    while machine.work(now, more_comes=more_comes):
        pause()


def _envelope(data: bytes) -> Envelope | None:
    try:
        return decode_envelope(data)
    except DecodeError:
        return None


def _work_until(machine: Restorable, seq: int, now: float, pause: Callable[[], None]) -> None:
    """Works until the own message with that number is out, or nothing is left to do.

    In the latter case it follows from something that was accepted later: votes about a silent seat
    hold messages back, and what is held back is not in the journal yet.
    """
    while machine.count(machine.seat) <= seq:
        is_busy = machine.work(now)
        pause()
        if not is_busy:
            return


def _still_due(
    machine: Restorable, effects: Iterable[Effect], known: frozenset[bytes]
) -> tuple[Effect, ...]:
    due: list[Effect] = []
    for effect in effects:
        match effect:
            case Persist(envelope=envelope) | Send(envelope=envelope) if envelope in known:
                continue
            case TurnReady():
                continue
            case AuditDue() if machine.phase is not Phase.AUDIT:
                continue
        due.append(effect)
    if machine.can_move:
        due.append(TurnReady())
    return tuple(due)
