"""Any bytes into every parser: a message or the one documented error (docs/threat-model.md)."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.rules.rulesets import canonical_bytes
from p2pokey.transcript.setup import encode_header
from tests.fuzz.targets import SETUP, TARGETS
from tests.transcript.test_messages import any_message

CORPUS = Path(__file__).with_name("corpus")
SEEDS = [
    encode_header(SETUP),
    canonical_bytes(SETUP.rules, SETUP.options),
    b"discard 17:r5a",
    b"K7Q2M-lale-deniz-kartal",
    b"https://example.org/#K7Q2M.AAAAAAAAAAAAAAAAAAAAAA",
    json.dumps({"t": "hello", "v": 1, "client": "p2pokey/0.1", "caps": []}).encode(),
    json.dumps({"t": "welcome", "v": 1, "id": "c1", "resume": "x"}).encode(),
    b"v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n",
]


@st.composite
def mutants(draw: st.DrawFn) -> bytes:
    """Something that is nearly right: a real input with a few bytes changed, cut or put in."""
    data = bytearray(draw(st.sampled_from(SEEDS) | any_message.map(lambda m: m.encode())))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_handled(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=60, deadline=None)
    @given(st.binary(max_size=600) | mutants())
    def check(data: bytes) -> None:
        target(data)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_fuzzer_has_found_worth_keeping_is_handled(name: str) -> None:
    files = sorted((CORPUS / name).glob("*"))
    assert files, "the corpus of every target is kept"
    for file in files:
        TARGETS[name](file.read_bytes())
