"""The player's own program as the page sees it: lobby, one table, past hands (docs/page-protocol.md).

Implements `web.engine.Engine`. What the page may ask for is listed here, and nothing else happens.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from p2pokey.crypto.group import Group
from p2pokey.errors import DecodeError, InvalidRuleSet
from p2pokey.native.profile import Profile, known_keys, save_name
from p2pokey.rules.published import RULE_SETS, RuleSet
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.table.roster import check_name
from p2pokey.web.archive import Archive, file_json
from p2pokey.web.bots import MakeBots
from p2pokey.web.engine import IntentRefused, View
from p2pokey.web.names import Json, bad_form, read_object, read_word
from p2pokey.web.public_list import PublicList
from p2pokey.web.rooms import Lobby
from p2pokey.web.settings import changed, load_settings, save_settings
from p2pokey.web.solo import SoloTable, sweep_up
from p2pokey.web.uploading import Upload
from p2pokey.web.viewer import Viewer
from p2pokey.web.world import world_json

LEVELS = {"easy": 1.4, "normal": 0.9, "hard": 0.5}
"""Seconds that a computer player takes; one strength of play so far."""
MAX_NOTICES = 20
PIECE_S = 0.02
"""Between two pieces of a file, so that the page stays within its rate of frames."""
_SILENT = ("layout", "stage", "step", "settings", "replay")
"""Intents that the page sends beside what its player does: they close no notice."""
_log = logging.getLogger(__name__)

Intent = Mapping[str, Any]


class Seated(Protocol):
    """A table that the player sits at, or that is coming together."""

    wants_out: bool

    def start(self) -> None:
        """Begins."""

    async def act(self, intent: Intent) -> Json | None:
        """An intent that is about the table; raises IntentRefused."""

    def json(self) -> Json | None:
        """TABLE, None while it is coming together."""

    def gathering(self) -> Json | None:
        """GATHERING, None once the table stands."""

    async def close(self) -> None:
        """Leaves."""

    def say_goodbye(self) -> bool:
        """Whether the match is over and the table can be left to end by itself."""

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
    is_named: bool = True
    """Whether `name` is a name; False: it stands in for one that nobody has chosen yet."""
    make_bots: MakeBots | None = None
    """Brings computer players along; None: there are none."""
    ice: tuple[str, ...] = ()
    """STUN or TURN servers."""
    pace_s: float | None = None
    """How long a computer player takes for a move where the player is alone; None: as its level says."""
    _settings: dict[str, str | bool] = field(default_factory=dict)
    _seated: Seated | None = None
    _leaving: list[Seated] = field(default_factory=list)
    """Tables that the player has said goodbye to and that others may still need."""
    _archive: Archive = field(init=False)
    _viewer: Viewer = field(init=False)
    _upload: Upload = field(default_factory=Upload)
    _public: PublicList = field(init=False)
    _notices: list[Json] = field(default_factory=list)
    _told: int = 0
    _resumable: list[Json] = field(default_factory=list)
    _was_seated: bool = False
    _subscribers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._settings = load_settings(self._settings_path)
        self._archive = Archive(
            folder=self.hands,
            contacts=self.profile.dirs.contacts,
            keys=self._keys,
            own_name=lambda: self.name,
            on_change=self.changed,
        )
        self._viewer = Viewer(group=self.group, on_change=self.changed, tell=self.tell)
        self._public = PublicList(on_change=self.changed, tell=self.tell)
        sweep_up(self._scratch)
        self._look_for_tables()

    @property
    def _settings_path(self) -> Path:
        return self.profile.dirs.config / "page.json"

    @property
    def _scratch(self) -> Path:
        return self.profile.dirs.state / "alone"

    def _keys(self) -> tuple[bytes, ...]:
        return (self.profile.signer.public_key, *known_keys(self.profile.dirs))

    # Engine --------------------------------------------------------------------------------------

    def world(self) -> Json:
        """WORLD."""
        return world_json()

    def view(self) -> View:
        """VIEW."""
        seated = self._seated
        table = None if seated is None else seated.json()
        gathering = None if seated is None else seated.gathering()
        replay = self._viewer.json()
        screen = "lobby" if gathering is None else "gathering"
        if table is not None:
            screen = "table"
        return {
            "screen": screen if replay is None else "replay",
            "me": {
                "name": self.name,
                "named": self.is_named,
                "key": self.profile.signer.public_key.hex()[:16],
                "guest": self.profile.is_guest,
            },
            "settings": dict(self._settings),
            "lobby": {
                "resumable": self._resumable if screen == "lobby" else [],
                "public": self._public.json(),
                "server": self.server,
                "bots": self.make_bots is not None,
            },
            "gathering": gathering,
            "table": table,
            "past": self._archive.json(),
            "replay": replay,
            "notice": self._notices[0] if self._notices else None,
        }

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls back at every change."""
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    async def act(self, intent: Intent) -> Json | None:
        """Does what the player wants."""
        name = intent.get("do")
        if not isinstance(name, str):
            raise bad_form("an intent with a name")
        if name not in _SILENT:
            self._notices = self._notices[1:]
        try:
            if (do := self._intents.get(name)) is not None:
                return await do(intent)
            return await self._act_at_table(intent)
        finally:
            self.changed()

    async def _act_at_table(self, intent: Intent) -> Json | None:
        seated = self._seated
        if seated is None:
            raise IntentRefused("no-table")
        answer = await seated.act(intent)
        if seated.wants_out and seated is self._seated:
            self._seated = None
            await self._let_go(seated)
        return answer

    async def _let_go(self, seated: Seated) -> None:
        """The player has said goodbye; the others may still need what only this seat has."""
        if isinstance(seated, SoloTable):
            await seated.close()
        else:
            self._leaving = [*(one for one in self._leaving if not one.is_over), seated]
        self._look_for_tables()

    def changed(self) -> None:
        """Tells the page that there is something new."""
        is_seated = self._seated is not None and not self._seated.is_over
        if self._was_seated and not is_seated:
            self._look_for_tables()
        self._was_seated = is_seated
        for subscriber in tuple(self._subscribers):
            subscriber()

    def tell(self, notice: Json) -> None:
        """Something for the player to be told once; shown until the next thing that he does."""
        self._told += 1
        self._notices = [*self._notices, {**notice, "n": self._told}][-MAX_NOTICES:]
        self.changed()

    async def close(self) -> None:
        """Ends whatever runs."""
        await self._leave()
        for seated in self._leaving:
            await seated.close()
        await self._public.finish()
        await self._viewer.finish()
        await self._archive.finish()

    def open_file(self, data: bytes, name: str) -> None:
        """Shows a transcript; raises IntentRefused for a file that is none."""
        self._viewer.open(data, file=name, name_of=self._archive.known_name)

    # Intents -------------------------------------------------------------------------------------

    @property
    def _intents(self) -> dict[str, Callable[[Intent], Awaitable[Json | None]]]:
        own: dict[str, Callable[[Intent], Awaitable[Json | None]]] = {
            "name": self._do_name,
            "settings": self._do_settings,
            "dismiss": self._do_dismiss,
            "solo": self._do_solo,
            "share": self._do_share,
            "host": self._do_host,
            "join": self._do_join,
            "resume": self._do_resume,
            "forget": self._do_forget,
            "public": self._list_tables,
            "past": self._do_past,
            "save": self._do_save,
            "replay": self._do_replay,
            "step": self._do_step,
            "see": self._do_see,
            "close": self._do_close,
            "leave": self._do_leave,
            "cancel": self._do_leave,
        }
        return own

    async def _do_save(self, intent: Intent) -> Json | None:
        """A past hand; without an id the one of the table."""
        if intent.get("id") is None:
            return await self._act_at_table(intent)
        path, data = await self._archive.find(intent["id"])
        return file_json(path.name, data)

    @property
    def _lobby(self) -> Lobby:
        return Lobby(
            profile=self.profile,
            name=self.name,
            group=self.group,
            hands=self.hands,
            server=self.server,
            make_bots=self.make_bots,
            ice=self.ice,
            on_change=self.changed,
            tell_player=self.tell,
        )

    def _look_for_tables(self) -> None:
        self._resumable = self._lobby.resumable()

    async def _do_dismiss(self, intent: Intent) -> None:
        """Every intent closes the notice that is shown; this one does nothing else."""

    async def _do_host(self, intent: Intent) -> None:
        await self._take_seat(lambda: self._lobby.host(intent, rules_of(intent)))

    async def _do_join(self, intent: Intent) -> None:
        await self._take_seat(lambda: self._lobby.join(intent, self._public.names))

    async def _do_resume(self, intent: Intent) -> None:
        await self._take_seat(lambda: self._lobby.resume(intent))

    async def _do_forget(self, intent: Intent) -> None:
        self._lobby.forget(intent)
        self._look_for_tables()

    @property
    def _sits(self) -> bool:
        return self._seated is not None

    async def _take_seat(self, make: Callable[[], Seated]) -> None:
        """Sits down; a table alone makes room, one with friends has to be left first."""
        seated = self._seated
        if seated is not None and not seated.is_over and not isinstance(seated, SoloTable):
            raise IntentRefused("at-a-table")
        table = make()
        self._seated = None
        if seated is not None:
            await seated.close()
        if self._sits:  # another tab was quicker
            await table.close()
            raise IntentRefused("at-a-table")
        self._viewer.close()
        try:
            table.start()
        except OSError as error:
            raise IntentRefused("not-kept", text=error.strerror or str(error)) from error
        self._seated = table

    async def _do_leave(self, intent: Intent) -> None:
        seated = self._seated
        if seated is not None and not seated.is_over and seated.say_goodbye():
            self._seated = None
            await self._let_go(seated)
        else:
            await self._leave()

    async def _leave(self) -> None:
        seated, self._seated = self._seated, None
        if seated is not None:
            await seated.close()
        self._look_for_tables()

    async def _list_tables(self, intent: Intent) -> None:
        server = intent.get("server") or self.server
        if not isinstance(server, str):
            raise bad_form("the address of a server")
        self._public.ask(server)

    async def _do_name(self, intent: Intent) -> None:
        name = intent.get("name")
        try:
            if not isinstance(name, str):
                raise DecodeError("expected a name")
            check_name(name)
        except DecodeError as error:
            raise IntentRefused("name", text=str(error)) from error
        self.name, self.is_named = name, True
        if not self.profile.is_guest:
            self._try(lambda: save_name(self.profile.dirs, name))

    async def _do_settings(self, intent: Intent) -> None:
        self._settings = changed(self._settings, intent)
        self._try(lambda: save_settings(self._settings_path, self._settings))

    async def _do_solo(self, intent: Intent) -> None:
        level = read_word(intent.get("level", "normal"), list(LEVELS))
        rules = rules_of(intent)
        pause_s = LEVELS[level] if self.pace_s is None else self.pace_s
        await self._take_seat(lambda: self._alone(rules, pause_s=pause_s, other=None))

    async def _do_share(self, intent: Intent) -> None:
        other = intent.get("other")
        if not isinstance(other, str) or other == self.name:
            other = "2"
        try:
            check_name(other)
        except DecodeError as error:
            raise IntentRefused("name", text=str(error)) from error
        await self._take_seat(lambda: self._alone(ruleset_for("duel"), pause_s=0.0, other=other))

    def _alone(self, rules: RuleSet, *, pause_s: float, other: str | None) -> SoloTable:
        return SoloTable(
            signer=self.profile.signer,
            name=self.name,
            other_name=other,
            group=self.group,
            rules=rules,
            options=table_options(rules.players, timer_s=0),
            out=self.hands,
            scratch=self._scratch,
            on_change=self.changed,
            tell_player=self.tell,
            pause_s=pause_s,
        )

    # Past hands ----------------------------------------------------------------------------------

    async def _do_past(self, intent: Intent) -> None:
        self._archive.refresh()

    async def _do_replay(self, intent: Intent) -> None:
        """A past hand by its id, or a file of the page, piece by piece."""
        if intent.get("id") is not None:
            path, data = await self._archive.find(intent["id"])
            named = self._archive.names_beside(path)
            day = self._archive.day_of(path)
            self._viewer.open(data, file=path.name, name_of=named, day=day)
            return
        await asyncio.sleep(PIECE_S)
        whole = self._upload.add(intent)
        if whole is not None:
            self.open_file(whole, self._upload.name)

    async def _do_step(self, intent: Intent) -> None:
        self._viewer.step(intent)

    async def _do_see(self, intent: Intent) -> None:
        self._viewer.see(intent)

    async def _do_close(self, intent: Intent) -> None:
        self._viewer.close()

    def _try(self, work: Callable[[], None]) -> None:
        """What cannot be kept is only lost for the next time."""
        try:
            work()
        except OSError as error:
            self.tell({"code": "not-kept", "text": error.strerror or str(error)})


def rules_of(intent: Intent) -> RuleSet:
    """The rule set that an intent chooses; raises IntentRefused for none or a bad option."""
    key = read_word(intent.get("rules"), list(RULE_SETS))
    wanted = read_object(intent.get("options") or {})
    try:
        return ruleset_for(key, **{str(name): value for name, value in wanted.items()})
    except (InvalidRuleSet, TypeError, ValueError) as error:
        raise IntentRefused("options", text=str(error)) from error
