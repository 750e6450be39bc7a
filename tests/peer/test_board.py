"""What is on no disk is told to nobody."""

import asyncio
from pathlib import Path

import pytest

from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.peer.board import Board
from p2pokey.table.commands import Say
from p2pokey.table.effects import RoomLink
from p2pokey.table.have import Have, encode_have
from p2pokey.table.records import Record
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Kind
from tests.peer.memory import Hub
from tests.peer.test_table import SHORT, kind_of, make_tables, play_all


class FullDisk:
    """A journal that has no room from some record on."""

    kept: tuple[Record, ...] = ()
    has_lost = False

    def __init__(self) -> None:
        self.is_full = False

    def keep(self, record: Record) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")

    def mend(self) -> None:
        """Nothing was lost."""


def boards(tmp_path: Path) -> tuple[Hub, Board, FullDisk]:
    hub, disk = Hub(), FullDisk()
    table = hub.table(0, tmp_path)
    table.board.diary = disk
    return hub, table.board, disk


def test_nothing_is_sent_once_a_record_could_not_be_written(tmp_path: Path):
    hub, board, disk = boards(tmp_path)
    board.act(Say(text="one"))
    assert len(hub.links[0].sent) == 1

    disk.is_full = True
    with pytest.raises(OSError, match="No space"):
        board.act(Say(text="two"))
    disk.is_full = False
    change = LinkChanged(seat=Seat(1), state=LinkState.UNSTABLE)
    message = MessageReceived(seat=Seat(1), data=hub.links[0].sent[0])
    for call in (
        board.timer,
        board.carry_out,
        board.check,
        lambda: board.act(Say(text="three")),
        lambda: board.link(change),
        lambda: board.receive(message),
    ):
        with pytest.raises(OSError, match="No space"):
            call()
    assert len(hub.links[0].sent) == 1


def test_it_is_not_passed_on_either(tmp_path: Path):
    hub, disk = Hub(), FullDisk()
    table = hub.table(0, tmp_path)
    table.board.diary = disk
    disk.is_full = True
    with pytest.raises(OSError, match="No space"):
        table.act(Say(text="one"))
    have = Have(session=b"\x42" * 32, hand=0, asks=True, counts=(0,) * 4, table=(0,) * 4)
    table._inbox.postbox.put(MessageReceived(seat=Seat(1), data=encode_have(have)))
    with pytest.raises(OSError, match="No space"):
        table._passing.answer()
    assert hub.links[0].sent == []


def test_of_many_links_of_the_new_room_only_the_newest_is_kept(tmp_path: Path):
    _, board, _ = boards(tmp_path)
    board.machine.poll()
    for number in range(100):
        board.machine._desk.emit(RoomLink(link=f"p2pokey://host/K7Q2M#{number}"))
        board.carry_out()

    assert board.room.get_nowait() == "p2pokey://host/K7Q2M#99"
    assert board.room.empty()


@pytest.mark.parametrize("at", [None, Kind.MOVE])
def test_a_full_disk_ends_the_table_whoever_meets_it(tmp_path: Path, at: Kind | None):
    """A line that is typed is written outside of the game, which ends nevertheless."""
    hub, disk, failures = Hub(), FullDisk(), []
    tables, _ = make_tables(hub, tmp_path, limits=SHORT)
    tables[0].board.diary = disk

    async def type_a_line(is_time: asyncio.Event) -> None:
        await is_time.wait()
        disk.is_full = True
        with pytest.raises(OSError, match="No space") as caught:
            tables[0].act(Say(text="hello"))
        failures.append(caught.value)
        disk.is_full = False

    async def play() -> object:
        is_time = asyncio.Event()

        def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
            if at is None or kind_of(data) is at:
                is_time.set()
            return [data]

        hub.wire = wire
        others = asyncio.create_task(play_all(tables[1:]))
        typing = asyncio.create_task(type_a_line(is_time))
        async with asyncio.timeout(30):
            (ended,) = await asyncio.gather(tables[0].play(), return_exceptions=True)
        await typing
        others.cancel()
        await asyncio.gather(others, return_exceptions=True)
        return ended

    assert asyncio.run(play()) is failures[0]
    assert not any(b"hello" in data for data in hub.links[0].sent)
