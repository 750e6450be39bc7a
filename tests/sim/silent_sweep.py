"""Long sweeps of hands with silent seats: `python -m tests.sim.silent_sweep --seeds 300`.

Each seed chooses the message from which seat 3 is silent, whom its last message reaches, when it comes
back, and how hasty the shells are. `--whole` plays whole hands that every seat audits, and audits the
files once more; without it hands are short and score nothing. A failing seed is the whole bug report.
"""

import argparse
import random
import sys
import traceback
from collections import Counter
from dataclasses import replace

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.crypto.group import Group
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.rulesets import ruleset_for, table_options
from tests.hand.test_whole_hand import own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.silence import SilentTable, check_honest
from tests.sim.table import make_setup

CHEAP = Group(CheapBackend())


def make_table(seed: int, *, whole: bool, hasty: float) -> SilentTable:
    """A table before its first message."""
    if whole:
        return SilentTable(
            CHEAP, make_setup(seed), seed, audit=lambda data: own_audit(CHEAP, data), hasty=hasty
        )
    rules = replace(ruleset_for("classic"), turn_limit=14)
    setup = make_setup(seed, rules=rules, options=table_options(4, unlinkable_discards=False))
    return SilentTable(CHEAP, setup, seed, audit=lambda data: ((0,) * 4, (0,) * 4), hasty=hasty)


def play(seed: int, *, whole: bool) -> tuple[str, ...]:
    """Plays one seed; returns where the seats end. Raises AssertionError for a violation."""
    dice = random.Random(seed)
    after = dice.choice([None, *range(70 if whole else 34)])
    back = dice.choice([None, 1, 2, 3, 5, 9])
    hasty = dice.choice([0, 0.002, 0.02])
    reach = dice.choice([range(4), (0,), (0, 1), (1,), (3,)])
    table = make_table(seed, whole=whole, hasty=hasty)
    if after is not None:
        table.fall_silent(2, after=after, back_after=back, to=reach)
    table.run()
    check_honest(table, away=() if after is None else {2})
    for data in {peer.finished.transcript for peer in table.peers if peer.finished and whole}:
        report = audit_transcript(
            data, group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer(), recompute=True
        )
        assert report.status is Status.SOUND, report.findings
    return tuple(peer.machine.phase.label for peer in table.peers)


def main() -> int:
    """Runs the sweep; exit status 1 if a seed failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    ends: Counter[tuple[str, ...]] = Counter()
    failed = 0
    for seed in range(options.first, options.first + options.seeds):
        try:
            ends[play(seed, whole=options.whole)] += 1
        except Exception:  # noqa: BLE001 - a sweep reports every failing seed and goes on
            traceback.print_exc()
            print(f"seed {seed} FAILED")
            failed += 1
    for end, count in ends.most_common():
        print(f"{count:6} {' '.join(end)}")
    print(f"{options.seeds - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
