"""The words of the rule cards, English and Turkish side by side. Figures come from the rules."""

from enum import StrEnum
from typing import NamedTuple


class Language(StrEnum):
    """A language of the cards, by its two letters."""

    EN = "en"
    TR = "tr"


class Words(NamedTuple):
    """One text in every language; `{name}` stands for a figure."""

    en: str
    tr: str


def say(language: Language, name: str, **figures: object) -> str:
    """The text with that name, its figures filled in."""
    words = TEXTS[name]
    return (words.tr if language is Language.TR else words.en).format(**figures)


_NAMES = {
    "name.classic": Words("Classic Okey", "Klasik Okey"),
    "name.101-classic": Words("101 Classic", "101 Okey"),
    "name.101-rising": Words("101 Rising", "101 Katlamalı"),
    "name.101-challenge": Words("101 Challenge", "101 Çifte Gitmeli"),
    "name.51": Words("51", "51 Okey"),
    "name.101-standard": Words("101 Standard", "101 Standart"),
    "name.101-progressive": Words("101 Progressive", "101 Artırmalı"),
    "name.51-feeding": Words("51 with feeding", "51 İşlemeli"),
    "name.duel": Words("Duel", "Düello"),
}

_FIGURES = {
    "section.figures": Words("Figures", "Sayılar"),
    "players": Words("players", "oyuncu"),
    "tiles": Words("tiles dealt", "dağıtılan taş"),
    "tiles.with_starter": Words("{rack}, starter {more}", "{rack}, başlayan {more}"),
    "stack": Words("stack after the deal", "dağıtımdan sonra orta"),
    "wild": Words("wild tiles", "joker taşlar"),
    "wild.okeys": Words("the okeys, one above the indicator", "okeyler, göstergenin bir fazlası"),
    "wild.jokers": Words("the tiles without a number", "sayısız taşlar"),
    "wrap": Words("run 12-13-1", "12-13-1 serisi"),
    "two_okeys_pair": Words("two okeys are a pair", "iki okey bir çifttir"),
    "melds_floor": Words("to open with melds", "perle açmak için"),
    "pairs_floor": Words("to open with pairs", "çiftle açmak için"),
    "pairs_floor.count": Words("{pairs} pairs", "{pairs} çift"),
    "rise": Words("an opening must beat", "açış geçmeli"),
    "rise.none": Words("none", "hiçbirini"),
    "rise.opponents": Words("the opponents'", "rakiplerinkini"),
    "rise.everybody": Words("everybody's", "herkesinkini"),
    "rise.melds": Words("{whose}, only with melds", "{whose}, yalnız perle"),
    "rise.option": Words("{what} (an option)", "{what} (seçenek)"),
    "max_new": Words("tiles of a new meld, at most", "yeni perde en çok taş"),
    "take_playable": Words("a playable discard may be taken", "işlek taş yerden alınabilir"),
    "first_play": Words("first play", "ilk koyuş"),
    "starter": Words("who starts", "kim başlar"),
    "starter.rotates": Words(
        "by chance, then one seat to the right", "kurayla, sonra her el bir sağdaki"
    ),
    "starter.coins": Words("by chance in each hand", "her el kurayla"),
    "starter.alternates": Words("seat {first}, then in turn", "koltuk {first}, sonra sırayla"),
    "yes": Words("yes", "evet"),
    "no": Words("no", "hayır"),
}

