"""A bench for the room machine: fake entropy, a clock that the test turns, and short verbs."""

import base64
import hashlib
import itertools
import json
from collections.abc import Callable
from typing import Any

from signaling.effects import CloseConnection, Effect, PauseReading, SendFrame, SendText
from signaling.limits import Limits
from signaling.replies import encode
from signaling.rooms import Rooms
from signaling.store import MemoryStore


def counting_entropy() -> Callable[[int], bytes]:
    """Bytes that never repeat and are the same in every run."""
    counter = itertools.count()
    return lambda size: hashlib.sha512(str(next(counter)).encode()).digest()[:size]


def pub(name: object) -> str:
    """A public key as clients write it."""
    return base64.b64encode(hashlib.sha256(str(name).encode()).digest()).decode()


class Bench:
    """One room machine; connections are numbers that the test chooses."""

    def __init__(self, **limits: Any) -> None:
        self.store = MemoryStore()
        self.limits = Limits(**limits)
        self.rooms = Rooms(limits=self.limits, store=self.store, entropy=counting_entropy())
        self.now = 1000.0
        self.tokens: dict[int, str] = {}
        self.ids: dict[int, str] = {}
        self.frames: list[tuple[int, bytes]] = []
        self.closed: dict[int, int] = {}
        self.pauses: dict[int, float] = {}

    def open(self, number: int, address: str = "192.0.2.1") -> list[tuple[int, dict[str, Any]]]:
        return self._note(self.rooms.connect(number, address, self.now))

    def hello(self, number: int, address: str = "192.0.2.1", resume: str | None = None) -> Any:
        """Opens a connection and says hello; returns all messages that this caused."""
        self.open(number, address)
        said = self.say(number, t="hello", v=1, client="test/1", caps=["relay"], resume=resume)
        for to, message in said:
            if to == number and message["t"] == "welcome":
                self.ids[number], self.tokens[number] = message["id"], message["resume"]
        return said

    def say(self, number: int, **message: Any) -> list[tuple[int, dict[str, Any]]]:
        """Sends a message; returns (receiver, message) in order."""
        return self.raw(number, json.dumps(message))

    def raw(self, number: int, data: str | bytes) -> list[tuple[int, dict[str, Any]]]:
        return self._note(self.rooms.receive(number, data, self.now))

    def drop(self, number: int) -> list[tuple[int, dict[str, Any]]]:
        return self._note(self.rooms.disconnect(number, self.now))

    def wait(self, seconds: float) -> list[tuple[int, dict[str, Any]]]:
        """Lets time pass, then sweeps."""
        self.now += seconds
        return self._note(self.rooms.sweep(self.now))

    def create(self, number: int, seats: int = 4, **more: Any) -> str:
        """Makes a room with connection `number` as its host; returns the code."""
        self.hello(number)
        (answer,) = self.say(number, t="create", seats=seats, host=pub(number), **more)
        assert answer[1]["t"] == "created"
        return str(answer[1]["room"])

    def join(self, number: int, code: str) -> int:
        """Says hello and knocks; returns the place."""
        self.hello(number)
        said = self.say(number, t="knock", room=code, pub=pub(number))
        assert said[0][0] == number
        assert said[0][1]["t"] == "lobby", said
        return int(said[0][1]["place"])

    def table(self, guests: int = 3, **more: Any) -> str:
        """A room with host 1 and guests 2, 3, ..."""
        code = self.create(1, **more)
        for number in range(2, 2 + guests):
            self.join(number, code)
        return code

    def _note(self, effects: tuple[Effect, ...]) -> list[tuple[int, dict[str, Any]]]:
        said = []
        for effect in effects:
            match effect:
                case SendText():
                    said.append((effect.connection, json.loads(encode(effect.message))))
                case SendFrame():
                    self.frames.append((effect.connection, effect.frame))
                case PauseReading():
                    self.pauses[effect.connection] = effect.seconds
                case CloseConnection():
                    self.closed[effect.connection] = effect.code
        return said


def error(code: str, re: str, retry_ms: int = 0) -> dict[str, Any]:
    return {"t": "error", "re": re, "code": code, "retry_ms": retry_ms}


def peer(bench: Bench, number: int, place: int, state: str) -> dict[str, Any]:
    return {"t": "peer", "id": bench.ids[number], "place": place, "state": state}
