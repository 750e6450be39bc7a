"""Traces of several players as one, and the critical path of a hand, from made-up records."""

from pathlib import Path

import pytest

from p2pokey.cli.tracing import (
    NewHand,
    Record,
    hands_in,
    merge,
    new_hand_text,
    read_trace,
    write_trace,
)

START = 1000.0
"""Clocks do not begin at zero."""


def at(time: float, seat: int, what: str, **fields: object) -> Record:
    return {"at": START + time, "seat": seat, "hand": 0, "what": what, **fields}


def work(start: float, end: float, seat: int, kind: str) -> Record:
    return at(start, seat, "work", seconds=end - start, kind=kind, phase="shuffle")


def wait(start: float, end: float, seat: int, *seats: int) -> Record:
    return at(start, seat, "wait", seconds=end - start, phase="shuffle", seats=list(seats))


def sent(time: float, seat: int, kind: str, seq: int = 0) -> Record:
    return at(time, seat, "sent", kind=kind, seq=seq, bytes=100)


def received(time: float, seat: int, sender: int, kind: str, seq: int = 0) -> Record:
    return at(time, seat, "received", sender=sender, kind=kind, seq=seq)


def dealt(time: float, seat: int) -> Record:
    return at(time, seat, "phase", phase="play")


def chain() -> list[list[Record]]:
    """Seat 0 proves and sends, seat 1 builds on that and sends, seat 0 verifies and is dealt."""
    first = [
        at(-0.5, 0, "connected"),
        at(0.1, 0, "began"),
        work(0.1, 1.0, 0, "prove"),
        at(1.0, 0, "journal", seconds=0.1, bytes=10),
        sent(1.1, 0, "shuffle"),
        wait(1.1, 2.6, 0, 1),
        received(2.6, 0, 1, "shuffle"),
        work(2.6, 3.6, 0, "verify"),
        dealt(4.0, 0),
    ]
    second = [
        at(0.0, 1, "connected"),
        at(0.2, 1, "began"),
        wait(0.2, 1.3, 1, 0),
        received(1.3, 1, 0, "shuffle"),
        work(1.3, 2.3, 1, "prove"),
        sent(2.3, 1, "shuffle"),
        work(2.3, 2.9, 1, "verify"),
        dealt(3.9, 1),
    ]
    return [first, second]


def test_time_zero_is_when_the_last_seat_was_connected() -> None:
    records = merge(chain())

    assert records[0] == {"at": -0.5, "seat": 0, "hand": 0, "what": "connected"}
    assert [r["at"] for r in records if r["what"] == "connected"] == [-0.5, 0.0]
    times = [record["at"] for record in records]
    assert times == sorted(times)


def test_a_trace_without_a_connection_is_refused() -> None:
    with pytest.raises(ValueError, match="before its seat was connected"):
        merge([chain()[0], [dealt(1.0, 1)]])


def test_the_file_holds_the_records(tmp_path: Path) -> None:
    records = merge(chain())
    path = tmp_path / "trace.jsonl"

    write_trace(path, records)

    assert read_trace(path) == records
    assert len(path.read_text().splitlines()) == len(records)


def test_only_hands_that_all_were_dealt_are_summed_up() -> None:
    first, second = chain()

    assert hands_in(merge([first, second])) == [0]
    assert hands_in(merge([first, second[:-1]])) == []


def test_the_path_goes_from_seat_to_seat_by_what_each_waited_for() -> None:
    steps = NewHand(merge(chain()), 0).path()

    assert [(s.seat, s.sender, s.start, s.end) for s in steps] == [
        (0, None, 0.0, 1.1),
        (1, 0, 1.1, 1.3),
        (1, None, 1.3, 2.3),
        (0, 1, 2.3, 2.6),
        (0, None, 2.6, 4.0),
    ]
    assert steps[0].parts["prove"] == pytest.approx(0.9)
    assert steps[0].parts["journal"] == pytest.approx(0.1)
    assert steps[-1].parts["verify"] == pytest.approx(1.0)
    assert steps[-1].parts["rest"] == pytest.approx(0.4)
    assert sum(step.seconds for step in steps) == pytest.approx(4.0)


def test_a_seat_that_verifies_is_not_the_cause_of_a_shuffle_that_comes_meanwhile() -> None:
    """Seat 1 is busy with checks of its own when the shuffle arrives that it builds on."""
    first, second = chain()
    busy = [
        *second[:3],
        received(0.4, 1, 0, "keys", 1),
        work(0.4, 1.3, 1, "verify"),
        *second[3:],
    ]
    busy[2] = wait(0.2, 0.4, 1, 0)
    first.insert(2, sent(0.3, 0, "keys", 1))

    steps = NewHand(merge([first, busy]), 0).path()

    assert [(s.seat, s.sender) for s in steps[:3]] == [(0, None), (1, 0), (1, None)]
    assert steps[1].start == pytest.approx(1.1)


def test_a_wait_that_no_message_ended_is_the_seats_own() -> None:
    first = [
        at(0.0, 0, "connected"),
        at(0.0, 0, "began"),
        work(0.0, 1.0, 0, "keys"),
        wait(1.0, 2.0, 0),
        dealt(3.0, 0),
    ]

    steps = NewHand(merge([first]), 0).path()

    assert [(s.seat, s.sender, s.start, s.end) for s in steps] == [(0, None, 0.0, 3.0)]
    assert steps[0].parts["waiting"] == pytest.approx(1.0)


def test_each_seats_time_is_divided_up() -> None:
    new = NewHand(merge(chain()), 0)

    shares = new.shares(1)
    assert shares["prove"] == pytest.approx(1.0)
    assert shares["verify"] == pytest.approx(0.6)
    assert shares["waiting"] == pytest.approx(1.1)
    assert sum(shares.values()) == pytest.approx(4.0)
    assert new.waits(1) == {(0,): pytest.approx(1.1)}


def test_later_hands_begin_when_their_first_seat_does() -> None:
    later = [[{**r, "at": r["at"] + 10, "hand": 1} for r in trace[1:]] for trace in chain()]
    new = NewHand(merge([*chain(), *later]), 1)

    assert (new.start, new.end) == (10.1, 14.0)
    assert new.path()[0].start == 10.1


def test_people_read_names_and_seconds() -> None:
    text = new_hand_text(NewHand(merge(chain()), 0), ["Ayse", "Baran"])

    assert "4.00 s, seconds of each seat" in text
    assert "   1.30 s  Baran: gets the message of Ayse after 0.200 s" in text
    assert "   2.30 s  Baran: prove 1.000" in text
    totals = text.split("on the critical path")[1].splitlines()
    assert [line.split() for line in totals if line.strip().startswith("messages")] == [
        ["messages", "on", "their", "way", "0.500"]
    ]
