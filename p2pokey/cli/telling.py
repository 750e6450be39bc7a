"""Tells people, or another program, what happens at a table."""

import time
from collections.abc import Callable
from typing import Any

from p2pokey.cli.output import Output, mark
from p2pokey.cli.rooms import room_text
from p2pokey.cli.table_texts import language, table_text
from p2pokey.net.link import LinkState
from p2pokey.net.progress import Phase, Progress
from p2pokey.peer.events import (
    Connected,
    HandBegan,
    HandCounted,
    HandEvent,
    HandFailed,
    HandGoesOn,
    HandPausedFor,
    HandResumed,
    KeyNoted,
    LinkSeen,
    MatchEnded,
    MatchOver,
    MovedForIdle,
    MoveMade,
    PeerEvent,
    Resumed,
    SeatBack,
    SeatPlayedFor,
    ShuffleChecked,
    Stage,
    StagePassed,
    StillWaiting,
    event_to_json,
)
from p2pokey.peer.table_events import SeatsAgreed, TableEvent

STAGES = {
    Stage.KEYS: "keys exchanged",
    Stage.SHUFFLED: "shuffled and verified",
    Stage.DEALT: "dealt",
    Stage.FINISHED: "finished",
    Stage.DISCLOSED: "disclosed",
    Stage.REPLAYED: "replayed",
    Stage.COUNTED: "counted",
}


