"""Classic Okey by rule id (docs/rules/classic.md): what is allowed, what is refused and why."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import IllegalMove, InvalidMeld, InvalidRuleSet, NotYourTurn, RuleError
from p2pokey.rules import classic
from p2pokey.rules.classic_checks import is_twin
from p2pokey.rules.events import (
    FalseOkeyTurned,
    HandExhausted,
    HandFinished,
    IndicatorShown,
    IndicatorTurned,
    Reveal,
    TileDiscarded,
    TileDrawn,
    TileTaken,
    TurnPassed,
)
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import (
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    LaidMeld,
    Move,
    Pass,
    Placed,
    Show,
)
from p2pokey.rules.published import CLASSIC
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, FinishKind, Phase, left_of, partner_of, right_of
from p2pokey.rules.view import public_view
from p2pokey.tiles import FALSE_OKEYS, Seat, Slot, Tile, format_tile, parse_face, parse_tile
from tests.strategies import OpenHand, deal, deal_fixed, seeds

EXTRA, INDICATOR, TOP = 56, 57, 58
"""Slots of a table of four: the starter's extra tile, the indicator, the top of the stack."""

MELDS = "r1a r2a r3a b4a b5a b6a b7a k9a y9a r9a y10a y11a y12a y13a"
PAIRS = "r1a r1b b4a b4b k7a k7b y9a y9b r11a r11b k12a k12b y13a y13b"


def _refused(hand: OpenHand, move: Move, rule: str, error: type[RuleError] = IllegalMove) -> None:
    """The move is refused with that rule, publicly and in the mover's own view."""
    with pytest.raises(error) as raised:
        classic.apply(hand.state, move)
    assert raised.value.rule == rule
    with pytest.raises(error):
        classic.check(hand.view(hand.state.turn), move)
    assert move not in hand.legal()


def _with_rack(tiles: str, indicator: str, extra: str = "k13a", **options: bool) -> OpenHand:
    """The starter holds these 14 tiles in slots 0..13, and the extra tile."""
    fixed = {slot: parse_tile(text) for slot, text in enumerate(tiles.split())}
    fixed |= {EXTRA: parse_tile(extra), INDICATOR: parse_tile(indicator)}
    return deal_fixed(fixed, rules=ruleset_for("classic", **options))


def _finish(hand: OpenHand, discard: int = EXTRA) -> Finish:
    """Discards that slot; the others are laid in twos, since layout is for display only."""
    rack = [slot for slot in hand.state.racks[hand.state.turn] if slot != discard]
    layout = tuple(
        LaidMeld(kind=MeldKind.PAIR, tiles=(hand.placed(a), hand.placed(b)))
        for a, b in zip(rack[::2], rack[1::2], strict=True)
    )
    return Finish(hand.placed(discard), layout)


def _score(hand: OpenHand) -> tuple[int, ...]:
    return classic.score(hand.state, dict(enumerate(hand.deck)), (20,) * 4).totals


# Deal and indicator


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("starter", [0, 1])
def test_G2_slots_are_dealt_in_blocks_from_the_starter(seats, starter):
    state, events = classic.start(CLASSIC, seats, Seat(starter))
    order = [(starter + i) % seats for i in range(seats)]
    for block, seat in enumerate(order):
        expected = tuple(range(14 * block, 14 * block + 14))
        extra = (14 * seats,) if seat == starter else ()
        assert state.racks[seat] == expected + extra
    assert state.stack == tuple(range(14 * seats + 1, 106))
    assert events == (
        *(Reveal(slots=state.racks[seat], to=Seat(seat)) for seat in range(seats)),
        Reveal(slots=(Slot(14 * seats + 1),), to=None),
    )
    assert state.phase is Phase.INDICATOR
    assert classic.mover(state) is None


@pytest.mark.parametrize(("seats", "starter"), [(1, 0), (5, 0), (4, 4), (4, -1)])
def test_G2_no_deal_without_a_table(seats, starter):
    with pytest.raises(InvalidRuleSet):
        classic.start(CLASSIC, seats, Seat(starter))


