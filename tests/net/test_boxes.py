"""Sealed boxes: only the other end opens them, each once and in order."""

import pytest

from p2pokey.errors import DecodeError
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.net.boxes import BoxChannel

KEYS = (bytes([1]) * 32, bytes([2]) * 32)


def make_pair(context=b"here", kind="box", other_context=None, other_kind=None):
    sealer = ChaChaSealer()
    left = BoxChannel(sealer, kind=kind, send_key=KEYS[0], receive_key=KEYS[1], context=context)
    right = BoxChannel(
        sealer,
        kind=other_kind or kind,
        send_key=KEYS[1],
        receive_key=KEYS[0],
        context=other_context or context,
    )
    return left, right


def hello(number=0):
    return encode_body("hello", n=number)


def test_both_directions():
    left, right = make_pair()
    for number in range(3):
        assert right.unseal(decode_body(left.seal(hello(number)))).number("n", 9) == number
        assert left.unseal(decode_body(right.seal(hello(number)))).number("n", 9) == number


def test_nothing_readable_inside():
    left, _ = make_pair()

    assert b"hello" not in left.seal(hello())


def test_a_box_opens_once_and_not_after_a_later_one():
    left, right = make_pair()
    first, second = (decode_body(left.seal(hello())) for _ in range(2))
    right.unseal(second)
    for old in (first, second):
        with pytest.raises(DecodeError):
            right.unseal(old)


def test_a_lost_box_does_not_stop_the_next():
    left, right = make_pair()
    left.seal(hello())

    assert right.unseal(decode_body(left.seal(hello(5)))).number("n", 9) == 5


def test_a_box_sent_back_does_not_open():
    left, _ = make_pair()
    with pytest.raises(DecodeError):
        left.unseal(decode_body(left.seal(hello())))


@pytest.mark.parametrize("change", [{"other_context": b"there"}, {"other_kind": "pair"}])
def test_context_and_kind_are_inside(change):
    left, right = make_pair(**change)
    with pytest.raises(DecodeError):
        right.unseal(decode_body(left.seal(hello())))


@pytest.mark.parametrize(
    "change", [{"n": 2}, {"n": "1"}, {"ct": "AAAA"}, {"ct": ""}, {"ct": None}, {"n": -1}]
)
def test_changed_boxes_do_not_open_and_do_no_harm(change):
    left, right = make_pair()
    box = decode_body(left.seal(hello(5)))
    with pytest.raises(DecodeError):
        right.unseal(Body({**box.as_dict(), **change}))

    assert right.unseal(box).number("n", 9) == 5
