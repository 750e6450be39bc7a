"""Letting guests in: who knows the words gets a seat, whoever sits in between gets nothing."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import (
    Banned,
    ConnectError,
    Declined,
    LocalProtocolError,
    PasswordNeeded,
    RoomFull,
    SignalingError,
    TooManyGuesses,
    WrongCode,
)
from p2pokey.native.identity import Ed25519Signer
from p2pokey.net.admission import (
    ACCEPT_S,
    ANSWER_S,
    DECIDE_S,
    MAX_BURNS,
    MAX_STRIKES,
    HostAdmission,
)
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.net.host_effects import (
    CodeBurnt,
    GaveUp,
    GuestAdmitted,
    GuestAsks,
    GuestLeft,
    GuestSaid,
    KickGuest,
    Notice,
    SendBody,
    Warned,
)
from p2pokey.net.invites import Invite
from p2pokey.net.knocking import (
    GuestAdmission,
    HostBusy,
    HostDecides,
    HostSaid,
    HostWarned,
    NamesChanged,
    Seated,
    TableShown,
)
from p2pokey.net.toolkit import native_toolkit
from p2pokey.table.roster import (
    commit_nonce,
    encode_roster,
    roster_hash,
    sign_roster,
    sign_runner,
)
from tests.net.support import NAMES, NONCES, ROOM, RULES, TOOLKITS

WORDS = ("lale", "deniz", "kartal")
INVITE = Invite(room=ROOM, words=WORDS, link_secret=bytes(16))
CODE = Invite(room=ROOM, words=WORDS)
LINK = Invite(room=ROOM, link_secret=bytes(16))
WRONG = Invite(room=ROOM, words=("lale", "deniz", "elma"))


def make_host(*, seats=4, invite=INVITE, toolkit=TOOLKITS[0], room_password="", **more):
    return HostAdmission(
        toolkit=toolkit,
        invite=invite,
        seats=seats,
        rules=RULES,
        name=NAMES[0],
        nonce_commit=commit_nonce(toolkit.public_key, NONCES[0]),
        runner=toolkit.public_key,
        room_password=room_password,
        **more,
    )


def make_guest(index=1, *, invite=CODE, host=TOOLKITS[0], name=None, room_password=""):
    toolkit = TOOLKITS[index]
    return GuestAdmission(
        toolkit=toolkit,
        invite=invite,
        host_key=host.public_key,
        name=name or (*NAMES, "Eve")[index],
        nonce_commit=commit_nonce(toolkit.public_key, NONCES[index % 4]),
        runner=toolkit.public_key,
        room_password=room_password,
    )


@dataclasses.dataclass(frozen=True)
class Pretender:
    """A signer that shows somebody else's key and has only its own."""

    public_key: bytes

    def sign(self, message):
        return TOOLKITS[4].signer.sign(message)


class Server:
    """Carries bodies between one host and its guests, and keeps what happened."""

    def __init__(self, host):
        self.host = host
        self.guests = {}
        self.events = {}
        self.effects = []
        self.said = []
        self.now = 0.0
        self.change = lambda sender, body: body

    def add(self, guest_id, guest):
        self.guests[guest_id] = guest
        self.events[guest_id] = []
        guest.knock()
        self.run()

    def run(self):
        """Carries until nobody says anything more."""
        is_talking = True
        while is_talking:
            is_talking = any(list(map(self.carry_guest, list(self.guests))))

    def carry_guest(self, guest_id):
        bodies = self.guests[guest_id].poll()
        for body in bodies:
            self.said.append(decode_body(body).kind)
            self.host.receive(guest_id, self.change(guest_id, body), self.now)
            self.carry_host()
        return bool(bodies)

    def carry_host(self):
        effects = self.host.poll()
        self.effects += effects
        for effect in effects:
            if isinstance(effect, SendBody) and effect.to in self.guests:
                event = self.guests[effect.to].receive(self.change("host", effect.body))
                if event is not None:
                    self.events[effect.to].append(event)
                if isinstance(event, TableShown):
                    self.guests[effect.to].accept()

    def leave(self, guest_id):
        self.guests.pop(guest_id, None)
        self.host.leave(guest_id)
        self.carry_host()

    def of(self, kind):
        return [effect for effect in self.effects if isinstance(effect, kind)]


