"""Tables of a demo: scores, proofs, and seconds per phase."""

from collections.abc import Sequence

from p2pokey.cli.course import Course, HandCourse
from p2pokey.peer.events import Stage

_PROOFS = ("possession", "share", "shuffle", "token", "reveal", "remask")
_PHASES = (
    ("keys", Stage.KEYS),
    ("shuffle", Stage.SHUFFLED),
    ("deal", Stage.DEALT),
    ("turns", Stage.FINISHED),
    ("disclosure", Stage.DISCLOSED),
    ("replay", Stage.REPLAYED),
    ("results", Stage.COUNTED),
)


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> str:
    """Columns as wide as their longest cell; the first `texts` to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = enumerate(zip(row, widths, strict=True))
        cells = [c.ljust(width) if i < texts else c.rjust(width) for i, (c, width) in padded]
        return "  " + "  ".join(cells).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def score_table(course: Course, hand: HandCourse) -> str:
    """Change and total of each seat."""
    record = next(iter(hand.counted.values()))
    rows = [
        [f"{seat + 1} {name}", f"{record['points'][seat]:+d}", str(record["totals"][seat])]
        for seat, name in enumerate(course.names)
    ]
    return plain_table(("seat", "hand", "total"), rows)


def proof_table(course: Course, hand: HandCourse) -> str:
    """Proof objects that each seat accepted from the others, and what its audit verified again."""
    rows: list[list[str]] = []
    for name, record in zip(course.names, course.in_seat_order(hand.counted), strict=True):
        objects = {count["kind"]: count["objects"] for count in record["proofs"]}
        cells = [str(objects.get(kind, 0)) for kind in _PROOFS]
        seat = str(len(rows) + 1)
        total = str(sum(objects.values()))
        rows.append([f"{seat} {name}", *cells, total, str(record["audited"])])
    return plain_table(("proofs accepted by", *_PROOFS, "all", "in audit"), rows)


def phase_table(hand: HandCourse) -> str:
    """Seconds from one phase's end at the last seat to the next one's."""
    before = max(hand.began.values())
    rows: list[list[str]] = []
    for name, stage in _PHASES:
        passed = hand.passed(stage)
        rows.append([name, f"{max(passed - before, 0.0):.2f}"])
        before = max(passed, before)
    rows.append(["whole hand", f"{before - max(hand.began.values()):.2f}"])
    return plain_table(("phase", "seconds"), rows)
