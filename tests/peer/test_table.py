"""Four tables over links in memory: whole hands, and everything that can come in between.

The group is the cheap one; everything else is real, the worker threads and the files included.
"""

import asyncio
import threading
from collections.abc import Awaitable
from pathlib import Path

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Report, Status
from p2pokey.crypto.group import split32
from p2pokey.errors import ConnectError, TableCancelled
from p2pokey.hand.core import HandPorts
from p2pokey.hand.effects import Persist, RejectResult
from p2pokey.hand.machine import HandMachine
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.journal import RecordKind, read_journal
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer import playing
from p2pokey.peer.auditing import Verdict
from p2pokey.peer.events import (
    Connected,
    HandBegan,
    HandCounted,
    HandFailed,
    HandPausedFor,
    LinkSeen,
    MatchEnded,
    MoveMade,
    PeerEvent,
    ShuffleChecked,
    Stage,
    StagePassed,
    StillWaiting,
    event_to_json,
)
from p2pokey.peer.table import Table
from p2pokey.peer.waits import WaitLimits
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import VERSION, decode_envelope
from p2pokey.transcript.messages import Kind
from p2pokey.transcript.setup import decode_header
from tests.peer.memory import GROUP, Hub

SHORT = WaitLimits(
    round_s=1.5,
    audit_s=20,
    move_grace_s=1.5,
    next_hand_s=1.5,
    absent_s=0.5,
    linger_s=0.5,
    farewell_s=0.5,
    notice_s=0.3,
)


class Recorder:
    """Everything that four tables say."""

    def __init__(self) -> None:
        self.events: list[tuple[Seat, PeerEvent]] = []

    def __call__(self, seat: Seat, event: PeerEvent) -> None:
        self.events.append((seat, event))

    def of(self, kind: type, seat: int) -> list:
        return [event for who, event in self.events if who == seat and isinstance(event, kind)]


def make_tables(
    hub: Hub, folder: Path, *, hands: int = 1, limits: WaitLimits | None = None
) -> tuple[list[Table], Recorder]:
    recorder = Recorder()
    tables = [
        hub.table(
            seat,
            folder,
            hands=hands if seat == 0 else None,
            limits=limits,
            on_event=recorder,
        )
        for seat in range(4)
    ]
    return tables, recorder


async def play_all(tables: list[Table]) -> list[MatchEnded | BaseException]:
    games: list[Awaitable[MatchEnded]] = [table.play() for table in tables]
    return await asyncio.gather(*games, return_exceptions=True)


async def play_without(tables: list[Table], lost: int) -> dict[int, MatchEnded | BaseException]:
    """What all but one come to; that one, cut off from the others, is stopped after them."""
    games = {seat: asyncio.create_task(table.play()) for seat, table in enumerate(tables)}
    victim = games.pop(lost)
    results = await asyncio.gather(*games.values(), return_exceptions=True)
    victim.cancel()
    await asyncio.wait([victim])
    return dict(zip(games, results, strict=True))


def audit(path: Path) -> Report:
    return audit_transcript(
        path.read_bytes(), group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )


def kind_of(data: bytes) -> Kind | None:
    return decode_envelope(data).kind if data[0] == VERSION else None


# Whole hands -------------------------------------------------------------------------------------


def journalled_before_sending(folder: Path, hub: Hub, checked: list[bytes]) -> None:
    """Looks into the journal of seat 1 at every message that it sends to seat 0.

    Everything else arrives twice.
    """

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        if source != 1 or target != 0:
            return [data, data]
        if kind_of(data) is not None:
            # The journal of the hand before stays for one hand more.
            hand = decode_envelope(data).hand
            (path,) = (folder / "journals-1").glob(f"*-{hand:03}.journal")
            records = read_journal(path).records
            assert tuple(record.kind for record in records[:4]) == (
                RecordKind.SETUP,
                RecordKind.SEAT,
                RecordKind.USED_KEYS,
                RecordKind.SEED,
            )
            assert data in [record.payload for record in records]
            checked.append(data)
        return [data]

    hub.wire = wire


