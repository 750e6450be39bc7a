"""Liars at the table: each attack fails, and everybody else is told in one sentence.

The machines, the signalling server and its clients are the real ones; links are in memory. What a
lying host can do to the list of players is in tests/net/test_vouching.py and test_staying.py, too.
"""

import asyncio
import dataclasses

import pytest

from p2pokey.cli.rooms import room_text
from p2pokey.codec import encode_base64
from p2pokey.errors import (
    Banned,
    ConnectError,
    LinkError,
    PlayerLeft,
    SignalingError,
    TableRefused,
    TimedOut,
    WrongCode,
)
from p2pokey.native.entropy import OsEntropy
from p2pokey.net import admission
from p2pokey.net.invites import Invite
from p2pokey.net.link import LinkState
from p2pokey.net.memory import MemoryNetwork
from p2pokey.net.progress import Phase, Progress
from p2pokey.net.words import words_at
from p2pokey.table.roster import safety_numbers, sign_runner
from tests.net.lying_server import change_body, kind_of, lying_server
from tests.net.support import (
    MEETING_LIMITS,
    NAMES,
    TOOLKITS,
    Meeting,
    check_talk,
    run,
    signalling_server,
    until,
)

QUICK = dataclasses.replace(MEETING_LIMITS, admission_s=1.0, cards_s=1.0, links_s=1.5, link_s=0.5)
WRONG_WORDS = ("lale", "deniz", "kartal")


def make_meeting(url, **changes):
    return Meeting(url, connector=MemoryNetwork(OsEntropy()), **changes)


async def told(work, error, match):
    """The one sentence with which a player's program ends."""
    with pytest.raises(error, match=match) as caught:
        await work
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def told_of(meeting, name, phase):
    """Sentences about such a step that this player was shown."""
    return [
        room_text(Progress(phase=Phase(step[0]), done=step[1], total=step[2], name=step[3]))
        for step in meeting.progress.get(name, [])
        if step[0] == phase.value
    ]


async def seated(meeting, *indices):
    """These guests come one after another; returns their tasks."""
    tasks = []
    for count, index in enumerate(indices, 1):
        tasks.append(asyncio.create_task(meeting.join(index)))
        await until(lambda count=count: len(taken(meeting)) >= count)
    return tasks


def taken(meeting):
    return [step for step in meeting.progress.get(NAMES[0], []) if step[0] == "friends-here"]


async def close(meshes):
    await asyncio.gather(*(mesh.close() for mesh in meshes))


# --- a lying signalling server ---


@pytest.mark.parametrize("whose", ["host", "guest"])
def test_a_server_that_swaps_keys_seats_nobody(whose):
    """It shows the guest its own key as the host's, or the host its own as the guest's."""
    false = encode_base64(TOOLKITS[4].public_key)

    def to_client(number, message):
        if whose == "host" and message["t"] == "lobby" and number == 2:
            return [{**message, "host": {**message["host"], "pub": false}}]
        return [message]

    def to_server(number, message):
        if whose == "guest" and number == 2 and kind_of(message) == "pake1":
            return [change_body(message, pub=false)]
        return [message]

    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            liar.to_client, liar.to_server = to_client, to_server
            meeting = make_meeting(liar.url, seats=3)
            host = asyncio.create_task(meeting.host())
            work = await seated(meeting, 1)
            await told(meeting.join(2), WrongCode, "code does not fit this table")
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.WRONG_CODE)))
                [sentence] = told_of(meeting, name, Phase.WRONG_CODE)
                assert "wrong code" in sentence
            assert len(taken(meeting)) == 1
            meshes = await asyncio.gather(host, *work, meeting.join(2))  # not lied to any more
            await close(meshes)

    run(main())


def test_a_server_that_repeats_a_knock_gets_no_seat():
    """It says once more, under another place, what let a guest in."""

    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            meeting = make_meeting(liar.url, seats=4)
            host = asyncio.create_task(meeting.host())
            [guest] = await seated(meeting, 1)
            said = [m for n, m in liar.seen if n == 1 and kind_of(m) in ("pake1", "pake3", "box")]
            assert [kind_of(message) for message in said] == ["pake1", "pake3", "box"]
            for message in said:
                for place in ("c9", "c2"):  # a new one, and the guest's own
                    heard = {"t": "recv", "from": place, "n": 99, "body": message["body"]}
                    await liar.say(0, heard)
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.SAME_KEY)))
                [sentence] = told_of(meeting, name, Phase.SAME_KEY)
                assert f"the key of {NAMES[1]}, who is here already" in sentence
            others = [asyncio.create_task(meeting.join(index)) for index in (2, 3)]
            meshes = await asyncio.gather(host, guest, *others)
            assert sorted(seat.name for seat in meshes[0].roster.seats) == sorted(NAMES)
            await check_talk(meshes)
            await close(meshes)

    run(main())


