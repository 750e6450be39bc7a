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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from p2pokey.codec import Reader, decode_base64, encode_base64, u8, u32
from p2pokey.errors import DecodeError
from p2pokey.native.journal import Journal, Record, RecordKind
from p2pokey.net.membership import Membership, decode_membership
from p2pokey.peer.waits import IfMissing
from p2pokey.table.match import FinishedHand
from p2pokey.table.next_hand import Wish
from p2pokey.table.roster import session_id
from p2pokey.tiles import Seat

TABLE_FILE = "table.journal"


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
        }
        return json.dumps(values, separators=(",", ":")).encode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedHand:
    """A finished hand and where its transcript is."""

    hand: FinishedHand
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LostHand:
    """An attempt without score (`Match.after_failure`), and where what was signed is."""

    keys: frozenset[bytes]
    starter: Seat | None
    withheld: tuple[Seat, ...]
    path: Path


class TableJournal:
    """One seat's journal, open for writing. Use `create` or `reopen`, then `close` or `discard`."""

    def __init__(
        self, folder: Path, journal: Journal, membership: Membership, person: Person
    ) -> None:
        """Use `create` or `reopen`."""
        self.folder = folder
        self.membership = membership
        """What brings the program back to the others."""
        self.person = person
        self.wishes: dict[int, Wish] = {}
        """What this seat has said of each attempt."""
        self.ended: list[SavedHand | LostHand] = []
        """Attempts that are over, oldest first."""
        self._journal = journal

    @property
    def saved(self) -> list[SavedHand]:
        """Finished hands, oldest first."""
        return [hand for hand in self.ended if isinstance(hand, SavedHand)]

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
            (
                Record(kind=RecordKind.PERSON, payload=person.encode()),
                Record(kind=RecordKind.MEMBERSHIP, payload=membership.encode()),
            )
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
        journal, contents = Journal.reopen(folder / TABLE_FILE)
        try:
            return cls._read(folder, journal, contents.records)
        except BaseException:
            journal.close()
            raise

    @classmethod
    def _read(cls, folder: Path, journal: Journal, records: tuple[Record, ...]) -> Self:
        newest = {record.kind: record.payload for record in records}
        if not {RecordKind.PERSON, RecordKind.MEMBERSHIP} <= newest.keys():
            raise DecodeError(f"the journal in {folder} has lost its beginning")
        membership = decode_membership(newest[RecordKind.MEMBERSHIP])
        table = cls(folder, journal, membership, _read_person(newest[RecordKind.PERSON]))
        for record in records:
            if record.kind is RecordKind.WISH:
                reader = Reader(record.payload)
                table.wishes.setdefault(reader.u32(), Wish(reader.u8()))
            elif record.kind is RecordKind.FINISHED:
                table.ended.append(_read_hand(record.payload))
            elif record.kind is RecordKind.LOST:
                table.ended.append(_read_lost(record.payload))
        return table

    def move(self, membership: Membership) -> None:
        """Keeps new places at the server; raises OSError."""
        self.membership = membership
        self._journal.append((Record(kind=RecordKind.MEMBERSHIP, payload=membership.encode()),))

    def wish(self, hand: int, wish: Wish) -> Wish:
        """What this seat says of an attempt: what it has said before, or this; raises OSError."""
        if hand not in self.wishes:
            self._journal.append((Record(kind=RecordKind.WISH, payload=u32(hand) + u8(wish)),))
            self.wishes[hand] = wish
        return self.wishes[hand]

    def finish(self, hand: FinishedHand, path: Path) -> None:
        """A hand counts and its transcript is saved; raises OSError."""
        saved = SavedHand(hand=hand, path=path)
        self._journal.append((Record(kind=RecordKind.FINISHED, payload=_encode_hand(saved)),))
        self.ended.append(saved)

    def lose(self, hand: LostHand) -> None:
        """An attempt has no score and what was signed is saved; raises OSError."""
        self._journal.append((Record(kind=RecordKind.LOST, payload=_encode_lost(hand)),))
        self.ended.append(hand)

    def close(self) -> None:
        """Lets go of it; the table can be resumed."""
        self._journal.close()

    def discard(self) -> None:
        """The table is over: removes the folder."""
        self._journal.discard()
        shutil.rmtree(self.folder, ignore_errors=True)


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
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DecodeError("the journal does not say who sits there") from None


def _encode_hand(saved: SavedHand) -> bytes:
    hand = saved.hand
    values = {
        "starter": hand.starter,
        "points": hand.points,
        "totals": hand.totals,
        "hash": encode_base64(hand.transcript_hash),
        "keys": [encode_base64(key) for key in sorted(hand.keys)],
        "counts": hand.counts,
        "path": str(saved.path),
    }
    return json.dumps(values, separators=(",", ":")).encode("ascii")


def _read_hand(data: bytes) -> SavedHand:
    values = _object(data)
    try:
        hand = FinishedHand(
            starter=Seat(int(values["starter"])),
            points=tuple(map(int, values["points"])),
            totals=tuple(map(int, values["totals"])),
            transcript_hash=decode_base64(values["hash"]),
            keys=frozenset(map(decode_base64, values["keys"])),
            counts=bool(values["counts"]),
        )
        return SavedHand(hand=hand, path=Path(values["path"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DecodeError("the journal holds a hand that cannot be read") from None


def _encode_lost(hand: LostHand) -> bytes:
    values = {
        "keys": [encode_base64(key) for key in sorted(hand.keys)],
        "starter": hand.starter,
        "withheld": hand.withheld,
        "path": str(hand.path),
    }
    return json.dumps(values, separators=(",", ":")).encode("ascii")


def _read_lost(data: bytes) -> LostHand:
    values = _object(data)
    try:
        starter = values["starter"]
        return LostHand(
            keys=frozenset(map(decode_base64, values["keys"])),
            starter=None if starter is None else Seat(int(starter)),
            withheld=tuple(Seat(int(seat)) for seat in values["withheld"]),
            path=Path(values["path"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DecodeError("the journal holds a hand that cannot be read") from None


def _object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise DecodeError("the journal holds something that cannot be read")
    return values