@pytest.fixture(scope="module")
def two_hands(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("two-hands")
    hub, checked = Hub(), []
    journalled_before_sending(folder, hub, checked)
    tables, recorder = make_tables(hub, folder, hands=2)
    ended = asyncio.run(play_all(tables))
    assert len(checked) > 40
    return folder, recorder, ended


def test_all_seats_write_the_same_sound_transcripts(two_hands):
    folder, _, _ = two_hands
    for hand in (1, 2):
        paths = [folder / "out" / f"hand-00{hand}-seat-{seat}.jsonl" for seat in (1, 2, 3, 4)]
        assert len({path.read_bytes() for path in paths}) == 1
        assert audit(paths[0]).status is Status.SOUND
    assert len(list((folder / "out").iterdir())) == 8


def test_the_second_hand_continues_the_first(two_hands):
    folder, recorder, ended = two_hands
    first, second = (audit(folder / "out" / f"hand-00{hand}-seat-1.jsonl") for hand in (1, 2))
    assert first.setup is not None
    assert second.setup is not None

    assert second.setup.previous == first.transcript_hash
    assert second.setup.totals == first.totals
    assert second.setup.match_hand == 1
    assert first.setup.starter is None
    assert second.setup.starter is not None
    expected = MatchEnded(hands=2, totals=second.totals, winners=())
    assert ended == [expected] * 4
    assert recorder.of(MatchEnded, 3) == [expected]


def test_the_stages_pass_in_order_at_every_seat(two_hands):
    _, recorder, _ = two_hands
    for seat in range(4):
        passed = [(event.hand, event.stage) for event in recorder.of(StagePassed, seat)]
        assert passed == [(hand, stage) for hand in (0, 1) for stage in Stage]
        times = [event.seconds for event in recorder.of(StagePassed, seat)]
        assert times == sorted(times[:7]) + sorted(times[7:])
        assert [event.hand for event in recorder.of(HandBegan, seat)] == [0, 1]
        assert len(recorder.of(ShuffleChecked, seat)) == 8


def test_all_seats_see_the_same_moves(two_hands):
    _, recorder, _ = two_hands
    moves = [[(e.hand, e.seat, e.move) for e in recorder.of(MoveMade, seat)] for seat in range(4)]

    assert moves[0] == moves[1] == moves[2] == moves[3]
    counted = recorder.of(HandCounted, 2)
    assert sum(event.moves for event in counted) == len(moves[2])


def test_only_proofs_of_others_are_counted(two_hands):
    _, recorder, _ = two_hands
    for seat in range(4):
        proofs = {count.kind: count for count in recorder.of(HandCounted, seat)[0].proofs}
        assert proofs["possession"].objects == 6
        assert proofs["share"].objects == 3
        assert proofs["shuffle"].objects == 3
        # 14 tiles per rack, one more at the starter, and the indicator: three seats' tokens.
        dealt = 3 * 14 * 3 + 3
        assert proofs["token"].statements >= dealt - 3
        assert proofs["token"].objects < proofs["token"].statements


def test_no_journal_is_left_after_a_hand(two_hands):
    folder, _, _ = two_hands
    for seat in range(4):
        assert list((folder / f"journals-{seat}").iterdir()) == []


def test_no_thread_is_left(two_hands):
    del two_hands
    assert [thread for thread in threading.enumerate() if thread.name.startswith("hand")] == []


# What can come in between --------------------------------------------------------------------------


def cut_after(hub: Hub, seat: int, kind: Kind, how: LinkState) -> None:
    """Lets a seat vanish after it has sent a message of this kind."""

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        if source == seat and target == (seat + 3) % 4 and kind_of(data) is kind:
            asyncio.get_running_loop().call_soon(hub.links[seat].vanish, how)
        return [data]

    hub.wire = wire


@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.MOVE])
def test_a_seat_that_is_away_ends_the_hand(tmp_path: Path, kind: Kind):
    hub = Hub(recovery=False)
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    cut_after(hub, 2, kind, LinkState.AWAY)
    ended = asyncio.run(play_without(tables, 2))

    for seat in (0, 1, 3):
        assert isinstance(ended[seat], TableCancelled)
        (failed,) = recorder.of(HandFailed, seat)
        assert failed.culprit is None
        assert audit(Path(failed.transcript)).status is Status.INCOMPLETE
    reasons = [recorder.of(HandFailed, seat)[0].reason for seat in (0, 1, 3)]
    assert any(
        reason == "seat 3 (Ceren) has lost the connection; a hand needs all its players"
        for reason in reasons
    )
    # Whoever hears it from another seat first still says who is missing.
    assert all("seat 3 (Ceren)" in reason for reason in reasons)


