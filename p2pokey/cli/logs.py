"""Where log records go: standard error with -v, and a rotated file for players with a profile.

Records never hold keys, tiles, codes, or addresses above DEBUG.
"""

import logging
import logging.handlers
from contextlib import suppress
from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PACKAGES = ("p2pokey", "signaling")
MAX_LOG_BYTES = 1024 * 1024
KEPT_LOGS = 3


def log_to_stderr(verbosity: int) -> None:
    """Shows records from WARNING (usual), INFO (-v) or DEBUG (-vv) on; none if quiet."""
    levels = {-1: logging.CRITICAL, 0: logging.ERROR, 1: logging.INFO}
    handler = logging.StreamHandler()
    handler.setLevel(levels.get(verbosity, logging.DEBUG))
    _attach(handler)
    # Libraries complain about what a vanished friend leaves undone; that helps only in a search.
    logging.getLogger().addHandler(handler if verbosity > 1 else logging.NullHandler())


def log_to_file(folder: Path) -> None:
    """Keeps records from INFO on in `p2pokey.log`; a folder that cannot be written is no failure."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            folder / "p2pokey.log",
            maxBytes=MAX_LOG_BYTES,
            backupCount=KEPT_LOGS,
            encoding="utf-8",
        )
        handler.setLevel(logging.INFO)
        _attach(handler)


def _attach(handler: logging.Handler) -> None:
    handler.setFormatter(logging.Formatter(_FORMAT))
    for name in _PACKAGES:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(min(handler.level, logger.level or logging.CRITICAL))
        logger.propagate = False
