"""`p2pokey conformance`: plays a file of worked examples through the real rules."""

import json
from pathlib import Path

from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.output import Output, mark
from p2pokey.rules.conformance import SCHEMA, run_examples


def run_conformance(output: Output, *, file: Path) -> int:
    """Prints the outcome; code 1 if an example fails."""
    try:
        content = json.loads(file.read_bytes())
        is_known = isinstance(content, dict) and content.get("schema") == SCHEMA
        examples = content["examples"] if is_known else None
    except (OSError, ValueError, KeyError, RecursionError):
        examples = None
    if not isinstance(examples, list) or not all(isinstance(item, dict) for item in examples):
        raise CommandError(
            f"{file} is no file of examples: expected JSON of schema {SCHEMA}.",
            advice="The examples of this program are in tests/rules/rules_examples.json.",
            code=ExitCode.USAGE,
        )
    report = run_examples(examples)
    for failure in report.failures:
        output.data(f"{mark(False)} {failure.example}")
        output.data(f"    expected {json.dumps(failure.expected, ensure_ascii=False)}")
        output.data(f"    got      {json.dumps(failure.got, ensure_ascii=False)}")
    failed = len(report.failures)
    output.data(f"{mark(not failed)} {len(report.passed)} passed, {failed} failed")
    return ExitCode.ERROR if failed else ExitCode.OK
