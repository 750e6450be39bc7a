"""What peers say to each other through the signalling server: small JSON objects, read strictly.

A body is UTF-8 JSON `{"k": kind, ...}`; bytes are base64url without padding. The server carries it
as one opaque base64 text. Unknown keys are ignored so that newer peers can say more.
"""

import json
from typing import Any

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import BadLength, DecodeError

MAX_BODY_BYTES = 9 * 1024
"""12 KiB of base64, the server's limit for one body."""

_MAX_KIND = 16


def encode_body(kind: str, **fields: object) -> bytes:
    """JSON bytes of a body; values of type bytes become base64url."""
    values = {name: _plain(value) for name, value in fields.items()}
    text = json.dumps({"k": kind, **values}, separators=(",", ":"), ensure_ascii=False)
    body = text.encode("utf-8")
    assert len(body) <= MAX_BODY_BYTES
    return body


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return encode_base64(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


class Body:
    """A body that was received; every getter raises DecodeError where its field is wrong."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def as_dict(self) -> dict[str, Any]:
        """The plain JSON values, to be put inside another body."""
        return dict(self._values)

    @property
    def kind(self) -> str:
        """What it is; at most 16 characters."""
        return self.text("k", _MAX_KIND)

    def text(self, name: str, longest: int) -> str:
        """A text of at most `longest` characters, valid as UTF-8."""
        return _read_text(self._values.get(name), name, longest)

    def number(self, name: str, highest: int) -> int:
        """A whole number from 0 to `highest`."""
        value = self._values.get(name)
        if type(value) is not int or not 0 <= value <= highest:  # bool is an int to isinstance
            raise DecodeError(f"expected a number from 0 to {highest} as {name!r}")
        return value

    def binary(self, name: str, length: int) -> bytes:
        """Exactly `length` bytes."""
        data = self.blob(name, length)
        if len(data) != length:
            raise BadLength(f"expected {length} bytes as {name!r}, got {len(data)}")
        return data

    def blob(self, name: str, longest: int) -> bytes:
        """At most `longest` bytes."""
        return decode_base64(self.text(name, (longest * 4 + 2) // 3))

    def texts(self, name: str, count: int, longest: int) -> tuple[str, ...]:
        """At most `count` texts of at most `longest` characters."""
        return tuple(_read_text(item, name, longest) for item in self._list(name, count))

    def inner(self, name: str) -> "Body":
        """One object."""
        value = self._values.get(name)
        if not isinstance(value, dict):
            raise DecodeError(f"expected an object as {name!r}")
        return Body(value)

    def nested(self, name: str, count: int) -> tuple["Body", ...]:
        """At most `count` objects."""
        items = self._list(name, count)
        if not all(isinstance(item, dict) for item in items):
            raise DecodeError(f"expected a list of objects as {name!r}")
        return tuple(Body(item) for item in items)

    def _list(self, name: str, count: int) -> list[Any]:
        value = self._values.get(name)
        if not isinstance(value, list) or len(value) > count:
            raise DecodeError(f"expected a list of at most {count} items as {name!r}")
        return value


def _read_text(value: object, name: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise DecodeError(f"expected a text of at most {longest} characters as {name!r}")
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise DecodeError(f"expected a text without lone surrogates as {name!r}")
    return value


def decode_body(data: bytes) -> Body:
    """Reads a body; DecodeError, and nothing else, for whatever is none."""
    if len(data) > MAX_BODY_BYTES:
        raise BadLength(f"expected at most {MAX_BODY_BYTES} bytes of body, got {len(data)}")
    try:
        values = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise DecodeError("expected a JSON body") from None
    if not isinstance(values, dict):
        raise DecodeError("expected a JSON object as body")
    return Body(values)
