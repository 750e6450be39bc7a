"""Which part of p2pokey is the core, and what the core may not import (docs/architecture.md 3).

The core is everything except the packages named here, so that a new package belongs to it until
somebody says otherwise.
"""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SHELLS = frozenset({"native", "net", "peer", "web", "cli", "__main__"})
"""Children of p2pokey that talk to the world outside."""

FORBIDDEN = frozenset(
    {
        "asyncio", "threading", "socket", "subprocess", "random", "secrets", "time", "logging",
        "uuid", "ctypes",
    }
)  # fmt: skip
"""Modules of the standard library that have no place in the core."""


def core_children(package: Path = ROOT / "p2pokey") -> list[Path]:
    """Packages and top-level modules of the core, in order of name."""
    return sorted(
        path
        for path in package.iterdir()
        if path.stem not in SHELLS and (path.suffix == ".py" or (path / "__init__.py").exists())
    )


def core_files(package: Path = ROOT / "p2pokey") -> Iterator[Path]:
    """Every source file of the core."""
    for child in core_children(package):
        yield from [child] if child.is_file() else sorted(child.rglob("*.py"))


def module_name(path: Path, root: Path = ROOT) -> str:
    """Dotted name of the module in a source file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
