"""The player's own program as the page sees it: lobby, one table, past hands (docs/page-protocol.md).

Implements `web.engine.Engine`. What the page may ask for is listed here, and nothing else happens.
"""

import base64
import binascii
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from p2pokey import __version__
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, DecodeError, InvalidRuleSet
from p2pokey.native.contacts import Met, load_contacts, meet, save_contacts
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.profile import Profile, known_keys, save_name
from p2pokey.net.mesh import Mesh
from p2pokey.net.public_tables import public_tables
from p2pokey.rules.published import OPTIONS, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import options_of, ruleset_for, table_options
from p2pokey.table.roster import check_name
from p2pokey.web.engine import IntentRefused, View
from p2pokey.web.names import Json, bad_form, read_object, read_word
from p2pokey.web.net_table import NetTable
from p2pokey.web.past import find_hand, past_hands, read_file, statistics_of, to_json
from p2pokey.web.rooms import BringBots, Lobby
from p2pokey.web.settings import changed, load_settings, save_settings
from p2pokey.web.solo import SoloTable
from p2pokey.web.talk_feed import PHRASES

MAX_TIMER_S = 600
LEVELS = {"easy": 1.4, "normal": 0.9, "hard": 0.5}
"""Seconds that a computer player takes; one strength of play so far."""
_MAX_FILE_TEXT = 48 * 1024
_log = logging.getLogger(__name__)

Intent = Mapping[str, Any]


class Seated(Protocol):
    """A table that the player sits at, or that is coming together."""

    def act(self, intent: Intent) -> None:
        """An intent that is about the table; raises IntentRefused."""

    def take_notice(self) -> Json | None:
        """Something to tell the player once."""

    def json(self) -> Json | None:
        """TABLE, None while it is coming together."""

    def gathering(self) -> Json | None:
        """GATHERING, None once the table stands."""

    async def close(self) -> None:
        """Leaves."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen there."""


