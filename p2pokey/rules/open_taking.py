"""The taken discard on an open table: who may take it, what for, and when it must go back.

docs/rules: B-2, B-25, B-27, C-10, C-18, D-12, and the rules OT-1 to OT-3 of open_checks.py.
"""

from collections.abc import Sequence

from p2pokey.rules.checks import refuse
from p2pokey.rules.melds import MeldKind, identity
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import Opened, OpenTable, table_of
from p2pokey.rules.playable import is_playable, swaps_of
from p2pokey.rules.published import RuleSet, TakeUse
from p2pokey.rules.state import HandState
from p2pokey.tiles import Slot, Tile, format_tile


def is_unused(state: HandState) -> bool:
    """Whether the tile taken in this turn lies on the rack and has not been on the table yet."""
    if state.taken is None or state.taken not in state.racks[state.turn]:
        return False
    return state.taken not in table_of(state).turn.retrieved


def has_unused_okey(state: HandState) -> bool:
    """Whether an okey retrieved in this turn still lies on the rack where it must be used (B-3)."""
    if not state.rules.open_table.retrieved_must_be_used:
        return False
    return any(slot in state.racks[state.turn] for slot in table_of(state).turn.retrieved)


def may_process(rules: RuleSet, opened: Opened, kind: MeldKind) -> bool:
    """Whether a seat that has opened so may work on that kind of meld (B-5, C-13)."""
    if opened is Opened.PAIRS:
        return kind is MeldKind.PAIR or rules.open_table.pairs_opener_may_process
    return opened is Opened.MELDS


def check_take(state: HandState) -> None:
    """Raises IllegalMove unless the left neighbour's discard may be taken; its pile has one."""
    table, rules = table_of(state), state.rules.open_table
    giver = state.left_of(state.turn)
    tile = state.faces[state.discards[giver][-1]]
    assert tile is not None
    if table.turn.returned:
        refuse(state, "the taken tile was put back: draw from the stack", "OT-3")
    if not rules.take_playable and is_playable(state.rules, table.melds, tile, okey_of(state)):
        name = format_tile(tile, with_copy=False)
        refuse(state, f"{name} fits a meld on the table: it cannot be taken", "C-10")
    opened = table.opened[state.turn]
    protected = table.going_pairs[giver]
    if opened is Opened.MELDS and protected:
        refuse(state, "this neighbour is Going Pairs: the tile is for pairs only", "B-25")
    if opened is Opened.PAIRS and not _pairs_opener_has_use(state, table, tile, protected):
        refuse(state, "who has opened with pairs has no use for this tile", "OT-1")


def _pairs_opener_has_use(state: HandState, table: OpenTable, tile: Tile, protected: bool) -> bool:
    """Whether some use is open to a seat that has opened with pairs (D-12)."""
    rules = state.rules.open_table
    if rules.take_use is TakeUse.ANY_MELD:
        return True
    if rules.pairs_opener_may_process and not protected:
        return True
    if not rules.take_as_supply:
        return False
    okey = okey_of(state)
    pairs = [meld for meld in table.melds if meld.kind is MeldKind.PAIR]
    face = identity(tile, okey)
    return any(swap.face == face for meld in pairs for swap in swaps_of(state.rules, meld, okey))


def check_use_in_opening(state: HandState, slots: Sequence[Slot], opened: Opened) -> None:
    """Raises IllegalMove unless an opening with these slots may leave or use the taken tile."""
    if not is_unused(state):
        return
    if state.taken not in slots:
        if state.rules.open_table.take_in_opening:
            refuse(state, "the taken tile must be among the tiles of the opening", "OT-2")
        return
    if opened is Opened.MELDS:
        _check_protected(state)


def check_use_in_new_meld(state: HandState, slots: Sequence[Slot], *, in_pairs: bool) -> None:
    """Raises IllegalMove unless the taken tile may be laid in a new meld or pair."""
    if not uses_taken(state, slots):
        return
    if state.rules.open_table.take_use is TakeUse.STRICT:
        refuse(state, "a taken tile goes onto a meld on the table, not into a new one", "OT-1")
    if not in_pairs:
        _check_protected(state)


def check_use_by_adding(state: HandState, slots: Sequence[Slot]) -> None:
    """Raises IllegalMove unless the taken tile may be added to a run or set."""
    if uses_taken(state, slots):
        _check_protected(state)


def check_use_as_supply(state: HandState, slots: Sequence[Slot], kind: MeldKind) -> None:
    """Raises IllegalMove unless the taken tile may be supplied for an okey (B-27, C-18, D-12)."""
    if not uses_taken(state, slots):
        return
    if not state.rules.open_table.take_as_supply:
        refuse(state, "a taken tile is for an opening or for adding only", "OT-1")
    if kind is not MeldKind.PAIR:
        _check_protected(state)


def check_used(state: HandState) -> None:
    """Raises IllegalMove if the turn cannot end because the taken tile lies unused."""
    if is_unused(state):
        refuse(state, "use the taken tile or put it back", "OT-2")


def uses_taken(state: HandState, slots: Sequence[Slot]) -> bool:
    """Whether the taken tile, unused so far, is among these slots of the rack."""
    return is_unused(state) and state.taken in slots


def _check_protected(state: HandState) -> None:
    if table_of(state).going_pairs[state.left_of(state.turn)]:
        refuse(state, "this neighbour is Going Pairs: the tile is for pairs only", "B-25")
