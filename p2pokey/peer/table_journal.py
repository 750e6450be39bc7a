"""The journal of one seat at one table: all that a new run of the program needs to take the seat up.

A folder for each seat, named after the session, holds `table.journal` (native/journal.py) with what
outlives a hand, and beside it the journal of the hand that is being played. The lock of the first is
held as long as the program runs, so a seat is taken up by one program only. The folder goes when the
table is over.

Security: it holds a guest's identity key, the X25519 secret of the table and the seeds of the hand;
folder and files are for their owner only.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import DecodeError, JournalInUse
from p2pokey.native.journal import Journal, JournalContents, Record, RecordKind, read_journal
from p2pokey.net.membership import Membership, decode_membership
from p2pokey.peer.waits import IfMissing
from p2pokey.table.records import Record as TableRecord
from p2pokey.table.records import RecordKind as TableKind
from p2pokey.table.roster import session_id

TABLE_FILE = "table.journal"
_HEAD = (RecordKind.PERSON, RecordKind.MEMBERSHIP)
"""Its first records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who sits there, and what was asked for on the command line."""

    guest_secret: bytes | None
    """32-byte secret of a guest's identity key; None: the stored identity."""
    out: Path
    """Folder of the transcripts."""
    hands: int | None
    """Hands that this seat wants to play at most."""
    player_seed: bytes
    """Seed of the computer player's choices."""
    ice: tuple[str, ...]
    """STUN or TURN servers."""
    patience_s: float
    """How long a lost player is waited for."""
    if_missing: IfMissing = IfMissing.WAIT
    """What to do about a player without whom a hand cannot go on."""
    sent_away: Mapping[bytes, str] = field(default_factory=dict)
    """Keys and names of players who may not sit at the next table of these players either."""
    before: str = ""
    """Name of the folder of the table that these players come from; it goes with this one."""

    def encode(self) -> bytes:
        """JSON bytes."""
        secret = None if self.guest_secret is None else encode_base64(self.guest_secret)
        values = {
            "guest": secret,
            "out": str(self.out),
            "hands": self.hands,
            "player": encode_base64(self.player_seed),
            "ice": list(self.ice),
            "patience": self.patience_s,
            "missing": self.if_missing.value,
            "away": {encode_base64(key): name for key, name in self.sent_away.items()},
            "before": self.before,
        }
        return json.dumps(values, separators=(",", ":")).encode("ascii")


class TableJournal:
    """One seat's journal, open for writing. Use `create` or `reopen`, then `close` or `discard`."""

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        membership: Membership,
        person: Person,
        *,
        kept: tuple[TableRecord, ...] = (),
        has_lost: bool = False,
    ) -> None:
        """Use `create` or `reopen`."""
        self.folder = folder
        self.membership = membership
        """What brings the program back to the others."""
        self.person = person
        self.kept = kept
        """What the table machine of an earlier run has had written, oldest first."""
        self.has_lost = has_lost
        """Whether the end was lost: something more may have been signed."""
        self._journal = journal

    @classmethod
    def create(cls, parent: Path, membership: Membership, person: Person) -> Self:
        """A journal for a table that has just come to stand.

        Raises:
            OSError: it cannot be written, or there is one already.
        """
        folder = parent / folder_name(membership)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        journal = Journal.create(folder / TABLE_FILE)
        journal.append(
            Record(kind=kind, payload=payload)
            for kind, payload in zip(_HEAD, (person.encode(), membership.encode()), strict=True)
        )
        return cls(folder, journal, membership, person)

    @classmethod
    def reopen(cls, folder: Path) -> Self:
        """The journal of a table that is not over.

        Raises:
            OSError: it cannot be read or written.
            DecodeError: it does not hold what it takes to come back.
            JournalInUse: another program has that seat.
        """
        journal, contents = Journal.reopen(folder / TABLE_FILE, head=len(_HEAD))
        try:
            return cls._read(folder, journal, contents)
        except BaseException:
            journal.close()
            raise

    @classmethod
    def _read(cls, folder: Path, journal: Journal, contents: JournalContents) -> Self:
        newest = {record.kind: record.payload for record in contents.records}
        if not set(_HEAD) <= newest.keys():
            raise DecodeError(f"the journal in {folder} has lost its beginning")
        membership = decode_membership(newest[RecordKind.MEMBERSHIP])
        kinds = {int(kind) for kind in RecordKind} & {int(kind) for kind in TableKind}
        kept = tuple(
            TableRecord(kind=TableKind(record.kind), payload=record.payload)
            for record in contents.records
            if record.kind in kinds
        )
        return cls(
            folder,
            journal,
            membership,
            _read_person(newest[RecordKind.PERSON]),
            kept=kept,
            has_lost=contents.has_lost,
        )

    def move(self, membership: Membership) -> None:
        """Keeps new places at the server; raises OSError."""
        self.membership = membership
        self._journal.append((Record(kind=RecordKind.MEMBERSHIP, payload=membership.encode()),))

    def keep(self, record: TableRecord) -> None:
        """Writes what the table machine wants to have on disk; raises OSError."""
        kind = RecordKind(int(record.kind))
        self._journal.append((Record(kind=kind, payload=record.payload),))

    def mend(self) -> None:
        """What was lost has come back from the others and is written; raises OSError."""
        if self.has_lost:
            self._journal.append((Record(kind=RecordKind.MENDED, payload=b""),))
            self.has_lost = False

    def close(self) -> None:
        """Lets go of it; the table can be resumed."""
        self._journal.close()

    def discard(self) -> None:
        """The table is over: removes the folder, and those of the tables before it."""
        self._journal.discard()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.person.before:
            _drop(self.folder.parent / self.person.before)

    def reopen_before(self) -> Self | None:
        """The table that these players come from, if it is still there; this one has to be closed.

        Raises:
            As `reopen`.
        """
        folder = self.folder.parent / self.person.before
        if not self.person.before or not (folder / TABLE_FILE).is_file():
            return None
        return self.reopen(folder)

    def drop_others(self) -> None:
        """This table stands for us: those that came from the same one and did not go."""
        for folder in next_folders(self.folder.parent, self.person.before):
            if folder != self.folder:
                _drop(folder, alone=True)