def guess(server, guest_id, invite=WRONG):
    """A guest with wrong words tries, sees that they are wrong, and leaves."""
    with pytest.raises(WrongCode):
        server.add(guest_id, make_guest(4, invite=invite, name="Eve"))
    server.leave(guest_id)


def fill(server, count=3):
    for index in range(1, count + 1):
        server.add(f"c{index}", make_guest(index))


def signed_roster_body(host, roster=None, signer=None):
    roster = roster or host.make_roster(1)
    signature = sign_roster(roster, signer or host.toolkit.signer)
    routes = ["c0", *host.admitted]
    return encode_body("roster", roster=encode_roster(roster), sig=signature, routes=routes)


# --- the ordinary course ---


def test_three_guests_are_admitted_in_order():
    server = Server(make_host())
    fill(server)
    roster = server.host.make_roster(1)

    assert server.host.is_complete
    assert [effect.name for effect in server.of(GuestAdmitted)] == list(NAMES[1:])
    assert [seat.name for seat in roster.seats] == list(NAMES)
    assert [seat.public_key for seat in roster.seats] == [t.public_key for t in TOOLKITS[:4]]
    shown = TableShown(rules=RULES, seats=4, host_name=NAMES[0])
    assert server.events["c1"] == [
        shown,
        *(NamesChanged(names=NAMES[:count]) for count in (2, 3, 4)),
    ]


def test_the_link_is_another_way_in():
    server = Server(make_host(seats=2))
    server.add("c1", make_guest(invite=LINK))

    assert server.host.is_complete


def test_the_roster_reaches_every_guest():
    server = Server(make_host())
    fill(server)
    for guest_id in server.host.admitted:
        server.host.tell(guest_id, signed_roster_body(server.host))
    server.carry_host()
    seated = [events[-1] for events in server.events.values()]

    assert all(isinstance(event, Seated) for event in seated)
    assert {roster_hash(event.roster) for event in seated} == {
        roster_hash(server.host.make_roster(1))
    }
    assert seated[0].routes == ("c0", "c1", "c2", "c3")


def test_after_the_roster_bodies_pass_both_ways():
    server = Server(make_host(seats=2))
    fill(server, 1)
    server.host.tell("c1", signed_roster_body(server.host))
    server.carry_host()
    server.guests["c1"].tell(encode_body("seat", n=1))
    server.run()
    server.host.tell("c1", encode_body("seats", n=2))
    server.carry_host()

    assert server.of(GuestSaid)[-1].body.kind == "seat"
    assert server.events["c1"][-1].body.kind == "seats"
    assert isinstance(server.events["c1"][-1], HostSaid)


def test_same_names_are_told_apart():
    server = Server(make_host())
    server.add("c1", make_guest(1, name=NAMES[0].upper()))
    server.add("c2", make_guest(2, name=NAMES[0]))
    server.add("c3", make_guest(3, name="A" * 32))

    names = [seat.name for seat in server.host.make_roster(1).seats]
    assert names == ["Ayşe", "AYŞE 2", "Ayşe 3", "A" * 32]


def test_a_guest_who_leaves_frees_the_seat():
    server = Server(make_host(seats=3))
    fill(server, 2)
    server.leave("c1")

    assert not server.host.is_complete
    assert server.of(GuestLeft)[-1].name == NAMES[1]
    server.add("c9", make_guest(3))
    assert [seat.name for seat in server.host.make_roster(1).seats] == [
        NAMES[0],
        NAMES[2],
        NAMES[3],
    ]


# --- wrong words ---


def test_wrong_words_are_told_at_once():
    server = Server(make_host())
    with pytest.raises(WrongCode):
        server.add("c1", make_guest(invite=WRONG))

    assert server.of(GuestAdmitted) == []
    assert server.said == ["pake1"]  # no tag for a host who may only guess at the words


@pytest.mark.parametrize(("host", "guest"), [("masa", ""), ("", "masa"), ("masa", "Masa")])
def test_a_wrong_room_password_is_a_wrong_code(host, guest):
    server = Server(make_host(room_password=host))
    with pytest.raises(WrongCode):
        server.add("c1", make_guest(room_password=guest))


def test_the_right_room_password_lets_in():
    server = Server(make_host(seats=2, room_password="masa"))
    server.add("c1", make_guest(room_password="masa"))

    assert server.host.is_complete


