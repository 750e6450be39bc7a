"""Session descriptions: read strictly, written anew, with nothing of the sender's own text left."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import LinkError
from p2pokey.net.sdp import (
    MAX_CANDIDATES,
    MDNS_PLACEHOLDER,
    Candidate,
    Description,
    format_description,
    parse_description,
)

HOST = Candidate(foundation="f1", priority=2130706431, address="192.0.2.5", port=5000, kind="host")
OFFER = Description(
    kind="offer",
    mid="0",
    username="l5ku",
    password="Qyn1H4ZpMU5GiP3dKXW0tV",
    fingerprint=bytes(range(32)),
    setup="actpass",
    candidates=(HOST, dataclasses.replace(HOST, address="2001:db8::1", kind="srflx")),
)

CHROMIUM = """v=0
o=- 4611731400430051336 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE data
a=extmap-allow-mixed
a=msid-semantic: WMS
m=application 53412 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 192.0.2.9
a=candidate:1467250027 1 udp 2122260223 5f3c2b7e-8c5d-4b3a-9d1a-0e3c4f5a6b7c.local 53412 typ host generation 0 network-cost 999
a=candidate:1467250028 2 udp 2122260222 192.0.2.9 53413 typ host
a=candidate:1467250029 1 tcp 1518280447 192.0.2.9 9 typ host tcptype active
a=candidate:842163049 1 udp 1677729535 203.0.113.7 53412 typ srflx raddr 0.0.0.0 rport 0 generation 0
a=ice-ufrag:EsAw
a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
a=ice-options:trickle
a=fingerprint:sha-256 """ + ":".join(f"{i:02x}" for i in range(32)) + """
a=setup:actpass
a=mid:data
a=sctp-port:5000
a=max-message-size:262144
"""  # fmt: skip


def test_round_trip():
    assert parse_description("offer", format_description(OFFER)) == OFFER


def test_a_browser_is_understood():
    description = parse_description("offer", CHROMIUM)

    assert description.mid == "data"
    assert description.fingerprint == bytes(range(32))
    assert [(c.address, c.kind) for c in description.candidates] == [
        (MDNS_PLACEHOLDER, "host"),
        ("203.0.113.7", "srflx"),
    ]


def test_nothing_but_the_fields_is_passed_on():
    evil = CHROMIUM.replace("a=mid:data", "a=mid:data\na=evil:1\ni=hello")

    text = format_description(parse_description("offer", evil))
    assert "evil" not in text
    assert "hello" not in text
    assert ".local" not in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m=application", "x=application"),
        ("a=mid:data", "a=mid:data\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel"),
        ("a=mid:data", "a=mid:data\na=mid:other"),
        ("a=mid:data", "a=mid:" + "x" * 33),
        ("a=ice-ufrag:EsAw", ""),
        ("a=ice-ufrag:EsAw", "a=ice-ufrag:a b"),
        ("a=ice-pwd:P2uY", "a=ice-pwd:\u0130"),
        ("sha-256 00", "sha-1 00"),
        ("sha-256 00", "sha-256 0x"),
        (":1f\n", "\n"),
        ("a=setup:actpass", "a=setup:active"),
        ("a=setup:actpass", ""),
        ("a=candidate", "a=nothing"),
    ],
)
def test_what_is_no_offer(before, after):
    assert before in CHROMIUM
    with pytest.raises(LinkError):
        parse_description("offer", CHROMIUM.replace(before, after))


def test_an_answer_says_who_starts():
    text = format_description(OFFER).replace("actpass", "active")

    assert parse_description("answer", text).setup == "active"
    with pytest.raises(LinkError):
        parse_description("answer", format_description(OFFER))


@pytest.mark.parametrize(
    "address",
    ["example.com", "0.0.0.0", "224.0.0.1", "ff02::1", "fe80::1%eth0", "1.2.3", "x.local.evil"],
)
def test_names_and_odd_addresses_are_left_out(address):
    candidates = (dataclasses.replace(HOST, address=address), HOST)
    text = format_description(dataclasses.replace(OFFER, candidates=candidates))

    assert parse_description("offer", text).candidates == (HOST,)


def test_few_candidates_are_taken():
    many = tuple(dataclasses.replace(HOST, port=port) for port in range(1, 200))
    text = format_description(dataclasses.replace(OFFER, candidates=many))

    assert len(parse_description("offer", text).candidates) == MAX_CANDIDATES


@given(st.text(max_size=200), st.sampled_from(["offer", "answer"]))
def test_any_text_is_refused_with_a_reason(text, kind):
    with pytest.raises(LinkError):
        parse_description(kind, text)


@given(st.integers(0, len(CHROMIUM) - 1), st.text(max_size=3))
def test_changed_descriptions_are_read_or_refused(position, text):
    changed = CHROMIUM[:position] + text + CHROMIUM[position + 1 :]
    try:
        description = parse_description("offer", changed)
    except LinkError:
        return

    assert parse_description("offer", format_description(description)) == description
