"""The room machine, one rule per test."""

import pytest

from signaling.effects import CloseCode
from tests.signaling.support import Bench, error, peer, pub

GRACE = 600.0


def test_hello_is_welcomed_with_the_limits():
    bench = Bench()

    ((to, welcome),) = bench.hello(1)

    assert to == 1
    assert len(welcome.pop("resume")) == 22
    assert welcome == {
        "t": "welcome",
        "v": 1,
        "id": "c1",
        "motd": None,
        "ice": [],
        "limits": {"body": 12288, "relay": 65000, "relay_rate": 262144, "msg_rate": 60},
        "pow": None,
    }


def test_hello_comes_first_and_once():
    bench = Bench()
    bench.open(1)

    assert bench.say(1, t="list") == [(1, error("bad", "list"))]
    assert bench.raw(1, b"\x01x") == [(1, error("bad", "relay"))]
    bench.hello(2)
    assert bench.say(2, t="hello", v=1) == [(2, error("bad", "hello"))]


def test_a_host_gets_a_room_and_a_guest_a_place():
    bench = Bench()
    bench.hello(1)
    ((_, created),) = bench.say(1, t="create", seats=4, host=pub(1))
    code = created["room"]
    assert created == {"t": "created", "room": code, "place": 0, "window_s": 300}
    bench.now += 88
    bench.hello(2)

    lobby = {
        "t": "lobby",
        "room": code,
        "place": 1,
        "host": {"id": "c1", "pub": pub(1)},
        "window_s": 212,
    }
    knock = {"t": "knock", "id": "c2", "place": 1, "pub": pub(2)}
    assert bench.say(2, t="knock", room=code.lower(), pub=pub(2)) == [(2, lobby), (1, knock)]


def test_guests_learn_of_each_other():
    bench = Bench()
    code = bench.table(2)
    bench.hello(4)

    said = bench.say(4, t="knock", room=code, pub=pub(4))

    assert said[1:] == [
        (4, peer(bench, 2, 1, "here")),
        (4, peer(bench, 3, 2, "here")),
        (1, {"t": "knock", "id": "c4", "place": 3, "pub": pub(4)}),
        (2, peer(bench, 4, 3, "here")),
        (3, peer(bench, 4, 3, "here")),
    ]


def test_a_body_goes_to_one_member_unchanged():
    bench = Bench()
    bench.table(2)

    received = {"t": "recv", "from": "c2", "n": 7, "body": "aGk="}
    assert bench.say(2, t="send", to="c3", n=7, body="aGk=") == [(3, received)]


@pytest.mark.parametrize(
    ("to", "code", "retry_ms"), [("c2", "bad", 0), ("c9", "gone", 0), ("c3", "gone", 2000)]
)
def test_a_body_needs_a_receiver_that_is_there(to, code, retry_ms):
    bench = Bench()
    bench.table(2)
    bench.drop(3)

    said = bench.say(2, t="send", to=to, n=1, body="")

    assert said == [(2, error(code, "send", retry_ms))]


def test_nothing_crosses_from_room_to_room():
    bench = Bench()
    bench.table(1)
    other = bench.create(11)
    bench.join(12, other)

    said = bench.say(2, t="send", to=bench.ids[12], n=1, body="")
    assert said == [(2, error("gone", "send"))]
    assert bench.raw(2, b"\x02x") == [(2, error("gone", "relay"))]
    assert bench.frames == []


# --- the window ---


def test_the_window_closes_by_itself():
    bench = Bench()
    code = bench.create(1, ttl=60)
    bench.hello(2)
    bench.now += 60

    assert bench.say(2, t="knock", room=code, pub=pub(2)) == [(2, error("window_closed", "knock"))]
    assert bench.say(1, t="open", ttl=30) == []
    assert bench.join(3, code) == 1


def test_the_host_closes_and_opens_the_window():
    bench = Bench()
    code = bench.create(1)
    bench.say(1, t="close")
    bench.hello(2)

    assert bench.say(2, t="knock", room=code, pub=pub(2)) == [(2, error("window_closed", "knock"))]
    bench.say(1, t="open")
    assert bench.say(2, t="knock", room=code, pub=pub(2))[0][1]["window_s"] == 300


