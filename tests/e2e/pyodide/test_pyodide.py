"""The core inside WebAssembly, as a browser page will run it one day (docs/architecture.md 3).

Needs Node.js 18 or newer with npm; Pyodide comes from the npm registry by the lock file beside
this. Signatures and sealing are stand-ins in this test, see `core_hand.py`.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from p2pokey.crypto.group import Group
from p2pokey.native.backends import choose_backend
from tests.core import ROOT, core_children, core_files, module_name
from tests.e2e.pyodide.core_hand import Played, play_hand, wrong_answers

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

HERE = Path(__file__).resolve().parent
VECTORS = ROOT / "tests" / "vectors"
LABEL = "hand 0"
"""A hand that one seat finishes after some five rounds of the table."""

OLDEST_NODE = 18
INSTALL_SECONDS = 300
PLAY_SECONDS = 500


def require_node() -> str:
    """The path of node; skips where there is none that Pyodide runs on."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("needs Node.js and npm")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"needs Node.js {OLDEST_NODE} or newer, got {version.strip()}")
    return node


def install() -> None:
    """Installs exactly what the lock file says, unless that is there already."""
    lock, installed = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    result = subprocess.run(
        ["npm", "ci"],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def job() -> dict[str, Any]:
    """What `runner.mjs` is to do."""
    children = core_children()
    return {
        "packages": {path.name: str(path) for path in children if path.is_dir()},
        "modules": {path.name: str(path) for path in children if path.is_file()},
        "vectors": str(VECTORS),
        "script": str(HERE / "core_hand.py"),
        "arguments": [LABEL, "/vectors"],
    }


@pytest.fixture(scope="module")
def in_wasm() -> dict[str, Any]:
    """What the script reports from inside Pyodide."""
    node = require_node()
    install()
    result = subprocess.run(
        [node, str(HERE / "runner.mjs"), json.dumps(job())],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=PLAY_SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


@pytest.fixture(scope="module")
def group() -> Group:
    """The fastest group of this computer."""
    return Group(choose_backend())


@pytest.fixture(scope="module")
def beside_it(group: Group) -> Played:
    """The same hand in this process."""
    return play_hand(group, LABEL)


def test_every_core_module_can_be_imported_in_wasm(in_wasm: dict[str, Any]) -> None:
    expected = {module_name(path) for path in core_files()} - {"p2pokey"}

    assert in_wasm["platform"] == "emscripten"
    assert expected == set(in_wasm["modules"])


def test_known_answers_hold_in_wasm(in_wasm: dict[str, Any]) -> None:
    assert in_wasm["wrong"] == []


def test_a_hand_in_wasm_gives_the_same_bytes_as_here(
    in_wasm: dict[str, Any], beside_it: Played
) -> None:
    assert in_wasm["transcript"].encode("ascii") == beside_it.transcript
    assert in_wasm["points"] == list(beside_it.points)
    assert in_wasm["moves"] == beside_it.moves
    assert in_wasm["proofs"] == beside_it.proofs


def test_the_hand_is_a_whole_one(beside_it: Played) -> None:
    kinds = [json.loads(line)["summary"]["kind"] for line in beside_it.transcript.splitlines()[1:]]

    assert beside_it.moves > 4
    assert any(beside_it.points)
    assert {kinds.count(kind) for kind in ("commit", "keys", "shuffle", "result")} == {4}


def test_wrong_answers_are_noticed(group: Group, tmp_path: Path) -> None:
    for path in VECTORS.glob("*.json"):
        shutil.copy(path, tmp_path)
    assert wrong_answers(group, tmp_path) == []

    known = json.loads((VECTORS / "generators.json").read_text("ascii"))
    known["M_0"] = known["M_105"]
    (tmp_path / "generators.json").write_text(json.dumps(known))

    assert wrong_answers(group, tmp_path) == ["M_0"]
