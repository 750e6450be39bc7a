"""Votes about a silent seat: DROP and REFUSE, as every chain tells them (docs/protocol.md S10).

What a vote is worth follows from the chains of its author and of the refusing seats alone, never from
the order in which messages of different seats arrive. So the machine and the audit share this module.

A vote is named by the seat that it is about, the number of that seat's messages that its author has
accepted (the head), and the step at which the author waits. A certificate is the same vote from all
other seats that are present. A REFUSE brings the message that follows the head; it takes the vote
back for everybody, but only if its author had not cast that vote itself. So a certificate and a valid
refusal of the same vote need two versions of one chain.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.errors import BrokenChain, TokenNotDue
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, verify_envelope
from p2pokey.transcript.messages import Drop, Kind, Refuse
from p2pokey.transcript.setup import HandSetup

FIRST_DEALT_STEP = 4
"""Steps completed when the deal begins: COMMIT, KEYS, SHUFFLE and READY."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A seat that a certificate marks absent."""

    seat: Seat
    head_seq: int
    """Its first so many messages count; what follows them, up to a RETURN, counts for nothing."""


def refused_message(verifier: Verifier, setup: HandSetup, author: Seat, refuse: Refuse) -> Envelope:
    """The message of another seat that a REFUSE carries.

    Raises:
        DecodeError: no envelope.
        BadSignature: not signed by its author.
        BrokenChain: of another hand, or of the refusing seat itself.
    """
    envelope = decode_envelope(refuse.message)
    if (envelope.session, envelope.hand) != (setup.session, setup.hand):
        raise BrokenChain("the message of a REFUSE belongs to another hand")
    if envelope.seat == author or envelope.seat >= setup.seats:
        raise BrokenChain("expected a message of another seat in a REFUSE")
    verify_envelope(verifier, setup.roster[envelope.seat], envelope)
    return envelope


class Ballot:
    """All votes and refusals of one hand, noted in the order of each author's chain."""

    def __init__(self, setup: HandSetup) -> None:
        self._seats = setup.seats
        self._votes: dict[Seat, list[Drop]] = {Seat(seat): [] for seat in range(setup.seats)}
        self._places: dict[Seat, list[int]] = {Seat(seat): [] for seat in range(setup.seats)}
        self._refusals: list[tuple[Seat, int, Envelope]] = []
        self._cast: set[tuple[Seat, Drop]] = set()
        self._shown: set[tuple[Seat, int, int]] = set()

    def note_drop(self, envelope: Envelope, drop: Drop) -> None:
        """Notes a vote.

        Raises:
            TokenNotDue: no honest seat signs this vote after what it signed before: it is about
                nobody, names another step or state than its envelope, goes back behind an earlier
                vote or repeats it, or is for a head behind which its author knows more.
        """
        author = envelope.seat
        if drop.absent >= self._seats or drop.absent == author:
            raise TokenNotDue("a vote about no other seat")
        if (drop.step, drop.state) != (envelope.step, envelope.state):
            raise TokenNotDue("a vote for another step than its author's")
        for earlier in self._about(author, drop.absent):
            if (drop.head_seq, drop.step) <= (earlier.head_seq, earlier.step):
                raise TokenNotDue("a second vote for one head")
            if drop.head_seq < earlier.head_seq or drop.step < earlier.step:
                raise TokenNotDue("a vote behind an earlier one")
        for other, _, message in self._refusals:
            if other == author and message.seat == drop.absent and message.seq >= drop.head_seq:
                raise TokenNotDue("a vote for a head behind which its author has shown more")
        self._cast.add((author, drop))
        self._votes[author].append(drop)
        self._places[author].append(envelope.seq)

    def note_refusal(self, envelope: Envelope, message: Envelope) -> None:
        """Notes a refusal that carries the checked message.

        Raises:
            TokenNotDue: its author has sent the same one before.
        """
        if any(
            (author, known.encoded) == (envelope.seat, message.encoded)
            for author, _, known in self._refusals
        ):
            raise TokenNotDue("the same refusal again")
        self._shown.add((envelope.seat, message.seat, message.seq))
        self._refusals.append((envelope.seat, envelope.seq, message))

    def votes_of(self, author: Seat, first: int = 0) -> list[Drop]:
        """The votes of a seat in chain order, from the `first`-th on."""
        return self._votes[author][first:]

    def votes_before(self, author: Seat, seq: int) -> list[Drop]:
        """The votes that stand before this place in the author's chain."""
        pairs = zip(self._votes[author], self._places[author], strict=True)
        return [drop for drop, place in pairs if place < seq]

    def has_voted(self, author: Seat, drop: Drop) -> bool:
        """Whether the seat has cast exactly this vote."""
        return (author, drop) in self._cast

    def has_refused(self, author: Seat, absent: int, seq: int) -> bool:
        """Whether the seat has shown this message of the other one in a refusal."""
        return (author, absent, seq) in self._shown

    def refusal_of(self, drop: Drop, *, is_marked: bool) -> Envelope | None:
        """The message by which a valid refusal takes this vote back, if there is one.

        Args:
            is_marked: the vote is about a turn of a seat that is marked: only a RETURN refuses it.
        """
        for author, place, message in self._refusals:
            if message.seat != drop.absent or author == drop.absent:
                continue
            is_return = message.kind is Kind.RETURN and message.seq >= drop.head_seq
            fits = is_return if is_marked else message.seq == drop.head_seq
            if fits and drop not in self.votes_before(author, place):
                return message
        return None

    def is_certified(self, drop: Drop, present: Sequence[Seat]) -> bool:
        """Whether all these seats but the one that it is about have cast this vote."""
        voters = [seat for seat in present if seat != drop.absent]
        return bool(voters) and all(self.has_voted(seat, drop) for seat in voters)

    def _about(self, author: Seat, absent: int) -> list[Drop]:
        return [drop for drop in self._votes[author] if drop.absent == absent]
