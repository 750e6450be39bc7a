"""What players are told: what to pass on, how a match ends."""

import pytest

from p2pokey.cli.output import Output
from p2pokey.cli.telling import Teller
from p2pokey.net.link import LinkState
from p2pokey.net.progress import Phase, Progress
from p2pokey.peer.events import Connected, HandPausedFor, LinkSeen, MatchOver, Resumed
from p2pokey.tiles import Seat


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


@pytest.mark.parametrize(("stays", "more"), [(True, "/rematch"), (False, "")])
def test_the_end_of_a_match_is_told_at_once(
    stays: bool, more: str, capsys: pytest.CaptureFixture[str]
):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    teller.tell(Connected(seat=Seat(0), names=("Ayse", "Bora"), safety_words=("a",) * 4))
    teller.tell(MatchOver(winners=(Seat(1),), stays=stays))

    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("The match is over, won by seat 2 (Bora).")
    assert more in said


def test_friends_are_told_to_type_the_password(capsys: pytest.CaptureFixture[str]):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    teller.invited("K7Q2M-lale-deniz-kartal", "p2pokey://x", has_password=True)

    assert "p2pokey join CODE --auto --password" in capsys.readouterr().err


def test_who_is_here_is_said_once_to_who_comes_back(capsys: pytest.CaptureFixture[str]):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    names = ("Ayse", "Bora")
    link = Progress(phase=Phase.LINK_AUTHENTICATED, done=1, total=1, name="Bora")
    teller.tell(Resumed(seat=Seat(0), names=names, hands=0, totals=(0, 0)))
    teller.meeting(link)
    for state in (LinkState.HERE, LinkState.HERE, LinkState.AWAY, LinkState.HERE):
        teller.tell(LinkSeen(seat=Seat(1), state=state))
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  seat 2 (Bora): here",
        "  seat 2 (Bora): away",
        "  seat 2 (Bora): here",
    ]
    teller.tell(Connected(seat=Seat(0), names=names, safety_words=("a",) * 4))
    teller.meeting(link)
    assert "Connected to Bora" in capsys.readouterr().err.splitlines()[-1]


def test_one_is_missing_and_two_are(capsys: pytest.CaptureFixture[str]):
    teller = Teller(Output(), as_json=False, clock=lambda: 0.0)
    teller.tell(Connected(seat=Seat(0), names=("A", "B", "C"), safety_words=("a",) * 4))
    for seats in ((Seat(1),), (Seat(1), Seat(2))):
        teller.tell(HandPausedFor(hand=0, seats=seats, seconds=1.0))
    one, two = capsys.readouterr().err.splitlines()[-2:]
    assert "seat 2 (B) is missing" in one
    assert "seat 2 (B) and seat 3 (C) are missing" in two