@pytest.mark.parametrize(
    ("host", "guest", "sentence"),
    [
        ("masa", "sandalye", "code or the password does not fit"),
        ("", "masa", "code or the password does not fit"),
    ],
)
def test_a_wrong_password_says_what_may_be_wrong_and_counts_as_a_guess(host, guest, sentence):
    server = Server(make_host(room_password=host))
    for number in range(MAX_STRIKES):
        with pytest.raises(WrongCode, match=sentence):
            server.add(f"c{number}", make_guest(room_password=guest))
        server.leave(f"c{number}")

    assert len(server.of(CodeBurnt)) == 1


@pytest.mark.parametrize("room_password", ["", "  "])
def test_who_comes_without_a_password_is_told_and_has_guessed_at_nothing(room_password):
    server = Server(make_host(seats=2, room_password="masa"))
    for number in range(MAX_STRIKES + 1):
        with pytest.raises(PasswordNeeded, match="asks for a password besides the code"):
            server.add(f"c{number}", make_guest(room_password=room_password))
    assert server.of(CodeBurnt) == server.of(Warned) == []
    assert "pake2" not in server.said
    server.add("late", make_guest(room_password="masa"))
    assert server.host.is_complete


def test_an_older_guest_that_says_nothing_of_a_password_guesses():
    server = Server(make_host(room_password="masa"))

    def forget(sender, body):
        values = decode_body(body).as_dict()
        if sender != "host":
            values.pop("password", None)
        return json.dumps(values).encode()

    server.change = forget
    with pytest.raises(PasswordNeeded):
        server.add("c1", make_guest())
    server.leave("c1")
    assert [warned.notice for warned in server.of(Warned)] == [Notice.WRONG_CODE]


def test_five_failed_guesses_burn_the_code():
    server = Server(make_host())
    for number in range(MAX_STRIKES - 1):
        guess(server, f"e{number}")
    assert server.of(CodeBurnt) == []
    guess(server, "e9")
    burnt = server.of(CodeBurnt)

    assert len(burnt) == 1
    assert burnt[0].invite.room == ROOM
    assert burnt[0].invite.words != WORDS
    assert burnt[0].invite.link_secret != INVITE.link_secret
    with pytest.raises(WrongCode):
        server.add("c1", make_guest(1))
    server.leave("c1")
    server.add("c2", make_guest(2, invite=Invite(room=ROOM, words=burnt[0].invite.words)))
    assert len(server.of(GuestAdmitted)) == 1


def test_guesses_at_the_same_time_do_not_get_more_tries():
    """Answers are what a guesser learns from, so tries under way count as failed ones."""
    host = make_host()
    answered = 0
    for number in range(MAX_STRIKES + 3):
        toolkit = native_toolkit(Ed25519Signer(bytes([100 + number]) * 32))
        host.receive(f"e{number}", first_message(toolkit), 0.0)
        kinds = [decode_body(e.body).kind for e in host.poll() if isinstance(e, SendBody)]
        answered += kinds == ["pake2"]

    assert answered == MAX_STRIKES


def first_message(toolkit):
    guest = make_guest(invite=WRONG)
    guest._toolkit = toolkit
    guest.knock()
    return guest.poll()[0]


def encode_body_from(values):
    return encode_body(values.pop("k"), **values)


def test_a_busy_host_lets_a_friend_try_again():
    server = Server(make_host())
    for number in range(MAX_STRIKES - 1):
        guess(server, f"e{number}")
    stranger = make_guest(4, invite=WRONG)
    stranger.knock()
    server.host.receive("e9", stranger.poll()[0], 0.0)  # answers nothing for a while
    server.carry_host()
    server.add("c1", make_guest(1))
    assert server.events["c1"] == [HostBusy()]

    server.now = ANSWER_S
    server.host.timer(server.now)
    server.carry_host()
    invite = server.of(CodeBurnt)[0].invite
    server.add("c2", make_guest(2, invite=Invite(room=ROOM, words=invite.words)))
    assert isinstance(server.events["c2"][0], TableShown)


