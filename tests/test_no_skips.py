"""P2POKEY_NO_SKIPS=1 leaves no way to pass without running (tests/conftest.py)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = {
    "mark": "@pytest.mark.skip(reason='why')\ndef test(): pass",
    "condition": "@pytest.mark.skipif(True, reason='why')\ndef test(): pass",
    "inside": "def test(): pytest.skip('why')",
    "fixture": "@pytest.fixture\ndef f(): pytest.skip('why')\ndef test(f): pass",
    "module": "pytest.skip('why', allow_module_level=True)",
    "import": "pytest.importorskip('absent_module', reason='why')",
}
NOT_SKIPPING = {
    "passing": "def test(): pass",
    "expected_failure": "@pytest.mark.xfail(strict=True)\ndef test(): assert False",
}


def outcomes(folder: Path, *, no_skips: bool) -> str:
    """What pytest says about modules with all these tests, under our conftest."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, source in {**SKIPPING, **NOT_SKIPPING}.items():
        (folder / f"test_{name}.py").write_text(f"import pytest\n{source}\n")
    environment = {key: value for key, value in os.environ.items() if key != "P2POKEY_NO_SKIPS"}
    if no_skips:
        environment["P2POKEY_NO_SKIPS"] = "1"
    command = [sys.executable, "-m", "pytest", "-rA", "--continue-on-collection-errors"]
    result = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(folder)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return result.stdout


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The outcomes where skips are not allowed."""
    return outcomes(tmp_path_factory.mktemp("strict"), no_skips=True)


@pytest.mark.parametrize("way", SKIPPING)
def test_every_way_to_skip_fails_where_skips_are_not_allowed(strict: str, way: str) -> None:
    lines = [line for line in strict.splitlines() if f"test_{way}.py" in line]

    assert any(line.startswith(("FAILED", "ERROR")) for line in lines)
    assert any("skips are not allowed here (P2POKEY_NO_SKIPS)" in line for line in lines)
    assert not any(line.startswith(("PASSED", "SKIPPED")) for line in lines)


def test_what_is_no_skip_is_left_alone(strict: str) -> None:
    assert "PASSED test_passing.py::test" in strict
    assert "XFAIL test_expected_failure.py::test" in strict
    assert "skipped" not in strict.splitlines()[-1]


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    summary = outcomes(tmp_path, no_skips=False).splitlines()[-1]

    assert f"1 passed, {len(SKIPPING)} skipped, 1 xfailed" in summary
