"""Four tables in memory, one of which is started again; and messages that take another way."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from p2pokey.audit.report import Status
from p2pokey.errors import DecodeError, JournalInUse
from p2pokey.native.journal import Journal, Record, RecordKind
from p2pokey.net.link import LinkState
from p2pokey.net.membership import Membership
from p2pokey.net.mesh import LinkChanged
from p2pokey.net.seats import SeatCard
from p2pokey.peer import passing, patience
from p2pokey.peer.events import HandCounted, HandResumed, MatchEnded, StillWaiting
from p2pokey.peer.saving import KeptHand, begin_journal, reopen_journal, save_transcript
from p2pokey.peer.table import Table
from p2pokey.peer.table_journal import (
    Person,
    TableJournal,
    _read_person,
    folder_name,
    table_folders,
)
from p2pokey.peer.waits import WaitLimits
from p2pokey.table.records import Record as TableRecord
from p2pokey.table.records import RecordKind as TableKind
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, seal_envelope
from p2pokey.transcript.file import encode_transcript
from p2pokey.transcript.messages import Drop, Kind
from p2pokey.transcript.setup import HandSetup
from tests.net.support import NONCES, make_roster
from tests.peer.memory import Hub, MemoryLinks
from tests.peer.test_table import Recorder, audit, kind_of, make_tables
from tests.table.table_net import match_for

PATIENT = WaitLimits(absent_s=30, linger_s=5, farewell_s=2, notice_s=0.2)


class Crash:
    """Lets one seat die once it has sent or been sent a certain message."""

    def __init__(self, hub: Hub, seat: int, kind: Kind, *, sends: bool) -> None:
        self.due = asyncio.Event()
        self._hub, self._seat = hub, seat

        def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
            end = source if sends else target
            if end == seat and kind_of(data) is kind and not self.due.is_set():
                hub.links[seat].is_cut = True
                self.due.set()
                return []
            return [data]

        hub.wire = wire


def start_again(hub: Hub, seat: int, folder: Path, recorder: Recorder) -> Table:
    """Another run of the program, with new links and what is on disk."""
    hub.wire = lambda source, target, data: [data]
    links = MemoryLinks(hub, Seat(seat))
    hub.links[seat] = links
    for other in hub.links:
        if other is not links:
            for state in (LinkState.AWAY, LinkState.HERE):
                other.events.put_nowait(LinkChanged(seat=Seat(seat), state=state))
            links.events.put_nowait(LinkChanged(seat=other.seat, state=LinkState.HERE))
    return hub.table(
        seat,
        folder,
        hands=1 if seat == 0 else None,
        limits=PATIENT,
        on_event=recorder,
        is_resumed=True,
    )


async def play_with_a_crash(
    hub: Hub, folder: Path, crash: Crash, seat: int, damage: int = 0
) -> tuple[list[MatchEnded | BaseException], Recorder]:
    tables, recorder = make_tables(hub, folder, limits=PATIENT)
    games = [asyncio.create_task(table.play()) for table in tables]
    await crash.due.wait()
    games[seat].cancel()
    await asyncio.wait([games[seat]])
    journals = folder / f"journals-{seat}"
    await asyncio.sleep(0.3)  # its worker thread closes the journal
    if damage:
        for path in journals.glob("*.journal"):
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - damage)
    games[seat] = asyncio.create_task(start_again(hub, seat, folder, recorder).play())
    return await asyncio.gather(*games, return_exceptions=True), recorder


def check(folder: Path, ended: list, recorder: Recorder) -> None:
    assert all(isinstance(result, MatchEnded) for result in ended), list(map(repr, ended))[2]
    paths = [folder / "out" / f"hand-001-seat-{seat}.jsonl" for seat in (1, 2, 3, 4)]
    assert len({path.read_bytes() for path in paths}) == 1
    assert audit(paths[0]).status is Status.SOUND
    assert len({recorder.of(HandCounted, seat)[-1].totals for seat in range(4)}) == 1


@pytest.mark.parametrize(
    ("kind", "sends"),
    [
        (Kind.COMMIT, True),
        (Kind.SHUFFLE, True),
        (Kind.MOVE, True),
        (Kind.DISCLOSE, False),
        (Kind.RESULT, True),
        (Kind.RESULT, False),
    ],
)
def test_a_seat_that_is_started_again_plays_on(tmp_path: Path, kind: Kind, sends: bool):
    async def play():
        hub = Hub()
        return await play_with_a_crash(hub, tmp_path, Crash(hub, 2, kind, sends=sends), 2)

    ended, recorder = asyncio.run(play())

    check(tmp_path, ended, recorder)
    assert len(recorder.of(HandResumed, 2)) == 1


@pytest.mark.parametrize("damage", [3, 4000])
def test_a_journal_that_has_lost_its_end_is_completed_by_the_others(tmp_path: Path, damage: int):
    async def play():
        hub = Hub()
        crash = Crash(hub, 1, Kind.MOVE, sends=True)
        return await play_with_a_crash(hub, tmp_path, crash, 1, damage)

    ended, recorder = asyncio.run(play())

    check(tmp_path, ended, recorder)


def test_a_broken_link_between_two_seats_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What is signed comes by way of the others."""
    monkeypatch.setattr(patience, "ASK_BROKEN_S", 0.1)
    monkeypatch.setattr(passing, "_ANSWER_S", 0.05)

    async def play():
        hub = Hub()

        def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
            return [] if {source, target} == {1, 3} else [data]

        hub.wire = wire
        limits = WaitLimits(absent_s=20, round_s=20, linger_s=2, farewell_s=0.5, notice_s=0.2)
        tables, recorder = make_tables(hub, tmp_path, limits=limits)
        for seat, other in ((1, 3), (3, 1)):
            lost = LinkChanged(seat=Seat(other), state=LinkState.AWAY)
            hub.links[seat].events.put_nowait(lost)
        games = [asyncio.create_task(table.play()) for table in tables]
        return await asyncio.gather(*games, return_exceptions=True), recorder

    ended, recorder = asyncio.run(play())

    check(tmp_path, ended, recorder)


