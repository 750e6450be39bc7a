"""Rule cards: what a person needs at the table, every figure taken from the rules themselves."""

from collections.abc import Iterator
from functools import partial

from p2pokey.cli.card_parts import Card, Row, Say, Section
from p2pokey.cli.card_scores import bonus_section, charges_section, scores_section
from p2pokey.cli.card_texts import Language, say
from p2pokey.rules.introductions import introduction
from p2pokey.rules.published import OPTIONS, OpenTableRules, Option, RuleSet
from p2pokey.rules.rulesets import options_of
from p2pokey.tiles import TILE_COUNT


def card_of(rules: RuleSet, language: Language) -> Card:
    """The card of a rule set."""
    words: Say = partial(say, language)
    sections = [
        Section(title=words("section.figures"), rows=tuple(_figures(rules, words))),
        charges_section(rules, words),
        scores_section(rules, words),
        bonus_section(rules, words),
        Section(title=words("section.match"), rows=tuple(_match(rules, words))),
        Section(
            title=words("section.options"),
            rows=tuple(_options(rules, words)),
            notes=(words("usual"),),
        ),
    ]
    return Card(
        name=words(f"name.{rules.key}"),
        intro=introduction(rules)[language],
        sections=tuple(section for section in sections if section is not None),
        more=words("more", key=rules.key),
    )


def _figures(rules: RuleSet, words: Say) -> Iterator[Row]:
    rack, more = rules.rack_size, rules.rack_size + 1
    dealt = rules.players * rack + rules.starter_extra + rules.indicator
    yield words("players"), str(rules.players)
    tiles = words("tiles.with_starter", rack=rack, more=more) if rules.starter_extra else str(rack)
    yield words("tiles"), tiles
    yield words("stack"), str(TILE_COUNT - dealt)
    yield words("wild"), words("wild.okeys" if rules.indicator else "wild.jokers")
    yield words("wrap"), _yes_no(rules.wrap, words)
    if rules.table is not None:
        yield words("two_okeys_pair"), _yes_no(rules.two_okeys_pair, words)
        yield from _openings(rules, rules.table, words)
    if rules.duel is not None:
        yield words("first_play"), str(rules.duel.opening_floor)
    yield words("starter"), words(f"starter.{rules.starter}", first=1)


def _openings(rules: RuleSet, table: OpenTableRules, words: Say) -> Iterator[Row]:
    yield words("melds_floor"), str(table.melds_floor)
    yield words("pairs_floor"), words("pairs_floor.count", pairs=table.pairs_floor)
    yield words("rise"), _rise(rules, table, words)
    if rules.max_new < 13:
        yield words("max_new"), str(rules.max_new)
    yield words("take_playable"), _yes_no(table.take_playable, words)


def _rise(rules: RuleSet, table: OpenTableRules, words: Say) -> str:
    whose = words("rise.everybody" if table.rise_counts_partner else "rise.opponents")
    is_option = "melds_rise" in OPTIONS[rules.key]
    if is_option:
        return words("rise.option", what=words("rise.melds", whose=whose))
    if table.melds_rise and table.pairs_rise:
        return whose
    return words("rise.melds", whose=whose) if table.melds_rise else words("rise.none")


def _yes_no(is_so: bool, words: Say) -> str:
    return words("yes" if is_so else "no")


def _match(rules: RuleSet, words: Say) -> Iterator[Row]:
    yield words("start_score"), str(rules.start_score)
    if rules.hands == 0:
        yield words("until_zero"), words("until_zero.how", zero=0)
    else:
        yield words("hands"), str(rules.hands)
    yield words("wins"), words("wins.most" if rules.most_points_win else "wins.least")


def _options(rules: RuleSet, words: Say) -> Iterator[Row]:
    usual = options_of(rules)
    for name, values in OPTIONS[rules.key].items():
        choices = [_value(value, words) + "*" * (value == usual[name]) for value in values]
        yield name, words(f"option.{name}"), ", ".join(choices)


def _value(value: Option, words: Say) -> str:
    return words("on" if value else "off") if isinstance(value, bool) else str(value)
