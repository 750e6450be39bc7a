"""What moves do on an open table, written from docs/transcript-format.md section 8 and docs/rules.

Moves are taken to be allowed; only whether an opening or a claim fails is looked at, because both
are moves all the same.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from tests.docs.state_changes import DRAW, NOTHING, OVER, Face, Hand, Record

RUN, SET, PAIR = 0, 1, 2
CANCELLED = 5
BONUS = {1: ((180, -202), (150, -101)), 2: ((9, -202), (7, -101))}


class DoesNotWork(Exception):
    """A claim has a step that is not allowed."""


def need(holds: bool) -> None:
    """For what a claim must fulfil."""
    if not holds:
        raise DoesNotWork


def stand(tile: Record) -> Face:
    """What a tile on the table stands for."""
    return tile["colour"], tile["number"]


class OpenHand(Hand):
    """A hand of a game with an open table."""

    def moves(self) -> dict[int, Any]:
        more = {
            7: self.put_back,
            8: self.take_back,
            9: self.go_pairs,
            10: self.open,
            11: self.lay,
            12: self.add,
            13: self.retrieve,
            14: self.claim,
        }
        return super().moves() | more

    def discard(self, placed: Record) -> None:
        self.put_down(placed)
        if not self.rack:
            self.finished(placed, int(self.table["opened"][self.turn] == 2), [])
            return
        figures = self.rules["table"]
        if self.natural(placed["tile"]) is None and figures["okey_discard_charge"]:
            self.fine(self.turn, figures["okey_discard_charge"], "P-4")
        elif self.is_playable(placed["tile"]):
            self.fine(self.turn, figures["playable_charge"], "P-1")
        self.end_turn()

    def end_turn(self) -> None:
        self.table.update(turn_flags=0, attempts=0, retrieved=[], added=[], checkpoint=None)
        super().end_turn()

    def partner(self, seat: int) -> int | None:
        return (seat + 2) % 4 if self.rules["partners"] else None

    # What a tile stands for ----------------------------------------------------------------------

    def fixed(self, tile: Record) -> Face | None:
        """What the tile must stand for; None for an okey that is free."""
        natural = self.natural(self.state["faces"][tile["slot"]])
        declared = None if tile["colour"] == NOTHING else stand(tile)
        need(None in (natural, declared) or natural == declared)
        return natural or declared

    def is_okey(self, tile: Record) -> bool:
        return self.natural(self.state["faces"][tile["slot"]]) is None

    def read(self, meld: Record) -> Record:
        """Says of each tile of the meld what it stands for."""
        tiles = meld["tiles"]
        fixed = [self.fixed(tile) for tile in tiles]
        how = {RUN: self.as_run, SET: self.as_set, PAIR: self.as_pair}[meld["kind"]]
        need(not all(map(self.is_okey, tiles)) or meld["kind"] == PAIR)
        stands = how(fixed)
        need(all(face in (None, read) for face, read in zip(fixed, stands, strict=True)))
        for tile, (colour, number) in zip(tiles, stands, strict=True):
            tile.update(colour=colour, number=number)
        return meld

    def as_run(self, fixed: list[Face | None]) -> list[Face]:
        at, (colour, number) = next((i, face) for i, face in enumerate(fixed) if face)
        low = (14 if number == 1 and at else number) - at
        high = low + len(fixed) - 1
        need(3 <= len(fixed) <= 13 and low >= 1 and high <= 13 + self.rules["wrap"])
        return [(colour, (place - 1) % 13 + 1) for place in range(low, high + 1)]

    def as_set(self, fixed: list[Face | None]) -> list[Face]:
        known = [face for face in fixed if face]
        colours = [colour for colour, _ in known]
        need(len(fixed) in (3, 4) and len({number for _, number in known}) == 1)
        need(len(set(colours)) == len(colours))
        free = [colour for colour in range(4) if colour not in colours]
        if len(fixed) == 3:
            free = [NOTHING] * 3
        return [face or (free.pop(0), known[0][1]) for face in fixed]

    def as_pair(self, fixed: list[Face | None]) -> list[Face]:
        known = [face for face in fixed if face]
        need(len(fixed) == 2 and (bool(known) or self.rules["two_okeys_pair"]))
        return [known[0] if known else self.okey] * 2

    # What is playable ----------------------------------------------------------------------------

    def room(self, meld: Record) -> list[Face]:
        """Faces that fit the meld."""
        stands = list(map(stand, meld["tiles"]))
        (colour, low), (_, high) = stands[0], stands[-1]
        if meld["kind"] == SET and len(stands) == 3:
            taken = [colour for colour, _ in stands]
            return [(colour, low) for colour in range(4) if colour not in taken]
        if meld["kind"] != RUN or len(stands) == 13:
            return []
        below = [(colour, low - 1)] if low > 1 else []
        has_above = high > low and (high < 13 or self.rules["wrap"])
        return below + ([(colour, high % 13 + 1)] if has_above else [])

    def swaps(self, meld: Record) -> list[Face]:
        """Faces that alone free an okey of the meld."""
        stands = list(map(stand, meld["tiles"]))
        is_set3 = meld["kind"] == SET and len(stands) == 3
        if is_set3 and self.rules["table"]["set3_retrieve_both"]:
            return []
        taken = [colour for colour, _ in stands]
        free = [colour for colour in range(4) if colour not in taken]
        return [
            (free.pop(0) if tile["colour"] == NOTHING else tile["colour"], tile["number"])
            for tile in meld["tiles"]
            if self.is_okey(tile)
        ]

    def is_playable(self, tile: int) -> bool:
        face, melds = self.natural(tile), self.table["melds"]
        fits = [room for meld in melds for room in self.room(meld)]
        frees = [swap for meld in melds for swap in self.swaps(meld)]
        if face is None:
            return bool(fits)
        return face in fits or (self.rules["table"]["playable_includes_swap"] and face in frees)

    # Charges -------------------------------------------------------------------------------------

    def charge(self, seat: int, points: int, rule: str) -> None:
        if points:
            self.table["charges"].append({"seat": seat, "points": points, "rule": rule})

    def fine(self, seat: int, points: int, rule: str) -> None:
        """A charge that a table without penalties does not have."""
        if self.rules["table"]["penalties"]:
            self.charge(seat, points, rule)

    def fine_taken(self, is_used: bool, melds: Iterable[Record], *, in_opening: bool) -> None:
        if not is_used:
            return
        for meld in melds:
            for tile in meld["tiles"]:
                if tile["slot"] == self.state["taken"]:
                    self.fine_use(tile, is_pair=meld["kind"] == PAIR, in_opening=in_opening)

    def fine_use(self, tile: Record, *, is_pair: bool, in_opening: bool) -> None:
        factor = 20 if is_pair else 10
        natural = self.natural(self.state["faces"][tile["slot"]])
        match self.rules["table"]["discarder_pays"]:
            case "challenge":
                double = 2 if natural is None else 1
                self.fine(self.left, tile["number"] * factor * double, "B-15")
            case "opening" if in_opening:
                self.fine(self.left, (natural or self.okey)[1] * factor, "C-7")
            case "always":
                self.fine(self.left, tile["number"] * 10, "D-7")

    # The open table ------------------------------------------------------------------------------

    def go_pairs(self) -> None:
        self.table["going_pairs"][self.turn] = 1

    def new_meld(self, meld: Record) -> Record:
        """A meld as it is laid, not read yet."""
        faces = {one["index"]: divmod(one["face"], 13) for one in meld["declared"]}
        tiles = []
        for index, placed in enumerate(meld["tiles"]):
            colour, number = faces.get(index, (NOTHING, -1))
            tile = {"slot": placed["slot"], "colour": colour, "number": number + 1}
            tiles.append(tile | {"placer": self.turn})
        return {"kind": meld["kind"], "owner": self.turn, "tiles": tiles}

    def new_melds(self, melds: list[Record]) -> list[Record]:
        return [self.read(self.new_meld(meld)) for meld in melds]

    def leave_rack(self, tiles: Iterable[Record]) -> bool:
        """Tiles go to the table; whether the taken one is among them and had not been there."""
        table, taken = self.table, self.state["taken"]
        if table["checkpoint"] is None:
            kept = {"rack": self.rack, "melds": table["melds"]}
            table["checkpoint"] = deepcopy(kept) | {"charge_count": len(table["charges"])}
        tiles = list(tiles)
        self.make_public(tiles)
        for one in tiles:
            self.rack.remove(one["slot"])
        return taken in [one["slot"] for one in tiles] and taken not in table["retrieved"]

    def put_melds(self, melds: list[Record]) -> tuple[list[Record], bool]:
        is_used = self.leave_rack(one for meld in melds for one in meld["tiles"])
        new = self.new_melds(melds)
        self.table["melds"] += new
        return new, is_used

    def opening_of(self, melds: list[Record]) -> tuple[int, int]:
        """How these melds open, and what counts against the floor."""
        trial = OpenHand(self.rules, deepcopy(self.state))
        trial.make_public(one for meld in melds for one in meld["tiles"])
        new = trial.new_melds(melds)
        need(len({meld["kind"] == PAIR for meld in new}) == 1)
        if new[0]["kind"] == PAIR:
            return 2, len(new)
        return 1, sum(tile["number"] for meld in new for tile in meld["tiles"])

    def reaches_floor(self, how: int, value: int) -> bool:
        figures, word = self.rules["table"], ("", "melds", "pairs")[how]
        spared = {self.turn}
        if self.rules["partners"] and not figures["rise_counts_partner"]:
            spared.add((self.turn + 2) % 4)
        floor = figures[f"{word}_floor"]
        others = zip(self.table["opened"], self.table["opening_values"], strict=True)
        if figures[f"{word}_rise"]:
            values = [v for seat, (o, v) in enumerate(others) if o == how and seat not in spared]
            floor = max([floor, *(dearest + 1 for dearest in values)])
        return value >= floor

    def fail(self, tiles: Iterable[Record], rule: str) -> None:
        self.table["attempts"] += 1
        self.make_public(tiles)
        self.fine(self.turn, self.rules["table"]["take_back_charge"], rule)

    def open(self, melds: list[Record]) -> None:
        can_fail = self.rules["table"]["failed_opening_charged"]
        if can_fail and not self.reaches_floor(*self.opening_of(melds)):
            self.fail((one for meld in melds for one in meld["tiles"]), "C-1")
        else:
            self.lay_opening(melds)

    def lay_opening(self, melds: list[Record]) -> None:
        how, value = self.opening_of(melds)
        table, figures = self.table, self.rules["table"]
        new, is_used = self.put_melds(melds)
        table["opened"][self.turn] = how
        table["opening_values"][self.turn] = value
        table["turn_flags"] |= 1
        if figures["opening_bonus"]:
            due = (points for least, points in BONUS[how] if value >= least)
            self.charge(self.turn, next(due, 0), "B-14")
        self.fine_taken(is_used, new, in_opening=True)
        if figures["four_pairs_cancel"] and set(table["opened"]) == {2}:
            self.state.update(ending=CANCELLED, phase=OVER)

    def lay(self, melds: list[Record]) -> None:
        new, is_used = self.put_melds(melds)
        self.fine_taken(is_used, new, in_opening=False)

    def extended(self, number: int, end: int, tiles: list[Record]) -> Record:
        """The meld with tiles at its end, which must be public."""
        meld = deepcopy(self.table["melds"][number])
        new = self.new_meld({"kind": meld["kind"], "tiles": tiles, "declared": []})["tiles"]
        meld["tiles"] = meld["tiles"] + new if end else new[::-1] + meld["tiles"]
        return self.read(meld)

    def add(self, meld: int, end: int, tiles: list[Record]) -> None:
        is_used, table = self.leave_rack(tiles), self.table
        after = table["melds"][meld] = self.extended(meld, end, tiles)
        counts = {(at, side): count for at, side, count in table["added"]}
        counts[meld, end] = counts.get((meld, end), 0) + len(tiles)
        table["added"] = [[*key, count] for key, count in sorted(counts.items())]
        owner, slots = after["owner"], [one["slot"] for one in tiles]
        fed = sum(tile["number"] for tile in after["tiles"] if tile["slot"] in slots)
        is_rival = self.turn not in (owner, self.partner(owner))
        if self.rules["table"]["owner_pays_for_feeding"] and is_rival:
            self.fine(owner, 10 * fed, "D-4")
        self.fine_taken(is_used, [after], in_opening=False)

    def retrieve(self, meld: int, place: int, tiles: list[Record]) -> None:
        is_used, old, figures = (
            self.leave_rack(tiles),
            self.table["melds"][meld],
            self.rules["table"],
        )
        after = deepcopy(old)
        okey = after["tiles"].pop(place)
        new = self.new_meld({"kind": old["kind"], "tiles": tiles, "declared": []})["tiles"]
        at = place if len(new) == 1 else len(after["tiles"])
        after["tiles"][at:at] = new
        self.table["melds"][meld] = self.read(after)
        self.rack.append(okey["slot"])
        self.table["retrieved"].append(okey["slot"])
        payer, points = okey["placer"], figures["retrieve_charge"]
        rule = "C-9" if figures["scoring"] == "101-rack" else "B-21"
        if figures["retrieve_owner_pays"]:
            payer, rule = old["owner"], "D-15"
            points += 10 * sum(tile["number"] for tile in new)
        is_partner = figures["retrieve_exempts_partner"] and self.partner(self.turn) == payer
        if payer != self.turn and not is_partner:
            self.fine(payer, points, rule)
        self.fine_taken(is_used, [after], in_opening=False)

    # Undoing -------------------------------------------------------------------------------------

    def undo(self) -> None:
        table, figures = self.table, self.rules["table"]
        kept = table["checkpoint"]
        self.state["racks"][self.turn] = kept["rack"]
        del table["charges"][kept["charge_count"] :]
        if table["turn_flags"] & 1:
            table["opened"][self.turn] = table["opening_values"][self.turn] = 0
        table["attempts"] += 1
        table.update(melds=kept["melds"], turn_flags=0, retrieved=[], added=[], checkpoint=None)
        rule = "C-8" if figures["take_back_any_change"] else "B-4"
        self.fine(self.turn, figures["take_back_charge"], rule)

    def give_back(self) -> None:
        self.rack.remove(self.state["taken"])
        self.state["discards"][self.left].append(self.state["taken"])
        self.table["turn_flags"] |= 2
        self.state.update(taken=NOTHING, phase=DRAW)

    def put_back(self) -> None:
        if self.table["checkpoint"]:
            self.undo()
        self.give_back()

    def take_back(self) -> None:
        self.undo()
        if self.rules["table"]["take_back_returns"] and self.state["taken"] != NOTHING:
            self.give_back()

    # A claimed finish ----------------------------------------------------------------------------

    def claim(self, placed: Record, melds: list[Record], additions: list[Record]) -> None:
        trial = OpenHand(self.rules, deepcopy(self.state))
        try:
            trial.do_claim(placed, melds, additions)
            self.state.clear()
            self.state.update(trial.state)
        except DoesNotWork:
            groups = [*melds, *additions, {"tiles": [placed]}]
            self.fail((one for group in groups for one in group["tiles"]), "OT-12")

    def do_claim(self, placed: Record, melds: list[Record], additions: list[Record]) -> None:
        figures, taken = self.rules["table"], self.state["taken"]
        slots = [one["slot"] for meld in melds for one in meld["tiles"]]
        how, value = self.opening_of(melds)
        need(all(len(meld["tiles"]) <= self.rules["max_new"] for meld in melds))
        need(len(slots) < len(self.rack) and (taken == NOTHING or taken in slots))
        need(figures["rack_finish_waives_floor"] or self.reaches_floor(how, value))
        self.lay_opening(melds)
        if self.state["phase"] == OVER:
            groups = [*additions, {"tiles": [placed]}]
            self.make_public(one for group in groups for one in group["tiles"])
            return
        for addition in additions:
            self.need_addition(how, **addition)
            self.add(**addition)
        need(self.rack == [placed["slot"]])
        self.discard(placed)

    def need_addition(self, how: int, meld: int, end: int, tiles: list[Record]) -> None:
        figures = self.rules["table"]
        need(meld < len(self.table["melds"]) and len(tiles) < len(self.rack))
        kind = self.table["melds"][meld]["kind"]
        need(kind != PAIR and not (kind == SET and end == 0))
        need(how == 1 or figures["pairs_opener_may_process"])
        before = [count for at, side, count in self.table["added"] if (at, side) == (meld, end)]
        count = len(tiles) + (sum(before) if figures["two_per_end"] == "turn" else 0)
        need(figures["two_per_end"] == "none" or count <= 2)
