"""What the solvers find comes after the view, and never of another rack."""

import asyncio

from p2pokey.tiles import format_tile
from p2pokey.web.helping import NO_HINTS, Helper
from tests.web.courses import course


def test_sorts_and_hints_come_a_moment_later():
    (first, _), *_, (last, _) = [
        (view, move) for view, move in course("101-rising", 1) if len(view.rack()) == 21
    ]
    news: asyncio.Queue[int] = asyncio.Queue()

    async def main() -> None:
        helper = Helper(on_change=lambda: news.put_nowait(1))
        for view in (first, last):
            assert helper.sorts(view) is None, "never of another rack"
            assert helper.hints(view) is not None
            async with asyncio.timeout(60):
                await news.get()
                await news.get()
            sorts = helper.sorts(view)
            assert sorts is not None
            tiles = sorted(tile for group in sorts["runs"] for tile in group)
            assert tiles == sorted(format_tile(tile) for _, tile in view.rack())
            assert helper.sorts(view) is sorts, "it is computed once"
            assert helper.hints(view)["opening"] is not None

    asyncio.run(main())
    assert news.empty()


def test_where_there_is_nothing_to_mark_help_is_offered_all_the_same():
    view, _ = next(iter(course("classic", 1)))

    async def main() -> None:
        helper = Helper(on_change=lambda: None)
        assert helper.hints(view) == NO_HINTS
        await asyncio.sleep(0.1)
        assert helper.hints(view) == NO_HINTS

    asyncio.run(main())
