"""What the messages of the table chain say, and their payloads.

Integers are little-endian:

    1 NEXT    attempt u32, wish u8, withheld u8, starter u8, sheet 32
    2 CHAT    UTF-8, 1 to 500 characters
    3 PHRASE  code u8
    4 ASK     what u8, attempt u32, step u32; for SEATING then n u8, n old seats u8, sheet 32
    5 ANSWER  asker u8, seq of the ASK u32, reply u8, hash of the ASK 32
"""

from dataclasses import dataclass
from enum import IntEnum

from p2pokey.codec import Reader, u8, u32
from p2pokey.errors import DecodeError
from p2pokey.table.carry import NOBODY, check_order
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat

MAX_CHAT_CHARS = 500
SHEET_BYTES = 32
ASKED_BYTES = 32


class Kind(IntEnum):
    """What a message of the table chain is."""

    NEXT = 1
    CHAT = 2
    PHRASE = 3
    ASK = 4
    ANSWER = 5


class Wish(IntEnum):
    """What a seat wants."""

    PLAY = 1
    """To play the attempt with that number."""
    STOP = 2
    """No further hand at this table."""


class What(IntEnum):
    """What can be asked of all others."""

    REMATCH = 1
    """To begin the match anew."""
    SEATING = 2
    """Another order of seats, perhaps without some of those who sit there."""


class Reply(IntEnum):
    """What is answered."""

    NO = 0
    YES = 1
    LAPSED = 2
    """The program says no: too late, somebody who must answer is gone, or nobody decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """A seat's wish for an attempt, and what it says of the attempt before."""

    attempt: int
    """Number of the attempt, u32."""
    wish: Wish
    withheld: int = 0
    """Seats that withheld their KEYS in the failed attempt before, as a bit mask."""
    starter: Seat | None = None
    """Seat that began the failed attempt before, if that was known."""
    sheet: bytes
    """32-byte digest of the author's score sheet before this attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A line of text as its author wrote it; never shown as it is (table/chat_text.py)."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickPhrase:
    """A phrase of the catalogue, or a newer one."""

    code: int
    """u8, see table/phrases.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to all whom it concerns."""

    what: What
    attempt: int
    """Attempt that is going on, or the next one; u32."""
    step: int
    """0 between hands; within one 1 + the moves made so far."""
    order: tuple[int, ...] = ()
    """SEATING: for each new seat the old one, or 255 for somebody new."""
    sheet: bytes = b""
    """SEATING: digest of the score sheet that goes on there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply to an ASK, which is named by its author and its place in that chain.

    `asked` is the hash of the ASK that the author of the answer has (`messages.TableMessage.body_hash`,
    32 bytes): who asks different seats different things has everybody's yes for none of them.
    """

    asker: Seat
    seq: int
    reply: Reply
    asked: bytes


Content = Next | Chat | QuickPhrase | Ask | Answer
"""What a message of the table chain says."""

KINDS: dict[type[Content], Kind] = {
    Next: Kind.NEXT,
    Chat: Kind.CHAT,
    QuickPhrase: Kind.PHRASE,
    Ask: Kind.ASK,
    Answer: Kind.ANSWER,
}


def encode_content(content: Content) -> bytes:
    """The payload; raises DecodeError for text that has no UTF-8."""
    match content:
        case Next():
            starter = NOBODY if content.starter is None else content.starter
            claims = u8(content.wish) + u8(content.withheld) + u8(starter)
            return u32(content.attempt) + claims + content.sheet
        case Chat():
            return _encode_text(content.text)
        case QuickPhrase():
            return u8(content.code)
        case Ask():
            head = u8(content.what) + u32(content.attempt) + u32(content.step)
            if content.what is What.REMATCH:
                return head
            return head + u8(len(content.order)) + bytes(content.order) + content.sheet
        case Answer():
            head = u8(content.asker) + u32(content.seq) + u8(content.reply)
            return head + content.asked


def _encode_text(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise DecodeError("expected text without half characters") from None


def decode_content(kind: Kind, payload: bytes) -> Content:
    """Reads a payload; raises DecodeError for anything but the one form."""
    reader = Reader(payload)
    content: Content
    match kind:
        case Kind.NEXT:
            content = _read_next(reader)
        case Kind.CHAT:
            content = Chat(text=_read_text(reader.take(reader.remaining)))
        case Kind.PHRASE:
            content = QuickPhrase(code=reader.u8())
        case Kind.ASK:
            content = _read_ask(reader)
        case Kind.ANSWER:
            content = _read_answer(reader)
    reader.close()
    return content


def _read_next(reader: Reader) -> Next:
    attempt, wish, withheld, starter = reader.u32(), reader.u8(), reader.u8(), reader.u8()
    if wish not in list(Wish) or withheld >= 2**MAX_SEATS:
        raise DecodeError("expected a wish of 1 or 2 and a mask of seats")
    if starter >= MAX_SEATS and starter != NOBODY:
        raise DecodeError(f"expected a starter below {MAX_SEATS} or 255, got {starter}")
    return Next(
        attempt=attempt,
        wish=Wish(wish),
        withheld=withheld,
        starter=None if starter == NOBODY else Seat(starter),
        sheet=reader.take(SHEET_BYTES),
    )


def _read_text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise DecodeError("expected text in UTF-8") from None
    if not 1 <= len(text) <= MAX_CHAT_CHARS:
        raise DecodeError(f"expected 1 to {MAX_CHAT_CHARS} characters, got {len(text)}")
    return text


def _read_ask(reader: Reader) -> Ask:
    what, attempt, step = reader.u8(), reader.u32(), reader.u32()
    if what not in list(What):
        raise DecodeError(f"expected a question of 1 or 2, got {what}")
    if what == What.REMATCH:
        return Ask(what=What.REMATCH, attempt=attempt, step=step)
    seats = reader.u8()
    if step or not MIN_SEATS <= seats <= MAX_SEATS:
        raise DecodeError("expected a change of seats between hands")
    order, sheet = tuple(reader.take(seats)), reader.take(SHEET_BYTES)
    check_order(order, seats)
    return Ask(what=What.SEATING, attempt=attempt, step=0, order=order, sheet=sheet)


def _read_answer(reader: Reader) -> Answer:
    asker, seq, reply, asked = reader.u8(), reader.u32(), reader.u8(), reader.take(ASKED_BYTES)
    if asker >= MAX_SEATS or reply not in list(Reply):
        raise DecodeError("expected a seat and a reply of 0 to 2")
    return Answer(asker=Seat(asker), seq=seq, reply=Reply(reply), asked=asked)
