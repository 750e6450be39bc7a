"""An Engine for tests of the page: everything a player sees, played on this computer alone.

    python -m tests.web.local_engine --rules 101-rising --screen table

serves the page with it. In tests: `LocalEngine()` begins in the lobby, `LocalEngine(table=LocalTable(...))`
at that table. Several engines may sit at one table, each at its own seat.
"""

import argparse
import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from p2pokey.crypto.group import Group
from p2pokey.native.backends import choose_backend
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Seat
from p2pokey.web.acting import MOVES, move_of, read_wishes
from p2pokey.web.archive import file_json
from p2pokey.web.engine import IntentRefused, View
from p2pokey.web.following import NewTile
from p2pokey.web.game_view import game_json
from p2pokey.web.hints import advice, hints_json
from p2pokey.web.names import bad_form, read_list, read_number, read_tile, read_word
from p2pokey.web.qr import matrix
from p2pokey.web.replaying import Replay, read_replay
from p2pokey.web.server import open_page_server
from p2pokey.web.sorting import sorts_json
from p2pokey.web.staging import Stage
from p2pokey.web.talk_feed import PHRASES
from p2pokey.web.uploading import Upload
from p2pokey.web.world import world_json
from tests.bots.hands import Source
from tests.web.local_table import WORDS, LocalTable, is_over, options_json

Json = dict[str, Any]
Intent = Mapping[str, Any]
CODE = "K7Q2M-lale-deniz-kartal"
SETTINGS: Json = {
    "lang": "auto", "theme": "felt", "palette": "classic", "shapes": True, "sound_turn": True,
    "sound_tile": True, "sound_chat": True, "haptics": True, "confirm_discard": False,
    "large_tiles": False,
}  # fmt: skip
_CHOICES = {
    "lang": ("auto", "en", "tr"),
    "theme": ("felt", "night", "contrast"),
    "palette": ("classic", "cvd"),
}
_MAX_TEXT = 500
_PAST_HAND = Path(__file__).parent.parent / "vectors" / "hand.jsonl"
"""A real transcript of Classic Okey."""