def test_G1_turned_false_okeys_go_under_the_stack_face_up():
    state, _ = classic.start(CLASSIC, 4, Seat(2))
    state, events = classic.turn_indicator(state, FALSE_OKEYS[1])
    assert events == (
        FalseOkeyTurned(slot=Slot(57), tile=FALSE_OKEYS[1]),
        Reveal(slots=(Slot(58),), to=None),
    )
    assert state.phase is Phase.INDICATOR
    state, events = classic.turn_indicator(state, FALSE_OKEYS[0])
    assert events[1] == Reveal(slots=(Slot(59),), to=None)
    state, events = classic.turn_indicator(state, parse_tile("k9a"))
    assert events == (IndicatorTurned(slot=Slot(59), tile=parse_tile("k9a")),)
    assert state.indicator == 59
    assert state.stack == (*range(60, 106), 57, 58)
    assert [state.faces[slot] for slot in (57, 58)] == [FALSE_OKEYS[1], FALSE_OKEYS[0]]
    assert (state.phase, state.turn) == (Phase.PLAY, 2)


def test_G1_a_false_okey_at_the_bottom_is_drawn_without_a_reveal():
    hand = deal_fixed({INDICATOR: FALSE_OKEYS[0], 58: parse_tile("k9a")})
    assert hand.state.stack[-1] == INDICATOR
    hand = OpenHand(replace(hand.state, stack=(Slot(INDICATOR), Slot(60))), hand.deck).play_turn()
    state, events = classic.apply(hand.state, DrawStack())
    assert events == (TileDrawn(seat=Seat(1), slot=Slot(INDICATOR)),)
    hand = OpenHand(state, hand.deck)
    hand = hand.play(Discard(hand.placed(hand.state.racks[1][0])))
    _, events = classic.apply(hand.state, DrawStack())
    assert events[1] == Reveal(slots=(Slot(60),), to=Seat(2))


def test_A5_nothing_is_a_twin_before_the_indicator():
    state, _ = classic.start(CLASSIC, 4, Seat(0))
    assert not any(is_twin(state, Tile(tile)) for tile in range(106))


def test_G1_the_indicator_is_turned_once():
    with pytest.raises(IllegalMove) as raised:
        classic.turn_indicator(deal(1).state, parse_tile("k9a"))
    assert raised.value.rule == "G-1"


def test_M5_a_tile_cannot_be_turned_twice():
    state, _ = classic.start(CLASSIC, 4, Seat(0))
    state, _ = classic.turn_indicator(state, FALSE_OKEYS[1])
    with pytest.raises(IllegalMove) as raised:
        classic.turn_indicator(state, FALSE_OKEYS[1])
    assert raised.value.rule == "M-5"


@pytest.mark.parametrize(("indicator", "okey"), [("r13a", "r1"), ("y4b", "y5"), ("k1a", "k2")])
def test_okey_follows_the_indicator(indicator, okey):
    state = deal_fixed({INDICATOR: parse_tile(indicator)}).state
    assert state.okey == parse_face(okey)
    okeys = [format_tile(Tile(tile)) for tile in range(106) if state.is_okey(Tile(tile))]
    assert okeys == [okey + "a", okey + "b"]


def test_nothing_is_an_okey_before_the_indicator():
    state, _ = classic.start(CLASSIC, 4, Seat(0))
    assert state.okey is None
    assert not any(state.is_okey(Tile(tile)) for tile in range(106))


def test_seats_play_to_the_right():
    assert [right_of(Seat(seat), 4) for seat in range(4)] == [1, 2, 3, 0]
    assert [left_of(Seat(seat), 4) for seat in range(4)] == [3, 0, 1, 2]
    assert [partner_of(Seat(seat), 4) for seat in range(4)] == [2, 3, 0, 1]
    state = deal(1).state
    assert state.partner_of(Seat(1)) is None
    assert replace(state, rules=replace(CLASSIC, partners=True)).partner_of(Seat(1)) == 3


# Turns


def test_M1_nobody_moves_before_the_indicator_and_after_the_end():
    state, _ = classic.start(CLASSIC, 4, Seat(0))
    hand = deal(1)
    _refused(OpenHand(state, hand.deck), DrawStack(), "M-1")
    over = replace(hand.state, phase=Phase.OVER, ending=Ending.STACK_EMPTY)
    _refused(OpenHand(over, hand.deck), Discard(hand.placed(0)), "M-1")
    assert classic.mover(over) is None


def test_M1_a_seat_moves_in_its_own_turn_only():
    hand = deal(1)
    move = Discard(hand.placed(hand.state.racks[1][0]))
    with pytest.raises(NotYourTurn) as raised:
        classic.check(hand.view(1), move)
    assert (raised.value.rule, raised.value.seat) == ("M-1", 1)
    assert classic.legal(hand.view(1)) == ()


