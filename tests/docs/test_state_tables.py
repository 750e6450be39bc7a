"""The tables of transcript-format.md section 8 hold for hands of every game.

Hands of computer players, of players who err and undo, and scenes of what is rare. Their states are
read by the tables of the document, and their moves replayed by state_changes.py and open_changes.py,
which know the document and not the code; both must give the same bytes after every step.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import pytest

from p2pokey.rules.engine import engine_for
from p2pokey.rules.move_codec import encode_move
from p2pokey.rules.move_text import parse_move
from p2pokey.rules.moves import (
    ClaimFinish,
    DrawLeft,
    DrawStack,
    GoPairs,
    Lay,
    Move,
    Open,
    Pass,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.published import OPTIONS, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import canonical_bytes as rules_text
from p2pokey.rules.rulesets import ruleset_for, ruleset_hash, table_options
from p2pokey.rules.state import HandState, Phase, canonical_bytes
from p2pokey.tiles import Seat, Tile
from tests.bots.decks import okey_deck, rich_deck, shuffled
from tests.bots.hands import play_hand
from tests.docs import worked_example
from tests.docs.open_changes import OpenHand
from tests.docs.state_bytes import (
    FIELDS,
    Form,
    charge_fields,
    checkpoint_fields,
    duel_table_fields,
    meld_fields,
    open_table_fields,
    record,
    state_fields,
    tables_of,
)
from tests.docs.state_changes import Hand, Record, deal
from tests.docs.test_docs import number
from tests.rules.duels import position as duel_position
from tests.rules.open_hands import OPEN_KEYS, FaceUp, position, turned
from tests.rules.open_players import play_on


class Played(NamedTuple):
    """A hand from its deal on, or a scene of one."""

    state: HandState
    deck: Sequence[Tile]
    moves: Sequence[Move]


# Whole hands -------------------------------------------------------------------------------------


def dealt(rules: RuleSet, starter: int = 0) -> HandState:
    """The state after the deal."""
    return engine_for(rules).start(rules, rules.players, Seat(starter))[0]


def by_bots(rules: RuleSet, deck: Sequence[Tile]) -> Played:
    """A hand of computer players."""
    moves = [move for _, move in play_hand(rules, "replay", deck=deck).moves]
    return Played(dealt(rules), deck, moves)


def by_erring(rules: RuleSet, deck: Sequence[Tile], starter: int) -> Played:
    """A hand of players that fail, claim, return and take back."""
    hand = turned(FaceUp(dealt(rules, starter), tuple(deck)))
    steps = play_on(hand, random.Random(f"erring {rules.key}"))
    return Played(dealt(rules, starter), deck, [move for _, move, _, _ in steps])


def other_options(key: str) -> RuleSet:
    """Every option of the game at its other, or last, value."""
    usual = ruleset_for(key)
    chosen = {}
    for name, values in OPTIONS[key].items():
        now = getattr(usual, name, None) if hasattr(usual, name) else getattr(usual.table, name)
        chosen[name] = next(value for value in reversed(values) if value != now)
    return ruleset_for(key, **chosen)


def whole_hands() -> Iterator[tuple[str, Callable[[], Played]]]:
    """Names of hands, and how they are played."""
    for key in RULE_SETS:
        for seed, rules in ((1, ruleset_for(key)), (2, other_options(key))):
            yield f"bots-{key}-{seed}", partial(by_bots, rules, shuffled(seed))
    for index, key in enumerate(OPEN_KEYS):
        rules = ruleset_for(key)
        yield f"bots-{key}-okey", partial(by_bots, rules, okey_deck(1, "runs", rules))
        for kind in ("pairs", "runs"):
            yield f"bots-{key}-{kind}", partial(by_bots, rules, rich_deck(f"docs {key}", kind))
        kind, rules = ("pairs", rules) if index % 2 else ("runs", other_options(key))
        deck = rich_deck(f"erring {key}", kind)
        yield f"erring-{key}-{kind}", partial(by_erring, rules, deck, index % 4)


# Scenes ------------------------------------------------------------------------------------------

MELDS = ("run k10 k11 k12 k13", "set r10 b10 y10", "run r7 r8 r9", "run b1 b2 b3")
PAIRS = ("pair r1 r1", "pair r2 r2", "pair k3 k3", "pair y4 y4", "pair b9 b9")
RACK = "k10 k11 k12 k13 r10 b10 y10 r7 r8 r9 b1 b2 b3 y9 y2"
RUN = [(1, "run y6 y7 y8")]
SHORT = [(1, "run y4 y5 y6")]
C = "101-standard"
Step = Move | Callable[[FaceUp], Move]


def scene(hand: FaceUp, *steps: Step) -> Played:
    """A position and moves; some depend on the hand as it is then."""
    moves: list[Move] = []
    now = hand
    for step in steps:
        moves.append(step(now) if callable(step) else step)
        now = now.play(moves[-1])
    return Played(hand.state, hand.deck, moves)


def opening(*melds: str) -> Step:
    return lambda hand: Open(hand.melds(*melds))


def discarding(tile: str) -> Step:
    return lambda hand: hand.discards(tile)


def claiming(melds: Sequence[str], discard: str, *adds: str) -> Step:
    """A claim with additions behind meld 0."""
    return lambda hand: ClaimFinish(
        melds=hand.melds(*melds),
        additions=tuple(hand.adds(0, "high", text) for text in adds),
        discard=hand.find(discard),
    )


def claims() -> Iterator[Played]:
    """Claims that work, and claims that do not for one reason each."""
    hand = position(C, RACK, table=RUN, opened="-m--")
    yield scene(hand, claiming(MELDS, "y2", "y9"))
    for melds, discard, adds in (
        (MELDS, "y2", ()),
        (MELDS, "y9", ("y2",)),
        (MELDS[:3], "y2", ("y9",)),
        (("run k10 k11 k13", *MELDS[1:]), "y2", ("y9",)),
        (("pair y2 y9", *MELDS[1:]), "k10", ()),
    ):
        yield scene(hand, claiming(melds, discard, *adds), discarding("y2"))
    for option in ({}, {"rack_finish_waives_floor": True}):
        low = position(ruleset_for(C, **option), "r7 r8 r9 y2", table=RUN)
        yield scene(low, claiming(("run r7 r8 r9",), "y2"))
    for limit in ("action", "turn"):
        long = position(ruleset_for(C, two_per_end=limit), RACK + " y7 y8", table=SHORT)
        yield scene(long, claiming(MELDS, "y2", "y7", "y8 y9"))
        yield scene(long, claiming(MELDS, "y2", "y7 y8 y9"))
    pile = ("", "", "", "y2")
    taken = position(C, RACK.removesuffix(" y2"), table=RUN, discards=pile, phase=Phase.DRAW)
    yield scene(taken, DrawLeft(), claiming(MELDS, "y2", "y9"), ReturnTaken(), DrawStack())


def cancelled() -> Iterator[Played]:
    """The fourth opening with pairs, also in a claim whose rest would not work."""
    rack = "r1 r1 r2 r2 k3 k3 y4 y4 b9 b9 r7 r8 y12 y13"
    hand = position(C, rack, table=RUN, opened="-ppp")
    yield scene(hand, opening(*PAIRS))
    yield scene(hand, claiming(PAIRS, "r7", "r8"))


def undone() -> Iterator[Played]:
    """Take-backs and late returns."""
    pile = ("", "", "", "y2")
    for key in ("101-challenge", C, "51-feeding"):
        hand = position(
            key, RACK, table=RUN, opened="mm--", discards=pile, phase=Phase.DRAW,
            values=(101, 101, 0, 0),
        )  # fmt: skip
        laid = [lambda now: Lay(now.melds(*MELDS)), lambda now: now.adds(0, "high", "y9")]
        yield scene(hand, DrawLeft(), *laid, ReturnTaken(), DrawStack(), discarding("k10"))
        new = position(key, RACK, table=RUN, discards=pile, phase=Phase.DRAW)
        if key != "51-feeding":
            yield scene(hand, DrawLeft(), *laid, TakeBack())
            again = (DrawStack(), opening(*MELDS), TakeBack(), opening(*MELDS))
            yield scene(new, DrawLeft(), ReturnTaken(), *again, discarding("y2"))
    new = position(C, RACK, discards=("", "", "", "b4"), phase=Phase.DRAW)
    used = opening(*MELDS[:3], "run b1 b2 b3 b4")
    yield scene(new, DrawLeft(), used, TakeBack(), DrawStack(), discarding("y2"))


def retrieved() -> Iterator[Played]:
    """Okeys come back: from sets of three, and a taken one twice."""
    for key, okey, supply in (
        (C, "r5", "r8 b8"),
        ("101-challenge", "r5=b8", "b8"),
        ("101-rising", "r5", "r8"),
        ("51-feeding", "r5=b8", "b8"),
    ):
        hand = position(
            key, "r8 b8 y9 y2 k1", table=[(1, f"set k8 y8 {okey}"), *RUN], opened="mm--"
        )
        retrieves: Step = partial(FaceUp.retrieves, meld=0, place=2, text=supply)
        steps = (retrieves, partial(FaceUp.adds, meld=1, end="low", text="r5"))
        yield scene(hand, *steps, discarding("k1"))
        yield scene(hand, *steps, partial(FaceUp.adds, meld=1, end="high", text="y9"))
        if key != "51-feeding":
            yield scene(hand, retrieves, TakeBack())
    okeys = position("101-challenge", "y9 y2 k1", table=RUN, opened="mm--",
                     discards=("", "", "", "r5"), phase=Phase.DRAW)  # fmt: skip
    add = partial(FaceUp.adds, meld=0, end="high", text="r5")
    back = partial(FaceUp.retrieves, meld=0, place=3, text="y9")
    yield scene(okeys, DrawLeft(), add, back, add, discarding("y2"))


def openings() -> Iterator[Played]:
    """One that fails, one with a bonus, one with a taken tile, one with pairs that ends in a finish."""
    yield scene(position(C, RACK), opening("run r7 r8 r9"), discarding("y2"))
    dear = position("101-rising", "r9 r10 r11 r12 r13 k9 k10 k11 k12 k13 b9 b10 b11 b12 b13 y1 y2")
    runs = (f"run {c}9 {c}10 {c}11 {c}12 {c}13" for c in "rkb")
    yield scene(dear, opening(*runs), discarding("y1"))
    fed = position("51-feeding", RACK, discards=("", "", "", "b4"), phase=Phase.DRAW)
    yield scene(fed, DrawLeft(), opening(*MELDS[:3], "run b1 b2 b3 b4"), discarding("y2"))
    rack = "r1 r1 r2 r2 k3 k3 y4 y4 b9 b9 r5"
    pairs = position("101-challenge", rack, discards=("", "", "", "k1"), phase=Phase.DRAW)
    yield scene(pairs, GoPairs(), DrawLeft(), ReturnTaken(), DrawStack(), opening(*PAIRS))
    pairs = position("101-challenge", rack, going=(0,))
    yield scene(pairs, opening(*PAIRS), discarding("r5"))


def others() -> Iterator[Played]:
    """Discards of okeys, the turn limit, a blocked duel, pairs laid out as runs."""
    for key in OPEN_KEYS:
        hand = position(key, "r5 y9 y2", table=RUN, opened="mm--")
        yield scene(hand, discarding("r5"))
        empty = position(key, "y9 y2", opened="mm--", stack=0)
        yield scene(empty, discarding("y9"))
        late = replace(hand.state, turns_taken=(60, 60, 60, 59))
        yield scene(FaceUp(late, hand.deck), discarding("y9"))
    offers = ruleset_for("51", last_discard_offer=True)
    pile = ("", "", "", "y5")
    taken = position(
        offers, "y3 y4 y2 k1", table=RUN, opened="mm--", discards=pile, phase=Phase.DRAW, stack=0
    )
    below = partial(FaceUp.adds, meld=0, end="low", text="y5 y4 y3")
    yield scene(taken, DrawLeft(), below, discarding("y2"))
    last = position(offers, "y9", table=RUN, opened="mm--", phase=Phase.DRAW, stack=1)
    yield scene(last, DrawStack(), discarding("y9"), Pass())
    for tile in ("y2", "y11"):  # nothing follows a 1 that stands behind a 13
        ace = position("51-feeding", "y2 y11 k1", table=[(1, "run y12 y13 y1")], opened="mm--")
        yield scene(ace, discarding(tile))
    duel = duel_position(table=["r5 r6 r7"], racks=("k1 b9", "y4 k12"), stack="")
    yield Played(duel.state, duel.deck, [Pass(), Pass()])
    runs = [
        " ".join(f"{7 * i + n}:r{n + 1}{copy}" for n in range(7))
        for i, copy in ((0, "a"), (1, "b"))
    ]
    finish = parse_move(f"finish 56:k8a run({runs[0]}) run({runs[1]})")
    yield Played(worked_example.dealt(Seat(0)), (), [finish])
    shown = [parse_move(text) for text in ("show 5:k7b", "discard 5:k7b", "take", "discard 14:r1a")]
    yield Played(worked_example.dealt(Seat(0)), (), shown)


SCENES = {make.__name__: make for make in (claims, cancelled, undone, retrieved, openings, others)}
HANDS = dict(whole_hands())


@cache
def played(name: str) -> tuple[Played, ...]:
    """The hand of that name, or the scenes."""
    return tuple(SCENES[name]()) if name in SCENES else (HANDS[name](),)


# The tests ---------------------------------------------------------------------------------------


@cache
def figures(rules: RuleSet) -> Record:
    """The rule set as it stands in the header of a transcript."""
    return json.loads(rules_text(rules, table_options(rules.players)))["rules"]


@cache
def fields_of(rules: RuleSet) -> dict[str, Form]:
    """The fields of the states of a game."""
    return state_fields(figures(rules))


def states_of(start: Played) -> Iterator[HandState]:
    """The states of the code: the first, after each tile for the indicator, after each move."""
    state, deck, moves = start
    engine = engine_for(state.rules)
    yield state
    while state.phase is Phase.INDICATOR:
        state, _ = engine.turn_indicator(state, deck[state.stack[0]])
        yield state
    for move in moves:
        state, _ = engine.apply(state, move)
        yield state


def replay(start: Played, *, from_deal: bool) -> list[Record]:
    """Replays by the document; what is read after every step, and written, is what the code has."""
    rules, form = start.state.rules, record(fields_of(start.state.rules))
    before = form.parse(canonical_bytes(start.state))
    if from_deal:
        before = deal(figures(rules), ruleset_hash(rules), start.state.starter)
    hand = (OpenHand if rules.table else Hand)(figures(rules), before)
    left, seen = list(start.moves), []
    for index, state in enumerate(states_of(start)):
        if index and hand.state["phase"] == 0:
            hand.open_indicator(start.deck[hand.state["stack"][0]])
        elif index:
            hand.play(encode_move(left.pop(0)))
        seen.append(form.parse(canonical_bytes(state)))
        assert hand.state == seen[-1], f"after step {index}"
        assert form.write(hand.state) == canonical_bytes(state)
    return seen


@cache
def replayed(name: str) -> list[Record]:
    """All states of the hand, or of the scenes, of that name."""
    return [state for one in played(name) for state in replay(one, from_deal=name in HANDS)]


@pytest.mark.parametrize("name", [*HANDS, *SCENES])
def test_moves_replay_to_the_bytes_of_the_code(name: str) -> None:
    assert len(replayed(name)) > len(played(name))


def test_all_that_the_document_names_has_happened() -> None:
    names = [*HANDS, *SCENES]
    moves = [move for name in names for one in played(name) for move in one.moves]
    states = [state for name in names for state in replayed(name)]
    charges = [charge for state in states for charge in (state["table"] or {}).get("charges", ())]
    listed = {
        rule for row in tables_of("Charges")[0] for rule in re.findall(r"`(\w+-\d+)`", row[3])
    }

    assert {encode_move(move)[0] for move in moves} == {1, 2, 6, 7, 8, 9} | set(FIELDS)
    assert {state["ending"] for state in states} == set(range(6))
    assert {charge["rule"] for charge in charges} == listed
    finishes = [state["finish"] for state in states if state["finish"]]
    assert {(one["kind"], bool(one["layout"])) for one in finishes} == {
        (kind, is_classic) for kind in (0, 1) for is_classic in (False, True)
    }
    assert {one["okey"] for one in finishes} == {0, 1}


def check_sizes(
    rows: list[list[str]], fields: Mapping[str, Form], value: Record, **known: int
) -> None:
    """The size of every field is what the table says, where the known letters say it."""
    for expression, quoted, _ in rows:
        name = quoted.strip("`")
        if set(re.findall(r"[A-Za-z]", expression)) <= set(known):
            assert len(fields[name].write(value[name])) == number(expression, known), name


def check_state_sizes(rules: RuleSet, state: Record) -> None:
    """The tables of the state and of what lies on its table."""
    n, table = rules.players, state["table"]
    letters = {"T": sum(map(len, state["racks"])), "D": sum(map(len, state["discards"]))}
    (rows,) = tables_of("The bytes of the game's state")
    check_sizes(rows, fields_of(rules), state, n=n, S=len(state["stack"]), **letters)
    if rules.duel:
        (rows,) = tables_of("The bytes of the duel's table")
        check_sizes(rows, duel_table_fields(n), table, n=n)
    if not rules.table:
        return
    rows, *parts = tables_of("The bytes of an open table")
    letters = {"R": len(table["retrieved"]), "A": len(table["added"])}
    check_sizes(rows, open_table_fields(n), table, n=n, **letters)
    for charge in table["charges"]:
        check_sizes(parts[0], charge_fields(), charge, r=len(charge["rule"]))
    for meld in table["melds"]:
        check_sizes(parts[1], meld_fields(), meld, k=len(meld["tiles"]))
    if table["checkpoint"]:
        rack = table["checkpoint"]["rack"]
        check_sizes(parts[2], checkpoint_fields(), table["checkpoint"], H=len(rack))


@pytest.mark.parametrize("key", RULE_SETS)
def test_the_sizes_in_the_tables_are_those_of_real_states(key: str) -> None:
    name = f"bots-{key}-1"
    for state in replayed(name):
        check_state_sizes(played(name)[0].state.rules, state)
