"""Under which name somebody sits down who has chosen none."""

import getpass
from pathlib import Path

import pytest

from p2pokey.cli.who import is_named, name_of
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.profile import open_profile, save_name


@pytest.mark.parametrize(
    ("user", "name"), [("ayse", "Ayse"), ("root", "Player"), ("", "Player"), ("a\u202eb", "Player")]
)
def test_the_user_of_the_computer_but_never_its_administrator(
    user: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2POKEY_HOME", str(tmp_path))
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    with open_profile(OsEntropy(), guest=False) as profile:
        assert name_of(None, profile) == name
        assert name_of("Root", profile) == "Root"
        assert is_named(name, None, profile) == (name != "Player")
        assert is_named("Player", "Player", profile)
        save_name(profile.dirs, "Player")
        assert is_named("Player", None, profile)
