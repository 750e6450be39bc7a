"""The published rule sets: one frozen value per game (docs/rules).

Every figure and every option of docs/rules is a field here, and all of it is signed before a hand
(rulesets.py). `OPTIONS` says which fields a table may change, and to what.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from p2pokey.rules.melds import MeldRules


class Starter(StrEnum):
    """Who begins a hand (G-3)."""

    ROTATES = "rotates"
    """The coins choose the first hand's starter, then one seat to the right each hand."""

    COINS = "coins"
    """The coins choose in each hand."""

    ALTERNATES = "alternates"
    """Seat 1 begins, then the others in turn (E-10)."""


class TakeUse(StrEnum):
    """What an opened seat may do with the discard it takes (B-2, D-12)."""

    STRICT = "strict"
    """Add it to a meld on the table."""

    ANY_MELD = "any-meld"
    """Also lay it in a new meld."""


class DiscarderPays(StrEnum):
    """When the seat that discarded a taken tile pays for its use."""

    NEVER = "never"

    CHALLENGE = "challenge"
    """Value times 10 in a meld, 20 in a pair; an okey twice that (B-15)."""

    OPENING = "opening"
    """Printed number times 10 in an opening of melds, 20 of pairs (C-7)."""

    ALWAYS = "always"
    """Value times 10 (D-7, D-20)."""


class Scoring(StrEnum):
    """Which table of end points applies (docs/rules)."""

    OKEY_101 = "101"
    """B: 101, 202, sums; multipliers up to 4."""

    OKEY_101_RACK = "101-rack"
    """C: as B with finishes from the rack; multipliers up to 8."""

    FEEDING = "feeding"
    """D: 500 and 1000."""


class PartnerCleared(StrEnum):
    """What the finisher's partner is spared (T-1)."""

    ALL = "all"
    """Every point of the hand, charges and bonus included."""

    END_POINTS = "end-points"
    """End points only."""


