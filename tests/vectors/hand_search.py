"""Finds a hand that shows as much of the protocol as one hand can.

Only needed when bytes of the protocol change, because then every label means another hand: a false
okey is turned for the indicator once in 53 hands, and few of those are short. Takes minutes.
"""

from collections.abc import Iterable, Iterator
from itertools import count

from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import shuffle_secrets
from p2pokey.crypto.shuffle import shuffle_deck
from p2pokey.deck.chain import shuffle_context
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.keys import build_commit, build_hand_key, keyset_digest, starter_by_coins
from p2pokey.deck.points import initial_deck
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.deck.shares import build_shares
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Finish, Show
from p2pokey.tiles import FALSE_OKEYS, TILE_COUNT
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Commit, Keys, Move
from tests.vectors.hand_play import EXCLUDED, SEATS, hand_seed, hand_setup, play

MAX_TURNS = 20
INDICATOR_POSITION = 14 * SEATS + 1


def search(group: Group, first: int = 0) -> tuple[str, bytes]:
    """The first label from number `first` whose hand is rich, and its transcript."""
    for label in _promising(group, count(first)):
        transcript = play(group, label)
        kinds = moves_of(transcript)
        turns = sum(isinstance(move, Discard | Finish) for move in kinds)
        print(f"{label}: {turns} turns, {sorted({type(move).__name__ for move in kinds})}")
        if turns <= MAX_TURNS and is_rich(kinds):
            return label, transcript
    raise AssertionError


def moves_of(transcript: bytes) -> list[object]:
    """All moves of a transcript in order."""
    messages = [decode_line(line).message for line in transcript.splitlines()[1:]]
    return [decode_move(message.move) for message in messages if isinstance(message, Move)]


def is_rich(moves: Iterable[object]) -> bool:
    """Whether every kind of move is there that a finished hand can have."""
    return {DrawStack, DrawLeft, Show, Discard, Finish} <= {type(move) for move in moves}


def _promising(group: Group, numbers: Iterable[int]) -> Iterator[str]:
    """Labels whose dice are thrown twice and whose first indicator is a false okey."""
    for number in numbers:
        label = f"hand vector {number}"
        setup = hand_setup(label)
        contexts = Contexts(setup.hand_ctx())
        secrets = [
            SeatSecrets.derive(
                seed=hand_seed(label, seat), contexts=contexts, seat=seat, threshold=SEATS - 1
            )
            for seat in range(SEATS)
        ]
        coins = [secret.coin for secret in secrets]
        if starter_by_coins(coins, contexts.hand_ctx) != EXCLUDED:
            continue
        if _tile_at(group, contexts, secrets, INDICATOR_POSITION) in FALSE_OKEYS:
            yield label


def _tile_at(group: Group, contexts: Contexts, secrets: list[SeatSecrets], position: int) -> int:
    """The tile that the four shuffles bring to a position."""
    commits, keys = [], []
    for seat, own in enumerate(secrets):
        fields = build_commit(group, contexts, seat, own)
        commits.append(
            Commit(
                seed_commit=fields.seed_commit,
                coin_commit=fields.coin_commit,
                sealing_key=fields.sealing_key,
                pop=fields.pop,
            )
        )
    for seat, own in enumerate(secrets):
        hand_key = build_hand_key(group, contexts, seat, own)
        commitments, shares = build_shares(
            group,
            ChaChaSealer(),
            contexts,
            dealer=seat,
            secrets=own,
            sealing_keys=[commit.sealing_key for commit in commits],
        )
        keys.append(
            Keys(
                hand_key=hand_key.hand_key,
                pop=hand_key.pop,
                commitments=commitments,
                shares=shares,
                coin=hand_key.coin,
            )
        )
    joint_key = group.sum_points(b"".join([message.hand_key for message in keys]))
    keyset = keyset_digest(
        [commit.encode() for commit in commits],
        [message.record for message in keys],
        [message.coin for message in keys],
    )
    deck, tiles = initial_deck(group), list(range(TILE_COUNT))
    for seat, own in enumerate(secrets):
        ctx = shuffle_context(contexts, seat, keyset)
        perm, _ = shuffle_secrets(own.seed, ctx, deck)
        tiles = [tiles[source] for source in perm]
        deck = shuffle_deck(group, seed=own.seed, ctx=ctx, key=joint_key, deck=deck)
    return tiles[position]
