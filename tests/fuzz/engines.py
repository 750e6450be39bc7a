"""Any decoded moves into every engine: a legal move, or a refusal that names its rule.

Input: one byte for the game, one for how far a played hand has come, then moves, each behind its
length in one byte. A slot's face is what the move claims, as for everybody but the tile's holder.
"""

import functools

from p2pokey.errors import DecodeError, RuleError
from p2pokey.rules.engine import Engine, engine_for
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Move
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import HandState, Phase, all_places, canonical_bytes
from p2pokey.tiles import TILE_COUNT
from tests.bots.hands import dealt, play_hand, shuffled

KEYS = tuple(RULE_SETS)


@functools.cache
def hand_of(key: str) -> tuple[HandState, tuple[Move, ...]]:
    """The state after the deal, and the moves of a whole hand from there."""
    rules, deck = ruleset_for(key), shuffled("fuzz")
    played = play_hand(rules, "fuzz", deck=deck)
    state, _ = dealt(rules, deck)
    return state, tuple(move for _, move in played.moves)


@functools.cache
def position(key: str, count: int) -> HandState:
    """The state after so many moves of that hand."""
    state, moves = hand_of(key)
    for move in moves[: count % (len(moves) + 1)]:
        state, _ = engine_for(state.rules).apply(state, move)
    return state


def apply_all(engine: Engine, state: HandState, data: bytes) -> None:
    """Applies moves until one is refused."""
    while data and engine.mover(state) is not None:
        size, data = data[0], data[1:]
        try:
            move = decode_move(data[:size])
            state, _ = engine.apply(state, move)
        except DecodeError:
            return
        except RuleError as error:
            if not error.rule:
                raise
            return
        data = data[size:]
        assert sorted(all_places(state)) == list(range(TILE_COUNT))
        assert canonical_bytes(state)
    if state.phase is Phase.OVER:
        faces = _all_faces(state)
        score = engine.score(state, faces, (0,) * state.seats)
        assert len(score.points) == state.seats


def _all_faces(state: HandState) -> dict[int, int]:
    """The faces that are known, and some order of the other tiles in the other slots."""
    left = iter(sorted(set(range(TILE_COUNT)) - set(state.faces)))
    return {s: next(left) if tile is None else tile for s, tile in enumerate(state.faces)}


def engine(data: bytes) -> None:
    """The fuzz target."""
    if len(data) < 2:
        return
    state = position(KEYS[data[0] % len(KEYS)], data[1])
    apply_all(engine_for(state.rules), state, data[2:])


def seeds() -> dict[str, bytes]:
    """Inputs that play on from some places of each game's hand."""
    found = {}
    for number, key in enumerate(KEYS):
        _, moves = hand_of(key)
        for start in (0, len(moves) // 2, max(0, len(moves) - 8)):
            coded = [encode_move(move) for move in moves[start : start + 8]]
            rest = b"".join(bytes([len(item)]) + item for item in coded if len(item) < 256)
            found[f"{key}-{start}"] = bytes([number, start]) + rest
    return found
