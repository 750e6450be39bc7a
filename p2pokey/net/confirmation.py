"""From a SPAKE2 result to confirmed keys between host and guest (docs/network.md, Admission).

Both sides hash everything that was said into one transcript. From the SPAKE2 key and the transcript
come two confirmation keys, whose tags prove that the other side used the same password, and two
keys for sealed boxes. Who holds another password gets other keys, so nothing he sends confirms.
"""

import hashlib
import hmac
from dataclasses import dataclass

from p2pokey.crypto.fiat_shamir import PREFIX, FiatShamir
from p2pokey.net.boxes import BoxChannel
from p2pokey.net.kdf import hkdf, split_keys
from p2pokey.ports import Sealer

TAG_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said in one key exchange; the same on both sides."""

    room: str
    host_key: bytes
    guest_key: bytes
    way: str
    guest_message: bytes
    """The guest's SPAKE2 message, sent first."""
    host_message: bytes

    def digest(self) -> bytes:
        """64 bytes over all of it."""
        hashing = FiatShamir("admission")
        hashing.add("room", self.room.encode("ascii"))
        hashing.add("host", self.host_key)
        hashing.add("guest", self.guest_key)
        hashing.add("way", self.way.encode("ascii"))
        hashing.add("x", self.guest_message)
        hashing.add("y", self.host_message)
        return hashing.digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Tags and box keys of one exchange."""

    digest: bytes
    """64 bytes that stand for the whole exchange."""
    host_tag: bytes
    """32 bytes that prove the host's knowledge of the password."""
    guest_tag: bytes
    """32 bytes that prove the guest's."""
    to_guest_key: bytes
    to_host_key: bytes

    def __repr__(self) -> str:
        return "Confirmation(hidden)"

    def host_channel(self, sealer: Sealer) -> BoxChannel:
        """The host's end of the sealed boxes."""
        return self._channel(sealer, self.to_guest_key, self.to_host_key)

    def guest_channel(self, sealer: Sealer) -> BoxChannel:
        """The guest's end of the sealed boxes."""
        return self._channel(sealer, self.to_host_key, self.to_guest_key)

    def _channel(self, sealer: Sealer, send_key: bytes, receive_key: bytes) -> BoxChannel:
        return BoxChannel(
            sealer, kind="box", send_key=send_key, receive_key=receive_key, context=self.digest
        )


def confirm(shared_key: bytes, exchange: Exchange) -> Confirmation:
    """Derives tags and keys. Args: shared_key: the 32 bytes that SPAKE2 gave this side."""
    digest = exchange.digest()
    keys = hkdf(shared_key, salt=digest, info=PREFIX + b"admission", length=4 * 32)
    host_tag_key, guest_tag_key, to_guest_key, to_host_key = split_keys(keys)
    return Confirmation(
        digest=digest,
        host_tag=hmac.digest(host_tag_key, digest, hashlib.sha256),
        guest_tag=hmac.digest(guest_tag_key, digest, hashlib.sha256),
        to_guest_key=to_guest_key,
        to_host_key=to_host_key,
    )


def is_same_tag(expected: bytes, got: bytes) -> bool:
    """Comparison in constant time."""
    return hmac.compare_digest(expected, got)
