"""What a hand starts from: the facts under hand_ctx, and the header line that states them.

docs/protocol.md S2 and docs/transcript-format.md. Every seat must hold the same setup: the state
hash of step 0 covers it, so a difference shows in the very first message.
"""

import json
from dataclasses import dataclass
from typing import Any

from p2pokey.codec import i32, u8, u32
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.errors import DecodeError, InvalidRuleSet, UnsupportedVersion
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions, canonical_bytes, from_json, rules_hash
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat
from p2pokey.transcript.messages import HASH_SIZE

FORMAT = "p2pokey-transcript"
FILE_VERSION = 0
SUITE = "ristretto255-SHA512"
BY_COINS = 255
"""Starter byte of a hand whose starter the coins choose (rules G-3)."""
MAX_TOTAL = 1_000_000
"""Points before a hand; far above what any match reaches, far below 32 bits."""
NO_TRANSCRIPT = bytes(HASH_SIZE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSetup:
    """The agreed start of one attempt at a hand.

    Attributes:
        session: 32-byte session id.
        hand: attempt number in the session, 0-based.
        roster: Ed25519 public keys in seat order, 2 to 4.
        rules: the rule set.
        options: the table options.
        match_hand: hand of the match, 0-based; a repeated attempt keeps it.
        starter: first seat, or None where the coins choose.
        excluded: seats that the coins must not choose, as a bit mask.
        totals: points of each seat before the hand.
        previous: transcript hash of the last finished hand, or 64 zero bytes.
    """

    session: bytes
    hand: int
    roster: tuple[bytes, ...]
    rules: RuleSet
    options: TableOptions
    match_hand: int
    starter: Seat | None
    excluded: int
    totals: tuple[int, ...]
    previous: bytes

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.roster)

    @property
    def starter_byte(self) -> int:
        """The starter as it is signed."""
        return BY_COINS if self.starter is None else self.starter

    def hand_ctx(self) -> bytes:
        """The 64-byte digest that every proof of the hand is bound to (S2)."""
        totals = b"".join(i32(total) for total in self.totals)
        setup = u8(self.match_hand) + u8(self.starter_byte) + u8(self.excluded) + totals
        context = FiatShamir("hand-ctx")
        context.add("suite", SUITE.encode("ascii"))
        context.add("session", self.session)
        context.add("hand", u32(self.hand))
        context.add("roster", b"".join(self.roster))
        context.add("rules", rules_hash(self.rules, self.options))
        context.add("setup", setup + self.previous)
        return context.digest()


def encode_header(setup: HandSetup) -> bytes:
    """The first line of a transcript, without its newline."""
    rules: Any = json.loads(canonical_bytes(setup.rules, setup.options))
    header = {
        "format": FORMAT,
        "version": FILE_VERSION,
        "suite": SUITE,
        "session": setup.session.hex(),
        "hand": setup.hand,
        "roster": [key.hex() for key in setup.roster],
        "rules": rules,
        "setup": {
            "match_hand": setup.match_hand,
            "starter": setup.starter_byte,
            "excluded": setup.excluded,
            "totals": list(setup.totals),
            "previous": setup.previous.hex(),
        },
    }
    return json.dumps(header, separators=(",", ":")).encode("ascii")


def decode_header(line: bytes) -> HandSetup:
    """The setup whose header is exactly this line.

    Raises:
        UnsupportedVersion: a p2pokey transcript of another version.
        DecodeError: not a transcript, or not what `encode_header` writes.
    """
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise DecodeError("expected a p2pokey transcript: the first line is not JSON") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise DecodeError(f"expected a file of format {FORMAT}")
    version = header.get("version")
    if type(version) is not int or version != FILE_VERSION or header.get("suite") != SUITE:
        raise UnsupportedVersion(
            f"expected transcript version {FILE_VERSION} with {SUITE}, got {str(version)[:20]!r}"
        )
    try:
        setup = _setup_from(header)
    except (KeyError, TypeError, ValueError, OverflowError, InvalidRuleSet) as error:
        raise DecodeError(f"the header line is damaged: {error}") from None
    if encode_header(setup) != line:
        raise DecodeError("the header line is not in canonical form")
    return setup


def _setup_from(header: dict[str, Any]) -> HandSetup:
    setup = header["setup"]
    rules_text = json.dumps(header["rules"], sort_keys=True, separators=(",", ":"))
    rules, options = from_json(rules_text.encode("ascii"))
    roster = tuple(_hex(key, 32) for key in header["roster"])
    if not MIN_SEATS <= len(roster) <= MAX_SEATS or len(roster) != options.seats:
        raise DecodeError(f"expected {options.seats} seats, got {len(roster)} keys")
    starter = _number(setup["starter"], 255)
    if starter >= len(roster) and starter != BY_COINS:
        raise DecodeError(f"expected a starter of this table, got {starter}")
    totals = tuple(_number(total, MAX_TOTAL, low=-MAX_TOTAL) for total in setup["totals"])
    if len(totals) != len(roster):
        raise DecodeError(f"expected {len(roster)} totals, got {len(totals)}")
    return HandSetup(
        session=_hex(header["session"], 32),
        hand=_number(header["hand"], 2**32 - 1),
        roster=roster,
        rules=rules,
        options=options,
        match_hand=_number(setup["match_hand"], 255),
        starter=None if starter == BY_COINS else Seat(starter),
        excluded=_number(setup["excluded"], 2 ** len(roster) - 2),
        totals=totals,
        previous=_hex(setup["previous"], HASH_SIZE),
    )


def _hex(text: Any, size: int) -> bytes:
    if not isinstance(text, str) or len(text) != 2 * size:
        raise DecodeError(f"expected {size} bytes in hexadecimal")
    return bytes.fromhex(text)


def _number(value: Any, high: int, *, low: int = 0) -> int:
    if type(value) is not int or not low <= value <= high:
        raise DecodeError(f"expected a whole number from {low} to {high}")
    return value