class Limit(StrEnum):
    """To what C's limit of two tiles on one end of a run applies (C-4)."""

    NONE = "none"
    ACTION = "action"
    TURN = "turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTableRules:
    """Figures and options of the games with an open table: B, C and D (docs/rules)."""

    melds_floor: int
    """Value that an opening with melds must reach."""

    pairs_floor: int
    """Pairs that an opening with pairs needs."""

    melds_rise: bool
    """Whether the melds floor rises above the dearest opening so far."""

    pairs_rise: bool
    """Whether the pairs floor rises likewise."""

    rise_counts_partner: bool
    """Whether a partner's opening raises the floor, too (D-5)."""

    going_pairs: bool
    """Whether a seat may declare Going Pairs (B-12)."""

    opening_bonus: bool
    """Whether dear openings bring a bonus (B-14)."""

    scoring: Scoring
    penalties: bool
    """Option: whether charges are booked (B-16); always on in C and D."""

    playable_charge: int
    """Points for the discard of a playable tile (P-1)."""

    okey_discard_charge: int
    """Points for the discard of an okey during the hand; 0: as any other tile (P-4)."""

    take_back: bool
    """Whether a turn's changes can be taken back (B-4, C-8); not in D (D-16)."""

    take_back_any_change: bool
    """C: any change of this turn can be taken back; B: only as B-4 says."""

    take_back_returns: bool
    """C: a take-back puts the taken tile back, too, and a draw is due (C-8)."""

    take_back_charge: int
    """Points for a take-back, a failed opening or a late return; 0 in D."""

    failed_opening_charged: bool
    """C: an opening below the floor or a false claim is charged, not refused (C-1)."""

    pairs_opener_may_process: bool
    """Option: whether who opened with pairs may add to runs and sets (B-5, C-13)."""

    take_use: TakeUse
    """Option: where an opened seat may use a taken tile."""

    take_in_opening: bool
    """C: the taken tile must be among the opening's tiles."""

    take_playable: bool
    """Whether a playable discard may be taken (C-10: no)."""

    take_as_supply: bool
    """Whether a taken tile may be supplied for an okey (B-27, C-18; not in D, D-12)."""

    discarder_pays: DiscarderPays
    owner_pays_for_feeding: bool
    """D: adding to a rival's meld costs its owner value times 10."""

    retrieve_charge: int
    """Points for the seat that pays for a retrieved okey."""

    retrieve_owner_pays: bool
    """D: the meld's owner pays, the supplied value times 10 on top; else the okey's placer."""

    retrieve_exempts_partner: bool
    """Option C-6: whether a partner's retrieval is free."""

    retrieved_must_be_used: bool
    """Whether a retrieved okey must be laid or added before the discard (B-3)."""

    set3_retrieve_both: bool
    """Option B-20: a three-tile set needs both missing colours; else the declared identity."""

    two_per_end: Limit
    """Option C-4."""

    playable_includes_swap: bool
    """Option P-2: a tile that an okey on the table stands for is playable."""

    held_okey_charge_melds: int
    """Points per okey left on the rack of a seat that opened with melds."""

    held_okey_charge_pairs: int
    held_okey_unopened: bool
    """Option B-8: also for a seat that has not opened."""

    held_okey_face: bool
    """Option B-9: whether a held okey's printed number counts in the sum."""

    partner_cleared: PartnerCleared
    """Option T-1."""

    pairs_ten_at_drawout: bool
    """Option D-10: pairs openers pay ten times their sum at an exhausted hand, too."""

    rack_finish_waives_floor: bool
    """Option C-3: a finish in the turn of the opening need not meet the floor."""

    attempts_per_turn: int
    """Failed and taken-back attempts after which a seat lays nothing more in its turn (OT-13)."""

    four_pairs_cancel: bool
    """C: the fourth opening with pairs cancels the hand (C-12)."""

    opening_bonus_s: int
    """Seconds that a person's first accepted opening adds to the turn (C-15); 0 for none."""

    timer_cap_s: int
    """Seconds that no turn exceeds by that; 0 where there is no bonus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelRules:
    """Figures of the game for two that rearranges the table (docs/rules/duel.md)."""

    opening_floor: int
    """Value of the sets of a first play."""

    joker_left: int
    """Points of a joker left on the rack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The parameters and options of one game (docs/rules)."""

    key: str
    """Name everywhere, such as `classic`."""

    players: int
    """Number of seats of a table."""

    rack_size: int
    """Tiles per rack after the deal, without the starter's extra tile."""

    starter_extra: bool
    """Whether the starter gets one tile more and begins without a draw."""

    indicator: bool
    """Whether an indicator makes two tiles wild; otherwise the false okeys are."""

    wrap: bool
    """Whether 12-13-1 is a run (A-1)."""

    two_okeys_pair: bool
    """Whether the two okeys are a pair (A-2)."""

    max_new: int
    """Longest meld that may be newly laid."""

    partners: bool
    """Option: whether opposite seats play together."""

    start_score: int
    """Score of every seat before the first hand."""

    hands: int
    """Option: hands of a match; 0: until a score is 0 or below (A-7)."""

    most_points_win: bool
    """Whether the highest total wins the match; otherwise the lowest."""

    starter: Starter
    turn_limit: int
    """Turns after which a hand ends as exhausted (G-17)."""

    discard_taken: bool = False
    """Option A-12: the tile just taken may be discarded without finishing."""

    last_discard_offer: bool = False
    """Option G-7: the next seat may still take the last discard of an empty stack."""

    show_survives_drawout: bool = False
    """Option A-6: a shown indicator scores in an exhausted hand, too."""

    table: OpenTableRules | None = None
    """Rules of the open table; None in other games."""

    duel: DuelRules | None = None
    """Rules of the game for two; None in other games."""

    @property
    def open_table(self) -> OpenTableRules:
        """Rules of the open table, for callers that play one."""
        assert self.table is not None
        return self.table

    @property
    def melds(self) -> MeldRules:
        """Parameters of the meld validators."""
        return MeldRules(wrap=self.wrap, two_okeys_pair=self.two_okeys_pair, max_new=self.max_new)


