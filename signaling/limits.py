"""How much one client, one address and one room may ask for.

`Limits` holds every number of docs/signaling.md in one frozen value. The two classes below it are
plain token buckets: capacity, a steady refill, and `now` as an argument. Nothing here reads a clock.
"""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Every limit of the server, with its default."""

    rooms_per_hour: int = 30
    """Rooms that one address may create."""
    knocks_per_minute: int = 60
    """Knocks from one address: several friends may share one household."""
    sockets_per_address: int = 16
    """Open connections of one IPv4 address or one IPv6 /64."""
    connections: int = 10_000
    """Open connections of the whole server: about 170 MB when all of them are idle."""
    rooms: int = 10_000
    """Rooms of the whole server."""

    messages_per_second: int = 60
    """Steady rate of text frames from one connection; relay frames are counted in bytes."""
    message_burst: int = 120
    """Text frames at once from one connection; as many refused frames at once end it."""
    text_bytes: int = 16 * 1024
    """Largest text frame: a full body and its envelope."""
    body_chars: int = 12 * 1024
    """Largest `body` as it stands in the message, that is, base64 characters."""

    relay_bytes: int = 65_000
    """Largest relay payload without its place byte; 0 switches the relay off."""
    relay_bytes_per_second: int = 256 * 1024
    """Steady rate of relayed bytes from one connection; above it the server reads more slowly."""
    relay_burst_bytes: int = 512 * 1024
    """Relayed bytes at once: one shuffle to three peers is about 75 KB."""
    relay_bytes_per_room_hour: int = 64 * 1024 * 1024
    """Relayed bytes of a whole room; a hand is 1 to 2 MB."""

    window_s: int = 300
    """How long a room lets people in when the host names no time."""
    window_max_s: int = 3600
    """The longest window; a longer wish is cut to it."""
    grace_s: float = 600.0
    """How long a place, and with the host's place the room, outlives its connection."""
    hello_s: float = 10.0
    """How long a connection may stay without a `hello`."""
    list_page: int = 50
    """Rooms looked at for one answer to `list`: about 10 KB."""


class TokenBucket:
    """A bucket that holds `capacity` tokens, starts full and refills steadily.

    Args:
        capacity: most tokens that it can hold, above 0.
        per_second: tokens that come back in a second, above 0.
        now: seconds on the caller's monotonic clock.
    """

    # Refilling adds rounding errors of about 1e-12; without slack a caller that waits exactly as
    # long as it was told could be refused again.
    _SLACK = 1e-6

    __slots__ = ("_capacity", "_level", "_per_second", "_updated")

    def __init__(self, *, capacity: float, per_second: float, now: float) -> None:
        self._capacity = float(capacity)
        self._per_second = float(per_second)
        self._level = self._capacity
        self._updated = now

    def take(self, cost: float, now: float) -> float:
        """Takes `cost` tokens if they are there.

        Args:
            cost: tokens wanted, at most the capacity.
            now: seconds, not before any earlier call (a step back counts as no time).

        Returns:
            0.0 if taken; else the seconds after which the same call succeeds, with nothing taken.
        """
        self._refill(now)
        if self._level + self._SLACK >= cost:
            self._level -= cost
            return 0.0
        return (cost - self._level) / self._per_second

    def charge(self, cost: float, now: float) -> float:
        """Takes `cost` tokens even when that leaves a debt.

        Args:
            cost: tokens to take.
            now: seconds, as in `take`.

        Returns:
            Seconds until the debt is paid; 0.0 if there is none.
        """
        self._refill(now)
        self._level -= cost
        return max(0.0, -self._level / self._per_second)

    def is_full(self, now: float) -> bool:
        """Whether the bucket is as good as new, so that it may be forgotten."""
        self._refill(now)
        return self._level >= self._capacity

    def _refill(self, now: float) -> None:
        elapsed = max(0.0, now - self._updated)
        self._updated = max(self._updated, now)
        self._level = min(self._capacity, self._level + elapsed * self._per_second)


@dataclass(slots=True, kw_only=True)
class BucketTable:
    """One bucket per key (an address, a room), made when it is first needed."""

    capacity: float
    """Tokens of each bucket."""
    per_second: float
    """Refill of each bucket."""
    _buckets: dict[str, TokenBucket] = field(default_factory=dict, init=False)

    def take(self, key: str, cost: float, now: float) -> float:
        """`TokenBucket.take` on the bucket of `key`."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = TokenBucket(capacity=self.capacity, per_second=self.per_second, now=now)
            self._buckets[key] = bucket
        return bucket.take(cost, now)

    def prune(self, now: float) -> None:
        """Forgets the full buckets: a new one would be the same."""
        full = [key for key, bucket in self._buckets.items() if bucket.is_full(now)]
        for key in full:
            del self._buckets[key]

    def __len__(self) -> int:
        return len(self._buckets)


def retry_ms(seconds: float) -> int:
    """A waiting time as whole milliseconds for `retry_ms`, rounded up."""
    return math.ceil(seconds * 1000)
