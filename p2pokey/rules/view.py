"""What one seat may know: the public state and the faces of its own concealed tiles.

Bots, hints and the page get exactly this. A view is refused if it holds a face that the state does
not let its seat know.
"""

import json
from dataclasses import dataclass

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.moves import LaidMeld
from p2pokey.rules.state import FinishRecord, HandState
from p2pokey.tiles import Seat, Slot, Tile, format_tile


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The state as one seat sees it; seat None sees what everybody sees.

    Raises:
        LocalProtocolError: a private face of a slot that is public or not on the seat's rack, or a
            tile that is already known to lie elsewhere.
    """

    state: HandState
    seat: Seat | None = None
    private: tuple[tuple[Slot, Tile], ...] = ()
    """Known concealed slots of the own rack; a drawn tile joins once it has been opened."""

    def __post_init__(self) -> None:
        own = () if self.seat is None else self.state.racks[self.seat]
        known = {tile for tile in self.state.faces if tile is not None}
        slots = set()
        for slot, tile in self.private:
            if slot not in own or self.state.faces[slot] is not None or slot in slots:
                raise LocalProtocolError(f"slot {slot} is no concealed slot of seat {self.seat}")
            if tile in known:
                raise LocalProtocolError(f"{format_tile(tile)} cannot lie in two places")
            slots.add(slot)
            known.add(tile)

    def face(self, slot: Slot) -> Tile | None:
        """The tile in that slot, or None if this seat does not know it."""
        public = self.state.faces[slot]
        return dict(self.private).get(slot) if public is None else public

    def rack(self) -> tuple[tuple[Slot, Tile], ...]:
        """The own rack in rack order, as far as it is known; empty for a public view."""
        if self.seat is None:
            return ()
        private = dict(self.private)
        faces = ((slot, self.state.faces[slot]) for slot in self.state.racks[self.seat])
        known = ((slot, private.get(slot) if tile is None else tile) for slot, tile in faces)
        return tuple((slot, tile) for slot, tile in known if tile is not None)

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no spaces, tiles as text, null for what is concealed."""
        return json.dumps(self._as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    def _as_dict(self) -> dict[str, object]:
        state = self.state
        public_stack = [slot for slot in state.stack if state.faces[slot] is not None]
        return {
            "discards": [self._places(pile) for pile in state.discards],
            "ending": state.ending.name.lower(),
            "finish": None if state.finish is None else _finish_dict(state.finish),
            "indicator": None if state.indicator is None else self._place(state.indicator),
            "okey": None if state.okey is None else str(state.okey),
            "phase": state.phase.name.lower(),
            "racks": [self._places(rack) for rack in state.racks],
            "rules": state.rules.key,
            "seat": self.seat,
            "seats": state.seats,
            "shown_by": state.shown_by,
            "stack": {"count": len(state.stack), "public": self._places(tuple(public_stack))},
            "starter": state.starter,
            "table": None if state.table is None else state.table.as_dict(),
            "taken": state.taken,
            "turn": state.turn,
            "turns_taken": list(state.turns_taken),
        }

    def _places(self, slots: tuple[Slot, ...]) -> list[dict[str, object]]:
        return [self._place(slot) for slot in slots]

    def _place(self, slot: Slot) -> dict[str, object]:
        tile = self.face(slot)
        return {"slot": slot, "tile": None if tile is None else format_tile(tile)}


def _finish_dict(finish: FinishRecord) -> dict[str, object]:
    return {
        "discard": finish.discard,
        "kind": finish.kind.name.lower(),
        "layout": [_meld_dict(meld) for meld in finish.layout],
        "okey_discarded": finish.okey_discarded,
        "seat": finish.seat,
    }


def _meld_dict(meld: LaidMeld) -> dict[str, object]:
    return {"kind": meld.kind.word, "slots": [placed.slot for placed in meld.tiles]}


def public_view(state: HandState) -> View:
    """The state as everybody sees it."""
    return View(state=state)
