"""The player's seat at a running table, as the page sees it and acts on it (docs/page-protocol.md).

Between the page and the peer: intents become moves and commands, news and views become TABLE. Rules
and cryptography are asked, never repeated.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from p2pokey.bots.source import Source
from p2pokey.errors import LocalProtocolError
from p2pokey.peer.events import MatchEnded, MatchOver, PeerEvent
from p2pokey.peer.table import Table
from p2pokey.peer.table_events import RematchBegun
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, options_of
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.table import commands
from p2pokey.table.carry import VACANT
from p2pokey.table.contents import MAX_CHAT_CHARS, Wish
from p2pokey.tiles import MAX_SEATS, Seat
from p2pokey.web.acting import MOVES, move_of, read_wishes
from p2pokey.web.ending import end_json
from p2pokey.web.engine import IntentRefused
from p2pokey.web.game_view import game_json
from p2pokey.web.hand_feed import HandFeed
from p2pokey.web.hints import advice, hints_json
from p2pokey.web.names import (
    Json,
    bad_form,
    read_list,
    read_number,
    read_tile,
    read_word,
    tile_names,
)
from p2pokey.web.person import PagePerson
from p2pokey.web.sorting import sorts_json
from p2pokey.web.staging import Stage
from p2pokey.web.talk_feed import PHRASES, TalkFeed

MAX_ROWS, MAX_PLACES = 4, 60
"""Of a rack's layout."""
Intent = Mapping[str, Any]


