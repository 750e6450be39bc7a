"""A file that the page sends in pieces, because a frame of the page is small (docs/page-protocol.md)."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from p2pokey.transcript.file import MAX_FILE
from p2pokey.web.engine import IntentRefused
from p2pokey.web.names import bad_form, read_number

MAX_PIECE = 48 * 1024
"""Letters of base64 in one piece."""
MAX_NAME = 80


class Upload:
    """The pieces so far; one file at a time."""

    def __init__(self) -> None:
        self.name = ""
        """File name as the page says it, for a title only."""
        self._parts = bytearray()
        self._size = 0

    def add(self, intent: Mapping[str, Any]) -> bytes | None:
        """Takes the next piece: `name`, `size` of the file, `at` (bytes before it), `data` (base64).

        A piece at 0 begins a new file; without `size` and `at` it is all of it.

        Returns:
            The whole file once all of it is there.

        Raises:
            IntentRefused: `form`: no piece, or not the next one; what came before is forgotten.
        """
        try:
            return self._add(intent)
        except IntentRefused:
            self._forget()
            raise

    def _add(self, intent: Mapping[str, Any]) -> bytes | None:
        piece = _piece(intent.get("data"))
        is_whole = intent.get("size") is None and intent.get("at") is None
        size = len(piece) if is_whole else read_number(intent.get("size"), MAX_FILE + 1)
        at = 0 if is_whole else read_number(intent.get("at"), MAX_FILE + 1)
        if at == 0:
            self._parts, self._size = bytearray(), size
            self.name = _name(intent.get("name"))
        if (at, size) != (len(self._parts), self._size) or at + len(piece) > size:
            raise bad_form("the next piece of the file")
        self._parts += piece
        if len(self._parts) < size:
            return None
        data = bytes(self._parts)
        self._forget()
        return data

    def _forget(self) -> None:
        self._parts, self._size = bytearray(), 0


def _piece(value: object) -> bytes:
    if not isinstance(value, str) or len(value) > MAX_PIECE:
        raise bad_form(f"at most {MAX_PIECE} letters of base64")
    try:
        return base64.b64decode(value.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise bad_form("base64") from None


def _name(value: object) -> str:
    """Printable and short; it is only shown."""
    if not isinstance(value, str):
        return ""
    return "".join(letter for letter in value if letter.isprintable())[:MAX_NAME]
