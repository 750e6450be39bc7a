"""Rounds DEAL and INDICATOR, and play (docs/protocol.md S4.5, S4.6, S8, S9)."""

from p2pokey.crypto.group import CELL
from p2pokey.crypto.reencrypt import ENTRY
from p2pokey.crypto.shuffle import prove_shuffle_steps, verify_shuffle_steps
from p2pokey.deck.turns import (
    RevealPlan,
    concealed_slots,
    reveal_plan,
    reveals_in,
)
from p2pokey.errors import (
    BadLength,
    IllegalMove,
    NotYourTurn,
    TokenNotDue,
)
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import MoveApplied, Phase, ProofAccepted
from p2pokey.hand.standing_in import discard_opened, end_play, release_tokens, take_escrow
from p2pokey.rules.events import Event, Reveal
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Move as GameMove
from p2pokey.rules.moves import with_slots
from p2pokey.rules.state import Phase as GamePhase
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Escrow, Move, Purpose, Remask, Tokens


def begin_deal(core: HandCore) -> None:
    """Starts the game and releases this seat's tokens for what is dealt."""
    core.game, events = core.engine.start(core.setup.rules, len(core.seats), core.starter)
    core.purpose = Purpose.DEAL
    core.reveals = reveals_in(events)
    release_tokens(core)


def handle_tokens(core: HandCore, envelope: Envelope, message: Tokens) -> Steps:
    """A seat's tokens: exactly those that the state asks of it now."""
    yield
    seat, deck = envelope.seat, core.need_deck()
    due = core.due_tokens(seat)
    if message.purpose is not core.purpose or message.positions != due:
        raise TokenNotDue(
            f"expected {core.purpose.label} tokens for positions {list(due)}, "
            f"got {message.purpose.label} for {list(message.positions)}"
        )
    if seat != core.seat:
        deck.check_tokens(
            seat=seat,
            purpose=message.purpose.label,
            index=envelope.seq,
            positions=message.positions,
            tokens=message.tokens,
            proof=message.proof,
        )
        core.emit(ProofAccepted(seat=seat, kind="token", count=len(due)))
    deck.store_tokens(seat, message.positions, message.tokens)
    if not core.missing_tokens():
        yield
        _open_reveals(core)


def handle_escrow(core: HandCore, envelope: Envelope, message: Escrow) -> Steps:
    """A share of the tokens that an absent seat owes."""
    yield from take_escrow(core, envelope, message)
    if core.reveals and not core.missing_tokens():
        yield
        _open_reveals(core)


def _open_reveals(core: HandCore) -> None:
    reveals, core.reveals = core.reveals, ()
    if core.phase is Phase.PLAY and reveals[0].to is None:
        discard_opened(core, reveals[0])
        return
    following: tuple[Event, ...] = ()
    for reveal in reveals:
        if reveal.to is None:
            tile = core.need_deck().open_publicly(reveal.slots[0])
            core.game, following = core.engine.turn_indicator(core.need_game(), tile)
        else:
            _hand_over(core, reveal, reveal.to)
    if core.phase is Phase.PLAY:
        core.announce_turn()
        return
    core.complete_play_step()
    if core.need_game().phase is GamePhase.INDICATOR:
        core.enter(Phase.INDICATOR)
        core.purpose = Purpose.INDICATOR
        core.reveals = reveals_in(following)
        release_tokens(core)
        return
    core.enter(Phase.PLAY)
    core.purpose = Purpose.DRAW
    core.begin_turn()
    core.announce_turn()


def _hand_over(core: HandCore, reveal: Reveal, holder: Seat) -> None:
    deck = core.need_deck()
    for slot in reveal.slots:
        deck.hand_over(slot, holder)
    core.duty.arrived(holder)
    if holder == core.seat:
        tiles = deck.open_privately(reveal.slots, core.secrets.hand_secret)
        core.private.update(zip(reveal.slots, tiles, strict=True))


