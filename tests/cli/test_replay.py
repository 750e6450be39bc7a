"""`p2pokey replay`: what it shows and with which code it ends."""

import json
from pathlib import Path

import pytest

from p2pokey.cli import replaying
from tests.sim.cheap_group import CheapBackend


@pytest.fixture
def sound(tmp_path: Path, transcript: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(replaying, "choose_backend", lambda name, threads: CheapBackend())
    path = tmp_path / "hand.jsonl"
    path.write_bytes(transcript)
    return path


def test_a_sound_hand_move_by_move(run, sound: Path):
    ran = run("replay", sound)
    lines = ran.out.splitlines()

    assert ran.code == 0
    assert "the deal: seat" in lines[0]
    assert any("discards" in line for line in lines)
    assert "sound" in lines[-1]
    assert ran.err == ""


def test_json_has_one_object_a_step(run, sound: Path):
    ran = run("replay", "--json", sound)
    shown = [json.loads(line) for line in ran.out.splitlines()]

    assert [one["step"] for one in shown] == list(range(len(shown)))
    assert {one["steps"] for one in shown} == {len(shown)}
    assert shown[0]["move"] is None
    assert shown[-1]["end"]["totals"]


def test_a_seats_view_conceals_the_others(run, sound: Path):
    all_racks = json.loads(run("replay", "--json", sound).out.splitlines()[0])
    one = json.loads(run("replay", "--json", "--seat", "2", sound).out.splitlines()[0])

    assert all(None not in rack for rack in all_racks["game"]["racks"])
    assert one["seat"] == 1
    assert None not in one["game"]["racks"][1]
    assert set(one["game"]["racks"][0]) == {None}


def test_step_waits_for_a_key(run, sound: Path, monkeypatch: pytest.MonkeyPatch):
    keys = iter([" ", " ", "q"])
    monkeypatch.setattr(replaying.click, "getchar", lambda: next(keys))
    ran = run("replay", "--step", sound)

    assert ran.code == 0
    assert ran.out.count("stack ") == 3
    assert next(keys, None) is None


def test_a_changed_hand_ends_with_3_and_names_the_place(run, sound: Path):
    lines = sound.read_bytes().split(b"\n")
    record = json.loads(lines[40])
    record["sig"] = ("B" if record["sig"][0] == "A" else "A") + record["sig"][1:]
    lines[40] = json.dumps(record, separators=(",", ":")).encode()
    sound.write_bytes(b"\n".join(lines))
    ran = run("replay", sound)

    assert ran.code == 3
    assert "BadSignature" in ran.out


@pytest.mark.parametrize("data", [b"", b"no transcript\n"])
def test_what_is_no_transcript_ends_with_4(run, sound: Path, data: bytes):
    sound.write_bytes(data)
    assert run("replay", sound).code == 4


def test_a_seat_that_the_table_does_not_have(run, sound: Path, transcript: bytes):
    assert run("replay", "--seat", "9", sound).code == 2
