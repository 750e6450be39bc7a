"""Saved hands of this computer for the page: the list, what they add up to, and the way to a file.

Reading a hand takes about 50 ms, so it is done in a thread, and once for each file.
"""

import asyncio
import base64
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from p2pokey.errors import DecodeError
from p2pokey.native.contacts import load_contacts
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.net.tasks import spawn
from p2pokey.peer.table_names import Names, load_names
from p2pokey.table.statistics import Counting, Statistics
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json
from p2pokey.web.past import (
    MAX_SHOWN,
    PastHand,
    find_hand,
    hand_files,
    look_at,
    read_file,
    saved_at,
    to_json,
)

_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class Archive:
    """The folder of saved hands, as the page sees it."""

    folder: Path
    contacts: Path
    keys: Callable[[], tuple[bytes, ...]]
    """Identity keys that this player has had, the present one first."""
    own_name: Callable[[], str]
    on_change: Callable[[], None]
    _known: dict[Path, tuple[float, PastHand]] = field(default_factory=dict)
    _names: dict[Path, Names] = field(default_factory=dict)
    _friends: dict[bytes, str] = field(default_factory=dict)
    _shown: Json | None = None
    _reading: asyncio.Task[None] | None = None

    def json(self) -> Json | None:
        """PAST of docs/page-protocol.md; None before it was asked for."""
        return self._shown

    def refresh(self) -> None:
        """Reads the folder again, beside the event loop."""
        if self._reading is None or self._reading.done():
            self._reading = spawn(self._refresh(), "reading the saved hands")

    async def _refresh(self) -> None:
        try:
            await self._read()
        except OSError as error:
            _log.warning("the saved hands cannot be read: %s", error)
            self._show([], stats=[])

    async def _read(self) -> None:
        files = await asyncio.to_thread(self._list)
        for count, file in enumerate(files, start=1):
            await asyncio.to_thread(self._look, file)
            if count == min(len(files), MAX_SHOWN):
                self._show(files, stats=None)
        stats = await asyncio.to_thread(self._sum_up, files)
        self._show(files, stats=stats)

    def _show(self, files: list[tuple[float, Path]], stats: list[Json] | None) -> None:
        hands = [self._known[path][1] for _, path in files[:MAX_SHOWN] if path in self._known]
        self._shown = {"hands": [self._hand(hand) for hand in hands], "stats": stats}
        self.on_change()

    def _hand(self, hand: PastHand) -> Json:
        return {
            "id": hand.id,
            "rules": hand.rules,
            "day": hand.day,
            "time": hand.time,
            "hand": hand.hand,
            "names": [self.name_of(key, self.folder / hand.id) for key in hand.keys],
            "points": list(hand.points),
            "status": hand.status,
        }

    # In a thread ---------------------------------------------------------------------------------

    def _list(self) -> list[tuple[float, Path]]:
        """All files, newest first."""
        files = sorted(hand_files(self.folder), key=lambda item: (-item[0], str(item[1])))
        self._friends = self._load_friends()
        self._names = {folder: load_names(folder) for folder in {path.parent for _, path in files}}
        return files

    def _look(self, file: tuple[float, Path]) -> None:
        at, path = file
        if path not in self._known or self._known[path][0] != at:
            self._known[path] = (at, look_at(self.folder, path, at, Ed25519Verifier()))

    def _sum_up(self, files: list[tuple[float, Path]]) -> list[Json]:
        counting = Counting(Ed25519Verifier(), self.keys())
        for _, path in sorted(files):
            counting.count(self._known[path][1].played)
        names = {key: known for names in self._names.values() for key, known in names.items()}
        return to_json(_people_only(counting.sum_up(), names), self._name_of_key)

    def _load_friends(self) -> dict[bytes, str]:
        try:
            return {contact.key: contact.name for contact in load_contacts(self.contacts)}
        except (OSError, DecodeError) as error:
            _log.warning("no names of friends: %s", error)
            return {}

    # Names ---------------------------------------------------------------------------------------

    def name_of(self, key: bytes, path: Path | None = None) -> str:
        """What to call the player with that key, at the table of a file; part of the key at worst."""
        names = {} if path is None else self._names.get(path.parent, {})
        return names[key].name if key in names else self._name_of_key(key)

    def _name_of_key(self, key: bytes) -> str:
        if key in self.keys():
            return self.own_name()
        found = (names[key].name for names in self._names.values() if key in names)
        return self._friends.get(key) or next(found, _short(key))

    def names_beside(self, path: Path) -> Callable[[bytes], str | None]:
        """Names at the table of one of the folder's files."""
        return lambda key: self.name_of(key, path)

    def known_name(self, key: bytes) -> str | None:
        """A name for a player of any file; None for somebody unknown."""
        name = self._name_of_key(key)
        return None if name == _short(key) else name

    # Files ---------------------------------------------------------------------------------------

    async def find(self, id_: object) -> tuple[Path, bytes]:
        """A file of the folder and what it holds; raises IntentRefused if there is none of that id."""
        path = None
        if isinstance(id_, str):
            path = await asyncio.to_thread(find_hand, self.folder, id_)
        if path is None:
            raise IntentRefused("no-hand")
        if path.parent not in self._names:
            await asyncio.to_thread(self._list)
        return path, await asyncio.to_thread(read_file, path)

    def day_of(self, path: Path) -> str | None:
        """ISO 8601 day on which a file of the folder was saved; None if it has gone."""
        try:
            return saved_at(path.stat().st_mtime)[0]
        except OSError:
            return None

    async def finish(self) -> None:
        """Waits until its thread has ended."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


def _short(key: bytes) -> str:
    return key.hex()[:8]


def file_json(name: str, data: bytes) -> Json:
    """A file that the page is to give to its player."""
    return {"file": {"name": name, "data": base64.b64encode(data).decode("ascii")}}


def _people_only(sums: Statistics, names: Names) -> Statistics:
    """Without computer players: each has a key for one evening only."""
    for key in _computers(names):
        sums.by_player.pop(key, None)
    return sums


def _computers(names: Names) -> Iterator[bytes]:
    return (key for key, known in names.items() if known.is_computer)
