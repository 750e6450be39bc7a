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
    rooms: tuple[tuple[End, Face], ...]
    """Ends of the meld and the faces that fit there."""

    swaps: tuple[tuple[int, tuple[Face, ...]], ...]
    """Places of okeys, and what each must be supplied with."""

    accept: int
    retrieve: int
    """Faces that retrieve an okey alone."""


@lru_cache(maxsize=4096)
def _meld_index(meld: Shown, wrap: bool, set3_both: bool) -> _MeldIndex:
    rooms = tuple(_rooms(meld, wrap))
    swaps = tuple(_swaps(meld, set3_both))
    accept = _mask(face for _, face in rooms)
    return _MeldIndex(rooms, swaps, accept, _mask(s[0] for _, s in swaps if len(s) == 1))


def _mask(faces: Iterable[Face]) -> int:
    mask = 0
    for face in faces:
        mask |= 1 << bit_of(face)
    return mask


def _rooms(meld: Shown, wrap: bool) -> Iterator[tuple[End, Face]]:
    stands = meld.stands
    number, colour = stands[0].number, stands[0].colour
    if meld.kind is MeldKind.SET and len(stands) == 3:
        taken = {stand.colour for stand in stands}
        for free in Colour:
            if free not in taken:
                yield End.HIGH, Face(free, number)
    if meld.kind is MeldKind.RUN and len(stands) < LONGEST_RUN:
        assert colour is not None
        after = number + len(stands)
        if number > 1:
            yield End.LOW, Face(colour, number - 1)
        if after < ACE_HIGH or (wrap and after == ACE_HIGH):
            yield End.HIGH, Face(colour, 1 if after == ACE_HIGH else after)


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

    accept: int
    """Faces that can be added somewhere."""

    retrieve: int
    """Faces that retrieve an okey alone."""

    playable: int
    """Faces whose discard is a playable one."""

    double_retrievals: tuple[Retrieval, ...]
    """Okeys that need two tiles."""

    _places: dict[Face | None, list[Place]]
    _retrievals: dict[Face, list[Retrieval]]

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
        accept = retrieve = 0
        places: dict[Face | None, list[Place]] = {}
        singles: dict[Face, list[Retrieval]] = {}
        doubles: list[Retrieval] = []
        for number, meld in enumerate(melds):
            index = _meld_index(Shown(*meld), wrap, set3_both)
            accept |= index.accept
            retrieve |= index.retrieve
            for end, face in index.rooms:
                places.setdefault(face, []).append(Place(number, end))
            for end in dict.fromkeys(end for end, _ in index.rooms):
                places.setdefault(None, []).append(Place(number, end))
            for place, supply in index.swaps:
                retrieval = Retrieval(number, place, supply)
                kept = doubles if len(supply) == 2 else singles.setdefault(supply[0], [])
                kept.append(retrieval)
        playable = accept | retrieve if playable_includes_swap else accept
        return cls(accept, retrieve, playable, tuple(doubles), places, singles)

    def accepts(self, face: Face | None) -> tuple[Place, ...]:
        """Where a natural tile of the face can be added, or a wild one (None)."""
        return tuple(self._places.get(face, ()))

    def retrievals(self, face: Face) -> tuple[Retrieval, ...]:
        """Okeys that a natural tile of the face retrieves alone."""
        return tuple(self._retrievals.get(face, ()))

    def is_playable(self, face: Face | None) -> bool:
        """Whether a tile of the face, or a wild one (None), is playable."""
        return bool(self.accept) if face is None else bool(self.playable >> bit_of(face) & 1)


class Layoffs(NamedTuple):
    """What the tiles of a rack can do to a table, each tile or two of them alone."""

    additions: tuple[tuple[Tile, Place], ...]
    retrievals: tuple[tuple[tuple[Tile, ...], Retrieval], ...]
    """With the tiles to supply, in the order of `Retrieval.supply`."""

    playable: tuple[Tile, ...]


def layoffs(index: TableIndex, tiles: Sequence[Tile], *, okey: Face | None) -> Layoffs:
    """All additions, retrievals and playable tiles of a rack; one of two equal tiles stands for both.

    Playable are all such tiles, equal ones too.
    """
    additions: list[tuple[Tile, Place]] = []
    retrievals: list[tuple[tuple[Tile, ...], Retrieval]] = []
    held: dict[Face | None, Tile] = {}
    playable = []
    for tile in tiles:
        face = identity(tile, okey)
        if index.is_playable(face):
            playable.append(tile)
        if face in held:
            continue
        held[face] = tile
        additions += [(tile, place) for place in index.accepts(face)]
        if face is not None:
            retrievals += [((tile,), retrieval) for retrieval in index.retrievals(face)]
    for retrieval in index.double_retrievals:
        if all(face in held for face in retrieval.supply):
            retrievals.append((tuple(held[face] for face in retrieval.supply), retrieval))
    return Layoffs(tuple(additions), tuple(retrievals), tuple(playable))
