"""The link of a table as a QR code: rows of modules that the page draws."""

import segno


def matrix(text: str) -> list[str]:
    """The QR code of a text (ISO/IEC 18004), without its quiet margin.

    Args:
        text: at most some 2000 letters.

    Returns:
        One text per row, `1` for a dark module and `0` for a light one; as many rows as columns.

    Raises:
        ValueError: the text is too long for any QR code.
    """
    code = segno.make_qr(text, error="m")
    return ["".join(str(module) for module in row) for row in code.matrix]