class LocalEngine:
    """One player's program without network and cryptography.

    Args:
        table: the table that the player sits at; None: the lobby.
        seat: the player's seat at that table.
        gather_s: how long friends take to arrive at a table that is hosted or joined.
        pause_s: how long automatic players of tables made here think.
    """

    def __init__(
        self,
        table: LocalTable | None = None,
        *,
        seat: int = 0,
        name: str = "Ayşe",
        gather_s: float = 0.0,
        pause_s: float = 0.05,
        seed: object = 1,
    ) -> None:
        self.name, self.gather_s, self.pause_s, self.seed = name, gather_s, pause_s, seed
        self.settings = dict(SETTINGS)
        self.is_named = True
        self.gathering: Json | None = None
        self.past: Json | None = None
        self.public: list[Json] | None = None
        self.notice: Json | None = None
        self.resumable: list[Json] = []
        self._upload = Upload()
        self._replay: Replay | None = None
        self._replay_at: tuple[str, int, Seat | None] = ("", 0, None)
        self.intents: list[Intent] = []
        """All that the page has sent, for tests to look at."""
        self._subscribers: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.table: LocalTable | None = None
        if table is not None:
            self.sit(table, seat)

    # --- the Engine protocol ---

    def world(self) -> Json:
        return world_json() | {"version": "0.0.0-test"}

    def view(self) -> View:
        return {
            "screen": self._screen(),
            "me": {
                "name": self.name,
                "named": self.is_named,
                "key": "ab12 cd34 ef56",
                "guest": False,
            },
            "settings": dict(self.settings),
            "lobby": {"resumable": self.resumable, "public": self.public, "server": "localhost"},
            "gathering": self.gathering,
            "table": self._table(),
            "past": self.past,
            "replay": self._shown_replay(),
            "notice": self.notice,
        }

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    async def act(self, intent: Intent) -> Json | None:
        self.intents.append(dict(intent))
        name = intent.get("do")
        if not isinstance(name, str):
            raise bad_form("an intent with a name")
        self.notice = None
        if name in MOVES:
            self._move(intent)
        elif name in _AT_TABLE:
            self._need_table()
            _AT_TABLE[name](self, intent)
        elif name == "replay":
            await self._do_replay(intent)
        elif name in _ANYWHERE:
            _ANYWHERE[name](self, intent)
        else:
            raise IntentRefused("unknown")
        self.changed()
        return file_json(_PAST_HAND.name, _PAST_HAND.read_bytes()) if name == "save" else None

    # --- tables ---

    def sit(self, table: LocalTable, seat: int) -> None:
        """Takes a seat at a table."""
        self.table, self.seat = table, Seat(seat)
        self.handover: Seat | None = None
        self.muted: set[int] = set()
        self._game = 0
        self._fresh()
        self._end_watch = table.watch(self.changed)

    def _fresh(self) -> None:
        """What belongs to one hand and one seat."""
        table = self._need_table()
        self._game = table.game
        self.stage, self.layout, self._new = Stage(), None, NewTile()
        self.advice: Json | None = None

    def leave(self) -> None:
        """Back to the lobby."""
        if self.table is not None:
            self._end_watch()
            self.table.close()
        self.table = self.gathering = self._replay = None

    def changed(self) -> None:
        """Tells the page that there is something new."""
        if self.table is not None:
            self._follow(self.table)
        for subscriber in tuple(self._subscribers):
            subscriber()

    def _follow(self, table: LocalTable) -> None:
        if table.game != self._game:
            self._fresh()
        mover = table.state.turn
        if table.shared and not is_over(table.state) and mover != self.seat:
            self.seat, self.handover = mover, mover
            self._fresh()

    def _need_table(self) -> LocalTable:
        if self.table is None:
            raise IntentRefused("no-table")
        return self.table

    def _move(self, intent: Intent) -> None:
        table = self._need_table()
        if table.failed is not None or table.paused is not None or self.handover is not None:
            raise IntentRefused("frozen")
        if table.is_dealing:
            raise IntentRefused("not-now")
        view = table.view_of(self.seat)
        move = move_of(view, intent)
        self.advice = None
        if intent["do"] in ("open", "lay", "play", "claim"):
            self.stage.clear()
        table.play(self.seat, move)

    def _screen(self) -> str:
        if self._replay is not None:
            return "replay"
        if self.table is not None:
            return "table"
        return "lobby" if self.gathering is None else "gathering"

    def _table(self) -> Json | None:
        table = self.table
        if table is None:
            return None
        view = table.view_of(None if self.handover is not None else self.seat)
        over = is_over(table.state)
        game = game_json(view, new=self._new.seen(view), last=table.last, hints=self._hints(view))
        is_waiting = not over and table.state.turn != self.seat
        return {
            "rules": table.rules.key,
            "options": options_json(table),
            "seat": self.seat,
            "seats": table.seats,
            "solo": table.solo,
            "shared": table.shared,
            "handover": self.handover,
            "people": [self._person(table, seat) for seat in range(table.seats)],
            "match": table.match(),
            "stage": table.stage,
            "waiting": {"what": "move", "seats": [table.state.turn], "since": 0}
            if is_waiting
            else None,
            "paused": None if table.paused is None else {"seat": table.paused, "since": 3},
            "clock": self._clock(table),
            "game": None if table.is_dealing else game,
            "staged": self.stage.json(view),
            "layout": self.layout,
            "sorts": None if table.is_dealing else sorts_json(view),
            "advice": self.advice,
            "end": table.end(),
            "asks": [self._ask(ask) for ask in table.asks],
            "chat": [line for line in table.chat if line["seat"] not in self.muted],
            "muted": sorted(self.muted),
            "trust": self._trust(table),
        }

    def _clock(self, table: LocalTable) -> Json | None:
        if table.timer_s == 0 or is_over(table.state):
            return None
        running = table.paused is None
        left = table.timer_s - 7
        return {
            "seat": table.state.turn, "limit": table.timer_s, "left": left, "running": running,
        }  # fmt: skip

    def _hints(self, view: Any) -> Json | None:
        table = self._need_table()
        return hints_json(view) if table.assisted or table.solo else None

    def _person(self, table: LocalTable, seat: int) -> Json:
        is_bot = seat not in table.people
        return {
            "name": table.names[seat],
            "bot": is_bot,
            "runner": table.names[table.people[0]] if is_bot else None,
            "link": table.links[seat],
            "since": None if table.links[seat] == "here" else 3,
            "absent": table.links[seat] == "left",
            "team": seat % 2 if table.rules.partners else None,
        }

    def _ask(self, ask: Json) -> Json:
        mine = True if self.seat in ask["yes"] else ask.get("no", {}).get(self.seat)
        kept = {key: value for key, value in ask.items() if key != "no"}
        return {**kept, "mine": mine}

    def _trust(self, table: LocalTable) -> Json:
        done = table.score is not None
        objects = 106 * table.seats + len(table.moves)
        return {
            "state": "failed" if table.failed is not None else "verified",
            "seat": table.failed,
            "shuffles": [seat != table.failed for seat in range(table.seats)],
            "proofs": [
                {"kind": "shuffle", "objects": 106 * table.seats},
                {"kind": "token", "objects": len(table.moves)},
            ],
            "accepted": objects,
            "failed": int(table.failed is not None),
            "disclosed": table.seats if done else 0,
            "replayed": table.seats if done else 0,
            "words": WORDS,
            "transcript": f"hand-{table.game}.jsonl" if done else None,
            "audit": {"status": "sound", "proofs": objects, "findings": []} if done else None,
        }

    # --- intents at a table ---

    def _do_stage(self, intent: Intent) -> None:
        table = self._need_table()
        self.stage.put(table.view_of(self.seat), read_wishes(intent.get("melds")))

    def _do_layout(self, intent: Intent) -> None:
        rows = [
            [None if tile is None else read_tile(tile) for tile in read_list(row, 60)]
            for row in read_list(intent.get("rows"), 4)
        ]
        tiles = [tile for row in rows for tile in row if tile is not None]
        if len(set(tiles)) != len(tiles):
            raise bad_form("every tile once")
        self.layout = intent["rows"]

    def _do_hint(self, intent: Intent) -> None:
        table = self._need_table()
        if not (table.assisted or table.solo):
            raise IntentRefused("no-hints")
        self.advice = advice(table.view_of(self.seat), Source("advice"))
        if self.advice is None:
            raise IntentRefused("not-now")

    def _do_say(self, intent: Intent) -> None:
        text = intent.get("text")
        if not isinstance(text, str) or not 0 < len(text) <= _MAX_TEXT:
            raise bad_form(f"a text of at most {_MAX_TEXT} letters")
        self._need_table().say(self.seat, text=text)

    def _do_phrase(self, intent: Intent) -> None:
        if intent.get("code") not in PHRASES:
            raise bad_form("one of the phrases")
        self._need_table().say(self.seat, phrase=intent["code"])

    def _do_mute(self, intent: Intent) -> None:
        seat = read_number(intent.get("seat"), self._need_table().seats)
        (self.muted.add if intent.get("on") is True else self.muted.discard)(seat)

    def _do_ready(self, intent: Intent) -> None:
        table = self._need_table()
        if table.score is None:
            raise IntentRefused("not-now")
        if intent.get("play") is not True:
            self.leave()
            return
        table.get_ready(self.seat)
        if table.shared:
            for seat in table.people:
                table.get_ready(seat)

    def _do_rematch(self, intent: Intent) -> None:
        self._need_table().ask(self.seat, "rematch")

    def _do_seating(self, intent: Intent) -> None:
        table = self._need_table()
        order = [read_number(seat, table.seats) for seat in read_list(intent.get("order"), 4)]
        if sorted(order) != list(range(table.seats)):
            raise bad_form("every seat once")
        table.ask(self.seat, "seating", order)

    def _do_answer(self, intent: Intent) -> None:
        table = self._need_table()
        number = read_number(intent.get("seq"), max(1, len(table.asks)))
        if not table.asks:
            raise IntentRefused("not-now")
        ask = table.asks[number]
        if intent.get("yes") is True:
            ask["yes"] = sorted({*ask["yes"], self.seat})
        else:
            ask.setdefault("no", {})[self.seat] = False

    def _do_take_seat(self, intent: Intent) -> None:
        self.handover = None

    def _do_nothing(self, intent: Intent) -> None:
        """Files, audits, friends at a door: the real engine's."""

    # --- intents anywhere ---

    def _do_name(self, intent: Intent) -> None:
        name = intent.get("name")
        if not isinstance(name, str) or not 0 < len(name) <= 32 or not name.isprintable():
            raise IntentRefused("name", most=32)
        self.name, self.is_named = name, True

    def _do_settings(self, intent: Intent) -> None:
        for key, value in intent.items():
            if key == "do":
                continue
            allowed = _CHOICES.get(key, (True, False))
            if (
                key not in SETTINGS
                or value not in allowed
                or isinstance(value, int) != (key not in _CHOICES)
            ):
                raise bad_form("a setting")
        self.settings |= {key: value for key, value in intent.items() if key != "do"}

    def _rules_of(self, intent: Intent) -> Any:
        key, chosen = read_word(intent.get("rules"), tuple(RULE_SETS)), intent.get("options") or {}
        if not isinstance(chosen, dict):
            raise bad_form("options")
        try:
            return ruleset_for(key, **chosen)
        except (ValueError, TypeError):
            raise IntentRefused("options") from None

    def _do_solo(self, intent: Intent) -> None:
        made = LocalTable(self._rules_of(intent), seed=self.seed, pause_s=self.pause_s)
        made.names[0] = self.name
        self.sit(made, 0)

    def _do_share(self, intent: Intent) -> None:
        names = (self.name, str(intent.get("other", "2")))
        made = LocalTable("duel", people=(0, 1), shared=True, seed=self.seed, names=names)
        self.sit(made, 0)
        self.handover = Seat(0)

    def _do_host(self, intent: Intent) -> None:
        rules = self._rules_of(intent)
        self._gather("host", rules, bool(intent.get("assisted")))

    def _do_join(self, intent: Intent) -> None:
        invite = intent.get("invite")
        if not isinstance(invite, str) or len(invite) > 300 or "-" not in invite:
            raise IntentRefused("InvalidInvite")
        if invite.startswith("00000"):
            raise IntentRefused("UnknownCode")
        self._gather("guest", RULE_SETS["classic"], False)

    def _gather(self, role: str, rules: Any, assisted: bool) -> None:
        link = f"https://example.org/j#{CODE}" if role == "host" else None
        self.gathering = {
            "role": role, "code": CODE if role == "host" else None, "link": link,
            "qr": None if link is None else matrix(link), "knocks": [], "window": "open",
            "can_bring_bots": role == "host",
            "seats": rules.players, "here": [self.name], "phase": "waiting", "done": 1,
            "total": rules.players, "window_s": 300,
        }  # fmt: skip
        if self.gather_s:
            task = asyncio.get_running_loop().create_task(self._arrive(rules, assisted))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _arrive(self, rules: Any, assisted: bool) -> None:
        """Friends come one after the other; they are automatic."""
        for name in ("Mehmet", "Zeynep", "Can")[: rules.players - 1]:
            await asyncio.sleep(self.gather_s / rules.players)
            if self.gathering is None:
                return
            self.gathering["here"].append(name)
            self.gathering["done"] += 1
            self.changed()
        self.begin(rules, assisted=assisted)

    def begin(self, rules: Any, *, assisted: bool = False) -> None:
        """The table is complete."""
        self.gathering = None
        made = LocalTable(
            rules, seed=self.seed, pause_s=self.pause_s, assisted=assisted, solo=False
        )
        made.names[0] = self.name
        self.sit(made, 0)
        self.changed()

    def _do_public(self, intent: Intent) -> None:
        self.public = [
            {"room": "K7Q2M", "title": "Akşam 101", "rules": "101-rising", "free": 2, "age_s": 40}
        ]

    def _do_past(self, intent: Intent) -> None:
        hand = {
            "id": "hand-1", "rules": "classic", "day": "2026-05-01", "time": "20:15", "hand": 2, "names": ["Ayşe", "Mehmet"],
            "points": [0, -2], "status": "scored",
        }  # fmt: skip
        sums = {"hands": 12, "won": 5, "matches": 2, "matches_won": 1, "points": -34}
        games, people = (
            {"name": None, "rules": "classic", **sums},
            {"name": "Mehmet", "rules": None, **sums},
        )
        self.past = {"hands": [hand], "stats": [games, people]}

    async def _do_replay(self, intent: Intent) -> None:
        """A transcript of the page, in pieces, or the only past hand."""
        if intent.get("id") is not None:
            await self.read_replay(_PAST_HAND.read_bytes(), _PAST_HAND.name)
            return
        data = self._upload.add(intent)
        if data is not None:
            await self.read_replay(data, self._upload.name)

    async def read_replay(self, data: bytes, name: str) -> None:
        """Opens the viewer; the audit runs beside the event loop."""
        self._replay = await asyncio.to_thread(
            read_replay,
            data,
            group=Group(choose_backend("auto")),
            verifier=Ed25519Verifier(),
            sealer=ChaChaSealer(),
        )
        self._replay_at = (name, 0, None)

    def _need_replay(self) -> Replay:
        if self._replay is None:
            raise IntentRefused("not-now")
        return self._replay

    def _do_step(self, intent: Intent) -> None:
        replay, (name, _, seat) = self._need_replay(), self._replay_at
        step = read_number(intent.get("to"), replay.last_step + 1)
        self._replay_at = (name, step, seat)

    def _do_see(self, intent: Intent) -> None:
        replay, (name, step, _) = self._need_replay(), self._replay_at
        setup, wanted = replay.report.setup, intent.get("seat")
        seats = 1 if setup is None else setup.seats
        seat = None if wanted is None else Seat(read_number(wanted, seats))
        self._replay_at = (name, step, seat)

    def _do_close(self, intent: Intent) -> None:
        self._replay = None

    def _shown_replay(self) -> Json | None:
        if self._replay is None:
            return None
        name, step, seat = self._replay_at
        return self._replay.json(file=name, step=step, seat=seat)

    def _do_resume(self, intent: Intent) -> None:
        raise IntentRefused("nothing-to-resume")

    def _do_leave(self, intent: Intent) -> None:
        self.leave()


