"""What a host is told to pass on."""

import pytest

from p2pokey.cli.output import Output
from p2pokey.cli.telling import Teller


@pytest.mark.parametrize(
    ("server", "command"),
    [
        (None, "p2pokey join CODE --auto\n"),
        ("ws://192.0.2.10:8765", "p2pokey join CODE --auto --server ws://192.0.2.10:8765\n"),
    ],
)
def test_friends_are_told_the_server_where_it_is_needed(
    server: str | None, command: str, capsys: pytest.CaptureFixture[str]
):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    teller.invited("K7Q2M-lale-deniz-kartal", "p2pokey://x", server)
    out, err = capsys.readouterr()

    assert out.splitlines() == ["K7Q2M-lale-deniz-kartal", "p2pokey://x"]
    assert command in err
    assert "link" in err
