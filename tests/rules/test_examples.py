"""Every worked example of the rules is played by the engines, and can fail."""

import json
from dataclasses import replace
from enum import Enum
from pathlib import Path

import pytest

from p2pokey.rules import conformance, published
from p2pokey.rules.conformance import SCHEMA, is_supported, run_example, run_examples

DATA = json.loads((Path(__file__).parent / "rules_examples.json").read_text())
EXAMPLES = DATA["examples"]
IDS = [example["id"] for example in EXAMPLES]


def _example(name: str) -> dict[str, object]:
    return next(dict(example) for example in EXAMPLES if example["id"] == name)


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_example(example):
    assert run_example(example) is None


def test_file_has_the_known_schema_and_unique_ids():
    assert DATA["schema"] == SCHEMA
    assert len(set(IDS)) == len(IDS)


def test_report_lists_every_example_once():
    report = run_examples([*EXAMPLES, {**EXAMPLES[0], "expect": {"tiles": 107}}])

    assert list(report.passed) == IDS
    assert [failure.example for failure in report.failures] == IDS[:1]


def _other(value: object) -> object:
    """A different expectation of the same shape."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, dict):
        return {key: _other(inner) for key, inner in value.items()}
    return 1 if value is None else [*value, "x"]


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_example_fails_for_every_other_expectation(example):
    for key, value in example["expect"].items():
        changed = {**example, "expect": {**example["expect"], key: _other(value)}}
        failure = run_example(changed)
        assert failure is not None, key
        assert failure.example == example["id"]
        assert failure.expected[key] != failure.got[key]


# The rules are asked, not repeated ---------------------------------------------------------------


def _changed(value: object) -> object:
    """Another value of a field of the rules."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next(other for other in type(value) if other is not value)
    assert isinstance(value, int)
    return value + 1


@pytest.mark.parametrize(
    "name",
    [
        *("melds_floor", "pairs_floor", "melds_rise", "pairs_rise", "rise_counts_partner"),
        *("opening_bonus", "scoring", "penalties", "playable_charge", "okey_discard_charge"),
        *("take_back", "take_back_charge", "failed_opening_charged", "pairs_opener_may_process"),
        *("take_use", "take_playable", "discarder_pays", "owner_pays_for_feeding"),
        *("retrieve_charge", "retrieve_owner_pays", "retrieve_exempts_partner"),
        *("set3_retrieve_both", "two_per_end", "playable_includes_swap"),
        *("held_okey_charge_melds", "held_okey_charge_pairs", "held_okey_unopened"),
        *("held_okey_face", "partner_cleared", "four_pairs_cancel", "opening_bonus_s"),
        "timer_cap_s",
    ],
)
def test_other_rules_fail_some_example(name: str, monkeypatch: pytest.MonkeyPatch):
    for variant, (rules, kinds) in tuple(conformance._VARIANTS.items()):
        if rules.table is not None:
            table = replace(rules.table, **{name: _changed(getattr(rules.table, name))})
            changed = replace(rules, table=table)
            monkeypatch.setitem(conformance._VARIANTS, variant, (changed, kinds))
            monkeypatch.setitem(published.RULE_SETS, rules.key, changed)

    others = (example for example in EXAMPLES if example["variant"] not in "AE")
    assert any(map(run_example, others))


@pytest.mark.parametrize("name", ["opening_floor", "joker_left"])
def test_other_figures_of_the_duel_fail_some_example(name: str, monkeypatch: pytest.MonkeyPatch):
    rules, kinds = conformance._VARIANTS["E"]
    assert rules.duel is not None
    duel = replace(rules.duel, **{name: getattr(rules.duel, name) + 1})
    monkeypatch.setitem(conformance._VARIANTS, "E", (replace(rules, duel=duel), kinds))

    assert run_examples(EXAMPLES).failures


# Examples of our own: kinds that the file has for other variants only ----------------------------

RUN = {"kind": "run", "tiles": ["r5", "r6", "r7"]}
OPEN_SEATS = {str(seat): {"opened": "none", "rack": []} for seat in (2, 3, 4)}
TWO_RUNS = [
    {"kind": "run", "tiles": ["r8", "r9", "r10"]},
    {"kind": "run", "tiles": ["k7", "k8", "k9"]},
]