@dataclass(kw_only=True)
class PlayEngine:
    """One player's program."""

    profile: Profile
    name: str
    group: Group
    hands: Path
    """Folder of the saved hands."""
    server: str
    """Signalling server that is offered."""
    bring_bots: BringBots = lambda count, link, password: None
    """Starts computer players in processes of their own."""
    _settings: dict[str, str | bool] = field(default_factory=dict)
    _seated: Seated | None = None
    _past: Json | None = None
    _public: list[Json] | None = None
    _notice: Json | None = None
    _resumable: list[Json] = field(default_factory=list)
    _subscribers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._settings = load_settings(self._settings_path)
        self._look_for_tables()

    @property
    def _settings_path(self) -> Path:
        return self.profile.dirs.config / "page.json"

    # Engine --------------------------------------------------------------------------------------

    def world(self) -> Json:
        """WORLD: games, options, phrases."""
        games = [
            {
                "key": key,
                "players": rules.players,
                "options": [
                    {"name": name, "values": list(values), "usual": options_of(rules)[name]}
                    for name, values in OPTIONS[key].items()
                ],
            }
            for key, rules in RULE_SETS.items()
        ]
        return {"games": games, "phrases": list(PHRASES), "version": __version__}

    def view(self) -> View:
        """VIEW."""
        seated = self._seated
        table = None if seated is None else seated.json()
        gathering = None if seated is None else seated.gathering()
        if seated is not None and (notice := seated.take_notice()) is not None:
            self._notice = notice
        screen = "lobby" if gathering is None else "gathering"
        return {
            "screen": screen if table is None else "table",
            "me": {
                "name": self.name,
                "key": self.profile.signer.public_key.hex()[:16],
                "guest": self.profile.is_guest,
            },
            "settings": dict(self._settings),
            "lobby": {
                "resumable": self._resumable if screen == "lobby" and table is None else [],
                "public": self._public,
                "server": self.server,
            },
            "gathering": gathering,
            "table": table,
            "past": self._past,
            "replay": None,
            "notice": self._notice,
        }

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls back at every change."""
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    async def act(self, intent: Intent) -> None:
        """Does what the player wants."""
        name = intent.get("do")
        if not isinstance(name, str):
            raise bad_form("an intent with a name")
        self._notice = None
        if (do := self._intents.get(name)) is not None:
            do(intent)
        elif name == "public":
            await self._list_tables(intent)
        elif name in ("leave", "cancel"):
            await self._leave()
        elif self._seated is not None:
            self._seated.act(intent)
        else:
            raise IntentRefused("no-table")
        self.changed()

    def changed(self) -> None:
        """Tells the page that there is something new."""
        for subscriber in tuple(self._subscribers):
            subscriber()

    async def close(self) -> None:
        """Ends whatever runs."""
        await self._leave()

    # Intents -------------------------------------------------------------------------------------

    @property
    def _intents(self) -> dict[str, Callable[[Intent], None]]:
        return {
            "name": self._do_name,
            "settings": self._do_settings,
            "solo": self._do_solo,
            "share": self._do_share,
            "host": self._do_host,
            "join": self._do_join,
            "resume": self._do_resume,
            "past": self._do_past,
            "save": self._do_save,
        }

    @property
    def _lobby(self) -> Lobby:
        return Lobby(
            profile=self.profile,
            name=self.name,
            group=self.group,
            hands=self.hands,
            server=self.server,
            bring_bots=self.bring_bots,
            on_change=self.changed,
            on_connected=self._greet,
        )

    def _look_for_tables(self) -> None:
        self._resumable = self._lobby.resumable()

    def _do_host(self, intent: Intent) -> None:
        self._take_seat(self._lobby.host(intent, rules_of(intent)))

    def _do_join(self, intent: Intent) -> None:
        self._take_seat(self._lobby.join(intent))

    def _do_resume(self, intent: Intent) -> None:
        self._take_seat(self._lobby.resume(intent))

    def _take_seat(self, table: NetTable) -> None:
        self._refuse_second_table()
        table.start()
        self._seated = table

    def _refuse_second_table(self) -> None:
        """Raises IntentRefused while the player sits somewhere."""
        if self._seated is not None and not self._seated.is_over:
            raise IntentRefused("at-a-table")

    def _greet(self, mesh: Mesh) -> list[Json]:
        """Compares the keys of a table with those of earlier ones, and keeps who is new."""
        others = [seat for number, seat in enumerate(mesh.roster.seats) if number != mesh.seat]
        people = [(seat.name, seat.public_key) for seat in others if not seat.is_computer]
        if self.profile.is_guest:
            return []
        path = self.profile.dirs.contacts
        try:
            before = load_contacts(path)
            after, meetings = meet(before, people, time.strftime("%Y-%m-%d"))
            if after != before:
                save_contacts(path, after)
        except (OSError, DecodeError) as error:
            return [{"code": "contacts", "text": str(error)}]
        odd = [meeting for meeting in meetings if meeting.met in (Met.CHANGED, Met.RENAMED)]
        return [{"code": f"key-{m.met.value}", "name": m.name, "known": m.known_as} for m in odd]

    async def _leave(self) -> None:
        seated, self._seated = self._seated, None
        if seated is not None:
            await seated.close()
        self._look_for_tables()

    async def _list_tables(self, intent: Intent) -> None:
        server = intent.get("server") or self.server
        if not isinstance(server, str):
            raise bad_form("the address of a server")
        try:
            rooms = await public_tables(server)
        except ConnectError as error:
            raise IntentRefused("server", text=str(error)) from error
        self._public = [
            {
                "room": room.room,
                "title": room.title,
                "rules": room.rules,
                "free": room.free,
                "age_s": room.age_s,
            }
            for room in rooms
        ]

    def _do_name(self, intent: Intent) -> None:
        name = intent.get("name")
        try:
            if not isinstance(name, str):
                raise DecodeError("expected a name")
            check_name(name)
        except DecodeError as error:
            raise IntentRefused("name", text=str(error)) from error
        self.name = name
        if not self.profile.is_guest:
            self._try(lambda: save_name(self.profile.dirs, name))

    def _do_settings(self, intent: Intent) -> None:
        self._settings = changed(self._settings, intent)
        self._try(lambda: save_settings(self._settings_path, self._settings))

    def _do_solo(self, intent: Intent) -> None:
        level = read_word(intent.get("level", "normal"), list(LEVELS))
        self._sit(rules_of(intent), pause_s=LEVELS[level], other=None)

    def _do_share(self, intent: Intent) -> None:
        other = intent.get("other")
        if not isinstance(other, str) or other == self.name:
            other = "2"
        self._sit(ruleset_for("duel"), pause_s=0.0, other=other)

    def _sit(self, rules: RuleSet, *, pause_s: float, other: str | None) -> None:
        self._refuse_second_table()
        table = SoloTable(
            signer=self.profile.signer,
            name=self.name,
            other_name=other,
            group=self.group,
            rules=rules,
            options=table_options(rules.players, timer_s=0),
            out=self.hands,
            on_change=self.changed,
            pause_s=pause_s,
        )
        table.start()
        self._seated = table

    def _do_past(self, intent: Intent) -> None:
        verifier, dirs = Ed25519Verifier(), self.profile.dirs
        keys = (self.profile.signer.public_key, *known_keys(dirs))
        names = self._names()
        hands = [
            {
                "id": hand.id,
                "rules": hand.rules,
                "day": hand.day,
                "names": [names.get(key, key.hex()[:8]) for key in hand.keys],
                "points": list(hand.points),
                "status": hand.status,
            }
            for hand in past_hands(self.hands, verifier)
        ]
        stats = to_json(statistics_of(self.hands, verifier, keys), names)
        self._past = {"hands": hands, "stats": stats}

    def _names(self) -> dict[bytes, str]:
        names = {self.profile.signer.public_key: self.name}
        try:
            contacts = load_contacts(self.profile.dirs.contacts)
        except (OSError, DecodeError) as error:
            _log.warning("no names of friends: %s", error)
            return names
        return {contact.key: contact.name for contact in contacts} | names

    def _do_save(self, intent: Intent) -> None:
        """Gives the page a transcript, for its player to keep elsewhere."""
        id_ = intent.get("id")
        path = find_hand(self.hands, id_) if isinstance(id_, str) else None
        if path is None:
            raise IntentRefused("no-hand")
        text = base64.b64encode(read_file(path)).decode("ascii")
        self._notice = {"code": "file", "name": path.name, "data": text}

    def _try(self, work: Callable[[], None]) -> None:
        """What cannot be kept is only lost for the next time."""
        try:
            work()
        except OSError as error:
            self._notice = {"code": "not-kept", "text": error.strerror or str(error)}


def rules_of(intent: Intent) -> RuleSet:
    """The rule set that an intent chooses; raises IntentRefused for none or a bad option."""
    key = read_word(intent.get("rules"), list(RULE_SETS))
    wanted = read_object(intent.get("options") or {})
    try:
        return ruleset_for(key, **{str(name): value for name, value in wanted.items()})
    except (InvalidRuleSet, TypeError, ValueError) as error:
        raise IntentRefused("options", text=str(error)) from error


def read_upload(intent: Intent, most: int) -> bytes:
    """A file that the page sends; raises IntentRefused."""
    text = intent.get("data")
    if not isinstance(text, str) or len(text) > most:
        raise IntentRefused("file-size", most=most)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise bad_form("base64") from None
