"""SPAKE2 and X25519 behind our interfaces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import BadPoint, DecodeError
from p2pokey.native.agreement import X25519Key
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.pake import guest_side, host_side

HOST, GUEST = bytes([1]) * 32, bytes([2]) * 32


def run(host_changes=None, guest_changes=None):
    arguments = {
        "password": b"secret",
        "host_key": HOST,
        "guest_key": GUEST,
        "room": "K7Q2M",
        "entropy": OsEntropy(),
    }
    host = host_side(**{**arguments, **(host_changes or {})})
    guest = guest_side(**{**arguments, **(guest_changes or {})})
    x, y = guest.start(), host.start()
    return host.finish(x), guest.finish(y)


def test_both_sides_get_one_fresh_key():
    (first, also), (second, _) = run(), run()

    assert first == also
    assert len(first) == 32
    assert first != second


@pytest.mark.parametrize(
    "change",
    [
        {"password": b"other"},
        {"host_key": bytes([3]) * 32},
        {"guest_key": bytes([3]) * 32},
        {"room": "K7Q2N"},
    ],
)
def test_a_difference_of_any_input_gives_different_keys(change):
    host, guest = run(guest_changes=change)

    assert host != guest


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=40) | st.binary(min_size=32, max_size=32).map(lambda x: b"B" + x))
def test_garbage_is_refused(message):
    side = host_side(
        password=b"secret", host_key=HOST, guest_key=GUEST, room="K7Q2M", entropy=OsEntropy()
    )
    side.start()
    try:
        key = side.finish(message)
    except DecodeError:
        return

    assert len(key) == 32


def test_our_own_message_sent_back_is_refused():
    side = host_side(
        password=b"secret", host_key=HOST, guest_key=GUEST, room="K7Q2M", entropy=OsEntropy()
    )
    message = side.start()
    for reflected in (message, b"B" + message[1:]):
        with pytest.raises(DecodeError):
            host_side_like(side, reflected)


def host_side_like(side, message):
    # spake2 allows one finish per run, so each reflection needs the same outgoing element.
    side._exchange._finished = False
    return side.finish(message)


def test_x25519_of_rfc_7748():
    """RFC 7748, 6.1."""
    alice = X25519Key(
        bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    )
    bob = X25519Key(
        bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    )
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"

    assert alice.exchange(bob.public_key).hex() == shared
    assert bob.exchange(alice.public_key).hex() == shared


@pytest.mark.parametrize("key", [bytes(32), bytes([1]) + bytes(31), bytes(31), bytes(33)])
def test_x25519_keys_of_small_order_are_refused(key):
    with pytest.raises(BadPoint):
        X25519Key(bytes([7]) * 32).exchange(key)
