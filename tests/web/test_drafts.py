"""Unfinished work of a hand comes back whole, also where a tile is read late."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from p2pokey.rules.view import View
from p2pokey.web import drafts
from p2pokey.web.drafts import Drafts
from tests.rules.open_hands import position

Json = dict[str, Any]


def whole_view() -> View:
    return position("101-classic", "r1a r2a r3a k5a b9a").view(0)


def names_of(view: View) -> list[str]:
    return [str(name) for name in drafts.tile_names(tile for _, tile in view.rack())]


def kept_by_an_earlier_run(view: View) -> bytes:
    """Three tiles are a meld; the rest lies in a row."""
    written: list[bytes] = []

    async def main() -> None:
        before = Drafts(keep=written.append)
        before.begin(0)
        assert before.restore(b"", view)
        before.put_layout([names_of(view)])
        before.put_stage(view, [names_of(view)[:3]])
        before.flush()

    asyncio.run(main())
    return written[-1]


def without_first_tile(view: View) -> View:
    """The same view before a token for the first tile is there."""
    slot = view.rack()[0][0]
    return replace(view, private=tuple(item for item in view.private if item[0] != slot))


def come_back() -> Drafts:
    again = Drafts(keep=lambda data: None)
    again.begin(0)
    return again


def test_a_rack_is_shown_once_all_of_it_can_be_read() -> None:
    view = whole_view()
    kept, again = kept_by_an_earlier_run(view), come_back()

    async def main() -> None:
        assert not again.restore(kept, without_first_tile(view))
        assert again.restore(kept, view)

    asyncio.run(main())
    staged = again.staged(view)
    assert staged is not None
    assert [len(meld["tiles"]) for meld in staged["melds"]] == [3]
    assert again.layout == [names_of(view)]


def test_it_is_not_waited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "READ_S", 0.01)
    view = whole_view()
    kept, again = kept_by_an_earlier_run(view), come_back()

    async def main() -> None:
        over = asyncio.Event()
        again.on_change = over.set
        assert not again.restore(kept, without_first_tile(view))
        async with asyncio.timeout(60):
            await over.wait()
        assert again.restore(kept, without_first_tile(view))

    asyncio.run(main())
    assert again.layout == [names_of(view)]


@pytest.mark.parametrize("kept", [b"", b"[]", b"no json", json.dumps({"attempt": 7}).encode()])
def test_without_work_of_this_hand_nothing_is_waited_for(kept: bytes) -> None:
    assert come_back().restore(kept, without_first_tile(whole_view()))
