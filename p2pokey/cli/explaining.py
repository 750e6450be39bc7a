"""`p2pokey rules`: the games there are, and a card for each."""

import json
import sys
import textwrap
import unicodedata
from collections.abc import Iterator

import click

from p2pokey.cli.card_parts import Card, Section
from p2pokey.cli.card_texts import Language, say
from p2pokey.cli.cards import card_of
from p2pokey.cli.exits import ExitCode
from p2pokey.cli.output import Output
from p2pokey.rules.introductions import summary
from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.rules.rulesets import options_of, ruleset_for

_WIDTH = 80
_GAP = "  "


def run_rules(output: Output, *, key: str | None, lang: str, as_list: bool, as_json: bool) -> int:
    """Prints the card of one game, or the list of all."""
    if key is not None and (as_list or as_json):
        raise click.UsageError("--list and --json are for all games: leave the key out.")
    language = Language(lang)
    if as_json:
        output.data(json.dumps({"rules": _records()}, indent=2, ensure_ascii=True))
    elif key is None:
        for line in _list_lines(language):
            output.data(_shown(line))
        output.say(_shown(say(language, "list.more")))
    else:
        for line in card_lines(card_of(ruleset_for(key), language)):
            output.data(_shown(line))
    return ExitCode.OK


def _shown(text: str, encoding: str | None = None) -> str:
    """The text, in plain letters where standard output cannot show the others."""
    try:
        text.encode(encoding or sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        plain = unicodedata.normalize("NFKD", text.replace("×", "x").replace("ı", "i"))
        return plain.encode("ascii", "ignore").decode("ascii")
    return text


def _records() -> list[dict[str, object]]:
    """All games for another program; values as they are signed."""
    return [
        {
            "key": key,
            "name": {language.value: say(language, f"name.{key}") for language in Language},
            "players": rules.players,
            "options": {
                name: {"values": list(OPTIONS[key][name]), "usual": usual}
                for name, usual in options_of(rules).items()
            },
        }
        for key, rules in RULE_SETS.items()
    ]


def _list_lines(language: Language) -> Iterator[str]:
    rows = tuple((key, say(language, f"name.{key}"), summary(key)[language]) for key in RULE_SETS)
    return aligned(rows, right=False)


def card_lines(card: Card) -> Iterator[str]:
    """The card as it is printed."""
    yield click.style(card.name, bold=True)
    yield from textwrap.wrap(card.intro, _WIDTH)
    for section in card.sections:
        yield ""
        yield click.style(section.title, bold=True)
        yield from _section_lines(section)
    yield ""
    yield card.more


def _section_lines(section: Section) -> Iterator[str]:
    for index, line in enumerate(aligned(section.rows, right=section.has_head)):
        is_head = section.has_head and index == 0
        yield _GAP + (click.style(line, underline=True) if is_head else line)
    for note in section.notes:
        yield _GAP + note


def aligned(rows: tuple[tuple[str, ...], ...], *, right: bool) -> Iterator[str]:
    """Rows with their cells below each other; all but the first column may stand right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [first.ljust(widths[0])]
        for cell, width in zip(rest, widths[1:], strict=True):
            cells.append(cell.rjust(width) if right else cell.ljust(width))
        yield _GAP.join(cells).rstrip()
