"""The list of saved hands, and the way from its ids back to files."""

import os
import time
from pathlib import Path

import pytest

from p2pokey.native.identity import Ed25519Verifier
from p2pokey.table.statistics import Counting
from p2pokey.web.past import PastHand, find_hand, hand_files, look_at, saved_at, to_json
from tests.cli.conftest import transcript  # noqa: F401 - a fixture

VERIFIER = Ed25519Verifier()


def past_hands(folder: Path) -> list[PastHand]:
    newest = sorted(hand_files(folder), reverse=True)
    return [look_at(folder, path, at, VERIFIER) for at, path in newest]


@pytest.fixture
def folder(tmp_path: Path, transcript: bytes) -> Path:  # noqa: F811
    hands = tmp_path / "hands"
    (hands / "session").mkdir(parents=True)
    (hands / "session" / "hand-001-seat-1.jsonl").write_bytes(transcript)
    (hands / "cut.jsonl").write_bytes(transcript[:-900])
    (hands / "else.jsonl").write_text("no transcript")
    (tmp_path / "secret.jsonl").write_bytes(transcript)
    for number, path in enumerate(sorted(hands.rglob("*.jsonl"))):
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return hands


def test_newest_first_with_what_they_are(folder: Path):
    hands = past_hands(folder)

    assert [(hand.id, hand.status) for hand in hands] == [
        ("session/hand-001-seat-1.jsonl", "scored"),
        ("else.jsonl", "unreadable"),
        ("cut.jsonl", "no-score"),
    ]
    assert hands[0].rules == "classic"
    assert [hand.hand for hand in hands] == [1, None, 1]
    assert (hands[0].day, hands[0].time) == saved_at(1_000_002)
    assert len(hands[0].points) == 4
    assert past_hands(folder / "nowhere") == []


def test_an_id_leads_to_its_file_and_nowhere_else(folder: Path):
    assert find_hand(folder, "session/hand-001-seat-1.jsonl") is not None
    (folder / "link.jsonl").symlink_to(folder.parent / "secret.jsonl")
    for id_ in (
        "../secret.jsonl",
        "",
        ".",
        "link.jsonl",
        "session",
        str(folder.parent / "secret.jsonl"),
    ):
        assert find_hand(folder, id_) is None


def test_rows_for_the_page(folder: Path):
    hands = past_hands(folder)
    key = hands[0].keys[1]
    counting = Counting(VERIFIER, (key,))
    for hand in hands:
        counting.count(hand.played)
    rows = to_json(counting.sum_up(), lambda key: key.hex()[:8])

    assert (rows[0]["rules"], rows[0]["name"]) == ("classic", None)
    assert [row["hands"] for row in rows] == [1, 1, 1, 1]
    assert rows[0]["matches"] == 0
    assert {row["name"] for row in rows[1:]} == {k.hex()[:8] for k in hands[0].keys if k != key}


def test_day_and_time_are_those_of_this_computers_clock(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time, "localtime", time.gmtime)
    assert saved_at(1_000_002) == ("1970-01-12", "13:46")
