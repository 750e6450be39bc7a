"""Coverage-guided fuzzing with atheris: `make fuzz`, or `python -m tests.fuzz.run --help`.

Each target runs for its share of the time in a process of its own. Inputs that reach new code are
kept in tests/fuzz/corpus, at most `KEPT` small ones of each target; an input that breaks something is
printed and kept under tests/fuzz/crashes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = 12
LONGEST_KEPT = 2048


def fuzz_one(name: str, arguments: list[str]) -> None:
    """Runs atheris on one target; does not return."""
    import atheris

    with atheris.instrument_imports(include=["p2pokey", "signaling"]):
        from tests.fuzz.targets import TARGETS

    atheris.Setup([sys.argv[0], *arguments], TARGETS[name])
    atheris.Fuzz()


def fuzz_for(name: str, seconds: int) -> bool:
    """Fuzzes one target in a child process; returns whether nothing broke."""
    corpus = HERE / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    crashes = HERE / "crashes" / name
    crashes.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.run",
            "--target",
            name,
            "--",
            work,
            str(corpus),
            f"-max_total_time={seconds}",
            "-max_len=4096",
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
            f"-artifact_prefix={crashes}{os.sep}",
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=HERE.parents[1]
        )
        keep(Path(work), corpus)
    statistics = [line for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    print(f"{name}: exit {done.returncode}, {' '.join(statistics)}", flush=True)
    if done.returncode:
        print(done.stderr[-3000:], flush=True)
    return done.returncode == 0


def keep(found: Path, corpus: Path) -> None:
    """Keeps the smallest inputs that reached new code."""
    new = sorted((f for f in found.iterdir() if f.is_file()), key=lambda f: f.stat().st_size)
    room = KEPT - len(list(corpus.iterdir()))
    for file in [f for f in new if f.stat().st_size <= LONGEST_KEPT][: max(room, 0)]:
        (corpus / file.name).write_bytes(file.read_bytes())


def main() -> int:
    """Fuzzes all targets one after the other; exit status 1 if one broke."""
    own, _, passed_on = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=3600, help="for all targets together")
    parser.add_argument("--target", help="run atheris itself on this target (internal)")
    options = parser.parse_args(own.split())
    if options.target:
        fuzz_one(options.target, passed_on.split())
    from tests.fuzz.targets import TARGETS

    share = max(options.seconds // len(TARGETS), 1)
    results = [fuzz_for(name, share) for name in TARGETS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
