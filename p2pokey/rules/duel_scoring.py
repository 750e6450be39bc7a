"""What a round of the duel is worth (docs/rules/duel.md): rounds are independent of each other."""

from collections.abc import Iterable, Mapping, Sequence

from p2pokey.rules.duel_checks import rules_of
from p2pokey.rules.published import DuelRules
from p2pokey.rules.scoring import HandScore, check_over, hand_score
from p2pokey.rules.state import Ending, HandState
from p2pokey.tiles import Slot, Tile, face_of


def rack_total(rules: DuelRules, tiles: Iterable[Tile]) -> int:
    """What tiles left on a rack count: their numbers, and a fixed sum for a joker."""
    faces = map(face_of, tiles)
    return sum(rules.joker_left if face is None else face.number for face in faces)


def round_points(rules: DuelRules, racks: Sequence[Iterable[Tile]]) -> tuple[int, ...]:
    """Points per seat from the two racks at the end, the finisher's empty (E-7).

    The seat with the lower total wins the difference; with an empty rack that is all of the other's
    total. Equal totals are a draw.
    """
    one, other = (rack_total(rules, rack) for rack in racks)
    return max(other - one, 0), max(one - other, 0)


def score_duel(state: HandState, faces: Mapping[Slot, Tile], totals: Sequence[int]) -> HandScore:
    """The score of a round that is over.

    Args:
        faces: the tiles of both racks, at least.
        totals: score per seat before the round.
    """
    check_over(state, totals)
    points = round_points(rules_of(state), [[faces[slot] for slot in rack] for rack in state.racks])
    reason = "duel-empty-rack" if state.ending is Ending.FINISHED else "duel-blocked"
    return hand_score(points, totals, reason)
