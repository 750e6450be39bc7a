"""HKDF against RFC 5869, appendix A."""

import pytest

from p2pokey.net.kdf import hkdf, split_keys

CASES = [
    # A.1 basic, A.2 longer, A.3 zero-length salt and info
    (
        bytes([0x0B] * 22),
        bytes(range(13)),
        bytes(range(0xF0, 0xFA)),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    (
        bytes(range(80)),
        bytes(range(0x60, 0xB0)),
        bytes(range(0xB0, 0x100)),
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        "cc30c58179ec3e87c14c01d5c1f3434f1d87",
    ),
    (
        bytes([0x0B] * 22),
        b"",
        b"",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
]


@pytest.mark.parametrize(("secret", "salt", "info", "expected"), CASES)
def test_vectors_of_rfc_5869(secret, salt, info, expected):
    output = bytes.fromhex(expected)

    assert hkdf(secret, salt=salt, info=info, length=len(output)) == output


def test_split_keys():
    assert split_keys(bytes(64)) == (bytes(32), bytes(32))
