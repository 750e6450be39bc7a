"""What a host or a guest wants of the room: password, public table, window, computer players."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from p2pokey.cli.asking import Asker, ask_password, can_ask
from p2pokey.cli.bots import BOT_NAMES, Bots, BotTicket, new_ticket, read_ticket
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output
from p2pokey.net.control import HostControl
from p2pokey.net.invites import Invite, parse_invite, parse_room
from p2pokey.net.progress import OnProgress, Phase, Progress
from p2pokey.net.signalling import Listing
from p2pokey.net.wire import MAX_TITLE_CHARS, shown_text
from p2pokey.ports import Signer

PUBLIC_WARNING = (
    "A public table does not protect you against the signalling server: it could sit between you and "
    "the others. Compare the safety words with them by voice before you trust the table."
)
_LONGER = MAX_TITLE_CHARS + 1
"""Characters of a title that are looked at; what is beyond would be cut in every list."""
_END = ("end", "q", "quit", "son")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomWishes:
    """What the command line says about the room."""

    password: bool = False
    """A password is asked for besides the code."""
    public: str | None = None
    """Title of a public table; None: the table is not public."""
    accept_all: bool = False
    """Everybody who knocks at a public table comes in."""
    bots: int = 0
    window_s: int = 300


class HostRoom:
    """One host's room while it fills; `settings` and `watch` go to `host_table`.

    Raises:
        CommandError: the wishes do not fit together, or the password cannot be asked for.
    """

    def __init__(self, output: Output, wishes: RoomWishes, *, seats: int, rules: str) -> None:
        _check(wishes, seats)
        self._output = output
        self._wishes = wishes
        self._asker = Asker(output=output)
        self._control = HostControl() if can_ask() else None
        self._question: asyncio.Task[None] | None = None
        self._has_bots = False
        self.password = ask_password(is_new=True) if wishes.password else ""
        self._listing: Listing | None = None
        if wishes.public is not None:
            title = shown_text(wishes.public, MAX_TITLE_CHARS)
            self._listing = Listing(title=title, rules=rules)
            output.warn(PUBLIC_WARNING)

    @property
    def settings(self) -> dict[str, Any]:
        """Further arguments of `host_table`."""
        return {
            "room_password": self.password,
            "listing": self._listing,
            "accept": self._accept if self._listing is not None else None,
            "control": self._control,
        }

    def watch(self, tell: OnProgress) -> OnProgress:
        """Tells each step and asks what there is to ask."""

        def step(progress: Progress) -> None:
            tell(progress)
            if progress.phase is Phase.WINDOW_CLOSED and self._control is not None:
                self._question = asyncio.ensure_future(self._ask_window(self._control))
            elif progress.phase is Phase.ROSTER_SIGNED and self._question is not None:
                self._question.cancel()

        return step

    def bring_bots(self, bots: Bots, runner: Signer, link: str, more: Sequence[str] = ()) -> None:
        """Lets the computer players join, the first time that there is an invite.

        Args:
            more: options of theirs.
        """
        if self._has_bots:
            return
        self._has_bots = True
        for name in BOT_NAMES[: self._wishes.bots]:
            bots.join(name, new_ticket(runner, link, self.password), more)

    async def _accept(self, name: str, key: bytes) -> bool:
        if self._wishes.accept_all:
            return True
        try:
            return await self._asker.agrees(
                f"{name} (key {short_key(key)}) has no code and asks for a seat at your public "
                "table. Let them in?"
            )
        except asyncio.CancelledError:
            self._output.warn(f"{name} has gone again.")
            raise

    async def _ask_window(self, control: HostControl) -> None:
        seconds = self._wishes.window_s
        answer = await self._asker.ask(
            f"Press Enter to let people in for another {seconds} s, or type end to give up."
        )
        if answer is None or answer.casefold() in _END:
            control.give_up()
        else:
            control.reopen(seconds)


def _check(wishes: RoomWishes, seats: int) -> None:
    if wishes.bots >= seats:
        raise _usage(
            f"Ask for fewer bots: besides you a table of {seats} has room for {seats - 1}."
        )
    if wishes.public is None and wishes.accept_all:
        raise _usage("--accept-all is for public tables.")
    if wishes.public is not None and not shown_text(wishes.public, MAX_TITLE_CHARS):
        raise _usage("A public table needs a title that can be read.")
    if len(shown_text(wishes.public or "", _LONGER)) > MAX_TITLE_CHARS:
        raise _usage(f"The title of a public table has at most {MAX_TITLE_CHARS} characters.")
    if wishes.public is not None and not wishes.accept_all and not can_ask():
        raise _usage("There is no terminal to ask whether somebody may come in.")


def _usage(sentence: str) -> CommandError:
    return CommandError(sentence, advice="See: p2pokey host --help", code=ExitCode.USAGE)


def short_key(key: bytes) -> str:
    """The beginning of an identity key, to tell two people of one name apart."""
    text = key.hex()
    return f"{text[:4]} {text[4:8]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRoom:
    """How a guest comes to a room; `settings` go to `join_table`."""

    invite: Invite
    password: str = field(default="", repr=False)
    ticket: BotTicket | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Further arguments of `join_table`."""
        settings: dict[str, Any] = {"room_password": self.password}
        if self.ticket is not None:
            settings |= {
                "runner": self.ticket.runner,
                "runner_signature": self.ticket.signature,
                "room_password": self.ticket.password,
            }
        return settings


def guest_room(output: Output, text: str, *, is_public: bool, has_password: bool) -> GuestRoom:
    """Reads what a guest typed.

    Raises:
        InvalidInvite: it is no invite, or no room.
        CommandError: the password cannot be asked for.
    """
    invite = parse_room(text) if is_public else parse_invite(text)
    if is_public:
        output.warn(PUBLIC_WARNING)
    password = ask_password(is_new=False) if has_password else ""
    return GuestRoom(invite=invite, password=password)


def bot_room() -> GuestRoom:
    """The room of a computer player, from its ticket on standard input."""
    ticket = read_ticket()
    return GuestRoom(invite=ticket.invite, ticket=ticket)


def room_text(progress: Progress) -> str | None:
    """What to tell a person about a step that has to do with the room."""
    name = progress.name or "Somebody"
    match progress.phase:
        case Phase.WINDOW_CLOSED:
            here = f"{progress.done} of {progress.total} seats are taken"
            return f"Nobody is let in any more; {here}."
        case Phase.WINDOW_OPEN:
            return "People are let in again, with the same code."
        case Phase.LET_IN:
            return f"{name} has let you in."
        case Phase.HOST_DECIDES:
            return "The host is asked whether you may come in."
        case Phase.BANNED_KNOCKED:
            return f"{name}, who was sent away from this table, tried to come back and was refused."
        case Phase.SAME_KEY:
            return f"Somebody knocked with the key of {name}, who is here already, and was refused."
        case Phase.WRONG_CODE:
            return "Somebody tried to come in with a wrong code or password."
        case Phase.STRANGER_LEFT:
            return "Somebody who has no seat came into the room of this table and was sent away."
        case Phase.CODE_BURNT:
            return "Somebody guessed at the code until the host changed it."
        case Phase.FALSE_RUNNER:
            return f"{name} claimed a runner who has not signed for it, and was refused."
        case _:
            return None
