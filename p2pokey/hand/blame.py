"""How a handler says who is at fault when it is not simply the author of the message."""

from p2pokey.errors import DecodeError, VerificationError
from p2pokey.tiles import Seat


class Blame(Exception):
    """This seat is to blame, for this reason."""

    def __init__(
        self,
        culprit: Seat,
        cause: DecodeError | VerificationError,
        *,
        evidence: tuple[bytes, ...] = (),
    ) -> None:
        """Args: evidence: signed messages that belong to the one at hand, at most one."""
        super().__init__(str(cause))
        self.culprit = culprit
        self.evidence = evidence
        self.cause = cause


class Dispute(Exception):
    """The author saw something else than this seat: a third seat may have shown two versions.

    The machine shares what it holds and waits for a fork to appear. Only if none does, the author
    is to blame (docs/protocol.md S4.3, S12).
    """

    def __init__(self, author: Seat, cause: VerificationError) -> None:
        super().__init__(str(cause))
        self.author = author
        self.cause = cause
