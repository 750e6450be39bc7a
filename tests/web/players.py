"""Players of the page in tests: they know a view and nothing else, and answer with intents."""

import random
from typing import Any

from p2pokey.tiles import parse_tile
from tests.web.proposals import proposals

Json = dict[str, Any]


def choices_of(game: Json) -> list[Json]:
    """Every intent that `can` offers, apart from melds to be built."""
    can = game["can"]
    found: list[Json] = [
        {"do": name.replace("_", "-")}
        for name in ("draw", "take", "pass", "return", "take_back", "go_pairs")
        if can[name]
    ]
    found += [{"do": "discard", "tile": tile} for tile in can["discard"]]
    found += [{"do": "finish", "tile": tile} for tile in can["finish"]]
    found += [
        {"do": "add", "meld": one["meld"], "end": one["end"], "tiles": [one["tile"]]}
        for one in can["add"]
    ]
    found += [
        {"do": "retrieve", **{key: one[key] for key in ("meld", "place", "supply")}}
        for one in can["retrieve"]
    ]
    if can["show"]:
        found.append({"do": "show", "tile": can["show"]})
    return found


def pick(game: Json, rng: random.Random) -> Json:
    """An intent that should be accepted: often a meld that can be laid, else any choice."""
    melds = proposals(game)
    if melds is not None and rng.random() < 0.8:
        return melds
    found = choices_of(game)
    finishing = [intent for intent in found if intent["do"] == "finish"]
    if finishing:
        return rng.choice(finishing)
    if len(found) > 1:  # a hand of take-backs only would not end
        rare = ("take-back", "return", "go-pairs")
        common = [intent for intent in found if intent["do"] not in rare]
        found = common if common and rng.random() < 0.9 else found
    adding = [intent for intent in found if intent["do"] in ("add", "retrieve")]
    if adding and rng.random() < 0.5:
        return rng.choice(adding)
    return rng.choice(found)


def tiles_in(value: object) -> set[str]:
    """Every tile name in some JSON, by its form."""
    if isinstance(value, dict):
        return {name for one in value.values() for name in tiles_in(one)}
    if isinstance(value, list):
        return {name for one in value for name in tiles_in(one)}
    return {value} if _is_tile(value) else set()


def _is_tile(value: object) -> bool:
    try:
        return isinstance(value, str) and parse_tile(value) is not None
    except ValueError:
        return False
