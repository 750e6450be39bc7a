"""A match of several hands at one table: what the next hand starts from, and when it is over.

Rules A-7, G-3 and G-12; docs/protocol.md S2. A `Match` is a value: a finished or failed attempt
makes the next one. Every seat keeps its own and comes to the same, because all that goes in has
been signed by all: the setup of the next hand shows any difference in its very first message.
"""

from dataclasses import dataclass, replace

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, check_table
from p2pokey.rules.scoring import match_over, next_starter
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import NO_TRANSCRIPT, HandSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedHand:
    """What a hand that all have signed leaves to the match."""

    starter: Seat
    """Seat that began it."""
    points: tuple[int, ...]
    """Change per seat."""
    totals: tuple[int, ...]
    """Score per seat after it."""
    transcript_hash: bytes
    """64 bytes that every RESULT signed (docs/protocol.md S4.8)."""
    keys: frozenset[bytes]
    """Hand and sealing keys that were used in it."""
    counts: bool = True
    """False if the rules cancelled it (C-12): all signed it, and the same starter deals again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where a match stands between two hands."""

    session: bytes
    """32-byte session id."""
    roster: tuple[bytes, ...]
    """Ed25519 public keys in seat order."""
    rules: RuleSet
    options: TableOptions
    totals: tuple[int, ...]
    """Score per seat."""
    attempts: int = 0
    """Attempts at a hand so far, failed ones included: number of the next one."""
    hands_played: int = 0
    """Hands that counted."""
    first_starter: Seat | None = None
    """Seat that began the first hand that counted."""
    excluded: int = 0
    """Seats that the coins must not choose in the next attempt, as a bit mask (S4.2)."""
    repeated_starter: Seat | None = None
    """Starter of a hand that is dealt again, None for the next hand."""
    previous: bytes = NO_TRANSCRIPT
    """Transcript hash of the last hand that all signed."""
    used_keys: frozenset[bytes] = frozenset()
    """Hand and sealing keys of all attempts: none may come back in this session (S4.2)."""

    @property
    def is_over(self) -> bool:
        """Whether the rules end the match here."""
        return match_over(self.rules, self.totals, self.hands_played)[0]

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Seats that have won; empty while the match goes on."""
        return match_over(self.rules, self.totals, self.hands_played)[1]

    def next_setup(self) -> HandSetup:
        """What all seats must agree on for the next attempt.

        Raises:
            LocalProtocolError: the match is over.
        """
        if self.is_over:
            raise LocalProtocolError("the match is over: no hand follows")
        return HandSetup(
            session=self.session,
            hand=self.attempts,
            roster=self.roster,
            rules=self.rules,
            options=self.options,
            match_hand=self.hands_played,
            starter=self._next_starter(),
            excluded=self.excluded,
            totals=self.totals,
            previous=self.previous,
        )

    def after_hand(self, hand: FinishedHand) -> "Match":
        """The match after an attempt that all signed.

        Raises:
            LocalProtocolError: its score does not continue this match's.
        """
        expected = tuple(a + b for a, b in zip(self.totals, hand.points, strict=True))
        if hand.totals != expected:
            raise LocalProtocolError(f"expected totals {expected}, got {hand.totals}")
        first = hand.starter if self.first_starter is None else self.first_starter
        return replace(
            self,
            totals=hand.totals,
            attempts=self.attempts + 1,
            hands_played=self.hands_played + hand.counts,
            first_starter=first,
            excluded=0,
            repeated_starter=None if hand.counts else hand.starter,
            previous=hand.transcript_hash,
            used_keys=self.used_keys | hand.keys,
        )

    def after_failure(
        self,
        *,
        keys: frozenset[bytes],
        withheld: tuple[Seat, ...] = (),
        starter: Seat | None = None,
    ) -> "Match":
        """The match after an attempt without score: the same hand is dealt again (G-13).

        Args:
            keys: hand and sealing keys that were seen in it.
            starter: seat that began it, or None if it ended before that was known; it begins again
                (G-3), so that nobody can void a hand for another throw of the coins.
            withheld: seats that sent COMMIT but, with all COMMITs in, no KEYS: they have seen the
                others' coins, so the coins must not choose them next time (S4.2).
        """
        after = replace(self, attempts=self.attempts + 1, used_keys=self.used_keys | keys)
        return after.dealt_again(withheld=withheld, starter=starter)

    def dealt_again(self, *, withheld: tuple[Seat, ...], starter: Seat | None) -> "Match":
        """The same attempt with what is known of the failed one before it (`after_failure`)."""
        mask = self.excluded
        for seat in withheld:
            mask |= 1 << seat
        if mask == 2 ** len(self.roster) - 1:
            mask = 0
        return replace(
            self,
            excluded=mask,
            repeated_starter=self.repeated_starter if starter is None else starter,
        )

    def rematch(self, attempts: int) -> "Match":
        """A match that begins anew in the same session, with that attempt; keys stay used."""
        fresh = new_match(
            session=self.session, roster=self.roster, rules=self.rules, options=self.options
        )
        return replace(fresh, attempts=attempts, used_keys=self.used_keys)

    def _next_starter(self) -> Seat | None:
        """Chosen by the coins or from the first starter, as the rules say (G-3)."""
        if self.repeated_starter is not None:
            return self.repeated_starter
        hand = self.hands_played + 1
        return next_starter(self.rules, self.first_starter, hand, len(self.roster))


def new_match(
    *, session: bytes, roster: tuple[bytes, ...], rules: RuleSet, options: TableOptions
) -> Match:
    """A match before its first hand.

    Raises:
        InvalidRuleSet: rules and options contradict each other.
        LocalProtocolError: the roster has another number of seats.
    """
    check_table(rules, options)
    if len(roster) != options.seats:
        raise LocalProtocolError(f"expected {options.seats} seats, got {len(roster)} keys")
    return Match(
        session=session,
        roster=roster,
        rules=rules,
        options=options,
        totals=(rules.start_score,) * len(roster),
    )
