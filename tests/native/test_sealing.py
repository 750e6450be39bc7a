"""ChaCha20-Poly1305, and randomness from the operating system."""

import os

import pytest

from p2pokey.errors import BadLength, DecodeError
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.sealing import ChaChaSealer
from tests.crypto.support import flip

# RFC 8439, 2.8.2.
KEY = bytes(range(0x80, 0xA0))
NONCE = bytes.fromhex("070000004041424344454647")
AAD = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
PLAINTEXT = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you "
    b"only one tip for the future, sunscreen would be it."
)
TAG = bytes.fromhex("1ae10b594f09e26a7e902ecbd0600691")
SEALER = ChaChaSealer()


def test_rfc_8439():
    sealed = SEALER.seal(KEY, NONCE, PLAINTEXT, AAD)

    assert sealed[:16].hex() == "d31a8d34648e60db7b86afbc53ef7ec2"
    assert sealed[-16:] == TAG
    assert SEALER.unseal(KEY, NONCE, sealed, AAD) == PLAINTEXT


def test_whatever_was_changed_does_not_open():
    sealed = SEALER.seal(KEY, NONCE, b"secret", AAD)
    changed = [
        (flip(KEY, 0), NONCE, sealed, AAD),
        (KEY, flip(NONCE, 0), sealed, AAD),
        (KEY, NONCE, flip(sealed, 0), AAD),
        (KEY, NONCE, flip(sealed, 8 * len(sealed) - 1), AAD),
        (KEY, NONCE, sealed[:-1], AAD),
        (KEY, NONCE, sealed, b""),
        (KEY, NONCE, b"", AAD),
    ]
    for arguments in changed:
        with pytest.raises(DecodeError):
            SEALER.unseal(*arguments)


def test_keys_and_nonces_have_one_size():
    for key, nonce in ((KEY[:-1], NONCE), (KEY, NONCE[:-1]), (b"", b"")):
        with pytest.raises(BadLength):
            SEALER.seal(key, nonce, b"", b"")
        with pytest.raises(BadLength):
            SEALER.unseal(key, nonce, bytes(16), b"")


def test_randomness_comes_from_the_operating_system(monkeypatch):
    entropy = OsEntropy()
    assert len(entropy.random_bytes(32)) == 32
    assert entropy.random_bytes(32) != entropy.random_bytes(32)

    monkeypatch.setattr(os, "urandom", lambda count: b"\x07" * count)
    assert entropy.random_bytes(5) == b"\x07" * 5
