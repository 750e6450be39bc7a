"""`p2pokey audit`: what it says and with which code it ends."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("cheap")


@pytest.fixture
def sound(tmp_path: Path, transcript: bytes) -> Path:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(transcript)
    return path


def changed(path: Path, name: str, old: bytes, new: bytes) -> Path:
    data = path.read_bytes()
    assert old in data
    other = path.with_name(name)
    other.write_bytes(data.replace(old, new, 1))
    return other


def test_a_sound_file(run, sound: Path):
    ran = run("audit", sound)

    assert ran.code == 0
    assert "sound" in ran.out
    assert "score: seat 1 " in ran.out
    assert ran.err == ""


def test_recompute_rebuilds_more(run, sound: Path):
    plain = json.loads(run("audit", "--json", sound).out)["files"][0]
    deep = json.loads(run("audit", "--json", "--recompute", sound).out)["files"][0]

    assert plain["status"] == deep["status"] == "sound"
    assert deep["recomputed"] > plain["recomputed"]


def test_json_goes_to_standard_output_alone(run, sound: Path):
    ran = run("audit", "--json", sound)
    report = json.loads(ran.out)

    assert ran.code == report["exit_code"] == 0
    assert report["files"][0]["file"] == str(sound)
    assert report["files"][0]["findings"] == []
    assert report["differences"] == []
    assert ran.err == ""


def test_a_changed_signature_is_a_violation_with_its_place(run, sound: Path):
    lines = sound.read_bytes().split(b"\n")
    record = json.loads(lines[6])
    first = "B" if record["sig"][0] == "A" else "A"
    record["sig"] = first + record["sig"][1:]
    lines[6] = json.dumps(record, separators=(",", ":")).encode()
    bad = sound.with_name("bad.jsonl")
    bad.write_bytes(b"\n".join(lines))
    ran = run("audit", bad)

    assert ran.code == 3
    assert "violation" in ran.out
    assert "line 7" in ran.out
    assert "[BadSignature]" in ran.out


def test_swapped_lines_are_a_violation(run, sound: Path):
    lines = sound.read_bytes().split(b"\n")
    lines[5], lines[6] = lines[6], lines[5]
    bad = sound.with_name("bad.jsonl")
    bad.write_bytes(b"\n".join(lines))

    assert run("audit", bad).code == 3


@pytest.mark.parametrize("keep", [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.9999])
def test_a_truncated_file_is_incomplete(run, sound: Path, keep: float):
    data = sound.read_bytes()
    bad = sound.with_name("bad.jsonl")
    bad.write_bytes(data[: int(len(data) * keep)])
    ran = run("audit", bad)

    assert ran.code == 4
    assert "sound" not in ran.out
    assert "cut off" in ran.out


def test_no_more_than_ten_findings_are_shown(run, sound: Path):
    lines = sound.read_bytes().split(b"\n")
    bad = sound.with_name("bad.jsonl")
    bad.write_bytes(b"\n".join([*lines[:5], *[b"damaged"] * 40, *lines[45:]]))
    found = len(json.loads(run("audit", "--json", bad).out)["files"][0]["findings"])
    ran = run("audit", bad)

    assert ran.out.count("\n    line ") == 10
    assert f"    ... and {found - 10} more: --json shows all" in ran.out


def test_a_file_without_results_is_incomplete(run, sound: Path):
    lines = sound.read_bytes().split(b"\n")
    bad = sound.with_name("bad.jsonl")
    bad.write_bytes(b"\n".join(lines[:-5]) + b"\n")
    ran = run("audit", bad)

    assert ran.code == 4
    assert "incomplete" in ran.out


def test_a_later_version_is_refused_in_one_sentence(run, sound: Path):
    ran = run("audit", changed(sound, "v.jsonl", b'"version":0', b'"version":7'))

    assert ran.code == 4
    assert "got '7'" in ran.out
    assert "newer p2pokey" in ran.out


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"\xff\xfe\x00", b"nonsense", b"[" * 100_000]
)
def test_other_files_are_unreadable(run, tmp_path: Path, data: bytes):
    (tmp_path / "x").write_bytes(data)
    ran = run("audit", tmp_path / "x")

    assert ran.code == 4
    assert "unreadable: this is no p2pokey transcript." in ran.out
    assert len(ran.out.splitlines()) == 1


def test_a_file_that_is_not_there(run, tmp_path: Path):
    ran = run("audit", tmp_path / "nothing.jsonl")

    assert ran.code == 2
    assert "does not exist" in ran.err
    assert ran.out == ""


def test_a_folder_instead_of_a_file(run, tmp_path: Path):
    ran = run("audit", tmp_path)

    assert ran.code == 2
    assert "is a directory" in ran.err


def test_no_file_at_all(run):
    assert run("audit").code == 2


def test_equal_files_of_one_hand(run, sound: Path):
    copy = sound.with_name("copy.jsonl")
    copy.write_bytes(sound.read_bytes())

    assert run("audit", sound, copy).code == 0


def test_the_worst_file_decides(run, sound: Path):
    (sound.parent / "x").write_bytes(b"nonsense")

    assert run("audit", sound, sound.parent / "x").code == 4


def test_two_sound_files_of_one_hand_that_differ_are_a_violation(
    run, sound: Path, other_transcript: bytes
):
    other = sound.with_name("other.jsonl")
    other.write_bytes(other_transcript)
    assert run("audit", other).code == 0
    report = json.loads(run("audit", "--json", sound, other).out)

    assert [item["status"] for item in report["files"]] == ["sound", "sound"]
    assert report["exit_code"] == 3
    (difference,) = report["differences"]
    assert difference["files"] == [str(sound), str(other)]
    assert not difference["is_prefix"]
    assert difference["line"] > 1
    text = run("audit", sound, other).out
    assert f"{other} differs from {sound} from line {difference['line']} on" in text


def test_a_file_that_ends_earlier_is_no_lie(run, sound: Path):
    short = sound.with_name("short.jsonl")
    lines = sound.read_bytes().split(b"\n")
    short.write_bytes(b"\n".join(lines[:-2]) + b"\n")
    report = json.loads(run("audit", "--json", sound, short).out)

    assert report["exit_code"] == 4
    assert report["differences"][0]["is_prefix"]
    assert report["differences"][0]["line"] == len(lines) - 1


def test_files_of_different_hands_are_not_compared(run, sound: Path):
    other = changed(sound, "other.jsonl", b'"hand":0', b'"hand":1')
    report = json.loads(run("audit", "--json", sound, other).out)

    assert report["differences"] == []
