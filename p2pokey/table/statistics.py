"""What a player's own transcripts add up to.

A file counts if every line is in order and all its RESULTs agree about the score: then all seats have
signed it. Proofs and rules are not checked here; `audit` does that.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from p2pokey.audit.reading import read_transcript
from p2pokey.errors import DecodeError, VerificationError
from p2pokey.ports import Verifier
from p2pokey.rules.scoring import match_over, side_totals
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Result
from p2pokey.transcript.setup import HandSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """A hand with a score that all have signed."""

    setup: HandSetup
    points: tuple[int, ...]
    """Change per seat."""
    totals: tuple[int, ...]
    """Score per seat after it."""

    @property
    def place(self) -> tuple[bytes, int]:
        """Session and number of the attempt: each hand is counted once."""
        return self.setup.session, self.setup.hand

    @property
    def best(self) -> tuple[Seat, ...]:
        """Seats that came out best; ties are shared, and partners are one side."""
        sides = side_totals(self.setup.rules, self.points)
        best = max(sides) if self.setup.rules.most_points_win else min(sides)
        return tuple(Seat(seat) for seat, points in enumerate(sides) if points == best)

    @property
    def match_winners(self) -> tuple[Seat, ...]:
        """Winners of the match if this was its last hand, else nobody."""
        return match_over(self.setup.rules, self.totals, self.setup.match_hand + 1)[1]


def read_hand(data: bytes, verifier: Verifier) -> PlayedHand | None:
    """The hand in a transcript; None if it has no score that all seats present have signed.

    Raises:
        DecodeError, VerificationError: not a transcript.
    """
    reading = read_transcript(data, verifier)
    results = {
        line.envelope.seat: line.envelope.message
        for line in reading.lines
        if isinstance(line.envelope.message, Result)
    }
    scores = {(result.points, result.totals, result.transcript) for result in results.values()}
    if reading.findings or reading.is_cut or len(scores) != 1:
        return None
    points, totals, signed = scores.pop()
    is_whole = len(results) >= reading.setup.seats - 1 and len(points) == reading.setup.seats
    if not is_whole or signed != reading.transcript_hash:
        return None
    return PlayedHand(setup=reading.setup, points=points, totals=totals)


@dataclass(slots=True, kw_only=True)
class Record:
    """Hands and matches of one rule set, or with one other player."""

    hands: int = 0
    hands_won: int = 0
    """Hands in which this player, or their side, came out best."""
    matches: int = 0
    """Matches that were played to their end."""
    matches_won: int = 0
    points: int = 0
    """Sum of this player's changes of score."""

    def add(self, hand: PlayedHand, seat: Seat) -> None:
        """Counts one hand in which this player had that seat."""
        self.hands += 1
        self.hands_won += seat in hand.best
        winners = hand.match_winners
        self.matches += bool(winners)
        self.matches_won += seat in winners
        self.points += hand.points[seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What the files of one player add up to."""

    by_rules: dict[str, Record]
    """By key of the rule set."""
    by_player: dict[bytes, Record]
    """This player's record in hands with that identity key at the table."""
    skipped: Counter[str]
    """Files that do not count, by reason: `unreadable`, `no score`, `others`, `twice`, `again` (the
    hand was cancelled by the rules and dealt again)."""


class Counting:
    """Collects the files of one player."""

    def __init__(self, verifier: Verifier, keys: Iterable[bytes]) -> None:
        """Args: keys: identity keys that this player has had."""
        self._verifier = verifier
        self._keys = tuple(keys)
        self._hands: dict[tuple[bytes, int], PlayedHand] = {}
        self._skipped: Counter[str] = Counter()

    def add(self, data: bytes) -> None:
        """Takes one file, whatever it holds."""
        try:
            hand = read_hand(data, self._verifier)
        except (DecodeError, VerificationError):
            self._skipped["unreadable"] += 1
            return
        self.count(hand)

    def count(self, hand: PlayedHand | None) -> None:
        """Takes what `read_hand` has found in a file."""
        if hand is None:
            self._skipped["no score"] += 1
        elif not set(self._keys) & set(hand.setup.roster):
            self._skipped["others"] += 1
        elif hand.place in self._hands:
            self._skipped["twice"] += 1
        else:
            self._hands[hand.place] = hand

    def sum_up(self) -> Statistics:
        """What all files so far come to."""
        counted: dict[tuple[bytes, int], PlayedHand] = {}
        for _, hand in sorted(self._hands.items()):
            # A hand that the rules cancelled (C-12) has a score of its own and comes again.
            counted[hand.setup.session, hand.setup.match_hand] = hand
        sums = Statistics(by_rules={}, by_player={}, skipped=Counter(self._skipped))
        sums.skipped["again"] += len(self._hands) - len(counted)
        for hand in counted.values():
            roster = hand.setup.roster
            seat = next(Seat(roster.index(key)) for key in self._keys if key in roster)
            sums.by_rules.setdefault(hand.setup.rules.key, Record()).add(hand, seat)
            for other in {*range(len(roster))} - {seat}:
                sums.by_player.setdefault(roster[other], Record()).add(hand, seat)
        return sums
