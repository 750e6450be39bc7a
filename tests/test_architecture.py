"""The house rules that no single module can keep alone (docs/architecture.md 2 and 3)."""

import ast
import inspect
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from p2pokey import errors
from tests.core import FORBIDDEN, ROOT, core_children, core_files, module_name

PACKAGES = (ROOT / "p2pokey", ROOT / "signaling")

EXACT = ("crypto", "transcript", "deck")
"""Packages whose bytes are hashed, signed and sent."""

PROTOCOL_ERRORS = (
    "BadPoint",
    "BadScalar",
    "BadLength",
    "IdentityPoint",
    "DuplicateKey",
    "CommitMismatch",
    "PopInvalid",
    "ShareInvalid",
    "ShuffleInvalid",
    "OutputIdentity",
    "DleqInvalid",
    "TileMismatch",
    "UnknownTile",
    "TokenNotDue",
    "DeckDisagreement",
    "BadSignature",
    "BrokenChain",
    "Equivocation",
    "IllegalMove",
    "StateDisagreement",
    "ReplayMismatch",
)
"""docs/protocol.md S12, in its order."""


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs this Python with arguments."""
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_imports_go_one_way_only() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = run("-c", command, "--no-cache")

    assert "0 broken" in result.stdout, result.stdout + result.stderr
    assert result.returncode == 0


# Purity ------------------------------------------------------------------------------------------


def import_behind_the_wall(root: Path) -> subprocess.CompletedProcess[str]:
    """Imports the core of the p2pokey under `root` with everything else out of reach."""
    names = [module_name(path, root) for path in core_files(root / "p2pokey")]
    script = str(ROOT / "tests" / "purity.py")
    return run("-I", "-S", "-B", script, str(root), *names, "--", *sorted(FORBIDDEN))


def test_core_imports_nothing_that_a_browser_page_lacks() -> None:
    result = import_behind_the_wall(ROOT)

    assert result.stdout == ""
    assert result.returncode == 0, result.stderr


def test_core_holds_the_packages_that_it_should() -> None:
    children = {path.stem for path in core_children()}

    assert children >= {"errors", "ports", "tiles", "rules", "crypto", "transcript", "deck"}
    assert children >= {"hand", "audit", "bots", "table"}
    assert not children & {"native", "net", "peer", "web", "cli"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("import secrets", "may not import secrets"),
        ("import asyncio.queues", "may not import asyncio"),
        ("from time import monotonic", "may not import time"),
        ("import tempfile", "may not import random"),  # through the standard library
        ("import cryptography", "not in the standard library"),
        ("import p2pokey.absent", "No module named"),
    ],
)
def test_the_wall_stops_what_the_core_may_not_import(
    tmp_path: Path, line: str, complaint: str
) -> None:
    package = tmp_path / "p2pokey" / "rules"
    package.mkdir(parents=True)
    (tmp_path / "p2pokey" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "bad.py").write_text(line + "\n")

    result = import_behind_the_wall(tmp_path)

    assert result.stdout.startswith("p2pokey.rules.bad: ")
    assert complaint in result.stdout
    assert result.returncode == 1


# Source text -------------------------------------------------------------------------------------

Rule = Callable[[ast.AST], str | None]
"""Says what is wrong with one node of a syntax tree, if anything."""


def imported_names(node: ast.AST) -> list[str]:
    """Absolute names of the modules that a statement imports, at whatever depth it stands."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def no_game_randomness(node: ast.AST) -> str | None:
    """`random` and the generators of numpy are predictable: they may never touch a game."""
    for name in imported_names(node):
        if name.split(".")[0] == "random" or name.startswith("numpy"):
            return f"imports {name}"
    return None


def no_forbidden_import(node: ast.AST) -> str | None:
    """The wall sees imports at the top of a module; this sees those inside functions as well."""
    for name in imported_names(node):
        top = name.split(".")[0]
        if top in FORBIDDEN:
            return f"imports {name}"
        if top != "p2pokey" and top not in sys.stdlib_module_names:
            return f"imports {name}, which is not in the standard library"
    return None


def exact_bytes_only(node: ast.AST) -> str | None:
    """Floats, `hash` and pickle differ between machines or runs."""
    match node:
        case ast.Constant(value=float() | complex()):
            return "an inexact number"
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return "a division that gives a float"
        case ast.Call(func=ast.Name(id="hash" | "float" | "round")):
            return f"a call of {ast.unparse(node.func)}"
        case _ if any(name.split(".")[0] == "pickle" for name in imported_names(node)):
            return "imports pickle"
    return None


def offences(rule: Rule, files: Iterator[Path]) -> list[str]:
    """Every place in the files that breaks the rule."""
    return [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {offence}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (offence := rule(node)) is not None
    ]


def all_files() -> Iterator[Path]:
    """Every source file that is installed."""
    for package in PACKAGES:
        yield from sorted(package.rglob("*.py"))


def exact_files() -> Iterator[Path]:
    """Source files of the packages that must be exact."""
    for name in EXACT:
        yield from sorted((ROOT / "p2pokey" / name).rglob("*.py"))


def test_nothing_uses_predictable_randomness() -> None:
    assert offences(no_game_randomness, all_files()) == []


def test_core_imports_nothing_forbidden_inside_functions() -> None:
    assert offences(no_forbidden_import, core_files()) == []


def test_hashed_and_signed_bytes_come_from_exact_arithmetic() -> None:
    assert offences(exact_bytes_only, exact_files()) == []


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (no_game_randomness, "def f():\n    from random import choice"),
        (no_game_randomness, "from numpy import random"),
        (no_game_randomness, "import numpy.random as r"),
        (no_forbidden_import, "def f():\n    import uuid"),
        (no_forbidden_import, "def f():\n    from aiortc import RTCPeerConnection"),
        (exact_bytes_only, "x = 0.5"),
        (exact_bytes_only, "x = y / 2"),
        (exact_bytes_only, "x /= 2"),
        (exact_bytes_only, "x = hash(y)"),
        (exact_bytes_only, "import pickle"),
    ],
)
def test_each_rule_finds_an_offence(rule: Rule, source: str) -> None:
    assert any(rule(node) is not None for node in ast.walk(ast.parse(source)))


# Errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROTOCOL_ERRORS)
def test_every_error_of_the_protocol_has_a_class_and_a_sentence(name: str) -> None:
    error = getattr(errors, name)

    assert issubclass(error, errors.P2POkeyError)
    assert error.__name__ == name
    assert "__doc__" in vars(error)
    assert inspect.cleandoc(error.__doc__).splitlines()[0].endswith(".")


# Package -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel; the build needs nothing from the network."""
    folder = tmp_path_factory.mktemp("wheel")
    result = run("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder))
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_holds_both_packages_whole_and_nothing_else(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    assert "p2pokey/py.typed" in names
    assert expected == {name for name in names if ".dist-info/" not in name}


def test_wheel_carries_licence_and_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = archive.read(f"{info}/METADATA").decode()
        commands = archive.read(f"{info}/entry_points.txt").decode()

        assert archive.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert "License-Expression: MIT\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata
    assert "p2pokey = p2pokey.cli.start:main\n" in commands + "\n"


def test_core_runs_from_the_wheel_alone(wheel: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(wheel)!r}); import p2pokey.hand.machine as m; "
    result = run("-I", "-S", "-c", program + "print(m.__file__)", cwd=wheel.parent)

    assert result.stdout.startswith(str(wheel)), result.stderr
