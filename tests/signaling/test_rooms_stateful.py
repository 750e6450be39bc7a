"""Any order of events keeps the rooms consistent; a plain model says who gets in."""

from dataclasses import dataclass, field

from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from signaling.messages import ErrorCode
from tests.signaling.support import Bench, pub

GRACE = 50.0
WINDOW = 100
KEYS = st.sampled_from("abcdef")


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

    connections = Bundle("connections")
    codes = Bundle("codes")
    tokens = Bundle("tokens")

    def __init__(self):
        super().__init__()
        plenty = {"messages_per_second": 10**6, "message_burst": 10**6, "rooms_per_hour": 10**6}
        self.bench = Bench(
            grace_s=GRACE,
            window_s=WINDOW,
            knocks_per_minute=10**6,
            sockets_per_address=10**6,
            hello_s=10**9,
            **plenty,
        )
        self.number = 0
        self.model: dict[str, ModelRoom] = {}
        self.open: set[int] = set()

    # --- helpers ---

    def place_of(self, number):
        for code, room in self.model.items():
            for place, holder in room.places.items():
                if holder.connection == number:
                    return code, place
        return None

    def members(self, code):
        return {h.connection for h in self.model[code].places.values() if h.connection is not None}

    def remove(self, code, place, *, may_return=False):
        if place == 0:
            del self.model[code]
        else:
            holder = self.model[code].places.pop(place)
            if may_return:
                self.model[code].former.add(holder.key)

    def check(self, said, number=None, room=()):
        """Only open connections hear anything, and only the sender and its room do."""
        heard = {to for to, _ in said}
        assert heard <= self.open
        if number is not None:
            assert heard <= {number, *room}
        errors = [(to, message) for to, message in said if message["t"] == "error"]
        assert len(errors) <= 1
        for to, message in errors:
            assert to == number
            assert message["code"] in set(ErrorCode)
        for to, message in said:
            if message["t"] == "welcome":
                assert to == number
        return errors[0][1]["code"] if errors else None

    # --- events ---

    @rule(target=connections)
    def arrive(self):
        self.number += 1
        self.open.add(self.number)
        self.check(self.bench.hello(self.number), self.number)
        return self.number

    @rule(target=connections, token=tokens)
    def resume(self, token):
        found = next(
            (
                (code, place, holder)
                for code, room in self.model.items()
                for place, holder in room.places.items()
                if holder.token == token
            ),
            None,
        )
        self.number += 1
        number = self.number
        self.open.add(number)
        room = () if found is None else self.members(found[0])
        error = self.check(self.bench.hello(number, resume=token), number, room)
        assert error == ("gone" if found is None else None)
        if found is not None:
            if found[2].connection is not None:
                assert found[2].connection in self.bench.closed
            found[2].connection = number
        return number

    @rule(number=connections)
    def drop(self, number):
        place = self.place_of(number)
        room = () if place is None else self.members(place[0])
        self.open.discard(number)
        self.check(self.bench.drop(number), number, room)
        if place is not None:
            holder = self.model[place[0]].places[place[1]]
            holder.connection, holder.away_since = None, self.bench.now

    def is_live(self, number):
        return number in self.open and number not in self.bench.closed

    @rule(target=codes, number=connections, seats=st.integers(2, 4), key=KEYS)
    def create(self, number, seats, key):
        assume(self.is_live(number))
        said = self.bench.say(number, t="create", seats=seats, host=pub(key))
        error = self.check(said, number)
        if self.place_of(number) is not None:
            assert error == "bad"
            return "00000"
        code = said[0][1]["room"]
        holder = Holder(key=key, connection=number, token=self.bench.tokens[number])
        self.model[code] = ModelRoom(seats, self.bench.now + WINDOW, {0: holder})
        return code

    def expect(self, number, code, key):
        """What the model says about a knock: an error, or the place."""
        room = self.model.get(code)
        if self.place_of(number) is not None:
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

    @rule(number=connections, code=codes, key=KEYS)
    def knock(self, number, code, key):
        assume(self.is_live(number))
        expected = self.expect(number, code, key)
        room = self.members(code) if code in self.model else ()
        said = self.bench.say(number, t="knock", room=code, pub=pub(key))
        error = self.check(said, number, room)
        if isinstance(expected, str):
            assert expected == error
            return
        assert expected == next(m["place"] for _, m in said if m["t"] == "lobby")
        known = self.model[code]
        known.places[expected] = Holder(key, number, self.bench.tokens[number])
        known.filled = known.filled or len(known.places) == known.seats
        known.former.discard(key)

    @rule(number=connections)
    def leave(self, number):
        assume(self.is_live(number))
        place = self.place_of(number)
        room = () if place is None else self.members(place[0])
        error = self.check(self.bench.say(number, t="leave"), number, room)
        assert error == ("bad" if place is None else None)
        if place is not None:
            self.remove(*place)

    @rule(number=connections, target_number=connections)
    def kick(self, number, target_number):
        assume(self.is_live(number))
        place = self.place_of(number)
        room = () if place is None else self.members(place[0])
        said = self.bench.say(number, t="kick", id=self.bench.ids[target_number])
        error = self.check(said, number, room)
        if place is None or place[1] != 0:
            assert error == "bad"
        elif error is None:
            token = self.bench.tokens[target_number]
            places = self.model[place[0]].places
            self.remove(place[0], next(p for p, h in places.items() if h.token == token))
            self.model[place[0]].filled = False

    @rule(number=connections, ttl=st.sampled_from([0, 1, 30, None]))
    def open_window(self, number, ttl):
        assume(self.is_live(number))
        place = self.place_of(number)
        error = self.check(self.bench.say(number, t="open", ttl=ttl), number)
        if place is None or place[1] != 0:
            assert error == "bad"
            return
        room = self.model[place[0]]
        if len(room.places) == room.seats:
            assert error == "full"
            return
        assert error is None
        room.until, room.filled = self.bench.now + (WINDOW if ttl is None else ttl), False

    @rule(number=connections)
    def close_window(self, number):
        assume(self.is_live(number))
        place = self.place_of(number)
        error = self.check(self.bench.say(number, t="close"), number)
        assert error == (None if place is not None and place[1] == 0 else "bad")
        if error is None:
            self.model[place[0]].until = self.bench.now

    @rule(number=connections, other=connections, as_frame=st.booleans())
    def pass_on(self, number, other, as_frame):
        assume(self.is_live(number))
        mine, theirs = self.place_of(number), self.place_of(other)
        reaches = (
            number != other and mine is not None and theirs is not None and mine[0] == theirs[0]
        )
        self.bench.frames.clear()
        if as_frame:
            place = 0 if theirs is None else theirs[1]
            assume(mine is None or theirs is not None)
            assume(reaches or mine is None or mine[0] == theirs[0])
            self.check(self.bench.raw(number, bytes([place]) + b"payload"), number)
            expected = [(other, bytes([mine[1]]) + b"payload")] if reaches else []
            assert expected == self.bench.frames
        else:
            said = self.bench.say(number, t="send", to=self.bench.ids[other], n=1, body="aGk=")
            received = [to for to, message in said if message["t"] == "recv"]
            assert received == ([other] if reaches else [])

    @rule(number=connections, data=st.one_of(st.text(max_size=40), st.binary(max_size=40)))
    def garbage(self, number, data):
        assume(self.is_live(number))
        before = self.bench.store.all()
        self.bench.frames.clear()
        said = self.bench.raw(number, data)
        assert len(said) + len(self.bench.frames) == 1
        assert before == self.bench.store.all()

    @rule(seconds=st.sampled_from([1.0, 20.0, GRACE, 200.0]))
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

    @rule(target=tokens, number=connections)
    def remember(self, number):
        return self.bench.tokens[number]

    # --- what always holds ---

    @invariant()
    def rooms_equal_the_model(self):
        rooms = {
            room.code: {
                member.place: (member.key.text, member.away_since is None)
                for member in room.members
            }
            for room in self.bench.store.all()
        }
        model = {
            code: {
                place: (pub(holder.key), holder.connection is not None)
                for place, holder in room.places.items()
            }
            for code, room in self.model.items()
        }
        assert model == rooms

    @invariant()
    def records_are_well_formed(self):
        for room in self.bench.store.all():
            places = [member.place for member in room.members]
            assert places == sorted(set(places))
            assert places[0] == 0
            assert places[-1] < room.seats
            for field_of in (lambda m: m.id, lambda m: m.key.raw, lambda m: m.token_digest):
                assert len({field_of(member) for member in room.members}) == len(places)
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
        assert len(connections) == len(self.open)
        assert all(connections.by_id(one.id) is one for one in connections.all())


RoomsMachine.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
TestRooms = RoomsMachine.TestCase
