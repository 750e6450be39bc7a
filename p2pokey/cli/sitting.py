"""`p2pokey host` and `p2pokey join`: from an invite code to the end of a match."""

import asyncio
import getpass
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from p2pokey.cli.defaults import DEFAULT_SERVER
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_folder
from p2pokey.cli.logs import log_to_file
from p2pokey.cli.output import Output
from p2pokey.cli.running import run_async
from p2pokey.cli.telling import Teller
from p2pokey.crypto.group import Group
from p2pokey.errors import (
    ConnectError,
    DecodeError,
    InvalidRuleSet,
    LinkError,
    LocalProtocolError,
    TableCancelled,
)
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.profile import Profile, open_profile
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.native.threads import usual_threads
from p2pokey.net.ice import parse_ice_server
from p2pokey.net.invites import Invite, parse_invite
from p2pokey.net.limits import Limits
from p2pokey.net.meeting import host_table, join_table
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import Mesh
from p2pokey.net.transport import Connector
from p2pokey.net.words import words_at
from p2pokey.peer.events import Connected, PeerEvent
from p2pokey.peer.players import AutoPlayer, player_seed
from p2pokey.peer.table import PeerPorts, Table
from p2pokey.peer.table_journal import Person, TableJournal, folder_name
from p2pokey.peer.tracing import Tracer
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.ports import Signer
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import canonical_bytes, check_table, from_json
from p2pokey.rules.rulesets import table_options as options_for
from p2pokey.table.roster import MAX_NAME_CHARS, check_name, safety_numbers

_log = logging.getLogger(__name__)
_GUEST_FOLDER = Path("p2pokey-hands")


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
    trace: Path | None = None
    """Where to write what took how long (docs/performance.md)."""


def run_host(sitter: Sitter, *, rules: RuleSet, hands: int | None, window_s: int) -> int:
    """Opens a table and plays."""
    options = options_for(rules.players)
    text = canonical_bytes(rules, options)

    def meet(profile: Profile, name: str, teller: Teller, keep: Keep) -> Awaitable[Mesh]:
        assert sitter.server is not None
        server = sitter.server

        def show(invite: Invite) -> None:
            named = None if server == DEFAULT_SERVER else server
            teller.invited(invite.code, invite.uri(server), named)

        return host_table(
            signer=profile.signer,
            name=name,
            rules=text,
            seats=options.seats,
            server=server,
            on_code=show,
            on_progress=teller.meeting,
            limits=Limits(window_s=window_s),
            connector=connector_for(sitter.ice),
            keep=keep,
        )

    return _run(sitter, meet, hands)


def run_join(sitter: Sitter, *, invite: str) -> int:
    """Sits down at a table and plays."""
    parsed = parse_invite(invite)

    def meet(profile: Profile, name: str, teller: Teller, keep: Keep) -> Awaitable[Mesh]:
        return join_table(
            signer=profile.signer,
            name=name,
            invite=parsed,
            server=sitter.server or parsed.server or DEFAULT_SERVER,
            check_rules=_check_rules,
            on_progress=teller.meeting,
            connector=connector_for(sitter.ice),
            keep=keep,
        )

    return _run(sitter, meet, None)


def connector_for(ice: tuple[str, ...]) -> Connector | None:
    """WebRTC with the servers that were asked for; None leaves it to the meeting, without any."""
    try:
        servers = [parse_ice_server(text) for text in ice]
    except LinkError as error:
        advice = "Ask whoever runs the server for its address, or leave --ice out."
        raise CommandError(str(error), advice=advice, code=ExitCode.USAGE) from error
    if not servers:
        return None
    from p2pokey.net.webrtc import WebRtcConnector

    return WebRtcConnector(servers)


def _check_rules(text: bytes, seats: int) -> None:
    try:
        rules, options = from_json(text)
        check_table(rules, options)
    except InvalidRuleSet as error:
        raise ConnectError(
            "The table plays by rules that this p2pokey does not know: get the version of the host."
        ) from error
    if options.seats != seats:
        raise ConnectError("The table has another number of seats than its rules say.")


Keep = Callable[[Membership], None]
Meet = Callable[[Profile, str, Teller, Keep], Awaitable[Mesh]]