def test_a_seat_that_is_away_after_its_disclosure_pauses_the_hand(tmp_path: Path):
    """It may have counted the hand: the others have signed its score."""

    async def play() -> None:
        games = [asyncio.create_task(table.play()) for table in tables]
        while not all(recorder.of(HandPausedFor, seat) for seat in (0, 1, 3)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.sleep(2 * SHORT.absent_s)  # no longer than a hand waits that can be void
        assert not any(game.done() for game in games)
        for game in games:
            game.cancel()
        await asyncio.wait(games)

    hub = Hub(recovery=False)
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    cut_after(hub, 2, Kind.DISCLOSE, LinkState.AWAY)
    asyncio.run(play())

    for seat in (0, 1, 3):
        (paused,) = recorder.of(HandPausedFor, seat)
        assert paused.seats == (Seat(2),)
        assert recorder.of(HandFailed, seat) == []
        assert list((tmp_path / f"journals-{seat}").glob("*.journal")), "it can be taken up again"


def test_a_seat_that_says_goodbye_ends_the_hand(tmp_path: Path):
    hub = Hub(recovery=False)
    tables, recorder = make_tables(hub, tmp_path, limits=WaitLimits(farewell_s=0.5, absent_s=0.5))
    cut_after(hub, 1, Kind.READY, LinkState.LEFT)
    asyncio.run(play_without(tables, 1))
    reasons = {recorder.of(HandFailed, seat)[0].reason for seat in (0, 2, 3)}

    assert "seat 2 (Baran) has left the table; a hand needs all its players" in reasons


def test_a_seat_that_goes_after_its_result_ends_nothing(tmp_path: Path):
    hub = Hub()
    tables, _ = make_tables(hub, tmp_path, limits=SHORT)
    cut_after(hub, 1, Kind.RESULT, LinkState.LEFT)
    ended = asyncio.run(play_without(tables, 1))

    for seat in (0, 2, 3):
        counted = f"hand-001-seat-{seat + 1}.jsonl"
        assert audit(tmp_path / "out" / counted).status is Status.SOUND
    assert isinstance(ended[0], MatchEnded)


@pytest.mark.parametrize("kind", [Kind.READY, Kind.MOVE, Kind.DISCLOSE])
def test_the_others_play_on_without_a_seat_that_is_gone(tmp_path: Path, kind: Kind):
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    cut_after(hub, 2, kind, LinkState.AWAY)
    ended = asyncio.run(play_without(tables, 2))

    for seat in (0, 1, 3):
        assert isinstance(ended[seat], MatchEnded), ended[seat]
        assert recorder.of(HandFailed, seat) == []
        path = tmp_path / "out" / f"hand-001-seat-{seat + 1}.jsonl"
        assert audit(path).status is Status.SOUND
    assert len({recorder.of(HandCounted, seat)[0].totals for seat in (0, 1, 3)}) == 1


def silence_after(hub: Hub, seat: int, kind: Kind) -> None:
    """Swallows all that a seat sends after a message of this kind; its links stay up."""
    silent = False

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        nonlocal silent
        if source == seat and silent:
            return []
        if source == seat and kind_of(data) is kind and target == (seat + 3) % 4:
            silent = True
        return [data]

    hub.wire = wire


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (Kind.KEYS, "the shuffle"),
        (Kind.READY, "the deal"),
    ],
)
def test_a_silent_seat_ends_the_hand_by_name(tmp_path: Path, after: Kind, name: str):
    hub = Hub(recovery=False)
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    silence_after(hub, 3, after)
    asyncio.run(play_without(tables, 3))
    failures = [recorder.of(HandFailed, seat)[0].reason for seat in (0, 1, 2)]
    notices = [event.text for seat in (0, 1, 2) for event in recorder.of(StillWaiting, seat)]

    assert f"{name} of seat 4 (Deniz) did not come within 2 s" in failures
    assert f"waiting for {name} of seat 4 (Deniz)" in notices


