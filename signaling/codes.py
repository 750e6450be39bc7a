"""Room codes: five characters of Crockford's base32 (https://www.crockford.com/base32.html).

A code only routes a knock to a room: 25 bits are no secret. What keeps strangers out are the words
behind it, which the server never sees (docs/signaling.md).
"""

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 5
ENTROPY_BYTES = 4

# Crockford: letters that people mistake for digits are read as those digits.
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1"})


def code_from(entropy: bytes) -> str:
    """Makes a code from random bytes.

    Args:
        entropy: 4 uniformly random bytes, of which the low 25 bits (little-endian) are used.

    Returns:
        5 upper-case characters.
    """
    value = int.from_bytes(entropy, "little")
    return "".join(ALPHABET[(value >> shift) & 31] for shift in range(0, 5 * CODE_LENGTH, 5))


def read_code(text: str) -> str | None:
    """Reads a code as a person may have typed it: any case, O for 0, I or L for 1.

    Returns:
        The canonical 5 upper-case characters, or None if it cannot be a code.
    """
    if len(text) != CODE_LENGTH or not text.isascii():
        return None
    code = text.upper().translate(_READ_AS)
    return code if all(character in ALPHABET for character in code) else None
