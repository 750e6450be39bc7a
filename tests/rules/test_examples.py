"""Every worked example of Classic Okey is a row; the file is shared by all variants."""

import json
from pathlib import Path

import pytest

from p2pokey.rules.conformance import SCHEMA, is_supported, run_example, run_examples

DATA = json.loads((Path(__file__).parent / "rules_examples.json").read_text())
EXAMPLES = DATA["examples"]
PLAYED_VARIANTS = {"A"}
PLAYED = [example for example in EXAMPLES if example["variant"] in PLAYED_VARIANTS]


def _example(name: str) -> dict[str, object]:
    return next(dict(example) for example in EXAMPLES if example["id"] == name)


@pytest.mark.parametrize("example", PLAYED, ids=[example["id"] for example in PLAYED])
def test_example(example):
    assert is_supported(example)
    assert run_example(example) is None


def test_file_has_the_known_schema_and_unique_ids():
    assert DATA["schema"] == SCHEMA
    assert len({example["id"] for example in EXAMPLES}) == len(EXAMPLES)


def test_report_lists_every_example_once():
    report = run_examples(EXAMPLES)
    failed = [failure.example for failure in report.failures]
    listed = [*report.passed, *failed, *report.unsupported]
    assert sorted(listed) == sorted(example["id"] for example in EXAMPLES)
    assert not failed
    assert set(report.unsupported) == {
        example["id"] for example in EXAMPLES if example["variant"] not in PLAYED_VARIANTS
    }


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
    assert isinstance(value, list)
    return [*value, "x"]


@pytest.mark.parametrize("example", PLAYED, ids=[example["id"] for example in PLAYED])
def test_example_fails_for_every_other_expectation(example):
    for key, value in example["expect"].items():
        changed = {**example, "expect": {**example["expect"], key: _other(value)}}
        failure = run_example(changed)
        assert failure is not None, key
        assert failure.example == example["id"]
        assert failure.expected[key] != failure.got[key]


def test_kinds_that_only_other_variants_have_so_far():
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


def test_unknown_kind_and_variant_are_reported_as_unsupported():
    known = _example("deal-A")
    strange = [
        {**known, "id": "1", "kind": "no-such-kind"},
        {**known, "id": "2", "variant": "Z"},
        {**known, "id": "3", "variant": ["A"]},
        {"id": "4"},
    ]
    report = run_examples(strange)
    assert report.unsupported == ("1", "2", "3", "4")
    assert not report.passed
    assert not report.failures


@pytest.mark.parametrize(
    "changed",
    [
        {"input": {}},
        {"input": {"indicator": "k2", "rack": ["r1"] * 15, "discard": "r1"}},
        {"input": {"indicator": "k2", "rack": ["r1", "r2"], "discard": "r1"}},
        {"input": {"indicator": "k14", "rack": [], "discard": "r1"}},
        {"input": None},
        {"expect": {}},
        {"expect": None},
    ],
)
def test_unreadable_example_is_a_failure_not_a_crash(changed):
    report = run_examples([{**_example("fin-A-normal"), **changed}])
    assert [failure.example for failure in report.failures] == ["fin-A-normal"]
