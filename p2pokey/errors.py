"""Every error that p2pokey raises on purpose. Imports nothing.

Lower layers raise without knowing who is to blame; only a machine (hand/machine.py) turns a
`RuleError`, `DecodeError` or `VerificationError` into a `PeerFault` that names the culprit. The
class name is the stable code that audits, evidence files and the page show (docs/protocol.md 12);
the class docstring is the sentence that a player reads.
"""


class P2POkeyError(Exception):
    """Something went wrong in p2pokey."""

    @property
    def code(self) -> str:
        """The stable name of this kind of failure, e.g. `DleqInvalid`."""
        return type(self).__name__


class RuleError(P2POkeyError, ValueError):
    """The rules do not allow that.

    Attributes:
        rule: stable rule id, e.g. `A-5` or `G-9` (docs/rules).
        seat: 0-based seat that broke the rule, or None where no seat is meant.
        numbers: the figures of the message by name, for a sentence in another language.
    """

    def __init__(
        self,
        message: str,
        *,
        rule: str,
        seat: int | None = None,
        numbers: dict[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.seat = seat
        self.numbers = numbers or {}

    def __str__(self) -> str:
        return f"{self.args[0]} (rule {self.rule})"


class IllegalMove(RuleError):
    """That move is not allowed now."""


class NotYourTurn(IllegalMove):
    """It is another seat's turn."""


class InvalidMeld(IllegalMove):
    """Those tiles are not a valid run, set or pair."""


class InvalidRuleSet(RuleError):
    """The rule set or a table option is unknown or contradictory."""


class DecodeError(P2POkeyError, ValueError):
    """Bytes or text that are not the one canonical form."""


class BadPoint(DecodeError):
    """32 bytes that are not a canonical ristretto255 element."""


class BadScalar(DecodeError):
    """32 bytes that are not a canonical scalar below the group order."""


class BadLength(DecodeError):
    """A field or message of the wrong size."""


class UnsupportedVersion(DecodeError):
    """Written by a newer or unknown version of the protocol or the file format."""


class VerificationError(P2POkeyError):
    """A check that every peer makes has failed.

    Attributes:
        evidence: encoded signed envelopes that prove it, where the message at hand alone does not.
    """

    def __init__(self, message: str, *, evidence: tuple[bytes, ...] = ()) -> None:
        super().__init__(message)
        self.evidence = evidence


class IdentityPoint(VerificationError):
    """The identity element stands where it is not allowed."""


class DuplicateKey(VerificationError):
    """A key equals another seat's key or one used before."""


class CommitMismatch(VerificationError):
    """An opened value is not the one that was committed to."""


class PopInvalid(VerificationError):
    """A proof of possession of a secret key does not verify."""


class ShareInvalid(VerificationError):
    """A recovery share does not fit its commitments."""


class ShuffleInvalid(VerificationError):
    """A shuffle proof does not verify."""


class OutputIdentity(VerificationError):
    """A shuffle output contains the identity element."""


class DleqInvalid(VerificationError):
    """A proof that a reveal token is the right one does not verify."""


class TileMismatch(VerificationError):
    """A tile was announced that is not the tile that opens."""


class UnknownTile(VerificationError):
    """A ciphertext opened to something that is no tile."""


class TokenNotDue(VerificationError):
    """A message or a reveal token that the game does not ask for now."""


class DeckDisagreement(VerificationError):
    """Two seats hold different decks: somebody showed different decks to different peers."""


class BadSignature(VerificationError):
    """A signature does not verify under the seat's key."""


class BrokenChain(VerificationError):
    """A message does not continue its author's chain."""


class Equivocation(VerificationError):
    """One seat signed two different messages for one place in its chain."""


class StateDisagreement(VerificationError):
    """Two seats that saw the same messages claim different states."""


class FalseAccusation(VerificationError):
    """A seat accused another of a message that is in order."""


class ReplayMismatch(VerificationError):
    """Replaying a disclosed secret or a hand does not give what was signed."""


class ProtocolError(P2POkeyError):
    """The protocol was not followed."""


class LocalProtocolError(ProtocolError):
    """This program called its own machine wrongly: a bug here, no peer's fault."""


class JournalInUse(LocalProtocolError):
    """Another p2pokey is already playing this hand."""


class BackendUnavailable(P2POkeyError):
    """The cryptography library libsodium cannot be used on this computer."""


class PeerFault(ProtocolError):
    """A seat broke the protocol.

    Attributes:
        culprit: 0-based seat to blame.
        phase: name of the round in which it happened, e.g. `shuffle`.
        cause: stable code of the failed check, e.g. `ShuffleInvalid`.
        evidence: encoded signed envelopes (body || 64-byte signature) that prove it.
    """

    def __init__(
        self, message: str, *, culprit: int, phase: str, cause: str, evidence: tuple[bytes, ...]
    ) -> None:
        super().__init__(message)
        self.culprit = culprit
        self.phase = phase
        self.cause = cause
        self.evidence = evidence


class TableCancelled(P2POkeyError):
    """The table ended before its match did."""


class ConnectError(P2POkeyError):
    """The other players could not be reached."""


class SignalingError(ConnectError):
    """The signalling server or the invite did not work."""


class ServerUnreachable(SignalingError):
    """The signalling server cannot be reached: check its address and your connection."""


class InvalidAddress(SignalingError, ValueError):
    """That is no server address: it looks like wss://okey.example or ws://127.0.0.1:8765."""


class InvalidInvite(SignalingError, ValueError):
    """That is no invite: a code looks like K7Q2M-lale-deniz-kartal."""


class UnknownCode(SignalingError):
    """No open table has that code: check the code with your host."""


class RoomFull(SignalingError):
    """That table has no free seat left."""


class CodeExpired(SignalingError):
    """The table is no longer letting people in: ask your host for a new code."""


class WrongCode(SignalingError):
    """The words of the code are not the host's: check the code with your host."""


class Banned(SignalingError):
    """You were sent away from that table and cannot come back to it."""


class PasswordNeeded(WrongCode):
    """That table asks for a password besides the code: ask your host for it, and join with --password."""


class Declined(SignalingError):
    """The host has not let you in."""


class HostAway(SignalingError):
    """The host is not connected to the signalling server just now."""


class KeyInUse(SignalingError):
    """Somebody with your identity is at that table already."""


class TooManyGuesses(SignalingError):
    """Somebody keeps guessing the code of this table: open a new table."""


class PlayerLeft(ConnectError):
    """Another player left before the table was complete: start again."""


class TimedOut(ConnectError):
    """Somebody or something did not answer in time."""


class TableRefused(ConnectError):
    """The table is not the one that the players have agreed on."""

    def __init__(self, *message: str, reason: str = "players") -> None:
        super().__init__(*message)
        self.reason = reason
        """`players` or `score`: what the others are told."""


class LinkError(ConnectError):
    """A direct connection to another player failed or was not who it should be."""


class LinkNotAuthentic(LinkError):
    """The other end of a connection is not the player that it should be."""
