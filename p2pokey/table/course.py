"""The course of the match at one seat: attempts, hands that count, rematches, the score sheet.

Everything that goes in has been signed by all or is in the chains, so all seats have the same course.
The one exception, what a failed attempt looked like, differs between seats and is settled with NEXT.
"""

from collections.abc import Mapping

from p2pokey.errors import LocalProtocolError
from p2pokey.table.contents import Next, Wish
from p2pokey.table.match import Match
from p2pokey.table.nexts import agreed_claims
from p2pokey.table.records import HandCounts, HandFailed, Outcome
from p2pokey.table.score_sheet import ScoreSheet
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import HandSetup


class Course:
    """Where the match stands."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.sheet = _sheet(match)
        self.history: list[tuple[ScoreSheet, Match]] = []
        """Matches that a rematch has ended, oldest first."""
        self.hand: HandSetup | None = None
        """The hand that has been begun and has not ended at this seat."""
        self.moves = 0
        """Moves applied in it."""
        self.is_played = False
        """Whether all its moves are made."""
        self._failed: HandFailed | None = None

    @property
    def attempt(self) -> int:
        """Number of the attempt that is going on, or of the next one."""
        return self.match.attempts

    @property
    def position(self) -> tuple[int, int]:
        """How far this seat is, as an ASK says it: attempt; 0, or 1 + moves within a hand."""
        return self.attempt, 0 if self.hand is None else 1 + self.moves

    def own_next(self, wish: Wish) -> Next:
        """What this seat has to say before the next attempt."""
        failed = self._failed
        return Next(
            attempt=self.attempt,
            wish=wish,
            withheld=0 if failed is None else failed.withheld,
            starter=None if failed is None else failed.starter,
            sheet=self.sheet.digest(),
        )

    def begin(self, said: Mapping[Seat, Next]) -> HandSetup:
        """All play: the setup, which follows from the sheet and everybody's NEXT."""
        if self._follows_a_failure():
            withheld, starter = agreed_claims(said, len(self.match.roster))
            self.match = self.match.dealt_again(withheld=withheld, starter=starter)
        self.hand = self.match.next_setup()
        self.moves, self.is_played = 0, False
        self._failed = None
        return self.hand

    def end(self, outcome: Outcome) -> None:
        """The hand that was begun has ended.

        Raises:
            LocalProtocolError: none was begun, or its score does not continue this match.
        """
        if self.hand is None:
            raise LocalProtocolError("no hand was begun, so none can end")
        if isinstance(outcome, HandCounts):
            attempt = self.attempt
            self.match = self.match.after_hand(outcome.hand)
            self.sheet = self.sheet.with_hand(attempt, outcome.hand, outcome.reason)
        else:
            self.match = self.match.after_failure(keys=outcome.keys)
            self._failed = outcome
        self.hand = None

    def rematch(self, attempt: int) -> None:
        """The match begins anew with that attempt."""
        self.history.append((self.sheet, self.match))
        self.match = self.match.rematch(attempt)
        self.sheet = _sheet(self.match)
        self._failed = None

    def match_of(self, sheet: bytes) -> Match | None:
        """The match with that score sheet: this one or one that a rematch has ended."""
        for known, match in [(self.sheet, self.match), *reversed(self.history)]:
            if known.digest() == sheet:
                return match
        return None

    def _follows_a_failure(self) -> bool:
        is_first = self.attempt == self.sheet.first_attempt
        return not is_first and not self.sheet.counted(self.attempt - 1)


def _sheet(match: Match) -> ScoreSheet:
    return ScoreSheet(session=match.session, first_attempt=match.attempts, start=match.totals)
