"""Text frames and relay frames read strictly into the classes of `messages`.

Sizes are refused before anything is parsed. Unknown keys are ignored so that newer clients can say
more; everything else must be exactly right, or `Refusal` says which message was refused and why.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable
from typing import Any

from signaling.codes import read_code
from signaling.limits import Limits
from signaling.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Close,
    Create,
    ErrorCode,
    Hello,
    Kick,
    Knock,
    Leave,
    ListRooms,
    Open,
    PublicKey,
    Refusal,
    Relay,
    SendBody,
)

# JSON numbers above 2^53 - 1 are not exact in a browser.
_MAX_NUMBER = 2**53 - 1
_PUBLIC_KEY_BYTES = 32
_MAX_TITLE = 40
_MAX_RULES = 32
_MAX_CLIENT = 64
_MAX_CAPS = 16
_MAX_CAP = 32
_MAX_TOKEN = 64
_MAX_STAMP = 128
_MAX_ID = 16
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}", re.ASCII)


def parse_text(text: str, limits: Limits) -> ClientMessage:
    """Reads one text frame.

    Args:
        text: the whole frame; any string at all, even one that is no valid UTF-8.
        limits: sizes to enforce.

    Raises:
        Refusal: `too_big` or `bad`. Nothing else, whatever the text is.
    """
    if _is_longer(text, limits.text_bytes):
        raise Refusal(ErrorCode.TOO_BIG, re="")
    values = _read_object(text)
    kind = values.get("t")
    parser = _PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise Refusal(ErrorCode.BAD, re=_echo(kind))
    return parser(_Fields(values, str(kind), limits))


def parse_frame(frame: bytes, limits: Limits) -> Relay:
    """Reads one binary frame.

    Raises:
        Refusal: `too_big` for a payload above the limit, `bad` for an empty frame or when the
            relay is switched off.
    """
    if limits.relay_bytes == 0 or not frame:
        raise Refusal(ErrorCode.BAD, re="relay")
    if len(frame) > 1 + limits.relay_bytes:
        raise Refusal(ErrorCode.TOO_BIG, re="relay")
    return Relay(place=frame[0], payload=frame[1:])


class _Fields:
    """The keys of one message; every getter refuses the message when its key is wrong."""

    def __init__(self, values: dict[str, Any], kind: str, limits: Limits) -> None:
        self._values = values
        self.kind = kind
        self.limits = limits

    def bad(self) -> Refusal:
        return Refusal(ErrorCode.BAD, re=self.kind)

    def optional(self, key: str) -> Any:
        """The value, or None: `null` says the same as leaving the key out."""
        return self._values.get(key)

    def number(self, key: str, low: int, high: int) -> int:
        value = self.optional(key)
        if type(value) is not int or not low <= value <= high:  # bool is an int to isinstance
            raise self.bad()
        return value

    def text(self, key: str, longest: int) -> str:
        value = self.optional(key)
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise self.bad()
        return value

    def optional_text(self, key: str, longest: int) -> str | None:
        return None if self.optional(key) is None else self.text(key, longest)

    def seconds(self, key: str) -> int | None:
        if self.optional(key) is None:
            return None
        return min(self.number(key, 0, _MAX_NUMBER), self.limits.window_max_s)

    def flag(self, key: str) -> bool:
        value = self.optional(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self.bad()
        return value

    def nested(self, key: str) -> "_Fields":
        value = self.optional(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.bad()
        return _Fields(value, self.kind, self.limits)

    def room(self, key: str) -> str:
        code = read_code(self.text(key, _MAX_ID))
        if code is None:
            raise self.bad()
        return code

    def key(self, key: str) -> PublicKey:
        text = self.text(key, 2 * _PUBLIC_KEY_BYTES)
        raw = _decode_base64(text)
        if raw is None or len(raw) != _PUBLIC_KEY_BYTES:
            raise self.bad()
        return PublicKey(text=text, raw=raw)


def _hello(fields: _Fields) -> Hello:
    fields.number("v", PROTOCOL_VERSION, PROTOCOL_VERSION)
    caps = fields.optional("caps")
    if caps is None:
        caps = []
    if not isinstance(caps, list) or len(caps) > _MAX_CAPS:
        raise fields.bad()
    if not all(isinstance(cap, str) and len(cap) <= _MAX_CAP for cap in caps):
        raise fields.bad()
    return Hello(
        client=fields.optional_text("client", _MAX_CLIENT) or "",
        caps=tuple(caps),
        resume=fields.optional_text("resume", _MAX_TOKEN),
        pow=fields.optional_text("pow", _MAX_STAMP),
    )


def _create(fields: _Fields) -> Create:
    meta = fields.nested("meta")
    return Create(
        seats=fields.number("seats", 2, 4),
        ttl=fields.seconds("ttl"),
        host=fields.key("host"),
        listed=fields.flag("listed"),
        title=meta.optional_text("title", _MAX_TITLE) or "",
        rules=meta.optional_text("rules", _MAX_RULES) or "",
        room=None if fields.optional("room") is None else fields.room("room"),
    )


def _send(fields: _Fields) -> SendBody:
    body = fields.optional("body")
    if not isinstance(body, str):
        raise fields.bad()
    if len(body) > fields.limits.body_chars:
        raise Refusal(ErrorCode.TOO_BIG, re=fields.kind)
    if _BASE64.fullmatch(body) is None:
        raise fields.bad()
    return SendBody(to=fields.text("to", _MAX_ID), n=fields.number("n", 0, _MAX_NUMBER), body=body)


_PARSERS: dict[str, Callable[[_Fields], ClientMessage]] = {
    "hello": _hello,
    "create": _create,
    "open": lambda fields: Open(ttl=fields.seconds("ttl")),
    "close": lambda _: Close(),
    "kick": lambda fields: Kick(id=fields.text("id", _MAX_ID)),
    "knock": lambda fields: Knock(room=fields.room("room"), pub=fields.key("pub")),
    "send": _send,
    "list": lambda fields: ListRooms(cursor=fields.optional_text("cursor", _MAX_ID)),
    "leave": lambda _: Leave(),
}


def _is_longer(text: str, limit: int) -> bool:
    # The character count first: it is free, and no character takes less than one byte.
    return len(text) > limit or len(text.encode(errors="surrogatepass")) > limit


def _read_object(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):  # also numbers of thousands of digits
        values = None
    if not isinstance(values, dict):
        raise Refusal(ErrorCode.BAD, re="")
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _echo(kind: object) -> str:
    """An unknown type as far as it is harmless to send it back."""
    if isinstance(kind, str) and len(kind) <= _MAX_ID and kind.isascii() and kind.isprintable():
        return kind
    return ""


def _decode_base64(text: str) -> bytes | None:
    """Decodes either alphabet, with or without padding; None if it is neither."""
    if _BASE64.fullmatch(text) is None:
        return None
    standard = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except binascii.Error:
        return None
