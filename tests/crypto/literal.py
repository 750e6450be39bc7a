"""docs/protocol.md S6 word for word, one group operation at a time, and open to cheating.

`prove` is the honest prover where it is given a permutation; it also takes what no honest prover
has: matrices in place of the permutation, an output of one's own, a forged chain. `failing` checks
the six families of equations one by one and names those that do not hold. Both are slow and share
nothing with `p2pokey.crypto.shuffle` but the hash and the group.
"""

from dataclasses import dataclass, field

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir, hash_to_group
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, encode_scalar
from tests.crypto.support import get_cell

Matrix = list[list[int]]
"""Row i says what output i is made of, column j what becomes of input j."""


@dataclass
class Statement:
    """ctx, key and decks; decks as lists of (C1, C2)."""

    group: Group
    ctx: bytes
    key: bytes
    deck_in: bytes
    deck_out: bytes
    H: bytes = field(init=False)
    h: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.n = len(self.deck_in) // 64
        self.a = [get_cell(self.deck_in, 2 * i) for i in range(self.n)]
        self.b = [get_cell(self.deck_in, 2 * i + 1) for i in range(self.n)]
        self.a_out = [get_cell(self.deck_out, 2 * i) for i in range(self.n)]
        self.b_out = [get_cell(self.deck_out, 2 * i + 1) for i in range(self.n)]
        self.H = hash_to_group(self.group, "generator", b"H")
        self.h = [hash_to_group(self.group, "generator", b"h" + u32(i)) for i in range(self.n)]

    def times(self, scalar: int, point: bytes) -> bytes:
        return self.group.mul([scalar], point)

    def total(self, *terms: tuple[int, bytes]) -> bytes:
        result = IDENTITY
        for scalar, point in terms:
            if scalar % L:
                result = self.group.add(result, self.times(scalar, point))
        return result

    def transcript(self) -> FiatShamir:
        T = FiatShamir("shuffle")
        T.add("ctx", self.ctx)
        T.add("n", u32(self.n))
        T.add("pk", self.key)
        T.add("in", self.deck_in)
        T.add("out", self.deck_out)
        return T


def permutation_matrix(perm: list[int] | tuple[int, ...]) -> Matrix:
    """Output i is input perm[i]."""
    return [[int(j == p) for j in range(len(perm))] for p in perm]


def apply(group: Group, key: bytes, deck: bytes, matrix: Matrix, r: list[int]) -> bytes:
    """Entry i = sum_j matrix[i][j] * entry j of the deck + (r_i*G, r_i*key)."""
    s = Statement(group, b"", key, deck, deck)
    out = b""
    for row, r_i in zip(matrix, r, strict=True):
        out += s.total(*zip(row, s.a, strict=True), (r_i, BASE_POINT))
        out += s.total(*zip(row, s.b, strict=True), (r_i, key))
    return out


