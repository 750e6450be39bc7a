"""The tables of rule fields in docs/transcript-format.md section 4, from the code.

`python -m tests.docs.rule_fields` writes them as they stand in the document.
"""

import ast
import inspect
import textwrap
from dataclasses import fields

from p2pokey.rules.published import OPTIONS, RULE_SETS, DuelRules, OpenTableRules, RuleSet

RECORDS = (RuleSet, OpenTableRules, DuelRules)


def written(value: object) -> str:
    """A value as JSON has it; an inner record by a word."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    return "object" if isinstance(value, OpenTableRules | DuelRules) else str(value)


def meanings(record: type) -> dict[str, str]:
    """The docstring of each field, in one line; fields without one say it with their name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(record)))
    body = tree.body[0].body
    found: dict[str, str] = {}
    for line, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            text = following.value.value if is_text else line.target.id.replace("_", " ")
            found[line.target.id] = " ".join(text.split()).removesuffix(".")
    return found


def holders(record: type) -> dict[str, object]:
    """The records of this type in the published rule sets, by key, in their order there."""
    place = {RuleSet: None, OpenTableRules: "table", DuelRules: "duel"}[record]
    held = {k: rules if place is None else getattr(rules, place) for k, rules in RULE_SETS.items()}
    return {key: value for key, value in held.items() if value is not None}


def values(record: type, name: str) -> str:
    """The field's values: the most common one, then the rule sets that have another."""
    keys: dict[str, list[str]] = {}
    for key, held in holders(record).items():
        keys.setdefault(written(getattr(held, name)), []).append(f"`{key}`")
    common, *others = sorted(keys, key=lambda value: -len(keys[value]))
    return "; ".join([common, *(f"{value} in {', '.join(keys[value])}" for value in others)])


def kind(record: type, name: str) -> str:
    """The JSON type of the field's values."""
    value = getattr(next(iter(holders(record).values())), name)
    if name in ("table", "duel"):
        return "object or null"
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int) else "string"


def options(name: str) -> str:
    """Where a table may choose the value."""
    choosing = [key for key, names in OPTIONS.items() if name in names]
    return ", ".join(f"`{key}`" for key in choosing)


def rows(record: type) -> list[str]:
    """The table of a record's fields, in alphabetical order as they are written."""
    meaning = meanings(record)
    names = sorted(field.name for field in fields(record))
    head = [
        "| key | type | value | option in | meaning |",
        "|---|---|---|---|---|",
    ]
    return head + [
        f"| `{name}` | {kind(record, name)} | {values(record, name)} | {options(name)} | "
        f"{meaning[name]} |"
        for name in names
    ]


def tables() -> str:
    """All three tables, each under its heading."""
    titles = ("Keys of `rules`", "Keys of `rules.table`", "Keys of `rules.duel`")
    parts = [
        f"**{title}**\n\n" + "\n".join(rows(record))
        for title, record in zip(titles, RECORDS, strict=True)
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(tables())
