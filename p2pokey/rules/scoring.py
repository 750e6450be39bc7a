"""What a hand is worth, and when a match is over (docs/rules/classic.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.errors import LocalProtocolError
from p2pokey.rules.published import RuleSet, Starter
from p2pokey.rules.state import FinishKind, FinishRecord, HandState, Phase, partner_of
from p2pokey.tiles import Seat

MELDS_LOSS = 2
PAIRS_LOSS = 4
OKEY_FACTOR = 2
SHOW_LOSS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HandScore:
    """The points of one hand."""

    points: tuple[int, ...]
    """Change per seat."""

    totals: tuple[int, ...]
    """Score per seat after the hand."""

    reason: str
    """Stable text id: `finish-melds` or `finish-pairs`, with `-rack` where opened and finished in
    one turn counts, with `-okey` for the last discard; `exhausted`, `cancelled`, or the duel's."""

    counts: bool = True
    """Whether the hand counts for the match; a cancelled one is dealt again (C-12)."""


def check_over(state: HandState, totals: Sequence[int]) -> None:
    """Raises LocalProtocolError unless the hand is over and there is one total per seat."""
    if state.phase is not Phase.OVER or len(totals) != state.seats:
        raise LocalProtocolError("expected a hand that is over and one total per seat")


def hand_score(points: tuple[int, ...], totals: Sequence[int], reason: str) -> HandScore:
    """The score of a hand that counts; totals: per seat before the hand."""
    after = tuple(total + change for total, change in zip(totals, points, strict=True))
    return HandScore(points=points, totals=after, reason=reason)


def finish_loss(finish: FinishRecord) -> int:
    """What each other seat loses by a finish: 2, 4, 4 or 8 (A-3)."""
    loss = MELDS_LOSS if finish.kind is FinishKind.MELDS else PAIRS_LOSS
    return loss * OKEY_FACTOR if finish.okey_discarded else loss


def classic_points(
    rules: RuleSet, seats: int, *, finish: FinishRecord | None, shown_by: Seat | None
) -> tuple[int, ...]:
    """Change per seat: the finish and the shown indicator; nobody ever gains (A-3, A-6)."""
    points = [0] * seats
    if finish is not None:
        points = [0 if seat == finish.seat else -finish_loss(finish) for seat in range(seats)]
    show_counts = finish is not None or rules.show_survives_drawout
    if shown_by is not None and show_counts:
        points = [old if seat == shown_by else old - SHOW_LOSS for seat, old in enumerate(points)]
    return tuple(points)


def score_classic(state: HandState, totals: Sequence[int]) -> HandScore:
    """The score of a hand of Classic Okey that is over.

    Args:
        totals: score per seat before the hand.
    """
    check_over(state, totals)
    points = classic_points(state.rules, state.seats, finish=state.finish, shown_by=state.shown_by)
    return hand_score(points, totals, _reason(state.finish))


def _reason(finish: FinishRecord | None) -> str:
    if finish is None:
        return "exhausted"
    return f"finish-{finish.kind.name.lower()}" + ("-okey" if finish.okey_discarded else "")


def match_over(
    rules: RuleSet, totals: Sequence[int], hands_played: int
) -> tuple[bool, tuple[Seat, ...]]:
    """Whether the match is over, and who has won it; ties are shared (A-7, G-12).

    Where partners play, both seats of a winning team are winners (T-2).
    """
    if rules.hands == 0:
        over = hands_played > 0 and min(totals) <= 0
    else:
        over = hands_played >= rules.hands
    if not over:
        return False, ()
    standings = side_totals(rules, totals)
    best = max(standings) if rules.most_points_win else min(standings)
    return True, tuple(Seat(seat) for seat, total in enumerate(standings) if total == best)


def side_totals(rules: RuleSet, totals: Sequence[int]) -> tuple[int, ...]:
    """What counts for each seat at the end: its own total, or that of both partners (T-2)."""
    if not rules.partners:
        return tuple(totals)
    seats = len(totals)
    return tuple(total + totals[partner_of(Seat(seat), seats)] for seat, total in enumerate(totals))


def next_starter(rules: RuleSet, first: Seat | None, hand: int, seats: int) -> Seat | None:
    """Starter of the hand'th scored hand (1-based); None where the coins choose it (G-3, E-10).

    Args:
        first: starter of the first hand that counted, None before there was one.
    """
    match rules.starter:
        case Starter.COINS:
            return None
        case Starter.ALTERNATES:
            return starter_of_hand(Seat(0), hand, seats)
        case Starter.ROTATES:
            return None if first is None else starter_of_hand(first, hand, seats)


def starter_of_hand(first: Seat, hand: int, seats: int) -> Seat:
    """Starter of the hand'th scored hand (1-based): one seat to the right each time (G-3)."""
    return Seat((first + hand - 1) % seats)