@pytest.mark.parametrize(
    ("variant", "kind", "given", "expect"),
    [
        ("B.classic", "draw_out", {"stack_after_draw": 0, "discard_made": True}, {"draw_out": 1}),
        ("D", "draw_out", {"stack_after_draw": 1, "discard_made": True}, {"draw_out": 0}),
        ("C.standard", "draw_out", {"stack_after_draw": 0, "discard_made": False}, {"draw_out": 0}),
        ("C.standard", "starter", {"first": 4, "hand": 2}, {"starter": 1}),
        ("B.51", "starter", {"first": 4, "hand": 2}, {"starter": None}),
        (
            "C.standard",
            "options",
            {},
            {"hands": [1, 3, 5, 7, 9, 11, 13], "teams": True, "timer_max": 60},
        ),
        (
            "B.51",
            "timer",
            {"base": 30, "opening_accepted": True, "human": True},
            {"seconds": 30},
        ),
        (
            "C.progressive",
            "timer",
            {"base": 30, "opening_accepted": True, "human": False},
            {"seconds": 30},
        ),
        ("B.51", "take", {"opened": "none", "use": "opening_melds"}, {"legal": 1, "charge": 0}),
        ("B.51", "take", {"opened": "pairs", "use": "add"}, {"legal": 0, "charge": 0}),
        ("B.rising", "take", {"opened": "pairs", "use": "add"}, {"legal": 1, "charge": 0}),
        ("B.classic", "take", {"opened": "none", "use": "keep"}, {"legal": 0, "charge": 0}),
        (
            "B.classic",
            "take",
            {"opened": "none", "use": "put_back", "table_changed": True},
            {"legal": 1, "charge": 101},
        ),
        (
            "D",
            "take",
            {"opened": "none", "use": "put_back", "table_changed": True},
            {"legal": 1, "charge": 0},
        ),
        (
            "D",
            "take",
            {"opened": "melds", "use": "put_back", "table_changed": True},
            {"legal": 1, "charge": 0},
        ),
        ("C.standard", "take", {"opened": "melds", "use": "add"}, {"legal": 1, "charge": 0}),
        (
            "B.challenge",
            "take",
            {"opened": "none", "use": "opening_melds", "going_pairs": True},
            {"legal": 0, "charge": 0},
        ),
        (
            "B.challenge",
            "taken_used",
            {"okey": "r6", "tile": "k7", "use": "add"},
            {"discarder": 70},
        ),
        (
            "B.challenge",
            "taken_used",
            {"okey": "r6", "tile": "r6", "as": "k10", "use": "pair_add"},
            {"discarder": 400},
        ),
        ("D", "taken_used", {"okey": "r6", "tile": "**", "use": "add"}, {"discarder": 60}),
        ("D", "feed", {"okey": "r6", "tile": "k2", "owner": 4, "feeder": 3}, {"owner": 20}),
        (
            "B.classic",
            "add",
            {"okey": "b2", "meld": RUN, "tiles": ["r3", "r4"], "end": "low"},
            {"legal": 1},
        ),
        (
            "B.classic",
            "add",
            {"okey": "b2", "meld": RUN, "tiles": ["r4", "r3"], "end": "low"},
            {"legal": 0},
        ),
        (
            "B.51",
            "hand_score",
            {
                "okey": "b8",
                "finisher": 1,
                "finish": {"straight": True, "pairs": True, "okey": True},
                "seats": {"1": {"opened": "pairs", "rack": []}, **OPEN_SEATS},
            },
            {"points": {"1": -404, "2": 808, "3": 808, "4": 808}, "cancelled": False},
        ),
        (
            "B.classic",
            "opening",
            {
                "okey": "b8",
                "floors": {"melds": 101, "pairs": 5},
                "rack_before": 22,
                "melds": [{"kind": "run", "tiles": ["r5", "r6", "k7"]}],
            },
            {"legal": False, "reason": "invalid_meld"},
        ),
        (
            "B.51",
            "opening",
            {
                "okey": "b8",
                "floors": {"melds": 52, "pairs": 4},
                "rack_before": 15,
                "melds": TWO_RUNS,
            },
            {"legal": False, "reason": "below_floor", "value": 51},
        ),
        (
            "E",
            "e_turn",
            {"opened": True, "before": [], "rack": ["r5", "r6", "k7"], "after": [["r5", "r6"]]},
            {"legal": False, "reason": "invalid_set"},
        ),
        (
            "E",
            "e_turn",
            {"opened": True, "before": [], "rack": ["r5", "k1"], "after": [["r5", "r6", "r7"]]},
            {"legal": False, "reason": "not_on_rack"},
        ),
        (
            "E",
            "meld",
            {"okey": None, "meld_kind": "run", "tiles": ["**", "r5", "r6"]},
            {"valid": True, "value": 18, "represents": ["r7", "r5", "r6"]},
        ),
        (
            "E",
            "meld",
            {"okey": None, "meld_kind": "set", "tiles": ["**", "r5", "k5"]},
            {"valid": True, "value": 15, "represents": ["?5", "r5", "k5"]},
        ),
        (
            "E",
            "meld",
            {"okey": None, "meld_kind": "set", "tiles": ["r5", "**", "k5", "y5"]},
            {"valid": True, "value": 20, "represents": ["r5", "b5", "k5", "y5"]},
        ),
        (
            "E",
            "meld",
            {"okey": None, "meld_kind": "set", "tiles": ["r5", "r6", "**"]},
            {"valid": False},
        ),
        ("E", "e_end", {"end": "empty", "racks": {"1": ["r1"], "2": []}}, {"winner": 2}),
        ("E", "e_action", {"action": "draw", "pool": 1, "passes_before": 1}, {"passes": 0}),
    ],
)
def test_example_of_our_own(variant, kind, given, expect):
    example = {"id": "own", "variant": variant, "kind": kind, "input": given, "expect": expect}

    assert run_example(example) is None
    for key, value in expect.items():
        changed = {**example, "expect": {**expect, key: _other(value) if value != {} else 1}}
        assert run_example(changed) is not None


