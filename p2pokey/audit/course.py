"""The replay of one hand: its state so far, and how a message is taken, checked and rebuilt.

The canonical order of a transcript makes the next message known at every point, so the replay is a
straight line (opening, playing, closing) and shares nothing with the machine that played the hand.
A proof that fails is a finding and the replay goes on; a message that cannot stand where it stands
ends the replay, because from then on nothing is certain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from p2pokey.audit.equations import verify_and_explain
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.audit.stopped import (
    VOIDED,
    judge_complaint,
    lines_from_voids_on,
    proven_forks,
    voids_in,
)
from p2pokey.audit.votes import Votes
from p2pokey.audit.watching import Made, Moment, Watch, What
from p2pokey.crypto.batch import ShuffleClaim, verify_shuffles_steps
from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import ENTRY
from p2pokey.crypto.steps import run
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.secrets import SeatSecrets, seed_commitment
from p2pokey.deck.states import mark_state, play_state, round_state
from p2pokey.deck.turns import RemaskDuty, owed_positions
from p2pokey.errors import (
    DecodeError,
    P2POkeyError,
    ReplayMismatch,
    StateDisagreement,
    TokenNotDue,
    VerificationError,
)
from p2pokey.ports import Sealer, Verifier
from p2pokey.rules.absence import turned_back
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import Reveal
from p2pokey.rules.state import HandState, canonical_bytes
from p2pokey.tiles import TILE_COUNT, Seat, Slot, Tile
from p2pokey.transcript.absence import Mark
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import (
    NOBODY,
    Commit,
    Complaint,
    Disclose,
    Drop,
    Keys,
    Kind,
    Message,
    Shuffle,
)
from p2pokey.transcript.setup import HandSetup

MessageT = TypeVar("MessageT", bound=Message)

BATCH_TILES = 4 * TILE_COUNT
"""Tiles of shuffles that are verified in one sum: the whole chain, or some thirty re-masks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart:
    """What is undone with a turn."""

    game: HandState
    deck: MaskedDeck
    duty: RemaskDuty
    faces: dict[Slot, Tile]


class ReplayEnded(Exception):
    """The replay cannot go on; `finding` says why, None where the file simply ends."""

    def __init__(self, finding: Finding | None) -> None:
        super().__init__(str(finding))
        self.finding = finding


