"""Journals: append-only, one writer, on disk before anything is sent.

With them a killed peer comes back as the same seat with the same keys. That of an attempt at a hand
holds the setup, the seed and, in order, every own and accepted envelope, so a new machine re-derives
or re-reads exactly what the old one had; that of a table holds what outlives a hand
(docs/table-protocol.md).

File, integers little-endian:

    "p2pj" | version u32
    record: length u32 of the payload | kind u8 | payload | digest 8

`digest` is the first 8 bytes of c_i = SHA-256(c_{i-1} || length || kind || payload), with
c_0 = SHA-256 of the 8 bytes at the start of the file. A crash can leave a torn record at the end;
a reader keeps everything before the first record that does not fit.
Security: the file holds the hand's seed; it is readable by its owner only and goes when the hand is
saved.
"""

import errno
import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Self

from p2pokey.codec import Reader, u8, u32
from p2pokey.errors import DecodeError, JournalInUse, LocalProtocolError, UnsupportedVersion
from p2pokey.native.files import PRIVATE, sync_directory

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VERSION = 1
_MAGIC = b"p2pj"
_HEAD = _MAGIC + u32(VERSION)
_DIGEST_SIZE = 8
FILE_HEAD_BYTES = len(_HEAD)
"""Size of an empty journal."""
RECORD_BYTES = 4 + 1 + _DIGEST_SIZE
"""What a record takes besides its payload."""
MAX_PAYLOAD = 1024 * 1024
"""Eight times the largest envelope: a longer length is damage."""


class RecordKind(IntEnum):
    """What a record holds."""

    SETUP = 1
    """Header line of the transcript: what all seats agreed on."""
    SEAT = 2
    """This seat, one byte."""
    USED_KEYS = 3
    """Hand and sealing keys of earlier attempts, 32 bytes each, sorted."""
    SEED = 4
    """This seat's 32-byte seed of the hand."""
    ENVELOPE = 5
    """A signed envelope, own or accepted."""
    PERSON = 6
    """Table: who sits there (peer/table_journal.py)."""
    MEMBERSHIP = 7
    """Table: what brings a program back to the others; the newest counts."""
    TALK = 10
    """Table: a message of a table chain; this and the next ones are table/records.py's."""
    MUTES = 11
    """Table: muted seats."""
    DRAFT = 12
    """Table: a page's unfinished edits."""
    OUTCOME = 13
    """Table: how an attempt ended."""
    TORN = 20
    """Here the end of the file was lost, and with it perhaps something that had been signed."""
    MENDED = 21
    """All that was lost before has come back from the others."""


