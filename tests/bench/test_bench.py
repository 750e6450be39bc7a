"""The benchmark runs and counts right; how long anything takes is asserted nowhere."""

import json

import pytest

from tests.bench.__main__ import main
from tests.bench.counts import Counts, prove_counts, verify_counts


@pytest.mark.parametrize(
    ("n", "prove", "verify"),
    [
        (15, Counts(76, 49, 93), Counts(127, 1, 128)),
        (22, Counts(111, 70, 135), Counts(183, 1, 184)),
        (53, Counts(266, 163, 321), Counts(431, 1, 432)),
        (106, Counts(531, 322, 639), Counts(855, 1, 856)),
        (424, Counts(2121, 1276, 2547), Counts(3399, 1, 3400)),
    ],
)
def test_counts_are_those_of_the_protocol(n: int, prove: Counts, verify: Counts) -> None:
    assert prove_counts(n) == prove
    assert verify_counts(n) == verify


def test_json_report_names_every_backend_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    backends = set(report["operations_us"])
    assert "python" in backends
    assert {step["backend"] for step in report["steps"]} == backends
    assert all(step["ms"] > 0 for step in report["steps"])
    assert {step["name"] for step in report["steps"] if step["ratio"] is not None} == {
        "shuffle", "shuffle and prove", "verify",
    }  # fmt: skip


def test_tables_are_printed_for_one_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--backend", "libsodium"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:1] == ["msm_vartime"] for line in lines)
    assert any(line.split()[:2] == ["verify", "15"] for line in lines)
