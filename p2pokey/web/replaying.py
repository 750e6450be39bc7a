"""A saved hand to step through: every state, any seat's view or all racks, every proof checked.

Reading a transcript is the audit with somebody watching (audit/watching.py), so what is shown here has
been checked in just that order, and a finding stands at the step where it came up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.audit.auditor import Progress, audit_transcript
from p2pokey.audit.reading import Reading
from p2pokey.audit.report import Report
from p2pokey.audit.watching import Moment, Watch, What
from p2pokey.crypto.group import Group
from p2pokey.ports import Sealer, Verifier
from p2pokey.rules.engine import engine_for
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import HandSetup
from p2pokey.web.ending import end_json
from p2pokey.web.following import move_json
from p2pokey.web.game_view import game_json
from p2pokey.web.names import Json, tile_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A hand that was read from a transcript, or is being read."""

    moments: Sequence[Moment]
    """The deal, then the state after every move; empty if the file does not come so far."""
    report: Report | None
    """What the audit of the whole file says; None: it goes on."""
    setup: HandSetup | None
    """What the hand started from, if the file says so."""
    reading: tuple[int, int] | None = None
    """Work of the audit so far and in all, as long as it goes on."""

    @property
    def last_step(self) -> int:
        """Number of the last state; 0, the deal, also where there is none."""
        return max(0, len(self.moments) - 1)

    def json(
        self,
        *,
        file: str,
        step: int,
        seat: Seat | None,
        names: Sequence[str | None] = (),
        day: str | None = None,
    ) -> Json:
        """REPLAY of docs/page-protocol.md.

        Args:
            file: its name.
            step: 0 for the deal; the nearest that there is, is shown.
            seat: whose view it is; None shows all racks.
            names: of the players, where they are known.
            day: ISO 8601, on which it was saved, where that is known.
        """
        at = min(max(step, 0), self.last_step)
        moment = self.moments[at] if self.moments else None
        setup, reading = self.setup, self.reading
        return {
            "file": file,
            "step": at,
            "steps": len(self.moments),
            "seat": seat,
            "rules": None if setup is None else setup.rules.key,
            "hand": None if setup is None else setup.match_hand + 1,
            "day": day,
            "people": self._people(names),
            "game": None if moment is None else self._game(moment, seat),
            "move": None if moment is None else moment_json(moment),
            "checks": self._checks(moment),
            "end": None if moment is None else self._end(moment),
            "reading": None if reading is None else {"done": reading[0], "total": reading[1]},
        }

    def _people(self, names: Sequence[str | None]) -> list[Json]:
        setup = self.setup
        if setup is None:
            return []
        known = [*names, *[None] * setup.seats]
        return [
            {"name": name, "key": key.hex()} for name, key in zip(known, setup.roster, strict=False)
        ]

    def _game(self, moment: Moment, seat: Seat | None) -> Json:
        view = view_at(moment, seat)
        game = game_json(view, last=moment_json(moment), acts=False)
        return {**game, "racks": racks_at(moment, seat)}

    def _checks(self, moment: Moment | None) -> Json:
        """Proofs so far, and what does not hold up to here; at the last step all of it."""
        report = self.report
        if report is None:
            done = 0 if moment is None else moment.proofs
            return {"done": done, "total": None, "status": "running", "failed": []}
        is_last = moment is None or moment is self.moments[-1]
        shown = [
            finding
            for finding in report.findings
            if is_last
            or (moment is not None and (finding.line or 0) <= moment.line and finding.line)
        ]
        return {
            "done": report.proofs if moment is None else moment.proofs,
            "total": report.proofs,
            "status": report.status.value,
            "failed": [
                {"line": one.line, "seat": one.seat, "cause": one.cause, "text": one.text}
                for one in shown
            ],
        }

    def _end(self, moment: Moment) -> Json | None:
        setup = self.setup
        if moment.state.phase is not Phase.OVER or not moment.faces or setup is None:
            return None
        score = engine_for(setup.rules).score(moment.state, moment.faces, setup.totals)
        return end_json(moment.state, score, moment.faces, ready=[False] * setup.seats)


def read_replay(
    data: bytes | Reading,
    *,
    group: Group,
    verifier: Verifier,
    sealer: Sealer,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Replay:
    """Reads and audits a transcript; raises nothing for anything that a file can hold.

    Args:
        data: the whole file, or what `read_transcript` has made of it.
        progress: told how far the work has come.
        watch: gets every state as soon as all before it is checked.
    """
    moments: list[Moment] = []

    def take(moment: Moment) -> None:
        moments.append(moment)
        if watch is not None:
            watch(moment)

    report = audit_transcript(
        data, group=group, verifier=verifier, sealer=sealer, progress=progress, watch=take
    )
    return Replay(moments=tuple(moments), report=report, setup=report.setup)


def view_at(moment: Moment, seat: Seat | None) -> View:
    """What a seat saw then; None: what everybody saw."""
    state = moment.state
    if seat is None or not moment.faces:
        return View(state=state, seat=seat) if seat is not None else public_view(state)
    concealed = [slot for slot in state.racks[seat] if state.faces[slot] is None]
    return View(
        state=state, seat=seat, private=tuple((slot, moment.faces[slot]) for slot in concealed)
    )


def racks_at(moment: Moment, seat: Seat | None) -> list[list[str | None]]:
    """All racks, or of the others only what was public."""
    return [
        _rack(moment, Seat(other), seat in (None, other)) for other in range(moment.state.seats)
    ]


def _rack(moment: Moment, seat: Seat, is_open: bool) -> list[str | None]:
    state: HandState = moment.state
    return [
        tile_name(moment.faces.get(slot) if is_open and moment.faces else state.faces[slot])
        for slot in state.racks[seat]
    ]


def moment_json(moment: Moment) -> Json | None:
    """The move that led to a state; of an absent seat's turn its last one. None for the deal."""
    if not moment.made or moment.seat is None:
        return None
    move, events = moment.made[-1]
    return {**move_json(moment.seat, move, events), "absent": moment.what is What.ABSENT}
