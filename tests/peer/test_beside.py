"""What happens beside the hands: chat, rematch, other seats, somebody who comes back to nobody."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from p2pokey.errors import ConnectError, TableCancelled
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.peer.events import (
    HandCounted,
    HandFailed,
    MatchEnded,
    MatchOver,
    MoveMade,
    PeerEvent,
    Stage,
    StagePassed,
)
from p2pokey.peer.playing import MAX_FAILURES
from p2pokey.peer.table import MAX_ASKED_S, Questioning, Table
from p2pokey.peer.table_events import (
    ChatLine,
    ChatPhrase,
    Question,
    QuestionAnswered,
    QuestionClosed,
    Refused,
    RematchBegun,
    ScoreDiffers,
    SeatLied,
    SeatsAgreed,
)
from p2pokey.peer.waits import WaitLimits
from p2pokey.table.asking import ASK_SECONDS, STUCK_SECONDS
from p2pokey.table.carry import VACANT
from p2pokey.table.commands import (
    AnswerAsk,
    AskRematch,
    AskSeating,
    Say,
    SayPhrase,
    ShareLink,
    WantNext,
)
from p2pokey.table.contents import Answer, Chat, Reply, Wish
from p2pokey.table.effects import SeatingAgreed
from p2pokey.table.messages import (
    NO_PREVIOUS,
    decode_message,
    is_table_message,
    seal_message,
)
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Kind
from tests.peer.memory import Hub
from tests.peer.test_table import Recorder, kind_of, play_all

QUICK = WaitLimits(linger_s=5, farewell_s=1, notice_s=1)


class Scene:
    """Four tables; something is done at the first event of a kind at a seat."""

    def __init__(
        self,
        folder: Path,
        *,
        hands: int | None = 1,
        stays: bool = False,
        bots: tuple[int, ...] = (),
        limits: WaitLimits | None = None,
    ) -> None:
        self.recorder = Recorder()
        self.hub = Hub(bots=bots)
        self.plans: list[tuple[int, type, object]] = []
        self.tables: list[Table] = [
            self.hub.table(
                seat,
                folder,
                hands=hands if seat == 0 else None,
                limits=limits or QUICK,
                on_event=self.hear,
                stays=stays and seat not in bots,
            )
            for seat in range(4)
        ]

    def when(self, seat: int, kind: type, do) -> None:
        """`do(event)` at every event of that kind."""
        self.plans.append((seat, kind, do))

    def hear(self, who: Seat, event: PeerEvent) -> None:
        self.recorder(who, event)
        for seat, kind, do in self.plans:
            if seat == who and isinstance(event, kind):
                do(event)

    def once(self, seat: int, kind: type, do) -> None:
        """`do()` at the first event of that kind."""
        is_done = False

        def first(event: PeerEvent) -> None:
            nonlocal is_done
            if not is_done:
                is_done = True
                do()

        self.when(seat, kind, first)

    def agree(self, *seats: int) -> None:
        """These seats say yes to whatever they are asked."""
        for seat in seats:
            self.when(
                seat,
                Question,
                lambda asked, table=self.tables[seat]: (
                    asked.must_answer
                    and table.act(AnswerAsk(asker=asked.asker, seq=asked.seq, yes=True))
                ),
            )

    def play(self) -> list:
        return asyncio.run(play_all(self.tables))

    def play_and_go(self) -> list:
        """The same; whose table is over says goodbye to the others."""

        async def one(table: Table) -> object:
            try:
                return await table.play()
            finally:
                await table.links.close()

        async def all_() -> list:
            return await asyncio.gather(*map(one, self.tables), return_exceptions=True)

        return asyncio.run(all_())


def test_chat_during_a_hand_is_heard_by_all(tmp_path: Path):
    scene = Scene(tmp_path)
    scene.once(2, MoveMade, lambda: scene.tables[2].act(Say(text="hello \u202eall")))
    scene.once(1, MoveMade, lambda: scene.tables[1].act(SayPhrase(code=7)))
    ended = scene.play()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    for seat in range(4):
        (line,) = scene.recorder.of(ChatLine, seat)
        assert line.seat == 2
        assert "hello" in line.text
        assert "\u202e" not in line.text
        (phrase,) = scene.recorder.of(ChatPhrase, seat)
        assert (phrase.seat, phrase.code) == (1, 7)
    for path in (tmp_path / "out").iterdir():
        assert b"hello" not in path.read_bytes()


def test_what_cannot_be_said_is_refused_to_its_author_alone(tmp_path: Path):
    scene = Scene(tmp_path)
    scene.once(2, MoveMade, lambda: scene.tables[2].act(Say(text="x" * 501)))
    scene.play()

    assert [event.text for event in scene.recorder.of(Refused, 2)] == [
        "a line has at most 500 characters"
    ]
    assert scene.recorder.of(Refused, 0) == []


def test_a_rematch_in_the_middle_of_a_hand_begins_the_match_anew(tmp_path: Path):
    scene = Scene(tmp_path, hands=1)
    scene.once(0, MoveMade, lambda: scene.tables[0].act(AskRematch()))
    scene.agree(1, 2, 3)
    ended = scene.play()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    for seat in range(4):
        (closed,) = scene.recorder.of(QuestionClosed, seat)
        if closed.outcome == "agreed":
            assert len(scene.recorder.of(RematchBegun, seat)) == 1
        else:  # a move was under way
            assert closed.outcome == "cancelled"
        assert len(scene.recorder.of(HandCounted, seat)) == 1
    assert len({result.totals for result in ended}) == 1


def test_a_rematch_waits_for_a_hand_whose_end_is_signed(tmp_path: Path):
    """Others may count it already: left out here, the sheets would differ."""
    scene = Scene(tmp_path, hands=1)

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        is_late = kind_of(data) is Kind.RESULT and not scene.recorder.of(QuestionClosed, target)
        return [] if is_late else [data]

    scene.hub.wire = wire

    def ask(event: StagePassed) -> None:
        if event.stage is Stage.REPLAYED and not scene.recorder.of(QuestionClosed, 0):
            scene.tables[0].act(AskRematch())

    scene.when(0, StagePassed, ask)
    scene.agree(1, 2, 3)
    ended = scene.play()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    for seat in range(4):
        events = scene.recorder.events
        kinds = [
            type(event)
            for who, event in events
            if who == seat and isinstance(event, HandCounted | RematchBegun)
        ]
        assert kinds == [HandCounted, RematchBegun, HandCounted]
        assert scene.recorder.of(HandFailed, seat) == []
    assert len({result.totals for result in ended}) == 1


def match_after_match(scene: Scene, *people: int) -> None:
    """The first seat asks for a rematch after its match; after the second all of these go."""
    scene.once(0, MatchOver, lambda: scene.tables[0].act(AskRematch()))
    for seat in people:

        def go(event: MatchOver, seat: int = seat) -> None:
            if scene.recorder.of(RematchBegun, seat):
                scene.tables[seat].leave()

        scene.when(seat, MatchOver, go)


@pytest.mark.parametrize("bots", [(), (1, 3)])
def test_a_rematch_follows_after_so_many_hands(tmp_path: Path, bots: tuple[int, ...]):
    """The number of hands is for one match. Computer players say what whoever runs them says."""
    people = [seat for seat in range(4) if seat not in bots]
    scene = Scene(tmp_path, hands=1, stays=True, bots=bots)
    match_after_match(scene, *people)
    scene.agree(*people[1:])
    ended = scene.play_and_go()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    for seat in range(4):
        kinds = [
            type(event)
            for who, event in scene.recorder.events
            if who == seat and isinstance(event, HandCounted | RematchBegun)
        ]
        assert kinds == [HandCounted, RematchBegun, HandCounted]
    assert {result.hands for result in ended} == {1}
    assert len({result.totals for result in ended}) == 1


def test_a_computer_player_says_no_with_whoever_runs_it(tmp_path: Path):
    scene = Scene(tmp_path, hands=1, stays=True, bots=(3,))
    scene.once(1, MatchOver, lambda: scene.tables[1].act(AskRematch()))

    def refuse(asked: Question) -> None:
        scene.tables[0].act(AnswerAsk(asker=asked.asker, seq=asked.seq, yes=False))

    scene.when(0, Question, refuse)
    for seat in range(3):
        scene.when(seat, QuestionClosed, lambda _, seat=seat: scene.tables[seat].leave())
    ended = scene.play_and_go()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    assert {(answer.by, answer.reply) for answer in scene.recorder.of(QuestionAnswered, 2)} <= {
        (0, "no"),
        (3, "no"),
    }
    assert [closed.outcome for closed in scene.recorder.of(QuestionClosed, 2)] == ["refused"]


def test_whoever_leaves_says_no_to_what_is_open(tmp_path: Path):
    scene = Scene(tmp_path, hands=1, stays=True)
    scene.once(0, MatchOver, lambda: scene.tables[0].act(AskRematch()))
    scene.when(2, Question, lambda _: scene.tables[2].leave())
    for seat in (0, 1, 3):
        scene.when(seat, QuestionClosed, lambda _, seat=seat: scene.tables[seat].leave())
    scene.play_and_go()

    (closed,) = scene.recorder.of(QuestionClosed, 0)
    assert (closed.outcome, closed.against) == ("refused", (2,))


def test_other_seats_are_agreed_on_between_hands(tmp_path: Path):
    scene = Scene(tmp_path, hands=None)
    order = (2, 0, 1, 3)
    links: dict[int, str] = {}
    all_have_it = asyncio.Event()

    def ask() -> None:
        scene.tables[1].between_hands(AskSeating(order=order))

    async def move(table: Table) -> None:
        if table.links.seat == order[0]:
            table.act(ShareLink(link="p2pokey+ws://127.0.0.1:1/K7Q2M#AAECAwQFBgcICQoLDA0ODw"))
            await all_have_it.wait()
        else:
            links[table.links.seat] = await table.board.room.get()
            if len(links) == 3:
                all_have_it.set()

    scene.once(1, MoveMade, ask)
    scene.agree(0, 2, 3)
    for table in scene.tables:
        table.on_seating = move
    ended = scene.play()

    assert [event.outcome for event in scene.recorder.of(QuestionClosed, 0)] == ["agreed"]
    assert all(isinstance(result, SeatingAgreed) for result in ended), ended
    assert [result.seat for result in ended] == [order.index(seat) for seat in range(4)]
    assert len({result.carry for result in ended}) == 1
    assert set(links) == {0, 1, 3}
    assert [event.seat for event in scene.recorder.of(SeatsAgreed, 2)] == [0]
    assert len(scene.recorder.of(HandCounted, 2)) == 1


def test_a_fork_at_the_table_names_its_author(tmp_path: Path):
    scene = Scene(tmp_path, hands=2, limits=replace(QUICK, round_s=5.0))
    forks = [
        seal_message(
            scene.hub.signers[3],
            session=scene.hub.links[3].session_id,
            seat=Seat(3),
            seq=0,
            previous=NO_PREVIOUS,
            content=Chat(text=text),
        ).encoded
        for text in ("one", "two")
    ]
    for data in forks:
        scene.hub.links[0].events.put_nowait(MessageReceived(seat=Seat(3), data=data))
    ended = scene.play()

    for seat in (0, 1, 2):
        assert isinstance(ended[seat], TableCancelled), ended
        assert "seat 4 (Deniz)" in str(ended[seat])
        assert [event.seat for event in scene.recorder.of(SeatLied, seat)] == [3]


def test_a_seat_with_another_score_ends_the_table_by_name(tmp_path: Path, monkeypatch):
    scene = Scene(tmp_path, hands=2)
    sheet = scene.tables[2].machine._course.sheet
    other = sheet.__class__(
        session=sheet.session, first_attempt=0, start=tuple(total + 1 for total in sheet.start)
    )
    scene.tables[2].machine._course.sheet = other
    ended = scene.play()

    for seat in (0, 1, 3):
        assert str(ended[seat]) == "seat 3 (Ceren) keeps another score of this match"
        assert [event.seat for event in scene.recorder.of(ScoreDiffers, seat)] == [2]


def test_who_tells_different_seats_different_things_is_named(tmp_path: Path):
    """Its yes and its no lie at different seats; those find each other's scores to differ."""
    scene = Scene(tmp_path, hands=1)
    scene.once(0, MoveMade, lambda: scene.tables[0].act(AskRematch()))
    scene.agree(1, 2, 3)

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        if source != 3 or target != 1 or not is_table_message(data):
            return [data]
        said = decode_message(data)
        if said.seat != 3 or not isinstance(said.content, Answer):
            return [data]
        other = seal_message(
            scene.hub.signers[3],
            session=said.session,
            seat=said.seat,
            seq=said.seq,
            previous=said.previous,
            content=replace(said.content, reply=Reply.NO),
        )
        return [other.encoded]

    scene.hub.wire = wire
    ended = scene.play()
    closed = [scene.recorder.of(QuestionClosed, seat)[0].outcome for seat in range(3)]
    assert closed in (["agreed", "refused", "agreed"], ["cancelled", "refused", "cancelled"])
    if closed[0] == "agreed":  # no move was under way
        for seat in range(3):
            assert isinstance(ended[seat], TableCancelled), ended
            assert "seat 4 (Deniz) broke the protocol" in str(ended[seat])
            assert scene.recorder.of(ScoreDiffers, seat) == []