@dataclass(kw_only=True)
class TableSeat:
    """One seat of a table in this program.

    Args:
        rules: of the table.
        options: of the table.
        talk: news of the people.
        hand: news of the hand; also the table's `watch`.
        person: who is asked for moves.
        helps: whether hints are allowed: on assisted tables, and alone against the computer.
        source: randomness of a hint's choice between equals.
        on_change: tells the page.
    """

    rules: RuleSet
    options: TableOptions
    talk: TalkFeed
    hand: HandFeed
    person: PagePerson
    helps: bool
    source: Source
    on_change: Callable[[], None]
    solo: bool = False
    shared: bool = False
    table: Table | None = None
    """Set as soon as there is one."""
    notice: Json | None = None
    has_left: bool = False
    """Whether this table is only looked at any more."""
    is_over: bool = False
    """Whether the match is over, unless all want another."""
    _stage: Stage = field(default_factory=Stage)
    _layout: list[list[str | None]] | None = None
    _advice: Json | None = None
    _attempt: int = -1
    _is_restored: bool = True

    # News ----------------------------------------------------------------------------------------

    def tell(self, event: PeerEvent) -> None:
        """Takes an event of the peer."""
        self.hand.tell(event)
        self.talk.tell(event)
        match event:
            case MatchOver() | MatchEnded():
                self.is_over = True
            case RematchBegun():
                self.is_over = False
            case _:
                pass
        if self._attempt != self.hand.attempt:
            self._attempt = self.hand.attempt
            self._stage, self._layout, self._advice = Stage(), None, None
            self._is_restored = False
        self.on_change()

    def take_notice(self) -> Json | None:
        """Something to tell the player once."""
        notice = self.notice or self.hand.notice or self.talk.notice
        self.notice = self.hand.notice = self.talk.notice = None
        return notice

    def _restore(self) -> None:
        """Unfinished work that an earlier run of the program has kept, if it is of this hand."""
        draft = b"" if self.table is None else self.table.board.machine.draft
        try:
            kept = json.loads(draft)
            if kept["attempt"] == self._attempt:
                self._layout = _read_rows(kept["layout"])
                self._stage.put(self._need_view(), read_wishes(kept["melds"]))
        except (ValueError, TypeError, KeyError, IntentRefused, RecursionError):
            pass  # nothing of it is needed

    # Intents -------------------------------------------------------------------------------------

    def act(self, intent: Intent) -> None:
        """Does what the player wants at the table.

        Raises:
            IntentRefused: it cannot be done.
        """
        name = intent.get("do")
        if name in MOVES:
            self._move(intent)
        elif isinstance(name, str) and (do := self._intents.get(name)) is not None:
            do(intent)
        else:
            raise IntentRefused("unknown")

    @property
    def _intents(self) -> dict[str, Callable[[Intent], None]]:
        return {
            "stage": self._do_stage,
            "layout": self._do_layout,
            "hint": self._do_hint,
            "say": self._do_say,
            "phrase": self._do_phrase,
            "mute": self._do_mute,
            "ready": self._do_ready,
            "rematch": self._do_rematch,
            "seating": self._do_seating,
            "answer": self._do_answer,
            "void": self._do_void,
        }

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
            self._stage.clear()

    def _need_view(self) -> View:
        if self.hand.view is None:
            raise IntentRefused("not-now")
        return self.hand.view

    def _need_table(self) -> Table:
        if self.table is None:
            raise IntentRefused("not-now")
        return self.table

    def _do_stage(self, intent: Intent) -> None:
        self._stage.put(self._need_view(), read_wishes(intent.get("melds")))
        self._keep()

    def _do_layout(self, intent: Intent) -> None:
        self._layout = _read_rows(intent.get("rows"))
        self._keep()

    def _keep(self) -> None:
        """Unfinished work outlives the page and the program."""
        if self.table is not None:
            melds = [
                {
                    "tiles": tile_names(wish.tiles),
                    "kind": None if wish.kind is None else wish.kind.word,
                }
                for wish in self._stage.wishes
            ]
            kept = {"attempt": self._attempt, "layout": self._layout, "melds": melds}
            self.table.act(commands.SaveDraft(data=json.dumps(kept).encode("ascii")))

    def _do_hint(self, intent: Intent) -> None:
        if not self.helps:
            raise IntentRefused("no-hints")
        found = advice(self._need_view(), self.source)
        if found is None:
            raise IntentRefused("not-your-turn")
        self._advice = found

    def _do_say(self, intent: Intent) -> None:
        text = intent.get("text")
        if not isinstance(text, str) or not 0 < len(text) <= MAX_CHAT_CHARS:
            raise bad_form(f"a text of at most {MAX_CHAT_CHARS} letters")
        self._need_table().act(commands.Say(text=text))

    def _do_phrase(self, intent: Intent) -> None:
        code = read_word(intent.get("code"), list(PHRASES))
        self._need_table().act(commands.SayPhrase(code=PHRASES[code]))

    def _do_mute(self, intent: Intent) -> None:
        seat = Seat(read_number(intent.get("seat"), self.options.seats))
        self._need_table().act(commands.Mute(seat=seat, on=intent.get("on") is True))

    def _do_ready(self, intent: Intent) -> None:
        wish = Wish.PLAY if intent.get("play") is True else Wish.STOP
        self._need_table().act(commands.WantNext(wish=wish))

    def _do_rematch(self, intent: Intent) -> None:
        self._need_table().act(commands.AskRematch())

    def _do_seating(self, intent: Intent) -> None:
        entries = read_list(intent.get("order"), MAX_SEATS)
        order = tuple(
            VACANT if entry is None else read_number(entry, self.options.seats) for entry in entries
        )
        self._need_table().act(commands.AskSeating(order=order))

    def _do_answer(self, intent: Intent) -> None:
        asker = Seat(read_number(intent.get("by"), self.options.seats))
        seq = read_number(intent.get("seq"), 2**32)
        yes = intent.get("yes") is True
        self._need_table().act(commands.AnswerAsk(asker=asker, seq=seq, yes=yes))

    def _do_void(self, intent: Intent) -> None:
        try:
            self._need_table().void()
        except LocalProtocolError as error:
            raise IntentRefused("not-now", text=str(error)) from error

    # JSON ----------------------------------------------------------------------------------------

    def json(self) -> Json:
        """TABLE of docs/page-protocol.md."""
        view, hand, talk = self.hand.view, self.hand, self.talk
        if view is not None and not self._is_restored:
            self._is_restored = True
            self._restore()
        muted = frozenset() if self.table is None else self.table.board.machine.muted
        return {
            "rules": self.rules.key,
            "options": self._options(),
            "seat": hand.seat,
            "seats": self.options.seats,
            "solo": self.solo,
            "shared": self.shared,
            "handover": None,
            "people": talk.people(teams=self.rules.partners),
            "match": self._match(),
            "stage": hand.stage(),
            "waiting": talk.waiting(),
            "paused": talk.paused(),
            "clock": hand.turn_clock(),
            "game": None if view is None else self._game(view),
            "staged": None if view is None else self._stage.json(view),
            "layout": self._layout,
            "sorts": None if view is None else sorts_json(view),
            "advice": self._advice,
            "end": self._end(),
            "asks": talk.asks(),
            "chat": talk.lines(muted),
            "muted": sorted(muted),
            "trust": hand.trust(is_paused=talk.is_paused),
        }

    def _game(self, view: View) -> Json:
        hints = hints_json(view) if self.helps else None
        return game_json(view, new=self.hand.new_tile(view), last=self.hand.last, hints=hints)

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
        table = self.table
        if table is None:
            return {"hand": 1, "hands": self.rules.hands, "totals": [], "rows": []}
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
        said = {} if self.table is None else self.table.board.machine.said
        ready = [
            seat in said and said[Seat(seat)].wish is Wish.PLAY
            for seat in range(self.options.seats)
        ]
        return end_json(outcome.state, outcome.score, outcome.faces, ready=ready)


def _read_rows(value: object) -> list[list[str | None]]:
    """Rows of tile names and gaps; raises IntentRefused for anything else."""
    rows = [
        [None if tile is None else read_tile(tile) for tile in read_list(row, MAX_PLACES)]
        for row in read_list(value, MAX_ROWS)
    ]
    tiles = [tile for row in rows for tile in row if tile is not None]
    if len(set(tiles)) != len(tiles):
        raise bad_form("every tile once")
    assert isinstance(value, list)
    return value
