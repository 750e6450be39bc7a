"""From a code to a table, as the page shows it (docs/page-protocol.md, VIEW)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from p2pokey.net.control import HostControl
from p2pokey.net.progress import Phase, Progress
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json, read_number
from p2pokey.web.qr import matrix

WINDOW_S = 300
"""How long friends can join; once it has run out the host may open it again."""
MAX_KNOCKS = 20
_NOTICES = {
    Phase.BANNED_KNOCKED,
    Phase.SAME_KEY,
    Phase.WRONG_CODE,
    Phase.CODE_BURNT,
    Phase.FALSE_RUNNER,
    Phase.STRANGER_LEFT,
}


@dataclass(slots=True, kw_only=True)
class _Knock:
    """Somebody without a code before a public table."""

    n: int
    name: str
    key: str
    answer: "asyncio.Future[bool]"


@dataclass(kw_only=True)
class Gathering:
    """Friends who meet."""

    role: str
    """`host` or `guest`."""
    seats: int
    """0: not known yet."""
    name: str
    """The player's own."""
    tell_player: Callable[[Json], None]
    on_change: Callable[[], None]
    control: HostControl | None = None
    """Of a host's window."""
    has_bots: bool = False
    """Whether computer players can be brought along."""
    clock: Callable[[], float] = time.monotonic
    link: str | None = None
    """Invite of the table."""
    _code: str | None = None
    _qr: list[str] | None = None
    _here: list[str] = field(default_factory=list)
    _phase: str = "connecting"
    _steps: tuple[int, int] = (1, 0)
    _until: float | None = None
    """When the window closes."""
    _knocks: list[_Knock] = field(default_factory=list)
    _knocked: int = 0

    def __post_init__(self) -> None:
        self._here = [self.name]

    # News ----------------------------------------------------------------------------------------

    def step(self, progress: Progress) -> None:
        """A step from a code to a table."""
        if progress.phase in _NOTICES:
            self.tell_player({"code": progress.phase.value, "name": progress.name})
            return
        self._phase = progress.phase.value
        if progress.total:
            self._steps = (progress.done, progress.total)
        match progress.phase:
            case Phase.FRIENDS_HERE:
                self.seats, self._here = progress.total, list(progress.names)
            case Phase.CODE_SHOWN | Phase.WINDOW_OPEN if self.role == "host":
                self._until = self.clock() + WINDOW_S
            case Phase.WINDOW_CLOSED:
                self._until = self.clock()
            case _:
                pass
        self.on_change()

    def invited(self, code: str, link: str) -> None:
        """There is an invite to pass on."""
        self._code, self.link, self._qr = code, link, matrix(link)
        self.on_change()

    async def ask_about(self, name: str, key: bytes) -> bool:
        """Whether somebody who knocks at a public table may come in."""
        if len(self._knocks) >= MAX_KNOCKS:
            return False
        self._knocked += 1
        answer = asyncio.get_running_loop().create_future()
        knock = _Knock(n=self._knocked, name=name, key=key.hex()[:16], answer=answer)
        self._knocks.append(knock)
        self.on_change()
        try:
            return bool(await answer)
        finally:
            self._knocks.remove(knock)
            self.on_change()

    # Intents -------------------------------------------------------------------------------------

    def reopen(self) -> None:
        """Lets friends in for another while; raises IntentRefused."""
        if self.control is None:
            raise IntentRefused("not-now")
        self.control.reopen(WINDOW_S)

    def admit(self, number: object, *, yes: bool) -> None:
        """Answers who knocks; without a number whoever has knocked first. Raises IntentRefused."""
        open_ = [knock for knock in self._knocks if not knock.answer.done()]
        if number is not None:
            wanted = read_number(number, 2**31)
            open_ = [knock for knock in open_ if knock.n == wanted]
        if not open_:
            raise IntentRefused("not-now")
        open_[0].answer.set_result(yes)

    # JSON ----------------------------------------------------------------------------------------

    def json(self) -> Json:
        """GATHERING."""
        done, total = self._steps
        left = 0.0 if self._until is None else max(0.0, self._until - self.clock())
        return {
            "role": self.role,
            "code": self._code,
            "link": self.link,
            "qr": self._qr,
            "seats": self.seats or len(self._here),
            "here": list(self._here),
            "phase": self._phase,
            "done": done,
            "total": total or self.seats,
            "window_s": round(left),
            "window": None if self._until is None else ("open" if left else "closed"),
            "can_bring_bots": self.has_bots and self.link is not None,
            "knocks": [
                {"n": knock.n, "name": knock.name, "key": knock.key} for knock in self._knocks
            ],
        }
