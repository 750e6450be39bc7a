"""Melds that a test player lays: found by the solvers from what the page shows, nothing else."""

from typing import Any

from p2pokey.rules.duel_solver import best_table
from p2pokey.rules.openings import best_opening, opening_pairs
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.tiles import Tile, format_tile, parse_face, parse_tile

Json = dict[str, Any]


def proposals(game: Json) -> Json | None:
    """An intent that opens, lays or plays, if there is a good one now."""
    rack = [parse_tile(tile) for tile in game["rack"] if tile is not None]
    if game["can"]["play"]:
        return _play(game, rack)
    if game["can"]["open"]:
        return _open(game, rack)
    return _lay(game, rack) if game["can"]["lay"] else None


def _names(melds: Any) -> list[list[str]]:
    # Reversed, because the order in which a heap is given must not matter.
    return [[format_tile(tile) for tile in reversed(meld.tiles)] for meld in melds]


def _open(game: Json, rack: list[Tile]) -> Json | None:
    rules, okey = _rules(game), parse_face(game["okey"])
    must = [parse_tile(game["taken"])] if game["taken"] else []
    found = best_opening(rack, okey=okey, rules=rules.melds, must=must)
    bound = game["going_pairs"][game["turn"]]
    if found is not None and found.value >= game["floors"]["melds"] and not bound:
        return {"do": "open", "melds": _names(found.melds)}
    pairs = opening_pairs(rack, okey=okey, rules=rules.melds, must=must)
    if len(pairs) >= game["floors"]["pairs"]:
        return {"do": "open", "melds": _names(pairs)}
    return None


def _lay(game: Json, rack: list[Tile]) -> Json | None:
    rules, okey = _rules(game), parse_face(game["okey"])
    rest = [tile for tile in rack if format_tile(tile) != game["taken"]]
    if game["opened"][game["turn"]] == "pairs":
        pairs = opening_pairs(rest, okey=okey, rules=rules.melds)
        return {"do": "lay", "melds": _names(pairs)} if pairs else None
    found = best_opening(rest, okey=okey, rules=rules.melds, goal="tiles")
    return None if found is None else {"do": "lay", "melds": _names(found.melds)}


def _play(game: Json, rack: list[Tile]) -> Json | None:
    duel = game["duel"]
    lying = [[parse_tile(one["tile"]) for one in meld["tiles"]] for meld in game["melds"]]
    if not duel["opened"][game["turn"]]:
        found = best_opening(rack, okey=None, rules=_rules(game).melds, keep=0, declare=False)
        if found is None or found.value < duel["floor"]:
            return None
        table = [[format_tile(tile) for tile in meld] for meld in lying]
        return {"do": "play", "table": table + _names(found.melds)}
    best = best_table([tile for meld in lying for tile in meld], rack)
    if best is None or not best.used:
        return None
    return {"do": "play", "table": _names(best.melds)}


def _rules(game: Json) -> Any:
    return ruleset_for(game["rules"])