def test_a_repeated_knock_of_a_guest_who_left_is_a_wrong_code():
    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            meeting = make_meeting(liar.url, seats=4)
            host = asyncio.create_task(meeting.host())
            first, second = await seated(meeting, 1, 2)
            said = [m for n, m in liar.seen if n == 2 and kind_of(m) in ("pake1", "pake3")]
            second.cancel()
            await until(lambda: taken(meeting)[-1] == ("friends-here", 2, 4, NAMES[2]))
            for message in said:
                await liar.say(0, {"t": "recv", "from": "c9", "n": 1, "body": message["body"]})
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.WRONG_CODE)))
            assert len(taken(meeting)) == 3  # two came and one left
            others = [asyncio.create_task(meeting.join(index)) for index in (2, 3)]
            meshes = await asyncio.gather(host, first, *others)
            await close(meshes)

    run(main())


WITHHELD = {
    "the host's answer": ("pake2", 1, "did not answer within 1 s"),
    "the rules": ("box", 1, "did not answer within 1 s"),
}


@pytest.mark.parametrize("what", WITHHELD)
def test_a_server_that_withholds_the_host_is_told_by_name_or_place(what, monkeypatch):
    kind, number, sentence = WITHHELD[what]
    monkeypatch.setattr(admission, "ANSWER_S", 0.5)
    monkeypatch.setattr(admission, "ACCEPT_S", 0.5)

    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            liar.to_client = lambda n, m: [] if (n, kind_of(m)) == (number, kind) else [m]
            meeting = make_meeting(liar.url, seats=2, limits=QUICK)
            host = asyncio.create_task(meeting.host())
            await told(meeting.join(1), (TimedOut, SignalingError), sentence + "|sent us away")
            meshes = await asyncio.gather(host, meeting.join(1))  # not lied to any more
            await close(meshes)

    run(main())


def test_withheld_seat_cards_are_told_with_the_name():
    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            meeting = make_meeting(liar.url, seats=3, limits=QUICK)
            boxes = {}

            def to_server(number, message):
                if number == 2 and kind_of(message) == "box":
                    boxes[number] = boxes.get(number, 0) + 1
                    return [message] if boxes[number] == 1 else []  # accepting, but no card
                return [message]

            liar.to_server = to_server
            host = asyncio.create_task(meeting.host())
            first = (await seated(meeting, 1))[0]
            second = asyncio.create_task(meeting.join(2))
            await told(host, TimedOut, f"{NAMES[2]} did not take the seat in time")
            await told(first, ConnectError, f"{NAMES[0]} did not seat everybody|host has closed")
            await told(second, ConnectError, f"{NAMES[0]} did not seat everybody|host has closed")

    run(main())


def test_withheld_offers_are_told_with_the_names():
    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            liar.to_client = lambda n, m: [] if kind_of(m) == "pair" and n == 2 else [m]
            meeting = make_meeting(liar.url, seats=3, limits=QUICK)
            host = asyncio.create_task(meeting.host())
            work = [host, *await seated(meeting, 1), asyncio.create_task(meeting.join(2))]
            for task in work:
                await told(
                    task,
                    (TimedOut, LinkError, PlayerLeft),
                    f"({NAMES[2]}|{NAMES[1]}|{NAMES[0]}).*(start again|one network|left before)",
                )

    run(main())


def test_a_server_that_repeats_and_swaps_offers_changes_nothing():
    """Each pair's boxes open for that pair only, and a box opens once."""

    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            kept = []

            def to_client(number, message):
                if kind_of(message) != "pair":
                    return [message]
                kept.append(message)
                swapped = {**message, "from": f"c{1 + (number + 1) % 4}"}
                # Again from somebody else, and with what others were sent.
                return [message, swapped, *kept[-8:]]

            liar.to_client = to_client
            meeting = make_meeting(liar.url)
            async with meeting.meshes() as meshes:
                await check_talk(meshes)
                assert len({mesh.session_id for mesh in meshes}) == 1
                for mesh in meshes:
                    key = mesh.roster.seats[mesh.seat].public_key
                    assert key in {toolkit.public_key for toolkit in TOOLKITS[:4]}

    run(main())


def test_a_changed_offer_opens_nothing():
    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:

            def to_server(number, message):
                if kind_of(message) != "pair":
                    return [message]
                return [change_body(message, ct="A" * 400)]

            liar.to_server = to_server
            meeting = make_meeting(liar.url, seats=2, limits=QUICK)
            host = asyncio.create_task(meeting.host())
            guest = asyncio.create_task(meeting.join(1))
            await told(host, (TimedOut, LinkError, PlayerLeft), NAMES[1])
            await told(guest, (TimedOut, LinkError, PlayerLeft), f"{NAMES[0]}|host has closed")

    run(main())