def test_G8_the_starter_begins_by_playing():
    hand = deal(1, starter=3)
    assert (hand.state.phase, classic.mover(hand.state)) == (Phase.PLAY, 3)
    _refused(hand, DrawStack(), "M-2")
    _refused(hand, DrawLeft(), "M-2")
    assert len([move for move in hand.legal() if isinstance(move, Discard)]) == 15


def test_G8_the_starter_may_finish_at_once():
    hand = _with_rack(MELDS, "k2a")
    assert hand.play(_finish(hand)).state.finish is not None


def test_M2_a_tile_is_drawn_before_playing():
    hand = deal(1).play_turn()
    own = hand.placed(hand.state.racks[1][0])
    _refused(hand, Discard(own), "M-2")
    _refused(hand, Finish(own, ()), "M-2")


def test_M2_only_one_tile_is_drawn():
    hand = deal(1).play_turn().play(DrawStack())
    _refused(hand, DrawStack(), "M-2")
    _refused(hand, DrawLeft(), "M-2")


def test_a_drawn_tile_goes_to_the_end_of_the_rack_and_to_its_drawer_alone():
    hand = deal(1).play_turn()
    state, events = classic.apply(hand.state, DrawStack())
    assert state.racks[1] == (*hand.state.racks[1], TOP)
    assert state.stack == hand.state.stack[1:]
    assert state.faces == hand.state.faces
    assert events == (
        TileDrawn(seat=Seat(1), slot=Slot(TOP)),
        Reveal(slots=(Slot(TOP),), to=Seat(1)),
    )


def test_M3_an_empty_stack_and_an_empty_pile_give_nothing():
    hand = deal(1).play_turn()
    empty = replace(hand.state, stack=(), discards=((), (), (), ()))
    _refused(OpenHand(empty, hand.deck), DrawStack(), "M-3")
    _refused(OpenHand(empty, hand.deck), DrawLeft(), "M-3")


def test_A8_the_second_seat_may_take_the_starters_first_discard():
    hand = deal(1).play_turn()
    assert hand.state.discards[0] == (EXTRA,)
    state, events = classic.apply(hand.state, DrawLeft())
    assert state.racks[1] == (*hand.state.racks[1], EXTRA)
    assert state.discards[0] == ()
    assert state.taken == EXTRA
    assert events == (TileTaken(seat=Seat(1), slot=Slot(EXTRA), tile=hand.deck[EXTRA]),)


def test_a_discard_closes_the_gap_and_passes_the_turn():
    hand = deal(1)
    rack = hand.state.racks[0]
    state, events = classic.apply(hand.state, Discard(hand.placed(rack[4])))
    assert state.racks[0] == rack[:4] + rack[5:]
    assert state.discards[0] == (rack[4],)
    assert state.faces[rack[4]] == hand.deck[rack[4]]
    assert (state.phase, state.turn, state.turns_taken) == (Phase.DRAW, 1, (1, 0, 0, 0))
    assert events == (TileDiscarded(seat=Seat(0), slot=rack[4], tile=hand.deck[rack[4]]),)


def test_only_the_top_of_the_left_pile_is_taken():
    hand = deal(1)
    for _ in range(4):
        hand = hand.play_turn()
    hand = hand.play(DrawStack())
    hand = hand.play(Discard(hand.placed(hand.state.racks[0][0])))
    assert len(hand.state.discards[0]) == 2
    after = hand.play(DrawLeft()).state
    assert after.racks[1][-1] == hand.state.discards[0][-1]
    assert after.discards[0] == hand.state.discards[0][:-1]


def test_M4_tiles_of_other_places_are_not_played():
    hand = deal(1)
    for slot in (hand.state.racks[1][0], INDICATOR, hand.state.stack[0]):
        _refused(hand, Discard(hand.placed(slot)), "M-4")


def test_M4_no_tile_is_used_twice():
    hand = _with_rack(MELDS, "k2a")
    finish = _finish(hand)
    again = LaidMeld(kind=MeldKind.PAIR, tiles=(hand.placed(0), hand.placed(0)))
    _refused(hand, Finish(finish.discard, (again, *finish.melds[1:])), "M-4")
    alike = LaidMeld(kind=MeldKind.PAIR, tiles=(hand.placed(0), Placed(Slot(1), hand.deck[0])))
    _refused(hand, Finish(finish.discard, (alike, *finish.melds[1:])), "M-4")


