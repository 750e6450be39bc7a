"""The person before the page as a player of the table: is asked for a move, and answers some time."""

import asyncio
from collections.abc import Callable

from p2pokey.errors import RuleError
from p2pokey.rules.engine import engine_for
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View
from p2pokey.web.engine import IntentRefused


class PagePerson:
    """Implements `peer.players.Person`; all of it on the event loop."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Args: on_change: told when a move is asked for and when it is not any more."""
        self._on_change = on_change
        self._view: View | None = None
        self._answer: asyncio.Future[Move] | None = None

    @property
    def asked(self) -> View | None:
        """What the player sees where a move is asked for; None: no move is."""
        is_open = self._answer is not None and not self._answer.done()
        return self._view if is_open else None

    async def choose(self, view: View) -> Move:
        """The person's move; cancelled when another one moves in the person's place."""
        self._view = view
        self._answer = asyncio.get_running_loop().create_future()
        self._on_change()
        try:
            return await self._answer
        finally:
            self._view = self._answer = None
            self._on_change()

    def play(self, move: Move) -> None:
        """Answers with that move.

        Raises:
            IntentRefused: no move is asked for, or the rules do not allow this one.
        """
        view, answer = self.asked, self._answer
        if view is None or answer is None:
            raise IntentRefused("not-your-turn")
        try:
            engine_for(view.state.rules).check(view, move)
        except RuleError as error:
            raise IntentRefused("rule", rule=error.rule, text=str(error)) from error
        answer.set_result(move)
