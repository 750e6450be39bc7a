"""From what a player chose in the lobby to a table with friends: host, join, come back."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, DecodeError, InvalidInvite, InvalidRuleSet, JournalInUse
from p2pokey.native.identity import Ed25519Signer
from p2pokey.native.profile import Profile
from p2pokey.net.control import HostControl
from p2pokey.net.ice import connector_to
from p2pokey.net.invites import Invite, parse_invite, parse_room
from p2pokey.net.limits import Limits
from p2pokey.net.meeting import host_table, join_table, resume_table
from p2pokey.net.mesh import Mesh
from p2pokey.net.signalling import Listing, check_server
from p2pokey.net.wire import MAX_TITLE_CHARS, shown_text
from p2pokey.peer.agreeing import check_rules
from p2pokey.peer.table_journal import TableJournal, table_folders
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import (
    MAX_TIMER_S,
    TableOptions,
    canonical_bytes,
    check_table,
    from_json,
    table_options,
)
from p2pokey.table.records import HandCounts, RecordKind, decode_outcome
from p2pokey.web.bots import MakeBots
from p2pokey.web.engine import IntentRefused
from p2pokey.web.friends import Friends
from p2pokey.web.gathering import WINDOW_S, Gathering
from p2pokey.web.names import Json, bad_form, read_number
from p2pokey.web.net_table import NetTable

MAX_TEXT = 400
MAX_HANDS = 100
Intent = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """What every way to a table needs."""

    profile: Profile
    name: str
    group: Group
    hands: Path
    server: str
    make_bots: MakeBots | None
    """None: no computer players can be brought along."""
    ice: tuple[str, ...]
    """STUN or TURN servers."""
    on_change: Callable[[], None]
    tell_player: Callable[[Json], None]

    def host(self, intent: Intent, rules: RuleSet) -> NetTable:
        """Opens a table; raises IntentRefused for wishes that do not fit together."""
        options = _options(intent, rules)
        server, password = self._server(intent), _text(intent, "password")
        bots = read_number(intent.get("bots", 0), options.seats)
        if bots and self.make_bots is None:
            raise IntentRefused("no-bots")
        title = self._title(intent, rules)
        control = HostControl()

        async def meet(table: NetTable) -> Mesh:
            def show(invite: Invite) -> None:
                table.invited(invite.code, invite.uri(server))

            return await host_table(
                signer=table.signer,
                name=self.name,
                rules=canonical_bytes(rules, options),
                seats=options.seats,
                server=server,
                on_code=show,
                on_progress=table.meeting,
                limits=Limits(window_s=WINDOW_S),
                connector=connector_to(self.ice),
                room_password=password,
                keep=table.keep,
                control=control,
                listing=Listing(title=title, rules=rules.key) if title else None,
                accept=table.ask_about if title else None,
            )

        hands = read_number(intent.get("hands", 0) or 0, MAX_HANDS + 1)
        table = self._table("host", options.seats, meet, control=control)
        # Where the rules say how many hands there are, a rematch has as many again.
        return replace(
            table,
            hands=hands if hands and not rules.hands else None,
            wanted_bots=bots,
            password=password,
        )

    def _title(self, intent: Intent, rules: RuleSet) -> str:
        """Of a public table; empty for one that is not listed."""
        if intent.get("listed") is True:
            return shown_text(f"{self.name} · {rules.key}", MAX_TITLE_CHARS)
        return shown_text(_text(intent, "listed"), MAX_TITLE_CHARS)

    def join(self, intent: Intent, public: Collection[str]) -> NetTable:
        """Sits down at a friend's table; raises IntentRefused for a text that is no invite.

        Args:
            public: rooms of the public tables that the player has been shown.
        """
        text, password = _text(intent, "invite"), _text(intent, "password")
        is_public = intent.get("public") is True or text in public
        try:
            invite = parse_room(text) if is_public else parse_invite(text)
        except InvalidInvite as error:
            raise IntentRefused("InvalidInvite", text=str(error)) from error
        server = invite.server or self._server(intent)

        async def meet(table: NetTable) -> Mesh:
            return await join_table(
                signer=table.signer,
                name=self.name,
                invite=invite,
                server=server,
                check_rules=check_rules,
                on_progress=table.meeting,
                connector=connector_to(self.ice),
                room_password=password,
                keep=table.keep,
            )

        return replace(self._table("guest", 0, meet), password=password)

    # Coming back ---------------------------------------------------------------------------------

    def resume(self, intent: Intent) -> NetTable:
        """Comes back to a table of this computer; raises IntentRefused if that is not possible."""
        diary = self._reopen(intent)
        membership, secret, signer = (
            diary.membership,
            diary.person.guest_secret,
            self._player(diary),
        )
        roster = membership.roster

        async def meet(table: NetTable) -> Mesh:
            return await resume_table(
                signer=signer,
                membership=membership,
                on_progress=table.meeting,
                connector=connector_to(diary.person.ice),
            )

        table = self._table("guest", len(roster.seats), meet)
        return replace(
            table,
            signer=signer,
            diary=diary,
            patience_s=diary.person.patience_s,
            friends=table.friends if secret is None else Friends(path=None),
        )

    def forget(self, intent: Intent) -> None:
        """Gives an open table up for good; raises IntentRefused."""
        diary = self._reopen(intent)
        try:
            diary.discard()
        except OSError as error:
            raise IntentRefused("journal", text=error.strerror or str(error)) from error

    def _reopen(self, intent: Intent) -> TableJournal:
        wanted = _text(intent, "id")
        folder = next((f for f in self._folders() if f.name == wanted), None)
        if folder is None:
            raise IntentRefused("nothing-to-resume")
        try:
            diary = TableJournal.reopen(folder)
        except JournalInUse as error:
            raise IntentRefused("in-use") from error
        except (DecodeError, OSError) as error:
            raise IntentRefused("journal", text=str(error)) from error
        if not self._is_own(diary):
            diary.close()
            raise IntentRefused("other-key")
        return diary

    def _player(self, diary: TableJournal) -> Ed25519Signer:
        """Who sits there, if it is this player: a guest's key is in the journal."""
        secret = diary.person.guest_secret
        return self.profile.signer if secret is None else Ed25519Signer(secret)

    def _is_own(self, diary: TableJournal) -> bool:
        own = diary.membership.roster.seats[diary.membership.seat]
        return self._player(diary).public_key == own.public_key

    def resumable(self) -> list[Json]:
        """Tables that the player can come back to."""
        found: list[Json] = []
        for folder in self._folders():
            try:
                diary = TableJournal.reopen(folder)
            except (JournalInUse, DecodeError, OSError):
                continue
            if self._is_own(diary):
                found.append({"id": folder.name, **_describe(diary)})
            diary.close()
        return found

    def _folders(self) -> list[Path]:
        return table_folders(self.profile.tables)

    def _table(
        self, role: str, seats: int, meet: Any, *, control: HostControl | None = None
    ) -> NetTable:
        bots = None if self.make_bots is None else self.make_bots(self.profile.signer)
        return NetTable(
            profile=self.profile,
            signer=self.profile.signer,
            group=self.group,
            out=self.hands,
            meet=meet,
            friends=Friends(path=None if self.profile.is_guest else self.profile.dirs.contacts),
            gathering_now=Gathering(
                role=role,
                seats=seats,
                name=self.name,
                tell_player=self.tell_player,
                on_change=self.on_change,
                control=control,
                has_bots=bots is not None and role == "host",
            ),
            on_change=self.on_change,
            tell_player=self.tell_player,
            bots=bots,
            ice=self.ice,
        )

    def _server(self, intent: Intent) -> str:
        server = _text(intent, "server") or self.server
        try:
            check_server(server)
        except ConnectError as error:
            raise IntentRefused("server", text=str(error)) from error
        return server