def test_repeated_messages_do_not_lengthen_a_wait(tmp_path: Path):
    hub = Hub(recovery=False)
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    silence_after(hub, 3, Kind.KEYS)

    async def play() -> float:
        async def repeat() -> None:
            while True:
                await asyncio.sleep(0.05)
                for data in hub.links[3].sent[:3]:
                    for link in hub.links[:3]:
                        link.events.put_nowait(MessageReceived(seat=Seat(3), data=data))

        babble = asyncio.create_task(repeat())
        began = asyncio.get_running_loop().time()
        await play_all(tables)
        babble.cancel()
        return asyncio.get_running_loop().time() - began

    seconds = asyncio.run(play())

    assert seconds < 10
    assert recorder.of(HandFailed, 0)


def test_a_seat_that_never_begins_is_named(tmp_path: Path):
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    ended = asyncio.run(play_all(tables[:3]))

    for result in ended:
        assert isinstance(result, TableCancelled)
        assert str(result) == "seat 4 (Deniz) did not begin the next hand within 2 s"
    assert (
        recorder.of(StillWaiting, 0)[0].text == "waiting for seat 4 (Deniz) to begin the next hand"
    )
    assert recorder.of(HandBegan, 0) == []


def test_a_seat_that_vanishes_before_the_hand_is_named(tmp_path: Path):
    hub = Hub()
    tables, _ = make_tables(hub, tmp_path, limits=SHORT)
    hub.links[3].vanish(LinkState.AWAY)
    ended = asyncio.run(play_all(tables[:3]))

    assert [str(result) for result in ended] == ["seat 4 (Deniz) has lost the connection"] * 3


@pytest.mark.parametrize(
    "garbage", [b"", b"\x00", b"\xff" * 300, b"\x80" * 104, bytes(200)], ids=len
)
def test_garbage_ends_the_hand_and_names_the_sender(tmp_path: Path, garbage: bytes):
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        return [garbage] if source == 1 and kind_of(data) is Kind.READY else [data]

    hub.wire = wire
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, TableCancelled) for result in ended)
    failures = [recorder.of(HandFailed, seat)[0] for seat in (0, 2, 3)]
    assert 1 in {failure.culprit for failure in failures}
    assert any("seat 2 (Baran) broke the protocol" in failure.reason for failure in failures)


def test_garbage_between_hands_ends_the_table_at_once(tmp_path: Path):
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path)
    hub.links[3].broadcast(b"no message")
    ended = asyncio.run(play_all(tables[:3]))
    expected = "seat 4 (Deniz) sent something that is no message of this game"

    assert [str(result) for result in ended] == [expected] * 3
    assert recorder.of(HandBegan, 0) == []


def test_a_failed_audit_ends_the_hand_with_the_seat_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """An honest hand never gets here; the verdict is put into one seat's auditor."""
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)

    class Suspicious:
        def __init__(self, **ports: object) -> None:
            del ports

        def __call__(self, transcript: bytes, stop: threading.Event) -> Verdict:
            command = RejectResult(culprit=2, cause="DleqInvalid", message="a token is wrong")
            return Verdict(command=command, proofs=7)

    monkeypatch.setattr(playing, "OwnAudit", Suspicious)
    asyncio.run(play_all(tables))
    failures = [recorder.of(HandFailed, seat)[0] for seat in range(4)]

    assert 2 in {failure.culprit for failure in failures}
    for failure in failures:
        if failure.culprit is None:  # it was told before it could find out by itself
            assert "accusing seat 3 (Ceren) of DleqInvalid" in failure.reason
        else:
            assert failure.reason.startswith("seat 3 (Ceren) broke the protocol")


