"""The way into a new session: other seats were agreed on, and its first seat opens a room."""

from p2pokey.errors import DecodeError
from p2pokey.table.asks import AskId, OpenAsk
from p2pokey.table.carry import VACANT, carry_bytes
from p2pokey.table.commands import Refusal
from p2pokey.table.desk import Desk
from p2pokey.table.effects import BadLink, RoomLink, SeatingAgreed, Send
from p2pokey.table.match import Match
from p2pokey.table.messages import decode_link, encode_link, session_of
from p2pokey.tiles import Seat


class Moving:
    """What has been agreed on, and the link of the new room."""

    def __init__(self, desk: Desk) -> None:
        self.order: tuple[int, ...] | None = None
        """The new order, once agreed on: this session is over then."""
        self.agreed: list[OpenAsk] = []
        """Agreed on and not in effect yet: a hand is still going on here, or has yet to."""
        self._desk = desk
        self._links: dict[Seat, str] = {}
        self._told: str | None = None
        self._shared: bytes = b""
        """The newest link of our own room, as it is sent."""
        self._match: Match | None = None

    def in_order(self) -> list[OpenAsk]:
        """What was agreed on and has no effect yet, what counts most first.

        That is an order in which this seat stays. It said yes to a second one only if that is the
        first without seats that did not answer, so the smallest is what all of that order go by.
        """

        def place(opened: OpenAsk) -> tuple[bool, int, AskId]:
            order = opened.ask.order
            return self._desk.seat not in order, len(order) - order.count(VACANT), opened.id

        return sorted(self.agreed, key=place)

    def agree(self, order: tuple[int, ...], match: Match) -> None:
        """All who stay have agreed; the first such agreement counts."""
        if self.order is None:
            self.order, self._match = order, match
            self.announce()

    def announce(self) -> None:
        """Tells the shell what was agreed on, if anything was."""
        if self.order is None or self._match is None:
            return
        own = self._desk.seat
        seat = Seat(self.order.index(own)) if own in self.order else None
        carry = carry_bytes(self._match, self.order)
        self._desk.emit(SeatingAgreed(order=self.order, carry=carry, seat=seat))
        self._tell_link()

    def share(self, link: str) -> None:
        """Sends the link of the new room to all others who stay."""
        if self.order is None or self.order[0] != self._desk.seat:
            self._desk.refuse(Refusal.NOT_FIRST)
            return
        data = encode_link(self._desk.session, link)
        decode_link(data)
        self._shared = data
        for seat in self.order:
            self.share_with(seat)

    def share_with(self, seat: int) -> None:
        """Sends the newest link to a seat that stays: another run of its program may lack it."""
        if self._shared and seat in (self.order or ()) and seat not in (VACANT, self._desk.seat):
            self._desk.emit(Send(data=self._shared, to=Seat(seat)))

    def take_link(self, data: bytes, sender: Seat) -> None:
        """A link has come; it counts if it is from the first of the new order."""
        if session_of(data) != self._desk.session:
            return
        try:
            self._links[sender] = decode_link(data)
        except DecodeError as error:
            self._desk.emit(BadLink(seat=sender, cause=error.code))
            return
        self._tell_link()

    def _tell_link(self) -> None:
        """Tells the newest link, also if it came before the last answer did."""
        if self.order is None or self._desk.seat not in self.order:
            return
        link = self._links.get(Seat(self.order[0]))
        if link is not None and link != self._told:
            self._told = link
            self._desk.emit(RoomLink(link=link))
