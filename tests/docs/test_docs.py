"""The documents are true where a machine can check it: links, citations, names, tables, example."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from p2pokey import errors
from p2pokey.audit import reading
from p2pokey.rules import classic
from p2pokey.rules.move_codec import encode_move
from p2pokey.rules.move_text import format_move, parse_move
from p2pokey.rules.moves import Finish
from p2pokey.rules.rulesets import table_options
from p2pokey.rules.state import HandState, canonical_bytes
from p2pokey.tiles import Seat, parse_tile
from p2pokey.transcript import file, messages
from p2pokey.transcript.envelope import VERSION, decode_envelope, verify_envelope
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.messages import Kind, Message, decode_message
from p2pokey.transcript.setup import decode_header
from tests.core import ROOT
from tests.docs import rule_fields, worked_example

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
FORMAT = (DOCS / "transcript-format.md").read_text("utf-8")
SOURCES = sorted([*(ROOT / "p2pokey").rglob("*.py"), *(ROOT / "signaling").rglob("*.py")])
TEXT_ENDINGS = {"", ".py", ".md", ".toml", ".json", ".mjs", ".txt", ".yml"}


def name_of(path: Path) -> str:
    """Path inside the project."""
    return path.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    """The text without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


# Links -------------------------------------------------------------------------------------------


def anchor_of(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(path: Path) -> set[str]:
    """All anchors of a page."""
    text = without_code(path.read_text("utf-8"))
    return {anchor_of(heading) for heading in re.findall(r"^#+ +(.+)$", text, re.MULTILINE)}


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links of the text, as it stands on the page, that lead nowhere."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        address, _, anchor = target.partition("#")
        path = (page.parent / address).resolve() if address else page
        is_there = path.exists() and (not anchor or anchor in anchors_of(path))
        if not is_there:
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_resolves(page: Path) -> None:
    assert broken_links(page, page.read_text("utf-8")) == []


def test_a_link_to_nowhere_is_found() -> None:
    text = "[a](absent.md) [b](#absent) [c](glossary.md#absent) [d](glossary.md#the-game)"

    assert broken_links(DOCS / "README.md", text) == ["absent.md", "#absent", "glossary.md#absent"]


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}

    assert pages == set(re.findall(r"\]\(([^)#]+\.md)\)", index))


# Citations in the code ---------------------------------------------------------------------------

SECTION = re.compile(r"\bS(\d{1,2})(?:\.(\d{1,2}))?\b")
RULE = re.compile(r"\b(?:[A-EGMPT]|OPT|OT|TURN)-\d{1,2}\b")
PAGE = re.compile(r"\b([\w/-]+\.md)\b")
NAMED = re.compile(r"docs/([\w/-]+\.md), ([A-Z][\w -]+)")
NUMBERED = re.compile(r"docs/((?!protocol)[\w/-]+\.md) (\d+)(?: and (\d+))?")


def protocol_sections() -> set[str]:
    """`4` for each section of the protocol and `4.7` for each numbered part of one."""
    found: set[str] = set()
    section = ""
    for line in (DOCS / "protocol.md").read_text("utf-8").splitlines():
        if heading := re.match(r"#+ +S(\d+)(?:\.(\d+))?\b", line):
            section = heading[1]
            found |= {section} | ({f"{section}.{heading[2]}"} if heading[2] else set())
        elif part := re.match(r"\*{0,2}(\d+)\.", line):
            found.add(f"{section}.{part[1]}")
    return found


def rule_ids() -> set[str]:
    """Every rule id that a page of the rules defines."""
    texts = [path.read_text("utf-8") for path in (DOCS / "rules").glob("*.md")]
    return {rule for text in texts for rule in re.findall(r"\*\*([A-Z]+-\d+)\*\*", text)}


def headings_of(page: str) -> list[str]:
    """The headings of a page of the documents, without `#`; none if there is no such page."""
    path = DOCS / page
    text = path.read_text("utf-8") if path.exists() else ""
    return re.findall(r"^#+ +(.+)$", text, re.MULTILINE)


