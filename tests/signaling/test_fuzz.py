"""Any frame whatever gets an answer or an error, and nothing else happens."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from signaling.messages import ErrorCode
from tests.signaling.support import Bench, pub

TYPES = ["hello", "create", "open", "close", "knock", "kick", "send", "list", "leave", "dance"]
KEYS = ["v", "client", "caps", "resume", "pow", "seats", "ttl", "host", "listed", "meta", "title"]
KEYS += ["rules", "id", "room", "pub", "to", "n", "body", "cursor"]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0, 1, 2, 4, 300, "c1", "c2", "c3", "00000", "", "aGk=", pub(1), pub(2)]),
    st.floats(),
    st.text(max_size=20),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4),
    ),
    max_leaves=6,
)
objects = st.builds(
    lambda kind, rest: {**rest, "t": kind},
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(KEYS), values, max_size=6),
)
frames = st.one_of(
    objects.map(json.dumps),
    values.map(json.dumps),
    st.text(max_size=200),
    st.text(st.characters(categories=["Cs"]), min_size=1, max_size=5),
    st.binary(max_size=200),
)

SILENT = ("open", "close", "kick", "send", "leave")


def kind_of(frame):
    """The type of a text frame that the bench's peers may have sent, else None."""
    try:
        return json.loads(frame).get("t")
    except (ValueError, AttributeError):
        return None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([1, 2, 3, 4, 5]), frames), max_size=12))
def test_any_frames_get_an_answer_or_an_error(script):
    bench = Bench()
    bench.table(2)  # 1 hosts, 2 and 3 sit
    bench.hello(4)  # no room
    bench.open(5)  # no hello
    for number, frame in script:
        bench.frames.clear()
        said = bench.raw(number, frame)
        to_sender = [message for to, message in said if to == number]
        errors = [message for _, message in said if message["t"] == "error"]

        assert all(message in to_sender for message in errors)
        assert all(message["code"] in set(ErrorCode) for message in errors)
        silent = isinstance(frame, bytes) or kind_of(frame) in SILENT
        assert to_sender or bench.frames or silent
    assert bench.closed == {}


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400) | st.binary(max_size=400))
def test_garbage_gets_exactly_one_error(frame):
    bench = Bench()
    bench.hello(1)

    ((to, message),) = bench.raw(1, frame)

    assert to == 1
    assert message["t"] == "error"
    assert message["code"] == "bad"
