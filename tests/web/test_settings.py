"""Settings of the page: only known ones, only good values, never an error."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.web.settings import changed, load_settings, save_settings, usual_settings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_shapes_are_on_unless_somebody_turns_them_off():
    assert usual_settings()["shapes"] is True
    assert changed(usual_settings(), {"shapes": False})["shapes"] is False


@pytest.mark.parametrize(
    "wanted",
    [
        {"shapes": 1},
        {"shapes": "no"},
        {"lang": "xx"},
        {"lang": True},
        {"theme": []},
        {"other": True},
    ],
)
def test_what_is_no_setting_changes_nothing(wanted):
    assert changed(usual_settings(), wanted) == usual_settings()


@given(st.dictionaries(st.sampled_from([*usual_settings(), "other"]), JSON))
def test_whatever_is_wanted_the_settings_stay_settings(wanted):
    after = changed(usual_settings(), wanted)
    assert list(after) == list(usual_settings())
    assert all(type(after[name]) is type(value) for name, value in usual_settings().items())


def test_settings_are_kept(tmp_path: Path):
    path = tmp_path / "new" / "settings.json"
    wanted = changed(usual_settings(), {"lang": "tr", "palette": "cvd", "sound_tile": False})
    save_settings(path, wanted)

    assert load_settings(path) == wanted


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "[" * 100_000, '{"lang": "xx"}'])
def test_a_damaged_file_costs_the_settings_alone(tmp_path: Path, text: str):
    path = tmp_path / "settings.json"
    path.write_text(text)

    assert load_settings(path) == usual_settings()
    assert load_settings(tmp_path / "nowhere") == usual_settings()


def test_the_file_is_json(tmp_path: Path):
    save_settings(tmp_path / "s", usual_settings())
    assert json.loads((tmp_path / "s").read_text()) == usual_settings()
