"""A file that the page sends in pieces is taken whole or not at all."""

import base64
from typing import Any

import pytest

from p2pokey.web.engine import IntentRefused
from p2pokey.web.uploading import MAX_PIECE, Upload

FILE = b"a file of some bytes"


def piece(first: int, last: int) -> dict[str, Any]:
    data = base64.b64encode(FILE[first:last]).decode("ascii")
    return {"name": "hand.jsonl", "size": len(FILE), "at": first, "data": data}


def refuses(upload: Upload, intent: dict[str, Any]) -> bool:
    with pytest.raises(IntentRefused) as refused:
        upload.add(intent)
    return refused.value.code == "form"


def test_pieces_in_order_make_the_file():
    upload = Upload()
    assert upload.add(piece(0, 7)) is None
    assert upload.add(piece(7, 20)) == FILE
    assert upload.name == "hand.jsonl"


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": None},
        {"size": None},
        {"at": 6},
        {"at": "7"},
        {"size": -1},
        {"data": None},
        {"data": "@"},
        {"data": "A" * (MAX_PIECE + 1)},
    ],
)
def test_a_piece_without_form_drops_the_half_that_is_there(wrong: dict[str, Any]):
    upload = Upload()
    upload.add(piece(0, 7))
    assert refuses(upload, piece(7, 20) | wrong)
    assert refuses(upload, piece(7, 20)), "what was before is forgotten"

    assert upload.add(piece(0, 20)) == FILE
