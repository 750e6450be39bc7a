"""Computer players that the page's host brings along: `Bots` of `p2pokey host --bots`, for a page."""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

from p2pokey.cli.bots import BOT_NAMES, Bots, new_ticket
from p2pokey.native.backends import BackendName
from p2pokey.ports import Signer
from p2pokey.table.roster import Roster
from p2pokey.web.bots import MakeBots, TableBots


def page_bots(tables: Path, backend: BackendName, ice: Sequence[str]) -> MakeBots:
    """Makes the computer players of a table.

    Args:
        tables: where the runner keeps journals of tables.
    """
    more = tuple(word for url in ice for word in ("--ice", url))

    def make(runner: Signer) -> TableBots:
        return PageBots(Bots(state=tables, options=("--backend", backend)), runner, more)

    return make


class PageBots:
    """Implements `web.bots.TableBots`."""

    def __init__(self, bots: Bots, runner: Signer, more: Sequence[str]) -> None:
        """Args: more: options of those that join."""
        self._bots = bots
        self._runner = runner
        self._more = more
        self._names: list[str] = []
        """Of those that were brought along so far."""

    def join(self, count: int, link: str, password: str, taken: Collection[str]) -> None:
        """Lets so many join the table of a link, under names that are not taken."""
        for _ in range(count):
            name = self._free_name({*taken, *self._names})
            self._names.append(name)
            self._bots.join(name, new_ticket(self._runner, link, password), self._more)

    def come_back(self, roster: Roster) -> None:
        """Starts those of this player that sit there again."""
        self._names += [seat.name for seat in roster.seats]
        self._bots.come_back(roster, self._runner.public_key)

    async def end(self, *, soon: bool) -> None:
        """They end, by themselves or at once; waits for it in a thread."""
        await asyncio.to_thread(self._bots.end, soon=soon)

    def _free_name(self, taken: Collection[str]) -> str:
        numbered = (f"{name} {n}" for n in range(2, 100) for name in BOT_NAMES)
        return next(name for name in (*BOT_NAMES, *numbered) if name not in taken)
