"""The traces of all players of a demo as one file, and what a new hand consists of.

The format of the file is in docs/performance.md. The critical path is found backwards: from the
seat that was dealt last, through its own work, to the message that this work had waited for, to
the seat that sent it, and so on to the start of the hand.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2pokey.cli.tables import plain_table

Record = dict[str, Any]

KINDS = ("keys", "prove", "verify", "tokens", "journal", "other")
"""What a seat is busy with before play; the rest of its time it waits."""
_DEALT = "play"
"""The phase that begins when the tiles are dealt."""
_CLOCK_SLACK = 0.0005


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stretch of the critical path, in seconds since the mesh was up."""

    seat: int
    """Seat that works, or to which a message is on its way."""
    sender: int | None
    """Seat whose message is on its way; None: own work."""
    start: float
    end: float
    parts: dict[str, float]
    """Seconds of own work by kind; `rest` is everything that is not traced."""

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return self.end - self.start


def merge(traces: Iterable[Sequence[Record]]) -> list[Record]:
    """All records in order of time; time zero is when the last seat was connected.

    Raises:
        ValueError: a seat was never connected.
    """
    records = [record for trace in traces for record in trace]
    connected = {r["seat"]: r["at"] for r in records if r["what"] == "connected"}
    if not connected or {record["seat"] for record in records} - set(connected):
        raise ValueError("a trace begins before its seat was connected")
    zero = max(connected.values())
    shifted = [_rounded({**record, "at": record["at"] - zero}) for record in records]
    return sorted(shifted, key=lambda record: (record["at"], record["seat"]))


def _rounded(record: Record) -> Record:
    return {
        key: round(value, 6) if isinstance(value, float) else value for key, value in record.items()
    }


def read_trace(path: Path) -> list[Record]:
    """The records of one file of JSON Lines; raises OSError, ValueError."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def write_trace(path: Path, records: Iterable[Record]) -> None:
    """Writes JSON Lines; raises OSError."""
    lines = [json.dumps(record, separators=(",", ":")) + "\n" for record in records]
    path.write_text("".join(lines), encoding="ascii")


def hands_in(records: Sequence[Record]) -> list[int]:
    """Hands that every seat was dealt."""
    seats = {record["seat"] for record in records}
    dealt: dict[int, set[int]] = {}
    for record in records:
        if record["what"] == "phase" and record["phase"] == _DEALT:
            dealt.setdefault(record["hand"], set()).add(record["seat"])
    return sorted(hand for hand, here in dealt.items() if here == seats)


class NewHand:
    """What happened from the start of one hand to its deal."""

    def __init__(self, records: Sequence[Record], hand: int) -> None:
        """Args: records: as `merge` returns them; hand: one that all seats were dealt."""
        of_hand = [record for record in records if record["hand"] == hand]
        self.dealt = {
            record["seat"]: record["at"]
            for record in of_hand
            if record["what"] == "phase" and record["phase"] == _DEALT
        }
        self.end = max(self.dealt.values())
        self.began = {r["seat"]: r["at"] for r in of_hand if r["what"] == "began"}
        self.start = 0.0 if hand == min(r["hand"] for r in records) else min(self.began.values())
        self._of_seat = {
            seat: [r for r in of_hand if r["seat"] == seat and r["at"] <= self.end]
            for seat in self.dealt
        }
        self._sent = {
            (r["seat"], r["kind"], r["seq"]): r["at"] for r in of_hand if r["what"] == "sent"
        }

    def shares(self, seat: int) -> dict[str, float]:
        """Seconds of a seat by kind of work, and `waiting`."""
        parts = self._parts(seat, self.start, self.end)
        waits = self._all(seat, "wait")
        waiting = sum(_overlap(r, self.start, self.end) for r in waits)
        rest = parts.pop("rest") - waiting
        return {**parts, "waiting": waiting, "rest": max(rest, 0.0)}

    def waits(self, seat: int) -> dict[tuple[int, ...], float]:
        """Seconds that a seat waited, by whom it waited for."""
        waited: dict[tuple[int, ...], float] = {}
        for record in self._all(seat, "wait"):
            key = tuple(record["seats"])
            waited[key] = waited.get(key, 0.0) + _overlap(record, self.start, self.end)
        return waited

    def path(self) -> list[Step]:
        """The critical path, first step first; its steps cover the time from start to deal."""
        seat = max(self.dealt, key=lambda key: self.dealt[key])
        time, steps = self.dealt[seat], list[Step]()
        while time > self.began[seat]:
            cause, sender, sent = self._cause(seat, time)
            steps.append(self._own(seat, cause, time))
            time = cause
            if sender is None:
                continue
            steps.append(Step(seat=seat, sender=sender, start=sent, end=cause, parts={}))
            seat, time = sender, sent
        if time > self.start:
            parts = {"rest": time - self.start}
            steps.append(Step(seat=seat, sender=None, start=self.start, end=time, parts=parts))
        return _joined(steps[::-1])

    def _cause(self, seat: int, before: float) -> tuple[float, int | None, float]:
        """When the stretch of work up to `before` became possible, and by whose message."""
        waits = [r for r in self._all(seat, "wait") if _end(r) <= before + _CLOCK_SLACK]
        waits = [r for r in waits if r["at"] < before]
        woken = min(_end(waits[-1]), before) if waits else self.began[seat]
        shuffle = self._shuffle_before(seat, woken, before)
        if shuffle is not None:
            return shuffle
        arrived = [
            (sent, r["at"], r["sender"])
            for r in self._all(seat, "received")
            if woken - _CLOCK_SLACK <= r["at"] <= before
            and (sent := self._sent_at(r)) is not None
            and sent < min(r["at"], before)
        ]
        if not waits:
            return self.began[seat], None, 0.0
        if not arrived:
            return min(waits[-1]["at"], before), None, 0.0
        first = min(at for _, at, _ in arrived)
        sent, at, sender = max(item for item in arrived if item[1] <= first + _CLOCK_SLACK)
        return at, sender, sent

    def _shuffle_before(
        self, seat: int, woken: float, before: float
    ) -> tuple[float, int | None, float] | None:
        """Where the work is this seat's shuffle: the shuffle that it builds on, if it came later.

        A seat that verifies is busy, but leaves that at once for its own shuffle.
        """
        proofs = [r["at"] for r in self._all(seat, "work") if r["kind"] == "prove"]
        proofs = [at for at in proofs if woken <= at < before]
        if not proofs:
            return None
        came = [
            (r["at"], int(r["sender"]), sent)
            for r in self._all(seat, "received")
            if r["kind"] == "shuffle"
            and r["sender"] == seat - 1
            and woken < r["at"] <= proofs[-1]
            and (sent := self._sent_at(r)) is not None
            and sent < r["at"]
        ]
        return came[-1] if came else None

    def _sent_at(self, received: Record) -> float | None:
        return self._sent.get((received["sender"], received["kind"], received["seq"]))

    def _own(self, seat: int, start: float, end: float) -> Step:
        parts = self._parts(seat, start, end)
        waited = sum(_overlap(r, start, end) for r in self._all(seat, "wait"))
        parts["waiting"] = waited
        parts["rest"] -= waited
        return Step(seat=seat, sender=None, start=start, end=end, parts=parts)

    def _parts(self, seat: int, start: float, end: float) -> dict[str, float]:
        parts = dict.fromkeys(KINDS, 0.0)
        for record in self._of_seat[seat]:
            if record["what"] in ("work", "journal"):
                kind = record.get("kind", "journal")
                kind = kind if kind in parts else "other"
                parts[kind] += _overlap(record, start, end)
        parts["rest"] = max(end - start - sum(parts.values()), 0.0)
        return parts

    def _all(self, seat: int, what: str) -> list[Record]:
        return [record for record in self._of_seat[seat] if record["what"] == what]


def _end(record: Record) -> float:
    return float(record["at"]) + float(record["seconds"])


def _overlap(record: Record, start: float, end: float) -> float:
    return max(0.0, min(_end(record), end) - max(float(record["at"]), start))


def _joined(steps: list[Step]) -> list[Step]:
    """Neighbouring stretches of one seat's work as one."""
    joined: list[Step] = []
    for step in steps:
        last = joined[-1] if joined else None
        if last is None or step.sender is not None or last.sender is not None:
            joined.append(step)
            continue
        parts = dict(last.parts)
        for kind, seconds in step.parts.items():
            parts[kind] = parts.get(kind, 0.0) + seconds
        joined[-1] = Step(seat=step.seat, sender=None, start=last.start, end=step.end, parts=parts)
    return joined


