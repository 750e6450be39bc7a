"""Replays the deal, the indicator and all moves (docs/protocol.md S4.5, S4.6, S11.3)."""

from functools import partial

from p2pokey.audit.absent import replay_escrow
from p2pokey.audit.course import Course, ReplayEnded
from p2pokey.audit.reading import Line
from p2pokey.audit.report import Finding
from p2pokey.audit.watching import Made, What
from p2pokey.crypto.batch import ShuffleClaim
from p2pokey.crypto.group import CELL
from p2pokey.crypto.reencrypt import ENTRY
from p2pokey.crypto.shuffle import prove_shuffle
from p2pokey.deck.keys import starter_by_coins
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.turns import (
    RevealPlan,
    concealed_slots,
    reveal_plan,
    reveals_in,
)
from p2pokey.errors import (
    BadLength,
    DecodeError,
    IllegalMove,
    ReplayMismatch,
    RuleError,
    TokenNotDue,
    VerificationError,
)
from p2pokey.rules.absence import opened_slot, play_absent
from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.state import Phase as GamePhase
from p2pokey.tiles import Seat, Slot, Tile
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
            course.show(What.DEALT)
            return
        purpose = Purpose.INDICATOR


def replay_moves(course: Course) -> None:
    """Play, to the end of the hand."""
    course.begin_turn()
    while course.need_game().phase is not GamePhase.OVER:
        mover = course.engine.mover(course.need_game())
        assert mover is not None
        turns = course.need_game().turn_count
        if course.mark is not None and mover == course.mark.seat:
            _replay_decision(course)
        elif course.is_dropped(mover, Kind.MOVE):
            course.roll_turn_back()
            course.mark_called()
            _replay_absent_turn(course)
        else:
            line, message = course.take(Move, mover)
            move, events = _replay_move(course, line, mover, message)
            reveals = reveals_in(events)
            course.complete_play()
            if course.need_game().turn_count > turns:
                course.begin_turn()
            if reveals:
                _replay_tokens(course, reveals, Purpose.DRAW)
                _open(course, reveals)
            course.show(What.MOVE, mover, ((move, events),))
    course.is_over = True


def _replay_decision(course: Course) -> None:
    """A turn of an absent seat: it is back, or the others play for it."""
    assert course.mark is not None
    mark, step = course.mark, len(course.states) - 1
    vote = course.votes.turn_vote(mark.seat, mark.head_seq, step, course.states[-1])
    returned = course.votes.returned(vote)
    if returned is not None:
        course.take_back(returned)
        return
    if not course.votes.is_certified(vote, course.present):
        course.end_if_voided()
        raise ReplayEnded(course.gap_of_votes(step))
    course.complete_mark("absent", mark)
    _replay_absent_turn(course)


def _replay_absent_turn(course: Course) -> None:
    """The others open what the absent seat draws, and it is discarded."""
    game = course.need_game()
    slot = opened_slot(game)
    tile = None if slot is None else game.faces[slot]
    if slot is not None and tile is None:
        reveals = (Reveal(slots=(slot,), to=None),)
        _replay_tokens(course, reveals, Purpose.DRAW)
        tile = _open_for_absent(course, slot)
    course.game, made = play_absent(course.engine, course.need_game(), tile)
    course.complete_play()
    course.begin_turn()
    course.show(What.ABSENT, game.turn, made)


def _open_for_absent(course: Course, slot: Slot) -> Tile:
    try:
        tile = course.need_deck().open_publicly(slot)
    except (VerificationError, DecodeError) as error:
        raise _unopened(error) from error
    if course.faces and course.faces[slot] != tile:
        text = f"slot {slot} opened to another tile than the seeds give"
        cause = ReplayMismatch.__name__
        course.findings.append(Finding(line=None, seat=None, message=None, cause=cause, text=text))
    return tile