def test_M5_a_seat_claims_only_what_it_knows_to_be_true():
    hand = deal(1)
    with pytest.raises(IllegalMove) as raised:
        classic.check(hand.view(0), Discard(Placed(Slot(0), hand.deck[1])))
    assert raised.value.rule == "M-5"
    # Publicly the slot is concealed; there the deck's proof decides.
    classic.check(public_view(hand.state), Discard(Placed(Slot(0), hand.deck[1])))


def test_M5_public_tiles_cannot_be_claimed_elsewhere():
    hand = deal(1)
    _refused(hand, Discard(Placed(Slot(0), hand.deck[INDICATOR])), "M-5")
    taken = hand.play_turn().play(DrawLeft())
    _refused(taken, Finish(Placed(Slot(EXTRA), hand.deck[0]), ()), "M-5")


def test_G9_the_tile_just_taken_is_not_discarded():
    hand = deal(1).play_turn().play(DrawLeft())
    _refused(hand, Discard(hand.placed(EXTRA)), "G-9")
    assert len([move for move in hand.legal() if isinstance(move, Discard)]) == 14


def test_A12_option_lets_the_taken_tile_be_discarded():
    rules = ruleset_for("classic", discard_taken=True)
    hand = deal(1, rules=rules).play_turn().play(DrawLeft())
    assert hand.play(Discard(hand.placed(EXTRA))).state.discards[1] == (EXTRA,)


def test_G9_binds_for_that_turn_only():
    hand = deal(1).play_turn().play(DrawLeft())
    hand = hand.play(Discard(hand.placed(hand.state.racks[1][0])))
    for _ in range(3):
        hand = hand.play_turn()
    hand = hand.play(DrawStack())
    assert Discard(hand.placed(EXTRA)) in hand.legal()


def test_A12_the_tile_just_taken_may_finish():
    fixed = {slot: parse_tile(text) for slot, text in enumerate(MELDS.split(), start=14)}
    fixed |= {EXTRA: parse_tile("k13a"), INDICATOR: parse_tile("k2a")}
    hand = deal_fixed(fixed).play_turn().play(DrawLeft())
    assert hand.state.taken == EXTRA
    _refused(hand, Discard(hand.placed(EXTRA)), "G-9")
    assert hand.play(_finish(hand)).state.ending is Ending.FINISHED


# Showing the indicator's twin


def test_A5_the_twin_is_shown_in_the_first_turn_and_stays_on_the_rack():
    hand = deal_fixed({INDICATOR: parse_tile("b5a"), 3: parse_tile("b5b")})
    move = Show(hand.placed(3))
    assert move in hand.legal()
    state, events = classic.apply(hand.state, move)
    assert events == (IndicatorShown(seat=Seat(0), slot=Slot(3), tile=parse_tile("b5b")),)
    assert state.racks == hand.state.racks
    assert state.faces[3] == parse_tile("b5b")
    assert (state.shown_by, state.phase, state.turn) == (0, Phase.PLAY, 0)


@pytest.mark.parametrize("draws_first", [False, True])
def test_A5_other_seats_show_before_or_after_drawing(draws_first):
    hand = deal_fixed({INDICATOR: parse_tile("b5a"), 14: parse_tile("b5b")}).play_turn()
    hand = hand.play(DrawStack()) if draws_first else hand
    after = hand.play(Show(hand.placed(14)))
    assert after.state.phase is hand.state.phase
    assert after.state.shown_by == 1


def test_A5_a_twin_that_was_drawn_or_taken_counts():
    drawn = deal_fixed({INDICATOR: parse_tile("b5a"), TOP: parse_tile("b5b")}).play_turn()
    drawn = drawn.play(DrawStack())
    assert drawn.play(Show(drawn.placed(TOP))).state.shown_by == 1
    taken = deal_fixed({INDICATOR: parse_tile("b5a"), EXTRA: parse_tile("b5b")}).play_turn()
    taken = taken.play(DrawLeft())
    assert taken.play(Show(taken.placed(EXTRA))).state.shown_by == 1


