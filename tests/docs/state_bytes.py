"""Reads and writes the bytes of a game's state and of its moves as transcript-format.md has them.

The order of the fields is that of the tables of the document. Knows nothing of the program's own
states: what is read are dicts and lists of numbers.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.docs.test_docs import part_of_format, rows_of


class Reader:
    """Takes bytes off the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        assert self.at + count <= len(self.data), "the bytes end too early"
        self.at += count
        return self.data[self.at - count : self.at]


@dataclass
class Form:
    """How a value is read and written."""

    read: Callable[[Reader], Any]
    write: Callable[[Any], bytes]

    def parse(self, data: bytes) -> Any:
        """The value that is written as exactly these bytes."""
        reader = Reader(data)
        value = self.read(reader)
        assert reader.at == len(data), f"{len(data) - reader.at} bytes too many"
        assert self.write(value) == data
        return value


def raw(size: int) -> Form:
    """That many bytes."""
    return Form(lambda reader: reader.take(size), bytes)


def number(size: int, *, signed: bool = False) -> Form:
    """A little-endian integer."""
    return Form(
        lambda reader: int.from_bytes(reader.take(size), "little", signed=signed),
        lambda value: value.to_bytes(size, "little", signed=signed),
    )


U8, U16, I32 = number(1), number(2), number(4, signed=True)


def several(form: Form, count: int | None = None, *, counter: Form = U8) -> Form:
    """So many values, or a count and then the values."""

    def write(values: list[Any]) -> bytes:
        assert count in (None, len(values))
        head = counter.write(len(values)) if count is None else b""
        return head + b"".join(map(form.write, values))

    return Form(
        lambda reader: [
            form.read(reader) for _ in range(counter.read(reader) if count is None else count)
        ],
        write,
    )


def record(fields: Mapping[str, Form]) -> Form:
    """Values one after the other."""
    return Form(
        lambda reader: {name: form.read(reader) for name, form in fields.items()},
        lambda value: b"".join(form.write(value[name]) for name, form in fields.items()),
    )


def optional(form: Form) -> Form:
    """0 for None, or 1 and the value."""

    def read(reader: Reader) -> Any:
        present = U8.read(reader)
        assert present in (0, 1)
        return form.read(reader) if present else None

    return Form(read, lambda value: b"\0" if value is None else b"\1" + form.write(value))


TEXT = Form(
    lambda reader: reader.take(U8.read(reader)).decode("ascii"),
    lambda text: U8.write(len(text)) + text.encode("ascii"),
)
SLOTS = several(U8)

# Moves (section 9) -------------------------------------------------------------------------------

PLACED = record({"slot": U8, "tile": U8})
TILES = several(PLACED)
LAYOUT = several(
    record({"kind": U8, "tiles": TILES, "declared": several(record({"index": U8, "face": U8}))})
)
ADDITION = {"meld": U8, "end": U8, "tiles": TILES}
FIELDS: dict[int, dict[str, Form]] = {
    3: {"placed": PLACED},
    4: {"placed": PLACED},
    5: {"placed": PLACED, "melds": LAYOUT},
    10: {"melds": LAYOUT},
    11: {"melds": LAYOUT},
    12: ADDITION,
    13: {"meld": U8, "place": U8, "tiles": TILES},
    14: {"placed": PLACED, "melds": LAYOUT, "additions": several(record(ADDITION))},
    15: {"melds": LAYOUT},
}


def read_move(data: bytes) -> tuple[int, dict[str, Any]]:
    """Tag and fields of a move."""
    return data[0], record(FIELDS.get(data[0], {})).parse(data[1:])


# The state (section 8) ---------------------------------------------------------------------------


@cache
def tables_of(heading: str) -> list[list[list[str]]]:
    """The rows of each table under a heading."""
    text = part_of_format(f"### {heading}")
    return [rows_of(block) for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def in_order(rows: list[list[str]], forms: Mapping[str, Form]) -> dict[str, Form]:
    """The forms in the order of a table, which must name them all."""
    names = [row[1].strip("`") for row in rows]
    assert sorted(names) == sorted(forms)
    return {name: forms[name] for name in names}


@cache
def charge_fields() -> dict[str, Form]:
    """The parts of a charge."""
    rows = tables_of("The bytes of an open table")[1]
    return in_order(rows, {"seat": U8, "points": I32, "rule": TEXT})


@cache
def meld_fields() -> dict[str, Form]:
    """The parts of a meld on an open table."""
    rows = tables_of("The bytes of an open table")[2]
    tile = record({"slot": U8, "colour": U8, "number": U8, "placer": U8})
    return in_order(rows, {"kind": U8, "owner": U8, "tiles": several(tile)})


@cache
def checkpoint_fields() -> dict[str, Form]:
    """The parts of a checkpoint."""
    rows = tables_of("The bytes of an open table")[3]
    melds = several(record(meld_fields()))
    return in_order(rows, {"rack": SLOTS, "charge_count": U16, "melds": melds})


@cache
def open_table_fields(n: int) -> dict[str, Form]:
    """The fields of an open table."""
    rows = tables_of("The bytes of an open table")[0]
    forms = {
        "version": U8,
        "opened": several(U8, n),
        "opening_values": several(U16, n),
        "going_pairs": several(U8, n),
        "melds": several(record(meld_fields())),
        "charges": several(record(charge_fields()), counter=U16),
        "turn_flags": U8,
        "attempts": U8,
        "retrieved": SLOTS,
        "added": several(several(U8, 3)),
        "checkpoint": optional(record(checkpoint_fields())),
    }
    return in_order(rows, forms)


@cache
def duel_table_fields(n: int) -> dict[str, Form]:
    """The fields of the duel's table."""
    (table,) = tables_of("The bytes of the duel's table")
    return in_order(table, {"opened": several(U8, n), "passes": U8, "melds": LAYOUT})


def state_fields(rules: Mapping[str, Any]) -> dict[str, Form]:
    """The fields of the state of a game."""
    n = rules["players"]
    table = duel_table_fields(n) if rules["duel"] else open_table_fields(n)
    finish = {"seat": U8, "slot": U8, "kind": U8, "okey": U8, "layout": LAYOUT}
    single = ("version", "seats", "starter", "phase", "ending", "turn")
    forms = dict.fromkeys((*single, "indicator", "taken", "shown_by"), U8) | {
        "rules": raw(64),
        "turns_taken": several(U16, n),
        "racks": several(SLOTS, n),
        "stack": SLOTS,
        "discards": several(SLOTS, n),
        "faces": several(U8, 106),
        "finish": optional(record(finish)),
        "table": optional(record(table)),
    }
    (rows,) = tables_of("The bytes of the game's state")
    return in_order(rows, forms)
