"""The ports that every part of `net` needs, in one value."""

from dataclasses import dataclass

from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.ports import Entropy, Sealer, Signer, Verifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """Who we are and how we sign, verify, seal and draw."""

    signer: Signer
    """Our identity key."""
    verifier: Verifier
    sealer: Sealer
    entropy: Entropy

    @property
    def public_key(self) -> bytes:
        """Our 32-byte identity key."""
        return self.signer.public_key


def native_toolkit(signer: Signer) -> Toolkit:
    """The toolkit of a computer, for one identity."""
    return Toolkit(
        signer=signer, verifier=Ed25519Verifier(), sealer=ChaChaSealer(), entropy=OsEntropy()
    )
