"""`p2pokey host` and `p2pokey join`: from an invite code to the end of a match."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from p2pokey.cli.asking import ask_password, can_ask, has_password_set
from p2pokey.cli.bots import Bots, BotTicket
from p2pokey.cli.defaults import DEFAULT_SERVER
from p2pokey.cli.evening import TerminalShell, connector_for
from p2pokey.cli.exits import ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.logs import log_to_file
from p2pokey.cli.output import Output
from p2pokey.cli.rooms import GuestRoom, HostRoom, RoomWishes
from p2pokey.cli.running import run_async
from p2pokey.cli.telling import Teller
from p2pokey.cli.who import name_of, transcript_folder
from p2pokey.crypto.group import Group
from p2pokey.errors import (
    ConnectError,
    PasswordNeeded,
)
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.profile import Profile, open_profile
from p2pokey.native.threads import usual_threads
from p2pokey.net.invites import Invite
from p2pokey.net.limits import Limits
from p2pokey.net.meeting import host_table, join_table
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.peer.agreeing import check_rules
from p2pokey.peer.evening import Evening
from p2pokey.peer.players import player_seed
from p2pokey.peer.table_journal import Person, TableJournal, folder_name
from p2pokey.peer.tracing import Tracer
from p2pokey.peer.waits import IfMissing
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import canonical_bytes
from p2pokey.rules.rulesets import table_options as options_for

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitter:
    """What a command line said about whoever sits down."""

    output: Output
    server: str | None
    name: str | None
    guest: bool
    out: Path | None
    backend: BackendName
    player_seed: str | None
    json_progress: bool
    exit_with_stdin: bool
    ice: tuple[str, ...]
    patience: float = 600.0
    """Seconds to wait for a player who is lost."""
    if_missing: str = IfMissing.WAIT
    """`wait` or `void`."""
    state: Path | None = None
    """Folder of the journals; None: the usual one."""
    threads: int | None = None
    """Threads for long computations; None: as many as this computer has cores for."""
    console: bool = False
    """Take what is typed as chat and commands although there is no terminal."""
    trace: Path | None = None
    """Where to write what took how long (docs/performance.md)."""

    @property
    def has_console(self) -> bool:
        """Whether somebody may type."""
        is_read = self.exit_with_stdin or self.json_progress
        return self.console or (can_ask() and not is_read)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWishes:
    """What a host wants of the table besides the rules."""

    timer_s: int
    grace_s: int
    recovery: bool | None
    """None: where it is possible."""


def run_host(
    sitter: Sitter, *, rules: RuleSet, table: TableWishes, hands: int | None, wishes: RoomWishes
) -> int:
    """Opens a table and plays.

    Raises:
        InvalidRuleSet: the wishes contradict each other.
    """
    options = options_for(
        rules.players, timer_s=table.timer_s, grace_s=table.grace_s, recovery=table.recovery
    )
    room = HostRoom(sitter.output, wishes, seats=options.seats, rules=rules.key)
    bots = Bots(options=("--backend", sitter.backend))
    text = canonical_bytes(rules, options)

    def meet(profile: Profile, name: str, teller: Teller, keep: Keep) -> Awaitable[Mesh]:
        assert sitter.server is not None
        server = sitter.server

        def show(invite: Invite) -> None:
            named = None if server == DEFAULT_SERVER else server
            teller.invited(invite.code, invite.uri(server), named, has_password=bool(room.password))
            bots.state = sitter.state or profile.tables
            more = (
                "--patience",
                str(sitter.patience),
                "--if-missing",
                sitter.if_missing,
                *(x for url in sitter.ice for x in ("--ice", url)),
            )
            room.bring_bots(bots, profile.signer, invite.uri(server), more)

        return host_table(
            signer=profile.signer,
            name=name,
            rules=text,
            seats=options.seats,
            server=server,
            on_code=show,
            on_progress=room.watch(teller.meeting),
            limits=Limits(window_s=wishes.window_s),
            connector=connector_for(sitter.ice),
            keep=keep,
            **room.settings,
        )

    with bots:
        return _run(sitter, meet, hands, room.password)


def run_join(sitter: Sitter, room: GuestRoom) -> int:
    """Sits down at a table and plays."""
    try:
        return _join(sitter, room)
    except PasswordNeeded:
        if room.password or not (can_ask() or has_password_set()):
            raise
        return _join(sitter, replace(room, password=ask_password(is_new=False)))


def _join(sitter: Sitter, room: GuestRoom) -> int:
    parsed = room.invite

    def meet(profile: Profile, name: str, teller: Teller, keep: Keep) -> Awaitable[Mesh]:
        return join_table(
            signer=profile.signer,
            name=name,
            invite=parsed,
            server=sitter.server or parsed.server or DEFAULT_SERVER,
            check_rules=check_rules,
            on_progress=teller.meeting,
            connector=connector_for(sitter.ice),
            keep=keep,
            **room.settings,
        )

    password = room.password if room.ticket is None else room.ticket.password
    return _run(sitter, meet, None, password, room.ticket)


Keep = Callable[[Membership], None]
Meet = Callable[[Profile, str, Teller, Keep], Awaitable[Mesh]]


def _run(
    sitter: Sitter,
    meet: Meet,
    hands: int | None,
    password: str,
    ticket: BotTicket | None = None,
) -> int:
    entropy = OsEntropy()
    with open_profile(entropy, guest=sitter.guest) as profile:
        if ticket is not None:
            profile.signer, profile.guest_secret = ticket.signer, ticket.secret
        name = name_of(sitter.name, profile)
        if not profile.is_guest:
            log_to_file(profile.dirs.logs)
        out = ready_folder(sitter.out or transcript_folder(profile))
        teller = Teller(sitter.output, as_json=sitter.json_progress, clock=time.monotonic)
        backend = choose_backend(sitter.backend, threads=sitter.threads or usual_threads())
        trace = None if sitter.trace is None else Tracer()
        group = Group(backend if trace is None else trace.watch(backend))
        chair = _Chair(sitter, profile, out, hands)
        chair.password = password
        meeting = meet(profile, name, teller, chair.keep)
        try:
            run_async(
                _play(sitter, chair, meeting, teller, group, trace, is_bot=ticket is not None),
                until_stdin_ends=sitter.exit_with_stdin,
            )
        finally:
            if trace is not None and sitter.trace is not None:
                trace.save(sitter.trace)
    return ExitCode.OK


class _Chair:
    """Keeps the journal of a table that is coming together."""

    def __init__(self, sitter: Sitter, profile: Profile, out: Path, hands: int | None) -> None:
        self.profile = profile
        self.diary: TableJournal | None = None
        self.password = ""
        """Of the room, as it was typed; not kept on disk."""
        self._sitter = sitter
        self._out = out
        self._hands = hands

    def keep(self, membership: Membership) -> None:
        """Begins the journal; from here on a killed program can come back."""
        sitter, name = self._sitter, folder_name(membership).split("-")[0]
        person = Person(
            guest_secret=self.profile.guest_secret,
            out=(self._out if sitter.out else ready_folder(self._out / name)).absolute(),
            hands=self._hands,
            player_seed=player_seed(sitter.player_seed, OsEntropy()),
            ice=sitter.ice,
            patience_s=sitter.patience,
            if_missing=IfMissing(sitter.if_missing),
        )
        parent = sitter.state or self.profile.tables
        self.diary = TableJournal.create(parent, membership, person)


async def _play(
    sitter: Sitter,
    chair: _Chair,
    meeting: Awaitable[Mesh],
    teller: Teller,
    group: Group,
    trace: Tracer | None,
    *,
    is_bot: bool,
) -> None:
    try:
        mesh = await meeting
    except ConnectError:
        if chair.diary is not None:  # the table does not stand for somebody
            chair.diary.discard()
        raise
    assert chair.diary is not None
    if trace is not None:
        trace.seat = mesh.seat
        trace.moment("connected")
    evening = Evening(
        signer=chair.profile.signer,
        group=group,
        shell=TerminalShell(
            teller,
            contacts=None if chair.profile.is_guest else chair.profile.dirs.contacts,
            has_console=sitter.has_console,
            is_bot=is_bot,
        ),
        trace=trace,
        password=chair.password,
    )
    await evening.play(mesh, chair.diary)
