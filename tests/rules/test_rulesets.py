"""Rule sets and options: one written form, one hash, nothing else accepted."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import InvalidRuleSet
from p2pokey.rules.engine import engine_for
from p2pokey.rules.published import CLASSIC, TakeUse
from p2pokey.rules.rulesets import (
    MAX_GRACE_S,
    MAX_TIMER_S,
    TableOptions,
    canonical_bytes,
    from_json,
    options_of,
    rule_set_keys,
    rules_hash,
    ruleset_for,
    ruleset_hash,
    table_options,
)
from tests.strategies import any_rules

DEFAULTS = table_options(4)
WRITTEN = (
    b'{"rules":{"discard_taken":false,"duel":null,"hands":0,"indicator":true,"key":"classic",'
    b'"last_discard_offer":false,"max_new":13,"most_points_win":true,"partners":false,'
    b'"players":4,"rack_size":14,"show_survives_drawout":false,"start_score":20,'
    b'"starter":"rotates","starter_extra":true,"table":null,"turn_limit":240,'
    b'"two_okeys_pair":true,"wrap":true},"table":{"assisted":false,"grace_s":60,'
    b'"recovery":true,"seats":4,"threshold":3,"timer_s":30,"unlinkable_discards":true}}'
)

tables = st.builds(
    table_options,
    st.just(4),
    assisted=st.booleans(),
    timer_s=st.integers(0, MAX_TIMER_S),
    grace_s=st.integers(0, MAX_GRACE_S),
    recovery=st.booleans(),
    unlinkable_discards=st.booleans(),
)


def test_the_written_form():
    assert canonical_bytes(CLASSIC, DEFAULTS) == WRITTEN
    assert rules_hash(CLASSIC, DEFAULTS) == hashlib.sha512(WRITTEN).digest()
    assert len(ruleset_hash(CLASSIC)) == 64


@given(rules=any_rules, table=tables)
def test_round_trip(rules, table):
    table = table if rules.players == 4 else table_options(rules.players)
    assert from_json(canonical_bytes(rules, table)) == (rules, table)


@given(a=any_rules, b=any_rules, t=tables, u=tables)
def test_every_difference_changes_the_hash(a, b, t, u):
    if a.players == b.players == 4:
        assert (rules_hash(a, t) == rules_hash(b, u)) == ((a, t) == (b, u))
    assert (ruleset_hash(a) == ruleset_hash(b)) == (a == b)


def test_defaults():
    assert (
        TableOptions(
            seats=4,
            assisted=False,
            timer_s=30,
            grace_s=60,
            recovery=True,
            threshold=3,
            unlinkable_discards=True,
        )
        == DEFAULTS
    )
    assert (table_options(3).recovery, table_options(3).threshold) == (True, 2)
    assert (table_options(2).recovery, table_options(2).threshold) == (False, 0)
    assert table_options(4, recovery=False).threshold == 0
    options = (CLASSIC.discard_taken, CLASSIC.last_discard_offer, CLASSIC.show_survives_drawout)
    assert options == (False, False, False)


@pytest.mark.parametrize(
    "changed",
    [
        {"seats": 1},
        {"seats": 5},
        {"timer_s": -1},
        {"timer_s": MAX_TIMER_S + 1},
        {"grace_s": -1},
        {"grace_s": MAX_GRACE_S + 1},
        {"threshold": 2},
        {"threshold": 4},
        {"recovery": False},
        {"seats": 2, "threshold": 1},
    ],
)
def test_OPT2_contradictory_table(changed):
    with pytest.raises(InvalidRuleSet) as raised:
        replace(DEFAULTS, **changed)
    assert raised.value.rule == "OPT-2"


def test_OPT2_rules_and_table_name_the_same_seats():
    with pytest.raises(InvalidRuleSet) as raised:
        canonical_bytes(CLASSIC, table_options(3))
    assert raised.value.rule == "OPT-2"


def test_OPT1_unknown_keys_and_options():
    assert rule_set_keys() == (
        "classic",
        "101-classic",
        "101-rising",
        "101-challenge",
        "51",
        "101-standard",
        "101-progressive",
        "51-feeding",
        "duel",
    )
    with pytest.raises(InvalidRuleSet):
        ruleset_for("chess")
    with pytest.raises(InvalidRuleSet):
        ruleset_for("classic", wrap=False)
    with pytest.raises(InvalidRuleSet):
        engine_for(replace(CLASSIC, key="chess"))
    assert ruleset_for("classic", discard_taken=True) == replace(CLASSIC, discard_taken=True)


def test_OPT1_options_of_the_games_with_a_table():
    chosen = ruleset_for("101-classic", hands=7, penalties=False, take_use="any-meld")
    assert chosen.hands == 7
    assert chosen.table is not None
    assert chosen.table.penalties is False
    assert chosen.table.take_use is TakeUse.ANY_MELD
    assert options_of(chosen)["take_use"] == "any-meld"
    assert options_of(chosen)["hands"] == 7
    for key, options in [
        ("101-classic", {"hands": 2}),
        ("101-classic", {"hands": True}),
        ("101-classic", {"penalties": 1}),
        ("101-classic", {"take_use": "never"}),
        ("101-standard", {"penalties": False}),
        ("51-feeding", {"hands": 5}),
        ("duel", {"partners": True}),
    ]:
        with pytest.raises(InvalidRuleSet) as raised:
            ruleset_for(key, **options)
        assert raised.value.rule == "OPT-1"


def _edited(section: str, **changes: object) -> bytes:
    value = json.loads(WRITTEN)
    for name, change in changes.items():
        if change is None:
            del value[section][name]
        else:
            value[section][name] = change
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b'"' + b"x" * 9000 + b'"',
        b"[" * 8000,
        WRITTEN + b" ",
        b" " + WRITTEN,
        WRITTEN.replace(b'"wrap":true', b'"wrap": true'),
        WRITTEN.replace(b'{"rules"', b'{"extra":1,"rules"'),
        WRITTEN.replace(b'"timer_s":30', b'"timer_s":30.0'),
        WRITTEN.replace(b'"timer_s":30', b'"timer_s":3e1'),
        WRITTEN.replace(b'"timer_s":30', b'"timer_s":29,"timer_s":30'),
        WRITTEN.replace(b'"classic"', b'"cl\\u0061ssic"'),
        _edited("rules", key="chess"),
        _edited("rules", key=7),
        _edited("rules", wrap=False),
        _edited("rules", turn_limit=241),
        _edited("rules", discard_taken=1),
        _edited("rules", discard_taken=None),
        _edited("rules", new=True),
        _edited("rules", table={}),
        _edited("rules", table={"penalties": True}),
        _edited("rules", duel=[]),
        _edited("rules", key="101-classic"),
        _edited("table", seats=True),
        _edited("table", seats=3, threshold=2),
        _edited("table", timer_s=False),
        _edited("table", timer_s="30"),
        _edited("table", timer_s=None),
        _edited("table", threshold=2),
        _edited("table", extra=1),
    ],
)
def test_OPT1_only_the_canonical_form_is_read(data):
    with pytest.raises(InvalidRuleSet):
        from_json(data)


@given(st.binary(max_size=40))
def test_other_bytes_are_refused_cleanly(data):
    with pytest.raises(InvalidRuleSet):
        from_json(data)