def test_rematches_within_hands_are_no_failures(tmp_path: Path):
    """However often all agree on one, the table goes on."""
    scene = Scene(tmp_path, hands=1)
    asked = 0

    def ask(event: StagePassed) -> None:
        nonlocal asked
        if event.stage is Stage.KEYS and asked < MAX_FAILURES + 2:
            asked += 1
            scene.tables[0].act(AskRematch())

    scene.when(0, StagePassed, ask)
    scene.agree(1, 2, 3)
    ended = scene.play()

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    assert len(scene.recorder.of(RematchBegun, 0)) > MAX_FAILURES


def test_a_question_that_nobody_answers_costs_no_more_than_its_time(tmp_path: Path):
    """The others are not there for the next hand as long as it is open, and the table goes on."""
    asked = Questioning(looked=10.0)
    for now, is_open in ((12.0, False), (20.0, True), (75.0, True), (80.0, False)):
        asked.look(now, is_open=is_open)
    assert asked.seconds == 63.0
    asked.look(1000.0, is_open=True)
    assert asked.seconds == MAX_ASKED_S

    hub = Hub()
    asker, other = (hub.table(seat, tmp_path) for seat in (0, 1))
    asker.act(AskSeating(order=(1, 0, 2, 3)))
    (data,) = [data for data in hub.links[0].sent if is_table_message(data)]
    other.board.receive(MessageReceived(seat=Seat(0), data=data))
    now = asker.clock()
    for table in (asker, other):
        assert table.board.machine.is_asked(now)
        assert not table.board.machine.is_asked(now + ASK_SECONDS + STUCK_SECONDS + 1)


