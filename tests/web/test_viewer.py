"""Replays at the real engine: own hands by id, files of the page in pieces, hostile files."""

import asyncio
import base64
import itertools
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from p2pokey.peer.table_names import FILE
from p2pokey.transcript.setup import decode_header
from p2pokey.web import play_engine, viewer
from p2pokey.web.engine import IntentRefused
from p2pokey.web.past import saved_at
from p2pokey.web.play_engine import PlayEngine
from p2pokey.web.replay_engine import ReplayEngine
from tests.cli.conftest import transcript  # noqa: F401 - a fixture
from tests.peer.memory import GROUP
from tests.web.engines import Page, engine_at
from tests.web.schema import check_game

Json = dict[str, Any]
PIECE = 36 * 1024


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayEngine]:
    monkeypatch.setattr(play_engine, "PIECE_S", 0.0)
    with engine_at(tmp_path) as made:
        yield made


def is_checked(view: Json) -> Any:
    replay = view["replay"]
    return replay and replay["reading"] is None and replay


async def upload(page: Page, data: bytes, name: str = "hand.jsonl") -> None:
    for at in range(0, len(data), PIECE):
        text = base64.b64encode(data[at : at + PIECE]).decode("ascii")
        await page.act("replay", name=name, size=len(data), at=at, data=text)


def test_an_own_hand_step_by_step_with_the_names_at_its_table(
    engine: PlayEngine,
    transcript: bytes,  # noqa: F811
):
    folder = engine.hands / "session"
    folder.mkdir(parents=True)
    (folder / "hand-001-seat-1.jsonl").write_bytes(transcript)
    keys = decode_header(transcript.partition(b"\n")[0]).roster
    people = [
        {"key": key.hex(), "name": f"Seat {n}", "is_computer": False} for n, key in enumerate(keys)
    ]
    (folder / FILE).write_text(json.dumps({"format": "p2pokey-names 0", "people": people}))

    async def main() -> None:
        page = Page(engine)
        await page.act("replay", id="session/hand-001-seat-1.jsonl")
        first = await page.until(lambda view: view["replay"])
        assert engine.view()["screen"] == "replay"
        assert (first["hand"], first["day"]) == (1, saved_at(time.time())[0])
        assert [person["name"] for person in first["people"]] == [f"Seat {n}" for n in range(4)]
        shown = await page.until(is_checked)
        assert shown["steps"] > 2
        assert shown["checks"]["status"] == "sound"
        proofs = []
        for step in range(shown["steps"]):
            await page.act("step", to=step)
            shown = engine.view()["replay"]
            assert shown["step"] == step
            proofs.append(shown["checks"]["done"])
            game = shown["game"]
            assert all(None not in rack for rack in game["racks"])
            check_game({k: v for k, v in game.items() if k != "racks"}, 4)
        assert proofs == sorted(proofs)
        assert proofs[0] > 0
        assert shown["end"]["points"]
        await page.act("step", to=99_999)
        assert engine.view()["replay"]["step"] == shown["steps"] - 1
        await page.act("step", to=0)
        await page.act("see", seat=2)
        racks = engine.view()["replay"]["game"]["racks"]
        assert [None in rack for rack in racks] == [True, True, False, True]
        assert await page.refused("see", seat=4) == "form"
        assert await page.refused("see", seat="all") == "form"
        await page.act("see", seat=None)
        await page.act("close")
        assert engine.view()["screen"] == "lobby"
        assert await page.refused("step", to=1) == "no-replay"
        await page.act("past")
        past = await page.until(lambda view: view["past"] and view["past"]["stats"] is not None)
        assert past

    asyncio.run(main())


def test_a_file_of_the_page_and_a_proof_that_does_not_hold(
    engine: PlayEngine,
    transcript: bytes,  # noqa: F811
):
    lines = transcript.split(b"\n")
    moves = [n for n, line in enumerate(lines) if b'"summary":"move' in line or b" move " in line]
    at = moves[-1] if moves else len(lines) - 8
    changed = lines[at].replace(b'"sig":"', b'"sig":"A', 1)[: len(lines[at])]
    spoilt = b"\n".join([*lines[:at], changed, *lines[at + 1 :]])

    async def main() -> None:
        page = Page(engine)
        await upload(page, spoilt, name="x" * 500 + "\u202e.jsonl")
        shown = await page.until(is_checked)
        assert shown["checks"]["status"] == "violation"
        assert len(shown["file"]) <= 80
        assert "\u202e" not in shown["file"]
        await page.act("step", to=shown["steps"])
        shown = engine.view()["replay"]
        assert shown["checks"]["failed"][0]["line"] == at + 1
        await upload(page, transcript)
        assert (await page.until(is_checked))["checks"]["status"] == "sound"

    asyncio.run(main())


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        b"{}\n",
        b"[" * 10_000 + b"\n",
        b"\xff" * 40_000,
        b'{"format":"p2pokey-transcript"}\n' * 3,
        b"no newline",
        b" " * 400_000,
    ],
)
def test_what_is_no_transcript_is_refused(engine: PlayEngine, data: bytes):
    async def main() -> str:
        page = Page(engine)
        with pytest.raises(IntentRefused) as refused:
            await upload(page, data)
        return refused.value.code

    assert asyncio.run(main()) == "unreadable"
    assert engine.view()["screen"] == "lobby"