def test_a_server_that_says_that_somebody_left_ends_no_table_that_stands():
    async def main():
        async with signalling_server() as server, lying_server(server.url) as liar:
            meeting = make_meeting(liar.url, seats=3)
            async with meeting.meshes() as meshes:
                for number in range(3):
                    for place, who in enumerate(("c1", "c2", "c3")):
                        gone = {"t": "peer", "id": who, "place": place, "state": "left"}
                        await liar.say(number, gone)
                # They heard it, and look after their places at the server.
                await until(lambda: [m["t"] for _, m in liar.seen].count("knock") >= 4)
                await until(lambda: [m["t"] for _, m in liar.seen].count("create") >= 2)
                await check_talk(meshes)
                states = [mesh.state(other) for mesh in meshes for other in mesh.others]
                assert set(states) == {LinkState.HERE}

    run(main())


# --- strangers, and players who were sent away ---


def test_a_stranger_who_guesses_is_kept_out_and_everybody_hears_of_it():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server.url, seats=3)
            host = asyncio.create_task(meeting.host())
            work = await seated(meeting, 1)
            first = meeting.invites[0]
            wrong = Invite(room=first.room, words=WRONG_WORDS)
            for _ in range(admission.MAX_STRIKES):
                await told(meeting.join(4, invite=wrong), WrongCode, "does not fit this table")
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.CODE_BURNT)))
                assert len(told_of(meeting, name, Phase.WRONG_CODE)) == admission.MAX_STRIKES
                assert "until the host changed it" in told_of(meeting, name, Phase.CODE_BURNT)[0]
            # Even the right words of before are worth nothing now.
            await told(meeting.join(4, invite=first), WrongCode, "does not fit this table")
            meshes = await asyncio.gather(host, *work, meeting.join(2))
            assert [seat.name for seat in meshes[0].roster.seats] == list(NAMES[:3])
            await close(meshes)

    run(main())


def test_a_player_who_was_sent_away_is_kept_out_and_everybody_hears_of_it():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server.url, seats=3)
            banned = {TOOLKITS[4].public_key: "Eve"}
            host = asyncio.create_task(meeting.host(banned=banned))
            work = await seated(meeting, 1)
            await told(meeting.join(4), Banned, "sent away from this table")
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.BANNED_KNOCKED)))
                [sentence] = told_of(meeting, name, Phase.BANNED_KNOCKED)
                assert "Eve, who was sent away from this table, tried to come back" in sentence
            meshes = await asyncio.gather(host, *work, meeting.join(2))
            await close(meshes)

    run(main())


def test_a_forged_runner_gets_no_seat_and_everybody_hears_of_it():
    async def main():
        async with signalling_server() as server:
            meeting = make_meeting(server.url, seats=3)
            host = asyncio.create_task(meeting.host())
            work = await seated(meeting, 1)
            forged = {
                "runner": TOOLKITS[1].public_key,
                "runner_signature": sign_runner(TOOLKITS[4].public_key, TOOLKITS[4].signer),
            }
            await told(meeting.join(4, **forged), SignalingError, "has not signed for it")
            for name in NAMES[:2]:
                await until(lambda who=name: bool(told_of(meeting, who, Phase.FALSE_RUNNER)))
                [sentence] = told_of(meeting, name, Phase.FALSE_RUNNER)
                assert "Eve claimed a runner who has not signed for it" in sentence
            meshes = await asyncio.gather(host, *work, meeting.join(2))
            await close(meshes)

    run(main())


# --- a lying host ---


def test_a_host_between_two_guests_cannot_make_their_safety_words_equal():
    """It sits in each one's place at the other's table: only the words, read aloud, tell."""

    async def main():
        async with signalling_server() as server:
            network = MemoryNetwork(OsEntropy())
            tables = [Meeting(server.url, seats=2, connector=network) for _ in range(2)]
            hosts = [asyncio.create_task(table.host()) for table in tables]
            guests = [await table.join(index) for index, table in enumerate(tables, 1)]
            words = [words_at(safety_numbers(mesh.session_id)) for mesh in guests]
            assert words[0] != words[1]
            await close([*guests, *[await host for host in hosts]])

    run(main())


def test_a_host_who_gives_a_seat_a_false_runner_is_found_out_by_the_seat():
    """The others find it out by the card, which has no signature of that runner."""

    async def main(monkeypatch):
        original = admission.HostAdmission.make_roster

        def lie(self, epoch):
            roster = original(self, epoch)
            seats = list(roster.seats)
            seats[1] = dataclasses.replace(seats[1], runner=seats[0].public_key)
            return dataclasses.replace(roster, seats=tuple(seats))

        monkeypatch.setattr(admission.HostAdmission, "make_roster", lie)
        async with signalling_server() as server:
            meeting = make_meeting(server.url, seats=3)
            host = asyncio.create_task(meeting.host())
            work = [*await seated(meeting, 1), asyncio.create_task(meeting.join(2))]
            await told(work[0], SignalingError, "has changed our entry")
            await told(work[1], (PlayerLeft, TableRefused), f"{NAMES[1]}")
            await told(host, (PlayerLeft, SignalingError), f"{NAMES[1]}")

    with pytest.MonkeyPatch.context() as monkeypatch:
        run(main(monkeypatch))
