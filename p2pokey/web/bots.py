"""Computer players of one table that this program brings along."""

from collections.abc import Callable, Collection
from typing import Protocol

from p2pokey.ports import Signer
from p2pokey.table.roster import Roster


class TableBots(Protocol):
    """Each is a whole peer in a process of its own; none outlives this program."""

    def join(self, count: int, link: str, password: str, taken: Collection[str]) -> None:
        """Lets so many join the table of a link, under names that are not taken."""

    def come_back(self, roster: Roster) -> None:
        """Starts those of this player that sit there again, after a restart."""

    async def end(self, *, soon: bool) -> None:
        """They end: by themselves after their table, or, if `soon`, at once, to come back later."""


MakeBots = Callable[[Signer], TableBots]
"""Gets whoever runs them, who signs that."""