def test_a_full_room_refuses_and_its_window_stays_closed_when_a_guest_leaves():
    bench = Bench()
    code = bench.create(1, seats=2)
    assert bench.join(2, code) == 1
    bench.hello(3)

    assert bench.say(3, t="knock", room=code, pub=pub(3)) == [(3, error("full", "knock"))]
    assert bench.say(1, t="open") == [(1, error("full", "open"))]
    bench.say(2, t="leave")
    assert bench.say(3, t="knock", room=code, pub=pub(3)) == [(3, error("window_closed", "knock"))]
    assert bench.say(1, t="open") == []
    assert bench.say(3, t="knock", room=code, pub=pub(3))[0][1]["t"] == "lobby"


def test_a_kick_frees_the_place_that_a_wrong_guess_filled():
    bench = Bench()
    code = bench.create(1, seats=2)
    bench.join(2, code)

    said = bench.say(1, t="kick", id="c2")

    assert said == [(2, peer(bench, 2, 1, "left")), (1, peer(bench, 2, 1, "left"))]
    bench.now += 299
    assert bench.join(3, code) == 1


def test_a_kick_does_not_reopen_a_window_that_ran_out():
    bench = Bench()
    code = bench.create(1, seats=2)
    bench.join(2, code)
    bench.now += 300
    bench.say(1, t="kick", id="c2")
    bench.hello(3)

    assert bench.say(3, t="knock", room=code, pub=pub(3)) == [(3, error("window_closed", "knock"))]


@pytest.mark.parametrize(
    "message", [{"t": "open"}, {"t": "close"}, {"t": "kick", "id": "c1"}], ids=lambda m: m["t"]
)
def test_only_the_host_commands_the_room(message):
    bench = Bench()
    bench.table(2)
    bench.hello(9)

    assert bench.say(2, **message) == [(2, error("bad", message["t"]))]
    assert bench.say(9, **message) == [(9, error("bad", message["t"]))]


def test_a_kick_needs_somebody_to_kick():
    bench = Bench()
    bench.table(1)

    assert bench.say(1, t="kick", id="c1") == [(1, error("bad", "kick"))]
    assert bench.say(1, t="kick", id="c7") == [(1, error("gone", "kick"))]


def test_a_kicked_guest_cannot_resume_and_may_knock_elsewhere():
    bench = Bench()
    bench.table(2)
    other = bench.create(11)

    said = bench.say(1, t="kick", id="c2")

    assert said == [(to, peer(bench, 2, 1, "left")) for to in (2, 1, 3)]
    assert bench.say(2, t="knock", room=other, pub=pub(2))[0][1]["room"] == other
    bench.say(11, t="kick", id="c2")
    bench.drop(2)
    assert bench.hello(12, resume=bench.tokens[2])[1] == (12, error("gone", "hello"))


@pytest.mark.parametrize(
    "message",
    [
        {"t": "create", "seats": 2, "host": pub(2)},
        {"t": "knock", "room": "00000", "pub": pub(2)},
    ],
    ids=lambda m: m["t"],
)
def test_one_connection_has_one_place(message):
    bench = Bench()
    bench.table(1)

    assert bench.say(1, **message) == [(1, error("bad", message["t"]))]
    assert bench.say(2, **message) == [(2, error("bad", message["t"]))]


@pytest.mark.parametrize(
    "message",
    [{"t": "leave"}, {"t": "send", "to": "c1", "n": 1, "body": ""}],
    ids=lambda m: m["t"],
)
def test_without_a_place_there_is_nobody_to_talk_to(message):
    bench = Bench()
    bench.hello(1)

    assert bench.say(1, **message) == [(1, error("bad", message["t"]))]
    assert bench.raw(1, b"\x00x") == [(1, error("bad", "relay"))]


def test_an_unknown_code_has_no_room():
    bench = Bench()
    bench.hello(1)

    assert bench.say(1, t="knock", room="00000", pub=pub(1)) == [(1, error("no_room", "knock"))]


# --- leaving, losing and resuming a connection ---


def test_a_lost_connection_is_away_and_comes_back_to_its_place():
    bench = Bench()
    code = bench.table(2)

    assert bench.drop(2) == [(1, peer(bench, 2, 1, "away")), (3, peer(bench, 2, 1, "away"))]
    bench.say(1, t="close")
    bench.now += GRACE - 1
    said = bench.hello(12, resume=bench.tokens[2])

    assert bench.ids[12] == "c2"
    assert bench.tokens[12] == bench.tokens[2]
    lobby = said[3][1]
    assert said == [
        (12, said[0][1]),
        (1, peer(bench, 2, 1, "here")),
        (3, peer(bench, 2, 1, "here")),
        (12, lobby),
        (12, peer(bench, 3, 2, "here")),
    ]
    assert (lobby["t"], lobby["room"], lobby["place"]) == ("lobby", code, 1)
    assert bench.say(3, t="send", to="c2", n=1, body="")[0][0] == 12