CLASSIC = RuleSet(
    key="classic",
    players=4,
    rack_size=14,
    starter_extra=True,
    indicator=True,
    wrap=True,
    two_okeys_pair=True,
    max_new=13,
    partners=False,
    start_score=20,
    hands=0,
    most_points_win=True,
    starter=Starter.ROTATES,
    turn_limit=240,
)

_B_TABLE = OpenTableRules(
    melds_floor=101,
    pairs_floor=5,
    melds_rise=False,
    pairs_rise=False,
    rise_counts_partner=False,
    going_pairs=False,
    opening_bonus=False,
    scoring=Scoring.OKEY_101,
    penalties=True,
    playable_charge=101,
    okey_discard_charge=101,
    take_back=True,
    take_back_any_change=False,
    take_back_returns=False,
    take_back_charge=101,
    failed_opening_charged=False,
    pairs_opener_may_process=True,
    take_use=TakeUse.STRICT,
    take_in_opening=False,
    take_playable=True,
    take_as_supply=True,
    discarder_pays=DiscarderPays.NEVER,
    owner_pays_for_feeding=False,
    retrieve_charge=101,
    retrieve_owner_pays=False,
    retrieve_exempts_partner=True,
    retrieved_must_be_used=True,
    set3_retrieve_both=False,
    two_per_end=Limit.NONE,
    playable_includes_swap=True,
    held_okey_charge_melds=101,
    held_okey_charge_pairs=101,
    held_okey_unopened=False,
    held_okey_face=True,
    partner_cleared=PartnerCleared.ALL,
    pairs_ten_at_drawout=False,
    rack_finish_waives_floor=False,
    attempts_per_turn=3,
    four_pairs_cancel=False,
    opening_bonus_s=0,
    timer_cap_s=0,
)

B_CLASSIC = RuleSet(
    key="101-classic",
    players=4,
    rack_size=21,
    starter_extra=True,
    indicator=True,
    wrap=False,
    two_okeys_pair=False,
    max_new=13,
    partners=False,
    start_score=0,
    hands=3,
    most_points_win=False,
    starter=Starter.COINS,
    turn_limit=240,
    table=_B_TABLE,
)

_RISING_TABLE = replace(_B_TABLE, melds_rise=True, pairs_rise=True, opening_bonus=True)
B_RISING = replace(B_CLASSIC, key="101-rising", table=_RISING_TABLE)
B_CHALLENGE = replace(
    B_CLASSIC,
    key="101-challenge",
    table=replace(_RISING_TABLE, going_pairs=True, discarder_pays=DiscarderPays.CHALLENGE),
)
B_51 = replace(
    B_CLASSIC,
    key="51",
    rack_size=14,
    table=replace(
        _B_TABLE, melds_floor=51, pairs_floor=4, melds_rise=True, pairs_opener_may_process=False
    ),
)

_C_TABLE = replace(
    _B_TABLE,
    scoring=Scoring.OKEY_101_RACK,
    take_back_any_change=True,
    take_back_returns=True,
    failed_opening_charged=True,
    take_use=TakeUse.ANY_MELD,
    take_in_opening=True,
    take_playable=False,
    discarder_pays=DiscarderPays.OPENING,
    retrieve_exempts_partner=False,
    retrieved_must_be_used=False,
    set3_retrieve_both=True,
    two_per_end=Limit.ACTION,
    partner_cleared=PartnerCleared.END_POINTS,
    four_pairs_cancel=True,
    opening_bonus_s=15,
    timer_cap_s=60,
)
C_STANDARD = replace(
    B_CLASSIC, key="101-standard", max_new=5, starter=Starter.ROTATES, table=_C_TABLE
)
C_PROGRESSIVE = replace(
    C_STANDARD,
    key="101-progressive",
    table=replace(_C_TABLE, melds_rise=True, pairs_rise=True),
)