def test_who_does_not_answer_is_waited_for_by_name(tmp_path: Path):
    """Also if that seat has said that it plays: this one does not before the answer."""
    hub = Hub()
    asker, other = (hub.table(seat, tmp_path) for seat in (0, 1))
    other.act(WantNext(wish=Wish.PLAY))
    (data,) = [data for data in hub.links[1].sent if is_table_message(data)]
    asker.board.receive(MessageReceived(seat=Seat(1), data=data))
    assert asker._missing() == [2, 3]
    asker.act(AskSeating(order=(1, 0, 2, VACANT)))
    assert asker._missing() == [1, 2, 3]


def test_who_waits_for_the_answers_of_others_is_missing_only_if_it_has_gone(tmp_path: Path):
    hub = Hub()
    asker, other = (hub.table(seat, tmp_path) for seat in (0, 1))
    asker.act(AskSeating(order=(1, 0, 2, 3)))
    (asked,) = [data for data in hub.links[0].sent if is_table_message(data)]
    other.board.receive(MessageReceived(seat=Seat(0), data=asked))
    assert asker._missing() == [1, 2, 3]
    other.act(AnswerAsk(asker=Seat(0), seq=0, yes=True))
    (answered,) = [data for data in hub.links[1].sent if is_table_message(data)]
    asker.board.receive(MessageReceived(seat=Seat(1), data=answered))
    assert asker._missing() == [2, 3]
    asker._inbox.postbox.put(LinkChanged(seat=Seat(1), state=LinkState.AWAY))
    assert asker._missing() == [1, 2, 3]