def test_a_try_without_an_answer_is_a_failed_guess():
    host = make_host()
    for number in range(MAX_STRIKES):
        guest = make_guest(4, invite=WRONG)
        guest.knock()
        host.receive(f"e{number}", guest.poll()[0], 0.0)
        assert host.next_timer() == ANSWER_S
        host.timer(ANSWER_S - 0.001)
        assert not any(isinstance(effect, KickGuest) for effect in host.poll())
        host.timer(ANSWER_S)
        effects = host.poll()
        assert KickGuest(id=f"e{number}") in effects

    assert any(isinstance(effect, CodeBurnt) for effect in effects)
    assert host.next_timer() is None


def test_starting_anew_is_a_failed_guess():
    host = make_host()
    for _ in range(MAX_STRIKES + 1):
        guest = make_guest(4, invite=WRONG)
        guest.knock()
        host.receive("e1", guest.poll()[0], 0.0)

    assert any(isinstance(effect, CodeBurnt) for effect in host.poll())


def test_the_host_gives_up_on_a_persistent_guesser():
    server = Server(make_host())
    for number in range(MAX_STRIKES * MAX_BURNS):
        guess(server, f"e{number}")

    assert isinstance(server.of(GaveUp)[0].error, TooManyGuesses)
    server.add("c1", make_guest(1, invite=Invite(room=ROOM, words=server.host.invite.words)))
    assert server.events["c1"] == [HostBusy()]


def test_a_guest_who_does_not_accept_is_sent_away():
    server = Server(make_host())
    guest = make_guest()
    guest.knock()
    server.host.receive("c1", guest.poll()[0], 0.0)
    [reply] = server.host.poll()
    guest.receive(reply.body)
    server.host.receive("c1", guest.poll()[0], 0.0)
    server.host.poll()
    server.host.timer(ACCEPT_S)

    assert server.host.poll() == [KickGuest(id="c1")]


# --- a table whose players stay together ---


def keys_and_seats(*pairs):
    return {TOOLKITS[index].public_key: seat for index, seat in pairs}


@pytest.mark.parametrize("arrivals", [(1, 2, 4), (4, 2, 1), (2, 4, 1)])
def test_players_who_stay_get_their_own_seats(arrivals):
    """Whoever comes first: the newcomer (4) gets the seat that is nobody's."""
    server = Server(make_host(reserved=keys_and_seats((1, 3), (2, 1)), carry=b"score"))
    for index in arrivals:
        server.add(f"c{index}", make_guest(index, invite=CODE if index == 4 else LINK))
    roster = server.host.make_roster(2)

    assert server.host.is_complete
    assert server.host.admitted == ("c2", "c4", "c1")
    keys = [TOOLKITS[index].public_key for index in (0, 2, 4, 1)]
    assert [seat.public_key for seat in roster.seats] == keys
    assert (roster.epoch, roster.carry) == (2, b"score")
    assert server.events["c4"][0].carry == b"score"


def test_who_stays_needs_no_password_with_the_link_and_all_others_do():
    """Somebody who came back with `resume` may not know it, and the link is theirs alone."""
    server = Server(make_host(reserved=keys_and_seats((1, 1), (2, 2)), room_password="masa"))
    server.add("c1", make_guest(1, invite=LINK))
    assert server.host.admitted == ("c1",)
    for number, guest in enumerate((make_guest(2), make_guest(3, invite=LINK), make_guest(3))):
        with pytest.raises(PasswordNeeded):
            server.add(f"x{number}", guest)
    server.add("c3", make_guest(3, room_password="masa"))
    assert server.host.admitted == ("c1", "c3")


def test_the_key_of_who_stays_opens_nothing_to_somebody_else():
    server = Server(make_host(reserved=keys_and_seats((1, 1)), room_password="masa"))
    liar = make_guest(4, invite=LINK)
    stolen = TOOLKITS[1].public_key
    liar._toolkit = dataclasses.replace(TOOLKITS[4], signer=Pretender(stolen))
    with pytest.raises(SignalingError):
        server.add("c1", liar)
    assert server.host.admitted == ()
    assert server.of(GuestAdmitted) == []


def test_newcomers_do_not_get_seats_that_are_kept():
    server = Server(make_host(reserved=keys_and_seats((1, 1), (2, 2))))
    server.add("c3", make_guest(3))
    with pytest.raises(RoomFull):
        server.add("c4", make_guest(4))
    fill(server, 2)

    assert server.host.admitted == ("c1", "c2", "c3")


