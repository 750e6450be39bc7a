"""Long sweeps of seeded hands: `python -m tests.sim.sweep --seeds 1000` (make sim).

Each seed plays a whole hand over a network that delays, reorders and repeats, on the cheap group
(every `--real`-th seed on the real one). Every second seed plays Classic Okey, the others the other
games in turn; some seeds have a cheating seat. A failing seed is printed and is the whole bug report:
`--first SEED --seeds 1` plays it again.
"""

import argparse
import random
import sys
import time
import traceback

from p2pokey.crypto.group import Group
from p2pokey.hand.effects import Phase
from p2pokey.native.backends import choose_backend
from p2pokey.rules.published import OPTIONS, RULE_SETS, RuleSet
from p2pokey.rules.rulesets import ruleset_for, table_options
from tests.hand.test_faults import CASES
from tests.hand.test_whole_hand import check_views, own_audit
from tests.sim.cheap_group import CheapBackend
from tests.sim.cheats import change_message
from tests.sim.table import SimTable, make_setup

OTHERS = [key for key in RULE_SETS if key != "classic"]


def game_of(seed: int) -> RuleSet:
    """Classic Okey, or with an odd seed one of the other games with some of its options."""
    if seed % 2 == 0:
        return ruleset_for("classic")
    key = OTHERS[seed // 2 % len(OTHERS)]
    rng = random.Random(f"options {seed}")
    chosen = {name: rng.choice(allowed) for name, allowed in OPTIONS[key].items()}
    return ruleset_for(key, **chosen)


def play(seed: int, group: Group) -> str:
    """Plays one seed; returns what kind of hand it was. Raises AssertionError for a violation."""
    rules = game_of(seed)
    setup = make_setup(seed, rules=rules, seats=rules.players, options=table_options(rules.players))
    table = SimTable(group, setup, seed, audit=lambda data: own_audit(group, data))
    table.on_step.append(check_views)
    cheater = seed // 7 % rules.players
    case = CASES[seed // 3 % len(CASES)] if seed % 3 == 2 else None
    if case is not None:
        change_message(table, cheater, case.kind, case.change, number=case.number)
    try:
        table.run()
    except (AttributeError, TypeError):
        # This cheat does not fit the message that it met (a first discard without a re-mask ...).
        if case is None:
            raise
        return f"{rules.key}: cheat that did not apply"
    if case is None or table.peers[cheater].machine.phase is Phase.DONE:
        assert [peer.machine.phase for peer in table.peers] == [Phase.DONE] * rules.players
        assert len({peer.machine.transcript() for peer in table.peers}) == 1
        return f"{rules.key}: honest hand"
    for peer in table.peers:
        fault = peer.machine.fault
        assert peer.seat == cheater or (fault is not None and fault.culprit == cheater), fault
    return f"{rules.key}: cheat {case.name}"


def main() -> int:
    """Runs the sweep; exit status 1 if a seed failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--real", type=int, default=50, help="every how many seeds on the real group"
    )
    options = parser.parse_args()
    cheap, real = Group(CheapBackend()), Group(choose_backend("auto"))
    kinds: dict[str, int] = {}
    failed: list[int] = []
    start = time.monotonic()
    for seed in range(options.first, options.first + options.seeds):
        try:
            kind = play(seed, real if seed % options.real == options.real - 1 else cheap)
        except Exception:  # noqa: BLE001 - a sweep reports every failing seed and goes on
            traceback.print_exc()
            print(f"seed {seed} FAILED: python -m tests.sim.sweep --first {seed} --seeds 1")
            failed.append(seed)
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        done = seed - options.first + 1
        rate = (time.monotonic() - start) / done
        print(f"\r{done}/{options.seeds} seeds, {rate:.2f} s each", end="", file=sys.stderr)
    print(file=sys.stderr)
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    print(f"{options.seeds - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
