"""The player's seat at a running table, as the page sees it and acts on it (docs/page-protocol.md).

Between the page and the peer: intents become moves and commands, news and views become TABLE. Rules
and cryptography are asked, never repeated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pokey.bots.source import Source
from p2pokey.crypto.group import Group
from p2pokey.errors import LocalProtocolError
from p2pokey.net.tasks import spawn
from p2pokey.peer.events import (
    HandCounted,
    HandFailed,
    MatchEnded,
    MatchOver,
    MoveMade,
    PeerEvent,
    Resumed,
)
from p2pokey.peer.saving import transcript_name
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import Question, QuestionClosed, RematchBegun
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, options_of
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.table import commands
from p2pokey.table.carry import VACANT
from p2pokey.table.contents import MAX_CHAT_CHARS, Wish
from p2pokey.table.presence import Presence
from p2pokey.tiles import MAX_SEATS, Seat
from p2pokey.web.acting import MOVES, move_of
from p2pokey.web.archive import file_json
from p2pokey.web.checking import Checker
from p2pokey.web.drafts import Drafts
from p2pokey.web.ending import end_json
from p2pokey.web.engine import IntentRefused
from p2pokey.web.fate import Fates
from p2pokey.web.game_view import game_json
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.helping import Helper
from p2pokey.web.hints import advice
from p2pokey.web.names import Json, bad_form, read_list, read_number, read_word
from p2pokey.web.past import read_file
from p2pokey.web.person import PagePerson
from p2pokey.web.talk_feed import PHRASES, TalkFeed

AGAIN_S = 0.5
"""Between two players who ask again for a rematch."""
LOOK_BACK_S = 1.0
"""After coming back: until then it shows whether a hand is being played."""
Intent = Mapping[str, Any]
Answer = Json | None


@dataclass(kw_only=True)
class TableSeat:
    """One seat of a table in this program.

    Args:
        rules: of the table.
        options: of the table.
        talk: news of the people.
        hand: news of the hand; also the table's `watch`.
        person: who is asked for moves.
        group: to check hands again with.
        helps: whether hints are allowed: on assisted tables, and alone against the computer.
        source: randomness of a hint's choice between equals.
        on_change: tells the page.
        patience_s: how long a lost player is waited for.
    """

    rules: RuleSet
    options: TableOptions
    talk: TalkFeed
    hand: HandFeed
    person: PagePerson
    group: Group
    helps: bool
    source: Source
    on_change: Callable[[], None]
    patience_s: float = 600.0
    solo: bool = False
    shared: bool = False
    has_left: bool = False
    """Whether this table is only looked at any more."""
    is_over: bool = False
    """Whether the match is over, unless all want another."""
    _table: Table | None = None
    _drafts: Drafts = field(init=False)
    _checker: Checker = field(init=False)
    _helper: Helper = field(init=False)
    _fates: Fates = field(init=False)
    _advice: Json | None = None
    _wants_rematch: bool = False
    _wants_on: bool = False
    """Whether the player has asked for the next hand before this one was counted."""
    _attempt: int = -1
    _game: tuple[tuple[Any, ...], Json] | None = None
    _looking: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._drafts = Drafts(keep=self._keep, on_change=self.on_change)
        self._checker = Checker(group=self.group, on_change=self.on_change)
        self._helper = Helper(on_change=self.on_change)
        self._fates = Fates(options=self.options, patience_s=self.patience_s)

    @property
    def table(self) -> Table | None:
        """The table of the peer, as soon as there is one."""
        return self._table

    @table.setter
    def table(self, table: Table) -> None:
        self._table = table
        self.talk.said_before(table.board.machine.lines())

    async def close(self) -> None:
        """Writes unfinished work, and ends what runs in threads."""
        with suppress(Exception):  # the table has ended before
            self._drafts.flush()
        if self._looking is not None:
            self._looking.cancel()
        await self._checker.finish()

    # News ----------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Takes an event of the peer."""
        self.hand.tell(event)
        self.talk.tell(event)
        match event:
            case MoveMade():
                self._advice = None  # also where the program moved for its player
            case MatchOver() | MatchEnded():
                self.is_over = True
            case RematchBegun():
                self.is_over = self._wants_rematch = False
            case Question(what="rematch") | QuestionClosed(what="rematch"):
                self._go_on_with_rematch(event)
            case HandCounted() | HandFailed() if self._wants_on:
                self._wants_on = False
                asyncio.get_running_loop().call_soon(self._go_on)
            case Resumed():
                self._looking = spawn(self._look_back(), "looking back at the last hand")
            case _:
                pass
        if self._attempt != self.hand.attempt:
            self._attempt, self._wants_on = self.hand.attempt, False
            self._drafts.begin(self._attempt)
            self._helper = Helper(on_change=self.on_change)
            self._checker.forget()
            self._advice = None
        self.on_change()

    async def _look_back(self) -> None:
        """After coming back between two hands: shows the last one again, so that play can go on."""
        await asyncio.sleep(LOOK_BACK_S)
        table = self.table
        if table is None or self._attempt >= 0 or not (last := table.board.machine.match.attempts):
            return
        path = table.out / transcript_name(last - 1, self.hand.seat)
        report = await self._checker.start(await asyncio.to_thread(read_file, path))
        if self._attempt >= 0:
            return
        if report is not None and report.outcome is not None:
            match = table.board.machine.match
            number = max(0, match.hands_played - 1)
            self.hand.look_back(report.outcome, report.proofs, str(path), number)
        elif not table.board.machine.match.is_over:
            table.act(commands.WantNext(wish=Wish.PLAY))

    # Intents -------------------------------------------------------------------------------------

    async def act(self, intent: Intent) -> Answer:
        """Does what the player wants at the table; gives back what the page is to get for it.

        Raises:
            IntentRefused: it cannot be done.
        """
        name = intent.get("do")
        if name in MOVES:
            self._move(intent)
        elif isinstance(name, str) and (do := self._quick.get(name)) is not None:
            do(intent)
        elif isinstance(name, str) and (slow := self._slow.get(name)) is not None:
            return await slow(intent)
        else:
            raise IntentRefused("unknown")
        return None

    @property
    def _quick(self) -> dict[str, Callable[[Intent], None]]:
        return {
            "stage": self._do_stage,
            "layout": self._do_layout,
            "say": self._do_say,
            "phrase": self._do_phrase,
            "mute": self._do_mute,
            "ready": self._do_ready,
            "rematch": self._do_rematch,
            "seating": self._do_seating,
            "kick": self._do_kick,
            "answer": self._do_answer,
            "void": self._do_void,
        }

    @property
    def _slow(self) -> dict[str, Callable[[Intent], Awaitable[Answer]]]:
        return {"hint": self._do_hint, "recheck": self._do_recheck, "save": self._do_save}

    def _move(self, intent: Intent) -> None:
        if self.hand.fault is not None:
            raise IntentRefused("frozen")
        view = self.person.asked
        if view is None:
            raise IntentRefused("not-your-turn")
        move = move_of(view, intent)
        self.person.play(move)
        self._advice = None
        if intent["do"] in ("open", "lay", "play", "claim"):
            self._drafts.clear_stage()

    def _need_view(self) -> View:
        if self.hand.view is None:
            raise IntentRefused("not-now")
        return self.hand.view

    def _need_table(self) -> Table:
        if self._table is None or self.has_left:
            raise IntentRefused("not-now")
        return self._table

    def _command(self, command: commands.Command) -> None:
        """A command for the table machine; raises IntentRefused where that refuses it."""
        table = self._need_table()
        self.talk.check(lambda: table.act(command))

    def _do_stage(self, intent: Intent) -> None:
        self._drafts.put_stage(self._need_view(), intent.get("melds"))

    def _do_layout(self, intent: Intent) -> None:
        self._drafts.put_layout(intent.get("rows"))

    def _keep(self, data: bytes) -> None:
        if self._table is not None and not self.has_left:
            self._table.act(commands.SaveDraft(data=data))

    async def _do_hint(self, intent: Intent) -> Answer:
        if not self.helps:
            raise IntentRefused("no-hints")
        view = self._need_view()
        found = await asyncio.to_thread(advice, view, self.source)
        if found is None or self.hand.view is not view:
            raise IntentRefused("not-your-turn")
        self._advice = found
        return None

    async def _do_recheck(self, intent: Intent) -> Answer:
        if not self._checker.is_running:
            _, data = await self._file()
            self._checker.start(data)
        return None

    async def _do_save(self, intent: Intent) -> Answer:
        name, data = await self._file()
        return file_json(name, data)

    async def _file(self) -> tuple[str, bytes]:
        """The transcript of the hand: the whole file, or what there is of it so far."""
        if self.hand.transcript is not None:
            path = Path(self.hand.transcript)
            return path.name, await asyncio.to_thread(read_file, path)
        data = await asyncio.to_thread(self._need_table().transcript)
        if data is None:
            raise IntentRefused("not-now")
        return transcript_name(self._attempt, self.hand.seat), data

    def _do_say(self, intent: Intent) -> None:
        text = intent.get("text")
        if not isinstance(text, str) or not 0 < len(text) <= MAX_CHAT_CHARS:
            raise bad_form(f"a text of at most {MAX_CHAT_CHARS} letters")
        self._command(commands.Say(text=text))

    def _do_phrase(self, intent: Intent) -> None:
        code = read_word(intent.get("code"), list(PHRASES))
        self._command(commands.SayPhrase(code=PHRASES[code]))

    def _do_mute(self, intent: Intent) -> None:
        seat = Seat(read_number(intent.get("seat"), self.options.seats))
        self._command(commands.Mute(seat=seat, on=intent.get("on") is True))

    def _do_ready(self, intent: Intent) -> None:
        """The next hand, or after the last one a new match."""
        if intent.get("play") is not True:
            with suppress(IntentRefused):  # it is said already, or the match is over
                self._command(commands.WantNext(wish=Wish.STOP))
            self._need_table().leave()
        elif self._is_being_counted:
            self._wants_on = True
        elif self._need_table().board.machine.match.is_over or self.is_over:
            self._do_rematch(intent)
        else:
            self._command(commands.WantNext(wish=Wish.PLAY))

    @property
    def _is_being_counted(self) -> bool:
        """Whether this seat has audited a hand that not all have signed yet."""
        is_running = self._table is not None and (
            self._table.board.machine.match.attempts == self._attempt
        )
        return is_running and self.hand.outcome is not None

    def _go_on(self) -> None:
        with suppress(IntentRefused):
            self._do_ready({"play": True})

    def _do_rematch(self, intent: Intent) -> None:
        """Asks for a new match, or says yes to whoever has asked."""
        self._wants_rematch = True
        asks = [ask for ask in self.talk.asks() if ask["what"] == "rematch"]
        for ask in asks:
            if ask["mine"] is None:
                self._command(commands.AnswerAsk(asker=ask["by"], seq=ask["seq"], yes=True))
                return
        if not asks:
            self._command(commands.AskRematch())

    def _go_on_with_rematch(self, event: Question | QuestionClosed) -> None:
        """Two who ask at the same moment cancel each other's question: then one after the other."""
        loop = asyncio.get_running_loop()
        if not self._wants_rematch:
            return
        if isinstance(event, Question) and event.must_answer:
            loop.call_soon(self._ask_again)
        elif isinstance(event, QuestionClosed):
            self._wants_rematch = event.outcome == "cancelled"
            loop.call_later(AGAIN_S * (1 + self.hand.seat), self._ask_again)

    def _ask_again(self) -> None:
        if self._wants_rematch and self._table is not None and not self.has_left:
            with suppress(IntentRefused):
                self._do_rematch({})

    def _do_seating(self, intent: Intent) -> None:
        entries = read_list(intent.get("order"), MAX_SEATS)
        self._ask_seats(
            VACANT if entry is None else read_number(entry, self.options.seats) for entry in entries
        )

    def _do_kick(self, intent: Intent) -> None:
        out = read_number(intent.get("seat"), self.options.seats)
        if out == self.hand.seat:
            raise bad_form("another seat")
        order = [VACANT if seat == out else seat for seat in range(self.options.seats)]
        # Somebody who stays has to open the room.
        self._ask_seats([*order[1:], VACANT] if order[0] == VACANT else order)

    def _ask_seats(self, order: Any) -> None:
        if self.solo or self.shared:
            raise IntentRefused("not-now")
        table, command = self._need_table(), commands.AskSeating(order=tuple(order))
        self.talk.check(lambda: table.between_hands(command))

    def _do_answer(self, intent: Intent) -> None:
        self._wants_rematch = False
        asker = Seat(read_number(intent.get("by"), self.options.seats))
        seq = read_number(intent.get("seq"), 2**32)
        yes = intent.get("yes") is True
        self._command(commands.AnswerAsk(asker=asker, seq=seq, yes=yes))

    def _do_void(self, intent: Intent) -> None:
        try:
            self._need_table().void()
        except LocalProtocolError as error:
            raise IntentRefused("not-paused", text=str(error)) from error

    # JSON ----------------------------------------------------------------------------------------

    def json(self) -> Json:
        """TABLE of docs/page-protocol.md."""
        view, hand, talk = self.hand.view, self.hand, self.talk
        machine = None if self._table is None else self._table.board.machine
        if (
            view is not None
            and machine is not None
            and not self._drafts.restore(machine.draft, view)
        ):
            view = None
        muted = frozenset() if machine is None else machine.muted
        is_paused = bool(talk.paused_seats)
        return {
            "rules": self.rules.key,
            "options": self._options(),
            "seat": hand.seat,
            "seats": self.options.seats,
            "solo": self.solo,
            "shared": self.shared,
            "handover": None,
            "people": self._people(is_paused=is_paused),
            "match": self._match(),
            "stage": hand.stage(),
            "waiting": talk.waiting(),
            "paused": talk.paused(),
            "clock": hand.turn_clock(),
            "game": None if view is None else self._game_json(view),
            "staged": None if view is None else self._drafts.staged(view),
            "layout": self._drafts.layout,
            "sorts": None if view is None else self._helper.sorts(view),
            "advice": self._advice,
            "end": self._end(),
            "asks": talk.asks(),
            "chat": talk.lines(muted),
            "muted": sorted(muted),
            "trust": hand.trust(is_paused=is_paused, audit=self._checker.json()),
        }

    def stopped_json(self) -> Json:
        """TABLE of one that has ended before its time: nothing can be done there any more."""
        table, view = self.json(), self.hand.view
        if self.hand.is_played and view is not None:
            table["game"] = game_json(view, last=self.hand.last, acts=False) | {"mine": False}
        if self.hand.is_played:
            table["stage"] = {**table["stage"], "name": "stopped"}
        return table | {"waiting": None, "paused": None, "clock": None, "staged": None}

    def _game_json(self, view: View) -> Json:
        """Made once for each state: most news are of something else."""
        hints = self._helper.hints(view) if self.helps else None
        new, last = self.hand.new_tile(view), self.hand.last
        made_of = (view, new, last, hints)
        if self._game is None or any(
            a is not b for a, b in zip(made_of, self._game[0], strict=True)
        ):
            self._game = (made_of, game_json(view, new=new, last=last, hints=hints))
        return self._game[1]

    def _people(self, *, is_paused: bool) -> list[Json]:
        people = self.talk.people(self._presence, teams=self.rules.partners)
        self._fates.tell(people, is_played=self.hand.is_played, paused=is_paused)
        return people

    def _presence(self, seat: Seat) -> tuple[Presence, float]:
        if self._table is None:
            return Presence.HERE, 0.0
        return self._table.board.machine.presence(seat)

    def _options(self) -> Json:
        options = self.options
        return {
            **options_of(self.rules),
            "partners": self.rules.partners,
            "assisted": options.assisted,
            "recovery": options.recovery,
            "timer_s": options.timer_s,
            "unlinkable_discards": options.unlinkable_discards,
        }

    def _match(self) -> Json:
        table = self._table
        if table is None:
            return {
                "hand": 1,
                "hands": self.rules.hands,
                "totals": [self.rules.start_score] * self.options.seats,
                "rows": [],
                "over": False,
                "winners": [],
            }
        machine = table.board.machine
        rows = [
            {
                "hand": number,
                "points": list(row.points),
                "totals": list(row.totals),
                "reason": row.reason,
            }
            for number, row in enumerate((row for row in machine.sheet.rows if row.counts), start=1)
        ]
        return {
            "hand": self.hand.number + 1,
            "hands": self.rules.hands,
            "totals": list(machine.match.totals),
            "rows": rows,
            "over": machine.match.is_over or self.is_over,
            "winners": list(machine.match.winners),
        }

    def _end(self) -> Json | None:
        """END: from when this seat has audited the hand until the next one is dealt."""
        view, outcome = self.hand.view, self.hand.outcome
        if outcome is None or view is None or view.state.phase is not Phase.OVER:
            return None
        machine = None if self._table is None else self._table.board.machine
        # Until the hand is counted what was said is about itself.
        said = machine.said if machine is not None and not self._is_being_counted else {}
        ready = [
            seat in said and said[Seat(seat)].wish is Wish.PLAY
            for seat in range(self.options.seats)
        ]
        if self._wants_on:
            ready[self.hand.seat] = True
        return end_json(outcome.state, outcome.score, outcome.faces, ready=ready)
