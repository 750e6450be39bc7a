"""Rule sets and options: one written form, one hash, nothing else accepted."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import InvalidRuleSet
from p2pokey.rules.engine import engine_for
from p2pokey.rules.rulesets import (
    CLASSIC,
    MAX_GRACE_S,
    MAX_TIMER_S,
    TableOptions,
    canonical_bytes,
    from_json,
    rule_set_keys,
    rules_hash,
    ruleset_for,
    ruleset_hash,
    table_options,
)
from tests.strategies import classic_rules

DEFAULTS = table_options(4)
WRITTEN = (
    b'{"rules":{"discard_taken":false,"hands":0,"key":"classic","last_discard_offer":false,'
    b'"most_points_win":true,"partners":false,"players":4,"rack_size":14,'
    b'"show_survives_drawout":false,"start_score":20,"turn_limit":240,"two_okeys_pair":true,'
    b'"wrap":true},"table":{"assisted":false,"grace_s":60,"recovery":true,"seats":4,'
    b'"threshold":3,"timer_s":30,"unlinkable_discards":true}}'
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


@given(rules=classic_rules, table=tables)
def test_round_trip(rules, table):
    assert from_json(canonical_bytes(rules, table)) == (rules, table)


@given(a=classic_rules, b=classic_rules, t=tables, u=tables)
def test_every_difference_changes_the_hash(a, b, t, u):
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
    assert rule_set_keys() == ("classic",)
    with pytest.raises(InvalidRuleSet):
        ruleset_for("chess")
    with pytest.raises(InvalidRuleSet):
        ruleset_for("classic", wrap=False)
    with pytest.raises(InvalidRuleSet):
        engine_for(replace(CLASSIC, key="chess"))
    assert ruleset_for("classic", discard_taken=True) == replace(CLASSIC, discard_taken=True)


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