def test_a_stopped_hand_discloses_so_that_the_fault_can_be_traced(tmp_path: Path):
    hub = Hub()
    tables, recorder = make_tables(hub, tmp_path, limits=SHORT)
    seen = 0

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        nonlocal seen
        if source == 1 and kind_of(data) is Kind.TOKENS:
            seen += 1
            if seen > 6:
                broken = data[:-1] + bytes([data[-1] ^ 1])
                return [broken]
        return [data]

    hub.wire = wire
    asyncio.run(play_all(tables))
    failed = [event for seat in (0, 2, 3) for event in recorder.of(HandFailed, seat)]

    assert {failure.culprit for failure in failed} == {1}
    kinds = [decode_envelope(data).kind for data in hub.links[0].sent if kind_of(data) is not None]
    assert kinds[-2:] == [Kind.VOID, Kind.DISCLOSE]


def test_links_that_fail_as_a_whole_end_the_table(tmp_path: Path):
    hub = Hub()
    tables, _ = make_tables(hub, tmp_path, limits=SHORT)

    async def fail() -> None:
        raise ConnectError("no links")

    hub.links[0].next_event = fail
    with pytest.raises(ConnectError):
        asyncio.run(tables[0].play())


def test_a_journal_that_cannot_be_written_ends_the_table(tmp_path: Path):
    hub = Hub()
    tables, _ = make_tables(hub, tmp_path, limits=SHORT)
    (tmp_path / "journals-0").write_text("in the way")
    ended = asyncio.run(play_all(tables))

    assert isinstance(ended[0], OSError)
    assert hub.links[0].sent == hub.links[0].sent[:1]


def test_a_cancelled_table_keeps_its_journal_and_leaves_no_thread(tmp_path: Path):
    hub = Hub()
    tables, _ = make_tables(hub, tmp_path)

    async def play() -> None:
        has_moved = asyncio.Event()
        hub.wire = lambda source, target, data: (
            has_moved.set() if kind_of(data) is Kind.MOVE else None,
            [data],
        )[1]
        games = [asyncio.create_task(table.play()) for table in tables]
        await has_moved.wait()
        for game in games:
            game.cancel()
        await asyncio.wait(games)

    asyncio.run(play())
    for thread in threading.enumerate():
        if thread.name.startswith("hand"):
            thread.join(timeout=5)
            assert not thread.is_alive()
    (path,) = (tmp_path / "journals-0").glob("*.journal")
    contents = read_journal(path)

    assert not contents.is_damaged
    assert len(contents.records) > 10
    header, seat, used, seed, *envelopes = (record.payload for record in contents.records)
    machine = HandMachine(
        setup=decode_header(header),
        seat=Seat(seat[0]),
        seed=seed,
        ports=HandPorts(group=GROUP, signer=hub.signers[0], sealer=ChaChaSealer()),
        verifier=Ed25519Verifier(),
        used_keys=frozenset(split32(used)),
    )
    # The same seat with the same seed says the same again, byte for byte.
    for _ in range(20):
        machine.work(0.0)
    again = [effect.envelope for effect in machine.poll() if isinstance(effect, Persist)]
    assert again
    assert again == [item for item in envelopes if decode_envelope(item).seat == 0][: len(again)]


# Events ------------------------------------------------------------------------------------------


def test_events_have_a_json_form():
    event = Connected(seat=Seat(1), names=("a", "b"), safety_words=("lale",))
    seen = LinkSeen(seat=Seat(2), state=LinkState.AWAY)

    assert event_to_json(event) == {
        "event": "Connected",
        "seat": 1,
        "names": ("a", "b"),
        "safety_words": ("lale",),
    }
    assert event_to_json(seen)["state"] == "away"
