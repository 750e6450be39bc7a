"""The files of the page: read once, served from a table, so that no path leads anywhere else."""

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

MAX_PAGE_BYTES = 200_000
"""What a visit can load at most, unpacked: all screens, and one language."""
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """One file as it is served."""

    data: bytes
    content_type: str


def page_files() -> dict[str, StaticFile]:
    """Every file of the page by its path in the address, `/` for the page itself."""
    found = dict(_below(files("p2pokey.web") / "static", ""))
    found["/"] = found["/index.html"]
    return found


def _below(folder: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{prefix}/{entry.name}"
        suffix = entry.name.rpartition(".")[2]
        if entry.is_dir():
            found += _below(entry, path)
        elif suffix in _TYPES:
            file = StaticFile(data=entry.read_bytes(), content_type=_TYPES[suffix])
            found.append((path, file))
    return found
