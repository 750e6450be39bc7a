"""A traced table plays as any other, and its records tell what it did."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from p2pokey.crypto.group import Group
from p2pokey.hand.effects import Phase, PhaseEntered, ProofAccepted
from p2pokey.peer.tracing import Products, Tracer, kind_of, message_label
from p2pokey.tiles import Seat
from tests.peer.memory import Hub
from tests.sim.cheap_group import CheapBackend


@pytest.mark.parametrize(
    ("phase", "products", "made", "kind"),
    [
        (Phase.KEYS, Products(), (), "keys"),
        (Phase.SHUFFLE, Products(secret=100), (), "prove"),
        (Phase.SHUFFLE, Products(public=100), (), "verify"),
        (Phase.SHUFFLE, Products(secret=1, public=27), (), "verify"),
        (Phase.SHUFFLE, Products(), (), None),
        (Phase.SHUFFLE, Products(), (PhaseEntered(phase=Phase.READY),), "other"),
        (Phase.DEAL, Products(secret=43), (), "tokens"),
        (Phase.PLAY, Products(secret=100), (), None),
        (
            Phase.PLAY,
            Products(public=5),
            (
                ProofAccepted(seat=Seat(0), kind="reveal", count=1),
                ProofAccepted(seat=Seat(0), kind="remask", count=1),
            ),
            "check re-mask",
        ),
        (Phase.PLAY, Products(), (ProofAccepted(seat=Seat(0), kind="token", count=1),), "tokens"),
    ],
)
def test_slices_are_told_apart(phase, products, made, kind) -> None:
    assert kind_of(phase, products, made) == kind


def test_what_is_no_message_of_that_seat_has_no_label() -> None:
    assert message_label(b"nonsense", Seat(0)) is None


def test_the_watched_backend_gives_the_same_and_counts() -> None:
    tracer = Tracer()
    plain, watched = Group(CheapBackend()), Group(tracer.watch(CheapBackend()))
    points = plain.base_mul([2, 3])

    assert watched.base_mul([2, 3]) == points
    assert watched.mul([4, 5], points) == plain.mul([4, 5], points)
    assert watched.mul_one_scalar(6, points) == plain.mul_one_scalar(6, points)
    assert watched.msm([4, 5], points) == plain.msm([4, 5], points)
    assert watched.msm_vartime([4, 5], points) == plain.msm_vartime([4, 5], points)
    assert (tracer.products.secret, tracer.products.public) == (8, 2)


def test_a_traced_hand_is_told_whole(tmp_path: Path) -> None:
    trace = Tracer(seat=Seat(0))

    async def play() -> None:
        hub = Hub()
        tables = [hub.table(seat, tmp_path, hands=1) for seat in range(4)]
        ports = replace(tables[0].ports, group=Group(trace.watch(CheapBackend())))
        tables[0] = replace(tables[0], trace=trace, ports=ports)
        await asyncio.gather(*(table.play() for table in tables))

    asyncio.run(play())

    records = trace.records
    whats = {record["what"] for record in records}
    assert whats == {"began", "work", "journal", "wait", "sent", "received", "phase", "audit"}
    phases = [record["phase"] for record in records if record["what"] == "phase"]
    assert phases[-1] == "done"
    shuffles = [r for r in records if r["what"] == "received" and r["kind"] == "shuffle"]
    assert [record["sender"] for record in shuffles] == [1, 2, 3]
    kinds = {record["kind"] for record in records if record["what"] == "work"}
    assert {"keys", "prove", "verify", "tokens", "re-mask", "check re-mask", "choose"} <= kinds
    assert all(record["seconds"] >= 0 for record in records if "seconds" in record)
    waited = {tuple(record["seats"]) for record in records if record["what"] == "wait"}
    assert (1,) in waited
    path = tmp_path / "trace.jsonl"
    trace.save(path)
    assert len(path.read_text().splitlines()) == len(records)