def test_a_lost_player_is_named_and_waited_for(tmp_path: Path):
    async def play():
        hub = Hub()
        crash = Crash(hub, 3, Kind.MOVE, sends=True)
        tables, recorder = make_tables(hub, tmp_path, limits=PATIENT)
        games = [asyncio.create_task(table.play()) for table in tables]
        await crash.due.wait()
        games[3].cancel()
        hub.links[3].vanish()
        await asyncio.sleep(2)
        waiting = [not game.done() for game in games[:3]]
        for game in games:
            game.cancel()
        await asyncio.wait(games)
        return waiting, recorder

    waiting, recorder = asyncio.run(play())

    assert waiting == [True] * 3
    texts = [event.text for event in recorder.of(StillWaiting, 0)]
    assert any("seat 4 (Deniz) has lost the connection" in text for text in texts)


@pytest.mark.parametrize(("journalled", "saved"), [(3, 1), (1, 3), (3, 0), (0, 3)])
def test_all_of_the_last_hand_is_known_after_a_restart(tmp_path: Path, journalled: int, saved: int):
    """A transcript lacks what does not count, and the others would send it again and again."""
    hub = Hub()
    table = hub.table(1, tmp_path, is_resumed=True)
    setup = table.machine.match.next_setup()
    envelopes = votes(hub, setup, 3)
    if journalled:
        journal = begin_journal(
            table.journals, setup=setup, seat=Seat(1), seed=bytes(32), used_keys=frozenset()
        )
        journal.append(
            Record(kind=RecordKind.ENVELOPE, payload=envelope.encoded)
            for envelope in envelopes[:journalled]
        )
        journal.close()
    if saved:
        data = encode_transcript(setup, envelopes[:saved])
        save_transcript(table.out, setup.hand, Seat(1), data)
    table._passing.hand = setup.hand + 1
    table._remember_last_hand()

    assert table._passing.begin(setup.hand).counts == (3, 0, 0, 0)


def votes(hub: Hub, setup: HandSetup, count: int) -> list[Envelope]:
    """The chain of the first seat."""
    chain: list[Envelope] = []
    for seq in range(count):
        sealed = seal_envelope(
            hub.signers[0],
            session=setup.session,
            hand=setup.hand,
            seat=Seat(0),
            seq=seq,
            prev=chain[-1].body_hash if chain else NO_PREVIOUS,
            step=0,
            state=bytes(64),
            message=Drop(absent=1, step=0, head_seq=0, head=bytes(64), state=bytes(64)),
        )
        chain.append(sealed)
    return chain


# The journal of a table ---------------------------------------------------------------------------


def membership(seat: int = 1) -> Membership:
    roster = make_roster()
    cards = tuple(
        SeatCard(ephemeral=bytes([n]) * 32, nonce=NONCES[n], signature=bytes(64)) for n in range(4)
    )
    return Membership(
        server="ws://127.0.0.1:1",
        roster=roster,
        seat=Seat(seat),
        cards=cards,
        ephemeral=b"e" * 32,
        place="c2",
        token="t",
        routes=("c1", "c2", "c3", "c4"),
    )


PERSON = Person(
    guest_secret=bytes([2]) * 32,
    out=Path("out"),
    hands=3,
    player_seed=b"p" * 32,
    ice=("stun:x:1",),
    patience_s=60,
    sent_away={b"d" * 32: "Deniz"},
)
RECORDS = (
    TableRecord(kind=TableKind.TALK, payload=b"a message"),
    TableRecord(kind=TableKind.MUTES, payload=b"\x02"),
    TableRecord(kind=TableKind.OUTCOME, payload=b"{}"),
)