D_FEEDING = replace(
    B_CLASSIC,
    key="51-feeding",
    rack_size=14,
    wrap=True,
    two_okeys_pair=True,
    starter=Starter.ROTATES,
    table=replace(
        _B_TABLE,
        melds_floor=51,
        rise_counts_partner=True,
        scoring=Scoring.FEEDING,
        playable_charge=100,
        okey_discard_charge=0,
        take_back=False,
        take_back_charge=0,
        pairs_opener_may_process=False,
        take_as_supply=False,
        discarder_pays=DiscarderPays.ALWAYS,
        owner_pays_for_feeding=True,
        retrieve_charge=100,
        retrieve_owner_pays=True,
        retrieved_must_be_used=False,
        held_okey_charge_melds=500,
        held_okey_charge_pairs=1000,
        held_okey_face=False,
        partner_cleared=PartnerCleared.END_POINTS,
    ),
)

DUEL = RuleSet(
    key="duel",
    players=2,
    rack_size=14,
    starter_extra=False,
    indicator=False,
    wrap=False,
    two_okeys_pair=False,
    max_new=13,
    partners=False,
    start_score=0,
    hands=1,
    most_points_win=True,
    starter=Starter.ALTERNATES,
    turn_limit=240,
    duel=DuelRules(opening_floor=30, joker_left=30),
)

RULE_SETS = {
    rules.key: rules
    for rules in (
        CLASSIC,
        B_CLASSIC,
        B_RISING,
        B_CHALLENGE,
        B_51,
        C_STANDARD,
        C_PROGRESSIVE,
        D_FEEDING,
        DUEL,
    )
}
"""All games, by key."""

Option = bool | int | str
_SWITCH: tuple[Option, ...] = (False, True)
_ODD_HANDS: tuple[Option, ...] = (1, 3, 5, 7, 9, 11, 13)
_B_OPTIONS: dict[str, tuple[Option, ...]] = {
    "partners": _SWITCH,
    "hands": _ODD_HANDS,
    "last_discard_offer": _SWITCH,
    "penalties": _SWITCH,
    "pairs_opener_may_process": _SWITCH,
    "take_use": tuple(TakeUse),
    "retrieve_exempts_partner": _SWITCH,
    "set3_retrieve_both": _SWITCH,
    "playable_includes_swap": _SWITCH,
    "held_okey_unopened": _SWITCH,
    "held_okey_face": _SWITCH,
    "partner_cleared": tuple(PartnerCleared),
}
_C_OPTIONS: dict[str, tuple[Option, ...]] = {
    "partners": _SWITCH,
    "hands": _ODD_HANDS,
    "last_discard_offer": _SWITCH,
    "retrieve_exempts_partner": _SWITCH,
    "two_per_end": (Limit.ACTION, Limit.TURN),
    "playable_includes_swap": _SWITCH,
    "held_okey_unopened": _SWITCH,
    "held_okey_face": _SWITCH,
    "partner_cleared": tuple(PartnerCleared),
    "rack_finish_waives_floor": _SWITCH,
}
_D_OPTIONS: dict[str, tuple[Option, ...]] = {
    "partners": _SWITCH,
    "hands": (1, 3),
    "last_discard_offer": _SWITCH,
    "melds_rise": _SWITCH,
    "take_use": tuple(TakeUse),
    "playable_includes_swap": _SWITCH,
    "pairs_ten_at_drawout": _SWITCH,
    "partner_cleared": tuple(PartnerCleared),
}
OPTIONS: dict[str, dict[str, tuple[Option, ...]]] = {
    CLASSIC.key: {
        "discard_taken": _SWITCH,
        "last_discard_offer": _SWITCH,
        "show_survives_drawout": _SWITCH,
    },
    B_CLASSIC.key: _B_OPTIONS,
    B_RISING.key: _B_OPTIONS,
    B_CHALLENGE.key: _B_OPTIONS,
    B_51.key: _B_OPTIONS,
    C_STANDARD.key: _C_OPTIONS,
    C_PROGRESSIVE.key: _C_OPTIONS,
    D_FEEDING.key: _D_OPTIONS,
    DUEL.key: {"hands": _ODD_HANDS},
}
"""Per rule set, the fields that a table may choose, with their allowed values."""