def wrong_citations(text: str, sections: set[str], rules: set[str]) -> list[str]:
    """Citations of the text that lead nowhere."""
    text = re.sub(r"\n[ #]*", " ", text)
    pages = PAGE.findall(text)
    wrong = [page for page in pages if not (ROOT / page).exists() and not (DOCS / page).exists()]
    cited = (number + ("." + part if part else "") for number, part in SECTION.findall(text))
    wrong += [f"S{section}" for section in cited if section not in sections]
    wrong += [rule for rule in RULE.findall(text) if rule not in rules]
    for page, name in NAMED.findall(text):
        titles = [re.sub(r"^\d+\. ", "", title) for title in headings_of(page)]
        if not any(title.startswith(name) or name.startswith(title) for title in titles):
            wrong.append(f"{page}, {name}")
    for page, *numbers in NUMBERED.findall(text):
        titles = headings_of(page)
        for number in filter(None, numbers):
            if not any(title.startswith(f"{number}. ") for title in titles):
                wrong.append(f"{page} {number}")
    return wrong


def test_every_citation_in_the_code_leads_somewhere() -> None:
    sections, rules = protocol_sections(), rule_ids()
    wrong = {
        name_of(path): found
        for path in SOURCES
        if (found := wrong_citations(path.read_text("utf-8"), sections, rules))
    }

    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    ["docs/absent.md", "S4.9 and S6", "rule A-99", "docs/architecture.md, Absent part", "rules.md"],
)
def test_a_citation_of_nothing_is_found(text: str) -> None:
    assert wrong_citations(text, {"4", "6"}, {"A-1"})


# Names in the documents --------------------------------------------------------------------------


def code_names() -> set[str]:
    """Every class and constant that the code defines."""
    pattern = re.compile(r"^\s*(?:class (\w+)|([A-Z_]\w+)\s*[:=])", re.MULTILINE)
    texts = [path.read_text("utf-8") for path in SOURCES]
    return {a or b for text in texts for a, b in pattern.findall(text)}


def camel_case(text: str) -> set[str]:
    """Names in backquotes that are written like classes."""
    return set(re.findall(r"`((?:[A-Z][a-z0-9]+){2,})`", text))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_class_that_a_page_names_exists(page: Path) -> None:
    assert camel_case(page.read_text("utf-8")) - code_names() - {"FiatShamir"} == set()


def test_the_architecture_names_files_and_folders_that_exist() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    known = {path.name for folder in ("p2pokey", "tests") for path in (ROOT / folder).rglob("*")}
    named = re.findall(r"\b(\w+\.py)\b", text) + re.findall(r"^ +(\w+)/  ", text, re.MULTILINE)

    assert len(named) > 50
    assert [
        name for name in named if name not in known | {"p2pokey", "signaling", "tests", "docs"}
    ] == []


def test_every_error_of_the_protocol_page_exists() -> None:
    text = (DOCS / "protocol.md").read_text("utf-8")
    section = text[text.index("S12") :]
    named = re.findall(r"\b(?:Bad|Invalid|Duplicate|Broken|Unknown)[A-Z]\w+", text)
    named += re.findall(r"\b\w+(?:Invalid|Mismatch|Disagreement|NotDue)\b", section)

    assert named
    assert [name for name in named if not hasattr(errors, name)] == []


def cited_tests(text: str) -> Iterator[tuple[str, str]]:
    """Files and functions named as `tests/x.py::test_y` (the function may be missing)."""
    yield from re.findall(r"`(tests/[\w/.-]+\.py)(?:::(\w+))?`", text)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    for path, function in cited_tests(page.read_text("utf-8")):
        source = (ROOT / path).read_text("utf-8")

        assert not function or f"def {function}(" in source, f"{path}::{function}"


