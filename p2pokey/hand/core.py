"""The data of one running hand, and the few operations that every round uses.

Handlers of the rounds (opening, play, closing) work on a `HandCore`; the machine decides when a
handler runs and what an error means. A handler is a generator that yields after each slice of long
cryptographic work, so that a single-threaded shell stays alive.
"""

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass

from p2pokey.crypto.group import Group
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.points import initial_deck
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import ShareTable
from p2pokey.deck.states import mark_state, play_state, round_state
from p2pokey.deck.turns import RemaskDuty, owed_positions
from p2pokey.errors import LocalProtocolError
from p2pokey.hand.effects import Effect, Persist, Phase, PhaseEntered, Send, TurnReady
from p2pokey.hand.restoring import SignedBefore
from p2pokey.hand.rewinding import Snapshot, TurnStart
from p2pokey.ports import Sealer, Signer
from p2pokey.rules.engine import Engine, engine_for
from p2pokey.rules.events import Reveal
from p2pokey.rules.state import HandState, canonical_bytes
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.transcript.absence import Ballot, Mark
from p2pokey.transcript.chain import ChainBook
from p2pokey.transcript.envelope import Envelope, decode_envelope, seal_envelope
from p2pokey.transcript.messages import (
    Commit,
    Drop,
    Keys,
    Message,
    Purpose,
    Refuse,
    Result,
    Return,
    Shuffle,
    Void,
)
from p2pokey.transcript.setup import HandSetup

