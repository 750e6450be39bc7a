"""The engine of the page's tests keeps its promises: screens, talk, replays, two at one device."""

import asyncio
import base64
from collections.abc import Awaitable, Callable

import pytest

from p2pokey.web.engine import IntentRefused
from tests.web.local_engine import _PAST_HAND, LocalEngine
from tests.web.local_table import LocalTable
from tests.web.schema import check_view
from tests.web.waiting import until

PIECE = 30_000


def _run(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(body(), 30))


def test_from_the_lobby_to_a_table_and_back() -> None:
    async def body() -> None:
        engine = LocalEngine(gather_s=0.05)
        check_view(engine.view())
        assert engine.view()["screen"] == "lobby"
        await engine.act({"do": "host", "rules": "101-rising", "options": {"hands": 7}})
        assert engine.view()["gathering"]["code"]
        await until(engine, lambda view: view["screen"] == "table")
        check_view(engine.view())
        assert engine.view()["table"]["match"]["hands"] == 7
        await engine.act({"do": "leave"})
        assert engine.view()["screen"] == "lobby"

    _run(body)


@pytest.mark.parametrize("by", ["id", "data"])
def test_a_transcript_is_replayed(by: str) -> None:
    async def body() -> None:
        engine = LocalEngine()
        if by == "id":
            await engine.act({"do": "replay", "id": "hand-1"})
        else:
            data = _PAST_HAND.read_bytes()
            for at in range(0, len(data), PIECE):
                assert engine.view()["screen"] == "lobby"
                piece = base64.b64encode(data[at : at + PIECE]).decode()
                await engine.act(
                    {"do": "replay", "name": "a.jsonl", "size": len(data), "at": at, "data": piece}
                )
        replay = engine.view()["replay"]
        assert replay["checks"]["status"] == "sound"
        await engine.act({"do": "step", "to": replay["steps"] - 1})
        assert engine.view()["replay"]["end"] is not None
        await engine.act({"do": "see", "seat": 2})
        assert engine.view()["replay"]["seat"] == 2
        with pytest.raises(IntentRefused):
            await engine.act({"do": "step", "to": replay["steps"]})
        await engine.act({"do": "close"})
        assert engine.view()["screen"] == "lobby"

    _run(body)


def test_pieces_out_of_order_are_refused() -> None:
    async def body() -> None:
        engine = LocalEngine()
        await engine.act({"do": "replay", "size": 6, "at": 0, "data": "QUJD"})
        with pytest.raises(IntentRefused):
            await engine.act({"do": "replay", "size": 6, "at": 4, "data": "QUJD"})
        with pytest.raises(IntentRefused):
            await engine.act({"do": "replay", "size": 6, "at": 3, "data": "QUJD"})

    _run(body)


def test_two_at_one_device_never_see_each_others_rack() -> None:
    async def body() -> None:
        engine = LocalEngine()
        await engine.act({"do": "share"})
        assert engine.view()["table"]["handover"] == 0
        assert engine.view()["table"]["game"]["rack"] == []
        await engine.act({"do": "take-seat"})
        first = engine.view()["table"]["game"]["rack"]
        assert len(first) == 14
        await engine.act({"do": "draw"})
        table = engine.view()["table"]
        assert (table["handover"], table["seat"], table["game"]["rack"]) == (1, 1, [])
        with pytest.raises(IntentRefused):
            await engine.act({"do": "draw"})
        await engine.act({"do": "take-seat"})
        assert not set(first) & set(engine.view()["table"]["game"]["rack"])
        check_view(engine.view())

    _run(body)


def test_a_held_table_moves_one_step_at_a_time() -> None:
    async def body() -> None:
        table = LocalTable("classic", people=(1,), held=True, pause_s=0)
        engine = LocalEngine(table, seat=1)
        assert not engine.view()["table"]["game"]["mine"]
        await asyncio.sleep(0.05)
        assert table.moves == []
        await table.step()
        assert len(table.moves) == 1
        await asyncio.sleep(0.05)
        assert len(table.moves) == 1
        table.release()
        await until(engine, lambda view: view["table"]["game"]["mine"])
        table.close()

    _run(body)


def test_talk_links_and_a_failed_proof_are_seen() -> None:
    async def body() -> None:
        table = LocalTable("classic", held=True)
        engine = LocalEngine(table)
        table.say(2, text="<b>merhaba</b>")
        await engine.act({"do": "phrase", "code": "well-played"})
        assert [line["seat"] for line in engine.view()["table"]["chat"]] == [2, 0]
        await engine.act({"do": "mute", "seat": 2, "on": True})
        assert [line["seat"] for line in engine.view()["table"]["chat"]] == [0]
        table.link(1, "away")
        assert engine.view()["table"]["paused"]["seat"] == 1
        table.fail_proof(3)
        view = engine.view()
        check_view(view)
        assert view["table"]["trust"]["state"] == "failed"
        with pytest.raises(IntentRefused):
            await engine.act({"do": "discard", "tile": view["table"]["game"]["rack"][0]})

    _run(body)


def test_the_layout_and_what_is_staged_stay() -> None:
    async def body() -> None:
        engine = LocalEngine(LocalTable("101-rising", held=True))
        rack = engine.view()["table"]["game"]["rack"]
        rows = [[*rack[:11], None], rack[11:]]
        await engine.act({"do": "layout", "rows": rows})
        await engine.act({"do": "stage", "melds": [rack[:3], rack[3:5]]})
        view = engine.view()
        check_view(view)
        assert view["table"]["layout"] == rows
        assert [set(meld["tiles"]) for meld in view["table"]["staged"]["melds"]] == [
            set(rack[:3]),
            set(rack[3:5]),
        ]
        await engine.act({"do": "hint"})
        assert engine.view()["table"]["advice"]["intent"]["do"] in ("discard", "open", "go-pairs")

    _run(body)


def test_a_drawn_tile_can_be_late() -> None:
    async def body() -> None:
        table = LocalTable("classic", people=(0, 1), read_s=0.05, held=True)
        first, second = LocalEngine(table, seat=0), LocalEngine(table, seat=1)
        rack = first.view()["table"]["game"]["rack"]
        await first.act({"do": "discard", "tile": rack[0]})
        await second.act({"do": "draw"})
        game = second.view()["table"]["game"]
        assert (game["rack"][-1], game["new"]) == (None, None)
        await until(second, lambda view: view["table"]["game"]["rack"][-1] is not None)
        game = second.view()["table"]["game"]
        assert game["new"] == game["rack"][-1]

    _run(body)


def test_keys_and_shuffles_are_seen_before_the_racks() -> None:
    async def body() -> None:
        table = LocalTable("classic", deal_s=0.1, held=True)
        engine = LocalEngine(table)
        stages: list[tuple[str, int | None]] = []

        def note() -> None:
            stage = engine.view()["table"]["stage"]
            stages.append((stage["name"], stage["seat"]))

        engine.subscribe(note)
        assert engine.view()["table"]["game"] is None
        with pytest.raises(IntentRefused):
            await engine.act({"do": "discard", "tile": "r5a"})
        await until(engine, lambda view: view["table"]["game"] is not None)
        shuffles = [("shuffle", seat) for seat in range(4)]
        order = list(dict.fromkeys(stages))
        assert order == [("keys", None), *shuffles, ("deal", None), ("play", None)]
        check_view(engine.view())

    _run(body)
