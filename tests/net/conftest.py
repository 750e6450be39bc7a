"""Fixtures for the tests of `net`."""

import pytest

from p2pokey.net import link


@pytest.fixture
def quick_links(monkeypatch):
    """Silence is noticed within two seconds instead of fifteen."""
    monkeypatch.setattr(link, "PING_S", 0.1)
    monkeypatch.setattr(link, "UNSTABLE_S", 0.6)
    monkeypatch.setattr(link, "AWAY_S", 1.2)