def test_a_host_comes_back_to_its_room():
    bench = Bench()
    code = bench.table(2)
    bench.drop(3)
    bench.drop(1)
    bench.hello(9)

    away = bench.say(9, t="knock", room=code, pub=pub(9))
    said = bench.hello(11, resume=bench.tokens[1])

    assert away == [(9, error("gone", "knock", 2000))]
    assert said[1:] == [
        (2, peer(bench, 1, 0, "here")),
        (11, {"t": "created", "room": code, "place": 0, "window_s": 300}),
        (11, peer(bench, 2, 1, "here")),
        (11, peer(bench, 3, 2, "away")),
    ]
    assert bench.say(11, t="open") == []


def test_a_guest_that_comes_back_learns_that_the_host_is_away():
    bench = Bench()
    bench.table(1)
    bench.drop(1)
    bench.drop(2)

    said = bench.hello(12, resume=bench.tokens[2])

    assert said[1][1]["t"] == "lobby"
    assert said[2:] == [(12, peer(bench, 1, 0, "away"))]


def test_a_second_connection_with_the_token_replaces_the_first():
    bench = Bench()
    bench.table(1)

    said = bench.hello(12, resume=bench.tokens[2])

    assert said[1] == (1, peer(bench, 2, 1, "here"))
    assert bench.closed == {2: CloseCode.REPLACED}
    assert bench.say(2, t="list") == []
    assert bench.drop(2) == []
    assert bench.say(1, t="send", to="c2", n=1, body="")[0][0] == 12


def test_an_old_token_still_gets_a_welcome():
    bench = Bench()

    said = bench.hello(1, resume="A" * 22)

    assert [message["t"] for _, message in said] == ["welcome", "error"]
    assert said[1] == (1, error("gone", "hello"))
    assert bench.say(1, t="list")[0][1]["t"] == "rooms"


def test_a_guest_leaves():
    bench = Bench()
    code = bench.table(2)

    assert bench.say(2, t="leave") == [
        (1, peer(bench, 2, 1, "left")),
        (3, peer(bench, 2, 1, "left")),
    ]
    assert bench.join(4, code) == 1  # the lowest free place


def test_a_room_ends_when_its_host_leaves():
    bench = Bench()
    code = bench.table(1)

    assert bench.say(1, t="leave") == [(2, peer(bench, 1, 0, "left"))]
    assert bench.say(2, t="knock", room=code, pub=pub(2)) == [(2, error("no_room", "knock"))]
    assert len(bench.store) == 0


def test_a_room_outlives_its_hosts_connection_by_the_grace_time():
    bench = Bench()
    bench.table(1)
    bench.drop(1)

    assert bench.wait(GRACE - 1) == []
    assert bench.wait(1) == [(2, peer(bench, 1, 0, "left"))]
    assert bench.hello(11, resume=bench.tokens[1])[1] == (11, error("gone", "hello"))


def test_a_place_whose_time_has_run_out_is_gone_even_before_the_sweep():
    bench = Bench()
    bench.table(1)
    bench.drop(1)
    bench.drop(2)
    bench.now += GRACE

    assert bench.hello(11, resume=bench.tokens[1])[1] == (11, error("gone", "hello"))
    assert bench.hello(12, resume=bench.tokens[2])[1] == (12, error("gone", "hello"))


def test_nobody_resumes_in_a_room_whose_host_has_run_out():
    bench = Bench()
    bench.table(1)
    bench.drop(1)
    bench.now += GRACE
    bench.drop(2)

    assert bench.hello(12, resume=bench.tokens[2])[1] == (12, error("gone", "hello"))


def test_a_room_lives_as_long_as_its_host_is_connected():
    bench = Bench()
    code = bench.create(1)

    bench.wait(100_000)

    bench.say(1, t="open")
    assert bench.join(2, code) == 1


def test_a_guest_whose_place_ran_out_needs_no_window_to_come_back():
    bench = Bench()
    code = bench.table(1)
    bench.say(1, t="close")
    bench.drop(2)
    assert bench.wait(GRACE) == [(1, peer(bench, 2, 1, "left"))]
    bench.hello(3)

    said = bench.say(3, t="knock", room=code, pub=pub(3))
    assert said == [(3, error("window_closed", "knock"))]
    assert bench.say(3, t="knock", room=code, pub=pub(2))[0][1]["place"] == 1
    bench.say(3, t="leave")
    again = bench.say(3, t="knock", room=code, pub=pub(2))
    assert again == [(3, error("window_closed", "knock"))]


