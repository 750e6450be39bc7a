"""`p2pokey tables`: the public tables of a signalling server that can be joined now."""

from dataclasses import asdict
from typing import Any

from p2pokey.cli.defaults import DEFAULT_SERVER
from p2pokey.cli.output import Output
from p2pokey.cli.rooms import PUBLIC_WARNING, short_key
from p2pokey.cli.running import run_async
from p2pokey.cli.tables import plain_table
from p2pokey.codec import encode_base64
from p2pokey.net.public_tables import public_tables
from p2pokey.net.wire import RoomEntry


def run_tables(output: Output, *, server: str, as_json: bool) -> int:
    """Prints them."""
    rooms = run_async(public_tables(server))
    if as_json:
        output.record({"server": server, "tables": [_record(room) for room in rooms]})
        return 0
    if not rooms:
        output.say("No public table can be joined at that server just now.")
        return 0
    rows = [
        [
            room.room,
            room.title,
            room.rules,
            f"{room.free} of {room.seats}",
            f"{room.age_s // 60} min",
            short_key(room.host_key),
        ]
        for room in rooms
    ]
    output.data(plain_table(("room", "title", "rules", "free", "age", "host key"), rows, texts=3))
    named = "" if server == DEFAULT_SERVER else f" --server {server}"
    output.say(f"Join one with: p2pokey join ROOM --public --auto{named}\n{PUBLIC_WARNING}")
    return 0


def _record(room: RoomEntry) -> dict[str, Any]:
    return {**asdict(room), "host_key": encode_base64(room.host_key)}