_CHARGES = {
    "section.charges": Words("Charges during the hand", "El içindeki cezalar"),
    "charge.playable": Words("discarding a playable tile", "işlek taş atmak"),
    "charge.okey": Words("discarding an okey without finishing", "bitmeden okey atmak"),
    "charge.take_back": Words(
        "taking a turn back, returning a taken tile after a change",
        "açılanı geri toplamak, masa değiştikten sonra alınan taşı geri vermek",
    ),
    "charge.failed": Words("an opening below the floor", "sınırın altında açmak"),
    "charge.claim": Words("a finish from the rack that fails", "geçersiz elden bitme"),
    "charge.retrieve": Words(
        "another seat fetches the okey that you placed", "koyduğun okeyi bir başkası alır"
    ),
    "charge.steal": Words("a rival steals an okey from your meld", "rakip perinden okey çalar"),
    "charge.feed": Words("a rival adds to your meld", "rakip perine taş işler"),
    "charge.used_melds": Words(
        "your discard is used in a meld", "attığın taş bir perde kullanılır"
    ),
    "charge.used_pairs": Words(
        "your discard is used in a pair", "attığın taş bir çiftte kullanılır"
    ),
    "charge.opening_melds": Words(
        "your discard is used in an opening with melds", "attığın taşla perle açılır"
    ),
    "charge.opening_pairs": Words(
        "your discard is used in an opening with pairs", "attığın taşla çiftle açılır"
    ),
    "charge.used": Words("your discard is used", "attığın taş kullanılır"),
    "charge.times": Words("value × {times}", "değeri × {times}"),
    "charge.times_okey": Words(
        "value × {times}, an okey × {okey}", "değeri × {times}, okey × {okey}"
    ),
    "charge.plus_times": Words("{points} + value × {times}", "{points} + değeri × {times}"),
}

_SCORES = {
    "section.scores": Words("What a hand is worth", "Elin değeri"),
    "finish": Words("finish", "bitiş"),
    "finish.melds": Words("melds", "perle"),
    "finish.melds_okey": Words("melds, okey discarded", "perle, okey atarak"),
    "finish.pairs": Words("pairs", "çiftle"),
    "finish.pairs_okey": Words("pairs, okey discarded", "çiftle, okey atarak"),
    "finish.plain": Words("ordinary", "normal"),
    "finish.okey": Words("okey discarded", "okeyle"),
    "finish.straight": Words("straight out", "elden"),
    "finish.rack": Words("opened this turn", "açtığı turda"),
    "finish.exhausted": Words("stack exhausted", "orta biterse"),
    "finisher": Words("finisher", "biten"),
    "unopened": Words("not opened", "açmayan"),
    "opened_melds": Words("melds", "perle açan"),
    "opened_pairs": Words("pairs", "çiftle açan"),
    "others_lose": Words("each other seat loses", "öbürlerinin her birinin kaybı"),
    "show": Words("indicator shown", "gösterge gösterilirse"),
    "sum": Words("sum", "toplam"),
    "sum_times": Words("sum × {times}", "toplam × {times}"),
    "held": Words(
        "Each okey left on the rack of a seat that has opened: {points} more.",
        "Açan oyuncunun elinde kalan her okey için {points} daha.",
    ),
    "held.both": Words(
        "Each okey left after opening with melds: {melds} more, with pairs: {pairs}.",
        "Perle açanda kalan her okey için {melds}, çiftle açanda {pairs} daha.",
    ),
    "going_pairs": Words("Going Pairs", "çifte giden"),
    "going_pairs.note": Words(
        "Going Pairs: declared, and not opened.", "Çifte giden: söylemiş, ama açamamış."
    ),
    "partner.all": Words(
        "The finisher's partner writes nothing at all.", "Bitenin eşi hiçbir şey yazmaz."
    ),
    "partner.end-points": Words(
        "The finisher's partner writes charges only.", "Bitenin eşi yalnız cezalarını yazar."
    ),
    "section.bonus": Words("Bonus for a dear opening", "Yüksek açış ödülü"),
    "bonus.melds": Words("{value} or more", "{value} ve üstü"),
    "bonus.pairs": Words("{value} pairs or more", "{value} çift ve üstü"),
    "cancelled": Words(
        "If all four open with pairs, the hand is cancelled and dealt again.",
        "Dördü de çiftle açarsa el sayılmaz, yeniden dağıtılır.",
    ),
    "duel.empty": Words("a rack is empty", "ıstaka biter"),
    "duel.empty_points": Words(
        "the winner gets what the other holds", "kazanan, ötekinin elindekini alır"
    ),
    "duel.blocked": Words("blocked", "tıkanırsa"),
    "duel.blocked_points": Words("the lower rack wins the difference", "eli az olan farkı alır"),
    "duel.joker": Words("a joker left", "kalan joker"),
}

