"""The journal: what was appended is on disk, a torn end is cut off, one writer."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError, JournalInUse, LocalProtocolError, UnsupportedVersion
from p2pokey.native import journal as module
from p2pokey.native.journal import VERSION, Journal, Record, RecordKind, read_journal

RECORDS = (
    Record(kind=RecordKind.SETUP, payload=b"{}"),
    Record(kind=RecordKind.SEED, payload=b"s" * 32),
    Record(kind=RecordKind.ENVELOPE, payload=b""),
    Record(kind=RecordKind.ENVELOPE, payload=b"e" * 5000),
)


def write(path: Path) -> bytes:
    journal = Journal.create(path)
    for record in RECORDS:
        journal.append([record])
    journal.close()
    return path.read_bytes()


def test_records_come_back_in_order(tmp_path: Path):
    write(tmp_path / "a.journal")
    contents = read_journal(tmp_path / "a.journal")

    assert contents.records == RECORDS
    assert not contents.is_damaged


def test_only_the_owner_can_read_it(tmp_path: Path):
    write(tmp_path / "a.journal")

    assert stat.S_IMODE((tmp_path / "a.journal").stat().st_mode) == 0o600


def test_append_is_on_disk_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced: list[int] = []
    real = os.fsync

    def note(descriptor: int) -> None:
        real(descriptor)
        synced.append(os.fstat(descriptor).st_size)

    journal = Journal.create(tmp_path / "a.journal")
    monkeypatch.setattr(module.os, "fsync", note)
    journal.append(RECORDS)

    assert synced == [(tmp_path / "a.journal").stat().st_size]
    journal.close()


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_nothing_follows_a_record_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
):
    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    journal = Journal.create(tmp_path / "a.journal")
    with monkeypatch.context() as patched:
        patched.setattr(module.os, call, fail)
        with pytest.raises(OSError, match="No space"):
            journal.append(RECORDS[:1])
    size = (tmp_path / "a.journal").stat().st_size
    with pytest.raises(OSError, match="could not be written before"):
        journal.append(RECORDS[1:])
    assert (tmp_path / "a.journal").stat().st_size == size
    journal.close()


def test_every_cut_keeps_the_records_before_it(tmp_path: Path):
    data = write(tmp_path / "a.journal")
    ends = [8]
    for record in RECORDS:
        ends.append(ends[-1] + 5 + len(record.payload) + 8)
    torn = tmp_path / "torn.journal"
    for cut in [*range(8, 130), *ends[3:], *(end - 1 for end in ends[3:])]:
        torn.write_bytes(data[:cut])
        contents = read_journal(torn)
        whole = sum(end <= cut for end in ends) - 1

        assert contents.records == RECORDS[:whole]
        assert contents.is_damaged == (cut not in ends)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("journal")
    return folder, write(folder / "a.journal")


@given(data=st.data())
def test_a_changed_byte_ends_the_good_part(written: tuple[Path, bytes], data):
    folder, whole = written
    place = data.draw(st.integers(8, len(whole) - 1))
    broken = bytearray(whole)
    broken[place] ^= data.draw(st.integers(1, 255))
    (folder / "b.journal").write_bytes(broken)
    contents = read_journal(folder / "b.journal")

    assert contents.is_damaged
    assert contents.records == RECORDS[: len(contents.records)]
    assert contents.good_bytes <= place


def test_records_cannot_change_places(tmp_path: Path):
    path = tmp_path / "a.journal"
    journal = Journal.create(path)
    journal.append([Record(kind=RecordKind.ENVELOPE, payload=b"one")])
    journal.append([Record(kind=RecordKind.ENVELOPE, payload=b"two")])
    journal.close()
    data = path.read_bytes()
    size = (len(data) - 8) // 2
    path.write_bytes(data[:8] + data[8 + size :] + data[8 : 8 + size])

    assert read_journal(path).records == ()


def test_a_reopened_journal_goes_on_after_the_good_part(tmp_path: Path):
    path = tmp_path / "a.journal"
    data = write(path)
    path.write_bytes(data[:-3])
    journal, contents = Journal.reopen(path)
    assert contents.records == RECORDS[:3]
    assert contents.is_damaged
    journal.append(RECORDS[3:])
    journal.close()

    assert read_journal(path).kept == RECORDS


def test_what_was_lost_is_not_forgotten_before_it_is_found(tmp_path: Path):
    path = tmp_path / "a.journal"
    path.write_bytes(write(path)[:-3])
    for _ in range(3):  # runs that end before the others have answered
        journal, contents = Journal.reopen(path)
        assert contents.has_lost
        assert contents.kept == RECORDS[:3]
        journal.close()
    assert not read_journal(path).is_damaged, "and the file is whole"

    journal, _ = Journal.reopen(path)
    journal.append([*RECORDS[3:], Record(kind=RecordKind.MENDED, payload=b"")])
    journal.close()
    found = read_journal(path)
    assert (found.has_lost, found.kept) == (False, RECORDS)

    path.write_bytes(path.read_bytes()[:-1])
    assert read_journal(path).has_lost, "a torn MENDED is none"


def test_a_damaged_head_is_not_cut_off(tmp_path: Path):
    path = tmp_path / "a.journal"
    data = write(path)[:-5020]
    path.write_bytes(data)
    journal, contents = Journal.reopen(path, head=3)
    with pytest.raises(LocalProtocolError):
        journal.append(RECORDS[2:])
    journal.close()
    assert (contents.kept, path.read_bytes()) == (RECORDS[:2], data)

    journal, contents = Journal.reopen(path, head=2)
    journal.append(RECORDS[2:])
    journal.close()
    assert read_journal(path).kept == RECORDS
    assert not read_journal(path).is_untouched


def test_nothing_is_journalled_twice(tmp_path: Path):
    write(tmp_path / "a.journal")
    with pytest.raises(FileExistsError):
        Journal.create(tmp_path / "a.journal")


def test_a_second_writer_is_refused_and_a_dead_one_does_not_block(tmp_path: Path):
    path = tmp_path / "a.journal"
    code = (
        "import sys, pathlib, os\n"
        "from p2pokey.native.journal import Journal\n"
        "journal = Journal.create(pathlib.Path(sys.argv[1]))\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(JournalInUse):
            Journal.reopen(path)
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
    journal, contents = Journal.reopen(path)
    journal.close()

    assert contents.records == ()


def test_discard_leaves_nothing_behind(tmp_path: Path):
    journal = Journal.create(tmp_path / "a.journal")
    journal.append(RECORDS)
    journal.discard()
    journal.discard()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"p2pj", b"nonsense", b"{}\n"])
def test_other_files_are_no_journals(tmp_path: Path, data: bytes):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(DecodeError):
        read_journal(tmp_path / "x")


def test_a_later_version_is_refused(tmp_path: Path):
    (tmp_path / "x").write_bytes(b"p2pj" + bytes([VERSION + 1, 0, 0, 0]))
    with pytest.raises(UnsupportedVersion):
        read_journal(tmp_path / "x")