_AT_TABLE: dict[str, Callable[[LocalEngine, Intent], None]] = {
    "stage": LocalEngine._do_stage,
    "layout": LocalEngine._do_layout,
    "hint": LocalEngine._do_hint,
    "say": LocalEngine._do_say,
    "phrase": LocalEngine._do_phrase,
    "mute": LocalEngine._do_mute,
    "ready": LocalEngine._do_ready,
    "rematch": LocalEngine._do_rematch,
    "seating": LocalEngine._do_seating,
    "answer": LocalEngine._do_answer,
    "take-seat": LocalEngine._do_take_seat,
    "void": LocalEngine._do_nothing,
    "recheck": LocalEngine._do_nothing,
}
_ANYWHERE: dict[str, Callable[[LocalEngine, Intent], None]] = {
    "name": LocalEngine._do_name,
    "settings": LocalEngine._do_settings,
    "solo": LocalEngine._do_solo,
    "share": LocalEngine._do_share,
    "host": LocalEngine._do_host,
    "join": LocalEngine._do_join,
    "public": LocalEngine._do_public,
    "save": LocalEngine._do_nothing,
    "dismiss": LocalEngine._do_nothing,
    "forget": LocalEngine._do_nothing,
    "kick": LocalEngine._do_nothing,
    "accept-key": LocalEngine._do_nothing,
    "admit": LocalEngine._do_nothing,
    "reopen": LocalEngine._do_nothing,
    "bots": LocalEngine._do_nothing,
    "resume": LocalEngine._do_resume,
    "past": LocalEngine._do_past,
    "step": LocalEngine._do_step,
    "see": LocalEngine._do_see,
    "close": LocalEngine._do_close,
    "leave": LocalEngine._do_leave,
    "cancel": LocalEngine._do_leave,
}


async def _serve(options: argparse.Namespace) -> None:
    engine = LocalEngine(pause_s=options.pause, gather_s=3.0)
    if options.rules:
        people = (0, 1) if options.shared else (0,)
        table = LocalTable(
            options.rules, people=people, shared=options.shared, assisted=options.assisted,
            seed=options.seed, pause_s=options.pause, deal_s=options.deal,
        )  # fmt: skip
        engine.sit(table, 0)
    async with open_page_server(engine, OsEntropy(), port=options.port) as page:
        print(page.address, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves the page with a local engine.")
    parser.add_argument("--rules", choices=sorted(RULE_SETS), help="sit down at once")
    parser.add_argument("--shared", action="store_true", help="two people on this device")
    parser.add_argument("--assisted", action="store_true")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--pause", type=float, default=0.7)
    parser.add_argument("--deal", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
