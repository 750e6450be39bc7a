"""What a table says to people beside its hands: quick phrases in two languages, questions, chat."""

import os
from collections.abc import Callable, Mapping

from p2pokey.peer.table_events import (
    ChatLine,
    ChatPhrase,
    LinesDropped,
    Question,
    QuestionAnswered,
    QuestionClosed,
    Refused,
    RematchBegun,
    ScoreDiffers,
    SeatLied,
    SeatsAgreed,
    TableEvent,
)
from p2pokey.table.phrases import Phrase
from p2pokey.tiles import Seat

PHRASES: dict[str, dict[Phrase, str]] = {
    "en": {
        Phrase.HELLO: "Hello!",
        Phrase.GOOD_LUCK: "Good luck!",
        Phrase.READY: "I am ready.",
        Phrase.ONE_MOMENT: "One moment, please.",
        Phrase.YOUR_TURN: "It is your turn.",
        Phrase.HURRY: "A little faster, please.",
        Phrase.WELL_PLAYED: "Well played!",
        Phrase.THANKS: "Thank you.",
        Phrase.SORRY: "Sorry.",
        Phrase.OOPS: "Oops!",
        Phrase.LUCKY: "That was luck!",
        Phrase.ONE_TILE_LEFT: "One tile to go!",
        Phrase.GOOD_GAME: "That was a good game.",
        Phrase.ONE_MORE: "One more?",
        Phrase.BACK_SOON: "I am right back.",
        Phrase.I_AM_BACK: "I am back.",
        Phrase.GOODBYE: "Goodbye!",
    },
    "tr": {
        Phrase.HELLO: "Merhaba!",
        Phrase.GOOD_LUCK: "Bol şans!",
        Phrase.READY: "Hazırım.",
        Phrase.ONE_MOMENT: "Bir dakika lütfen.",
        Phrase.YOUR_TURN: "Sıra sende.",
        Phrase.HURRY: "Biraz hızlı lütfen.",
        Phrase.WELL_PLAYED: "Güzel oynadın!",
        Phrase.THANKS: "Teşekkürler.",
        Phrase.SORRY: "Kusura bakma.",
        Phrase.OOPS: "Eyvah!",
        Phrase.LUCKY: "Şanslıydın!",
        Phrase.ONE_TILE_LEFT: "Tek taş kaldı!",
        Phrase.GOOD_GAME: "Güzel oyundu.",
        Phrase.ONE_MORE: "Bir el daha?",
        Phrase.BACK_SOON: "Hemen geliyorum.",
        Phrase.I_AM_BACK: "Geldim.",
        Phrase.GOODBYE: "Hoşça kalın!",
    },
}
"""Per language. A reader sees every phrase in the own one."""


def language(environment: Mapping[str, str] = os.environ) -> str:
    """`tr` where the locale is Turkish, else `en`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "tr" if value.lower().startswith("tr") else "en"
    return "en"


def phrase_text(code: int, lang: str) -> str:
    """The phrase in that language; one of a newer program shows its number."""
    if code not in list(Phrase):
        return f"(phrase {code})"
    return PHRASES[lang][Phrase(code)]


def table_text(event: TableEvent, name: Callable[[Seat], str], lang: str) -> str:
    """One line for people.

    Args:
        name: how a seat is called.
        lang: language of quick phrases.
    """
    match event:
        case ChatLine(seat=seat, text=text):
            return f"{name(seat)}: {text}"
        case ChatPhrase(seat=seat, code=code):
            return f"{name(seat)}: {phrase_text(code, lang)}"
        case LinesDropped(seat=seat, count=count):
            return f"  {name(seat)} writes too fast: {count} lines are not shown."
        case Refused(text=text):
            return f"  Not possible: {text}."
        case Question() | QuestionAnswered() | QuestionClosed():
            return _question_text(event, name)
        case RematchBegun():
            return "  All have agreed: the match begins anew."
        case SeatsAgreed():
            return f"  All who stay have agreed on other seats: {_new_place(event.seat)}."
        case ScoreDiffers(seat=seat):
            return f"  {name(seat)} keeps another score of this match: the table ends."
        case SeatLied(seat=seat, cause=cause):
            return f"  {name(seat)} has signed two different things ({cause}): the table ends."


def _question_text(
    event: Question | QuestionAnswered | QuestionClosed, name: Callable[[Seat], str]
) -> str:
    match event:
        case Question(asker=asker, what=what):
            wish = "a rematch" if what == "rematch" else order_text(event.order, name)
            answer = " Answer with /yes or /no." if event.must_answer else ""
            return f"  {name(asker)} asks for {wish}.{answer}"
        case QuestionAnswered(by=by, reply=reply):
            said = "cannot answer any more" if reply == "lapsed" else f"says {reply}"
            return f"  {name(by)} {said}."
        case QuestionClosed(what=what, outcome=outcome, against=against):
            who = " and ".join(map(name, against))
            whose = f" ({who})" if against else ""
            return f"  The question about {_TOPICS[what]} has been {_OUTCOMES[outcome]}{whose}."


def _new_place(seat: Seat | None) -> str:
    return "you are not among them" if seat is None else f"you get seat {seat + 1}"


_TOPICS = {"rematch": "a rematch", "seating": "other seats"}
_OUTCOMES = {"agreed": "agreed to", "refused": "refused", "cancelled": "cancelled"}


def order_text(order: tuple[int, ...], name: Callable[[Seat], str]) -> str:
    """The seats of a new order."""
    places = [
        f"{place + 1} {name(Seat(old)) if old < len(order) else 'somebody new'}"
        for place, old in enumerate(order)
    ]
    return f"these seats: {', '.join(places)}"
