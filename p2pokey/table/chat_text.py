"""What may be said in the chat, and how what others say is made safe to show.

A line is signed and kept as its author wrote it. Before it is shown, whatever could change other
text on the screen is replaced: control characters, line breaks, marks of direction, invisible
characters, piles of combining marks, and runs of spaces. Text from right to left stays as it is; a page still has to
show every line in a box with a direction of its own.
"""

import unicodedata

MAX_MARKS = 4
"""Combining marks on one character that are shown; more would cover other lines."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_BASE = "\N{DOTTED CIRCLE}"
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Persian and Indic scripts and composed emoji need them."""
_VARIATION = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
"""Text or picture: emoji need them."""
_INVISIBLE = (
    "\N{COMBINING GRAPHEME JOINER}\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}"
    "\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}\N{BRAILLE PATTERN BLANK}"
    "\N{KHMER VOWEL INHERENT AQ}\N{KHMER VOWEL INHERENT AA}"
    "\N{MUSICAL SYMBOL NULL NOTEHEAD}\N{KHITAN SMALL SCRIPT FILLER}"
)
"""Characters without a picture that are not in a category of such."""


def neutralise(text: str) -> str:
    """The text as it may be shown beside other people's words: one line, nothing invisible."""
    shown: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text):
        safe = _safe(char)
        if is_mark(safe):
            if safe not in _VARIATION:
                marks += 1
            if marks > MAX_MARKS:
                continue
            if not shown or shown[-1] == " ":
                shown.append(_BASE)
        elif safe in _JOINERS:
            if not shown or shown[-1] in _JOINERS or shown[-1] == " ":
                safe = REPLACEMENT
        else:
            marks = 0
            if safe == " " and shown and shown[-1] == " ":
                continue  # a run of them could begin a line of its own on a narrow screen
        shown.append(safe)
    return "".join(shown)


def is_invisible(char: str) -> bool:
    """Whether the character cannot be seen, or changes how others are; spaces are no such ones."""
    code = ord(char)
    return (
        unicodedata.category(char)[0] == "C"
        or char in _INVISIBLE
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
        or 0x180B <= code <= 0x180F
    )


def is_mark(char: str) -> bool:
    """Whether the character is drawn over the one before it."""
    return bool(unicodedata.combining(char)) or unicodedata.category(char) in ("Mn", "Me")


def has_piles(text: str) -> bool:
    """Whether a mark has nothing to stand on, or more than `MAX_MARKS` stand on one character."""
    marks = MAX_MARKS
    for char in text:
        if not is_mark(char):
            marks = MAX_MARKS if char == " " else 0
            continue
        marks += 1
        if marks > MAX_MARKS:
            return True
    return False


def has_halves(text: str) -> bool:
    """Whether the text has unpaired surrogates and so no form in UTF-8."""
    return any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def _safe(char: str) -> str:
    """The character, a space, or the replacement character."""
    category = unicodedata.category(char)
    if category[0] == "Z" or char in "\t\n\v\f\r\x85":
        return " "
    if char in _JOINERS:
        return char
    return REPLACEMENT if is_invisible(char) and char not in _VARIATION else char
