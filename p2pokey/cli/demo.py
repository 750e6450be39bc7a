"""`p2pokey demo`: the whole thing on one computer, by the same programs that friends use.

A signalling server and one program per seat, started as processes of their own; they find each
other through the invite code that the host prints, and talk over WebRTC. This program only starts
them, listens to what they report, and looks at the files that they leave.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from p2pokey.cli.auditing import Audited, audit_file, describe, progress_bar
from p2pokey.cli.children import Children, News
from p2pokey.cli.course import Course, HandCourse
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.folders import ready_file, ready_folder, remove_transcripts, sole_use
from p2pokey.cli.options import chosen_rules
from p2pokey.cli.output import Output, mark
from p2pokey.cli.running import run_async
from p2pokey.cli.tables import phase_table, proof_table, score_table
from p2pokey.cli.tracing import NewHand, hands_in, merge, new_hand_text, read_trace, write_trace
from p2pokey.crypto.group import Group
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.threads import usual_threads
from p2pokey.net.words import words_at
from p2pokey.peer.events import Stage
from p2pokey.table.roster import safety_numbers

NAMES = ("Ayse", "Baran", "Ceren", "Deniz")
_START_SECONDS = 60.0
"""Starting a program and opening a room: two seconds on an idle computer."""
_NEWS_SECONDS = 600.0
"""Longest silence of all programs: four audits at once without libsodium take a minute or two."""
_END_SECONDS = 30.0
"""From the last score to the end of the programs."""
_SERVER = "server"
_MOVES_A_LINE = 20


def run_demo(
    output: Output,
    *,
    rules: str,
    options: tuple[str, ...],
    hands: int,
    out: Path,
    seed: str | None,
    backend: BackendName,
    trace: Path | None,
) -> int:
    """Plays, compares and audits; with `trace` also writes what took how long."""
    players = chosen_rules(rules, options).players
    demo = Demo(
        output=output,
        rules=rules,
        options=options,
        hands=hands,
        out=ready_folder(out),
        seed=seed,
        backend=backend,
        course=Course(players),
        trace=None if trace is None else ready_file(trace),
    )
    # Before anything is started: a backend that is not there is known at once.
    group = Group(choose_backend(backend, threads=usual_threads()))
    with sole_use(demo.out) as are_a_demos:
        if removed := remove_transcripts(demo.out, are_a_demos=are_a_demos):
            output.warn(f"Removed {removed} earlier transcripts from {demo.out}.")
        run_async(demo.play())
        return demo.judge(group)


@dataclass(kw_only=True)
class Demo:
    """One run."""

    output: Output
    rules: str
    options: tuple[str, ...]
    """Options of the rules, as typed."""
    hands: int
    out: Path
    seed: str | None
    backend: BackendName
    course: Course
    trace: Path | None = None
    clock: Callable[[], float] = time.monotonic
    _began: float = field(default=0.0, init=False)

    async def play(self) -> None:
        """Starts everything, follows the match, and leaves no program behind."""
        self._began = self.clock()
        is_talkative = self.output.verbosity > 0 or self.output.debug
        async with Children(echo=self.output.warn if is_talkative else None) as children:
            url = await self._start_server(children)
            players = NAMES[: self.course.players]
            code = await self._open_table(children, players[0], url)
            for name in players[1:]:
                await children.start(name, ["join", code, *self._arguments(children, name, url)])
            await self._follow(children, set(players))
            if self.trace is not None:
                self._sum_up(children, self.trace)
            await children.stop(_SERVER)

    # Starting ------------------------------------------------------------------------------------

    async def _start_server(self, children: Children) -> str:
        await children.start(_SERVER, ["signal", "--host", "127.0.0.1", "--port", "0"])
        record = await self._wait_for(children, "Listening")
        self._say(f"signalling server at {record['url']}")
        return str(record["url"])

    async def _open_table(self, children: Children, name: str, url: str) -> str:
        arguments = ["host", "--rules", self.rules, "--hands", str(self.hands)]
        for option in self.options:
            arguments += ["--option", option]
        await children.start(name, [*arguments, *self._arguments(children, name, url)])
        record = await self._wait_for(children, "Invited")
        self._say(f"{name} opened a table: {record['code']}")
        return str(record["code"])

    def _arguments(self, children: Children, name: str, url: str) -> list[str]:
        arguments = ["--auto", "--guest", "--name", name, "--server", url]
        arguments += ["--out", str(self.out), "--backend", self.backend]
        # A player who dies here does not come back, and leaves nothing behind.
        arguments += [
            "--patience",
            "0",
            "--if-missing",
            "void",
            "--state",
            str(children.folder / "state"),
        ]
        # All players share this computer.
        cores = (os.cpu_count() or 1) // self.course.players
        arguments += ["--threads", str(max(1, min(cores, usual_threads())))]
        if self.trace is not None:
            arguments += ["--trace", str(children.folder / f"{name}.jsonl")]
        arguments += ["-v"] * self.output.verbosity + ["--debug"] * self.output.debug
        return arguments if self.seed is None else [*arguments, "--player-seed", self.seed]

    async def _wait_for(self, children: Children, event: str) -> dict[str, object]:
        try:
            while True:
                news = await children.news(_START_SECONDS)
                if news.record is None:
                    raise _ended(children, news.child, await children.stop(news.child))
                if news.record.get("event") == event:
                    return news.record
        except TimeoutError:
            raise _too_slow(f"{event} was not reported within {_START_SECONDS:.0f} s") from None

    # Following -----------------------------------------------------------------------------------

    async def _follow(self, children: Children, playing: set[str]) -> None:
        """Takes news until every player has ended well."""
        while playing:
            try:
                news = await children.news(_NEWS_SECONDS)
            except TimeoutError:
                waiting = ", ".join(sorted(playing))
                raise _too_slow(f"{waiting} said nothing for {_NEWS_SECONDS:.0f} s") from None
            if news.record is not None:
                self._take(news)
                continue
            code = await children.wait(news.child, _END_SECONDS)
            if code != ExitCode.OK or news.child == _SERVER:
                await self._let_others_end(children, playing)
                raise _ended(children, news.child, code)
            playing.discard(news.child)

    async def _let_others_end(self, children: Children, playing: set[str]) -> None:
        """After a failure: the others notice it too, and may know better what it was."""
        ending = [children.wait(name, _END_SECONDS) for name in playing]
        await asyncio.gather(*ending, return_exceptions=True)

    def _take(self, news: News) -> None:
        record = news.record
        assert record is not None
        if record.get("event") == "StillWaiting":
            self._say(f"{news.child}: {record['text']}")
        passed = self.course.take(news.child, record)
        if passed is None:
            return
        if passed == "connected":
            words = next(iter(self.course.safety_words))
            self._say(f"connected: {self.course.players} players; all read the words: {words}")
            return
        hand = self.course.hands[record["hand"]]
        if isinstance(passed, Stage):
            self._say(self._stage_text(passed, hand))
        elif passed == "counted":
            self._report(record["hand"], hand)
        elif hand.moves % _MOVES_A_LINE == 0:
            self._say(f"turns: {hand.moves} moves")

    def _stage_text(self, stage: Stage, hand: HandCourse) -> str:
        match stage:
            case Stage.KEYS:
                return "keys exchanged"
            case Stage.SHUFFLED:
                return f"shuffled and verified: {self.course.players} shuffles, by every player"
            case Stage.DEALT:
                first = min(self.course.hands)
                since = self.course.mesh_up if hand is self.course.hands[first] else None
                start = max(hand.began.values()) if since is None else since
                what = "the mesh was up" if since is not None else "the hand began"
                return f"dealt {hand.passed(stage) - start:.2f} s after {what}"
            case Stage.FINISHED:
                turns = hand.passed(stage) - hand.passed(Stage.DEALT)
                return f"finished after {hand.moves} moves in {turns:.1f} s of turns"
            case Stage.DISCLOSED:
                return "disclosed: every player published the seed of all its secrets"
            case Stage.REPLAYED:
                return "replayed: every player rebuilt the deck and came to a score"
            case Stage.COUNTED:
                return "counted: every player signed the same score"

    def _report(self, number: int, hand: HandCourse) -> None:
        self.output.data(f"\nHand {number + 1}")
        self.output.data(score_table(self.course, hand) + "\n")
        if self.output.verbosity >= 0:
            self.output.data(proof_table(self.course, hand) + "\n")
            self.output.data(phase_table(hand) + "\n")

    def _say(self, text: str) -> None:
        if self.output.verbosity >= 0:
            self.output.data(f"{self.clock() - self._began:7.2f} s  {text}")

    def _sum_up(self, children: Children, path: Path) -> None:
        """Merges the players' traces into one file and says what each new hand consisted of."""
        names = self.course.in_seat_order({name: name for name in self.course.seats})
        records = merge([read_trace(children.folder / f"{name}.jsonl") for name in names])
        write_trace(path, records)
        if self.output.verbosity < 0:
            return
        for number in hands_in(records):
            self.output.data(f"\nHand {number + 1}")
            self.output.data(new_hand_text(NewHand(records, number), names) + "\n")
        self._say(f"trace written to {path}")

    # Judging -------------------------------------------------------------------------------------

    def judge(self, group: Group) -> int:
        """Compares the transcripts of every hand and audits one of the last hand."""
        code = int(ExitCode.OK)
        if len(self.course.safety_words) != 1:
            self.output.data(f"{mark(False)} the players read different words")
            code = ExitCode.VIOLATION
        for hand in self.course.hands.values():
            code = max(code, self._compare(hand))
        last = max(self.course.hands)
        hand = self.course.hands[last]
        path = self._paths(hand)[0]
        with progress_bar(self.output, path.name) as progress:
            audited = audit_file(path, group=group, progress=progress)
        self.output.data(describe(audited))
        if not self._is_reported(audited, last, hand):
            self.output.data(f"{mark(False)} the players reported another session or score")
            code = ExitCode.VIOLATION
        return max(code, audited.report.exit_code)

    def _is_reported(self, audited: Audited, number: int, hand: HandCourse) -> bool:
        """Whether a file is of the session, hand and score that every player reported."""
        report = audited.report
        if report.setup is None or report.points is None or report.totals is None:
            return False
        words = " ".join(words_at(safety_numbers(report.setup.session)))
        score = (list(report.points), list(report.totals))
        reported = [(record["points"], record["totals"]) for record in hand.counted.values()]
        return (
            report.setup.hand == number
            and self.course.safety_words == {words}
            and len(reported) == self.course.players
            and all(one == score for one in reported)
        )

    def _paths(self, hand: HandCourse) -> list[Path]:
        return [Path(record["transcript"]) for record in self.course.in_seat_order(hand.counted)]

    def _compare(self, hand: HandCourse) -> int:
        paths = self._paths(hand)
        digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
        is_same = len(digests) == 1
        names = ", ".join(path.name for path in paths)
        what = "are equal byte for byte" if is_same else "differ"
        self.output.data(f"{mark(is_same)} {len(paths)} transcripts {what}: {self.out}/{{{names}}}")
        return ExitCode.OK if is_same else ExitCode.VIOLATION


def _ended(children: Children, name: str, code: int) -> CommandError:
    """What to say of a program that ended too early, or badly."""
    known = {int(item) for item in ExitCode} - {ExitCode.OK}
    if code < 0:
        sentence = f"{name} was ended by signal {-code}"
    else:
        sentence = f"{name} ended with code {code}: {children[name].complaint}"
    return CommandError(
        sentence,
        advice="Run the demo with -v for the log, or --debug for the traceback.",
        code=ExitCode(code) if code in known else ExitCode.ERROR,
    )


def _too_slow(text: str) -> CommandError:
    return CommandError(
        f"The demo does not go on: {text}.",
        advice="Try again when the computer has less to do.",
        code=ExitCode.ERROR,
    )