def _replay_tokens(course: Course, reveals: tuple[Reveal, ...], purpose: Purpose) -> None:
    """The tokens that all seats owe for these reveals, and what the others give for an absent one."""
    for seat in course.present:
        due = course.due_tokens(reveals, seat)
        if not due or course.is_dropped(seat, Kind.TOKENS):
            continue
        line, message = course.take(Tokens, seat)
        is_due = message.purpose is purpose and message.positions == due
        text = f"expected {purpose.label} tokens for positions {list(due)}"
        course.require(line, is_due, TokenNotDue, text)
        course.check(line, len(due) // 4 + 1, partial(_check_tokens, course, line, message))
        course.rebuild(line, message, partial(_build_tokens, course, line, message))
        course.need_deck().store_tokens(seat, message.positions, message.tokens)
    course.mark_called()
    replay_escrow(course, reveals)


def _check_tokens(course: Course, line: Line, message: Tokens) -> None:
    course.need_deck().check_tokens(
        seat=line.envelope.seat,
        purpose=message.purpose.label,
        index=line.envelope.seq,
        positions=message.positions,
        tokens=message.tokens,
        proof=message.proof,
    )


def _build_tokens(course: Course, line: Line, message: Tokens, secrets: SeatSecrets) -> Tokens:
    tokens, proof = course.need_deck().prove_tokens(
        seat=line.envelope.seat,
        seed=secrets.seed,
        secret=secrets.hand_secret,
        purpose=message.purpose.label,
        index=line.envelope.seq,
        positions=message.positions,
    )
    return Tokens(purpose=message.purpose, positions=message.positions, tokens=tokens, proof=proof)


def _open(course: Course, reveals: tuple[Reveal, ...]) -> tuple[Event, ...]:
    """Opens what the tokens open; returns the events of a turned indicator."""
    events: tuple[Event, ...] = ()
    deck = course.need_deck()
    try:
        for reveal in reveals:
            if reveal.to is None:
                tile = deck.open_publicly(reveal.slots[0])
                course.game, events = course.engine.turn_indicator(course.need_game(), tile)
                continue
            for slot in reveal.slots:
                deck.hand_over(slot, reveal.to)
            course.duty.arrived(reveal.to)
    except (VerificationError, DecodeError) as error:
        raise _unopened(error) from error
    return events


def _unopened(error: VerificationError | DecodeError) -> ReplayEnded:
    text = f"a tile does not open: {error}"
    finding = Finding(line=None, seat=None, message=None, cause=error.code, text=text)
    return ReplayEnded(finding)


def _replay_move(course: Course, line: Line, seat: Seat, message: Move) -> Made:
    game = course.need_game()
    try:
        move = decode_move(message.move)
        following, events = course.engine.apply(game, move)
    except (RuleError, DecodeError) as error:
        raise ReplayEnded(line.finding(type(error), str(error))) from error
    slots = concealed_slots(game, seat)
    plan = reveal_plan(game, seat, move)
    _require_form(course, line, message, slots, plan, course.duty.is_due(game, seat, move))
    course.rebuild(line, message, partial(_build_move, course, line, message, slots, plan))
    if message.remask is not None:
        _replay_remask(course, line, slots, message.remask)
    if plan.slots:
        course.check(line, len(plan.slots), partial(_check_reveal, course, line, message, plan))
    for slot, tile in zip(plan.slots, plan.tiles, strict=True):
        course.need_deck().make_public(slot, tile)
        if course.faces:
            text = f"slot {slot} holds another tile than the seeds give"
            course.expect(line, course.faces[slot] == tile, ReplayMismatch, text)
    course.game = following
    return move, events


def _require_form(
    course: Course,
    line: Line,
    message: Move,
    slots: tuple[Slot, ...],
    plan: RevealPlan,
    is_remask_due: bool,
) -> None:
    text = "a re-mask is missing or not due"
    course.require(line, is_remask_due == (message.remask is not None), IllegalMove, text)
    if message.remask is not None:
        text = f"expected a re-mask of {len(slots)} tiles"
        course.require(line, len(message.remask.deck) == ENTRY * len(slots), BadLength, text)
    text = f"expected {len(plan.slots)} tokens with this move"
    course.require(line, len(message.tokens) == CELL * len(plan.slots), TokenNotDue, text)


def _check_reveal(course: Course, line: Line, message: Move, plan: RevealPlan) -> None:
    course.need_deck().check_reveal(
        holder=line.envelope.seat,
        purpose=plan.purpose,
        index=line.envelope.seq,
        slots=plan.slots,
        rack_indices=plan.rack_indices,
        tiles=plan.tiles,
        tokens=message.tokens,
        proof=message.proof,
    )


def _replay_remask(course: Course, line: Line, slots: tuple[Slot, ...], remask: Remask) -> None:
    deck, seat = course.need_deck(), line.envelope.seat
    key = course.keys[seat].hand_key
    deck_in, ctx = deck.remask_input(slots), deck.remask_context(seat)
    claim = ShuffleClaim(
        ctx=ctx, key=key, deck_in=deck_in, deck_out=remask.deck, proof=remask.proof
    )
    course.check_shuffle(line, claim)
    secrets = course.secrets.get(seat)
    if course.faces and secrets is not None:
        permutation = deck.remask_permutation(holder=seat, seed=secrets.seed, slots=slots)
        moved = [course.faces[slots[source]] for source in permutation]
        course.faces.update(zip(slots, moved, strict=True))
    deck.apply_remask(seat, slots, remask.deck)
    if course.faces and secrets is None:
        _open_remasked(course, seat, slots)
    course.duty.done(seat)


def _open_remasked(course: Course, seat: Seat, slots: tuple[Slot, ...]) -> None:
    """Where the seed is missing, the key from the others' shares shows what the re-mask gave."""
    try:
        tiles = course.need_deck().open_privately(slots, course.hand_secrets[seat])
    except (VerificationError, DecodeError) as error:
        raise _unopened(error) from error
    course.faces.update(zip(slots, tiles, strict=True))


def _build_move(
    course: Course,
    line: Line,
    message: Move,
    slots: tuple[Slot, ...],
    plan: RevealPlan,
    secrets: SeatSecrets,
) -> Move:
    """The move message that the seed gives for this choice of the player."""
    deck, seat = course.need_deck().copy(), line.envelope.seat
    remask = None
    if message.remask is not None:
        deck_out, proof = prove_shuffle(
            course.group,
            seed=secrets.seed,
            ctx=deck.remask_context(seat),
            key=course.keys[seat].hand_key,
            deck=deck.remask_input(slots),
        )
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
