"""The replay screen: a transcript from the page or from this computer, audited while it is looked at.

The audit runs in a thread; every state can be looked at as soon as all before it is checked.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from p2pokey.audit.reading import Reading
from p2pokey.audit.report import Status
from p2pokey.audit.watching import Moment
from p2pokey.crypto.group import Group
from p2pokey.errors import DecodeError
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.tiles import Seat
from p2pokey.transcript.file import MAX_FILE, MAX_LINE
from p2pokey.transcript.setup import HandSetup, decode_header
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json, read_number
from p2pokey.web.replaying import Replay, read_replay
from p2pokey.web.telling import Stopped, progress_for

MAX_STEPS = 100_000
"""A file has fewer lines."""
NameOf = Callable[[bytes], str | None]
"""Name of the player with an identity key, where it is known."""
_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class _Opened:
    """One file on the screen."""

    file: str
    setup: HandSetup
    names: Sequence[str | None]
    day: str | None = None
    step: int = 0
    seat: Seat | None = None
    moments: list[Moment] = field(default_factory=list)
    """Filled by the thread."""
    reading: tuple[int, int] = (0, 0)
    replay: Replay | None = None
    """Once the audit is done."""
    is_closed: bool = False

    @property
    def shown(self) -> Replay:
        """What there is to look at now."""
        if self.replay is not None:
            return self.replay
        return Replay(
            moments=tuple(self.moments), report=None, setup=self.setup, reading=self.reading
        )


@dataclass(kw_only=True)
class Viewer:
    """Shows one file at a time."""

    group: Group
    on_change: Callable[[], None]
    tell: Callable[[Json], None]
    """Takes a notice for the player."""
    _opened: _Opened | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def open(
        self, data: bytes | Reading, *, file: str, name_of: NameOf, day: str | None = None
    ) -> None:
        """Shows a transcript in place of whatever is shown; `day` is when it was saved.

        Raises:
            IntentRefused: `unreadable`: it is none, or one of another version.
        """
        setup = data.setup if isinstance(data, Reading) else setup_of(data)
        self.close()
        names = [name_of(key) for key in setup.roster]
        self._opened = opened = _Opened(file=file, setup=setup, names=names, day=day)
        task = asyncio.create_task(self._read(opened, data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self, opened: _Opened, data: bytes | Reading) -> None:
        def note(reading: tuple[int, int]) -> None:
            opened.reading = reading

        progress = progress_for(
            note, is_wanted=lambda: not opened.is_closed, on_change=self.on_change
        )

        try:
            replay = await asyncio.to_thread(
                read_replay,
                data,
                group=self.group,
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
                progress=progress,
                watch=opened.moments.append,
            )
        except Stopped:
            return
        except Exception:  # noqa: BLE001 - whatever a file holds must not leave the page waiting
            _log.exception("reading a transcript failed")
            self._give_up(opened, {"code": "internal"})
            return
        if opened.is_closed:
            return
        if replay.report is not None and replay.report.status is Status.UNREADABLE:
            text = str(replay.report.findings[0].text)
            self._give_up(opened, {"code": "unreadable", "text": text})
        opened.replay = replay
        self.on_change()

    def _give_up(self, opened: _Opened, notice: Json) -> None:
        if opened is self._opened:
            self.close()
            self.tell(notice)

    # Intents -------------------------------------------------------------------------------------

    def step(self, intent: Mapping[str, Any]) -> None:
        """Goes to the state `to`, or to the last that there is."""
        self._need().step = read_number(intent.get("to"), MAX_STEPS)

    def see(self, intent: Mapping[str, Any]) -> None:
        """Shows what `seat` saw, or all racks."""
        opened, wanted = self._need(), intent.get("seat")
        seats = opened.setup.seats
        opened.seat = None if wanted is None else Seat(read_number(wanted, seats))

    def close(self) -> None:
        """Shows nothing any more; an audit that goes on ends."""
        if self._opened is not None:
            self._opened.is_closed = True
            self._opened = None

    async def finish(self) -> None:
        """Closes, and waits until its threads have ended."""
        self.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _need(self) -> _Opened:
        if self._opened is None:
            raise IntentRefused("no-replay")
        return self._opened

    @property
    def is_open(self) -> bool:
        """Whether there is something on the screen."""
        return self._opened is not None

    def json(self) -> Json | None:
        """REPLAY of docs/page-protocol.md."""
        opened = self._opened
        if opened is None:
            return None
        return opened.shown.json(
            file=opened.file,
            step=opened.step,
            seat=opened.seat,
            names=opened.names,
            day=opened.day,
        )


def setup_of(data: bytes) -> HandSetup:
    """What the first line says; raises IntentRefused for a file that is no transcript."""
    end = data.find(b"\n", 0, MAX_LINE)
    if end < 0 or len(data) > MAX_FILE:
        raise IntentRefused("unreadable", text="expected a p2pokey transcript")
    try:
        return decode_header(data[:end])
    except DecodeError as error:
        raise IntentRefused("unreadable", text=str(error)) from error
