"""Fixtures for the tests of `net`."""

import pytest

from p2pokey.net import link


@pytest.fixture
def quick_links(monkeypatch):
    """Silence is noticed within a second instead of fifteen."""
    monkeypatch.setattr(link, "PING_S", 0.05)
    monkeypatch.setattr(link, "UNSTABLE_S", 0.3)
    monkeypatch.setattr(link, "AWAY_S", 0.7)
