"""What the page shows of the hand that is being played (docs/page-protocol.md, TABLE).

Implements `peer.watching.Watch` and takes the peer's news. It only remembers and tells: nothing here
decides anything.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from p2pokey.audit.report import Outcome
from p2pokey.peer.events import (
    HandBegan,
    HandCounted,
    HandFailed,
    MovedForIdle,
    PeerEvent,
    ProofCount,
    ShuffleChecked,
    Stage,
    StagePassed,
)
from p2pokey.peer.table_events import SeatLied
from p2pokey.rules.events import Event
from p2pokey.rules.moves import Move
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.table.turn_clock import TurnClock
from p2pokey.tiles import Seat, Tile
from p2pokey.web.following import NewTile, move_json
from p2pokey.web.names import Json

_AFTER = {
    Stage.KEYS: "shuffle",
    Stage.SHUFFLED: "deal",
    Stage.DEALT: "play",
    Stage.FINISHED: "disclose",
    Stage.DISCLOSED: "audit",
    Stage.REPLAYED: "result",
    Stage.COUNTED: "done",
}
"""What begins when a stage is complete."""


@dataclass(kw_only=True)
class HandFeed:
    """News of one seat's hands, one after the other."""

    seat: Seat
    seats: int
    words: Sequence[str]
    """Four safety words."""
    on_change: Callable[[], None]
    tell_player: Callable[[Json], None] = lambda notice: None
    """Takes a notice for the player."""
    clock: Callable[[], float] = time.monotonic

    number: int = 0
    """Hand of the match, 0-based."""
    attempt: int = -1
    """Which deal it is: every one is another hand for the page."""
    view: View | None = None
    """What the seat sees; None before the deal."""
    last: Json | None = None
    """The last move."""
    outcome: Outcome | None = None
    """How the hand ended, once this seat has audited it."""
    is_counted: bool = False
    """Whether all have signed its score."""
    fault: tuple[Seat, str] | None = None
    """The seat whose proof or signature has failed, and what it was."""
    transcript: str | None = None
    """Where the newest file is."""
    _stage: str = "keys"
    _new: NewTile = field(default_factory=NewTile)
    _turns: TurnClock | None = None
    _checked: set[Seat] = field(default_factory=set)
    _proofs: tuple[ProofCount, ...] = ()
    _audited: int | None = None
    _idle: list[Json] | None = None
    """Moves that the program makes for its player, from when the time was up to the end of the turn."""

    # Watch ---------------------------------------------------------------------------------------

    def began(self, clock: TurnClock) -> None:
        """A hand begins, or is taken up again."""
        self._turns = clock

    def saw(self, view: View) -> None:
        """What the seat sees has changed."""
        self.view = view
        if view.state.turn != self.seat or view.state.phase is Phase.OVER:
            self._tell_idle()
        self.on_change()

    def moved(self, seat: Seat, move: Move, events: Sequence[Event]) -> None:
        """A move was applied."""
        self.last = move_json(seat, move, events)
        if seat != self.seat:
            self._tell_idle()
        elif self._idle is not None:
            self._idle.append(self.last)

    def _tell_idle(self) -> None:
        """What was played for the player whose time was up, once the turn is over."""
        if self._idle:
            self.tell_player({"code": "moved-for-idle", "moves": self._idle})
        self._idle = None

    def proved(self, proofs: tuple[ProofCount, ...]) -> None:
        """Proofs accepted so far."""
        self._proofs = proofs
        self.on_change()

    def audited(self, proofs: int, outcome: Outcome | None) -> None:
        """The own audit is done."""
        self._audited, self.outcome = proofs, outcome
        self.on_change()

    # News ----------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Takes an event of the peer; most are not about this."""
        match event:
            case HandBegan():
                self._begin(event)
            case StagePassed(stage=stage):
                self._stage = _AFTER[stage]
            case ShuffleChecked(seat=seat):
                self._checked.add(seat)
            case HandCounted(transcript=path):
                self.transcript, self.is_counted = path, True
            case HandFailed():
                self._fail(event)
            case SeatLied(seat=seat, cause=cause):
                self.fault = (seat, cause)
            case MovedForIdle():
                self._idle = []
            case _:
                pass

    def _begin(self, event: HandBegan) -> None:
        self.number, self.attempt, self._stage = event.match_hand, event.hand, "keys"
        self.view = self.last = self.outcome = self._audited = self._idle = None
        self._new, self._checked, self._proofs = NewTile(), set(), ()
        self.is_counted, self.transcript = False, None

    def _fail(self, event: HandFailed) -> None:
        self.transcript, self._stage = event.transcript, "stopped"
        if event.culprit is not None:
            self.fault = (event.culprit, event.reason)
        code = "hand-failed" if event.dealt_again else "table-over"
        self.tell_player({"code": code, "text": event.reason, "seat": event.culprit})

    def look_back(self, outcome: Outcome, proofs: int, transcript: str, number: int) -> None:
        """The last hand, which an earlier run of the program has played."""
        state = outcome.state
        own = [slot for slot in state.racks[self.seat] if state.faces[slot] is None]
        private = tuple((slot, outcome.faces[slot]) for slot in own)
        self.view = View(state=state, seat=self.seat, private=private)
        self.outcome, self.transcript, self.number = outcome, transcript, number
        self.is_counted, self._stage, self._audited = True, "done", proofs
        self._checked = set(map(Seat, range(self.seats)))
        self.on_change()

    @property
    def is_played(self) -> bool:
        """Whether a hand is under way."""
        return self.attempt >= 0 and self._stage not in ("done", "stopped")

    # JSON ----------------------------------------------------------------------------------------

    def new_tile(self, view: View) -> Tile | None:
        """The tile to be marked as new in this view."""
        return self._new.seen(view)

    def stage(self) -> Json:
        """STAGE: in a shuffle it names the seat whose proof is awaited or checked next."""
        missing = [s for s in range(self.seats) if s not in self._checked and s != self.seat]
        is_shuffle = self._stage == "shuffle"
        return {
            "name": self._stage,
            "seat": missing[0] if is_shuffle and missing else None,
            "done": len(self._checked) if is_shuffle else 0,
            "total": self.seats - 1 if is_shuffle else 0,
        }

    def turn_clock(self) -> Json | None:
        """CLOCK: None where turns are not timed."""
        turns, now = self._turns, self.clock()
        if turns is None or self._stage != "play" or (left := turns.remaining(now)) is None:
            return None
        return {
            "seat": turns.seat,
            "limit": turns.limit,
            "left": round(left, 1),
            "running": turns.expires_at() is not None,
        }

    def trust(self, *, is_paused: bool, audit: Json | None = None) -> Json:
        """TRUST: what this program itself has checked.

        Args:
            audit: of whoever has asked to check again; None: what the own audit has said.
        """
        state = "checking" if len(self._checked) < self.seats - 1 else "verified"
        if self.fault is not None:
            state = "failed"
        elif is_paused:
            state = "unproved"
        if audit is None and self._audited is not None:
            status = "violation" if self.outcome is None else "sound"
            audit = {"status": status, "proofs": self._audited, "findings": []}
        return {
            "state": state,
            "seat": None if self.fault is None else self.fault[0],
            "why": None if self.fault is None else self.fault[1],
            "shuffles": [s in self._checked or s == self.seat for s in range(self.seats)],
            "proofs": [{"kind": proof.kind, "objects": proof.objects} for proof in self._proofs],
            "accepted": sum(proof.objects for proof in self._proofs),
            "failed": int(self.fault is not None),
            "disclosed": 0 if self._audited is None else self.seats,
            "replayed": self.seats if self.is_counted else int(self._audited is not None),
            "words": list(self.words),
            "transcript": self.transcript,
            "audit": audit,
        }