_MATCH = {
    "section.match": Words("Match", "Maç"),
    "start_score": Words("everybody begins with", "herkes şununla başlar"),
    "until_zero": Words("played until", "oyun sonu"),
    "until_zero.how": Words("a score is {zero} or below", "bir sayı {zero} ya da altına inince"),
    "hands": Words("hands", "el"),
    "wins": Words("who wins", "kim kazanır"),
    "wins.most": Words("the highest score; ties are shared", "en yüksek sayı; eşitlik paylaşılır"),
    "wins.least": Words("the lowest total; ties are shared", "en düşük toplam; eşitlik paylaşılır"),
    "list.more": Words(
        "A game's card: p2pokey rules KEY", "Bir oyunun kartı: p2pokey rules KEY --lang tr"
    ),
    "section.options": Words("Options", "Seçenekler"),
    "usual": Words("* usual", "* genelde"),
    "on": Words("on", "açık"),
    "off": Words("off", "kapalı"),
    "more": Words(
        "All rules, with their numbers: docs/rules/{key}.md",
        "Bütün kurallar (İngilizce): docs/rules/{key}.md",
    ),
}

_OPTIONS = {
    "option.partners": Words("opposite seats are partners", "karşılıklı oturanlar eştir"),
    "option.hands": Words("hands of a match", "maçın el sayısı"),
    "option.penalties": Words("charges are written", "cezalar yazılır"),
    "option.last_discard_offer": Words(
        "the last discard may still be taken", "son atılan taş yine de alınabilir"
    ),
    "option.discard_taken": Words(
        "the tile just taken may be discarded", "yerden alınan taş hemen atılabilir"
    ),
    "option.show_survives_drawout": Words(
        "a shown indicator counts in an exhausted hand", "orta bitse de gösterge sayılır"
    ),
    "option.pairs_opener_may_process": Words(
        "pairs openers add to runs and sets", "çift açan, pere taş işler"
    ),
    "option.take_use": Words(
        "what an opened seat does with a taken tile", "açan oyuncunun aldığı taşı kullanması"
    ),
    "option.retrieve_exempts_partner": Words(
        "fetching a partner's okey is free", "eşin okeyini almak cezasızdır"
    ),
    "option.set3_retrieve_both": Words(
        "an okey in a set of three needs both colours", "üçlü gruptaki okey için iki renk gerekir"
    ),
    "option.two_per_end": Words(
        "the limit of tiles on one end holds for", "bir uca işleme sınırı şunun için"
    ),
    "option.playable_includes_swap": Words(
        "a tile that would fetch an okey is playable", "okeyin yerine geçen taş da işlektir"
    ),
    "option.held_okey_unopened": Words(
        "a held okey costs also if not opened", "açmayanda kalan okey de cezalıdır"
    ),
    "option.held_okey_face": Words(
        "a held okey counts its number, too", "kalan okey kendi sayısını da yazdırır"
    ),
    "option.partner_cleared": Words("what the finisher's partner is spared", "bitenin eşi için"),
    "option.rack_finish_waives_floor": Words(
        "no floor if finished in the same turn", "aynı turda bitince açma sınırı aranmaz"
    ),
    "option.melds_rise": Words("openings must beat the last", "her açış öncekini geçmeli"),
    "option.pairs_ten_at_drawout": Words(
        "pairs openers write double in an exhausted hand", "orta bitince çift açan iki kat yazar"
    ),
}

TEXTS = _NAMES | _FIGURES | _CHARGES | _SCORES | _MATCH | _OPTIONS
"""All texts by name."""