def test_A5_not_in_a_later_turn():
    hand = deal_fixed({INDICATOR: parse_tile("b5a"), 3: parse_tile("b5b")})
    for _ in range(4):
        hand = hand.play_turn()
    _refused(hand, Show(hand.placed(3)), "A-5")
    hand = hand.play(DrawStack())
    _refused(hand, Show(hand.placed(3)), "A-5")


def test_A5_only_once_in_a_hand():
    hand = deal_fixed({INDICATOR: parse_tile("b5a"), 3: parse_tile("b5b")})
    hand = hand.play(Show(hand.placed(3)))
    _refused(hand, Show(hand.placed(3)), "A-5")
    assert not any(isinstance(move, Show) for move in hand.legal())


def test_A5_no_other_tile_is_a_twin():
    hand = deal_fixed(
        {
            INDICATOR: parse_tile("b5a"),
            0: parse_tile("b6a"),
            1: parse_tile("r5a"),
            2: FALSE_OKEYS[0],
        }
    )
    for slot in (0, 1, 2):
        _refused(hand, Show(hand.placed(slot)), "A-5")


# Finishing


def test_a_finish_ends_the_hand_and_opens_the_rack():
    hand = _with_rack(MELDS, "k2a")
    move = _finish(hand)
    state, events = classic.apply(hand.state, move)
    assert (state.phase, state.ending) == (Phase.OVER, Ending.FINISHED)
    assert state.racks[0] == tuple(range(14))
    assert state.discards[0] == (EXTRA,)
    assert all(state.faces[slot] == hand.deck[slot] for slot in (*range(14), EXTRA))
    record = state.finish
    assert record is not None
    assert (record.seat, record.discard, record.kind) == (0, EXTRA, FinishKind.MELDS)
    assert record.layout == move.melds
    assert events == (HandFinished(finish=record),)
    assert classic.legal(public_view(state)) == ()


@pytest.mark.parametrize(
    ("rack", "discard", "reason", "loss"),
    [
        (MELDS, "k13a", "finish-melds", 2),
        (MELDS, "**a", "finish-melds", 2),
        (MELDS, "k3a", "finish-melds-okey", 4),
        (PAIRS, "b8a", "finish-pairs", 4),
        (PAIRS, "k3a", "finish-pairs-okey", 8),
    ],
)
def test_A3_losses(rack, discard, reason, loss):
    hand = _with_rack(rack, "k2a", extra=discard)
    hand = hand.play(_finish(hand))
    score = classic.score(hand.state, {}, (20, 15, 9, 3))
    assert score.points == (0, -loss, -loss, -loss)
    assert score.totals == (20, 15 - loss, 9 - loss, 3 - loss)
    assert score.reason == reason


@pytest.mark.parametrize(
    ("rule", "rack", "indicator", "kind"),
    [
        ("A-1", MELDS.replace("r1a r2a r3a", "r12a r13a r1a"), "k2a", FinishKind.MELDS),
        ("A-1", MELDS.replace("r1a r2a r3a", "r12a r13a k3a"), "k2a", FinishKind.MELDS),
        ("A-1", MELDS.replace("r1a r2a r3a", "r13a k3a k3b"), "k2a", FinishKind.MELDS),
        ("A-2", PAIRS.replace("r1a r1b", "k3a k3b"), "k2a", FinishKind.PAIRS),
        ("A-4", PAIRS.replace("r1a r1b b4a b4b", "r1a k3a b4a k3b"), "k2a", FinishKind.PAIRS),
        ("A-4", PAIRS.replace("r1a r1b", "**a **b"), "k2a", FinishKind.PAIRS),
        ("A-4", PAIRS.replace("r1a r1b", "**a k3a"), "k2a", FinishKind.PAIRS),
        ("G-5", MELDS.replace("r1a r2a r3a", "k2a k3a k4a"), "k2b", FinishKind.MELDS),
        ("G-5", MELDS.replace("r1a r2a r3a", "k4a **a k5a"), "k2b", FinishKind.MELDS),
        ("G-6", MELDS.replace("r1a r2a r3a", "r1a k3a k3b"), "k2a", FinishKind.MELDS),
        (
            "G-20",
            "r1a r2a r3a r4a r5a r6a r7a r8a r9a r10a r11a r12a r13a r1b",
            "k2a",
            FinishKind.MELDS,
        ),
        (
            "A-11",
            "r1a r1b r2a r2b r3a r3b k5a k5b k6a k6b k7a k7b k8a k8b",
            "y2a",
            FinishKind.PAIRS,
        ),
    ],
)
def test_finishing_rack(rule, rack, indicator, kind):
    extra = "y7a"
    hand = _with_rack(rack, indicator, extra=extra)
    record = hand.play(_finish(hand)).state.finish
    assert record is not None
    assert record.kind is kind
    assert any(isinstance(move, Finish) and move.discard.slot == EXTRA for move in hand.legal())


