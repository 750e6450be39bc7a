"""A table within one program plays a hand like any other."""

import asyncio
from pathlib import Path

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.link import LinkState
from p2pokey.peer.local import LocalSeat, PacedPlayer, local_links
from p2pokey.peer.players import AutoPlayer
from p2pokey.peer.playing import PeerPorts
from p2pokey.peer.table import Table
from p2pokey.rules.rulesets import canonical_bytes, ruleset_for, table_options
from tests.peer.memory import GROUP

SIGNERS = [Ed25519Signer(bytes([seat + 1]) * 32) for seat in range(4)]


def links(key: str):
    rules = ruleset_for(key)
    seats = [
        LocalSeat(key=signer.public_key, name=f"P{number}")
        for number, signer in enumerate(SIGNERS[: rules.players])
    ]
    text = canonical_bytes(rules, table_options(rules.players))
    return local_links(seats, runner=SIGNERS[0].public_key, rules=text, entropy=OsEntropy())


@pytest.mark.parametrize("key", ["classic", "duel"])
def test_a_hand_is_played_and_can_be_audited(tmp_path: Path, key: str):
    async def main():
        tables = []
        for link in links(key):
            player = AutoPlayer(b"local", link.seat)
            out = tmp_path / str(link.seat)
            out.mkdir()
            ports = PeerPorts(
                group=GROUP,
                signer=SIGNERS[link.seat],
                verifier=Ed25519Verifier(),
                sealer=ChaChaSealer(),
                entropy=OsEntropy(),
            )
            tables.append(
                Table(
                    links=link,
                    ports=ports,
                    player=player,
                    person=PacedPlayer(player, 0.0) if link.seat == 1 else None,
                    out=out,
                    journals=tmp_path / f"journals-{link.seat}",
                    emit=lambda event: None,
                    hands=1,
                )
            )
        return await asyncio.gather(*(table.play() for table in tables))

    ends = asyncio.run(main())
    assert len({(end.totals, end.hands) for end in ends}) == 1
    files = {path.read_bytes() for path in tmp_path.glob("*/hand-001-seat-*.jsonl")}
    assert len(files) == 1, "all seats have saved the same bytes"
    report = audit_transcript(
        files.pop(), group=GROUP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
    )
    assert report.status is Status.SOUND


def test_who_leaves_is_noticed():
    async def main():
        seats = links("classic")
        seats[2].tell(LinkState.LEFT)
        seats[1].send(seats[3].seat, b"x")
        return [await seats[3].next_event() for _ in range(2)], seats[2].queues[2].empty()

    events, is_quiet = asyncio.run(main())
    assert [event.seat for event in events] == [2, 1]
    assert is_quiet


def test_every_local_table_is_a_session_of_its_own():
    async def main():
        return links("duel")[0].session_id, links("duel")[0].session_id

    first, second = asyncio.run(main())
    assert first != second
