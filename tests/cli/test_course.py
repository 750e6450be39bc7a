"""What four players' reports add up to, and how it is shown."""

from p2pokey.cli.course import Course
from p2pokey.cli.tables import phase_table, plain_table, proof_table, score_table
from p2pokey.peer.events import Stage

NAMES = ["Ayse", "Baran"]


def connected(seat: int, at: float) -> dict[str, object]:
    return {
        "event": "Connected",
        "at": at,
        "seat": seat,
        "names": NAMES,
        "safety_words": ["lale", "deniz"],
    }


def stage(name: Stage, at: float) -> dict[str, object]:
    return {"event": "StagePassed", "at": at, "hand": 0, "stage": name.value, "seconds": at}


def counted(total: int) -> dict[str, object]:
    proofs = [{"kind": "token", "objects": total, "statements": 3 * total}]
    return {
        "event": "HandCounted",
        "at": 9.0,
        "hand": 0,
        "points": [0, -2],
        "totals": [20, 18],
        "proofs": proofs,
        "audited": 30,
        "transcript": f"seat-{total}.jsonl",
    }


def whole() -> Course:
    course = Course(2)
    # The host is not always the first to report.
    assert course.take("b", connected(1, 2.0)) is None
    assert course.take("a", connected(0, 2.5)) == "connected"
    for player in ("a", "b"):
        course.take(player, {"event": "HandBegan", "at": 3.0, "hand": 0, "match_hand": 0})
    for number, name in enumerate(Stage):
        assert course.take("a", stage(name, 4.0 + number)) is None
        assert course.take("b", stage(name, 4.5 + number)) is name
    move = {"event": "MoveMade", "at": 8.0, "hand": 0, "seat": 1, "move": "draw"}
    assert course.take("a", move) == "move"
    assert course.take("b", move) is None
    assert course.take("b", counted(8)) is None
    assert course.take("a", counted(7)) == "counted"
    return course


def test_a_stage_is_passed_when_the_last_player_passes_it():
    course = whole()

    assert course.mesh_up == 2.5
    assert course.hands[0].passed(Stage.DEALT) == 6.5
    assert course.hands[0].moves == 1
    assert course.names == ("Ayse", "Baran")
    assert course.safety_words == {"lale deniz"}


def test_reports_are_shown_in_seat_order():
    course = whole()

    assert [record["transcript"] for record in course.in_seat_order(course.hands[0].counted)] == [
        "seat-7.jsonl",
        "seat-8.jsonl",
    ]


def test_unknown_reports_are_ignored():
    course = Course(2)

    assert course.take("a", {"event": "Meeting", "phase": "ready"}) is None
    assert course.take("a", {}) is None


def test_failures_are_kept():
    course = Course(2)
    course.take("a", {"event": "HandFailed", "hand": 0, "reason": "seat 2 is gone"})

    assert course.failures[0]["reason"] == "seat 2 is gone"


def test_the_tables():
    course = whole()
    hand = course.hands[0]

    assert score_table(course, hand).splitlines()[2:] == [
        "  1 Ayse     +0     20",
        "  2 Baran    -2     18",
    ]
    assert "2 Baran" in proof_table(course, hand)
    assert [line.split()[-1] for line in proof_table(course, hand).splitlines()[2:]] == ["30", "30"]
    assert phase_table(hand).splitlines()[2:4] == ["  keys           1.50", "  shuffle        1.00"]
    assert phase_table(hand).splitlines()[-1] == "  whole hand     7.50"


def test_columns_fit_their_longest_cell():
    assert plain_table(("a", "bb"), [("xxx", "1")]) == "  a    bb\n  ---  --\n  xxx   1"
    left = plain_table(("a", "bb"), [("x", "1")], texts=2)
    assert left == "  a  bb\n  -  --\n  x  1"
