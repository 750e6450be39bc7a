"""Worked examples of the taken discard and of undoing a turn (conformance.py): B, C and D.

Where an example only names the use that a taken tile is put to, the rack and the table are furnished
so that nothing but the rules of taking stands in the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.errors import DecodeError, RuleError
from p2pokey.rules.conformance_common import FaceUp, placed, with_options
from p2pokey.rules.conformance_input import Example, Facts, Kind, okey_of, read_face, read_tiles
from p2pokey.rules.conformance_open import opened_of
from p2pokey.rules.conformance_position import (
    ME,
    Setting,
    charged,
    laid_meld,
    lying_meld,
    position,
)
from p2pokey.rules.conformance_tables import (
    bridged_run,
    further_pairs,
    further_runs,
    meld_that_takes,
    pair_with,
    set_with,
)
from p2pokey.rules.melds import Laid, MeldKind, identity
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    LaidMeld,
    Lay,
    Move,
    Open,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_charges import discard_charge
from p2pokey.rules.open_state import Opened, TableMeld, table_of
from p2pokey.rules.open_taking import is_unused
from p2pokey.rules.published import OPTIONS, RuleSet, TakeUse
from p2pokey.rules.state import left_of
from p2pokey.tiles import Face, Seat, Tile, parse_face, parse_tile

OWNER = Seat(1)
_ANY_OKEY = parse_face("k5")
_ANY_TILE = Laid(parse_tile("b7a"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """A seat that may take the left neighbour's discard, and what it can do with it."""

    hand: FaceUp
    taken: Tile
    melds: tuple[LaidMeld, ...]
    """The taken tile in a set, and runs that are worth an opening without it."""

    pairs: tuple[LaidMeld, ...]
    """The taken tile in a pair, and the pairs that an opening needs besides."""

    addition: Add | None
    """Puts the taken tile on a meld of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What an example asks for."""

    rules: RuleSet
    okey: Face = _ANY_OKEY
    laid: Laid = _ANY_TILE
    use: str = "put_back"
    opened: Opened = Opened.NONE
    playable: bool | None = None
    """Whether the taken tile fits a meld of the table; None: as the use needs it."""

    going_pairs: frozenset[Seat] = frozenset()


def _scene(wish: _Wish) -> _Scene:
    rules, okey, laid = wish.rules, wish.okey, wish.laid
    face = laid.stands_for or identity(laid.tile, okey)
    if face is None:
        raise DecodeError("expected what the taken okey stands for")
    used = [laid.tile]
    lying, addition, bridge = _table_for(wish, face)
    used += [tile.tile for meld in lying for tile in meld.tiles] + bridge
    companions = set_with(face, okey=okey, used=used)
    used += companions
    twin = pair_with(laid.tile, face, okey=okey, used=used)
    used.append(twin)
    in_pairs = wish.use in ("opening_pairs", "pair_add")
    runs = further_runs(rules.open_table.melds_floor, okey=okey, used=used)
    pairs = further_pairs(rules.open_table.pairs_floor - 1, okey=okey, used=used)
    more = pairs if in_pairs else runs
    rack = [twin] if in_pairs else companions
    rack = [*rack, *bridge, *(one.tile for group in more for one in group)]
    return _Scene(
        hand=_hand_of(wish, rack, lying),
        taken=laid.tile,
        melds=(
            laid_meld(MeldKind.SET, [laid, *map(Laid, companions)]),
            *(laid_meld(MeldKind.RUN, run) for run in runs),
        ),
        pairs=(
            laid_meld(MeldKind.PAIR, [laid, Laid(twin)]),
            *(laid_meld(MeldKind.PAIR, pair) for pair in pairs),
        ),
        addition=addition,
    )


def _hand_of(wish: _Wish, rack: Sequence[Tile], melds: tuple[TableMeld, ...]) -> FaceUp:
    """The turn begins, the tile to be taken on top of the left neighbour's pile."""
    return position(
        Setting(
            rules=wish.rules,
            okey=wish.okey,
            rack=rack,
            rack_size=wish.rules.rack_size,
            melds=melds,
            opened={ME: (wish.opened, 0)},
            going_pairs=wish.going_pairs,
            top=wish.laid.tile,
        )
    )


def _table_for(wish: _Wish, face: Face) -> tuple[tuple[TableMeld, ...], Add | None, list[Tile]]:
    """What lies on the table, how the taken tile is added, and the tile that must go before it."""
    rules, okey, used = wish.rules, wish.okey, [wish.laid.tile]
    fits = wish.playable
    if fits is None:
        fits = wish.use == "add" and rules.open_table.take_playable
    if fits:
        kind, tiles, end = meld_that_takes(face, okey=okey, wrap=rules.wrap, used=used)
        lying = lying_meld(rules, okey, kind, tiles, owner=OWNER)
        return (lying,), Add(meld=0, end=end, tiles=(placed(wish.laid),)), []
    if wish.use != "add":
        return (), None, []
    run, bridge = bridged_run(face, okey=okey, used=used)
    lying = lying_meld(rules, okey, MeldKind.RUN, run, owner=OWNER)
    return (lying,), Add(meld=0, end=End.HIGH, tiles=(placed(bridge), placed(wish.laid))), [bridge]


