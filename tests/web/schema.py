"""The shape of a view, checked key by key (docs/page-protocol.md)."""

from typing import Any

from p2pokey.tiles import parse_face, parse_tile

Json = dict[str, Any]


def check_view(view: Json) -> None:
    """Raises AssertionError where the view is not what the page expects."""
    assert set(view) == {
        "screen", "me", "settings", "lobby", "gathering", "table", "past", "replay", "notice",
    }  # fmt: skip
    assert view["screen"] in ("lobby", "gathering", "table", "replay")
    if view["table"] is not None:
        check_table(view["table"])


def check_table(table: Json) -> None:
    assert set(table) == {
        "rules", "options", "seat", "seats", "solo", "shared", "handover", "people", "match",
        "stage", "waiting", "paused", "clock", "game", "staged", "layout", "sorts", "advice", "end", "asks",
        "chat", "muted", "trust",
    }  # fmt: skip
    seats = table["seats"]
    assert len(table["people"]) == seats
    assert len(table["match"]["totals"]) == seats
    if table["game"] is not None:
        check_game(table["game"], seats)
    if table["staged"] is not None:
        check_staged(table["staged"])
    if table["end"] is not None:
        check_end(table["end"], seats)


def check_game(game: Json, seats: int) -> None:
    assert set(game) == {
        "rules", "phase", "turn", "mine", "starter", "indicator", "okey", "stack", "counts",
        "rack", "new", "discards", "taken", "melds", "opened", "values", "charges", "charged",
        "floors", "going_pairs", "duel", "can", "why", "hints", "last",
    }  # fmt: skip
    assert game["phase"] in ("indicator", "draw", "play", "over")
    for key in ("counts", "discards", "opened", "values", "charged", "going_pairs"):
        assert len(game[key]) == seats, key
    assert game["okey"] is None or parse_face(game["okey"])
    for tile in (game["indicator"], game["new"], game["taken"], *game["rack"]):
        assert tile is None or parse_tile(tile) is not None
    for meld in game["melds"]:
        assert set(meld) == {"n", "owner", "kind", "value", "tiles"}
        assert all(set(tile) == {"tile", "as", "okey"} for tile in meld["tiles"])
    _check_can(game["can"], game["mine"])
    for why in game["why"].values():
        check_refusal(why)


def _check_can(can: Json, mine: bool) -> None:
    assert set(can) == {
        "draw", "take", "pass", "return", "return_charge", "take_back", "go_pairs", "show",
        "discard", "finish", "add", "retrieve", "open", "lay", "play",
    }  # fmt: skip
    if not mine:
        assert not any(can.values()), "nothing can be done in another's turn"


def check_refusal(why: Json) -> None:
    assert set(why) == {"rule", "text", "numbers"}
    assert why["rule"]
    assert why["text"]
    assert all(isinstance(number, int) for number in why["numbers"].values())


def check_staged(staged: Json) -> None:
    assert {"does", "melds", "total", "pairs", "ok", "refused", "left"} <= set(staged)
    assert staged["ok"] == (staged["refused"] is None)
    for meld in staged["melds"]:
        assert set(meld) == {"tiles", "as", "kind", "value", "refused"}
        assert (meld["kind"] is None) == (meld["refused"] is not None)
    if staged["refused"] is not None:
        check_refusal(staged["refused"])


def check_end(end: Json, seats: int) -> None:
    assert set(end) == {
        "reason", "finisher", "racks", "layout", "discard", "melds", "lines", "points", "totals",
        "counts", "ready",
    }  # fmt: skip
    for key in ("racks", "lines", "points", "totals", "ready"):
        assert len(end[key]) == seats, key
    for lines, points in zip(end["lines"], end["points"], strict=True):
        assert sum(line["points"] for line in lines) == points
