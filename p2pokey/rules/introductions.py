"""Each game in one line, and how a turn of it goes in a few sentences for newcomers.

In every language of the page and the cards, by its two letters. The figures come from the rules themselves.
"""

from p2pokey.rules.published import RuleSet

_SUMMARIES = {
    "classic": {
        "en": "Be the first with fourteen tiles in runs and sets, or seven pairs.",
        "tr": "On dört taşı seri ve gruplara ya da yedi çifte ilk sen diz.",
    },
    "101-classic": {
        "en": "Open with 101; add to what lies on the table.",
        "tr": "101 ile aç, masaya taş işle.",
    },
    "101-rising": {
        "en": "Each opening must be higher than the one before.",
        "tr": "Her açış bir öncekinden yüksek olmalı.",
    },
    "101-challenge": {
        "en": "Rising, with Going Pairs, and whose discard helps you pays.",
        "tr": "Baraj yükselir, çifte gidilir; taşı işe yarayan ceza yer.",
    },
    "51": {
        "en": "The quick one: fourteen tiles, opening with 51.",
        "tr": "Hızlı oyun: on dört taş, 51 ile açılır.",
    },
    "101-standard": {
        "en": "Melds of five at most; a failed opening is charged.",
        "tr": "Perler en çok beş taş; tutmayan açış cezalı.",
    },
    "101-progressive": {
        "en": "Standard, with a floor that rises.",
        "tr": "Standart gibi, baraj her açışta yükselir.",
    },
    "51-feeding": {
        "en": "Feeding another player's meld costs its owner.",
        "tr": "Taş işlenen perin sahibi ceza yer.",
    },
    "duel": {
        "en": "Two players, one table that both rebuild.",
        "tr": "İki kişi, birlikte bozup kurdukları tek masa.",
    },
}
_CLASSIC = {
    "en": "Draw a tile or take the left neighbour's discard, then discard one. With {full} tiles on "
    "the rack, finish by discarding one and showing the other {rack} as runs and sets, or as "
    "{pairs} pairs. The okey, the tile one above the indicator, stands for any tile. Everybody "
    "but the finisher loses points.",
    "tr": "Ortadan bir taş çek ya da soldakinin attığını al, sonra bir taş at. Istakada {full} taş "
    "varken birini atıp kalan {rack} taşı seri ve gruplar ya da {pairs} çift olarak "
    "gösterirsen bitersin. Okey, göstergenin bir fazlasıdır ve her taşın yerine geçer. Biten "
    "dışında herkes sayı kaybeder.",
}
_OPEN = {
    "en": "Draw a tile or take the left neighbour's discard, lay what you like, discard one. Before "
    "anything of yours may lie on the table you must open: with runs and sets worth {melds}, or "
    "with {pairs} pairs. Then lay more, add tiles to any meld, and fetch okeys back with the tile "
    "for which they stand. The okey, the tile one above the indicator, stands for any tile. Who "
    "discards the last tile ends the hand. Points are bad.",
    "tr": "Ortadan bir taş çek ya da soldakinin attığını al, istediğini aç, bir taş at. Masaya taş "
    "koymadan önce el açman gerekir: toplamı {melds} olan seri ve gruplarla ya da {pairs} çiftle. "
    "Sonra yeni per açabilir, her pere taş işleyebilir, okeyin yerine geçtiği taşı koyup okeyi "
    "alabilirsin. Okey, göstergenin bir fazlasıdır ve her taşın yerine geçer. Son taşını atan eli "
    "bitirir. Sayı almak kötüdür.",
}
_DUEL = {
    "en": "On your turn play tiles to the common table, or draw one. Your first play comes from the "
    "rack alone and is worth {floor}. After that you may take the whole table apart, as long as "
    "every tile of it lies in a valid set again. Who empties the rack wins.",
    "tr": "Sıran gelince ortak masaya taş koy ya da bir taş çek. İlk koyuşun yalnız kendi "
    "ıstakandan, toplamı en az {floor} olmalı. Sonra masanın tamamını yeniden dizebilirsin; yeter "
    "ki masadaki her taş yine geçerli bir perde dursun. Istakasını boşaltan kazanır.",
}


def summary(key: str) -> dict[str, str]:
    """What is special about a game, in one line."""
    return _SUMMARIES[key]


def introduction(rules: RuleSet) -> dict[str, str]:
    """How a turn of that game goes."""
    rack = rules.rack_size
    figures = {"full": rack + 1, "rack": rack, "pairs": rack // 2}
    texts = _CLASSIC
    if rules.table is not None:
        texts, figures = _OPEN, {"melds": rules.table.melds_floor, "pairs": rules.table.pairs_floor}
    elif rules.duel is not None:
        texts, figures = _DUEL, {"floor": rules.duel.opening_floor}
    return {language: text.format(**figures) for language, text in texts.items()}