def _harmless_discard(hand: FaceUp) -> Discard:
    """A discard that is not charged, other than the taken tile."""
    state = hand.state
    assert state.okey is not None
    for slot in state.racks[state.turn]:
        tile = hand.deck[slot]
        melds = table_of(state).melds
        if slot != state.taken and not discard_charge(state.rules, melds, tile, state.okey):
            return Discard(hand.placed(slot))
    raise DecodeError("expected a tile whose discard is not charged")


def _used(scene: _Scene, hand: FaceUp, use: str) -> FaceUp:
    """The hand after the turn, the tile being taken; raises RuleError where that is illegal."""
    first = Discard(placed(scene.taken))
    moves: dict[str, Move | None] = {
        "opening_melds": Open(scene.melds),
        "opening_pairs": Open(scene.pairs),
        "add": scene.addition,
        "new_meld": Lay(scene.melds[:1]),
        "pair_add": Lay(scene.pairs[:1]),
        "discard_it": first,
        "keep": None,
    }
    move = moves[use]
    if move is not None:
        hand = hand.after(move)
    return hand if move is first else hand.after(_harmless_discard(hand))


def _put_back(scene: _Scene, hand: FaceUp, *, table_changed: bool) -> FaceUp:
    """The hand after the taken tile went back, with or without a change of the table before."""
    if table_changed:
        has_opened = table_of(hand.state).opened[ME] is not Opened.NONE
        in_opening = hand.state.rules.open_table.take_in_opening and not has_opened
        melds = scene.melds if in_opening else scene.melds[1:]
        hand = hand.after(Lay(melds) if has_opened else Open(melds))
    if not is_unused(hand.state):
        hand = hand.after(TakeBack())
    return hand.after(ReturnTaken()) if is_unused(hand.state) else hand


def _run_take(rules: RuleSet, given: Example) -> Facts:
    left = left_of(ME, rules.players)
    declared = {ME: given.get("going_pairs", False), left: given.get("from_going_pairs", False)}
    wish = _Wish(
        rules=rules,
        use=given["use"],
        opened=opened_of(given["opened"]),
        playable=given.get("tile_playable"),
        going_pairs=frozenset(seat for seat, is_so in declared.items() if is_so),
    )
    scene = _scene(wish)
    try:
        hand = scene.hand.after(DrawLeft())
        if wish.use == "put_back":
            changed = given.get("table_changed", False)
            hand = _put_back(scene, hand, table_changed=changed)
        else:
            hand = _used(scene, hand, wish.use)
    except RuleError:
        return {"legal": False, "charge": 0}
    return {"legal": True, "charge": charged(hand, ME)}


def _run_taken_used(rules: RuleSet, given: Example) -> Facts:
    use = given["use"]
    rules = with_options(rules, penalties=given.get("penalty_table"))
    if use in ("new_meld", "pair_add") and "take_use" in OPTIONS[rules.key]:
        rules = with_options(rules, take_use=TakeUse.ANY_MELD)  # else it cannot come to that use
    opened = {"opening_melds": Opened.NONE, "opening_pairs": Opened.NONE, "pair_add": Opened.PAIRS}
    stands_for = read_face(given["as"]) if "as" in given else None
    [laid] = read_tiles([given["tile"]])
    wish = _Wish(
        rules=rules,
        okey=okey_of(given),
        laid=Laid(laid.tile, stands_for),
        use=use,
        opened=opened.get(use, Opened.MELDS),
    )
    scene = _scene(wish)
    hand = _used(scene, scene.hand.after(DrawLeft()), use)
    return {"discarder": charged(hand, left_of(ME, rules.players))}


def _run_event(rules: RuleSet, given: Example) -> Facts:
    rules = with_options(rules, penalties=given.get("penalty_table"))
    is_return = given["event"] == "return_taken_after_change"
    scene = _scene(_Wish(rules=rules, opened=Opened.MELDS if is_return else Opened.NONE))
    if is_return:
        hand = _put_back(scene, scene.hand.after(DrawLeft()), table_changed=True)
        return {"points": charged(hand, ME)}
    hand = scene.hand.after(DrawStack())
    runs = scene.melds[1:]
    match given["event"]:
        case "take_back" | "rollback_after_change":
            hand = hand.after(Open(runs), TakeBack())
        case "close_below_floor":
            hand = hand.after(Open(runs[:-1]))
        case "invalid_rack_finish":
            claim = ClaimFinish(melds=runs, additions=(), discard=_harmless_discard(hand).placed)
            hand = hand.after(claim)
        case event:
            raise DecodeError(f"expected a known event, got {event!r}")
    return {"points": charged(hand, ME)}


TAKING_KINDS: dict[str, Kind] = {
    "event": _run_event,
    "take": _run_take,
    "taken_used": _run_taken_used,
}
