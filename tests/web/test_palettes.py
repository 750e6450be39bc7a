"""The colours of the tiles, as measured: contrast on the tile, and distance for colour-blind eyes."""

import itertools
import re
from importlib.resources import files

import pytest

Triple = tuple[float, float, float]
MIN_CONTRAST = 4.5
MIN_DISTANCE = {"classic": 22.0, "cvd": 40.0}
"""CIE76, the smallest over all pairs and all kinds of eyes."""
# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
NAMES = ("red", "yellow", "blue", "black")


def _styles() -> str:
    return (files("p2pokey.web") / "static" / "style" / "base.css").read_text("utf-8")


def _palette(name: str) -> dict[str, str]:
    """Colours of a palette; what it does not name is as in the classic one."""
    blocks = re.findall(r"(:root|\[data-palette=cvd\])\s*\{([^}]*)\}", _styles())
    found: dict[str, str] = {}
    for selector, body in blocks:
        if selector == ":root" or name == "cvd":
            found |= dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\b", body))
    return found


def _linear(colour: str) -> Triple:
    def channel(at: int) -> float:
        value = int(colour[at : at + 2], 16) / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    return channel(1), channel(3), channel(5)


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _lab(linear: Triple) -> Triple:
    red, green, blue = (min(1.0, max(0.0, value)) for value in linear)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _seen(colour: str, eyes: str) -> Triple:
    linear = _linear(colour)
    first, second, third = (
        sum(weight * value for weight, value in zip(row, linear, strict=True)) for row in EYES[eyes]
    )
    return _lab((first, second, third))


def _distance(one: Triple, other: Triple) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5


@pytest.mark.parametrize("name", ["classic", "cvd"])
def test_every_colour_can_be_read_on_the_tile(name: str) -> None:
    palette = _palette(name)
    for colour in (*NAMES, "false"):
        assert _contrast(palette[colour], palette["cream"]) >= MIN_CONTRAST, colour


@pytest.mark.parametrize("name", ["classic", "cvd"])
def test_colours_are_apart_for_all_eyes(name: str) -> None:
    palette = _palette(name)
    distances = {
        (eyes, one, other): _distance(_seen(palette[one], eyes), _seen(palette[other], eyes))
        for eyes in EYES
        for one, other in itertools.combinations(NAMES, 2)
    }
    closest = min(distances, key=lambda key: distances[key])
    assert distances[closest] >= MIN_DISTANCE[name], closest


def test_the_measure_is_the_one_that_was_used_to_choose() -> None:
    naive = ("#ff0000", "#ffc800", "#0000ff", "#000000")
    nearest = min(
        _distance(_seen(one, eyes), _seen(other, eyes))
        for eyes in EYES
        for one, other in itertools.combinations(naive, 2)
    )
    assert round(nearest, 1) == 31.1
    assert round(min(_contrast(colour, "#fbf4e2") for colour in naive), 2) == 1.42
