"""Imports the core where nothing but the allowed part of the standard library can be imported.

A program of its own, because what is imported once stays imported: `python -I -S purity.py ROOT
MODULE... -- FORBIDDEN...` prints one line for each module that cannot be imported and exits with
status 1 if there is one.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class Wall:
    """Finder that comes first and refuses what the core may not import."""

    def __init__(self, own: str, forbidden: frozenset[str]) -> None:
        self.own = own
        self.forbidden = forbidden

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None leaves the search to the finders that follow."""
        top = name.partition(".")[0]
        if top in self.forbidden:
            raise ImportError(f"the core may not import {name}")
        if top != self.own and top not in sys.stdlib_module_names:
            raise ImportError(f"the core may not import {name}: it is not in the standard library")
        return None


def main(root: str, names: list[str], forbidden: frozenset[str]) -> int:
    """Imports all names behind the wall."""
    for name in list(sys.modules):
        if name.partition(".")[0] in forbidden:
            del sys.modules[name]
    sys.path.insert(0, root)
    sys.meta_path.insert(0, Wall(names[0].partition(".")[0], forbidden))
    failures = 0
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            failures += 1
            print(f"{name}: {error}")
    leaked = sorted(forbidden & set(sys.modules))
    if leaked:
        print(f"imported in spite of the wall: {leaked}")
    return 1 if failures or leaked else 0


if __name__ == "__main__":
    split = sys.argv.index("--")
    sys.exit(main(sys.argv[1], sys.argv[2:split], frozenset(sys.argv[split + 1 :])))