# For people -----------------------------------------------------------------------------------------


def new_hand_text(new: NewHand, names: Sequence[str]) -> str:
    """What the hand consists of for each seat, and its critical path."""
    seats = sorted(new.dealt)
    columns = (*KINDS, "waiting", "rest")
    rows = []
    for seat in seats:
        shares = new.shares(seat)
        rows.append([f"{seat + 1} {names[seat]}", *(f"{shares[kind]:.2f}" for kind in columns)])
    steps = new.path()
    head = f"What the new hand consists of: {new.end - new.start:.2f} s, seconds of each seat"
    return "\n".join(
        (
            head,
            plain_table(("seat", *columns), rows),
            "",
            "Its critical path: what everybody waited for in the end",
            *(_step_text(step, names) for step in steps),
            "",
            plain_table(("on the critical path", "seconds"), _totals(steps)),
        )
    )


def _step_text(step: Step, names: Sequence[str]) -> str:
    head = f"  {step.end:7.2f} s  {names[step.seat]}: "
    if step.sender is not None:
        return f"{head}gets the message of {names[step.sender]} after {step.seconds:.3f} s"
    parts = sorted(step.parts.items(), key=lambda part: -part[1])
    texts = [f"{kind} {seconds:.3f}" for kind, seconds in parts if seconds >= 0.001]
    return f"{head}{', '.join(texts) or 'nothing of note'}"


def _totals(steps: Sequence[Step]) -> list[list[str]]:
    totals: dict[str, float] = {}
    for step in steps:
        parts = step.parts if step.sender is None else {"messages on their way": step.seconds}
        for kind, seconds in parts.items():
            totals[kind] = totals.get(kind, 0.0) + seconds
    ordered = sorted(totals.items(), key=lambda part: -part[1])
    return [[kind, f"{seconds:.3f}"] for kind, seconds in ordered if seconds >= 0.001]