def test_a_knock_with_the_key_of_an_away_guest_takes_its_place_over():
    bench = Bench()
    code = bench.create(1, seats=2)
    bench.join(2, code)
    bench.drop(2)
    bench.now += 400
    bench.hello(3)

    said = bench.say(3, t="knock", room=code, pub=pub(2))

    assert said[0] == (1, peer(bench, 2, 1, "left"))
    assert said[1][1]["place"] == 1
    assert said[2:] == [(1, {"t": "knock", "id": "c3", "place": 1, "pub": pub(2)})]
    assert bench.hello(12, resume=bench.tokens[2])[1] == (12, error("gone", "hello"))


def test_nobody_takes_a_place_over_while_its_owner_is_there():
    bench = Bench()
    code = bench.table(1)
    bench.hello(3)

    assert bench.say(3, t="knock", room=code, pub=pub(2)) == [(3, error("full", "knock", 5000))]
    assert bench.say(3, t="knock", room=code, pub=pub(1)) == [(3, error("bad", "knock"))]


def test_after_a_restart_a_host_takes_its_old_code_again():
    bench = Bench()
    bench.hello(1)
    bench.hello(2)
    create = {"t": "create", "seats": 2, "room": "k7q2m"}

    ((_, created),) = bench.say(1, host=pub(1), **create)

    assert created["room"] == "K7Q2M"
    assert bench.say(2, host=pub(2), **create) == [(2, error("gone", "create"))]


# --- the list ---


def test_only_listed_rooms_that_can_be_joined_are_listed():
    bench = Bench()
    code = bench.create(1, listed=True, meta={"title": "Çay", "rules": "101-rising"})
    bench.create(2)
    for number in (3, 4, 5):
        bench.create(number, seats=2, listed=True)
    bench.join(13, next(r.code for r in bench.store.all() if r.host.id == "c3"))
    bench.say(4, t="close")
    bench.drop(5)
    bench.now += 7.9

    ((_, listing),) = bench.say(1, t="list", cursor=None)

    room = {"room": code, "title": "Çay", "rules": "101-rising", "seats": 4, "free": 3}
    assert listing == {
        "t": "rooms",
        "rooms": [{**room, "age": 7, "host": pub(1)}],
        "cursor": None,
    }


def test_the_list_comes_in_pages():
    bench = Bench(list_page=2)
    codes = {bench.create(number, listed=True) for number in range(1, 6)}
    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor is not None:
        ((_, listing),) = bench.say(1, t="list", cursor=cursor)
        seen += [room["room"] for room in listing["rooms"]]
        cursor, pages = listing["cursor"], pages + 1

    assert pages == 3
    assert sorted(codes) == seen


# --- the relay ---


def test_a_relay_frame_arrives_with_the_senders_place():
    bench = Bench()
    bench.table(2)

    assert bench.raw(2, b"\x02payload") == []
    assert bench.raw(3, b"\x00") == []
    assert bench.frames == [(3, b"\x01payload"), (1, b"\x02")]


@pytest.mark.parametrize(
    ("frame", "code", "retry_ms"),
    [
        (b"", "bad", 0),
        (b"\x01x", "bad", 0),
        (b"\x03x", "gone", 0),
        (b"\xffx", "gone", 0),
        (b"\x02x", "gone", 2000),
        (bytes(65_002), "too_big", 0),
    ],
)
def test_a_relay_frame_that_cannot_be_delivered_is_refused(frame, code, retry_ms):
    bench = Bench()
    bench.table(2)
    bench.drop(3)

    assert bench.raw(2, frame) == [(2, error(code, "relay", retry_ms))]
    assert bench.frames == []


def test_a_fast_relay_is_slowed_and_loses_nothing():
    bench = Bench(relay_bytes_per_second=1000, relay_burst_bytes=2000)
    bench.table(1)

    for _ in range(3):
        bench.raw(2, bytes(1000))

    assert len(bench.frames) == 3
    assert bench.pauses == {2: 1.0}


def test_empty_relay_frames_are_not_free():
    bench = Bench(relay_burst_bytes=1024, relay_bytes_per_second=512)
    bench.table(1)

    for _ in range(4):
        bench.raw(2, b"\x00")

    assert bench.pauses == {2: 2.0}