@pytest.mark.parametrize(
    ("rule", "rack"),
    [
        ("A-1", MELDS.replace("r1a r2a r3a", "r13a r1a r2a")),
        ("A-1", MELDS.replace("r1a r2a r3a", "r13a k3a r2a")),
        ("A-4", PAIRS.replace("r1a r1b", "**a r1b")),
        ("A-9", MELDS.replace("r1a", "r4b").replace("k9a", "k10a")),
        ("A-9", PAIRS.replace("r1a", "r2a")),
        ("G-5", MELDS.replace("r1a r2a r3a", "r1a **a r3a")),
    ],
)
def test_rack_that_does_not_finish(rule, rack):
    hand = _with_rack(rack, "k2a", extra="y7b")
    _refused(hand, _finish(hand), "A-9", InvalidMeld)
    assert not any(isinstance(move, Finish) for move in hand.legal())


def test_A9_any_layout_of_a_valid_hand_is_accepted():
    hand = _with_rack(MELDS, "k2a")
    proper = [move for move in hand.legal() if isinstance(move, Finish)]
    assert _finish(hand) not in proper
    clumsy = hand.play(_finish(hand)).state
    assert clumsy.finish is not None
    for move in proper:
        after = hand.play(move).state
        assert after.finish is not None
        assert after.finish.kind is clumsy.finish.kind


def test_A9_a_layout_holds_exactly_the_other_fourteen():
    hand = _with_rack(MELDS, "k2a")
    whole = _finish(hand)
    _refused(hand, Finish(whole.discard, whole.melds[1:]), "A-9")
    _refused(hand, Finish(whole.discard, ()), "A-9")
    with_discard = LaidMeld(kind=MeldKind.RUN, tiles=(*whole.melds[0].tiles, hand.placed(EXTRA)))
    _refused(hand, Finish(whole.discard, (with_discard, *whole.melds[1:])), "M-4")
    foreign = LaidMeld(kind=MeldKind.PAIR, tiles=(hand.placed(0), hand.placed(14)))
    _refused(hand, Finish(whole.discard, (foreign, *whole.melds[1:])), "M-4")


def test_A10_a_finished_hand_may_be_played_on():
    hand = _with_rack(MELDS, "k2a")
    assert hand.play(Discard(hand.placed(EXTRA))).state.phase is Phase.DRAW


def test_every_discard_that_finishes_is_offered():
    tiles = MELDS + " y9b"
    fixed = {slot: parse_tile(text) for slot, text in enumerate(tiles.split()[:14])}
    hand = deal_fixed({**fixed, EXTRA: parse_tile("y9b"), INDICATOR: parse_tile("k2a")})
    offered = {format_tile(move.discard.tile) for move in hand.legal() if isinstance(move, Finish)}
    assert offered == {"b4a", "b7a", "y13a", "y9a", "y9b"}


# The end without a finisher


def _nearly_empty(seed: int = 1, left: int = 1, **options: bool) -> OpenHand:
    """Seat 1 is to draw; that many tiles are left."""
    hand = deal(seed, rules=ruleset_for("classic", **options)).play_turn()
    return OpenHand(replace(hand.state, stack=hand.state.stack[:left]), hand.deck)


def test_G7_the_hand_ends_with_the_turn_that_drew_the_last_tile():
    hand = _nearly_empty().play(DrawStack())
    assert hand.state.phase is Phase.PLAY
    move = Discard(hand.placed(hand.state.racks[1][0]))
    state, events = classic.apply(hand.state, move)
    assert (state.phase, state.ending) == (Phase.OVER, Ending.STACK_EMPTY)
    assert events[-1] == HandExhausted(ending=Ending.STACK_EMPTY)
    assert classic.mover(state) is None


def test_G7_taking_a_discard_leaves_the_last_tile():
    hand = _nearly_empty().play(DrawLeft())
    hand = hand.play(Discard(hand.placed(hand.state.racks[1][0])))
    assert hand.state.phase is Phase.DRAW


