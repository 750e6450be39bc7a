"""Options of a rule set as they are typed: `--option hands=7 --option partners=true`."""

from collections.abc import Sequence

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.errors import InvalidRuleSet
from p2pokey.rules.published import OPTIONS, Option, RuleSet
from p2pokey.rules.rulesets import ruleset_for

_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def chosen_rules(key: str, pairs: Sequence[str]) -> RuleSet:
    """The rule set with the options that were typed.

    Raises:
        CommandError: no `NAME=VALUE`, no option of this game, or a value that it does not allow.
    """
    options = dict(_parse(key, pair) for pair in pairs)
    if len(options) < len(pairs):
        raise _refused(key, "An option was given twice.")
    try:
        return ruleset_for(key, **options)
    except InvalidRuleSet as error:
        raise _refused(key, f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def _parse(key: str, pair: str) -> tuple[str, Option]:
    name, sign, text = pair.partition("=")
    allowed = OPTIONS[key].get(name)
    if not sign or allowed is None:
        raise _refused(key, f"{pair[:40]!r} is no option of {key}.")
    if isinstance(allowed[0], bool):
        value: Option = _SWITCHES.get(text.lower(), text)
    else:
        value = next((choice for choice in allowed if str(choice) == text), text)
    return name, value


def _refused(key: str, sentence: str) -> CommandError:
    choices = "; ".join(
        f"{name}={'|'.join(str(value).lower() for value in allowed)}"
        for name, allowed in OPTIONS[key].items()
    )
    return CommandError(sentence, advice=f"{key} has {choices}.", code=ExitCode.USAGE)
