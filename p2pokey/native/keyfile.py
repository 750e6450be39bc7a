"""An identity key outside of its folder: a file that moves it to another computer.

PKCS #12 (RFC 7292), so that other programs can read it, too (`openssl pkcs12 -in FILE -nodes`). With a
passphrase it is encrypted with AES-256 under PBKDF2-HMAC-SHA-256.
"""

import warnings

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PBES,
    load_key_and_certificates,
    serialize_key_and_certificates,
)

from p2pokey.errors import DecodeError

MAX_KEY_FILE = 16 * 1024
"""Bytes; a key of this kind takes about 400."""
KDF_ROUNDS = 600_000
"""Of PBKDF2: half a second for every guess at the passphrase."""
_LABEL = b"p2pokey identity"


class WrongPassphrase(DecodeError):
    """The passphrase does not open the file, or the file is damaged, or it is another kind of file.

    The format does not tell these apart.
    """


def encode_key_file(secret: bytes, passphrase: str) -> bytes:
    """The file of a 32-byte Ed25519 secret; an empty passphrase leaves it readable to anybody."""
    encryption: KeySerializationEncryption = NoEncryption()
    if passphrase:
        builder = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(KDF_ROUNDS)
        builder = builder.key_cert_algorithm(PBES.PBESv2SHA256AndAES256CBC).hmac_hash(SHA256())
        encryption = builder.build(passphrase.encode("utf-8"))
    key = Ed25519PrivateKey.from_private_bytes(secret)
    return serialize_key_and_certificates(_LABEL, key, None, None, encryption)


def decode_key_file(data: bytes, passphrase: str) -> bytes:
    """The 32-byte secret in such a file.

    Raises:
        WrongPassphrase: it does not open with this passphrase (empty: with none).
        DecodeError: it opens and holds no Ed25519 key.
    """
    if len(data) > MAX_KEY_FILE:
        raise DecodeError(f"expected a key file of at most {MAX_KEY_FILE} bytes")
    try:
        with warnings.catch_warnings(action="error"):  # about sloppy forms, which nobody writes
            key, _, _ = load_key_and_certificates(data, passphrase.encode("utf-8") or None)
    except (ValueError, TypeError, UnsupportedAlgorithm, Warning):
        raise WrongPassphrase(
            "the passphrase does not open the file, or it is no key file"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise DecodeError("expected an Ed25519 key, the file holds something else")
    return key.private_bytes_raw()
