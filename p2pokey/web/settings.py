"""How a player wants the page to look, sound and ask; kept on this computer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from p2pokey.native.files import write_atomic

_CHOICES: dict[str, tuple[str, ...]] = {
    "lang": ("auto", "en", "tr"),
    "theme": ("felt", "night", "contrast"),
    "palette": ("classic", "cvd"),
}
_SWITCHES: dict[str, bool] = {
    "shapes": True,
    "sound_turn": True,
    "sound_tile": True,
    "sound_chat": False,
    "haptics": True,
    "confirm_discard": False,
    "large_tiles": False,
}
MAX_FILE_BYTES = 4096

Settings = dict[str, str | bool]


def usual_settings() -> Settings:
    """What holds until a player chooses otherwise."""
    return {**{name: values[0] for name, values in _CHOICES.items()}, **_SWITCHES}


def changed(settings: Settings, wanted: Mapping[str, Any]) -> Settings:
    """The settings with the wanted changes; whatever is no setting, or no value of it, is left out."""
    good = {name: value for name, value in wanted.items() if _is_good(name, value)}
    return {**settings, **good}


def load_settings(path: Path) -> Settings:
    """What was saved, as far as it can be read: a damaged file costs the settings and no more."""
    try:
        with path.open("rb") as file:
            values = json.loads(file.read(MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        values = {}
    return changed(usual_settings(), values if isinstance(values, dict) else {})


def save_settings(path: Path, settings: Settings) -> None:
    """Writes the settings; raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomic(path, json.dumps(settings, indent=1, sort_keys=True).encode("ascii"))


def _is_good(name: Any, value: Any) -> bool:
    if name in _CHOICES:
        return value in _CHOICES[name]
    return name in _SWITCHES and isinstance(value, bool)
