"""Every failure ends with its code and one sentence."""

import inspect

import click
import pytest

from p2pokey import errors
from p2pokey.cli.exits import CommandError, ExitCode, HungUp, Terminated, explain, sentence_of
from p2pokey.errors import TableCancelled

CODES = [
    (TableCancelled("seat 3 (Ayse) has left the table"), 6),
    (KeyboardInterrupt(), 130),
    (click.Abort(), 130),
    (HungUp(), 129),
    (Terminated(), 143),
    (click.UsageError("no such option"), 2),
    (errors.InvalidInvite("'lele' is not a word"), 2),
    (errors.InvalidAddress("'x' is no server address"), 2),
    (errors.InvalidRuleSet("no such rules", rule="OPT-1"), 2),
    (errors.BackendUnavailable("found no libsodium"), 1),
    (errors.DecodeError("damaged"), 1),
    (OSError(28, "No space left on device", "/x"), 1),
    (ZeroDivisionError("division by zero"), 1),
    (errors.LocalProtocolError("a bug"), 1),
    (CommandError("x", advice="y", code=ExitCode.UNREADABLE), 4),
]


def connect_errors() -> list[type[errors.ConnectError]]:
    classes = [item for _, item in inspect.getmembers(errors, inspect.isclass)]
    usage = (errors.InvalidAddress, errors.InvalidInvite)
    return [item for item in classes if issubclass(item, errors.ConnectError) and item not in usage]


@pytest.mark.parametrize(("error", "code"), CODES, ids=lambda item: type(item).__name__)
def test_each_failure_has_its_code(error: BaseException, code: int):
    assert explain(error).code == code


@pytest.mark.parametrize("kind", connect_errors())
def test_whatever_keeps_a_table_from_standing_is_5(kind: type[errors.ConnectError]):
    explanation = explain(kind("the server does not answer"))

    assert explanation.code == 5
    assert explanation.sentence == "The server does not answer."


@pytest.mark.parametrize("kind", connect_errors())
def test_a_class_without_text_speaks_for_itself(kind: type[errors.ConnectError]):
    assert sentence_of(kind()) == kind.__doc__


def test_an_unexpected_failure_says_how_to_see_more():
    explanation = explain(ZeroDivisionError("division by zero"))

    assert "ZeroDivisionError" in explanation.sentence
    assert "--debug" in explanation.advice


def test_every_sentence_is_one_line():
    for error, _ in CODES:
        assert "\n" not in explain(error).sentence