def test_two_newcomers_for_the_only_seat_that_is_nobodys():
    server = Server(make_host(seats=3, reserved=keys_and_seats((1, 1))))
    slow = make_guest(2)
    slow.knock()
    server.host.receive("c2", slow.poll()[0], 0.0)
    slow.receive(server.host.poll()[0].body)
    server.host.receive("c2", slow.poll()[0], 0.0)
    slow.receive(server.host.poll()[0].body)
    server.add("c3", make_guest(3))
    slow.accept()
    server.host.receive("c2", slow.poll()[0], 0.0)
    with pytest.raises(RoomFull):
        slow.receive(server.host.poll()[0].body)

    assert server.host.admitted == ("c3",)


def test_a_player_who_was_sent_away_is_refused_and_everybody_hears_of_it():
    server = Server(make_host(banned={TOOLKITS[4].public_key: "Eve"}))
    server.add("c1", make_guest(1))
    for number in range(3):  # with the right words
        with pytest.raises(Banned, match="sent away"):
            server.add(f"e{number}", make_guest(4))
        server.leave(f"e{number}")
    server.add("c2", make_guest(2))
    told = HostWarned(notice=Notice.BANNED, name="Eve")

    assert server.of(Warned) == [Warned(notice=Notice.BANNED, name="Eve")]
    assert [server.events[guest].count(told) for guest in ("c1", "c2")] == [1, 1]
    assert server.host.admitted == ("c1", "c2")
    assert server.of(CodeBurnt) == []  # no guess: it was not even asked for the words


def test_everybody_hears_that_somebody_guesses():
    server = Server(make_host())
    server.add("c1", make_guest(1))
    for number in range(MAX_STRIKES):
        guess(server, f"e{number}")

    wrong = HostWarned(notice=Notice.WRONG_CODE, name="")
    burnt = HostWarned(notice=Notice.CODE_BURNT, name="")
    assert server.events["c1"][2:] == [wrong] * MAX_STRIKES + [burnt]
    server.add("c2", make_guest(2, invite=server.host.invite))
    assert server.events["c2"][1:3] == [wrong, burnt]  # once to whoever comes later


def test_a_score_other_than_the_one_shown_is_refused():
    def change(host):
        return signed_roster_body(
            host, roster=dataclasses.replace(host.make_roster(1), carry=b"false")
        )

    with pytest.raises(SignalingError, match="another score"):
        make_seated(change)


@pytest.mark.parametrize("code", ["news", "", "x" * 32])
def test_notices_of_a_newer_host_are_passed_over(code):
    server = Server(make_host())
    server.add("c1", make_guest(1))
    before = list(server.events["c1"])
    server.host.tell("c1", encode_body("notice", code=code, name="Eve"))
    server.carry_host()

    assert server.events["c1"] == before


# --- public tables ---

PUBLIC = Invite(room=ROOM)


def ask(server, guest_id, index=1, **changes):
    server.add(guest_id, make_guest(index, invite=PUBLIC, **changes))
    return server.of(GuestAsks)[-1]


def test_whoever_comes_without_a_code_waits_for_the_host():
    server = Server(make_host(seats=2, is_listed=True))
    asked = ask(server, "c1")

    assert asked == GuestAsks(id="c1", name=NAMES[1], key=TOOLKITS[1].public_key)
    assert server.events["c1"] == [HostDecides()]  # not even the rules are shown
    assert server.host.admitted == ()
    server.host.decide("c1", True, 1.0)
    server.carry_host()
    server.run()
    assert isinstance(server.events["c1"][1], TableShown)
    assert server.host.admitted == ("c1",)


def test_a_strangers_name_does_not_smear_over_the_question():
    name = "q\u0323\u0303\u0489\u20dd"
    server = Server(make_host(seats=2, is_listed=True))

    assert ask(server, "c1", name=name).name == name[:3]


def test_the_host_may_decline():
    server = Server(make_host(is_listed=True))
    ask(server, "c1")
    with pytest.raises(Declined, match="not let you in"):
        decide_no(server, "c1")

    assert KickGuest(id="c1") in server.effects
    assert server.host.next_timer() is None
    assert server.of(CodeBurnt) == []
    with pytest.raises(Declined):  # at once
        ask(server, "c2")
    assert len(server.of(GuestAsks)) == 1
    server.add("c3", make_guest(1))  # but a friend may give the code
    assert server.host.admitted == ("c3",)