def _run(sitter: Sitter, meet: Meet, hands: int | None) -> int:
    name = _name_of(sitter)
    entropy = OsEntropy()
    with open_profile(entropy, guest=sitter.guest) as profile:
        if not profile.is_guest:
            log_to_file(profile.dirs.logs)
        out = ready_folder(sitter.out or _default_folder(profile))
        teller = Teller(sitter.output, as_json=sitter.json_progress, clock=time.monotonic)
        backend = choose_backend(sitter.backend, threads=sitter.threads or usual_threads())
        trace = None if sitter.trace is None else Tracer()
        group = Group(backend if trace is None else trace.watch(backend))
        chair = _Chair(sitter, profile, out, hands)
        meeting = meet(profile, name, teller, chair.keep)
        try:
            run_async(
                _play(chair, meeting, teller, group, trace),
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
    chair: _Chair,
    meeting: Awaitable[Mesh],
    teller: Teller,
    group: Group,
    trace: Tracer | None,
) -> None:
    try:
        mesh = await meeting
    except ConnectError:
        if chair.diary is not None:  # the table does not stand for somebody
            chair.diary.discard()
        raise
    async with mesh:
        assert chair.diary is not None
        teller.tell(_connected(mesh))
        if trace is not None:
            trace.seat = mesh.seat
            trace.moment("connected")
        signer = chair.profile.signer
        with stopping_is_no_end(teller):
            await play_out(
                mesh, chair.diary, signer=signer, group=group, emit=teller.tell, trace=trace
            )


@contextmanager
def stopping_is_no_end(teller: Teller) -> Iterator[None]:
    """Says how to come back to whoever stops the program at a table."""
    try:
        yield
    except asyncio.CancelledError:
        teller.can_resume()
        raise


async def play_out(
    mesh: Mesh,
    diary: TableJournal,
    *,
    signer: Signer,
    group: Group,
    emit: Callable[[PeerEvent], None],
    trace: Tracer | None = None,
    is_resumed: bool = False,
) -> None:
    """Plays at a table to its end; a table that is over leaves no journal behind.

    Raises:
        TableCancelled: the table is over before its match is.
        Others as `Table.play`: the table can be resumed.
    """
    person, entropy = diary.person, OsEntropy()
    mesh.on_membership = partial(_move, diary)
    patience = person.patience_s
    table = Table(
        links=mesh,
        ports=PeerPorts(
            group=group,
            signer=signer,
            verifier=Ed25519Verifier(),
            sealer=ChaChaSealer(),
            entropy=entropy,
        ),
        player=AutoPlayer(person.player_seed, mesh.seat),
        out=person.out,
        journals=diary.folder,
        emit=emit,
        hands=person.hands,
        limits=WaitLimits(absent_s=patience, linger_s=min(WaitLimits().linger_s, patience)),
        if_missing=person.if_missing,
        is_resumed=is_resumed,
        diary=diary,
        trace=trace,
    )
    try:
        await table.play()
    except TableCancelled:
        mesh.give_up_place()
        diary.discard()
        raise
    except BaseException:
        diary.close()
        raise
    mesh.give_up_place()
    diary.discard()


def _move(diary: TableJournal, membership: Membership) -> None:
    """Keeps a new place at the server; the game goes on without, it only costs time later."""
    try:
        diary.move(membership)
    except (OSError, LocalProtocolError) as error:
        _log.warning("the new place at the server is not kept: %s", error)


def _default_folder(profile: Profile) -> Path:
    """Below it every session gets a folder, so that no hand ever replaces another one."""
    return _GUEST_FOLDER if profile.is_guest else profile.dirs.hands


def _connected(mesh: Mesh) -> Connected:
    return Connected(
        seat=mesh.seat,
        names=tuple(seat.name for seat in mesh.roster.seats),
        safety_words=words_at(safety_numbers(mesh.session_id)),
    )


def _name_of(sitter: Sitter) -> str:
    """The name that was asked for, or the one of the computer's user."""
    name = sitter.name
    if name is None:
        with suppress(OSError, KeyError, ImportError):
            name = getpass.getuser().strip()[:MAX_NAME_CHARS].capitalize()
        name = name if name and _is_name(name) else "Player"
    try:
        check_name(name)
    except DecodeError as error:
        raise CommandError(
            f"That name cannot be shown to others: {error}.",
            advice="Choose another one with --name.",
            code=ExitCode.USAGE,
        ) from error
    return name


def _is_name(name: str) -> bool:
    try:
        check_name(name)
    except DecodeError:
        return False
    return True
