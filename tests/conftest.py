"""Settings of the whole test suite.

P2POKEY_NO_SKIPS=1 turns every skip into a failure: where everything is installed, a skipped test is
a test that silently guards nothing.

Hypothesis profiles: `dev` (the default) looks at new examples in every run; `ci` (where CI is set)
repeats the same ones; `nightly` searches long. HYPOTHESIS_PROFILE chooses another.
"""

import gc
import logging
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

NO_SKIPS = os.environ.get("P2POKEY_NO_SKIPS") == "1"

# No deadline: two cores shared with other work make single slow examples normal.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("nightly", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


# A shell starts background jobs deaf to Ctrl-C, and their children inherit it: without this, tests
# that interrupt a program would wait for ever under `make test &`.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_GARBAGE = 100_000
"""New objects between two collections: what stays in memory anyway is not looked through so often."""


def pytest_collection_finish() -> None:
    """Saves a tenth of the time of the whole suite."""
    gc.freeze()
    gc.set_threshold(_GARBAGE)


LOGGERS = ("", "p2pokey", "signaling")
"""Loggers that the command line configures."""


@pytest.fixture(autouse=True)
def same_logging() -> Iterator[None]:
    """Undoes what a command that ran in this process did to logging, for the tests that follow."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        added = [handler for handler in logger.handlers if handler not in handlers]
        for handler in added:
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(level)
        logger.propagate = propagate


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Reports a skipped test as failed where skips are not allowed."""
    report = yield
    # An expected failure is reported as skipped too, and is none.
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Reports a module that skips itself as failed where skips are not allowed."""
    report = yield
    if NO_SKIPS and report.skipped:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid}: skips are not allowed here (P2POKEY_NO_SKIPS): {reason}"
