"""The benchmark runs and counts right; how long anything takes is asserted nowhere."""

import json

import pytest

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import deck_size
from p2pokey.errors import BadLength
from tests.bench.__main__ import main
from tests.bench.counts import (
    Counts,
    proofs_in,
    prove_counts,
    shuffle_counts,
    tokens_counts,
    verify_counts,
    verify_possession_counts,
    verify_tokens_counts,
)
from tests.bench.dealing import tokens
from tests.bench.hands import VERIFIED, hands
from tests.bench.inputs import Inputs
from tests.bench.shuffles import chain, one_shuffle
from tests.bench.solvers import solvers
from tests.sim.cheap_group import CheapBackend


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


class CountingBackend(CheapBackend):
    """Counts operations; sums as products and additions."""

    def __init__(self) -> None:
        self.counts = Counts(0, 0, 0)

    def mul(self, scalars, points):
        self.counts += Counts(len(scalars), 0, 0)
        return super().mul(scalars, points)

    def mul_one_scalar(self, scalar, points):
        self.counts += Counts(len(points) // 32, 0, 0)
        return super().mul_one_scalar(scalar, points)

    def base_mul(self, scalars):
        self.counts += Counts(0, len(scalars), 0)
        return super().base_mul(scalars)

    def add(self, a, b):
        self.counts += Counts(0, 0, len(a) // 32)
        return super().add(a, b)

    def sub(self, a, b):
        self.counts += Counts(0, 0, len(a) // 32)
        return super().sub(a, b)

    def msm(self, scalars, points):
        self.counts += Counts(len(scalars), 0, len(scalars))
        return super().msm(scalars, points)


def counted(action) -> Counts:
    backend = CountingBackend()
    group = Group(backend)
    list(action(Inputs(group)))
    return backend.counts


def test_a_measured_shuffle_takes_the_operations_of_its_floor() -> None:
    sample = Counts(64, 64, 64).times(2)
    setting_up = Counts(0, 1, 0)
    # A sum in parts takes a few additions more than S18 counts.
    found = counted(lambda inputs: one_shuffle(inputs, 15, 1))
    expected = shuffle_counts(15).times(2) + prove_counts(15) + verify_counts(15)
    expected += sample + setting_up
    assert (found.mul, found.base) == (expected.mul, expected.base)
    assert abs(found.add - expected.add) <= 6


@pytest.mark.parametrize("m", [1, 5])
def test_tokens_take_the_operations_of_their_floor(m: int) -> None:
    backend = CountingBackend()
    group = Group(backend)
    points = group.base_mul(list(range(2, m + 2)))
    public = group.base_mul([7])
    statement = {"ctx": bytes(64), "public": public, "points": points}
    backend.counts = Counts(0, 0, 0)

    given, proof = prove_dleq(group, seed=bytes(32), secret=7, **statement)
    made, backend.counts = backend.counts, Counts(0, 0, 0)
    verify_dleq(group, tokens=given, proof=proof, **statement)

    assert made == tokens_counts(m)
    assert backend.counts == verify_tokens_counts(m)


def test_the_steps_of_a_hand_are_measured() -> None:
    inputs = Inputs(Group(CheapBackend()))

    names = {step.name for step in (*chain(inputs, 5, 1), *tokens(inputs, 1))}
    played = {step.name: step for step in hands(inputs, 1, seed=2)}

    assert {"chain, one by one", "chain, by seat", "deal", "draw, check", "discard"} <= names
    assert played[VERIFIED].count > 5
    assert {step.ratio is None for name, step in played.items() if name.startswith("audit")} == {
        False
    }


def test_decks_beyond_the_limit_are_measured_and_the_limit_stays() -> None:
    steps = list(one_shuffle(Inputs(Group(CheapBackend())), 110, 1))

    assert all(step.count == 110 for step in steps)
    with pytest.raises(BadLength, match="2 to 106"):
        deck_size(bytes(64 * 107))


def test_no_proofs_cost_nothing() -> None:
    assert proofs_in([]) == Counts(0, 0, 0)
    assert verify_possession_counts() == Counts(1, 1, 1)


def test_json_report_names_every_backend_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    backends = set(report["operations_us"])
    assert "python" in backends
    assert set(report["versions"]) == backends
    assert {step["backend"] for step in report["steps"]} == backends
    assert all(step["ms"] > 0 for step in report["steps"])
    assert {step["name"] for step in report["steps"]} == {
        "shuffle", "shuffle and prove", "verify", "prove and verify",
    }  # fmt: skip


def test_every_solver_is_measured_on_as_many_positions() -> None:
    measured = list(solvers(3))

    assert len({solver.name for solver in measured}) == len(measured)
    assert {solver.count for solver in measured} == {3}
    assert all(0 < solver.median_ms <= solver.p99_ms for solver in measured)
    assert {solver.name.split(",")[0] for solver in measured} == {
        "distance", "discards and draws", "opening", "table", "duel",
    }  # fmt: skip


def test_solvers_are_printed_with_their_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--solvers"]) == 0

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    opening = next(line for line in lines if line[:4] == ["opening,", "22,", "0", "okeys"])
    assert [cell.endswith("x") for cell in opening[4:]] == [False, False, True, False, True]


def test_tables_are_printed_for_one_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--backend", "libsodium"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:1] == ["msm_vartime"] for line in lines)
    assert any(line.split()[:2] == ["verify", "15"] for line in lines)
