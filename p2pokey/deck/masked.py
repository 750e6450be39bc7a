"""The masked deck of one hand: ciphertexts, reveal tokens, racks and re-masks (S5, S8, S9).

Both the machine that plays a hand and the audit that replays it keep one `MaskedDeck`. It holds
public values only; a secret comes in where one is used and is not kept. It knows positions and
seats, not whose turn it is: which token is due, and which slots a rack holds, are the caller's.
"""

from collections.abc import Sequence

from p2pokey.codec import u32
from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import CELL, IDENTITY, Group, split32
from p2pokey.crypto.reencrypt import columns, shuffle_secrets, split_entries
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.points import tile_of, tile_points
from p2pokey.errors import LocalProtocolError, TileMismatch
from p2pokey.tiles import Tile


class MaskedDeck:
    """Public state of the deck after the last shuffle."""

    def __init__(
        self,
        group: Group,
        *,
        contexts: Contexts,
        keyset: bytes,
        hand_keys: Sequence[bytes],
        deck: bytes,
    ) -> None:
        """Args: deck: 64 bytes a position, the output of the last shuffle."""
        self._group = group
        self._contexts = contexts
        self._keyset = keyset
        self._keys = tuple(hand_keys)
        self._entries = split_entries(deck)
        self._tokens: tuple[dict[int, bytes], ...] = tuple({} for _ in hand_keys)
        self._held: dict[int, bytes] = {}
        self._counters = [0] * len(self._keys)
        self._history = FiatShamir("deck-state").digest()

    def copy(self) -> "MaskedDeck":
        """An independent copy, to try a move on before it is sent."""
        twin = MaskedDeck(
            self._group,
            contexts=self._contexts,
            keyset=self._keyset,
            hand_keys=self._keys,
            deck=b"".join(self._entries),
        )
        twin._tokens = tuple(dict(tokens) for tokens in self._tokens)
        twin._held = dict(self._held)
        twin._counters = list(self._counters)
        twin._history = self._history
        return twin

    # Tokens for positions of the deck ------------------------------------------------------------

    def token_context(self, purpose: str, seat: int, index: int, positions: Sequence[int]) -> bytes:
        """The context of a token message (S8): index is the author's chain sequence number."""
        return self._contexts.sub(purpose, seat, index, bytes(positions) + self._keyset)

    def prove_tokens(
        self,
        *,
        seat: int,
        seed: bytes,
        secret: int,
        purpose: str,
        index: int,
        positions: Sequence[int],
    ) -> tuple[bytes, bytes]:
        """The seat's tokens for these positions and their one proof."""
        return prove_dleq(
            self._group,
            seed=seed,
            ctx=self.token_context(purpose, seat, index, positions),
            secret=secret,
            public=self._keys[seat],
            points=self._c1(positions),
        )

    def check_tokens(
        self,
        *,
        seat: int,
        purpose: str,
        index: int,
        positions: Sequence[int],
        tokens: bytes,
        proof: bytes,
    ) -> None:
        """Raises DleqInvalid and its kin unless every token is the seat's own."""
        verify_dleq(
            self._group,
            ctx=self.token_context(purpose, seat, index, positions),
            public=self._keys[seat],
            points=self._c1(positions),
            tokens=tokens,
            proof=proof,
        )

    def store_tokens(self, seat: int, positions: Sequence[int], tokens: bytes) -> None:
        """Keeps checked tokens."""
        self._tokens[seat].update(zip(positions, split32(tokens), strict=True))

    def has_token(self, seat: int, position: int) -> bool:
        """Whether the seat's token for the position is in."""
        return position in self._tokens[seat]

    # Opening -------------------------------------------------------------------------------------

    def hand_over(self, position: int, holder: int) -> None:
        """Turns a position into the holder's rack ciphertext: only the holder's layer is left."""
        others = [seat for seat in range(len(self._keys)) if seat != holder]
        self._held[position] = self._strip(position, others)

    def open_publicly(self, position: int) -> Tile:
        """The tile of a position for which all seats gave their token; it becomes (O, M_t)."""
        stripped = self._strip(position, range(len(self._keys)))
        tile = tile_of(self._group, stripped[CELL:])
        self.make_public(position, tile)
        return tile

    def open_privately(self, slots: Sequence[int], secret: int) -> tuple[Tile, ...]:
        """The tiles of concealed rack slots, for their holder."""
        c1, c2 = columns(self._rack_bytes(slots))
        points = self._group.sub(c2, self._group.mul_one_scalar(secret, c1))
        return tuple(tile_of(self._group, point) for point in split32(points))

    def make_public(self, slot: int, tile: Tile) -> None:
        """Everybody knows this tile from now on."""
        self._held[slot] = IDENTITY + tile_points(self._group)[tile]

    # Reveals from a rack -------------------------------------------------------------------------

    def reveal_context(
        self, purpose: str, holder: int, index: int, rack_indices: Sequence[int]
    ) -> bytes:
        """The context of a reveal from a rack (S8): its re-mask counter and the rack indices."""
        extra = u32(self._counters[holder]) + bytes(rack_indices) + self._keyset
        return self._contexts.sub(purpose, holder, index, extra)

    def prove_reveal(
        self,
        *,
        holder: int,
        seed: bytes,
        secret: int,
        purpose: str,
        index: int,
        slots: Sequence[int],
        rack_indices: Sequence[int],
    ) -> tuple[bytes, bytes]:
        """The holder's tokens for concealed slots of its rack, and their one proof."""
        c1, _ = columns(self._rack_bytes(slots))
        return prove_dleq(
            self._group,
            seed=seed,
            ctx=self.reveal_context(purpose, holder, index, rack_indices),
            secret=secret,
            public=self._keys[holder],
            points=c1,
        )

    def check_reveal(
        self,
        *,
        holder: int,
        purpose: str,
        index: int,
        slots: Sequence[int],
        rack_indices: Sequence[int],
        tiles: Sequence[Tile],
        tokens: bytes,
        proof: bytes,
    ) -> None:
        """Raises DleqInvalid and its kin, or TileMismatch if a slot opens to another tile."""
        c1, c2 = columns(self._rack_bytes(slots))
        verify_dleq(
            self._group,
            ctx=self.reveal_context(purpose, holder, index, rack_indices),
            public=self._keys[holder],
            points=c1,
            tokens=tokens,
            proof=proof,
        )
        opened = split32(self._group.sub(c2, tokens))
        points = tile_points(self._group)
        for slot, tile, point in zip(slots, tiles, opened, strict=True):
            if point != points[tile]:
                raise TileMismatch(f"slot {slot} does not open to the announced tile")

    # Re-masks ------------------------------------------------------------------------------------

    def remask_count(self, holder: int) -> int:
        """How often the holder has re-masked its rack: the counter of the next re-mask."""
        return self._counters[holder]

    def remask_context(self, holder: int) -> bytes:
        """The context of the holder's next re-mask (S9)."""
        return self._contexts.sub("remask", holder, self._counters[holder], self._keyset)

    def remask_input(self, slots: Sequence[int]) -> bytes:
        """The rack ciphertexts that a re-mask of these concealed slots shuffles, in list order."""
        return self._rack_bytes(slots)

    def remask_permutation(
        self, *, holder: int, seed: bytes, slots: Sequence[int]
    ) -> tuple[int, ...]:
        """pi of the holder's next re-mask: output i is the re-encryption of input pi(i)."""
        permutation, _ = shuffle_secrets(seed, self.remask_context(holder), self._rack_bytes(slots))
        return permutation

    def apply_remask(self, holder: int, slots: Sequence[int], deck: bytes) -> None:
        """Takes a checked re-mask: output i replaces the ciphertext of the i-th slot."""
        self._held.update(zip(slots, split_entries(deck), strict=True))
        self._counters[holder] += 1
        history = FiatShamir("deck-state")
        history.add("before", self._history)
        history.add("seat", bytes([holder]))
        history.add("slots", bytes(slots))
        history.add("deck", deck)
        self._history = history.digest()

    def roll_back(self, start: "MaskedDeck") -> None:
        """Undoes what a turn did to the racks: re-masks, tiles made public, a draw.

        Tokens stay, because they are out; counters of re-masks stay, so that no context repeats.

        Args:
            start: a copy from the start of the turn.
        """
        self._held = start.held()
        history = FiatShamir("deck-state")
        history.add("before", self._history)
        history.add("undone", start.state_digest())
        self._history = history.digest()

    def state_digest(self) -> bytes:
        """64 bytes over all re-masks so far: the deck's part of the state hash."""
        return self._history

    def held(self) -> dict[int, bytes]:
        """A copy of the ciphertexts of all slots that are no longer plain positions."""
        return dict(self._held)

    def points_of(self, positions: Sequence[int]) -> bytes:
        """C1 of these positions, 32 bytes each: what a helper multiplies by its share."""
        return self._c1(positions)

    def _c1(self, positions: Sequence[int]) -> bytes:
        return b"".join(self._entries[position][:CELL] for position in positions)

    def _strip(self, position: int, seats: Sequence[int]) -> bytes:
        missing = [seat for seat in seats if position not in self._tokens[seat]]
        if missing:
            raise LocalProtocolError(f"position {position} lacks tokens of seats {missing}")
        entry = self._entries[position]
        tokens = self._group.sum_points(b"".join(self._tokens[seat][position] for seat in seats))
        return entry[:CELL] + self._group.sub(entry[CELL:], tokens)

    def _rack_bytes(self, slots: Sequence[int]) -> bytes:
        return b"".join(self._held[slot] for slot in slots)