Steps = Generator[None, None, None]
"""Work in slices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPorts:
    """What a hand needs from outside."""

    group: Group
    signer: Signer
    sealer: Sealer


class HandCore:
    """Everything that one seat knows of one hand."""

    def __init__(
        self,
        *,
        setup: HandSetup,
        seat: Seat,
        seed: bytes,
        ports: HandPorts,
        book: ChainBook,
        used_keys: frozenset[bytes],
    ) -> None:
        self.setup = setup
        self.seat = seat
        self.seats = tuple(Seat(number) for number in range(setup.seats))
        self.others = tuple(number for number in self.seats if number != seat)
        """All seats but this one."""
        self.group = ports.group
        self.signer = ports.signer
        self.sealer = ports.sealer
        self.book = book
        self.used_keys = used_keys
        self.hand_ctx = setup.hand_ctx()
        self.contexts = Contexts(self.hand_ctx)
        self.threshold = setup.options.threshold
        self.secrets = SeatSecrets.derive(
            seed=seed, contexts=self.contexts, seat=seat, threshold=self.threshold
        )
        self.engine: Engine = engine_for(setup.rules)

        self.phase = Phase.COMMIT
        self.states = [round_state(self.hand_ctx, 0, "setup", b"")]
        self.effects: deque[Effect] = deque()
        self.contributions: dict[Seat, Message] = {}
        self.own_queue: deque[Envelope] = deque()
        """Own envelopes that are sent but not yet handled like everybody else's."""
        self.signed = SignedBefore()
        self.handled: list[Envelope] = []
        """Envelopes that were due and went to a handler: the file of a hand that counts."""
        self.late: list[Envelope] = []
        """Envelopes that came inside another seat's evidence, for the machine to take."""

        self.commits: tuple[Commit, ...] = ()
        self.keys: tuple[Keys, ...] = ()
        self.share_tables: dict[Seat, ShareTable] = {}
        """Of every dealer, checked; empty with recovery off."""
        self.keyset = b""
        self.joint_key = b""
        self.starter = Seat(0)
        self.shuffles: list[Shuffle] = []
        self.verified = 0
        self.deck_in = initial_deck(self.group)

        self.deck: MaskedDeck | None = None
        self.game: HandState | None = None
        self.private: dict[Slot, Tile] = {}
        self.reveals: tuple[Reveal, ...] = ()
        self.purpose = Purpose.DEAL
        self.duty = RemaskDuty(seats=setup.seats, enabled=setup.options.unlinkable_discards)
        self.turn_start: TurnStart | None = None
        """What a turn that is timed out goes back to."""
        self.escrow: dict[Seat, bytes] = {}
        """By helper, the tokens for the absent seat in the reveals that are open."""

        self.ballot = Ballot(setup)
        self.mark: Mark | None = None
        """The seat that is absent, if one is."""
        self.is_dropped = False
        """Whether all others have called this seat absent, at a step that it has yet to come to."""
        self.certified: set[tuple[int, int]] = set()
        """Seat and head of every certificate so far."""
        self.snapshots: dict[int, Snapshot] = {}
        """By own sequence number, from READY on: what was before that message."""

        self.final_state = b""
        """The state hash that END signs."""
        self.audited = b""
        """The transcript up to the last DISCLOSE: what RESULT signs."""
        self.audit_due = b""
        """What the newest `AuditDue` asks for."""
        self.result: Result | None = None
        self.transcript = b""
        """The whole file, once the hand counts."""

    @property
    def step(self) -> int:
        """Number of completed steps."""
        return len(self.states) - 1

    @property
    def present(self) -> tuple[Seat, ...]:
        """All seats but the one that is absent."""
        return tuple(s for s in self.seats if self.mark is None or s != self.mark.seat)

    @property
    def is_absent(self) -> bool:
        """Whether this seat is marked: what it signs counts for nothing."""
        return self.is_dropped or (self.mark is not None and self.mark.seat == self.seat)

    def need_game(self) -> HandState:
        """The rules' state; only called from the deal on."""
        if self.game is None:
            raise LocalProtocolError("there is no game before the deal")
        return self.game

    def need_deck(self) -> MaskedDeck:
        """The masked deck; only called from READY on."""
        if self.deck is None:
            raise LocalProtocolError("there is no deck before the last shuffle")
        return self.deck

    def view(self) -> View:
        """What this seat may know."""
        private = tuple(sorted(self.private.items()))
        return View(state=self.need_game(), seat=self.seat, private=private)

    def emit(self, effect: Effect) -> None:
        """Queues an effect for the shell."""
        self.effects.append(effect)

    def send(self, message: Message) -> None:
        """Signs a message as the next in this seat's chain, persists it, then sends it."""
        if not isinstance(message, Drop | Refuse | Return | Void):
            self._repeat_votes()
        seq, prev = self.book.head(self.seat)
        # What an earlier run has signed for this place stands, whatever this one would say.
        envelope = self.signed.take(seq) or seal_envelope(
            self.signer,
            session=self.setup.session,
            hand=self.setup.hand,
            seat=self.seat,
            seq=seq,
            prev=prev,
            step=self.step,
            state=self.states[-1],
            message=message,
        )
        self.publish(envelope)

    def _repeat_votes(self) -> None:
        """What an earlier run has said of absent seats before what is due now.

        It hung on when messages came, so this run need not come to it by itself.
        """
        while known := self.signed.at(self.next_seq()):
            if not isinstance(known.message, Drop | Refuse) or known.step > self.step:
                return
            self.signed.take(known.seq)
            self.publish(known)

    def contribute(self, message: Message) -> None:
        """Sends a message that the hand asks of every seat; a seat that is absent only follows."""
        if not self.is_absent:
            self.send(message)

    def publish(self, envelope: Envelope) -> None:
        """Takes this seat's signed envelope into its chain, persists it, then sends it."""
        self.book.accept(envelope)
        match envelope.message:
            case Drop():
                self.ballot.note_drop(envelope, envelope.message)
            case Refuse(message=message):
                self.ballot.note_refusal(envelope, decode_envelope(message))
        self.emit(Persist(envelope=envelope.encoded))
        self.emit(Send(envelope=envelope.encoded))
        self.own_queue.append(envelope)

    def next_seq(self) -> int:
        """Sequence number of this seat's next message: `index` of its proofs (S8)."""
        return self.book.head(self.seat)[0]

    def enter(self, phase: Phase) -> None:
        """Goes to a phase with no contributions yet."""
        self.phase = phase
        self.contributions = {}
        self.emit(PhaseEntered(phase=phase))

    def complete_round(self, label: str, data: bytes, following: Phase) -> None:
        """Counts a step outside of play and enters the next phase."""
        self.states.append(round_state(self.hand_ctx, self.step + 1, label, data))
        self.enter(following)

    def complete_play_step(self) -> None:
        """Counts a step of the deal or of play."""
        game = canonical_bytes(self.need_game())
        digest = self.need_deck().state_digest()
        self.states.append(play_state(self.hand_ctx, self.step + 1, game, digest))

    def complete_mark(self, label: str, mark: Mark) -> None:
        """Counts the step in which a seat is marked absent, or is back."""
        game = b"" if self.game is None else canonical_bytes(self.game)
        digest = b"" if self.deck is None else self.deck.state_digest()
        state = mark_state(
            self.hand_ctx,
            self.step + 1,
            label,
            before=self.states[-1],
            seat=mark.seat,
            head_seq=mark.head_seq,
            game=game,
            deck=digest,
        )
        self.states.append(state)

    def in_seat_order(self) -> list[Message]:
        """The contributions of the current round, one of every seat that is present."""
        return [self.contributions[seat] for seat in self.present]

    def has_all(self) -> bool:
        """Whether every seat that is present has contributed to the current round."""
        return all(seat in self.contributions for seat in self.present)

    def due_tokens(self, seat: Seat) -> tuple[int, ...]:
        """Positions for which the seat still owes its own token for the reveals that are open."""
        deck = self.deck
        if deck is None:
            return ()
        owed = owed_positions(self.reveals, seat)
        return tuple(position for position in owed if not deck.has_token(seat, position))

    def due_escrow(self) -> tuple[int, ...]:
        """Positions for which all others stand in for the absent seat."""
        return () if self.mark is None else self.due_tokens(self.mark.seat)

    def missing_tokens(self) -> tuple[Seat, ...]:
        """Seats that still owe a token, or a share of one, for the reveals that are open."""
        is_escrow_due = bool(self.due_escrow())
        return tuple(
            seat
            for seat in self.present
            if self.due_tokens(seat) or (is_escrow_due and seat not in self.escrow)
        )

    def begin_turn(self) -> None:
        """Keeps what the turn that begins now goes back to if its seat is marked absent."""
        self.turn_start = TurnStart(
            game=self.need_game(),
            deck=self.need_deck().copy(),
            duty=self.duty.copy(),
            private=dict(self.private),
        )

    def announce_turn(self) -> None:
        """Tells the shell if this seat can move now."""
        game = self.need_game()
        is_mine = self.engine.mover(game) == self.seat and not self.is_absent
        if self.phase is Phase.PLAY and is_mine and not self.reveals:
            self.emit(TurnReady())
