"""The tile points M_0..M_105 and the deck that every hand starts from (docs/protocol.md S1)."""

from functools import lru_cache

from p2pokey.crypto.fiat_shamir import hash_to_group
from p2pokey.crypto.group import IDENTITY, Group
from p2pokey.errors import UnknownTile
from p2pokey.tiles import TILE_COUNT, Tile


@lru_cache(maxsize=8)
def tile_points(group: Group) -> tuple[bytes, ...]:
    """M_t for t = 0..105: points whose discrete logarithms nobody knows."""
    return tuple(
        hash_to_group(group, "tile", b"tile" + bytes([tile])) for tile in range(TILE_COUNT)
    )


@lru_cache(maxsize=8)
def _numbers(group: Group) -> dict[bytes, Tile]:
    return {point: Tile(tile) for tile, point in enumerate(tile_points(group))}


def tile_of(group: Group, point: bytes) -> Tile:
    """The tile with this point; raises UnknownTile, which valid proofs make impossible."""
    tile = _numbers(group).get(point)
    if tile is None:
        raise UnknownTile("expected a tile, got a point that is none")
    return tile


def initial_deck(group: Group) -> bytes:
    """deck_0 = ((O, M_0), ..., (O, M_105)): 6,784 bytes, the tiles in the open."""
    return b"".join(IDENTITY + point for point in tile_points(group))
