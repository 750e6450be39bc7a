"""Recovery only where it hides tiles: seats that one person runs count as one party.

With recovery on, all the other seats together can open a seat's tiles (docs/protocol.md S10). Where
fewer than three people run the machines of all seats, that could be a single person, so recovery is
off there. All seats read the runners in the same roster and so play with the same options.
"""

from dataclasses import replace

from p2pokey.rules.rulesets import TableOptions
from p2pokey.table.roster import Roster

MIN_RUNNERS = 3
"""Different people that recovery needs."""


def effective_options(roster: Roster, options: TableOptions) -> TableOptions:
    """The options that the table is played with: those agreed on, without recovery if need be."""
    runners = {seat.runner for seat in roster.seats}
    if not options.recovery or len(runners) >= MIN_RUNNERS:
        return options
    return replace(options, recovery=False, threshold=0)
