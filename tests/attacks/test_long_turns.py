"""A seat that draws its turn out, and keeps it from one of the others meanwhile."""

from itertools import permutations

from p2pokey.bots.choosing import choose
from p2pokey.crypto.drbg import Drbg
from p2pokey.errors import RuleError
from p2pokey.hand.effects import MoveApplied, Phase
from p2pokey.rules import open_table
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import Discard, LaidMeld, Move, Open, Placed
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.view import View
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope
from tests.hand.test_whole_hand import CHEAP, own_audit
from tests.sim.table import SimTable, make_setup

ATTEMPTS = 3
SEED = "long turn"


def stubborn(view: View, source: Drbg) -> Move:
    """The starter tries low openings for as long as the rules let it; then all play as usual."""
    if view.seat != view.state.starter or sum(view.state.turns_taken):
        return choose(view, source)
    rack = [Placed(slot, tile) for slot, tile in view.rack()]
    for three in permutations(rack, 3):
        for kind in (MeldKind.SET, MeldKind.RUN):
            attempt = Open((LaidMeld(kind=kind, tiles=three),))
            try:
                open_table.check(view, attempt)
            except RuleError:
                continue
            return attempt
    return Discard(rack[0])


def test_row_13_a_drawn_out_turn_that_one_seat_is_not_shown_blames_nobody_honest() -> None:
    setup = make_setup(SEED, rules=ruleset_for("101-standard"))
    held: list[tuple[Seat, bytes]] = []
    liar: list[Seat] = []

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if envelope.kind.label == "move" and envelope.seat == source and not liar:
            liar.append(source)
        if liar and source == liar[0] and target == (liar[0] + 2) % 4:
            held.append((target, data))
            return []
        return [data]

    table = SimTable(
        CHEAP, setup, SEED, wire=wire, player=stubborn, audit=lambda data: own_audit(CHEAP, data)
    )
    table.run()
    attempts = [
        effect.move
        for effect in table.peers[liar[0]].effects
        if isinstance(effect, MoveApplied) and isinstance(effect.move, Open)
    ]
    assert len(attempts) >= ATTEMPTS
    assert all(peer.machine.fault is None for peer in table.peers), "they only wait"
    table.wire = lambda source, target, data: [data]
    for target, data in held:
        table.links[liar[0], target].append(data)
    table.run()
    assert {peer.machine.phase for peer in table.peers} == {Phase.DONE}