def prove(
    s: Statement,
    *,
    seed: bytes,
    perm: tuple[int, ...],
    r: list[int],
    committed: Matrix | None = None,
    used: Matrix | None = None,
    forge_chain_end: bool = False,
) -> tuple[bytes, dict[str, object]]:
    """The proof and every intermediate value.

    Args:
        s: the statement.
        seed: nonce key.
        perm: order in which the rho are drawn, and the matrix where none is given.
        r: randomness of each output.
        committed: what the commitments c commit to.
        used: what the responses are made with.
        forge_chain_end: put prod(u)*H at the end of the chain, whatever u' is.
    """
    n, G, H = s.n, BASE_POINT, s.H
    committed = committed or permutation_matrix(perm)
    used = used or permutation_matrix(perm)
    T = s.transcript()
    rng = Drbg(seed, "shuffle-proof", T.digest())
    rho = [0] * n
    for i in range(n):
        rho[perm[i]] = rng.scalar()
    c = [s.total((rho[j], G), *[(committed[i][j], s.h[i]) for i in range(n)]) for j in range(n)]
    T.add("c", b"".join(c))
    u = T.scalars("u", n)
    u_out = [sum(m * u_j for m, u_j in zip(row, u, strict=True)) % L for row in used]
    w_hat = [rng.scalar() for _ in range(n)]
    w_out = [rng.scalar() for _ in range(n)]
    R, U, r_hat, t_hat, c_hat = 0, 1, [], [], []
    for i in range(n):
        t_hat.append(s.total((w_hat[i] + w_out[i] * R, G), (w_out[i] * U, H)))
        r_hat.append(rng.scalar())
        R = (r_hat[i] + u_out[i] * R) % L
        U = u_out[i] * U % L
        c_hat.append(s.total((R, G), (U, H)))
    if forge_chain_end:
        c_hat[-1] = s.total((R, G), (_product(u), H))
    w = [rng.scalar() for _ in range(4)]
    t = [
        s.total((w[0], G)),
        s.total((w[1], G)),
        s.total((w[2], G), *zip(w_out, s.h, strict=True)),
        s.total((-w[3], G), *zip(w_out, s.a_out, strict=True)),
        s.total((-w[3], s.key), *zip(w_out, s.b_out, strict=True)),
    ]
    T.add("chain", b"".join(c_hat))
    T.add("t", b"".join(t))
    T.add("that", b"".join(t_hat))
    x = T.scalars("x", 1)[0]
    responses = [
        w[0] + x * sum(rho),
        w[1] + x * R,
        w[2] + x * _dot(u, rho),
        w[3] + x * _dot(u_out, r),
        *[w_hat[i] + x * r_hat[i] for i in range(n)],
        *[w_out[i] + x * u_out[i] for i in range(n)],
    ]
    points = b"".join(c + c_hat + t + t_hat)
    values = {
        "rho": rho, "c": c, "u": u, "w_hat": w_hat, "w_out": w_out, "r_hat": r_hat,
        "c_hat": c_hat, "t_hat": t_hat, "w": w, "t": t, "x": x,
        "s": responses[:4], "s_hat": responses[4 : 4 + n], "s_out": responses[4 + n :],
    }  # fmt: skip
    return points + b"".join([encode_scalar(v) for v in responses]), values


def failing(s: Statement, proof: bytes) -> set[str]:
    """The families of equations that do not hold, of 1, 2, 3, 4a, 4b and 5; all must hold."""
    n, G, H = s.n, BASE_POINT, s.H
    cells = [get_cell(proof, i) for i in range(5 * n + 9)]
    c, c_hat, t, t_hat = cells[:n], cells[n : 2 * n], cells[2 * n :][:5], cells[2 * n + 5 :][:n]
    numbers = [int.from_bytes(cell, "little") for cell in cells[3 * n + 5 :]]
    (s_1, s_2, s_3, s_4), s_hat, s_out = numbers[:4], numbers[4 : 4 + n], numbers[4 + n :]
    T = s.transcript()
    T.add("c", b"".join(c))
    u = T.scalars("u", n)
    T.add("chain", b"".join(c_hat))
    T.add("t", b"".join(t))
    T.add("that", b"".join(t_hat))
    x = T.scalars("x", 1)[0]

    failed = set()

    def check(name: str, left: list[tuple[int, bytes]], right: list[tuple[int, bytes]]) -> None:
        if s.total(*left) != s.total(*right):
            failed.add(name)

    check("1", [(s_1, G)], [(1, t[0]), *[(x, p) for p in c], *[(-x, p) for p in s.h]])
    check("2", [(s_2, G)], [(1, t[1]), (x, c_hat[-1]), (-x * _product(u), H)])
    check(
        "3",
        [(s_3, G), *zip(s_out, s.h, strict=True)],
        [(1, t[2]), *[(x * u[j], c[j]) for j in range(n)]],
    )
    check(
        "4a",
        [(-s_4, G), *zip(s_out, s.a_out, strict=True)],
        [(1, t[3]), *[(x * u[j], s.a[j]) for j in range(n)]],
    )
    check(
        "4b",
        [(-s_4, s.key), *zip(s_out, s.b_out, strict=True)],
        [(1, t[4]), *[(x * u[j], s.b[j]) for j in range(n)]],
    )
    for i in range(n):
        before = c_hat[i - 1] if i else H
        check("5", [(s_hat[i], G), (s_out[i], before)], [(1, t_hat[i]), (x, c_hat[i])])
    return failed


def _dot(left: list[int], right: list[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def _product(factors: list[int]) -> int:
    product = 1
    for factor in factors:
        product = product * factor % L
    return product
