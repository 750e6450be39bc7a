"""Quick phrases: what is sent is a code, what is shown is a text in the reader's own language.

Only codes and names are here; texts belong to the shells. A code never changes its meaning. A
program shows a code that it does not know as an unknown phrase, so the list can grow.
"""

from enum import IntEnum


class Phrase(IntEnum):
    """The phrases that there are; u8 on the wire."""

    HELLO = 1
    GOOD_LUCK = 2
    READY = 3
    ONE_MOMENT = 4
    YOUR_TURN = 5
    HURRY = 6
    WELL_PLAYED = 7
    THANKS = 8
    SORRY = 9
    OOPS = 10
    LUCKY = 11
    ONE_TILE_LEFT = 12
    GOOD_GAME = 13
    ONE_MORE = 14
    BACK_SOON = 15
    I_AM_BACK = 16
    GOODBYE = 17
