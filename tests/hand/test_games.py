"""Whole hands of every game through the protocol: shuffle, deal, play, disclosure, audit."""

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.group import Group
from p2pokey.hand.effects import MoveApplied, Phase
from p2pokey.native.backends import choose_backend
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.rulesets import ruleset_for, table_options
from tests.hand.test_whole_hand import CHEAP, play
from tests.sim.table import SimTable

GAMES = [key for key in RULE_SETS if key != "classic"]


def hand_of(key: str, seed: int, *, group: Group = CHEAP, **chosen: bool | int | str) -> SimTable:
    rules = ruleset_for(key, **chosen)
    return play(
        seed,
        group=group,
        rules=rules,
        seats=rules.players,
        options=table_options(rules.players),
    )


def assert_sound(table: SimTable, group: Group = CHEAP) -> None:
    """All have counted the same hand, and a stranger finds nothing wrong with it."""
    assert {peer.machine.phase for peer in table.peers} == {Phase.DONE}
    (outcome,) = {peer.finished for peer in table.peers}
    assert outcome is not None
    report = audit_transcript(
        outcome.transcript,
        group=group,
        verifier=Ed25519Verifier(),
        sealer=ChaChaSealer(),
        recompute=True,
    )
    assert report.findings == ()
    assert report.status is Status.SOUND
    assert (report.points, report.totals) == (outcome.points, outcome.totals)


def moves_of(table: SimTable) -> set[str]:
    """Names of the kinds of moves that were made."""
    effects = table.peers[0].effects
    return {type(e.move).__name__ for e in effects if isinstance(e, MoveApplied)}


@pytest.mark.parametrize("key", GAMES)
def test_a_hand_of_every_game_is_played_and_audited(key: str) -> None:
    table = hand_of(key, 0)
    assert_sound(table)
    assert moves_of(table) & {"Open", "Play"}, "nobody has laid anything"


@pytest.mark.parametrize("key", ["101-challenge", "101-standard", "51-feeding"])
def test_a_hand_of_partners_is_played_and_audited(key: str) -> None:
    assert_sound(hand_of(key, 5, partners=True))


@pytest.mark.parametrize("key", ["101-progressive", "duel"])
def test_a_hand_on_the_real_group_is_played_and_audited(key: str) -> None:
    group = Group(choose_backend("auto"))
    assert_sound(hand_of(key, 7, group=group), group)