def make_move(core: HandCore, move: GameMove) -> Steps:
    """Re-masks if due, proves what the move opens, and sends it. The caller has checked it."""
    yield
    game, seat = core.need_game(), core.seat
    deck = core.need_deck().copy()
    remask = None
    if core.duty.is_due(game, seat, move):
        slots = concealed_slots(game, seat)
        deck_out, proof = yield from prove_shuffle_steps(
            core.group,
            seed=core.secrets.seed,
            ctx=deck.remask_context(seat),
            key=core.keys[seat].hand_key,
            deck=deck.remask_input(slots),
        )
        remask = Remask(deck=deck_out, proof=proof)
        moved = _moved_faces(core, slots)
        deck.apply_remask(seat, slots, deck_out)
        move = with_slots(move, {tile: slot for slot, tile in moved.items()})
    plan = reveal_plan(game, seat, move)
    tokens, proof = b"", b""
    if plan.slots:
        tokens, proof = deck.prove_reveal(
            holder=seat,
            seed=core.secrets.seed,
            secret=core.secrets.hand_secret,
            purpose=plan.purpose,
            index=core.next_seq(),
            slots=plan.slots,
            rack_indices=plan.rack_indices,
        )
    core.send(Move(move=encode_move(move), remask=remask, tokens=tokens, proof=proof))


def _moved_faces(core: HandCore, slots: tuple[Slot, ...]) -> dict[Slot, Tile]:
    """This seat's concealed faces after its next re-mask of these slots."""
    permutation = core.need_deck().remask_permutation(
        holder=core.seat, seed=core.secrets.seed, slots=slots
    )
    return {
        slot: core.private[slots[source]] for slot, source in zip(slots, permutation, strict=True)
    }


def handle_move(core: HandCore, envelope: Envelope, message: Move) -> Steps:
    """A move of the seat on turn: re-mask, rules, then the proof of what it opens."""
    yield
    game, seat = core.need_game(), envelope.seat
    if seat != core.engine.mover(game):
        raise NotYourTurn("a move out of turn", rule="M-1", seat=seat)
    move = decode_move(message.move)
    following, events = core.engine.apply(game, move)
    slots = concealed_slots(game, seat)
    if core.duty.is_due(game, seat, move) != (message.remask is not None):
        raise IllegalMove("a re-mask is missing or not due", rule="S9", seat=seat)
    if message.remask is not None:
        yield from _take_remask(core, seat, slots, message.remask)
    plan = reveal_plan(game, seat, move)
    _check_reveal(core, envelope, message, plan)
    for slot, tile in zip(plan.slots, plan.tiles, strict=True):
        core.need_deck().make_public(slot, tile)
        core.private.pop(slot, None)
    core.game = following
    core.complete_play_step()
    core.emit(MoveApplied(seat=seat, move=move, events=events))
    if following.turn_count > game.turn_count:
        core.begin_turn()
    _after_move(core, events)


def _take_remask(core: HandCore, seat: Seat, slots: tuple[Slot, ...], remask: Remask) -> Steps:
    deck = core.need_deck()
    if len(remask.deck) != ENTRY * len(slots):
        raise BadLength(
            f"expected a re-mask of {len(slots)} tiles, got {len(remask.deck) // ENTRY}"
        )
    if seat == core.seat:
        core.private.update(_moved_faces(core, slots))
    else:
        yield from verify_shuffle_steps(
            core.group,
            ctx=deck.remask_context(seat),
            key=core.keys[seat].hand_key,
            deck_in=deck.remask_input(slots),
            deck_out=remask.deck,
            proof=remask.proof,
        )
        core.emit(ProofAccepted(seat=seat, kind="remask", count=1))
    deck.apply_remask(seat, slots, remask.deck)
    core.duty.done(seat)


def _check_reveal(core: HandCore, envelope: Envelope, message: Move, plan: RevealPlan) -> None:
    seat = envelope.seat
    if len(message.tokens) != CELL * len(plan.slots):
        raise TokenNotDue(
            f"expected {len(plan.slots)} tokens with this move, got {len(message.tokens) // CELL}"
        )
    if not plan.slots or seat == core.seat:
        return
    core.need_deck().check_reveal(
        holder=seat,
        purpose=plan.purpose,
        index=envelope.seq,
        slots=plan.slots,
        rack_indices=plan.rack_indices,
        tiles=plan.tiles,
        tokens=message.tokens,
        proof=message.proof,
    )
    core.emit(ProofAccepted(seat=seat, kind="reveal", count=len(plan.slots)))


def _after_move(core: HandCore, events: tuple[Event, ...]) -> None:
    game = core.need_game()
    if game.phase is GamePhase.OVER:
        end_play(core)
        return
    core.reveals = reveals_in(events)
    if core.reveals:
        release_tokens(core)
    core.announce_turn()