_MARKS = (RecordKind.TORN, RecordKind.MENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One entry."""

    kind: RecordKind
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalContents:
    """What a journal still holds."""

    records: tuple[Record, ...]
    """The good records, oldest first."""
    good_bytes: int
    """Length of the file up to the last good record."""
    file_bytes: int
    """Length of the file as it was found."""
    is_damaged: bool
    """Whether something follows that is no good record."""
    chain: bytes
    """32-byte hash after the last good record."""

    @property
    def has_lost(self) -> bool:
        """Whether an end has been lost, now or before, and has not come back since."""
        marks = [record.kind for record in self.records if record.kind in _MARKS]
        return self.is_damaged or (bool(marks) and marks[-1] is RecordKind.TORN)

    @property
    def is_untouched(self) -> bool:
        """Whether no earlier run has cut anything off: the file never held more than it does."""
        return not any(record.kind in _MARKS for record in self.records)

    @property
    def kept(self) -> tuple[Record, ...]:
        """The good records without the marks TORN and MENDED."""
        return tuple(record for record in self.records if record.kind not in _MARKS)


def read_journal(path: Path) -> JournalContents:
    """Reads the good prefix of a journal.

    Raises:
        OSError: the file cannot be read.
        DecodeError: not a journal.
        UnsupportedVersion: written by another version of this program.
    """
    data = path.read_bytes()
    if data[: len(_MAGIC)] != _MAGIC or len(data) < len(_HEAD):
        raise DecodeError(f"{path.name} is not a p2pokey journal")
    if data[: len(_HEAD)] != _HEAD:
        found = Reader(data[len(_MAGIC) : len(_HEAD)]).u32()
        raise UnsupportedVersion(f"expected journal version {VERSION}, got {found}")
    records: list[Record] = []
    chain, offset = _first_chain(), len(_HEAD)
    while (step := _read_record(data, offset, chain)) is not None:
        record, chain, offset = step
        records.append(record)
    return JournalContents(
        records=tuple(records),
        good_bytes=offset,
        file_bytes=len(data),
        is_damaged=offset < len(data),
        chain=chain,
    )


def _first_chain() -> bytes:
    return hashlib.sha256(_HEAD).digest()


def _frame(record: Record) -> bytes:
    return u32(len(record.payload)) + u8(record.kind) + record.payload


def _read_record(data: bytes, offset: int, chain: bytes) -> tuple[Record, bytes, int] | None:
    """The record at the offset, the chain and the offset after it; None if it is not whole."""
    start = offset + 5
    if start > len(data):
        return None
    head = Reader(data[offset:start])
    length, kind = head.u32(), head.u8()
    end = start + length
    if length > MAX_PAYLOAD or end + _DIGEST_SIZE > len(data) or kind not in list(RecordKind):
        return None
    following = hashlib.sha256(chain + data[offset:end]).digest()
    if data[end : end + _DIGEST_SIZE] != following[:_DIGEST_SIZE]:
        return None
    record = Record(kind=RecordKind(kind), payload=data[start:end])
    return record, following, end + _DIGEST_SIZE


class Journal:
    """The one writer of a journal file; holds a lock beside it until `close` or `discard`."""

    def __init__(self, path: Path, *, descriptor: int, lock: int, chain: bytes) -> None:
        """Use `create` or `reopen`."""
        self._path = path
        self._descriptor = descriptor
        self._lock = lock
        self._chain = chain
        self._is_open = True
        self._is_whole = True
        """Whether the file ends after a good record."""
        self._has_failed = False

    @classmethod
    def create(cls, path: Path) -> Self:
        """Starts a new journal.

        Raises:
            FileExistsError: there is one already: no attempt is journalled twice.
            OSError: it cannot be written.
            JournalInUse: another program writes it.
        """
        lock = take_lock(path)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, PRIVATE)
        except OSError:
            release_lock(path, lock, remove=False)
            raise
        journal = cls(path, descriptor=descriptor, lock=lock, chain=_first_chain())
        journal._write(_HEAD)
        sync_directory(path.parent)
        return journal

    @classmethod
    def reopen(cls, path: Path, *, head: int = 0) -> tuple[Self, JournalContents]:
        """Continues a journal after its last good record; what is damaged is cut off.

        A TORN takes its place first, so that a program that dies at once does not forget it.

        Args:
            path: the file.
            head: records at the beginning without which nothing can be continued. A file that is
                damaged before their end stays as it is, and nothing can be appended to it.

        Raises:
            OSError: it cannot be read or written.
            DecodeError: not a journal, or one of another version.
            JournalInUse: another program writes it.
        """
        lock = take_lock(path)
        try:
            contents = read_journal(path)
            descriptor = os.open(path, os.O_WRONLY | _BINARY)
        except (OSError, DecodeError):
            release_lock(path, lock, remove=False)
            raise
        journal = cls(path, descriptor=descriptor, lock=lock, chain=contents.chain)
        os.lseek(descriptor, contents.good_bytes, os.SEEK_SET)
        if contents.is_damaged and len(contents.kept) < head:
            journal._is_whole = False
        elif contents.is_damaged:
            journal.append((Record(kind=RecordKind.TORN, payload=b""),))
            os.ftruncate(descriptor, contents.good_bytes + RECORD_BYTES)
            os.fsync(descriptor)
        return journal, contents

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    def append(self, records: Iterable[Record]) -> None:
        """Adds records; they are on disk when this returns.

        Raises:
            OSError: they are not, or earlier ones were not: nothing after those could be read back.
        """
        if not self._is_open:
            raise LocalProtocolError("the journal is closed")
        if not self._is_whole:
            raise LocalProtocolError("the beginning of the journal is damaged")
        if self._has_failed:
            raise OSError(errno.EIO, "the journal could not be written before", str(self._path))
        chunks = []
        for record in records:
            if len(record.payload) > MAX_PAYLOAD:
                raise LocalProtocolError(f"a record of {len(record.payload)} bytes")
            frame = _frame(record)
            self._chain = hashlib.sha256(self._chain + frame).digest()
            chunks.append(frame + self._chain[:_DIGEST_SIZE])
        if chunks:
            self._write(b"".join(chunks))

    def close(self) -> None:
        """Lets go of the file, which stays for a later `reopen`."""
        self._finish(remove=False)

    def discard(self) -> None:
        """Removes the file: the hand is saved elsewhere."""
        self._finish(remove=True)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
            os.fsync(self._descriptor)
        except OSError:
            self._has_failed = True
            raise

    def _finish(self, *, remove: bool) -> None:
        if not self._is_open:
            return
        self._is_open = False
        os.close(self._descriptor)
        if remove:
            self._path.unlink(missing_ok=True)
        release_lock(self._path, self._lock, remove=remove)


_BINARY = getattr(os, "O_BINARY", 0)


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def take_lock(path: Path) -> int:
    """A lock beside the path that goes with this process, however it ends.

    Raises:
        JournalInUse: another process holds it.
        OSError: the lock file cannot be written.
    """
    descriptor = os.open(_lock_path(path), os.O_RDWR | os.O_CREAT, PRIVATE)
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise JournalInUse(f"another program writes {path.name}") from error
    return descriptor


def release_lock(path: Path, descriptor: int, *, remove: bool) -> None:
    """Gives the lock back; `remove` deletes its file, for a path that nobody will lock again."""
    if remove:
        _lock_path(path).unlink(missing_ok=True)
    os.close(descriptor)