class Teller:
    """One table's news: sentences on standard error, or JSON lines on standard output."""

    def __init__(self, output: Output, *, as_json: bool, clock: Callable[[], float]) -> None:
        """Args: clock: seconds, the same for all programs of this computer."""
        self._output = output
        self._as_json = as_json
        self._clock = clock
        self._names: tuple[str, ...] = ()
        self._lang = language()
        self._is_back = False
        """Whether links to the others are told of as those of players who are here or not."""
        self._states: dict[int, LinkState] = {}
        """What was told of each seat's link last."""

    def invited(
        self, code: str, link: str, server: str | None = None, *, has_password: bool = False
    ) -> None:
        """There is an invite to pass on; `server`: what friends have to name beside the code."""
        if self._as_json:
            self._record({"event": "Invited", "code": code, "link": link})
            return
        more = "" if server is None else f" --server {server}"
        more += " --password" if has_password else ""
        self._output.say(
            f"Send this code to your friends; they type: p2pokey join CODE --auto{more}\n"
            "The link works in place of the code and names the server."
        )
        self._output.data(code)
        self._output.data(link)

    def say(self, text: str) -> None:
        """A line for the player alone."""
        self._output.say(text)

    def can_resume(self) -> None:
        """The program is told to end, and the table is not over."""
        self._output.say("Your seat is kept for a while: p2pokey resume brings you back to it.")

    def meeting(self, progress: Progress) -> None:
        """A step from the code to the table."""
        if self._as_json:
            values = {"phase": progress.phase.value, "done": progress.done, "total": progress.total}
            self._record({"event": "Meeting", **values, "name": progress.name})
        elif self._is_back and progress.phase is Phase.LINK_AUTHENTICATED:
            return
        elif (text := _meeting_text(progress)) is not None:
            self._output.say(text)

    def tell(self, event: PeerEvent) -> None:
        """Something at the table."""
        if self._as_json:
            self._record(event_to_json(event))
            return
        if isinstance(event, Connected | Resumed):
            self._names = event.names
            self._states.clear()
        if isinstance(event, Connected | Resumed | SeatsAgreed):
            self._is_back = isinstance(event, Resumed)
        if isinstance(event, LinkSeen):
            if self._states.get(event.seat) is event.state:
                return
            self._states[event.seat] = event.state
        if isinstance(event, HandCounted):
            self._score(event)
        elif isinstance(event, TableEvent):
            self._output.say(table_text(event, self._name, self._lang))
        elif (text := self._text(event)) is not None:
            self._output.say(text)

    def _record(self, values: dict[str, Any]) -> None:
        self._output.record({"at": round(self._clock(), 4), **values})

    def _name(self, seat: int) -> str:
        return f"seat {seat + 1} ({self._names[seat]})"

    def _return_text(self, event: Resumed | HandResumed | SeatPlayedFor | SeatBack) -> str:
        match event:
            case Resumed():
                return f"Back at your table, seat {event.seat + 1}: calling the others."
            case HandResumed():
                return f"  The hand is where you left it ({event.messages} messages)."
            case SeatPlayedFor():
                return (
                    f"  {self._name(event.seat)} is absent: the others play on and open its draws."
                )
            case SeatBack():
                return f"  {self._name(event.seat)} is back."

    def _pause_text(self, event: HandPausedFor | HandGoesOn | MovedForIdle) -> str:
        match event:
            case HandPausedFor():
                who = " and ".join(self._name(seat) for seat in event.seats)
                verb = "is" if len(event.seats) == 1 else "are"
                since = time.strftime("%H:%M", time.localtime(time.time() - event.seconds))
                return f"  The hand is paused: {who} {verb} missing since {since}."
            case HandGoesOn():
                return "  The hand goes on."
            case MovedForIdle():
                return "  Your time was nearly up: the computer moves for you in this turn."

    def _text(self, event: HandEvent) -> str | None:
        match event:
            case Connected():
                words = " ".join(event.safety_words)
                return (
                    f"Connected: {', '.join(event.names)}. You have seat {event.seat + 1}.\n"
                    f"If in doubt, read these words to each other; they must be the same: {words}"
                )
            case Resumed() | HandResumed() | SeatPlayedFor() | SeatBack():
                return self._return_text(event)
            case HandBegan():
                return f"Hand {event.match_hand + 1}"
            case StagePassed():
                return f"  {event.seconds:6.1f} s  {STAGES[event.stage]}"
            case LinkSeen():
                return f"  {self._name(event.seat)}: {event.state.value}"
            case HandPausedFor() | HandGoesOn() | MovedForIdle():
                return self._pause_text(event)
            case StillWaiting() | KeyNoted():
                return f"  {event.text}"
            case HandFailed():
                saved = f" What was signed is in {event.transcript}." if event.transcript else ""
                again = f": {event.reason}. It is dealt again." if event.dealt_again else "."
                return f"  The hand has no score{again}{saved}"
            case MatchOver():
                return self._over_text(event)
            case MatchEnded():
                winners = ", ".join(self._name(seat) for seat in event.winners)
                return f"Hands played: {event.hands}." + (f" Won by {winners}." if winners else "")
            case MoveMade() | ShuffleChecked() | HandCounted():
                return None

    def _over_text(self, event: MatchOver) -> str:
        """Said at once; the program may stay for a while."""
        winners = ", ".join(self._name(seat) for seat in event.winners)
        won = f"The match is over, won by {winners}." if winners else "The match is over."
        stays = " /rematch asks all for another one, /leave ends; the program stays ten minutes."
        return won + (stays if event.stays else "")

    def _score(self, event: HandCounted) -> None:
        if event.is_cancelled:
            self._output.say("All four opened with pairs: the hand is cancelled and dealt again.")
        rows = zip(event.points, event.totals, strict=True)
        for seat, (change, total) in enumerate(rows):
            self._output.data(f"{self._name(seat)}: {change:+d} = {total}")
        objects = sum(count.objects for count in event.proofs)
        self._output.say(
            f"{mark(True)} {objects} proofs of the others accepted, {event.audited} verified again; "
            f"saved as {event.transcript}"
        )


def _meeting_text(progress: Progress) -> str | None:
    match progress.phase:
        case Phase.CODE_ACCEPTED:
            return "The code is right."
        case Phase.FRIENDS_HERE:
            who = f" ({progress.name})" if progress.name else ""
            return f"{progress.done} of {progress.total} seats are taken{who}."
        case Phase.ROSTER_SIGNED:
            return "All are here: connecting to each of them."
        case Phase.LINK_AUTHENTICATED:
            return f"Connected to {progress.name} ({progress.done} of {progress.total})."
        case _:
            return room_text(progress)