def test_every_row_of_the_threat_model_has_its_tests() -> None:
    heading = "\n## Attacks and the tests that show them failing\n"
    _, _, text = (DOCS / "threat-model.md").read_text("utf-8").partition(heading)
    rows = rows_of(text)

    assert [str(number) for number in range(1, 21)] == [row[0] for row in rows]
    for row in rows:
        files = {path for path, _ in cited_tests(row[3])}
        sources = [(ROOT / path).read_text("utf-8") for path in files if "attacks" in path]

        assert any(f"def test_row_{int(row[0]):02}_" in source for source in sources), row[0]


# Words that must not stand anywhere --------------------------------------------------------------

FORBIDDEN = [
    "/wor" + "k/",
    "/roo" + "t/",
    "/ho" + "me/",
    "/tm" + "p/",
    "pypi" + ".org",
    "python" + "hosted",
    "npm" + "js.",
    "index" + "-url",
    "artif" + "actory",
]


def project_files() -> list[Path]:
    """Every text file that belongs to the project: the tracked ones, where that can be told."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        files = [ROOT / name for name in listed.stdout.decode("utf-8").split("\0") if name]
    else:
        folders = ("docs", "p2pokey", "signaling", "tests")
        files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        files = [path for path in files if "node_modules" not in path.parts]
    return [path for path in files if path.is_file() and path.suffix in TEXT_ENDINGS]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{name_of(path)}: {word}"
        for path in project_files()
        for word in FORBIDDEN
        if word in path.read_text("utf-8", errors="replace")
    ]

    assert found == []


# The tables of the transcript format -------------------------------------------------------------


def part_of_format(heading: str) -> str:
    """The text under a heading of transcript-format.md."""
    start = FORMAT.index(f"\n{heading}\n") + len(heading) + 2
    following = re.search(r"^#", FORMAT[start:], re.MULTILINE)
    return FORMAT[start : start + following.start()] if following else FORMAT[start:]


def rows_of(text: str) -> list[list[str]]:
    """Cells of the tables in a text, without their heads."""
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    rules = [index for index, row in enumerate(cells) if set("".join(row)) == {"-"}]
    heads = {index - 1 for index in rules} | set(rules)
    return [row for index, row in enumerate(cells) if index not in heads]


def number(expression: str, values: Mapping[str, int]) -> int:
    """An expression of the document such as `32·(5·N + 9)`."""
    assert re.fullmatch(r"[\w ·()+]+", expression), expression
    for name, value in values.items():
        expression = re.sub(rf"\b{name}\b", str(value), expression)
    result = eval(expression.replace("·", "*"), {"__builtins__": {}})
    assert isinstance(result, int)
    return result


def table_size(rows: list[list[str]], values: Mapping[str, int]) -> int:
    """Sum of the sizes, after checking that every offset is the sum of the sizes before it."""
    total = 0
    for offset, size, *_ in rows:
        assert total == number(offset, values), f"offset {offset}"
        total += number(size, values)
    return total


TILES, SMALL = 106, 15
REMASK = messages.Remask(deck=bytes(64 * SMALL), proof=bytes(32 * (5 * SMALL + 9)))

MESSAGES: list[tuple[Message, dict[str, int]]] = [
    (
        messages.Commit(
            seed_commit=bytes(32), coin_commit=bytes(32), sealing_key=bytes(32), pop=bytes(64)
        ),
        {},
    ),
    *(
        (
            messages.Keys(
                hand_key=bytes(32),
                pop=bytes(64),
                commitments=bytes(32 * c),
                shares=bytes(48 * s),
                coin=bytes(32),
            ),
            {"c": c, "s": s},
        )
        for c, s in ((0, 0), (1, 2), (2, 3))
    ),
    (messages.Complaint(dealer=1, shared_point=bytes(32), proof=bytes(64)), {}),
    *(
        (
            messages.Shuffle(
                input_hash=bytes(64), deck=bytes(64 * count), proof=bytes(32 * (5 * count + 9))
            ),
            {"N": count},
        )
        for count in (2, TILES)
    ),
    (messages.Ready(digest=bytes(64)), {}),
    *(
        (
            messages.Tokens(
                purpose=messages.Purpose.DEAL,
                positions=tuple(range(count)),
                tokens=bytes(32 * count),
                proof=bytes(64),
            ),
            {"m": count},
        )
        for count in (1, 44)
    ),
    (
        messages.Escrow(absent=2, positions=(4, 5), tokens=bytes(64), proof=bytes(64)),
        {"m": 2},
    ),
    (
        messages.Move(move=b"\x01", remask=None, tokens=b"", proof=b""),
        {"L": 1, "N": 0, "r": 0, "m": 0, "q": 0},
    ),
    (
        messages.Move(move=bytes(3), remask=REMASK, tokens=bytes(32), proof=bytes(64)),
        {"L": 3, "N": SMALL, "r": 1, "m": 1, "q": 1},
    ),
    (
        messages.Move(move=bytes(46), remask=None, tokens=bytes(32 * 15), proof=bytes(64)),
        {"L": 46, "N": 0, "r": 0, "m": 15, "q": 1},
    ),
    (
        messages.Drop(absent=1, step=2, head_seq=3, head=bytes(64), state=bytes(64)),
        {},
    ),
    (messages.Refuse(message=bytes(300)), {"L": 300}),
    (messages.Return(), {}),
    (messages.End(digest=bytes(64)), {}),
    (messages.Disclose(seed=bytes(32)), {}),
    *(
        (
            messages.Result(
                points=(0,) * n, totals=(1,) * n, state=bytes(64), transcript=bytes(64)
            ),
            {"n": n},
        )
        for n in (2, 4)
    ),
    *(
        (
            messages.Void(reason="DleqInvalid", culprit=1, evidence=(bytes(400),) * k),
            {"R": 11, "k": k, "L": 400},
        )
        for k in (0, 1, 2)
    ),
]


@pytest.mark.parametrize(
    ("message", "values"),
    MESSAGES,
    ids=[f"{message.kind.label}-{values}" for message, values in MESSAGES],
)
def test_payload_tables_give_the_size_of_real_messages(
    message: Message, values: dict[str, int]
) -> None:
    heading = f"### {message.kind.label.capitalize()}"
    encoded = message.encode()

    assert len(encoded) == table_size(rows_of(part_of_format(heading)), values)
    assert message == decode_message(message.kind, encoded)


def test_every_kind_has_a_size_test() -> None:
    assert set(Kind) == {message.kind for message, _ in MESSAGES}


def test_the_table_of_kinds_is_that_of_the_code() -> None:
    rows = rows_of(part_of_format("## 7. Kinds and payloads"))
    listed = {int(row[0]): row[1].strip("`") for row in rows}
    sizes = {int(row[0]): row[2] for row in rows}

    assert {int(kind): kind.label for kind in Kind} == listed
    for message, values in MESSAGES:
        expression = sizes[message.kind]
        if "more" not in expression:
            assert len(message.encode()) == number(expression, values), expression


def test_the_table_of_the_body_is_that_of_the_code() -> None:
    *head, payload = rows_of(part_of_format("## 6. The body of a message"))
    envelope = worked_example.first_envelope()

    assert table_size(head, {}) == int(payload[0])
    assert envelope.body[int(payload[0]) :] == envelope.message.encode()
    at = {row[2].strip("`"): int(row[0]) for row in head}
    assert envelope.body[at["version"]] == VERSION
    assert envelope.body[at["session"] : at["hand"]] == envelope.session
    assert envelope.body[at["seat"]] == envelope.seat
    assert envelope.body[at["prev"] : at["step"]] == envelope.prev
    assert envelope.body[at["state"] : at["kind"]] == envelope.state
    assert envelope.body[at["kind"]] == envelope.kind


def finished() -> HandState:
    """A state with everything in it: discards, public faces, a finish."""
    state = worked_example.dealt(Seat(0))
    # Naturals in runs on the starter's rack; the rules trust what the deck would prove.
    names = [
        *("r1a", "r2a", "r3a", "r4a", "r5a", "b1a", "b2a", "b3a"),
        *("k1a", "k2a", "k3a", "y1a", "y2a", "y3a"),
    ]
    laid = [f"{slot}:{name}" for slot, name in zip(state.racks[0], names, strict=False)]
    groups = (laid[:5], laid[5:8], laid[8:11], laid[11:])
    text = " ".join(f"run({' '.join(group)})" for group in groups)
    move = parse_move(f"finish 56:y9a {text}")
    assert isinstance(move, Finish)
    return classic.apply(state, move)[0]


@pytest.mark.parametrize("state", [worked_example.dealt(Seat(2)), finished()], ids=["deal", "end"])
def test_the_table_of_the_game_state_gives_its_size(state: HandState) -> None:
    rows = rows_of(part_of_format("### The bytes of the game's state"))
    layout = 0
    if state.finish is not None:
        layout = 4 + 1 + sum(3 + 2 * len(meld.tiles) for meld in state.finish.layout)
    values = {
        "n": state.seats,
        "T": sum(map(len, state.racks)),
        "S": len(state.stack),
        "D": sum(map(len, state.discards)),
        "F": layout,
        "G": 0,
    }

    assert len(canonical_bytes(state)) == sum(number(row[0], values) for row in rows)


def test_the_limits_are_those_of_the_code() -> None:
    rows = rows_of(part_of_format("## 14. What a reader must refuse"))
    listed = {row[0]: int(re.sub(r"\D.*", "", row[1].replace(",", ""))) for row in rows}

    assert listed == {
        "file": file.MAX_FILE,
        "lines of a file": reading.MAX_LINES,
        "unreadable lines": reading.MAX_DAMAGED,
        "message line": file.MAX_LINE,
        "rules text": 8192,
        "envelope": messages.MAX_ENVELOPE,
        "move": messages.MAX_MOVE_SIZE,
        "deck of a shuffle or re-mask": messages.TILE_COUNT,
        "positions of a token message": messages.TILE_COUNT,
        "evidence": 2,
    }


def test_the_tables_of_the_rules_are_those_of_the_code() -> None:
    assert (DOCS / "rule-fields.md").read_text("utf-8").endswith(f"\n{rule_fields.tables()}\n")


def test_the_table_of_table_options_names_every_field() -> None:
    rows = rows_of(part_of_format("## 4. Rules and their hash"))

    assert sorted(table_options(4).__slots__) == sorted(row[0].strip("`") for row in rows)


# The worked example ------------------------------------------------------------------------------


def written_blocks(kind: str) -> dict[str, str]:
    """Named blocks of the example as they stand in the document."""
    pattern = re.compile(rf"^```{kind} (\w+)\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
    return dict(pattern.findall(FORMAT))


def test_the_example_holds_the_values_of_the_code() -> None:
    written = {name: "".join(text.split()) for name, text in written_blocks("hex").items()}

    assert {name: value.hex() for name, value in worked_example.binary_values().items()} == written
    assert worked_example.text_values() == written_blocks("text")


def test_the_example_reads_back() -> None:
    lines = written_blocks("text")
    written = {
        name: bytes.fromhex("".join(text.split())) for name, text in written_blocks("hex").items()
    }
    setup = decode_header(lines["header"].encode("ascii"))
    envelope = decode_line(lines["line_2"].encode("ascii"))

    assert setup == worked_example.setup()
    assert envelope == decode_envelope(written["body"] + written["signature"])
    assert envelope.message == decode_message(Kind.COMMIT, written["commit_0"])
    verify_envelope(worked_example.VERIFIER, setup.roster[0], envelope)
    for kind, name in (
        (Kind.KEYS, "keys_0"),
        (Kind.MOVE, "payload_draw"),
        (Kind.RESULT, "payload_result"),
        (Kind.VOID, "payload_void"),
    ):
        assert decode_message(kind, written[name]).encode() == written[name]


def test_the_move_texts_of_the_format_are_canonical() -> None:
    rows = rows_of(part_of_format("## 9. Moves"))

    for tag, *_, text in rows:
        move = parse_move(text.strip("`"))

        assert format_move(move) == text.strip("`")
        assert encode_move(move)[0] == int(tag)
    assert parse_tile("k7a") == 64
