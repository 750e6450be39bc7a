"""The open connections of this process: who each one is and what it may still spend."""

from collections import Counter
from dataclasses import dataclass

from signaling.limits import Limits, TokenBucket

# A relay frame costs at least this much, so that empty frames have a rate as well: 512 a second.
_FRAME_COST_BYTES = 512


@dataclass(slots=True, kw_only=True)
class Connection:
    """One WebSocket as the room machine sees it."""

    number: int
    """Chosen by the shell, never used twice."""
    address: str
    """Key that the per-address limits count (`addresses.address_key`)."""
    opened_at: float
    messages: TokenBucket
    refusals: TokenBucket
    relayed: TokenBucket
    id: str | None = None
    """Name towards others, from `hello` on."""
    token: str = ""
    """Resume token, from `hello` on."""
    room: str | None = None
    """Code of the room in which this connection holds a place."""
    is_closing: bool = False
    """A close was ordered; what still arrives is ignored."""

    def charge_relay(self, size: int, now: float) -> float:
        """Books a relay frame; returns the seconds for which to stop reading."""
        return self.relayed.charge(max(size, _FRAME_COST_BYTES), now)


def new_connection(number: int, address: str, limits: Limits, now: float) -> Connection:
    """A connection with full buckets, not yet known by a name."""

    def messages() -> TokenBucket:
        return TokenBucket(
            capacity=limits.message_burst, per_second=limits.messages_per_second, now=now
        )

    return Connection(
        number=number,
        address=address,
        opened_at=now,
        messages=messages(),
        refusals=messages(),
        relayed=TokenBucket(
            capacity=limits.relay_burst_bytes, per_second=limits.relay_bytes_per_second, now=now
        ),
    )


class Connections:
    """All connections, by number and by name, and how many each address has."""

    def __init__(self) -> None:
        self._by_number: dict[int, Connection] = {}
        self._by_id: dict[str, Connection] = {}
        self._per_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._by_number)

    def of_address(self, address: str) -> int:
        """How many connections an address has."""
        return self._per_address[address]

    def add(self, connection: Connection) -> None:
        """Takes in a new connection."""
        self._by_number[connection.number] = connection
        self._per_address[connection.address] += 1

    def name(self, connection: Connection, member_id: str, token: str) -> None:
        """Gives a connection its name."""
        connection.id = member_id
        connection.token = token
        self._by_id[member_id] = connection

    def get(self, number: int) -> Connection | None:
        """The connection with that number, unless it is closing."""
        connection = self._by_number.get(number)
        return None if connection is None or connection.is_closing else connection

    def by_id(self, member_id: str) -> Connection | None:
        """The connection of that name, if there is one now."""
        return self._by_id.get(member_id)

    def unname(self, connection: Connection) -> None:
        """Takes name and room away, for a connection that ends or is replaced."""
        if connection.id is not None:
            del self._by_id[connection.id]
        connection.id = None
        connection.room = None

    def remove(self, number: int) -> Connection | None:
        """Forgets a connection; returns it, still with its name and room."""
        connection = self._by_number.pop(number, None)
        if connection is None:
            return None
        self._per_address[connection.address] -= 1
        if self._per_address[connection.address] == 0:
            del self._per_address[connection.address]
        if connection.id is not None:
            del self._by_id[connection.id]
        return connection

    def all(self) -> tuple[Connection, ...]:
        """Every connection that is not closing."""
        return tuple(one for one in self._by_number.values() if not one.is_closing)
