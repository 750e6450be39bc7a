"""The file that takes an identity key to another computer."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates

from p2pokey.errors import DecodeError
from p2pokey.native.keyfile import (
    MAX_KEY_FILE,
    WrongPassphrase,
    decode_key_file,
    encode_key_file,
)

SECRET = bytes(range(32))


@pytest.mark.parametrize("passphrase", ["", "kırmızı balık"])
def test_there_and_back(passphrase: str):
    assert decode_key_file(encode_key_file(SECRET, passphrase), passphrase) == SECRET


def test_a_passphrase_hides_the_key():
    data = encode_key_file(SECRET, "kırmızı balık")

    assert SECRET not in data
    assert SECRET in encode_key_file(SECRET, "")
    for wrong in ("", "kirmizi balik", "x"):
        with pytest.raises(WrongPassphrase):
            decode_key_file(data, wrong)


@pytest.mark.parametrize("data", [b"", b"x", bytes(100), b"\x30\x82" + bytes(50)])
def test_other_bytes_are_refused(data: bytes):
    for passphrase in ("", "passphrase"):
        with pytest.raises(DecodeError):
            decode_key_file(data, passphrase)


def test_every_cut_and_every_changed_byte_is_refused_or_harmless():
    data = encode_key_file(SECRET, "")
    for place in range(0, len(data), 7):
        with pytest.raises(DecodeError):
            decode_key_file(data[:place], "")
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with suppress(DecodeError):
            assert len(decode_key_file(changed, "")) == 32


def test_another_kind_of_key_is_refused():
    key = generate_private_key(SECP256R1())
    data = serialize_key_and_certificates(b"x", key, None, None, NoEncryption())

    with pytest.raises(DecodeError, match="Ed25519"):
        decode_key_file(data, "")


def test_a_large_file_is_not_looked_at():
    with pytest.raises(DecodeError, match="at most"):
        decode_key_file(bytes(MAX_KEY_FILE + 1), "")


def test_another_program_reads_it(tmp_path: Path):
    openssl = shutil.which("openssl")
    assert openssl, "openssl comes with every system that this runs on"
    path = tmp_path / "key.p12"
    path.write_bytes(encode_key_file(SECRET, "long enough"))
    pem = subprocess.run(
        [openssl, "pkcs12", "-in", path, "-nodes", "-passin", "pass:long enough"],
        check=True,
        capture_output=True,
    ).stdout

    assert b"BEGIN PRIVATE KEY" in pem
