"""Any order of events keeps the rooms consistent; a plain model says who gets in.

Rules that make sense in the state at hand are apart from rules that anybody may try at any time:
with the latter alone nearly all events would be refused.
"""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from signaling.messages import ErrorCode
from tests.signaling.support import Bench, pub

GRACE = 50.0
WINDOW = 100
MOST = 8
KEYS = st.sampled_from("abcdef")
PICK = st.integers(0, 999)
TTL = st.sampled_from([0, 1, 30, None])


@dataclass
class Holder:
    """The model of a place."""

    key: str
    connection: int | None
    token: str
    away_since: float = 0.0


@dataclass
class ModelRoom:
    """The model of a room: places by number, and until when the window is open."""

    seats: int
    until: float
    places: dict[int, Holder]
    filled: bool = False
    former: set[str] = field(default_factory=set)


class RoomsMachine(RuleBasedStateMachine):
    """Drives the real machine and the model with the same events."""

    def __init__(self):
        super().__init__()
        self.bench = Bench(
            grace_s=GRACE,
            window_s=WINDOW,
            hello_s=10**9,
            messages_per_second=10**6,
            message_burst=10**6,
            rooms_per_hour=10**6,
            knocks_per_minute=10**6,
            sockets_per_address=10**6,
        )
        self.number = 0
        self.model: dict[str, ModelRoom] = {}
        self.open: list[int] = []
        self.tokens: list[str] = ["A" * 22]
        self.codes: list[str] = ["00000"]

    # --- who is where, in the model ---

    def seat_of(self, number):
        for code, room in self.model.items():
            for place, holder in room.places.items():
                if holder.connection == number:
                    return code, place
        return None, None

    def loose(self):
        return [number for number in self.open if self.seat_of(number)[0] is None]

    def guests(self):
        return [number for number in self.open if self.seat_of(number)[1] not in (None, 0)]

    def hosts(self):
        return [number for number in self.open if self.seat_of(number)[1] == 0]

    def members(self, code):
        if code not in self.model:
            return set()
        return {h.connection for h in self.model[code].places.values() if h.connection is not None}

    def remove(self, code, place, *, may_return=False):
        if place == 0:
            del self.model[code]
            return
        holder = self.model[code].places.pop(place)
        if may_return:
            self.model[code].former.add(holder.key)

    def check(self, said, number=None, room=()):
        """Only open connections hear anything, and only the sender and its room do."""
        heard = {to for to, _ in said}
        assert heard <= set(self.open)
        if number is not None:
            assert heard <= {number, *room}
        errors = [(to, message) for to, message in said if message["t"] == "error"]
        assert len(errors) <= 1
        assert all(to == number and message["code"] in set(ErrorCode) for to, message in errors)
        assert all(to == number for to, message in said if message["t"] == "welcome")
        return errors[0][1]["code"] if errors else None

    def say(self, number, **message):
        room = self.members(self.seat_of(number)[0])
        return self.check(self.bench.say(number, **message), number, room)

    # --- connections ---

    def connect(self, resume=None, room=()):
        self.number += 1
        self.open.append(self.number)
        error = self.check(self.bench.hello(self.number, resume=resume), self.number, room)
        self.tokens.append(self.bench.tokens[self.number])
        return error

    @initialize(seats=st.integers(2, 4))
    def begin(self, seats):
        self.connect()
        self.connect()
        self.create_room(self.open[0], seats, "a")

    @precondition(lambda self: len(self.open) < MOST)
    @rule()
    def arrive(self):
        assert self.connect() is None

    @precondition(lambda self: len(self.open) < MOST)
    @rule(pick=PICK)
    def resume(self, pick):
        token = self.tokens[pick % len(self.tokens)]
        for code, room in self.model.items():
            for holder in room.places.values():
                if holder.token == token:
                    self.resume_place(token, code, holder)
                    return
        assert self.connect(resume=token) == "gone"

    @precondition(lambda self: len(self.open) < MOST and self.away())
    @rule(pick=PICK)
    def come_back(self, pick):
        away = self.away()
        code, holder = away[pick % len(away)]
        self.resume_place(holder.token, code, holder)

    def away(self):
        return [
            (code, holder)
            for code, room in self.model.items()
            for holder in room.places.values()
            if holder.connection is None
        ]

    def resume_place(self, token, code, holder):
        old = holder.connection
        assert self.connect(resume=token, room=self.members(code)) is None
        if old is not None:
            assert old in self.bench.closed
            assert self.bench.drop(old) == []
            self.open.remove(old)
        holder.connection = self.number

    @precondition(lambda self: self.open)
    @rule(pick=PICK)
    def drop(self, pick):
        number = self.open.pop(pick % len(self.open))
        code, place = self.seat_of(number)
        self.check(self.bench.drop(number), number, self.members(code))
        if code is not None:
            holder = self.model[code].places[place]
            holder.connection, holder.away_since = None, self.bench.now

    # --- what makes sense ---

    def create_room(self, number, seats, key):
        ((_, created),) = self.bench.say(number, t="create", seats=seats, host=pub(key))
        holder = Holder(key=key, connection=number, token=self.bench.tokens[number])
        self.model[created["room"]] = ModelRoom(seats, self.bench.now + WINDOW, {0: holder})
        self.codes.append(created["room"])

    @precondition(lambda self: self.loose() and len(self.model) < 3)
    @rule(pick=PICK, seats=st.integers(2, 4), key=KEYS)
    def create(self, pick, seats, key):
        loose = self.loose()
        self.create_room(loose[pick % len(loose)], seats, key)

    @precondition(lambda self: self.loose() and self.model)
    @rule(pick=PICK, code_pick=PICK, key=KEYS)
    def knock(self, pick, code_pick, key):
        loose, codes = self.loose(), sorted(self.model)
        self.try_knock(loose[pick % len(loose)], codes[code_pick % len(codes)], key)

    @precondition(lambda self: self.guests())
    @rule(pick=PICK)
    def guest_leaves(self, pick):
        number = self.guests()[pick % len(self.guests())]
        code, place = self.seat_of(number)
        assert self.say(number, t="leave") is None
        self.remove(code, place)

    @precondition(lambda self: self.hosts())
    @rule(pick=PICK, member_pick=PICK)
    def host_kicks(self, pick, member_pick):
        number = self.hosts()[pick % len(self.hosts())]
        code, _ = self.seat_of(number)
        guests = sorted(set(self.model[code].places) - {0})
        if not guests:
            return
        place = guests[member_pick % len(guests)]
        token = self.model[code].places[place].token
        member = next(n for n in self.bench.ids if self.bench.tokens[n] == token)
        assert self.say(number, t="kick", id=self.bench.ids[member]) is None
        self.remove(code, place)
        self.model[code].filled = False

    @precondition(lambda self: self.hosts())
    @rule(pick=PICK, ttl=TTL)
    def host_opens(self, pick, ttl):
        number = self.hosts()[pick % len(self.hosts())]
        room = self.model[self.seat_of(number)[0]]
        error = self.say(number, t="open", ttl=ttl)
        if len(room.places) == room.seats:
            assert error == "full"
            return
        assert error is None
        room.until, room.filled = self.bench.now + (WINDOW if ttl is None else ttl), False

    @precondition(lambda self: self.hosts())
    @rule(pick=PICK)
    def host_closes(self, pick):
        number = self.hosts()[pick % len(self.hosts())]
        assert self.say(number, t="close") is None
        self.model[self.seat_of(number)[0]].until = self.bench.now

    # --- what anybody may try ---

    def expect(self, number, code, key):
        """What the model says about a knock: an error, or the place."""
        room = self.model.get(code)
        if self.seat_of(number)[0] is not None:
            return "bad"
        if room is None:
            return "no_room"
        if room.places[0].connection is None:
            return "gone"
        for place, holder in room.places.items():
            if holder.key == key:
                if place == 0:
                    return "bad"
                return place if holder.connection is None else "full"
        free = sorted(set(range(room.seats)) - set(room.places))
        if not free:
            return "full"
        is_open = not room.filled and self.bench.now < room.until
        return free[0] if is_open or key in room.former else "window_closed"

    def try_knock(self, number, code, key):
        expected = self.expect(number, code, key)
        said = self.bench.say(number, t="knock", room=code, pub=pub(key))
        error = self.check(said, number, self.members(code))
        if isinstance(expected, str):
            assert error == expected
            return
        assert [m["place"] for _, m in said if m["t"] == "lobby"] == [expected]
        room = self.model[code]
        room.places[expected] = Holder(key, number, self.bench.tokens[number])
        room.filled = room.filled or len(room.places) == room.seats
        room.former.discard(key)

    @precondition(lambda self: self.open)
    @rule(pick=PICK, code_pick=PICK, key=KEYS)
    def odd_knock(self, pick, code_pick, key):
        code = self.codes[code_pick % len(self.codes)]
        self.try_knock(self.open[pick % len(self.open)], code, key)

    @precondition(lambda self: self.loose() or self.guests())
    @rule(pick=PICK, message=st.sampled_from([{"t": "open"}, {"t": "close"}, {"t": "kick"}]))
    def odd_command(self, pick, message):
        others = self.loose() + self.guests()
        message = {**message, "id": "c1"}
        assert self.say(others[pick % len(others)], **message) == "bad"

    @precondition(lambda self: self.open)
    @rule(pick=PICK)
    def odd_leave(self, pick):
        number = self.open[pick % len(self.open)]
        code, place = self.seat_of(number)
        if place != 0 or pick % 5 == 0:  # rooms shall not end all the time
            assert self.say(number, t="leave") == (None if code is not None else "bad")
            if code is not None:
                self.remove(code, place)

    @precondition(lambda self: self.open)
    @rule(pick=PICK, other_pick=PICK)
    def send(self, pick, other_pick):
        number, other = (self.open[p % len(self.open)] for p in (pick, other_pick))
        code, theirs = self.seat_of(number)[0], self.seat_of(other)[0]
        reaches = number != other and code is not None and code == theirs
        said = self.bench.say(number, t="send", to=self.bench.ids[other], n=1, body="aGk=")
        assert [to for to, m in said if m["t"] == "recv"] == ([other] if reaches else [])
        assert len(said) == 1

    @precondition(lambda self: self.open)
    @rule(pick=PICK, place=st.integers(0, 4))
    def relay(self, pick, place):
        number = self.open[pick % len(self.open)]
        code, mine = self.seat_of(number)
        holder = self.model[code].places.get(place) if code is not None else None
        reaches = holder is not None and holder.connection not in (None, number)
        self.bench.frames.clear()
        error = self.check(self.bench.raw(number, bytes([place]) + b"x"), number)
        expected = [(holder.connection, bytes([mine]) + b"x")] if reaches else []
        assert self.bench.frames == expected
        assert (error is None) == reaches

    @precondition(lambda self: self.open)
    @rule(pick=PICK, data=st.one_of(st.text(max_size=40), st.binary(min_size=9, max_size=40)))
    def garbage(self, pick, data):
        before = self.bench.store.all()
        self.bench.frames.clear()
        said = self.bench.raw(self.open[pick % len(self.open)], data)
        assert len(said) + len(self.bench.frames) == 1
        assert before == self.bench.store.all()

    @rule(seconds=st.sampled_from([1.0, 5.0, 20.0, GRACE]))
    def wait(self, seconds):
        said = self.bench.wait(seconds)
        self.check(said)
        for code in list(self.model):
            for place, holder in sorted(self.model[code].places.items()):
                overdue = self.bench.now - holder.away_since >= GRACE
                if holder.connection is None and overdue:
                    self.remove(code, place, may_return=True)
                    if place == 0:
                        break

    # --- what always holds ---

    @invariant()
    def rooms_equal_the_model(self):
        rooms = {
            room.code: {m.place: (m.key.text, m.away_since is None) for m in room.members}
            for room in self.bench.store.all()
        }
        model = {
            code: {place: (pub(h.key), h.connection is not None) for place, h in r.places.items()}
            for code, r in self.model.items()
        }
        assert model == rooms

    @invariant()
    def records_are_well_formed(self):
        for room in self.bench.store.all():
            places = [member.place for member in room.members]
            assert places == sorted(set(places))
            assert places[0] == 0
            assert places[-1] < room.seats
            for name_of in (lambda m: m.id, lambda m: m.key.raw, lambda m: m.token_digest):
                assert len({name_of(member) for member in room.members}) == len(places)
            assert room.free > 0 or room.window_s(self.bench.now) == 0

    @invariant()
    def connections_and_places_agree(self):
        connections = self.bench.rooms._connections
        held = {
            (member.id, room.code)
            for room in self.bench.store.all()
            for member in room.members
            if member.away_since is None
        }
        assert held == {(one.id, one.room) for one in connections.all() if one.room is not None}
        assert all(connections.by_id(one.id) is one for one in connections.all())

    @invariant()
    def nothing_is_left_behind(self):
        digests = {m.token_digest for room in self.bench.store.all() for m in room.members}
        assert digests == set(self.bench.store._tokens)
        connections = self.bench.rooms._connections
        assert len(connections) == sum(connections._per_address.values()) == len(self.open)
        assert (len(self.open) == 0) == (len(connections._per_address) == 0)


RoomsMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestRooms = RoomsMachine.TestCase