def test_G7_the_last_tile_may_finish():
    fixed = {slot: parse_tile(text) for slot, text in enumerate(MELDS.split(), start=14)}
    fixed |= {TOP: parse_tile("k13a"), INDICATOR: parse_tile("k2a")}
    hand = deal_fixed(fixed).play_turn()
    hand = OpenHand(replace(hand.state, stack=(Slot(TOP),)), hand.deck).play(DrawStack())
    assert hand.play(_finish(hand, TOP)).state.ending is Ending.FINISHED


def test_G7_passing_is_refused_while_there_is_a_stack():
    _refused(_nearly_empty(), Pass(), "G-7")
    _refused(_nearly_empty().play(DrawStack()), Pass(), "M-2")


def test_G7_option_offers_the_last_discard_once():
    hand = _nearly_empty(last_discard_offer=True).play_turn()
    assert (hand.state.phase, hand.state.turn, hand.state.stack) == (Phase.DRAW, 2, ())
    assert hand.legal() == (DrawLeft(), Pass())
    passed, events = classic.apply(hand.state, Pass())
    assert events == (TurnPassed(seat=Seat(2)), HandExhausted(ending=Ending.STACK_EMPTY))
    assert passed.ending is Ending.STACK_EMPTY
    taken = hand.play(DrawLeft())
    after = taken.play(Discard(taken.placed(taken.state.racks[2][0])))
    assert after.state.ending is Ending.STACK_EMPTY


def test_G17_a_hand_ends_after_the_turn_limit():
    assert CLASSIC.turn_limit == 240
    hand = deal(1, rules=replace(CLASSIC, turn_limit=3)).play_turn().play_turn()
    assert hand.state.phase is Phase.DRAW
    hand = hand.play(DrawStack())
    move = Discard(hand.placed(hand.state.racks[2][-1]))
    state, events = classic.apply(hand.state, move)
    assert (state.turn_count, state.phase) == (3, Phase.OVER)
    assert state.ending is Ending.TURN_LIMIT
    assert events[-1] == HandExhausted(ending=Ending.TURN_LIMIT)


def test_G17_seats_that_keep_taking_discards_come_to_an_end():
    hand = deal(7)
    while classic.mover(hand.state) is not None:
        if hand.state.phase is Phase.DRAW:
            hand = hand.play(DrawLeft())
        hand = hand.play(Discard(hand.placed(hand.state.racks[hand.state.turn][0])))
    assert hand.state.ending is Ending.TURN_LIMIT
    assert hand.state.turns_taken == (60, 60, 60, 60)


# Scoring


def _shown_and_over(finishes: bool, **options: bool) -> OpenHand:
    """Seat 0 shows; the hand then ends by seat 0's finish or exhausted."""
    rack = MELDS.replace("r1a r2a r3a", "k2b k1a r5a") if not finishes else MELDS
    indicator = "k2a" if not finishes else "y13b"
    hand = _with_rack(rack, indicator, **options)
    twin = rack.split().index("k2b" if not finishes else "y13a")
    hand = hand.play(Show(hand.placed(twin)))
    if finishes:
        return hand.play(_finish(hand))
    hand = hand.play_turn()
    return OpenHand(replace(hand.state, stack=hand.state.stack[:1]), hand.deck).play_turn()


def test_A5_a_shown_indicator_costs_the_others_one_point():
    assert _score(_shown_and_over(finishes=True)) == (20, 17, 17, 17)


def test_A6_an_exhausted_hand_scores_nothing():
    hand = _shown_and_over(finishes=False)
    score = classic.score(hand.state, {}, (20,) * 4)
    assert (score.points, score.reason) == ((0, 0, 0, 0), "exhausted")


def test_A6_option_lets_the_shown_indicator_count():
    hand = _shown_and_over(finishes=False, show_survives_drawout=True)
    assert _score(hand) == (20, 19, 19, 19)


@given(seeds, st.lists(st.integers(-30, 30), min_size=4, max_size=4))
def test_G15_nobody_is_credited(seed, totals):
    hand = deal(seed, rules=replace(CLASSIC, turn_limit=1)).play_turn()
    score = classic.score(hand.state, {}, tuple(totals))
    assert score.points == (0, 0, 0, 0)
    assert score.totals == tuple(totals)
