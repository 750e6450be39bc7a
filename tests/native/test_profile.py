"""Folders and identity of a player."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from p2pokey.errors import DecodeError
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.files import write_atomic
from p2pokey.native.profile import find_dirs, load_identity, open_profile


def at(folder: Path) -> dict[str, str]:
    return {"P2POKEY_HOME": str(folder)}


def test_everything_lies_below_the_home(tmp_path: Path):
    dirs = find_dirs(at(tmp_path))

    for path in (dirs.config, dirs.data, dirs.state, dirs.hands, dirs.journals, dirs.logs):
        assert path.is_relative_to(tmp_path)
        assert not path.exists()


def test_without_a_home_the_system_decides():
    dirs = find_dirs({})

    assert len({dirs.config, dirs.data, dirs.state}) >= 1
    assert "p2pokey" in str(dirs.data)


def test_the_identity_is_made_once_and_private(tmp_path: Path):
    dirs = find_dirs(at(tmp_path))
    first = load_identity(dirs, OsEntropy())
    second = load_identity(dirs, OsEntropy())

    assert first.public_key == second.public_key
    assert stat.S_IMODE((dirs.data / "identity.key").stat().st_mode) == 0o600


def test_an_identity_that_others_can_read_is_closed(tmp_path: Path):
    dirs = find_dirs(at(tmp_path))
    load_identity(dirs, OsEntropy())
    (dirs.data / "identity.key").chmod(0o644)
    load_identity(dirs, OsEntropy())

    assert stat.S_IMODE((dirs.data / "identity.key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "p2pokey-identity 0 zz\n", "p2pokey-identity 1 " + "00" * 32 + "\n", "00" * 32]
)
def test_a_damaged_identity_is_refused_and_kept(tmp_path: Path, text: str):
    dirs = find_dirs(at(tmp_path))
    dirs.data.mkdir(parents=True)
    (dirs.data / "identity.key").write_text(text)
    with pytest.raises(DecodeError, match=r"identity\.key"):
        load_identity(dirs, OsEntropy())

    assert (dirs.data / "identity.key").read_text() == text


def test_what_a_killed_guest_has_left_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    home = at(tmp_path / "home")
    killed = open_profile(OsEntropy(), guest=True, environment=home)
    assert killed._lock is not None
    with open_profile(OsEntropy(), guest=True, environment=home) as other:
        left = killed.dirs.state.parent
        assert left.is_dir()
        os.close(killed._lock)  # as the system does when a program ends
        with open_profile(OsEntropy(), guest=True, environment=home):
            assert not left.exists()
            assert other.dirs.state.parent.is_dir(), "this one still runs"


def test_a_guest_is_new_each_time_and_leaves_nothing(tmp_path: Path):
    with (
        open_profile(OsEntropy(), guest=True, environment=at(tmp_path)) as first,
        open_profile(OsEntropy(), guest=True, environment=at(tmp_path)) as second,
    ):
        assert first.signer.public_key != second.signer.public_key
        first.dirs.journals.mkdir(parents=True)
        (first.dirs.journals / "x").write_text("x")
    assert not first.dirs.state.parent.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_player_comes_back_as_the_same(tmp_path: Path):
    with open_profile(OsEntropy(), guest=False, environment=at(tmp_path)) as first:
        key = first.signer.public_key
    with open_profile(OsEntropy(), guest=False, environment=at(tmp_path)) as second:
        assert second.signer.public_key == key
        assert not second.is_guest


def test_an_atomic_write_replaces_or_leaves_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "file"
    write_atomic(path, b"old")
    monkeypatch.setattr("p2pokey.native.files.os.fsync", _fail)
    with pytest.raises(OSError, match="disk"):
        write_atomic(path, b"new")

    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_an_atomic_write_follows_no_link(tmp_path: Path):
    precious, path = tmp_path / "precious", tmp_path / "file"
    precious.write_bytes(b"data")
    path.symlink_to(precious)
    (tmp_path / f".file.{os.getpid()}.tmp").symlink_to(precious)
    write_atomic(path, b"new", mode=0o600)

    assert precious.read_bytes() == b"data"
    assert path.read_bytes() == b"new"
    assert not path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _fail(descriptor: int) -> None:
    del descriptor
    raise OSError("disk is full")
