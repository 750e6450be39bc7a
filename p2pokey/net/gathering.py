"""What host and guest have in common while they gather one table's players.

The shells around `admission` and `knocking` (`hosting`, `joining`) wait for what the signalling
server brings, hand it to the machine and carry out what it says. What they find out is a `Table`.
"""

from dataclasses import dataclass, field

from p2pokey.errors import DecodeError
from p2pokey.native.agreement import X25519Key
from p2pokey.net.bodies import decode_body
from p2pokey.net.host_effects import Notice
from p2pokey.net.limits import Limits
from p2pokey.net.progress import OnProgress, Phase, Progress
from p2pokey.net.seats import SeatCard, make_card
from p2pokey.net.signalling import SignallingClient, SignallingEvent, SignallingGone
from p2pokey.net.toolkit import Toolkit
from p2pokey.net.vouching import check_vouch, is_vouch
from p2pokey.net.wire import BodyArrived
from p2pokey.table.roster import Roster, commit_nonce
from p2pokey.tiles import Seat

_PHASES = {
    Notice.BANNED: Phase.BANNED_KNOCKED,
    Notice.SAME_KEY: Phase.SAME_KEY,
    Notice.WRONG_CODE: Phase.WRONG_CODE,
    Notice.CODE_BURNT: Phase.CODE_BURNT,
    Notice.FALSE_RUNNER: Phase.FALSE_RUNNER,
}
_MAX_EARLY = 32
"""Offers that arrive before we hold everybody's seat card; at most 3 are honest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Who meets whom, known to everybody."""

    roster: Roster
    seat: Seat
    """Ours."""
    cards: tuple[SeatCard, ...]
    """Verified, in seat order."""
    routes: tuple[str, ...]
    """Id on the signalling server of each seat."""
    early: tuple[BodyArrived, ...]
    """Bodies between seats that have arrived already."""


@dataclass(slots=True, kw_only=True)
class Gathering:
    """What host and guest have in common."""

    client: SignallingClient
    toolkit: Toolkit
    name: str
    runner: bytes
    limits: Limits
    on_progress: OnProgress
    ephemeral: X25519Key
    runner_signature: bytes = b""
    nonce: bytes = field(init=False)
    _words: list[bytes] = field(default_factory=list, init=False)
    """What others say of the roster, until we have it."""
    _ours: tuple[Roster, Seat] | None = field(default=None, init=False)
    _early: list[BodyArrived] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.nonce = self.toolkit.entropy.random_bytes(32)

    @property
    def nonce_commit(self) -> bytes:
        """Our entry in the roster."""
        return commit_nonce(self.toolkit.public_key, self.nonce)

    def own_card(self, roster: Roster, seat: Seat) -> SeatCard:
        """Our seat card."""
        return make_card(
            roster,
            seat,
            ephemeral=self.ephemeral.public_key,
            nonce=self.nonce,
            signer=self.toolkit.signer,
            runner_signature=self.runner_signature,
        )

    def hold_roster(self, roster: Roster, seat: Seat) -> None:
        """From now on we hold the signed roster, and hear what others say of it.

        Raises:
            TableRefused: somebody holds another one or refuses ours.
        """
        self._ours = (roster, seat)
        for word in self._words:
            check_vouch(word, roster, seat, self.toolkit.verifier)

    def table(
        self, roster: Roster, seat: Seat, cards: tuple[SeatCard, ...], routes: tuple[str, ...]
    ) -> Table:
        """The outcome."""
        early = tuple(self._early)
        return Table(roster=roster, seat=seat, cards=cards, routes=routes, early=early)

    async def next_event(self) -> SignallingEvent:
        """The next event that is not kept for later.

        Raises:
            SignalingError: the server is gone for good.
            TableRefused: as `hold_roster`.
        """
        while True:
            event = await self.client.next_event()
            if isinstance(event, SignallingGone):
                raise event.error
            if isinstance(event, BodyArrived) and is_vouch(event.body):
                self._hear(event.body)
                continue
            if not isinstance(event, BodyArrived) or not _is_between_seats(event.body):
                return event
            if len(self._early) < _MAX_EARLY:
                self._early.append(event)

    def _hear(self, word: bytes) -> None:
        if self._ours is not None:
            check_vouch(word, *self._ours, self.toolkit.verifier)
        elif len(self._words) < _MAX_EARLY:
            self._words.append(word)

    def warn(self, notice: Notice, name: str) -> None:
        """Tells the player what everybody at the table is told."""
        self.progress(_PHASES[notice], name=name)

    def progress(
        self,
        phase: Phase,
        *,
        done: int = 0,
        total: int = 0,
        name: str = "",
        names: tuple[str, ...] = (),
    ) -> None:
        """Tells the player."""
        step = Progress(phase=phase, done=done, total=total, name=name, names=names)
        self.on_progress(step)


def _is_between_seats(body: bytes) -> bool:
    try:
        return decode_body(body).kind == "pair"
    except DecodeError:
        return False