def _describe(diary: TableJournal) -> Json:
    roster = diary.membership.roster
    try:
        rules = from_json(roster.rules)[0].key
        outcomes = [decode_outcome(r.payload) for r in diary.kept if r.kind is RecordKind.OUTCOME]
    except (DecodeError, InvalidRuleSet):
        rules, outcomes = "", []
    return {
        "names": [seat.name for seat in roster.seats],
        "rules": rules,
        "hands": sum(isinstance(one, HandCounts) and one.hand.counts for one in outcomes),
    }


def _options(intent: Intent, rules: RuleSet) -> TableOptions:
    """The table's options as the player chose them."""
    seats = rules.players
    usual = table_options(seats, timer_s=read_number(intent.get("timer_s", 0), MAX_TIMER_S + 1))
    has_recovery = intent.get("recovery", True) is not False and usual.recovery
    options = replace(
        usual,
        assisted=intent.get("assisted") is True,
        unlinkable_discards=intent.get("unlinkable", True) is not False,
        recovery=has_recovery,
        threshold=usual.threshold if has_recovery else 0,
    )
    try:
        check_table(rules, options)
    except InvalidRuleSet as error:
        raise IntentRefused("options", text=str(error)) from error
    return options


def _text(intent: Intent, name: str) -> str:
    text = intent.get(name) or ""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise bad_form(f"a text of at most {MAX_TEXT} letters for {name}")
    return text.strip()
