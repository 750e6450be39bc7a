"""From what a player chose in the lobby to a table with friends: host, join, come back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from p2pokey.crypto.group import Group
from p2pokey.errors import DecodeError, InvalidInvite, InvalidRuleSet, JournalInUse
from p2pokey.native.profile import Profile
from p2pokey.net.control import HostControl
from p2pokey.net.invites import Invite, parse_invite, parse_room
from p2pokey.net.limits import Limits
from p2pokey.net.meeting import host_table, join_table, resume_table
from p2pokey.net.mesh import Mesh
from p2pokey.net.signalling import Listing
from p2pokey.net.wire import MAX_TITLE_CHARS, shown_text
from p2pokey.peer.agreeing import check_rules
from p2pokey.peer.table_journal import TableJournal, table_folders
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, canonical_bytes, check_table, table_options
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import Json, bad_form, read_number
from p2pokey.web.net_table import NetTable

MAX_TIMER_S = 600
MAX_TEXT = 400
WINDOW_S = 300
BringBots = Callable[[int, str, str], None]
"""Gets how many computer players, the link of the table, and its password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """What every way to a table needs."""

    profile: Profile
    name: str
    group: Group
    hands: Path
    server: str
    bring_bots: BringBots
    on_change: Callable[[], None]
    on_connected: Callable[[Mesh], list[Json]]

    def host(self, intent: Mapping[str, Any], rules: RuleSet) -> NetTable:
        """Opens a table; raises IntentRefused for wishes that do not fit together."""
        options = _options(intent, rules)
        server, password = self._server(intent), _text(intent, "password")
        bots = read_number(intent.get("bots", 0), options.seats)
        title = shown_text(_text(intent, "listed"), MAX_TITLE_CHARS)
        control = HostControl()
        has_bots = False

        async def meet(table: NetTable) -> Mesh:
            def show(invite: Invite) -> None:
                nonlocal has_bots
                table.invited(invite.code, invite.uri(server))
                if bots and not has_bots:
                    has_bots = True
                    self.bring_bots(bots, invite.uri(server), password)

            return await host_table(
                signer=self.profile.signer,
                name=self.name,
                rules=canonical_bytes(rules, options),
                seats=options.seats,
                server=server,
                on_code=show,
                on_progress=table.meeting,
                limits=Limits(window_s=WINDOW_S),
                room_password=password,
                keep=table.keep,
                control=control,
                listing=Listing(title=title, rules=rules.key) if title else None,
                accept=table.ask_about if title else None,
            )

        hands = read_number(intent.get("hands", 0) or 0, 100) or None
        return self._table("host", options.seats, meet, hands=hands, control=control)

    def join(self, intent: Mapping[str, Any]) -> NetTable:
        """Sits down at a friend's table; raises IntentRefused for a text that is no invite."""
        text = _text(intent, "invite")
        try:
            invite = parse_room(text) if intent.get("public") is True else parse_invite(text)
        except InvalidInvite as error:
            raise IntentRefused("InvalidInvite", text=str(error)) from error
        server = invite.server or self._server(intent)

        async def meet(table: NetTable) -> Mesh:
            return await join_table(
                signer=self.profile.signer,
                name=self.name,
                invite=invite,
                server=server,
                check_rules=check_rules,
                on_progress=table.meeting,
                room_password=_text(intent, "password"),
                keep=table.keep,
            )

        return self._table("guest", 0, meet)

    def resume(self, intent: Mapping[str, Any]) -> NetTable:
        """Comes back to a table of this computer; raises IntentRefused if that is not possible."""
        wanted = _text(intent, "id")
        folder = next((f for f in self._folders() if f.name == wanted), None)
        if folder is None:
            raise IntentRefused("no-table")
        try:
            diary = TableJournal.reopen(folder)
        except JournalInUse as error:
            raise IntentRefused("in-use") from error
        except (DecodeError, OSError) as error:
            raise IntentRefused("journal", text=str(error)) from error

        async def meet(table: NetTable) -> Mesh:
            return await resume_table(
                signer=self.profile.signer,
                membership=diary.membership,
                on_progress=table.meeting,
            )

        table = self._table("guest", len(diary.membership.roster.seats), meet)
        return replace(table, diary=diary)

    def resumable(self) -> list[Json]:
        """Tables that the player can come back to."""
        found: list[Json] = []
        for folder in self._folders():
            try:
                diary = TableJournal.reopen(folder)
            except (JournalInUse, DecodeError, OSError):
                continue
            roster, is_own = diary.membership.roster, diary.person.guest_secret is None
            diary.close()
            if is_own:
                names = [seat.name for seat in roster.seats]
                found.append({"id": folder.name, "names": names, "rules": "", "hands": 0})
        return found

    def _folders(self) -> list[Path]:
        return table_folders(self.profile.tables)

    def _table(self, role: str, seats: int, meet: Any, **more: Any) -> NetTable:
        return NetTable(
            profile=self.profile,
            group=self.group,
            out=self.hands,
            role=role,
            seats=seats,
            meet=meet,
            on_change=self.on_change,
            on_connected=self.on_connected,
            **more,
        )

    def _server(self, intent: Mapping[str, Any]) -> str:
        return _text(intent, "server") or self.server


def _options(intent: Mapping[str, Any], rules: RuleSet) -> TableOptions:
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


def _text(intent: Mapping[str, Any], name: str) -> str:
    text = intent.get(name) or ""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise bad_form(f"a text of at most {MAX_TEXT} letters for {name}")
    return text.strip()
