"""What is typed and what is played end together."""

import asyncio

import pytest

from p2pokey.cli.evening import play_beside


async def read_to_its_end() -> None:
    """Nobody types."""


async def fail() -> None:
    raise OSError(28, "No space left on device")


def test_a_game_goes_on_when_nobody_types_any_more():
    ended: list[str] = []

    async def play() -> None:
        await asyncio.sleep(0.01)
        ended.append("game")

    asyncio.run(play_beside(play(), read_to_its_end()))
    assert ended == ["game"]


@pytest.mark.parametrize("is_reader", [True, False])
def test_what_either_fails_with_is_told_and_ends_the_other(is_reader: bool):
    ended: list[str] = []

    async def go_on() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("other")

    parts = (go_on(), fail()) if is_reader else (fail(), go_on())
    with pytest.raises(OSError, match="No space"):
        asyncio.run(play_beside(*parts))
    assert ended == ["other"]


def test_who_is_stopped_stops_both():
    ended: list[str] = []

    async def go_on(name: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(name)

    async def stop() -> None:
        task = asyncio.create_task(play_beside(go_on("game"), go_on("reader")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stop())
    assert sorted(ended) == ["game", "reader"]
