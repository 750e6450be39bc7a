"""What a guest checks of a table before taking a seat there."""

from p2pokey.errors import ConnectError, InvalidRuleSet
from p2pokey.rules.rulesets import check_table, from_json


def check_rules(text: bytes, seats: int) -> None:
    """Raises ConnectError unless this program knows the rules and they fit the table."""
    try:
        rules, options = from_json(text)
        check_table(rules, options)
    except InvalidRuleSet as error:
        raise ConnectError(
            "The table plays by rules that this p2pokey does not know: get the version of the host."
        ) from error
    if options.seats != seats:
        raise ConnectError("The table has another number of seats than its rules say.")