def test_whatever_a_file_holds_the_viewer_shows_it_or_says_no(
    engine: PlayEngine,
    transcript: bytes,  # noqa: F811
):
    """Cut anywhere, lines lost, doubled and in another order, bytes changed."""
    rng = random.Random(7)
    lines = transcript.splitlines(keepends=True)

    def spoil() -> bytes:
        made = list(lines)
        match rng.randrange(4):
            case 0:
                return transcript[: rng.randrange(len(transcript))]
            case 1:
                del made[rng.randrange(len(made))]
            case 2:
                made.insert(rng.randrange(len(made)), rng.choice(made))
            case _:
                data = bytearray(transcript)
                for _ in range(3):
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                return bytes(data)
        return b"".join(made)

    async def main() -> None:
        page = Page(engine)
        for _ in range(12):
            try:
                await upload(page, spoil())
            except IntentRefused as refused:
                assert refused.code == "unreadable"  # noqa: PT017
                continue
            await page.until(lambda view: is_checked(view) or view["notice"])
            await page.act("close")

    asyncio.run(main())


@pytest.mark.parametrize(
    "piece",
    [
        {},
        {"data": 5},
        {"data": "@@@@"},
        {"data": "ışık"},
        {"data": "A" * 60_000},
        {"data": "QUJD", "size": 5, "at": 1},
        {"data": "QUJD", "size": 2, "at": 0},
        {"data": "QUJD", "size": -1, "at": 0},
        {"data": "QUJD", "size": 10**12, "at": 0},
        {"data": "QUJD", "size": 3},
        {"data": "QUJD", "size": "3", "at": "0"},
        {"data": "QUJD", "size": True, "at": False},
    ],
)
def test_pieces_without_form_are_refused(engine: PlayEngine, piece: Json):
    with pytest.raises(IntentRefused) as refused:
        asyncio.run(engine.act({"do": "replay", **piece}))
    assert refused.value.code == "form"
    assert engine.view()["screen"] == "lobby"


def test_a_closed_viewer_stops_its_audit(
    engine: PlayEngine,
    transcript: bytes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    ended = threading.Event()

    def endless(data: bytes, *, progress: Any, **more: Any) -> None:
        try:
            for done in itertools.count(1):
                progress(done, 100_000)
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(viewer, "read_replay", endless)

    async def main() -> None:
        page = Page(engine)
        await upload(page, transcript)
        await page.until(lambda view: view["replay"]["reading"]["done"] > 0)
        await page.act("close")
        await engine.close()

    asyncio.run(main())
    assert ended.is_set()


def test_a_file_that_cannot_be_read_at_all_leaves_no_page_waiting(
    engine: PlayEngine,
    transcript: bytes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    def broken(data: bytes, **more: Any) -> None:
        raise RuntimeError("a fault of the reader")

    monkeypatch.setattr(viewer, "read_replay", broken)

    async def main() -> Json:
        page = Page(engine)
        await upload(page, transcript)
        view = await page.until(lambda view: view["notice"] and view)
        await engine.close()
        return view

    view = asyncio.run(main())
    assert (view["notice"]["code"], view["replay"]) == ("internal", None)


def test_so_does_one_on_the_page_of_one_file(
    tmp_path: Path,
    transcript: bytes,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    def broken(data: bytes, **more: Any) -> None:
        raise RuntimeError("a fault of the reader")

    monkeypatch.setattr(viewer, "read_replay", broken)

    async def main() -> Json:
        replay = ReplayEngine(group=GROUP, settings=tmp_path / "page.json")
        page = Page(replay)  # type: ignore[arg-type]
        replay.open(transcript, file="hand.jsonl", name_of=lambda key: None)
        return await page.until(lambda view: view["notice"])

    assert asyncio.run(main())["code"] == "internal"