def decide_no(server, guest_id):
    server.host.decide(guest_id, False, 1.0)
    server.carry_host()


def test_a_decision_that_comes_late_changes_nothing():
    server = Server(make_host(seats=2, is_listed=True))
    ask(server, "c1")
    server.host.decide("c1", True, 1.0)
    server.carry_host()
    server.run()
    for is_welcome in (False, True):
        server.host.decide("c1", is_welcome, 2.0)
        assert server.host.poll() == []
    assert server.host.admitted == ("c1",)


def test_a_guest_who_is_not_decided_on_is_sent_away_in_the_end():
    server = Server(make_host(is_listed=True))
    ask(server, "c1")
    server.host.timer(DECIDE_S - 0.001)
    assert server.host.poll() == []
    server.host.timer(DECIDE_S)

    assert server.host.poll() == [KickGuest(id="c1")]
    server.host.decide("c1", True, DECIDE_S)
    assert server.host.poll() == []


def test_accepting_before_the_host_has_decided_gives_no_seat():
    server = Server(make_host(is_listed=True))
    ask(server, "c1")
    server.guests["c1"].tell(encode_body("accept"))
    server.run()

    assert server.host.admitted == ()


def test_a_table_that_is_not_public_has_no_way_without_a_code():
    with pytest.raises(Declined, match="not public"):
        Server(make_host()).add("c1", make_guest(invite=PUBLIC))


def test_a_public_table_has_a_code_for_friends_and_knocks_do_not_burn_it():
    server = Server(make_host(is_listed=True))
    for number in range(MAX_STRIKES + 1):
        guest = make_guest(4, invite=PUBLIC)
        guest.knock()
        server.host.receive(f"e{number}", guest.poll()[0], 0.0)
        server.host.leave(f"e{number}")
    server.carry_host()
    server.add("c1", make_guest(1))

    assert server.of(CodeBurnt) == []
    assert server.host.admitted == ("c1",)


def test_a_password_keeps_strangers_from_knocking_at_a_public_table():
    server = Server(make_host(is_listed=True, room_password="masa"))
    for number in range(MAX_STRIKES):
        with pytest.raises(WrongCode, match="password does not fit"):
            server.add(f"e{number}", make_guest(4, invite=PUBLIC, room_password="kapı"))
        server.leave(f"e{number}")
    assert len(server.of(CodeBurnt)) == 1
    ask(server, "c1", room_password="masa")


# --- who runs a computer player ---


def make_bot(index=2, *, runner=TOOLKITS[1], signed_by=TOOLKITS[1], signed_for=None):
    bot = make_guest(index)
    bot._runner = runner.public_key
    key = (signed_for or TOOLKITS[index]).public_key
    bot._runner_signature = sign_runner(key, signed_by.signer)
    return bot


def test_a_bot_whose_runner_has_signed_gets_a_seat():
    server = Server(make_host())
    server.add("c1", make_guest(1))
    server.add("c2", make_bot())

    seats = server.host.make_roster(1).seats
    assert [seat.runner for seat in seats] == [TOOLKITS[i].public_key for i in (0, 1, 1)]


