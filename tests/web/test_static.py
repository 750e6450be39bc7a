"""The page's files: catalogues complete, nothing from outside, nothing inline, small enough."""

import inspect
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from p2pokey.cli.card_texts import Language, say
from p2pokey.net.progress import Phase
from p2pokey.rules import melds
from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.web.files import MAX_PAGE_BYTES, page_files
from p2pokey.web.gathering import _NOTICES
from p2pokey.web.past import SCORED, UNREADABLE, UNSCORED
from p2pokey.web.talk_feed import PHRASES

STATIC = Path(str(files("p2pokey.web") / "static"))
LANGUAGES = ("en", "tr")
_MELD_RULES = set(re.findall(r'rule="([A-Z]-\d+)"', inspect.getsource(melds)))
"""What is said of tiles that are no meld."""
_WAITED_FOR = set(Phase) - _NOTICES - {Phase.CODE_SHOWN, Phase.FRIENDS_HERE, Phase.WINDOW_OPEN}
"""Steps to a table with a sentence of their own; in the others one waits for friends."""
_LITERAL = re.compile(r'(?<!\bh\()"([\w-]+(?:\.[\w-]+)+)"')
_PREFIX = re.compile(r"`([\w-]+(?:\.[\w-]+)*\.(?:[\w-]+-)?)\$\{")
_SUFFIX = re.compile(r"`\$\{\w+\}(\.[\w-]+)`")
_HOLE = re.compile(r"\{\w+\}")


def _catalogue(language: str) -> dict[str, str]:
    """Flat, as js/i18n.js reads it: an empty name stands for the branch itself, a pair for name and
    help, and two names have one text."""
    text = (STATIC / "lang" / f"{language}.json").read_text("utf-8")
    found: dict[str, str] = {}

    def collect(branch: object, prefix: str) -> None:
        assert isinstance(branch, list)
        for name, value in ((name, value) for names, value in branch for name in names.split(" ")):
            key = ".".join(filter(None, (prefix, name)))
            if isinstance(value, str):
                add(key, value)
            elif isinstance(value[0], str):
                add(key, value[0])
                add(f"{key}.help", value[1])
            else:
                collect(value, key)

    def add(key: str, text: str) -> None:
        assert key not in found, f"{key} twice"
        found[key] = text

    collect(json.loads(text, object_pairs_hook=list), "")
    return found


def _scripts() -> Iterator[tuple[str, str]]:
    for path in sorted(STATIC.rglob("*.js")):
        yield path.name, path.read_text("utf-8")


def test_catalogues_have_the_same_keys_and_holes() -> None:
    english, turkish = map(_catalogue, LANGUAGES)
    assert english.keys() == turkish.keys()
    for key, text in english.items():
        assert text.strip(), key
        assert turkish[key].strip(), key
        assert set(_HOLE.findall(text)) == set(_HOLE.findall(turkish[key])), key


def test_nothing_is_left_in_the_other_language() -> None:
    english, turkish = map(_catalogue, LANGUAGES)
    same = {key for key, text in english.items() if turkish[key] == text}
    words = {key for key in same if re.search(r"\w", _HOLE.sub("", english[key]))}
    assert words == {"tile.joker", "seat.bot", "setting.lang.en", "setting.lang.tr"}
    for key in english:
        assert not re.search("[çğışÇĞİŞ]", english[key]) or key == "setting.lang.tr", key


def _asked() -> tuple[set[str], set[str]]:
    """Keys that scripts name, and beginnings of those that they build."""
    texts = [text for _, text in _scripts()]
    branches = {key.partition(".")[0] for key in _catalogue("en")}
    keys = {key for text in texts for key in _LITERAL.findall(text)}
    return (
        {key for key in keys if key.partition(".")[0] in branches},
        {prefix for text in texts for prefix in _PREFIX.findall(text)},
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_that_a_script_asks_for_is_there(language: str) -> None:
    catalogue = _catalogue(language)
    keys, prefixes = _asked()
    assert len(keys) > 200
    assert len(prefixes) > 20
    assert {key for key in keys if key not in catalogue} == set()
    assert {p for p in prefixes if not any(key.startswith(p) for key in catalogue)} == set()


def test_no_sentence_lies_about_unused() -> None:
    keys, prefixes = _asked()
    whole = "\n".join(text for _, text in _scripts())
    suffixes = tuple(_SUFFIX.findall(whole))
    for key in _catalogue("en"):
        is_built = key.endswith(suffixes) or any(key.startswith(prefix) for prefix in prefixes)
        assert key in keys or is_built or f'"{key}"' in whole, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_engine_names_has_a_sentence(language: str) -> None:
    catalogue = _catalogue(language)
    assert {f"rule.{rule}" for rule in _MELD_RULES} <= catalogue.keys()
    assert {f"phrase.{code}" for code in PHRASES} <= catalogue.keys()
    assert {f"gathering.phase-{phase}" for phase in _WAITED_FOR} <= catalogue.keys()
    assert {f"notice.{phase}" for phase in _NOTICES} <= catalogue.keys()
    assert {
        f"hand-status.{status}" for status in (SCORED, UNSCORED, UNREADABLE)
    } <= catalogue.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_and_options_have_names(language: str) -> None:
    catalogue = _catalogue(language)
    for key in RULE_SETS:
        assert f"game.{key}" in catalogue
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_small(language: str) -> None:
    """All that one visit can load: every script and style of every screen, and one language."""
    loaded = [path for path in STATIC.rglob("*") if path.is_file() and path.parent.name != "lang"]
    loaded.append(STATIC / "lang" / f"{language}.json")
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


def test_every_script_is_asked_for_at_once() -> None:
    """A script that only another one names would be fetched a level later, over a new connection."""
    page = (STATIC / "index.html").read_text("utf-8")
    preloaded = re.findall(r"<link rel=modulepreload href=/js/([\w-]+\.js)>", page)
    started = re.findall(r"<script type=module src=/js/([\w-]+\.js)>", page)
    texts = dict(_scripts())
    reached = set(started)
    todo = list(started)
    while todo:
        imported = set(re.findall(r'from "\./([\w-]+\.js)"', texts[todo.pop()])) - reached
        reached |= imported
        todo += imported
    assert sorted(preloaded) == sorted(reached - set(started))
    assert reached == texts.keys()


def test_shapes_and_labels_are_on_by_default() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert 'data-shapes="on"' in page
    assert "user-scalable" not in page


@pytest.mark.parametrize("language", list(Language))
def test_a_game_has_one_name_on_the_page_and_in_the_terminal(language: Language) -> None:
    sentences = _catalogue(language.value)
    for key in RULE_SETS:
        assert sentences[f"game.{key}"] == say(language, f"name.{key}")
