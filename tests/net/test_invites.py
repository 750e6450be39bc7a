"""Invites: what is typed or pasted becomes one room and one secret, or one clear sentence."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import InvalidInvite
from p2pokey.native.entropy import OsEntropy
from p2pokey.net.invites import MAX_INVITE_CHARS, Invite, new_invite, parse_invite
from p2pokey.net.words import WORDS

ROOM_CHARS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
GOOD = Invite(room="K7Q2M", words=("lale", "deniz", "kartal"))
SECRET = bytes(range(16))

rooms = st.text(ROOM_CHARS, min_size=5, max_size=5)
words = st.tuples(*[st.sampled_from(WORDS)] * 3)


def test_a_new_invite_has_words_and_a_link_secret():
    first, second = (new_invite("K7Q2M", OsEntropy()) for _ in range(2))

    assert parse_invite(first.code).words == first.words
    assert len(first.link_secret) == 16
    assert first != second


@given(rooms, words, st.sampled_from("- _.,\t/"), st.booleans())
def test_codes_are_read_in_any_dress(room, words, separator, capitals):
    text = separator.join((room.lower(), *words))
    text = f"  {text.upper() if capitals else text}\n"

    assert parse_invite(text) == Invite(room=room, words=words)


@pytest.mark.parametrize(
    "text",
    [
        "k7q2m lale deniz kartal",
        "K7Q2M--LALE--DENİZ--KARTAL",
        "K7Q2M\u2013lale\u2013deniz\u2013kartal",
        '"K7Q2M-Lale-Deniz-Kartal"',
        "<K7Q2M-lâle-denız-kartal>",
    ],
)
def test_other_spellings_of_one_code(text):
    assert parse_invite(text) == GOOD


def test_look_alikes_of_the_room():
    assert parse_invite("oiLıİ-lale-deniz-kartal").room == "01111"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no code"),
        (" - ", "There is no code"),
        ("K7Q2M", "Expected 3 words after K7Q2M, got 0"),
        ("K7Q2M-lale-deniz", "got 2"),
        ("K7Q2M-lale-deniz-kartal-lale", "got 4"),
        ("K7Q2-lale-deniz-kartal", "is no room"),
        ("K7Q2U-lale-deniz-kartal", "is no room"),
        ("K7Q2M-lale-dneiz-kartal", "did you mean 'deniz'"),
        ("K7Q2M-lale-deniz-qqqqqqq", "check it with your host"),
        ("lale-deniz-kartal", "is no room"),
        ("x" * (MAX_INVITE_CHARS + 1), "too long"),
        ("https://", "names no server"),
        ("https://user@evil/#K7Q2M.AAECAwQFBgcICQoLDA0ODw", "names no server"),
        ("https://host:99999/#K7Q2M.AAECAwQFBgcICQoLDA0ODw", "names no server"),
        ("ftp://host/K7Q2M", "none of ours"),
        ("https://host/#K7Q2M.AAECAwQFBgcICQoLDA0OD", "cut off"),
        ("https://host/#K7Q2M.AAECAwQFBgcICQoLDA0ODx", "cut off"),
        ("https://host/#K7Q2M", "cut off"),
        ("https://host/#.AAECAwQFBgcICQoLDA0ODw", "is no room"),
        ("p2pokey://host#AAECAwQFBgcICQoLDA0ODw", "is no room"),
    ],
)
def test_what_is_no_invite_gets_one_clear_sentence(text, message):
    with pytest.raises(InvalidInvite, match=r"^[^\n]*$") as caught:
        parse_invite(text)

    assert message in str(caught.value)


@given(st.text(max_size=MAX_INVITE_CHARS + 10))
def test_any_text_is_an_invite_or_refused(text):
    with contextlib.suppress(InvalidInvite):
        parse_invite(text)


@pytest.mark.parametrize(
    "server",
    ["wss://okey.example", "ws://127.0.0.1:8765", "wss://okey.example/signal", "ws://[::1]:1"],
)
def test_a_uri_leads_back_to_its_server(server):
    invite = Invite(room="K7Q2M", link_secret=SECRET)
    read = parse_invite(invite.uri(server))

    assert (read.room, read.link_secret, read.server) == ("K7Q2M", SECRET, server)
    assert read.way == "link"


def test_a_web_link_keeps_the_secret_behind_the_hash():
    invite = Invite(room="K7Q2M", link_secret=SECRET)
    link = invite.link("https://okey.example/")

    assert link == "https://okey.example/#K7Q2M.AAECAwQFBgcICQoLDA0ODw"
    assert parse_invite(link).link_secret == SECRET
    assert parse_invite(link).server == "wss://okey.example"


def test_passwords_differ_by_way_room_and_room_password():
    both = Invite(room="K7Q2M", words=GOOD.words, link_secret=SECRET)
    other = Invite(room="K7Q2N", words=GOOD.words, link_secret=SECRET)
    passwords = {
        both.password("words"),
        both.password("link"),
        both.password("words", "masa"),
        both.password("words", "Masa"),
        other.password("words"),
    }

    assert len(passwords) == 5
    assert GOOD.password("words") == both.password("words")
    assert GOOD.password("words", " masa ") == both.password("words", "masa")


def test_secrets_do_not_show_in_logs():
    shown = repr(Invite(room="K7Q2M", words=GOOD.words, link_secret=SECRET))

    assert "lale" not in shown
    assert "x01" not in shown
