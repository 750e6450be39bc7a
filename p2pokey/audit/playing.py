"""Replays the deal, the indicator and all moves (docs/protocol.md S4.5, S4.6, S11.3)."""

from functools import partial

from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.opening import check_shuffle
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.crypto.shuffle import prove_shuffle, shuffle_secrets
from p2pokey.deck.keys import starter_by_coins
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.turns import (
    RevealPlan,
    concealed_slots,
    owed_positions,
    reveal_plan,
    reveals_in,
)
from p2pokey.errors import DecodeError, RuleError, VerificationError
from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.moves import decode_move
from p2pokey.rules.state import Phase as GamePhase
from p2pokey.tiles import Seat, Slot
from p2pokey.transcript.messages import Kind, Move, Purpose, Remask, Tokens


def replay_deal(course: Course) -> None:
    """Rounds DEAL and INDICATOR."""
    starter = course.setup.starter
    if starter is None:
        coins = [keys.coin for keys in course.keys]
        starter = Seat(starter_by_coins(coins, course.hand_ctx, course.setup.excluded))
    course.game, events = course.engine.start(course.setup.rules, len(course.seats), starter)
    purpose = Purpose.DEAL
    while True:
        reveals = reveals_in(events)
        _replay_tokens(course, reveals, purpose)
        events = _open(course, reveals)
        course.complete_play()
        if course.need_game().phase is not GamePhase.INDICATOR:
            return
        purpose = Purpose.INDICATOR


def replay_moves(course: Course) -> None:
    """Play, to the end of the hand."""
    while course.need_game().phase is not GamePhase.OVER:
        mover = course.engine.mover(course.need_game())
        assert mover is not None
        line, message = course.take(Kind.MOVE, mover)
        assert isinstance(message, Move)
        reveals = _replay_move(course, line, mover, message)
        course.complete_play()
        if reveals:
            _replay_tokens(course, reveals, Purpose.DRAW)
            _open(course, reveals)
    course.is_over = True


def _replay_tokens(course: Course, reveals: tuple[Reveal, ...], purpose: Purpose) -> None:
    """The tokens that all seats owe for these reveals."""
    for seat in course.seats:
        due = owed_positions(reveals, seat)
        if not due:
            continue
        line, message = course.take(Kind.TOKENS, seat)
        assert isinstance(message, Tokens)
        is_due = message.purpose is purpose and message.positions == due
        text = f"expected {purpose.label} tokens for positions {list(due)}"
        course.require(line, is_due, "TokenNotDue", text)
        course.check(line, len(due) // 4 + 1, partial(_check_tokens, course, line, message))
        remask = Remask(deck=deck_out, proof=proof)
        deck.apply_remask(seat, slots, deck_out)
    tokens, reveal_proof = b"", b""
    if plan.slots:
        tokens, reveal_proof = deck.prove_reveal(
            holder=seat,
            seed=secrets.seed,
            secret=secrets.hand_secret,
            purpose=plan.purpose,
            index=line.envelope.seq,
            slots=plan.slots,
            rack_indices=plan.rack_indices,
        )
    return Move(move=message.move, remask=remask, tokens=tokens, proof=reveal_proof)