def test_a_room_may_relay_so_much_an_hour():
    bench = Bench(relay_bytes_per_room_hour=3600)
    bench.table(1)

    assert bench.raw(2, b"\x00" + bytes(3600)) == []
    assert bench.raw(1, b"\x01" + bytes(2)) == [(1, error("rate", "relay", 2000))]
    bench.now += 2
    assert bench.raw(1, b"\x01" + bytes(2)) == []


def test_the_relay_can_be_switched_off():
    bench = Bench(relay_bytes=0)
    assert bench.hello(9)[0][1]["limits"]["relay"] == 0
    bench.table(1)

    assert bench.raw(2, b"\x00x") == [(2, error("bad", "relay"))]


# --- limits ---


def test_an_address_creates_so_many_rooms_an_hour():
    bench = Bench(rooms_per_hour=2)
    bench.hello(1)
    create = {"t": "create", "seats": 2, "host": pub(1)}
    for _ in range(2):
        assert bench.say(1, **create)[0][1]["t"] == "created"
        bench.say(1, t="leave")

    assert bench.say(1, **create) == [(1, error("rate", "create", 1_800_000))]
    bench.hello(2, address="192.0.2.2")
    assert bench.say(2, **create)[0][1]["t"] == "created"
    bench.now += 1800
    assert bench.say(1, **create)[0][1]["t"] == "created"


def test_an_address_knocks_so_often_a_minute():
    bench = Bench(knocks_per_minute=3)
    for number in range(1, 5):
        bench.hello(number)
    knock = {"t": "knock", "room": "00000", "pub": pub(1)}
    said = [bench.say(number, **knock)[0][1] for number in range(1, 5)]

    assert [error("no_room", "knock")] * 3 + [error("rate", "knock", 20_000)] == said


def test_a_connection_sends_so_fast():
    bench = Bench(messages_per_second=10, message_burst=5)
    bench.hello(1)
    answers = [bench.say(1, t="list")[0][1] for _ in range(5)]

    assert [answer["t"] for answer in answers[:4]] == ["rooms"] * 4
    assert answers[4] == error("rate", "list", 100)
    bench.now += 0.1
    assert bench.say(1, t="list")[0][1]["t"] == "rooms"


def test_a_connection_that_is_always_refused_is_closed():
    bench = Bench(messages_per_second=10, message_burst=5)
    bench.hello(1)

    said = [bench.raw(1, "x") for _ in range(8)]

    assert [len(one) for one in said] == [1, 1, 1, 1, 1, 1, 0, 0]
    assert bench.closed == {1: CloseCode.POLICY}


def test_an_address_opens_so_many_connections():
    bench = Bench(sockets_per_address=2)
    bench.hello(1)
    bench.hello(2)

    assert bench.open(3) == [(3, error("rate", "", 60_000))]
    assert bench.closed == {3: CloseCode.TRY_LATER}
    assert bench.say(3, t="hello", v=1) == []
    assert bench.drop(3) == []
    assert bench.open(4, address="192.0.2.2") == []
    bench.drop(1)
    assert bench.open(5) == []


def test_the_server_has_room_for_so_many():
    bench = Bench(connections=2, rooms=1)
    bench.create(1)
    bench.hello(2, address="192.0.2.2")

    said = bench.say(2, t="create", seats=2, host=pub(2))
    assert said == [(2, error("rate", "create", 60_000))]
    assert bench.open(3, address="192.0.2.3") == [(3, error("rate", "", 60_000))]


def test_who_never_says_hello_is_closed():
    bench = Bench()
    bench.open(1)
    bench.hello(2)

    bench.wait(9.9)
    assert bench.closed == {}
    bench.wait(0.1)
    assert bench.closed == {1: CloseCode.POLICY}


def test_colliding_codes_are_tried_again_and_not_for_ever():
    bench = Bench()
    bench.rooms._entropy = lambda size: bytes(size)
    bench.hello(1)
    bench.hello(2)

    assert bench.say(1, t="create", seats=2, host=pub(1))[0][1]["room"] == "00000"
    said = bench.say(2, t="create", seats=2, host=pub(2))
    assert said == [(2, error("rate", "create", 60_000))]


def test_everybody_hears_the_farewell():
    bench = Bench()
    bench.hello(1)
    bench.open(2)

    bye = {"t": "bye", "retry_ms": 3000}
    assert bench._note(bench.rooms.farewell(3000)) == [(1, bye), (2, bye)]
