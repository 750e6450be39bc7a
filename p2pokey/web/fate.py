"""What will happen to a seat whose player is not there (docs/protocol.md S10), for the page."""

from dataclasses import dataclass

from p2pokey.peer.waits import WaitLimits
from p2pokey.rules.rulesets import TableOptions
from p2pokey.web.names import Json

GONE = ("away", "left")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fates:
    """The agreements of one table."""

    options: TableOptions
    patience_s: float
    """How long a lost player is waited for where turns are not timed."""

    def tell(self, people: list[Json], *, is_played: bool, paused: bool) -> None:
        """Adds `then` to each of PEOPLE: null, or `{"what","in_s"}`.

        `stands-in`: the others play on, the seat draws and discards until its player is back.
        `waits`: the hand waits until the player is back or somebody voids it. `in_s`: seconds until
        that begins; 0 if it has begun, null where nothing of a hand is awaited.
        """
        gone = [person for person in people if person["link"] in GONE or person["absent"]]
        for person in people:
            person["then"] = None
        for person in gone:
            can_recover = self.options.recovery and len(gone) == 1
            person["then"] = {
                "what": "stands-in" if can_recover and not paused else "waits",
                "in_s": self._left(person, paused=paused) if is_played else None,
            }

    def _left(self, person: Json, *, paused: bool) -> int:
        if person["absent"] or paused:
            return 0
        return max(0, round(self._limit_s) - (person["since"] or 0))

    @property
    def _limit_s(self) -> float:
        if not self.options.timer_s:
            return self.patience_s
        return min(self.patience_s, self.options.grace_s + WaitLimits().round_s)
