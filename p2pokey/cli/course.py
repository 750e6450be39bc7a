"""What four players' news add up to: the course of a demo, from the code to the last score."""

from dataclasses import dataclass, field
from typing import Any

from p2pokey.peer.events import Stage

Record = dict[str, Any]


@dataclass(slots=True)
class HandCourse:
    """One hand as all players reported it."""

    began: dict[str, float] = field(default_factory=dict)
    stages: dict[Stage, dict[str, float]] = field(default_factory=dict)
    """When each player passed each stage."""
    counted: dict[str, Record] = field(default_factory=dict)
    moves: int = 0

    def passed(self, stage: Stage) -> float:
        """When the last player passed the stage."""
        return max(self.stages[stage].values())


@dataclass(slots=True)
class Course:
    """All that has been reported, and what of it is complete."""

    players: int
    """How many there are."""
    names: tuple[str, ...] = ()
    """In seat order, once connected."""
    connected: dict[str, float] = field(default_factory=dict)
    seats: dict[str, int] = field(default_factory=dict)
    safety_words: set[str] = field(default_factory=set)
    hands: dict[int, HandCourse] = field(default_factory=dict)
    failures: list[Record] = field(default_factory=list)

    def take(self, player: str, record: Record) -> Stage | str | None:
        """Takes a player's report; returns what all players have now passed.

        That is a stage, `connected`, `move` (seen by the first seat), `counted` (every report of
        the hand is in), or None.
        """
        match record.get("event"):
            case "Connected":
                return self._connect(player, record)
            case "HandBegan":
                self._hand(record).began[player] = record["at"]
            case "StagePassed":
                return self._pass(player, record)
            case "MoveMade" if self.seats.get(player) == 0:
                self._hand(record).moves += 1
                return "move"
            case "HandCounted":
                hand = self._hand(record)
                hand.counted[player] = record
                return "counted" if len(hand.counted) == self.players else None
            case "HandFailed":
                self.failures.append(record)
        return None

    @property
    def mesh_up(self) -> float:
        """When the last player was connected."""
        return max(self.connected.values())

    def in_seat_order(self, values: dict[str, Any]) -> list[Any]:
        """Values per player, by seat."""
        return [values[player] for player in sorted(values, key=lambda name: self.seats[name])]

    def _hand(self, record: Record) -> HandCourse:
        return self.hands.setdefault(record["hand"], HandCourse())

    def _connect(self, player: str, record: Record) -> str | None:
        self.connected[player] = record["at"]
        self.seats[player] = record["seat"]
        self.names = tuple(record["names"])
        self.safety_words.add(" ".join(record["safety_words"]))
        return "connected" if len(self.connected) == self.players else None

    def _pass(self, player: str, record: Record) -> Stage | None:
        stage = Stage(record["stage"])
        times = self._hand(record).stages.setdefault(stage, {})
        times[player] = record["at"]
        return stage if len(times) == self.players else None
