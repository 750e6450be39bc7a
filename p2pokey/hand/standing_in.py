"""How the others stand in for an absent seat (docs/protocol.md S10).

From the certificate on, every token that the absent seat owes is put together from the shares of all
others. In its turns they open the tile that it draws, to everybody, and it goes on its discard pile.
"""

from p2pokey.deck.shares import build_escrow, check_escrow, open_share, recover_tokens
from p2pokey.deck.turns import reveals_in
from p2pokey.errors import TokenNotDue
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import MoveApplied, Phase, ProofAccepted
from p2pokey.rules.absence import opened_slot, play_absent, turned_back
from p2pokey.rules.events import Reveal
from p2pokey.rules.state import Phase as GamePhase
from p2pokey.tiles import Tile
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import End, Escrow, Purpose, Tokens


def release_tokens(core: HandCore) -> None:
    """Releases what this seat owes for the reveals that are open: its tokens, then its shares."""
    if core.is_absent:
        return
    positions = core.due_tokens(core.seat)
    if positions:
        tokens, proof = core.need_deck().prove_tokens(
            seat=core.seat,
            seed=core.secrets.seed,
            secret=core.secrets.hand_secret,
            purpose=core.purpose.label,
            index=core.next_seq(),
            positions=positions,
        )
        core.send(Tokens(purpose=core.purpose, positions=positions, tokens=tokens, proof=proof))
    if core.due_escrow():
        _send_escrow(core)


def _send_escrow(core: HandCore) -> None:
    assert core.mark is not None
    absent, positions = core.mark.seat, core.due_escrow()
    table = core.share_tables[absent]
    share = open_share(
        core.group,
        core.sealer,
        core.contexts,
        dealer=absent,
        holder=core.seat,
        secret=core.secrets.sealing_secret,
        sealing_key=core.commits[absent].sealing_key,
        shares=core.keys[absent].shares,
        table=table,
    )
    tokens, proof = build_escrow(
        core.group,
        core.contexts,
        helper=core.seat,
        index=core.next_seq(),
        absent=absent,
        positions=positions,
        keyset=core.keyset,
        seed=core.secrets.seed,
        share=share,
        table=table,
        points=core.need_deck().points_of(positions),
    )
    core.send(Escrow(absent=absent, positions=positions, tokens=tokens, proof=proof))


def take_escrow(core: HandCore, envelope: Envelope, message: Escrow) -> Steps:
    """A helper's tokens for the absent seat: exactly those that this seat owes now."""
    yield
    seat, due, mark = envelope.seat, core.due_escrow(), core.mark
    is_due = due == message.positions and seat not in core.escrow
    if mark is None or message.absent != mark.seat or not is_due:
        raise TokenNotDue(f"shares for positions {list(message.positions)} are not due")
    deck = core.need_deck()
    if seat != core.seat:
        check_escrow(
            core.group,
            core.contexts,
            helper=seat,
            index=envelope.seq,
            absent=message.absent,
            positions=due,
            keyset=core.keyset,
            table=core.share_tables[mark.seat],
            points=deck.points_of(due),
            tokens=message.tokens,
            proof=message.proof,
        )
        core.emit(ProofAccepted(seat=seat, kind="token", count=len(due)))
    core.escrow[seat] = message.tokens
    if all(helper in core.escrow for helper in core.present):
        yield
        tokens = recover_tokens(
            core.group, core.threshold, {int(k): v for k, v in core.escrow.items()}
        )
        deck.store_tokens(message.absent, due, tokens)
        core.escrow = {}


def roll_turn_back(core: HandCore) -> None:
    """Back to the start of the turn of the seat that is marked now; it has begun, or it has not."""
    start = core.turn_start
    if start is None:
        return
    core.game = turned_back(start.game, core.need_game())
    core.need_deck().roll_back(start.deck)
    core.duty = start.duty.copy()
    core.private = dict(start.private)


def begin_absent_turn(core: HandCore) -> None:
    """Opens what the absent seat draws; without anything to open its turn is played at once."""
    game = core.need_game()
    slot = opened_slot(game)
    if slot is None:
        _finish_absent_turn(core, None)
    elif (tile := game.faces[slot]) is not None:
        _finish_absent_turn(core, tile)
    else:
        core.purpose = Purpose.DRAW
        core.reveals = (Reveal(slots=(slot,), to=None),)
        release_tokens(core)


def discard_opened(core: HandCore, reveal: Reveal) -> None:
    """All tokens for the absent seat's tile are in: everybody sees it, and its turn is over."""
    tile = core.need_deck().open_publicly(reveal.slots[0])
    core.private.pop(reveal.slots[0], None)
    _finish_absent_turn(core, tile)


def _finish_absent_turn(core: HandCore, tile: Tile | None) -> None:
    seat = core.need_game().turn
    core.game, moves = play_absent(core.engine, core.need_game(), tile)
    core.complete_play_step()
    for move, events in moves:
        core.emit(MoveApplied(seat=seat, move=move, events=events))
        assert not reveals_in(events)
    if core.need_game().phase is GamePhase.OVER:
        end_play(core)
        return
    core.begin_turn()
    core.announce_turn()


def end_play(core: HandCore) -> None:
    """The hand is over: all sign what it came to."""
    core.final_state = core.states[-1]
    core.enter(Phase.END)
    core.contribute(End(digest=core.final_state))
