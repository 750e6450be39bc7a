"""What a table of melds takes from a rack: additions, retrievals of okeys, playable tiles.

    TableIndex.of(melds, *, wrap, set3_both, playable_includes_swap=True) -> TableIndex
    index.accepts(face) -> tuple[Place, ...]              None asks for a wild tile
    index.retrievals(face) -> tuple[Retrieval, ...]       by one tile
    index.double_retrievals -> tuple[Retrieval, ...]      by the two missing colours
    index.is_playable(face) -> bool
    layoffs(index, tiles, *, okey) -> Layoffs             all of it for the tiles of a rack

Every answer is about one move on the table as it is. Who may make the move, and what it costs, is for
the engine. A meld is indexed once and then remembered: `accept` and `retrieve` are masks of faces
(templates.bit_of), so that a playable tile is one test of a bit.

Source: docs/rules, P-1 to P-8 for what fits, B-20 and C for three-tile sets, G-20 for the longest run.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from p2pokey.rules.melds import ACE_HIGH, MeldKind, Stand, identity
from p2pokey.rules.moves import End
from p2pokey.rules.templates import bit_of
from p2pokey.tiles import Colour, Face, Tile

LONGEST_RUN = 13


class Place(NamedTuple):
    """Where one tile can be added."""

    meld: int
    """Number of the meld on the table."""

    end: End


class Retrieval(NamedTuple):
    """An okey that can be had."""

    meld: int
    place: int
    """Index of the okey in the meld."""

    supply: tuple[Face, ...]
    """What must be supplied for it: one face, or two of a three-tile set."""


class Shown(NamedTuple):
    """A meld on the table, in laid order."""

    kind: MeldKind
    stands: tuple[Stand, ...]
    """What every tile counts as; colour None for a wild tile whose colour is open."""

    wilds: tuple[bool, ...]
    """Which tiles are wild."""


class _MeldIndex(NamedTuple):
    rooms: tuple[tuple[End, int], ...]
    """Ends of the meld, with a mask of the faces that fit there."""

    singles: tuple[tuple[int, tuple[Face, ...]], ...]
    """Places of okeys that one tile frees, with its face."""

    doubles: tuple[tuple[int, tuple[Face, ...]], ...]
    """Places of okeys that two tiles free, with their faces."""

    accept: int
    retrieve: int
    """Faces that retrieve an okey alone."""


@lru_cache(maxsize=4096)
def _meld_index(meld: Shown, wrap: bool, set3_both: bool) -> _MeldIndex:
    rooms = tuple(_rooms(meld, wrap))
    swaps = list(_swaps(meld, set3_both))
    singles = tuple(swap for swap in swaps if len(swap[1]) == 1)
    accept = retrieve = 0
    for _, faces in rooms:
        accept |= faces
    for _, supply in singles:
        retrieve |= _mask(supply)
    doubles = tuple(swap for swap in swaps if len(swap[1]) == 2)
    return _MeldIndex(rooms, singles, doubles, accept, retrieve)


def _mask(faces: Iterable[Face]) -> int:
    return sum(1 << bit_of(face) for face in faces)


def _rooms(meld: Shown, wrap: bool) -> Iterator[tuple[End, int]]:
    stands = meld.stands
    number, colour = stands[0].number, stands[0].colour
    if meld.kind is MeldKind.SET and len(stands) == 3:
        taken = {stand.colour for stand in stands}
        yield End.HIGH, _mask(Face(free, number) for free in Colour if free not in taken)
    if meld.kind is MeldKind.RUN and len(stands) < LONGEST_RUN:
        assert colour is not None
        after = number + len(stands)
        if number > 1:
            yield End.LOW, _mask([Face(colour, number - 1)])
        if after < ACE_HIGH or (wrap and after == ACE_HIGH):
            yield End.HIGH, _mask([Face(colour, 1 if after == ACE_HIGH else after)])


def _swaps(meld: Shown, set3_both: bool) -> Iterator[tuple[int, tuple[Face, ...]]]:
    """Per okey, what frees it; an open colour is the lowest free one (B-20)."""
    places = [place for place, is_wild in enumerate(meld.wilds) if is_wild]
    number = meld.stands[0].number
    if set3_both and meld.kind is MeldKind.SET and len(meld.stands) == 3:
        for place in places:
            others = {stand.colour for i, stand in enumerate(meld.stands) if i != place}
            missing = [Face(colour, number) for colour in Colour if colour not in others]
            yield from ((place, two) for two in combinations(missing, 2))
        return
    taken = {stand.colour for stand in meld.stands}
    free = [colour for colour in Colour if colour not in taken]
    for place in places:
        stand = meld.stands[place]
        colour = free.pop(0) if stand.colour is None else stand.colour
        yield place, (Face(colour, stand.number),)


@dataclass(frozen=True, slots=True)
class TableIndex:
    """What the melds of a table take in."""

    melds: tuple[_MeldIndex, ...]
    accept: int
    """Faces that can be added somewhere."""

    retrieve: int
    """Faces that retrieve an okey alone."""

    playable: int
    """Faces whose discard is a playable one."""

    @classmethod
    def of(
        cls,
        melds: Sequence[tuple[MeldKind, tuple[Stand, ...], tuple[bool, ...]]],
        *,
        wrap: bool,
        set3_both: bool,
        playable_includes_swap: bool = True,
    ) -> "TableIndex":
        """Indexes a table.

        Args:
            melds: per valid meld its kind, what every tile counts as, and which are wild (`Shown`).
            wrap: whether 12-13-1 is a run.
            set3_both: whether a three-tile set gives its okey only for both missing colours.
            playable_includes_swap: whether a tile that retrieves an okey is playable (P-2).
        """
        indexed = [_meld_index(Shown(*meld), wrap, set3_both) for meld in melds]
        accept = retrieve = 0
        for meld in indexed:
            accept |= meld.accept
            retrieve |= meld.retrieve
        playable = accept | retrieve if playable_includes_swap else accept
        return cls(tuple(indexed), accept, retrieve, playable)

    def accepts(self, face: Face | None) -> tuple[Place, ...]:
        """Where a natural tile of the face can be added, or a wild one (None)."""
        wanted = self.accept if face is None else 1 << bit_of(face)
        if not self.accept & wanted:
            return ()
        return tuple(
            Place(number, end)
            for number, meld in enumerate(self.melds)
            if meld.accept & wanted
            for end, faces in meld.rooms
            if faces & wanted
        )

    def retrievals(self, face: Face) -> tuple[Retrieval, ...]:
        """Okeys that a natural tile of the face retrieves alone."""
        bit = 1 << bit_of(face)
        if not self.retrieve & bit:
            return ()
        return tuple(
            Retrieval(number, place, supply)
            for number, meld in enumerate(self.melds)
            if meld.retrieve & bit
            for place, supply in meld.singles
            if supply == (face,)
        )

    @property
    def double_retrievals(self) -> tuple[Retrieval, ...]:
        """Okeys that need two tiles."""
        return tuple(
            Retrieval(number, place, supply)
            for number, meld in enumerate(self.melds)
            for place, supply in meld.doubles
        )

    def is_playable(self, face: Face | None) -> bool:
        """Whether a tile of the face, or a wild one (None), is playable."""
        return bool(self.accept) if face is None else bool(self.playable >> bit_of(face) & 1)


class Layoffs(NamedTuple):
    """What the tiles of a rack can do to a table in one move."""

    additions: tuple[tuple[Tile, Place], ...]
    retrievals: tuple[tuple[tuple[Tile, ...], Retrieval], ...]
    """With the tiles to supply, in the order of `Retrieval.supply`."""

    playable: tuple[Tile, ...]


def layoffs(index: TableIndex, tiles: Sequence[Tile], *, okey: Face | None) -> Layoffs:
    """All additions, retrievals and playable tiles of a rack.

    Of equal tiles, and of two wild ones, the first stands for both in additions and retrievals.
    """
    held: dict[int, Tile] = {}
    wild: Tile | None = None
    mask = 0
    playable = []
    for tile in tiles:
        face = identity(tile, okey)
        if face is None:
            wild = tile if wild is None else wild
            is_playable = index.accept
        else:
            bit = 1 << bit_of(face)
            mask |= bit
            held.setdefault(bit, tile)
            is_playable = index.playable & bit
        if is_playable:
            playable.append(tile)
    additions: list[tuple[Tile, Place]] = []
    for number, meld in enumerate(index.melds):
        for end, faces in meld.rooms:
            found = [held[bit] for bit in _bits(faces & mask)]
            if wild is not None:
                found.append(wild)
            additions += [(tile, Place(number, end)) for tile in found]
    return Layoffs(tuple(additions), tuple(_supplied(index, mask, held)), tuple(playable))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


def _supplied(
    index: TableIndex, mask: int, held: dict[int, Tile]
) -> Iterator[tuple[tuple[Tile, ...], Retrieval]]:
    """Retrievals with tiles of the rack, which are given by their bits."""
    for number, meld in enumerate(index.melds):
        swaps = meld.singles if meld.retrieve & mask else ()
        for place, supply in (*swaps, *meld.doubles):
            wanted = _mask(supply)
            if not wanted & ~mask:
                tiles = tuple(held[1 << bit_of(face)] for face in supply)
                yield tiles, Retrieval(number, place, supply)
