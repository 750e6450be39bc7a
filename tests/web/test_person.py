"""The person before the page: asked, answering, refused, replaced."""

import asyncio

import pytest

from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Discard, DrawStack, Placed
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.web.engine import IntentRefused
from p2pokey.web.person import PagePerson


def first_view() -> View:
    """The duel's first turn as its starter sees it: there is a stack to draw from."""
    rules = ruleset_for("duel")
    state, _ = engine_for(rules).start(rules, 2, Seat(0))
    private = tuple((slot, Tile(number)) for number, slot in enumerate(state.racks[0]))
    return View(state=state, seat=Seat(0), private=private)


def test_the_answer_is_the_move():
    async def main():
        told = []
        person = PagePerson(lambda: told.append(person.asked is not None))
        asking = asyncio.create_task(person.choose(first_view()))
        await asyncio.sleep(0)
        person.play(DrawStack())
        return await asking, told, person.asked

    move, told, asked = asyncio.run(main())
    assert move == DrawStack()
    assert told == [True, False]
    assert asked is None


def test_what_the_rules_forbid_is_refused_and_asked_again():
    async def main():
        person = PagePerson(lambda: None)
        asking = asyncio.create_task(person.choose(first_view()))
        await asyncio.sleep(0)
        with pytest.raises(IntentRefused) as refused:
            person.play(Discard(Placed(Slot(0), Tile(0))))
        still = person.asked is not None
        person.play(DrawStack())
        with pytest.raises(IntentRefused):
            person.play(DrawStack())
        return refused.value, still, await asking

    refused, still, move = asyncio.run(main())
    assert refused.code == "rule"
    assert refused.details["rule"]
    assert still
    assert move == DrawStack()


def test_nobody_moves_who_is_not_asked():
    person = PagePerson(lambda: None)
    with pytest.raises(IntentRefused) as refused:
        person.play(DrawStack())
    assert refused.value.code == "not-your-turn"


def test_another_may_move_instead():
    async def main():
        person = PagePerson(lambda: None)
        asking = asyncio.create_task(person.choose(first_view()))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        return person.asked

    assert asyncio.run(main()) is None