class Course:
    """Everything that the replay knows at one point of the file."""

    def __init__(
        self,
        *,
        group: Group,
        verifier: Verifier,
        sealer: Sealer,
        setup: HandSetup,
        lines: tuple[Line, ...],
        damaged_from: int,
        recompute: bool,
        progress: Callable[[int], None],
        watch: Watch | None = None,
    ) -> None:
        """Prepares a replay.

        Args:
            damaged_from: number of the first line about which the first pass found something; a
                number behind the last line if there is none.
            recompute: whether to rebuild every message byte for byte from the disclosed seeds,
                not only keys, shuffled decks and tiles.
            progress: called with the number of tiles that a check was about.
            watch: shown every state; then no proof waits for others to be verified with.
        """
        self.group = group
        self.verifier = verifier
        self.sealer = sealer
        self.setup = setup
        self.seats = tuple(Seat(seat) for seat in range(setup.seats))
        self.hand_ctx = setup.hand_ctx()
        self.contexts = Contexts(self.hand_ctx)
        self.threshold = setup.options.threshold
        self.engine = engine_for(setup.rules)
        self.recompute = recompute
        self._damaged_from = damaged_from
        self._is_astray = False

        self.findings: list[Finding] = []
        self.proofs = 0
        self.recomputed = 0
        self.states = [round_state(self.hand_ctx, 0, "setup", b"")]
        self.commits: list[Commit] = []
        self.keys: list[Keys] = []
        self.keyset = b""
        self.joint_key = b""
        self.shuffles: list[Shuffle] = []
        self.deck: MaskedDeck | None = None
        self.game: HandState | None = None
        self.faces: dict[Slot, Tile] = {}
        """The tile in every slot, once all seeds are known."""
        self.final_state = b""
        self.is_over = False
        self.duty = RemaskDuty(seats=setup.seats, enabled=setup.options.unlinkable_discards)
        self.secrets = self._disclosed(lines)
        self.recovered: tuple[Seat, int] | None = None
        """The seat that did not disclose, and its hand key from the others' shares."""
        self.mark: Mark | None = None
        """The seat that is absent, if one is."""
        self.withheld: Seat | None = None
        """A seat that was called absent when only its RESULT was missing."""
        self.turn_start: TurnStart | None = None
        self.votes = Votes(setup, verifier, lines)
        self._ignored: list[Line] = []
        self._gone: list[tuple[Seat, int, int]] = []
        """Seat, first message and RETURN of every absence that has ended."""
        self._lines: Iterator[Line] = iter(self.votes.rest(lines))
        self._called: Mark | None = None
        self._voids = voids_in(lines)
        self._stopped = lines_from_voids_on(lines)
        self._forked = proven_forks(verifier, setup, self._voids)
        self._newest: Line | None = None
        self._claims: list[tuple[Line, ShuffleClaim]] = []
        self._progress = progress
        self._watch = watch

    @property
    def has_all_seeds(self) -> bool:
        """Whether every seat disclosed."""
        return len(self.secrets) == len(self.seats)

    @property
    def present(self) -> tuple[Seat, ...]:
        """All seats but the one that is absent."""
        return tuple(s for s in self.seats if self.mark is None or s != self.mark.seat)

    @property
    def hand_secrets(self) -> dict[Seat, int]:
        """The hand keys that are known: disclosed, or put together from shares."""
        known = {seat: secrets.hand_secret for seat, secrets in self.secrets.items()}
        if self.recovered is not None:
            known[self.recovered[0]] = self.recovered[1]
        return known

    @property
    def has_voids(self) -> bool:
        """Whether some seat ended the hand without score."""
        return bool(self._voids)

    def need_game(self) -> HandState:
        """The rules' state; from the deal on."""
        assert self.game is not None
        return self.game

    def need_deck(self) -> MaskedDeck:
        """The masked deck; from READY on."""
        assert self.deck is not None
        return self.deck

    # Taking ---------------------------------------------------------------------------------------

    def take(self, wanted: type[MessageT], seat: Seat) -> tuple[Line, MessageT]:
        """The next line, which must be such a message of this seat at the current step."""
        line = self._newest = self._next()
        step = len(self.states) - 1
        is_missing = line is None or self._is_missing(line, (step, wanted.kind, seat))
        if is_missing or self.findings:
            # In a hand that was stopped, what follows the first fault may follow from it.
            self.end_if_voided()
        if line is None:
            raise ReplayEnded(None)
        if is_missing:
            raise ReplayEnded(self._gap(line, wanted.kind, seat, step))
        envelope, message = line.envelope, line.envelope.message
        if (envelope.seat, envelope.seq) in self._forked:
            self.end_if_voided()
        if isinstance(message, Complaint) and self.keyset:
            self._judge(line, message)
        if not isinstance(message, wanted) or envelope.seat != seat:
            text = (
                f"expected {wanted.kind.label} of seat {seat + 1} here, got {envelope.kind.label}"
            )
            raise ReplayEnded(line.finding(TokenNotDue, text))
        if envelope.step != step:
            text = f"expected step {step}, got {envelope.step}"
            raise ReplayEnded(line.finding(StateDisagreement, text))
        if not self.findings and line.number < self._damaged_from:
            # Behind the first fault every honest seat names another state than this replay.
            text = "the message names another state than the replay gives"
            self.expect_shown(line, envelope.state == self.states[-1], StateDisagreement, text)
        return line, message

    def left(self) -> list[Line]:
        """The line at which the replay ended, and all after it."""
        newest = [] if self._newest is None else [self._newest]
        return [*newest, *self._lines]

    def take_nothing_more(self) -> None:
        """The file must end here; a VOID after all results takes nothing back and is no fault."""
        extra = self._next()
        if extra is not None and extra.number not in self._stopped:
            raise ReplayEnded(extra.finding(TokenNotDue, "a message after the last RESULT"))

    def _next(self) -> Line | None:
        """The next line that counts: an absent seat's messages do not."""
        for line in self._lines:
            if not self._is_idle(line):
                return line
            self._ignored.append(line)
        return None

    def _is_idle(self, line: Line) -> bool:
        seat, seq = line.envelope.seat, line.envelope.seq
        if self.mark is not None:
            return seat == self.mark.seat and seq >= self.mark.head_seq
        if any(seat == absent and first <= seq < end for absent, first, end in self._gone):
            return True
        vote = self.certificate(seat)
        return vote is not None and seq >= vote.head_seq

    def _is_missing(self, line: Line, expected: tuple[int, Kind, Seat]) -> bool:
        """Whether the expected message is not in the file, rather than a wrong one before it."""
        envelope = line.envelope
        is_later = (envelope.step, envelope.kind, envelope.seat) > expected
        return is_later or (line.number in self._stopped)

    def _gap(self, line: Line, kind: Kind, seat: Seat, step: int) -> Finding | None:
        """What a missing message means: no fault of whoever comes next.

        In the newest round the hand is only not over. Behind it the file lacks a line.
        """
        rest = list(self._lines)
        self._lines = iter(rest)
        if all(later.envelope.step <= step for later in (line, *rest)):
            return None
        text = f"the file lacks the {kind.label} message of seat {seat + 1} that belongs here"
        return Finding(line=line.number, seat=None, message=None, cause="Missing", text=text)

    def gap_of_votes(self, step: int) -> Finding | None:
        """What it means that votes about the absent seat's turn are missing: as for `_gap`."""
        line = self._next()
        if line is None or line.envelope.step <= step:
            return None
        text = "the file lacks votes about the turn of the absent seat"
        return Finding(line=line.number, seat=None, message=None, cause="Missing", text=text)

    def end_if_voided(self) -> None:
        """Ends the replay of a hand that was ended without score, with all that its VOIDs prove."""
        if not self._voids:
            return
        self.findings.extend(self._forked.values())
        for line, void in self._voids:
            named = f" and names seat {void.culprit + 1}" if void.culprit < NOBODY else ""
            author = line.envelope.seat + 1
            text = f"seat {author} ended the hand without score{named} ({void.reason})"
            self.findings.append(
                Finding(line=line.number, seat=None, message=line.label, cause=VOIDED, text=text)
            )
        raise ReplayEnded(None)

    def _judge(self, line: Line, complaint: Complaint) -> None:
        """A complaint about a recovery share ends the attempt; one of the two seats has lied."""
        finding = judge_complaint(
            self.group,
            self.sealer,
            self.contexts,
            self.threshold,
            line=line,
            complaint=complaint,
            commits=self.commits,
            keys=self.keys,
            keyset=self.keyset,
        )
        self.findings.append(finding)
        self.end_if_voided()
        raise ReplayEnded(None)

    # Absence --------------------------------------------------------------------------------------

    def certificate(self, seat: Seat) -> Drop | None:
        """The vote by which the others call this seat absent at the current step."""
        if self.mark is not None or seat >= len(self.seats):
            return None
        return self.votes.certificate(
            len(self.states) - 1, self.states[-1], self.present, Seat(seat)
        )

    def is_dropped(self, seat: Seat, kind: Kind) -> bool:
        """Whether the others went on without this message of the seat."""
        vote = self.certificate(seat)
        step = len(self.states) - 1
        if vote is None or self.votes.has_message(seat, kind, step, vote.head_seq):
            return False
        self._called = Mark(seat=seat, head_seq=vote.head_seq)
        return True

    def has_withheld_result(self, seat: Seat) -> bool:
        """Whether all others say that this seat has signed no RESULT."""
        step = len(self.states) - 1
        vote = self.votes.certificate(step, self.states[-1], self.present, seat)
        return vote is not None and not self.votes.has_message(
            seat, Kind.RESULT, step, vote.head_seq
        )

    def mark_called(self) -> None:
        """Marks the seat that `is_dropped` has found, in a step of its own."""
        if self._called is not None:
            self.mark, self._called = self._called, None
            self.complete_mark("absent", self.mark)

    def take_back(self, returned: Envelope) -> None:
        """The absent seat is back."""
        assert self.mark is not None
        self._gone.append((self.mark.seat, self.mark.head_seq, returned.seq + 1))
        mark = Mark(seat=self.mark.seat, head_seq=returned.seq + 1)
        self.mark = None
        self.complete_mark("returned", mark)

    def begin_turn(self) -> None:
        """Keeps what a turn that is timed out goes back to."""
        self.turn_start = TurnStart(
            game=self.need_game(),
            deck=self.need_deck().copy(),
            duty=self.duty.copy(),
            faces=dict(self.faces),
        )

    def roll_turn_back(self) -> None:
        """Back to the start of the turn."""
        start = self.turn_start
        assert start is not None
        self.game = turned_back(start.game, self.need_game())
        self.need_deck().roll_back(start.deck)
        self.duty, self.faces = start.duty.copy(), dict(start.faces)

    def due_tokens(self, reveals: Sequence[Reveal], seat: Seat) -> tuple[int, ...]:
        """Positions for which the seat owes its own token."""
        deck = self.need_deck()
        owed = owed_positions(reveals, seat)
        return tuple(position for position in owed if not deck.has_token(seat, position))

    def check_votes(self) -> None:
        """What is left of the votes: those that no honest seat signs, and lines that lead nowhere."""
        self.findings.extend(self.votes.findings)
        if self.mark is None and not self._gone:
            known = {finding.line for finding in self.findings if finding.seat is not None}
            text = "nobody was voted absent"
            self.findings.extend(
                line.finding(TokenNotDue, text)
                for line in self.votes.lines_of_absence
                if line.number not in known
            )
        if self.findings or self._voids:
            return
        backs = {(seat, end - 1) for seat, _, end in self._gone}
        for line in self.votes.lines:
            envelope = line.envelope
            if self._is_unread(envelope):
                continue
            if envelope.kind is Kind.RETURN and (envelope.seat, envelope.seq) not in backs:
                text = "a RETURN of a seat that is not absent"
                self.findings.append(line.finding(TokenNotDue, text))
            elif envelope.step < len(self.states):
                text = "the message names another state than the replay gives"
                is_same = envelope.state == self.states[envelope.step]
                self.expect(line, is_same, StateDisagreement, text)
        for line in self._ignored:
            if not any(line.envelope.seat == seat for seat, _, _ in self._gone):
                text = "a message of an absent seat, which counts for nothing without a RETURN"
                finding = Finding(
                    line=line.number,
                    seat=None,
                    message=line.label,
                    cause=TokenNotDue.__name__,
                    text=text,
                )
                self.findings.append(finding)

    def _is_unread(self, envelope: Envelope) -> bool:
        """Whether the envelope lies in an absence, before its RETURN."""
        seat, seq = envelope.seat, envelope.seq
        if any(seat == absent and first <= seq < end - 1 for absent, first, end in self._gone):
            return True
        return self.mark is not None and seat == self.mark.seat and seq >= self.mark.head_seq

    # Checking -------------------------------------------------------------------------------------

    def check(self, line: Line, work: int, check: Callable[[], object]) -> bool:
        """Runs a check of a proof; its failure is a finding about the line."""
        try:
            check()
        except (VerificationError, DecodeError) as error:
            self.findings.append(line.finding(type(error), str(error)))
            return False
        finally:
            self._progress(work)
        self.proofs += 1
        return True

    def check_shuffle(self, line: Line, claim: ShuffleClaim) -> None:
        """Verifies a shuffle or re-mask, together with others where that cannot change a verdict.

        In a hand that was stopped the first fault ends the replay, so nothing may wait there.
        """
        self._claims.append((line, claim))
        waiting = sum(_tiles(claim) for _, claim in self._claims)
        if self._voids or waiting >= BATCH_TILES:
            self.verify_claims()

    def verify_claims(self) -> None:
        """Verifies what waits: in one sum, or one by one if that sum does not come out."""
        claims, self._claims = self._claims, []
        try:
            run(verify_shuffles_steps(self.group, [claim for _, claim in claims]))
        except (VerificationError, DecodeError):
            for line, claim in claims:
                check = partial(verify_and_explain, self.group, claim)
                self.check(line, _tiles(claim), check)
        else:
            self.proofs += len(claims)
            self._progress(sum(_tiles(claim) for _, claim in claims))

    def expect(self, line: Line, condition: bool, cause: type[P2POkeyError], text: str) -> None:
        """Notes a finding about the line unless the condition holds."""
        if not condition:
            self.findings.append(line.finding(cause, text))

    def expect_shown(
        self, line: Line, condition: bool, cause: type[P2POkeyError], text: str
    ) -> None:
        """As `expect`, for what the author was shown: in a hand that was stopped only a fork proves.

        A third seat may have shown the author something else than what stands in this file.
        """
        if not condition:
            self.end_if_voided()
        self.expect(line, condition, cause, text)

    def agree(self, line: Line, condition: bool, cause: type[P2POkeyError], text: str) -> None:
        """As `expect`, for what follows from the replay so far.

        Once an earlier step was at fault the replay has gone another way than the hand did, and
        what an honest seat signed need not fit it any more.
        """
        if not self._is_astray and line.number < self._damaged_from:
            self.expect(line, condition, cause, text)

    def require(self, line: Line, condition: bool, cause: type[P2POkeyError], text: str) -> None:
        """Ends the replay with a finding about the line unless the condition holds."""
        if not condition:
            raise ReplayEnded(line.finding(cause, text))

    def rebuild(
        self,
        line: Line,
        message: Message,
        build: Callable[[SeatSecrets], Message],
        *,
        always: bool = False,
    ) -> None:
        """Rebuilds a message from its author's seed and compares every byte.

        Args:
            build: makes the message from the seat's secrets.
            always: also without `recompute`.
        """
        secrets = self.secrets.get(line.envelope.seat)
        if secrets is None or not (always or self.recompute):
            return
        try:
            is_same = build(secrets).encode() == message.encode()
        except (VerificationError, DecodeError):
            # What earlier lines hold does not even compute: no honest message can follow from it.
            is_same = False
        self.recomputed += is_same
        text = f"the disclosed seed gives another {line.envelope.kind.label} message"
        check = self.expect if always else self.agree
        check(line, is_same, ReplayMismatch, text)

    # Showing --------------------------------------------------------------------------------------

    def show(self, what: What, seat: Seat | None = None, made: tuple[Made, ...] = ()) -> None:
        """Shows the state to whoever watches, once all before it has been verified."""
        if self._watch is None:
            return
        self.verify_claims()
        moment = Moment(
            what=what,
            seat=seat,
            made=made,
            state=self.need_game(),
            faces=dict(self.faces),
            line=1 if self._newest is None else self._newest.number,
            proofs=self.proofs,
        )
        self._watch(moment)

    # Steps ----------------------------------------------------------------------------------------

    def complete(self, label: str, data: bytes) -> None:
        """Counts a round outside of play."""
        self._count(round_state(self.hand_ctx, len(self.states), label, data))

    def complete_play(self) -> None:
        """Counts a step of the deal or of play."""
        game = canonical_bytes(self.need_game())
        digest = self.need_deck().state_digest()
        self._count(play_state(self.hand_ctx, len(self.states), game, digest))

    def complete_mark(self, label: str, mark: Mark) -> None:
        """Counts the step in which a seat is marked absent, or is back."""
        game = b"" if self.game is None else canonical_bytes(self.game)
        digest = b"" if self.deck is None else self.deck.state_digest()
        state = mark_state(
            self.hand_ctx,
            len(self.states),
            label,
            before=self.states[-1],
            seat=mark.seat,
            head_seq=mark.head_seq,
            game=game,
            deck=digest,
        )
        self._count(state)

    def _count(self, state: bytes) -> None:
        self.states.append(state)
        self._is_astray = bool(self.findings)

    def _disclosed(self, lines: tuple[Line, ...]) -> dict[Seat, SeatSecrets]:
        """The secrets of every seat that discloses, anywhere in the file, what it committed to."""
        messages = [(line.envelope.seat, line.envelope.message) for line in lines]
        commitments = {
            (seat, message.seed_commit) for seat, message in messages if isinstance(message, Commit)
        }
        return {
            seat: SeatSecrets.derive(
                seed=message.seed, contexts=self.contexts, seat=seat, threshold=self.threshold
            )
            for seat, message in messages
            if isinstance(message, Disclose)
            and (seat, seed_commitment(self.contexts, seat, message.seed)) in commitments
        }


def _tiles(claim: ShuffleClaim) -> int:
    return len(claim.deck_out) // ENTRY