def folder_name(membership: Membership) -> str:
    """Name of the folder of one seat at one table."""
    session = session_id(membership.roster, [card.nonce for card in membership.cards])
    return f"{session.hex()[:12]}-seat-{membership.seat + 1}"


def table_folders(parent: Path) -> list[Path]:
    """Folders of tables below a folder, oldest first; also the folder itself if it is one."""
    if (parent / TABLE_FILE).is_file():
        return [parent]
    if not parent.is_dir():
        return []
    found = [path for path in parent.iterdir() if (path / TABLE_FILE).is_file()]
    return sorted(found, key=lambda path: (os.stat(path / TABLE_FILE).st_mtime, path.name))


def next_folders(parent: Path, before: str) -> list[Path]:
    """Folders of tables whose players come from the table with that folder name, oldest first.

    There is one if a program ended on the way from one table to the next, and several if somebody
    was lost and another room was opened.
    """
    found = []
    for folder in table_folders(parent) if before else []:
        with suppress(OSError, DecodeError):
            contents = read_journal(folder / TABLE_FILE)
            people = [item.payload for item in contents.records if item.kind is RecordKind.PERSON]
            if people and _read_person(people[-1]).before == before:
                found.append(folder)
    return found


def without_superseded(tables: Sequence[TableJournal]) -> list[TableJournal]:
    """Of tables, oldest first, those from which no program was on its way to a newer one here."""
    newest = {table.person.before: table for table in tables if table.person.before}
    return [
        table
        for table in tables
        if table.folder.name not in newest and newest.get(table.person.before, table) is table
    ]


def _drop(folder: Path, *, alone: bool = False) -> None:
    """Removes the folder of a table that nobody comes back to, unless a program is at it."""
    with suppress(OSError, DecodeError, JournalInUse):
        journal = TableJournal.reopen(folder)
        if alone:
            journal.person = replace(journal.person, before="")
        journal.discard()


def _folder_name(value: Any) -> str:
    """Never a path: what is named here is removed one day."""
    name = str(value)
    if name and (name != Path(name).name or name in (".", "..")):
        raise DecodeError("the journal names a folder that is none")
    return name


def _read_person(data: bytes) -> Person:
    values = _object(data)
    try:
        guest, hands = values["guest"], values["hands"]
        return Person(
            guest_secret=None if guest is None else decode_base64(guest),
            out=Path(values["out"]),
            hands=None if hands is None else int(hands),
            player_seed=decode_base64(values["player"]),
            ice=tuple(map(str, values["ice"])),
            patience_s=float(values["patience"]),
            if_missing=IfMissing(values["missing"]),
            sent_away={
                decode_base64(key): str(name) for key, name in values.get("away", {}).items()
            },
            before=_folder_name(values.get("before", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DecodeError("the journal does not say who sits there") from None


def _object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise DecodeError("the journal holds something that cannot be read")
    return values
