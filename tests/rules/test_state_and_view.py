"""The state's bytes as documented, and views that hold no more than their seat may know."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import LocalProtocolError
from p2pokey.rules import classic
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.move_codec import encode_melds
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, LaidMeld, Pass, Placed, Show
from p2pokey.rules.published import CLASSIC
from p2pokey.rules.rulesets import ruleset_hash
from p2pokey.rules.state import (
    Ending,
    FinishKind,
    FinishRecord,
    HandState,
    Phase,
    canonical_bytes,
    state_hash,
)
from p2pokey.rules.view import View, public_view
from p2pokey.tiles import Seat, Slot, parse_tile
from tests.strategies import OpenHand, deal, deal_fixed, open_hands


def _read(data: bytes) -> dict[str, object]:
    """Parses the byte table of state.py, field by field."""
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        at += count
        assert at <= len(data)
        return data[at - count : at]

    def slots() -> tuple[int, ...]:
        return tuple(take(take(1)[0]))

    head = {"version": take(1)[0], "rules": take(64)}
    names = ("seats", "starter", "phase", "ending", "turn", "indicator", "taken", "shown_by")
    head |= {name: take(1)[0] for name in names}
    seats = head["seats"]
    head["turns_taken"] = tuple(int.from_bytes(take(2), "little") for _ in range(seats))
    head["racks"] = tuple(slots() for _ in range(seats))
    head["stack"] = slots()
    head["discards"] = tuple(slots() for _ in range(seats))
    head["faces"] = tuple(take(106))
    head["finish"] = take(len(data) - at)
    return head


def _byte(value: int | None) -> int:
    return 255 if value is None else value


@given(open_hands())
@settings(max_examples=40, deadline=None)
def test_canonical_bytes_follow_the_table(hand):
    state = hand.state
    read = _read(canonical_bytes(state))
    finish = b"\x00"
    if state.finish is not None:
        record = state.finish
        finish = bytes((1, record.seat, record.discard, record.kind, record.okey_discarded))
        finish += encode_melds(record.layout)
    assert read == {
        "version": 1,
        "rules": ruleset_hash(state.rules),
        "seats": state.seats,
        "starter": state.starter,
        "phase": state.phase,
        "ending": state.ending,
        "turn": state.turn,
        "indicator": _byte(state.indicator),
        "taken": _byte(state.taken),
        "shown_by": _byte(state.shown_by),
        "turns_taken": state.turns_taken,
        "racks": state.racks,
        "stack": state.stack,
        "discards": state.discards,
        "faces": tuple(map(_byte, state.faces)),
        "finish": finish + b"\x00",  # no table in Classic Okey
    }


def _variations(state: HandState) -> list[HandState]:
    record = FinishRecord(
        seat=Seat(1), discard=Slot(3), kind=FinishKind.PAIRS, okey_discarded=False, layout=()
    )
    return [
        state,
        replace(state, rules=replace(CLASSIC, discard_taken=True)),
        replace(state, starter=Seat(1)),
        replace(state, phase=Phase.OVER),
        replace(state, ending=Ending.STACK_EMPTY),
        replace(state, turn=Seat(1)),
        replace(state, indicator=None),
        replace(state, taken=Slot(3)),
        replace(state, shown_by=Seat(0)),
        replace(state, turns_taken=(0, 1, 0, 0)),
        replace(state, turns_taken=(256, 0, 0, 0)),
        replace(state, racks=state.racks[::-1]),
        replace(state, stack=state.stack[1:]),
        replace(state, stack=state.stack[::-1]),
        replace(state, discards=((Slot(3),), (), (), ())),
        replace(state, discards=((), (Slot(3),), (), ())),
        replace(state, faces=(parse_tile("r1a"), *state.faces[1:])),
        replace(state, finish=record),
        replace(state, finish=replace(record, kind=FinishKind.MELDS)),
        replace(state, finish=replace(record, okey_discarded=True)),
    ]


def test_every_field_reaches_the_hash():
    variations = _variations(deal(1).state)
    assert len({state_hash(state) for state in variations}) == len(variations)
    assert len(state_hash(variations[0])) == 64


@given(open_hands())
@settings(max_examples=40, deadline=None)
def test_a_view_knows_its_own_rack_and_what_is_public(hand):
    for seat in range(hand.state.seats):
        view = hand.view(seat)
        for slot in range(106):
            face = view.face(Slot(slot))
            may_know = hand.state.faces[slot] is not None or slot in hand.state.racks[seat]
            assert face == (hand.deck[slot] if may_know else None)
        assert view.rack() == tuple((slot, hand.deck[slot]) for slot in hand.state.racks[seat])
    assert public_view(hand.state).rack() == ()


@given(open_hands())
@settings(max_examples=20, deadline=None)
def test_json_shows_no_concealed_tile(hand):
    for view in (*map(hand.view, range(hand.state.seats)), public_view(hand.state)):
        text = view.to_json()
        value = json.loads(text)
        assert text == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        places = [
            *(place for rack in value["racks"] for place in rack),
            *(place for pile in value["discards"] for place in pile),
            *value["stack"]["public"],
        ]
        shown = {place["slot"]: place["tile"] for place in places if place["tile"] is not None}
        known = {slot for slot in range(106) if view.face(Slot(slot)) is not None}
        assert set(shown) | {hand.state.indicator} == known
        assert value["stack"]["count"] == len(hand.state.stack)
        assert value["seat"] == view.seat


def test_json_of_a_finished_hand_has_the_layout():
    state = deal(1).state
    record = FinishRecord(
        seat=Seat(1),
        discard=Slot(3),
        kind=FinishKind.PAIRS,
        okey_discarded=True,
        layout=(LaidMeld(kind=MeldKind.PAIR, tiles=(Placed(14, 2), Placed(15, 3))),),
    )
    value = json.loads(public_view(replace(state, finish=record)).to_json())
    assert value["finish"] == {
        "discard": 3,
        "kind": "pairs",
        "layout": [{"kind": "pair", "slots": [14, 15]}],
        "okey_discarded": True,
        "seat": 1,
    }


@given(hand=open_hands(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_view_of_a_tile_of_another_place_is_refused(hand, data):
    state = hand.state
    seat = Seat(data.draw(st.integers(0, state.seats - 1)))
    concealed = [slot for slot in range(106) if state.faces[slot] is None]
    foreign = [slot for slot in concealed if slot not in state.racks[seat]]
    slot = Slot(data.draw(st.sampled_from(foreign)))
    with pytest.raises(LocalProtocolError):
        View(state=state, seat=seat, private=((slot, hand.deck[slot]),))


def test_a_view_cannot_contradict_what_is_public():
    hand = deal(1)
    known, slot = hand.deck[57], Slot(0)
    for private in (
        ((slot, known),),
        ((slot, hand.deck[0]), (slot, hand.deck[0])),
        ((slot, hand.deck[0]), (Slot(1), hand.deck[0])),
        ((Slot(57), known),),
    ):
        with pytest.raises(LocalProtocolError):
            View(state=hand.state, seat=Seat(0), private=private)
    with pytest.raises(LocalProtocolError):
        View(state=hand.state, seat=None, private=((slot, hand.deck[0]),))


def test_a_view_has_no_private_face_for_a_public_slot():
    hand = deal_fixed({57: parse_tile("b5a"), 3: parse_tile("b5b")})
    state = hand.play(Show(hand.placed(3))).state
    with pytest.raises(LocalProtocolError):
        View(state=state, seat=Seat(0), private=((Slot(3), hand.deck[90]),))


def test_a_drawn_tile_is_unknown_until_it_has_been_opened():
    hand = deal(1).play_turn()
    before = hand.view(1)
    state = hand.play(DrawStack()).state
    view = View(state=state, seat=Seat(1), private=before.private)
    assert view.face(Slot(58)) is None
    assert len(view.rack()) == 14
    discards = [move for move in classic.legal(view) if isinstance(move, Discard)]
    assert [move.placed.slot for move in discards] == list(before.state.racks[1])


def test_a_public_view_has_only_moves_without_tiles():
    hand = deal(1)
    assert classic.legal(public_view(hand.state)) == ()
    hand = hand.play_turn()
    assert classic.legal(public_view(hand.state)) == (DrawStack(), DrawLeft())
    empty = OpenHand(replace(hand.state, stack=()), hand.deck)
    assert Pass() in classic.legal(public_view(empty.state))
