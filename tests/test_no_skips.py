"""P2POKEY_NO_SKIPS=1 leaves no way to pass without running (tests/conftest.py)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WAYS = {
    "mark": "@pytest.mark.skip(reason='why')\ndef test(): pass",
    "condition": "@pytest.mark.skipif(True, reason='why')\ndef test(): pass",
    "inside": "def test(): pytest.skip('why')",
    "fixture": "@pytest.fixture\ndef f(): pytest.skip('why')\ndef test(f): pass",
    "module": "pytest.skip('why', allow_module_level=True)",
    "import": "pytest.importorskip('absent_module', reason='why')",
}
PASSING = "def test(): pass"
EXPECTED_FAILURE = "@pytest.mark.xfail(strict=True)\ndef test(): assert False"


def run_pytest(folder: Path, source: str, *, no_skips: bool) -> subprocess.CompletedProcess[str]:
    """Runs one test module under our conftest."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(f"import pytest\n{source}\n")
    environment = {key: value for key, value in os.environ.items() if key != "P2POKEY_NO_SKIPS"}
    if no_skips:
        environment["P2POKEY_NO_SKIPS"] = "1"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_skip_fails_where_skips_are_not_allowed(tmp_path: Path, way: str) -> None:
    result = run_pytest(tmp_path, WAYS[way], no_skips=True)

    assert result.returncode in (1, 2), result.stdout  # failed, or stopped while collecting
    assert "skips are not allowed here" in result.stdout
    assert "why" in result.stdout


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    result = run_pytest(tmp_path, WAYS["mark"], no_skips=False)

    assert "1 skipped" in result.stdout
    assert result.returncode == 0


@pytest.mark.parametrize("source", [PASSING, EXPECTED_FAILURE])
def test_what_is_no_skip_is_left_alone(tmp_path: Path, source: str) -> None:
    result = run_pytest(tmp_path, source, no_skips=True)

    assert result.returncode == 0, result.stdout
