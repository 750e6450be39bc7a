"""What moves do to the state, written from docs/transcript-format.md section 8 alone.

Classic Okey and the duel; open tables are in open_changes.py. States are what state_bytes.py reads.
Moves are taken to be allowed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.docs.state_bytes import read_move

Record = dict[str, Any]
Face = tuple[int, int]
NOTHING = 255
INDICATOR, DRAW, PLAY, OVER = range(4)
FINISHED, EMPTY, LIMIT, BLOCKED = range(1, 5)


def printed(tile: int) -> Face | None:
    """Colour and number of a tile, None for a false okey."""
    return None if tile >= 104 else (tile // 26, tile % 26 // 2 + 1)


def deal(rules: Record, digest: bytes, starter: int) -> Record:
    """The state before the indicator opens, in the duel before the first move."""
    n, k = rules["players"], rules["rack_size"]
    blocks = [(seat - starter) % n for seat in range(n)]
    racks = [list(range(k * block, k * block + k)) for block in blocks]
    racks[starter] += [n * k] if rules["starter_extra"] else []
    table: Record | None = None
    if rules["duel"]:
        table = {"opened": [0] * n, "passes": 0, "melds": []}
    elif rules["table"]:
        table = {"version": 1, "turn_flags": 0, "attempts": 0, "checkpoint": None}
        table |= {name: [0] * n for name in ("opened", "opening_values", "going_pairs")}
        table |= {name: [] for name in ("melds", "charges", "retrieved", "added")}
    return {
        "version": 1,
        "rules": digest,
        "seats": n,
        "starter": starter,
        "phase": INDICATOR if rules["indicator"] else PLAY,
        "ending": 0,
        "turn": starter,
        "indicator": NOTHING,
        "taken": NOTHING,
        "shown_by": NOTHING,
        "turns_taken": [0] * n,
        "racks": racks,
        "stack": list(range(n * k + rules["starter_extra"], 106)),
        "discards": [[] for _ in range(n)],
        "faces": [NOTHING] * 106,
        "finish": None,
        "table": table,
    }


@dataclass
class Hand:
    """A hand whose state changes."""

    rules: Record
    state: Record

    @property
    def table(self) -> Record:
        return self.state["table"]

    @property
    def turn(self) -> int:
        return self.state["turn"]

    @property
    def rack(self) -> list[int]:
        return self.state["racks"][self.turn]

    @property
    def left(self) -> int:
        return (self.turn - 1) % self.state["seats"]

    @property
    def okey(self) -> Face:
        face = printed(self.state["faces"][self.state["indicator"]])
        assert face is not None
        return face[0], face[1] % 13 + 1

    def natural(self, tile: int) -> Face | None:
        """What a tile is; None for an okey."""
        face = printed(tile) or self.okey
        return None if printed(tile) == self.okey else face

    # All games ---------------------------------------------------------------------------------

    def open_indicator(self, tile: int) -> None:
        slot = self.state["stack"].pop(0)
        self.state["faces"][slot] = tile
        if printed(tile) is None:
            self.state["stack"].append(slot)
        else:
            self.state.update(indicator=slot, phase=PLAY)

    def play(self, data: bytes) -> None:
        """A move, as it is written."""
        tag, move = read_move(data)
        self.moves()[tag](**move)

    def moves(self) -> dict[int, Any]:
        """What does each move, by tag."""
        if self.rules["duel"]:
            return {1: self.duel_draw, 6: self.duel_pass, 15: self.duel_play}
        return {
            1: self.draw,
            2: self.take,
            3: self.show,
            4: self.discard,
            5: self.finish,
            6: self.end_turn,
        }

    def draw(self) -> None:
        self.rack.append(self.state["stack"].pop(0))
        self.state["phase"] = PLAY

    def take(self) -> None:
        slot = self.state["discards"][self.left].pop()
        self.rack.append(slot)
        self.state.update(taken=slot, phase=PLAY)

    def make_public(self, placed: Iterable[Record]) -> None:
        for one in placed:
            self.state["faces"][one["slot"]] = one["tile"]

    def show(self, placed: Record) -> None:
        self.make_public([placed])
        self.state["shown_by"] = self.turn

    def put_down(self, placed: Record) -> None:
        self.make_public([placed])
        self.rack.remove(placed["slot"])
        self.state["discards"][self.turn].append(placed["slot"])

    def discard(self, placed: Record) -> None:
        self.put_down(placed)
        self.end_turn()

    def finish(self, placed: Record, melds: list[Record]) -> None:
        laid = [one for meld in melds for one in meld["tiles"]]
        self.put_down(placed)
        self.make_public(laid)
        faces = [self.natural(one["tile"]) for one in laid]
        singles = {face for face in faces if face and faces.count(face) % 2}
        self.finished(placed, int(len(singles) <= faces.count(None)), melds)

    def finished(self, placed: Record, kind: int, layout: list[Record]) -> None:
        record = {"seat": self.turn, "slot": placed["slot"], "kind": kind, "layout": layout}
        record["okey"] = int(self.natural(placed["tile"]) is None)
        self.state["turns_taken"][self.turn] += 1
        self.state.update(finish=record, taken=NOTHING, ending=FINISHED, phase=OVER)

    def end_turn(self) -> None:
        state, offers = self.state, self.rules["last_discard_offer"]
        drew = state["phase"] == PLAY and state["taken"] == NOTHING
        state["turns_taken"][self.turn] += 1
        state["taken"] = NOTHING
        if not state["stack"] and not (offers and drew):
            state.update(ending=EMPTY, phase=OVER)
        elif sum(state["turns_taken"]) >= self.rules["turn_limit"]:
            state.update(ending=LIMIT, phase=OVER)
        else:
            state.update(phase=DRAW, turn=(self.turn + 1) % state["seats"])

    # The duel ------------------------------------------------------------------------------------

    def next_turn(self, ending: int = 0) -> None:
        self.state["turns_taken"][self.turn] += 1
        if ending:
            self.state.update(ending=ending, phase=OVER)
        else:
            self.state["turn"] = 1 - self.turn

    def duel_draw(self) -> None:
        self.draw()
        self.table["passes"] = 0
        self.next_turn()

    def duel_pass(self) -> None:
        self.table["passes"] += 1
        self.next_turn(BLOCKED if self.table["passes"] == 2 else 0)

    def duel_play(self, melds: list[Record]) -> None:
        laid = [one for meld in melds for one in meld["tiles"]]
        self.make_public(laid)
        gone = {one["slot"] for one in laid}
        self.state["racks"][self.turn] = [slot for slot in self.rack if slot not in gone]
        self.table["opened"][self.turn] = 1
        self.table.update(passes=0, melds=melds)
        self.next_turn(0 if self.rack else FINISHED)
