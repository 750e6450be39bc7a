"""COMMIT, KEYS, SHUFFLE and READY of the walk (docs/protocol.md S3, S4.1 to S4.4, S6, S7, S10)."""

import hashlib
from dataclasses import dataclass, field

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import hash_to_group
from p2pokey.crypto.group import IDENTITY, encode_scalar, split32
from p2pokey.tiles import TILE_COUNT
from tests.vectors.derive import Values, hashed, possession, sealed_share, sharing, shuffle
from tests.vectors.hand_walk import Walk


@dataclass
class Opened:
    """What the opening rounds leave to the play."""

    x: list[int] = field(default_factory=list)
    e: list[int] = field(default_factory=list)
    coins: list[bytes] = field(default_factory=list)
    E: list[bytes] = field(default_factory=list)
    X: list[bytes] = field(default_factory=list)
    keyset: bytes = b""
    starter: int = 0
    deck: bytes = b""
    faces: list[int] = field(default_factory=list)
    """The tile at each position of the shuffled deck."""


def commits(walk: Walk, opened: Opened) -> list[Values]:
    """Round 1."""
    notes, payloads = [], []
    for seat, seed in enumerate(walk.seeds):
        keys_ctx, coin_ctx = walk.ctx("keys", seat), walk.ctx("coin", seat)
        stream = Drbg(seed, "keys", keys_ctx)
        x, e = stream.nzscalar(), stream.nzscalar()
        coin = Drbg(seed, "coin", coin_ctx).read(32)
        E = walk.group.base_mul([e])
        seed_ctx, pop_ctx = walk.ctx("seed-commit", seat), walk.ctx("pop-seal", seat)
        seed_commit = hashed("seed-commit", ("ctx", seed_ctx), ("seed", seed)).digest()[:32]
        coin_commit = hashed("coin-commit", ("ctx", coin_ctx), ("coin", coin)).digest()[:32]
        pop = possession(walk.group, seed=seed, ctx=pop_ctx, secret=e, public=E)
        payload = seed_commit + coin_commit + E + pop["R"] + pop["s"]
        notes.append(
            {
                **walk.send("commit", seat, payload),
                "keys_ctx": keys_ctx,
                "x": encode_scalar(x),
                "e": encode_scalar(e),
                "coin_ctx": coin_ctx,
                "coin": coin,
                "coin_commit": coin_commit,
                "seed_ctx": seed_ctx,
                "seed_commit": seed_commit,
                "E": E,
                "pop": pop,
                "payload": payload,
            }
        )
        payloads.append(payload)
        opened.x.append(x)
        opened.e.append(e)
        opened.coins.append(coin)
        opened.E.append(E)
    walk.round_step("commits", b"".join(payloads))
    return notes


def keys(walk: Walk, opened: Opened) -> list[Values]:
    """Round 2."""
    notes = []
    for seat, seed in enumerate(walk.seeds):
        x, t = opened.x[seat], walk.setup.options.threshold
        X, pop_ctx, vss_ctx = walk.group.base_mul([x]), walk.ctx("pop", seat), walk.ctx("vss", seat)
        pop = possession(walk.group, seed=seed, ctx=pop_ctx, secret=x, public=X)
        polynomial = sharing(seed, vss_ctx, x, t)
        A = walk.group.base_mul(polynomial[1:])
        shares = [_share(walk, opened, seat, k, polynomial) for k in walk.seats if k != seat]
        record = X + pop["R"] + pop["s"] + A + b"".join(share["sealed"] for share in shares)
        payload = bytes([t - 1, len(shares)]) + record + opened.coins[seat]
        notes.append(
            {
                **walk.send("keys", seat, payload),
                "X": X,
                "pop": pop,
                "vss_ctx": vss_ctx,
                "a": [encode_scalar(a) for a in polynomial[1:]],
                "A": split32(A),
                "shares": shares,
                "record": record,
                "payload": payload,
            }
        )
        opened.X.append(X)
    return notes


def _share(walk: Walk, opened: Opened, dealer: int, holder: int, polynomial: list[int]) -> Values:
    return sealed_share(
        walk.group,
        walk.sealer,
        ctx=walk.ctx("seal", dealer, holder),
        polynomial=polynomial,
        holder=holder,
        secret=opened.e[dealer],
        holder_key=opened.E[holder],
    )


def joint_values(
    walk: Walk, opened: Opened, commit_notes: list[Values], key_notes: list[Values]
) -> Values:
    """Joint key, keyset and starter, after round 2."""
    fields = []
    for commit, key, coin in zip(commit_notes, key_notes, opened.coins, strict=True):
        fields += [("commit", commit["payload"]), ("peer", key["record"]), ("coin", coin)]
    opened.keyset = hashed("keyset", *fields).digest()
    joint_key = walk.group.sum_points(b"".join(opened.X))
    dice_key = hashlib.sha512(b"".join(opened.coins)).digest()
    dice, thrown = Drbg(dice_key, "dice", walk.hand_ctx), []
    while not thrown or walk.setup.excluded >> thrown[-1] & 1:
        thrown.append(dice.below(len(opened.coins)))
    opened.starter = thrown[-1]
    walk.round_step("keyset", opened.keyset)
    return {
        "joint_key": joint_key,
        "keyset": opened.keyset,
        "dice_key": dice_key,
        "dice": thrown,
        "starter": opened.starter,
    }


def shuffles(walk: Walk, opened: Opened, joint_key: bytes) -> list[Values]:
    """Round 3, and round 4 behind it."""
    points = [hash_to_group(walk.group, "tile", b"tile" + bytes([t])) for t in range(TILE_COUNT)]
    deck, proof, notes = b"".join([IDENTITY + point for point in points]), b"", []
    opened.faces = list(range(TILE_COUNT))
    ready = hashed("ready", ("hand-ctx", walk.hand_ctx), ("keyset", opened.keyset))
    for seat, seed in enumerate(walk.seeds):
        ctx = walk.ctx("shuffle", seat, seat, opened.keyset)
        built_on = hashed("shuffle-input", ("deck", deck), ("proof", proof)).digest()
        values = shuffle(walk.group, seed=seed, ctx=ctx, key=joint_key, deck=deck)
        deck, proof = values["deck_out"], values["proof"]
        sent = walk.send("shuffle", seat, built_on + bytes([TILE_COUNT]) + deck + proof)
        notes.append({**sent, "input_hash": built_on, **values})
        opened.faces = [opened.faces[source] for source in values["perm"]]
        ready.add("deck", deck)
        ready.add("proof", proof)
    opened.deck = deck
    walk.round_step("shuffled", ready.digest())
    return notes


def readies(walk: Walk) -> Values:
    """Round 4."""
    digest: bytes = walk.steps[-1]["hashed"]["shuffled"]
    notes = [walk.send("ready", seat, digest) for seat in walk.seats]
    walk.round_step("ready", digest)
    return {"digest": digest, "messages": notes}