FORGED = {
    "signed by the bot": lambda: make_bot(signed_by=TOOLKITS[2]),
    "of another bot": lambda: make_bot(signed_for=TOOLKITS[3]),
    "signed by a stranger": lambda: make_bot(signed_by=TOOLKITS[4]),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_runner_is_refused_and_everybody_hears_of_it(name):
    server = Server(make_host())
    server.add("c1", make_guest(1))
    with pytest.raises(SignalingError, match="has not signed for it"):
        server.add("c2", FORGED[name]())

    assert server.host.admitted == ("c1",)
    assert server.of(Warned) == [Warned(notice=Notice.FALSE_RUNNER, name=NAMES[2])]
    assert server.events["c1"][-1] == HostWarned(notice=Notice.FALSE_RUNNER, name=NAMES[2])


def test_a_person_signs_nothing_for_itself():
    person = make_bot(2, runner=TOOLKITS[2], signed_by=TOOLKITS[2])
    with pytest.raises(SignalingError, match="has not signed for it"):
        Server(make_host()).add("c1", person)


# --- somebody in between ---


def test_a_swapped_host_key_is_a_wrong_code():
    server = Server(make_host())
    with pytest.raises(WrongCode):
        server.add("c1", make_guest(host=TOOLKITS[4]))


def test_a_swapped_guest_key_is_a_wrong_code():
    server = Server(make_host())

    def swap(sender, data):
        body = decode_body(data).as_dict()
        if body["k"] == "pake1":
            mine = decode_body(encode_body("x", pub=TOOLKITS[4].public_key)).as_dict()
            return encode_body_from({**body, "pub": mine["pub"]})
        return data

    server.change = swap
    with pytest.raises(WrongCode):
        server.add("c1", make_guest())


def test_a_server_in_the_middle_needs_the_words():
    """It plays the host to the guest and a guest to the host, with a guess at the words."""
    towards_guest = Server(make_host(invite=WRONG, toolkit=TOOLKITS[4]))
    with pytest.raises(WrongCode):
        towards_guest.add("c1", make_guest(host=TOOLKITS[4]))
    towards_host = Server(make_host())
    guess(towards_host, "c1")

    assert towards_guest.host.admitted == towards_host.host.admitted == ()


@pytest.mark.parametrize("field", ["x", "way"])
def test_a_changed_first_message_is_a_wrong_code(field):
    other = make_guest(2)
    other.knock()
    theirs = decode_body(other.poll()[0]).as_dict()
    server = Server(make_host())
    value = "link" if field == "way" else theirs[field]

    def change(sender, data):
        body = decode_body(data).as_dict()
        return encode_body_from({**body, field: value}) if body["k"] == "pake1" else data

    server.change = change
    with pytest.raises(WrongCode):
        server.add("c1", make_guest())


def test_a_changed_tag_of_the_guest_is_a_strike_and_no_seat():
    server = Server(make_host())

    def change(sender, data):
        body = decode_body(data).as_dict()
        if body["k"] == "pake3":
            body["mac"] = "A" * 43
            return encode_body_from(body)
        return data

    server.change = change
    with pytest.raises(WrongCode):
        server.add("c1", make_guest())

    assert KickGuest(id="c1") in server.effects
    assert server.host.admitted == ()


def test_a_seat_needs_the_key_it_names():
    """Whoever knows the words but not the secret key of `pub` gets no seat."""
    guest = make_guest(1)
    guest._toolkit = dataclasses.replace(TOOLKITS[1], signer=FakeSigner(TOOLKITS[1].public_key))
    server = Server(make_host())
    with pytest.raises(SignalingError):
        server.add("c1", guest)

    assert server.host.admitted == ()


class FakeSigner:
    def __init__(self, public_key):
        self.public_key = public_key

    def sign(self, data):
        return TOOLKITS[4].signer.sign(data)


def test_boxes_of_the_server_itself_change_nothing():
    server = Server(make_host())
    fill(server)
    forged = encode_body("box", n=99, ct=bytes(40))
    server.host.receive("c1", forged, 0.0)

    assert server.host.poll() == []
    assert server.host.is_complete
    assert server.guests["c1"].receive(forged) is None
    assert server.guests["c1"].receive(encode_body("pake2", y=bytes(33), mac=bytes(32))) is None


def test_one_key_gets_one_seat():
    server = Server(make_host())
    server.add("c1", make_guest(1))
    with pytest.raises(SignalingError, match="add --guest"):
        server.add("c2", make_guest(1))

    assert server.host.admitted == ("c1",)


def test_a_full_table_lets_nobody_in():
    server = Server(make_host(seats=2))
    fill(server, 1)
    with pytest.raises(RoomFull):
        server.add("c2", make_guest(2))


def test_two_guests_for_the_last_seat():
    server = Server(make_host(seats=2))
    slow = make_guest(1)
    slow.knock()
    server.host.receive("c1", slow.poll()[0], 0.0)
    slow.receive(server.host.poll()[0].body)
    server.host.receive("c1", slow.poll()[0], 0.0)
    assert isinstance(slow.receive(server.host.poll()[0].body), TableShown)
    server.add("c2", make_guest(2))
    slow.accept()
    server.host.receive("c1", slow.poll()[0], 0.0)
    with pytest.raises(RoomFull):
        slow.receive(server.host.poll()[0].body)

    assert server.host.admitted == ("c2",)


@pytest.mark.parametrize("stage", ["stranger", "guessing", "asked", "admitted"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_garbage_never_raises_and_never_gives_a_seat(stage, data):
    host = make_host()
    guest = make_guest()
    if stage != "stranger":
        guest.knock()
        host.receive("c1", guest.poll()[0], 0.0)
        reply = host.poll()[0].body
        if stage != "guessing":
            guest.receive(reply)
            host.receive("c1", guest.poll()[0], 0.0)
            shown = host.poll()[0].body
            if stage == "admitted":
                guest.receive(shown)
                guest.accept()
                host.receive("c1", guest.poll()[0], 0.0)
    before = host.admitted
    kind = st.sampled_from(["pake1", "pake3", "box", "hello", 1])
    value = st.none() | st.text(max_size=50) | st.integers() | st.just({})
    keys = st.sampled_from(["pub", "x", "way", "mac", "box", "n", "ct"])
    body = st.dictionaries(keys, value).flatmap(lambda d: kind.map(lambda k: {**d, "k": k}))
    garbage = st.binary(max_size=60) | body.map(lambda b: encode_body_from(dict(b)))
    host.receive("c1", data.draw(garbage), 1.0)

    assert host.admitted == before


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=80))
def test_a_guest_takes_any_bytes(data):
    guest = make_guest()
    guest.knock()
    try:
        event = guest.receive(data)
    except ConnectError:
        return

    assert event is None


# --- what a lying host can do ---


def make_seated(change):
    """A guest who waits for a roster gets the one that `change` makes."""
    server = Server(make_host(seats=3))
    fill(server, 2)
    body = change(server.host)
    server.host.tell("c1", body)
    server.carry_host()
    return server.events["c1"][-1]


def replace_seat(roster, index, **changes):
    seats = list(roster.seats)
    seats[index] = dataclasses.replace(seats[index], **changes)
    return dataclasses.replace(roster, seats=tuple(seats))


ROSTER_CHANGES = {
    "rules": lambda roster: dataclasses.replace(roster, rules=b"{}"),
    "room": lambda roster: dataclasses.replace(roster, room="K7Q2N"),
    "fewer seats": lambda roster: dataclasses.replace(roster, seats=roster.seats[:2]),
    "our nonce": lambda roster: replace_seat(roster, 1, nonce_commit=bytes(32)),
    "our runner": lambda roster: replace_seat(roster, 1, runner=TOOLKITS[0].public_key),
    "without us": lambda roster: replace_seat(roster, 1, public_key=TOOLKITS[4].public_key),
}


@pytest.mark.parametrize("name", ROSTER_CHANGES)
def test_a_roster_other_than_the_table_shown_is_refused(name):
    def change(host):
        return signed_roster_body(host, roster=ROSTER_CHANGES[name](host.make_roster(1)))

    with pytest.raises(SignalingError):
        make_seated(change)


def test_a_roster_signed_by_somebody_else_is_refused():
    with pytest.raises(SignalingError, match="signed"):
        make_seated(lambda host: signed_roster_body(host, signer=TOOLKITS[2].signer))


def test_a_second_roster_is_not_taken():
    """Our nonce may be open by then: the session id could be chosen."""
    server = Server(make_host(seats=2))
    fill(server, 1)
    for epoch in (1, 2):
        server.host.tell("c1", signed_roster_body(server.host, server.host.make_roster(epoch)))
    server.carry_host()

    assert [type(event) for event in server.events["c1"][-2:]] == [Seated, HostSaid]


def test_accepting_needs_a_table():
    with pytest.raises(LocalProtocolError):
        make_guest().accept()
    with pytest.raises(LocalProtocolError):
        make_guest().tell(encode_body("seat"))


def test_a_bad_name_is_refused_where_it_is_typed_and_where_it_arrives():
    with pytest.raises(ValueError, match="name"):
        make_guest(name="A\u202eli")
    guest = make_guest()
    guest._name = "A\u202eli"
    server = Server(make_host())
    with pytest.raises(SignalingError):
        server.add("c1", guest)

    assert server.host.admitted == ()
    assert Body({"k": "x"}).kind == "x"
