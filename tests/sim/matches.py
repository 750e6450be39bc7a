"""Whole matches in memory: `python -m tests.sim.matches --matches 3` (make sim).

Each game's match is played to its end, hand after hand, with fresh keys and the real match between
them; every transcript is audited by a stranger. A failing game and seed are the whole bug report.
"""

import argparse
import sys
from dataclasses import dataclass

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.group import Group
from p2pokey.hand.effects import Phase
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.published import RULE_SETS, Option
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.rules.state import Ending
from p2pokey.table.match import FinishedHand, Match, new_match
from tests.hand.test_whole_hand import own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.table import SimTable, fixed_bytes, signer_of

MAX_HANDS = 60
"""A match of Classic Okey goes on until somebody has lost 20 points."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over."""

    match: Match
    transcripts: tuple[bytes, ...]
    cancelled: int


def play_match(key: str, seed: int, group: Group, **chosen: Option) -> PlayedMatch:
    """Plays a match to its end."""
    rules = ruleset_for(key, **chosen)
    keys = tuple(signer_of(seed, seat).public_key for seat in range(rules.players))
    match = new_match(
        session=fixed_bytes(f"match {key} {seed}"),
        roster=keys,
        rules=rules,
        options=table_options(rules.players),
    )
    transcripts: list[bytes] = []
    cancelled = 0
    while not match.is_over:
        assert match.attempts < MAX_HANDS, "the match does not end"
        table = SimTable(group, match.next_setup(), seed, audit=lambda data: own_audit(group, data))
        table.run()
        finished = _counted(table)
        transcripts.append(finished[0])
        machine = table.peers[0].machine
        is_cancelled = machine.view().state.ending is Ending.CANCELLED
        cancelled += is_cancelled
        match = match.after_hand(
            FinishedHand(
                starter=machine.view().state.starter,
                points=finished[1],
                totals=finished[2],
                transcript_hash=finished[3],
                keys=machine.public_keys,
                counts=not is_cancelled,
            )
        )
    for transcript in transcripts:
        _audit(group, transcript)
    return PlayedMatch(match, tuple(transcripts), cancelled)


def _counted(table: SimTable) -> tuple[bytes, tuple[int, ...], tuple[int, ...], bytes]:
    """What all seats have come to."""
    assert {peer.machine.phase for peer in table.peers} == {Phase.DONE}
    (outcome,) = {peer.finished for peer in table.peers}
    assert outcome is not None
    return outcome.transcript, outcome.points, outcome.totals, outcome.transcript_hash


def _audit(group: Group, transcript: bytes) -> None:
    report = audit_transcript(
        transcript, group=group, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )
    assert report.status is Status.SOUND, report.findings


def main() -> int:
    """Plays the matches; exit status 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1, help="of each game")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args()
    group, failed = Group(CheapBackend()), 0
    for key in RULE_SETS:
        for seed in range(options.first, options.first + options.matches):
            try:
                played = play_match(key, seed, group)
            except Exception as error:  # noqa: BLE001 - a sweep reports every failure and goes on
                failed += 1
                print(f"{key}, seed {seed} FAILED: {error!r}")
                continue
            winners = " and ".join(f"seat {seat + 1}" for seat in played.match.winners)
            hands = len(played.transcripts)
            print(f"{key}, seed {seed}: {hands} hands, {played.match.totals}, won by {winners}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