def test_whoever_has_said_yes_is_there_when_it_is_agreed_on(tmp_path: Path):
    """Also when the match is over: else the others go on to other seats without that player."""
    hub = Hub()
    asker, table = (hub.table(seat, tmp_path) for seat in (0, 1))
    asker.act(AskSeating(order=(1, 0, 2, 3)))
    (asked,) = [data for data in hub.links[0].sent if is_table_message(data)]
    table.board.receive(MessageReceived(seat=Seat(0), data=asked))
    assert not table._is_seen_off(1000.0), "its player has not answered yet"
    table._leaves = True
    assert table._is_seen_off(1000.0)
    table._leaves = False
    table.act(AnswerAsk(asker=Seat(0), seq=0, yes=True))
    assert not table._is_seen_off(1000.0)
    assert not asker._is_seen_off(1000.0)
    for state, is_over in (
        (LinkState.AWAY, False),
        (LinkState.LEFT, True),
        (LinkState.HERE, False),
    ):
        for seat in (1, 2, 3):
            asker.board.link(LinkChanged(seat=Seat(seat), state=state))
        assert asker._is_seen_off(1000.0) is is_over

    later = table.clock() + ASK_SECONDS + STUCK_SECONDS + 1
    table.clock = lambda: later
    assert table._is_seen_off(1000.0)


def test_on_the_way_to_other_seats_it_is_told_who_is_waited_for(tmp_path: Path):
    hub = Hub()
    table = hub.table(1, tmp_path)
    agreed = SeatingAgreed(order=(2, 1, 3, 255), carry=b"", seat=Seat(1))

    def told() -> str:
        return table._awaited_at_next_table(agreed)

    assert told() == "waiting for seat 3 (Ceren) to open the new table"
    table._inbox.postbox.put(LinkChanged(seat=Seat(0), state=LinkState.LEFT))
    table._inbox.postbox.put(LinkChanged(seat=Seat(3), state=LinkState.AWAY))
    assert told() == "waiting for seat 4 (Deniz) to come to the new table"
    table._inbox.postbox.put(LinkChanged(seat=Seat(3), state=LinkState.HERE))
    table.board.has_room = True
    assert told() == ""


def test_who_comes_back_to_nobody_is_told_soon(tmp_path: Path):
    hub = Hub()
    table = hub.table(1, tmp_path, limits=WaitLimits(alone_s=0.2), is_resumed=True)
    with pytest.raises(ConnectError, match="Nobody of that table can be reached"):
        asyncio.run(table.play())