def test_a_table_journal_gives_back_what_it_was_told(tmp_path: Path):
    first = TableJournal.create(tmp_path, membership(), PERSON)
    moved = membership().moved(place="c9", token="u", routes=("c1", "c9", "c3", "c4"))
    first.move(moved)
    for record in RECORDS:
        first.keep(record)
    first.close()
    again = TableJournal.reopen(first.folder)

    assert first.folder == tmp_path / folder_name(membership())
    assert again.membership == moved
    assert again.person == PERSON
    assert again.kept == RECORDS
    assert not again.has_lost
    again.close()


def test_one_program_has_a_seat(tmp_path: Path):
    first = TableJournal.create(tmp_path, membership(), PERSON)
    with pytest.raises(JournalInUse):
        TableJournal.reopen(first.folder)
    first.close()
    TableJournal.reopen(first.folder).close()


def test_a_table_that_is_over_is_gone(tmp_path: Path):
    journal = TableJournal.create(tmp_path, membership(), PERSON)
    assert table_folders(tmp_path) == [journal.folder]
    assert table_folders(journal.folder) == [journal.folder]
    journal.discard()

    assert table_folders(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_journal_without_its_beginning_is_refused(tmp_path: Path):
    journal = TableJournal.create(tmp_path, membership(), PERSON)
    journal.close()
    path = journal.folder / "table.journal"
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DecodeError):
        TableJournal.reopen(journal.folder)


def test_a_table_journal_that_cannot_be_read_stays_as_it_is(tmp_path: Path):
    journal = TableJournal.create(tmp_path, membership(), PERSON)
    journal.keep(RECORDS[0])
    journal.close()
    path = journal.folder / "table.journal"
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(DecodeError):
            TableJournal.reopen(journal.folder)
        assert path.read_bytes() == data


# The journal of a hand ---------------------------------------------------------------------------

SETUP = match_for(4).next_setup()


def hand_journal(folder: Path, envelopes: int = 0) -> Path:
    """What a killed program leaves of a hand."""
    journal = begin_journal(
        folder, setup=SETUP, seat=Seat(0), seed=b"s" * 32, used_keys=frozenset({b"k" * 32})
    )
    journal.append([Record(kind=RecordKind.ENVELOPE, payload=b"e" * 200)] * envelopes)
    journal.close()
    return journal.path


def reopen(folder: Path) -> KeptHand | None:
    return reopen_journal(folder, setup=SETUP, seat=Seat(0), used_keys=frozenset({b"k" * 32}))


@pytest.mark.parametrize("place", [9, 40, -60, -1])
def test_a_hand_with_a_damaged_head_is_never_begun_anew(tmp_path: Path, place: int):
    """Another seed would sign another message for each place."""
    path = hand_journal(tmp_path, 2)
    head = len(hand_journal(tmp_path / "empty").read_bytes())
    data = bytearray(path.read_bytes())
    data[place % head] ^= 1
    path.write_bytes(data)
    for _ in range(3):
        with pytest.raises(DecodeError, match="lost its beginning"):
            reopen(tmp_path)
        assert path.read_bytes() == data


def test_a_hand_journal_that_was_cut_before_is_never_begun_anew(tmp_path: Path):
    path = hand_journal(tmp_path)
    path.unlink()
    cut = Journal.create(path)
    cut.append([Record(kind=RecordKind.TORN, payload=b"")])
    cut.close()
    for _ in range(2):
        with pytest.raises(DecodeError, match="lost its beginning"):
            reopen(tmp_path)
    assert path.exists()


def test_a_hand_whose_program_was_killed_before_the_seed_begins_anew(tmp_path: Path):
    whole = hand_journal(tmp_path).read_bytes()
    path = tmp_path / hand_journal(tmp_path / "other").name
    for size in (0, 5, 8, 9, 60, len(whole) - 50, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert reopen(tmp_path) is None
        assert not path.exists()
    path.write_bytes(whole)
    kept = reopen(tmp_path)
    assert kept is not None
    assert (kept.seed, kept.envelopes, kept.has_lost) == (b"s" * 32, (), False)
    kept.journal.close()


def test_every_cut_keeps_what_was_before_it(tmp_path: Path):
    journal = TableJournal.create(tmp_path, membership(), PERSON)
    talk = [TableRecord(kind=TableKind.TALK, payload=bytes([n]) * 5) for n in range(5)]
    for record in talk:
        journal.keep(record)
    journal.close()
    path = journal.folder / "table.journal"
    whole = path.read_bytes()
    for cut in range(1, 90, 7):
        path.write_bytes(whole[:-cut])
        again = TableJournal.reopen(journal.folder)
        assert list(again.kept) == talk[: len(again.kept)]
        assert len(again.kept) >= 5 - (cut + 17) // 18
        assert again.has_lost is bool(cut % 18), "a cut between two records leaves no trace"
        again.close()


def test_a_journal_that_knows_nobody_who_was_sent_away_can_be_read():
    values = json.loads(PERSON.encode())
    del values["away"]

    assert _read_person(json.dumps(values).encode()) == replace(PERSON, sent_away={})