def test_kinds_that_only_other_variants_have():
    played = {
        "id": "1",
        "variant": "A",
        "kind": "match_end",
        "input": {"hands_played": 4, "totals": {"1": 7, "2": 0, "3": 14, "4": 9}},
        "expect": {"over": True, "winners": [3]},
    }
    assert run_example(played) is None
    assert run_example({**played, "expect": {"over": True, "winners": [1]}}) is not None


def test_a_discard_may_be_written_without_its_copy():
    example = _example("fin-A-pairs")
    data = {**example["input"], "discard": "y13"}
    expect = {**example["expect"], "pairs": False, "each_opponent_loses": 0}
    assert run_example({**example, "input": data, "expect": expect}) is None


# Examples that cannot be played ------------------------------------------------------------------


def test_unknown_kind_and_variant_fail():
    known = _example("deal-A")
    strange = [
        {**known, "id": "1", "kind": "no-such-kind"},
        {**known, "id": "2", "variant": "Z"},
        {**known, "id": "3", "variant": ["A"]},
        {**known, "id": "4", "variant": "E", "kind": "pair"},
        {"id": "5"},
    ]
    report = run_examples(strange)

    assert not report.passed
    assert [failure.example for failure in report.failures] == ["1", "2", "3", "4", "5"]
    assert all("error" in failure.got for failure in report.failures)
    assert "no examples of kind pair for variant E" in report.failures[3].got["error"]
    assert not any(map(is_supported, strange))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("fin-A-normal", {"input": {}}),
        ("fin-A-normal", {"input": {"indicator": "k2", "rack": ["r1"] * 15, "discard": "r1"}}),
        ("fin-A-normal", {"input": {"indicator": "k2", "rack": ["r1", "r2"], "discard": "r1"}}),
        ("fin-A-normal", {"input": {"indicator": "k14", "rack": [], "discard": "r1"}}),
        ("fin-A-normal", {"input": None}),
        ("fin-A-normal", {"expect": {}}),
        ("fin-A-normal", {"expect": None}),
        ("th-B-51", {"input": {"openings": [], "seat": 9}}),
        ("th-D-68", {"input": {"openings": [], "seat": 1, "partners": "perhaps"}}),
        ("open-B-101", {"input": {"okey": "b8", "floors": {"melds": 107, "pairs": 5}}}),
        ("event-C-below", {"input": {"event": "no such event"}}),
        ("feed-D-okey", {"input": {"okey": "r6", "tile": "r6", "owner": 2, "feeder": 1}}),
        ("E-win", {"input": {"end": "empty", "racks": {"1": ["r1"], "2": ["r2"]}}}),
        ("quick-C-10", {"input": {"okey": "y1", "melds": [{**RUN, "middle": 5}]}}),
    ],
)
def test_unreadable_example_is_a_failure_not_a_crash(name: str, changed: dict[str, object]):
    [failure] = run_examples([{**_example(name), **changed}]).failures

    assert failure.example == name
    assert not failure.expected or "error" in failure.got


def test_a_score_that_contradicts_itself_is_refused():
    example = _example("B-straight")
    seats = {**example["input"]["seats"], "2": {"opened": "melds", "rack": ["r1"]}}
    failure = run_example({**example, "input": {**example["input"], "seats": seats}})

    assert failure is not None
    assert "the example says" in failure.got["error"]
