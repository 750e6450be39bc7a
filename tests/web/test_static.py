"""The page's files: catalogues complete, nothing from outside, nothing inline, small enough."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.web.files import MAX_PAGE_BYTES, page_files

STATIC = Path(str(files("p2pokey.web") / "static"))
LANGUAGES = ("en", "tr")
_LITERAL = re.compile(r'\b(?:t|count)\((?:[^()"`]*\? )?"([\w.-]+)"(?: : "([\w.-]+)")?')
_PREFIX = re.compile(r"\b(?:t|tCode|count)\(`([\w.-]+)\$\{")
_HOLE = re.compile(r"\{\w+\}")


def _catalogue(language: str) -> dict[str, str]:
    """Flat, as js/i18n.js reads it: an empty name stands for the branch itself."""
    text = (STATIC / "lang" / f"{language}.json").read_text("utf-8")
    found: dict[str, str] = {}

    def collect(branch: object, prefix: str) -> None:
        assert isinstance(branch, list)
        for name, value in branch:
            key = ".".join(filter(None, (prefix, name)))
            if isinstance(value, str):
                assert key not in found, f"{key} twice"
                found[key] = value
            else:
                collect(value, key)

    collect(json.loads(text, object_pairs_hook=list), "")
    return found


def _scripts() -> Iterator[tuple[str, str]]:
    for path in sorted(STATIC.rglob("*.js")):
        yield path.name, path.read_text("utf-8")


def _has(catalogue: dict[str, str], key: str) -> bool:
    return key in catalogue or f"{key}.other" in catalogue


def test_catalogues_have_the_same_keys_and_holes() -> None:
    english, turkish = map(_catalogue, LANGUAGES)
    assert english.keys() == turkish.keys()
    for key, text in english.items():
        assert text.strip(), key
        assert turkish[key].strip(), key
        assert set(_HOLE.findall(text)) == set(_HOLE.findall(turkish[key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_that_a_script_asks_for_is_there(language: str) -> None:
    catalogue = _catalogue(language)
    asked = {
        key for _, text in _scripts() for found in _LITERAL.findall(text) for key in found if key
    }
    assert len(asked) > 200
    missing = {key for key in asked if not _has(catalogue, key)}
    assert missing == set()
    prefixes = {prefix for _, text in _scripts() for prefix in _PREFIX.findall(text)}
    assert {p for p in prefixes if not any(key.startswith(p) for key in catalogue)} == set()


def test_no_sentence_lies_about_unused() -> None:
    scripts = "\n".join(text for _, text in _scripts())
    built = set(_PREFIX.findall(scripts)) | {"stage.", "phrase.", "rule.", "refused.", "charge."}
    built |= {"notice.", "reason.", "option.", "hand-status.", "stats.", "log.", "paused."}
    for key in _catalogue("en"):
        plain = re.sub(r"\.(one|other)$", "", key)
        assert f'"{plain}"' in scripts or any(key.startswith(prefix) for prefix in built), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_and_options_have_names(language: str) -> None:
    catalogue = _catalogue(language)
    for key in RULE_SETS:
        assert {f"game.{key}", f"game.{key}.help"} <= catalogue.keys()
        for name, values in OPTIONS[key].items():
            if name == "hands":
                continue
            assert {f"option.{name}", f"option.{name}.help"} <= catalogue.keys()
            if isinstance(values[0], str):
                assert {f"option.{name}.{value}" for value in values} <= catalogue.keys()


def test_turkish_keeps_its_letters() -> None:
    text = " ".join(_catalogue("tr").values())
    for letter in "çğıöşüİ":
        assert letter in text or letter == "İ"
    styles = "".join(path.read_text("utf-8") for path in STATIC.rglob("*.css"))
    assert "text-transform" not in styles  # capitals of i differ by language
    assert "toUpperCase" not in "".join(text for _, text in _scripts())


_IMPORT = re.compile(r'from "\./([\w-]+\.js)"')


def _with_imports(names: list[str]) -> set[str]:
    """Scripts and all that they import, without what they load later."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _IMPORT.findall((STATIC / "js" / name).read_text("utf-8"))
    return found


@pytest.mark.parametrize("screen", ["lobby", "gathering", "table", "replay"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_screen_is_small_to_load(screen: str, language: str) -> None:
    scripts = _with_imports(["main.js", f"{screen}.js"])
    loaded = [STATIC / "js" / name for name in scripts]
    shared = ["base", "tile", "panels"]
    styles = {"table": ["table", "rack", "drawer", "small"], "replay": ["table", "replay"]}
    names = [*shared, *styles.get(screen, ["lobby"])]
    loaded += [STATIC / "style" / f"{name}.css" for name in names]
    loaded += [STATIC / "lang" / f"{language}.json"]
    loaded += [STATIC / "index.html", STATIC / "icon.svg"]
    assert sum(path.stat().st_size for path in loaded) <= MAX_PAGE_BYTES


def test_every_file_is_served_and_no_other() -> None:
    served = page_files()
    on_disk = {"/" + str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file()}
    assert served.keys() - {"/"} == on_disk


def test_nothing_comes_from_outside() -> None:
    for path in STATIC.rglob("*"):
        if not path.is_file():
            continue
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//cdn|@import|url\((?!#)", text), path.name


def test_nothing_is_inline_and_nothing_is_markup() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"\sstyle=|\son\w+=|<style|javascript:", page)
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    for name, text in _scripts():
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ):
            assert forbidden not in text, name
        assert 'setAttribute("style"' not in text, name


def test_shapes_and_labels_are_on_by_default() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert 'data-shapes="on"' in page
    assert "user-scalable" not in page
