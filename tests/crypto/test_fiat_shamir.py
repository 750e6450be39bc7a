"""Framing, challenges and hashing to the group."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.crypto.fiat_shamir import FiatShamir, expand_message_xmd, fr, hash_to_group
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L
from p2pokey.crypto.reencrypt import generators
from tests.crypto.support import load

XMD = load("rfc9380_xmd_sha512.json")

FRAMES = st.lists(
    st.tuples(st.text(st.characters(max_codepoint=127), max_size=5), st.binary(max_size=8)),
    max_size=4,
)


@pytest.mark.parametrize("vector", XMD["vectors"])
def test_expand_message_xmd(vector):
    uniform = expand_message_xmd(vector["message"].encode(), XMD["dst"].encode(), vector["length"])

    assert uniform.hex() == vector["uniform"]


def test_a_frame_has_label_and_length():
    assert fr("ab", b"xyz") == b"\x02ab\x03\x00\x00\x00xyz"
    assert fr("", b"") == bytes(5)


def unframe(data: bytes) -> list[tuple[str, bytes]]:
    frames = []
    while data:
        label, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        length, data = int.from_bytes(data[:4], "little"), data[4:]
        frames.append((label.decode("ascii"), data[:length]))
        data = data[length:]
    return frames


@given(FRAMES)
def test_framed_inputs_can_be_read_back_so_no_two_collide(frames):
    assert unframe(b"".join([fr(label, data) for label, data in frames])) == frames


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([("a", b"bc")], [("ab", b"c")]),
        ([("a", b"b"), ("c", b"")], [("a", b"b\x01c\0\0\0\0")]),
        ([("a", b"")], [("a", b""), ("a", b"")]),
        ([("a", b"b"), ("b", b"a")], [("b", b"a"), ("a", b"b")]),
        ([("a", b"\0")], [("a", b"")]),
    ],
)
def test_digests_differ_with_the_structure(left, right):
    def digest(frames):
        T = FiatShamir("test")
        for label, data in frames:
            T.add(label, data)
        return T.digest()

    assert digest(left) != digest(right)


def test_the_formula_of_the_protocol():
    T = FiatShamir("name")
    T.add("a", b"data")
    state = b"\x05proto" + (15).to_bytes(4, "little") + b"p2pokey/v1/name"
    state += b"\x01a" + (4).to_bytes(4, "little") + b"data"
    digest = hashlib.sha512(state).digest()
    assert T.digest() == digest

    def value(index):
        challenge = b"\x04chal" + (1).to_bytes(4, "little") + b"u" + digest
        block = hashlib.sha512(challenge + index.to_bytes(4, "little")).digest()
        return int.from_bytes(block, "little") % L

    assert T.scalars("u", 3) == [value(0), value(1), value(2)]
    state += b"\x04chal" + (1).to_bytes(4, "little") + b"u"
    assert T.digest() == hashlib.sha512(state).digest()


def test_later_challenges_differ():
    T = FiatShamir("test")

    assert T.scalars("u", 1) != T.scalars("u", 1)


def test_the_name_separates_domains():
    assert FiatShamir("a").digest() != FiatShamir("b").digest()


def test_known_generators_and_tiles(group):
    known = load("generators.json")
    H, h = generators(group, 106)
    M = [hash_to_group(group, "tile", b"tile" + bytes([t])) for t in range(106)]

    assert H.hex() == known["H"]
    assert h[:32].hex() == known["h_0"]
    assert h[-32:].hex() == known["h_105"]
    assert M[0].hex() == known["M_0"]
    assert M[105].hex() == known["M_105"]
    assert hashlib.sha256(H + h + b"".join(M)).hexdigest() == known["sha256_of_all"]


def test_generators_tiles_and_identity_all_differ(sodium):
    H, h = generators(sodium, 106)
    M = [hash_to_group(sodium, "tile", b"tile" + bytes([t])) for t in range(106)]
    points = [BASE_POINT, IDENTITY, H, *[h[i : i + 32] for i in range(0, len(h), 32)], *M]

    assert len(set(points)) == 3 + 106 + 106
