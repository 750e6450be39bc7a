"""The chat's commands, and what is shown of accepted lines."""

from p2pokey.codec import u8
from p2pokey.errors import DecodeError
from p2pokey.table.chat_text import has_halves
from p2pokey.table.commands import Mute, Refusal, SaveDraft, Say, SayPhrase
from p2pokey.table.contents import MAX_CHAT_CHARS, Chat, QuickPhrase
from p2pokey.table.desk import Desk
from p2pokey.table.effects import ChatShown, LinesDropped, PhraseShown
from p2pokey.table.records import MAX_DRAFT_BYTES, RecordKind
from p2pokey.table.talk import Talk
from p2pokey.tiles import Seat

_TELL_EVERY = 100
"""Dropped lines are told when the first and then each hundredth is dropped."""


class Talking:
    """What this seat says and sees in the chat."""

    def __init__(self, desk: Desk, talk: Talk) -> None:
        self.talk = talk
        self.draft = b""
        """Newest unfinished edits of a page."""
        self._desk = desk

    def act(self, command: Say | SayPhrase | Mute | SaveDraft, now: float) -> None:
        """Carries out a command of the chat."""
        match command:
            case Say(text=text):
                self._say(text, now)
            case SayPhrase(code=code):
                self._send(QuickPhrase(code=code), now)
            case Mute(seat=seat, on=on):
                self._mute(seat, on=on)
            case SaveDraft(data=data):
                self._save(data)

    def show(self, seat: Seat, seq: int, content: Chat | QuickPhrase, now: float) -> None:
        """A line has been accepted."""
        is_limited = seat != self._desk.seat and not self._desk.is_restoring
        line = self.talk.put(seat, seq, content, now, is_limited=is_limited)
        if line is None:
            count = self.talk.dropped[seat]
            if count == 1 or count % _TELL_EVERY == 0:
                self._desk.emit(LinesDropped(seat=seat, count=count))
        elif self.talk.shows(line):
            self._desk.emit(PhraseShown(line=line) if line.text is None else ChatShown(line=line))

    def restore(self, kind: RecordKind, payload: bytes) -> None:
        """Reads back MUTES or DRAFT; DecodeError if it is damaged."""
        if kind is RecordKind.DRAFT:
            self.draft = payload
            return
        if len(payload) != 1:
            raise DecodeError("expected a mask of muted seats")
        self.talk.muted = {Seat(seat) for seat in range(8) if payload[0] >> seat & 1}

    def _say(self, text: str, now: float) -> None:
        if not text.strip():
            self._desk.refuse(Refusal.EMPTY)
        elif len(text) > MAX_CHAT_CHARS:
            self._desk.refuse(Refusal.TOO_LONG)
        elif has_halves(text):
            self._desk.refuse(Refusal.NO_TEXT)
        else:
            self._send(Chat(text=text), now)

    def _send(self, content: Chat | QuickPhrase, now: float) -> None:
        wait = self.talk.wait(now)
        if not self._desk.can_speak:
            self._desk.refuse(Refusal.NOT_SYNCED)
        elif wait > 0:
            self._desk.refuse(Refusal.TOO_FAST, wait)
        elif self._desk.say(content, now):
            self.talk.book(now)
        else:
            self._desk.refuse(Refusal.CHAT_FULL)

    def _mute(self, seat: Seat, *, on: bool) -> None:
        muted = self.talk.muted | {seat} if on else self.talk.muted - {seat}
        if muted != self.talk.muted:
            self.talk.muted = muted
            self._desk.persist(RecordKind.MUTES, u8(sum(1 << seat for seat in muted)))

    def _save(self, data: bytes) -> None:
        if len(data) > MAX_DRAFT_BYTES:
            self._desk.refuse(Refusal.DRAFT_TOO_BIG)
        elif data != self.draft:
            self.draft = data
            self._desk.persist(RecordKind.DRAFT, data)
