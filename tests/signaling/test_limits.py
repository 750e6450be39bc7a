"""Token buckets and addresses."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.addresses import address_key, client_host, shorten
from signaling.limits import BucketTable, TokenBucket, retry_ms


def test_a_bucket_gives_its_burst_then_its_rate():
    bucket = TokenBucket(capacity=3, per_second=2, now=0.0)

    assert [bucket.take(1, 0.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert bucket.take(1, 0.5) == 0.0
    assert bucket.take(1, 0.5) == 0.5


def test_a_refused_take_costs_nothing():
    bucket = TokenBucket(capacity=1, per_second=1, now=0.0)
    bucket.take(1, 0.0)

    assert [bucket.take(1, 0.0) for _ in range(5)] == [1.0] * 5


def test_a_charge_may_leave_a_debt_that_time_pays():
    bucket = TokenBucket(capacity=10, per_second=5, now=0.0)

    assert bucket.charge(10, 0.0) == 0.0
    assert bucket.charge(5, 0.0) == 1.0
    assert bucket.charge(5, 1.0) == 1.0
    assert bucket.charge(0, 9.0) == 0.0


def test_a_clock_that_steps_back_gives_nothing():
    bucket = TokenBucket(capacity=1, per_second=1, now=10.0)
    bucket.take(1, 10.0)

    assert bucket.take(1, 5.0) == 1.0
    assert bucket.take(1, 10.5) == 0.5


@given(
    capacity=st.integers(1, 1000),
    per_second=st.floats(0.001, 1000),
    costs=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30),
    start=st.floats(0, 1e6),
)
def test_who_waits_as_told_is_served(capacity, per_second, costs, start):
    bucket = TokenBucket(capacity=capacity, per_second=per_second, now=start)
    now = start
    for share in costs:
        wait = bucket.take(share * capacity, now)
        assert wait >= 0.0
        if wait > 0:
            now += wait
            assert bucket.take(share * capacity, now) == 0.0


@pytest.mark.parametrize(("seconds", "ms"), [(0.0, 0), (0.0001, 1), (1.0, 1000), (1.0001, 1001)])
def test_a_waiting_time_is_rounded_up(seconds, ms):
    assert retry_ms(seconds) == ms


def test_a_table_keeps_keys_apart_and_forgets_full_buckets():
    table = BucketTable(capacity=1, per_second=1)

    assert table.take("a", 1, 0.0) == 0.0
    assert table.take("b", 1, 0.5) == 0.0
    assert table.take("a", 1, 0.5) == 0.5
    table.prune(1.0)
    assert len(table) == 1
    table.prune(1.5)
    assert len(table) == 0


@pytest.mark.parametrize(
    ("host", "key", "short"),
    [
        ("203.0.113.77", "203.0.113.77/32", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.77/32", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48"),
        ("", "unknown", "unknown"),
        ("nonsense", "unknown", "unknown"),
    ],
)
def test_addresses_are_counted_and_shown_by_network(host, key, short):
    assert key == address_key(host)
    assert short == shorten(host)


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        ("198.51.100.7", ["203.0.113.1"], "198.51.100.7"),  # not a proxy: anybody writes headers
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.1"], "203.0.113.1"),
        ("10.0.0.1", ["6.6.6.6, 203.0.113.1, 10.0.0.2"], "203.0.113.1"),
        ("10.0.0.1", ["6.6.6.6", "203.0.113.1"], "203.0.113.1"),
        ("10.0.0.1", ["203.0.113.1, rubbish"], "10.0.0.1"),
        ("10.0.0.1", ["2001:db8::5"], "2001:db8::5"),
    ],
)
def test_only_trusted_proxies_may_name_the_client(peer, headers, expected):
    assert expected == client_host(peer, headers, [ip_network("10.0.0.0/8")])
