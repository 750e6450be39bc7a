"""The 1296 words that invite codes and safety words are made of.

Short Turkish words that are spelled with plain Latin letters, so that they can be said on the
telephone and typed on any keyboard. No two differ in one letter only (changed, left out or added),
nor by two neighbours swapped, so one slip never turns a word into another one. 1296 = 6^4: a word
is 10.3 bits. The order is part of the protocol: safety words are indices into it.
"""

from collections.abc import Sequence

_TEXT = """
abone adana adres ahenk ahize ahtapot ahududu aile ajanda akademi akasya akbaba akik akort akrep
akrobat aksan aksaray aktar aktris akustik alaca alarm alaska albay alev alfabe almanya alpaka
alto amasra ambar amblem amca amfora amigo amiral ampul anafor anahtar anakent analiz analog
ananas anayol anemon angola ankara anket anlam anne antalya anten antika antilop antre arazi
arena argon armut aroma arpa asistan aslan atari atina atlama atlas atlet atmaca atom avantaj
avrupa avukat ayaz ayna azot badem bagaj bahane bahar baharat bakkal baklava balad balerin balet
bali balina balkon balta bambu bamya bandana bando banka banknot baraka barbun bardak barista
bariton bariyer basamak basket basma baston batik batman bavul bayrak bazalt bazuka bebek beceri
bedava begonya bej bengal berber bere bereket bergama berlin berrak beste beyaz beyit bezelye
biber biberon biblo biftek bilardo bilek bilezik bilge bilgin bilim billur bilmece bina bitki
bitlis bitter bizon blender blok bluz bobin bodrum bogota bohem bolero bolu bonbon boncuk
bonfile bonus boran bordo bornoz borsa botanik boyut boza bozkurt branda bravo brifing briket
brokoli bronz budak bukle bulgur bulmaca bulut bulvar burdur burgu buruk buton buzul cadde cam
cambaz camekan cazibe ceket cemiyet cemre cereyan cetvel cevahir cevap cevher ceviz ceylan cezve
civciv civelek dakar dakika daktilo dalga damat damla dandini dans dantel darbuka davet dayanak
dede defile defter dekor delfin delhi delta demet demirci demlik deney denge deniz denizli depo
dergi derin ders desen desibel destan destek detay devam devir devre deyim diken dinamo dinar
dinozor diploma direk disk divan diyet dizgi doksan doktor dokuma dokuz dolap dolma dolmen
dolunay domates domino donanma doruk dost dragon drama drenaj dublin duman durak dut duvar duygu
duyuru ebru eczane efe efendi eflatun efsane egzotik eklem ekmek ekose ekran ekspres ekvator
elbise eldiven elek element elif elips elmas elveda emir empati emzik endam ender enerji enfes
engebe enginar entrika epik eposta erdem erguvan erzak erzurum esans esenlik esinti eskimo esnaf
esnek esneme estonya eter etiket evcil evet evren evrim ezber ezgi fabrika fanila fanus fasulye
fatura favori fayans fayda fayton felsefe fenomen ferace ferhat feribot ferman fermuar feza
fidan fide fiji fikir filika filinta filiz film filozof filtre finans fincan fiske flama florya
fokus folk folklor forma forum forvet fosil foto fragman fransa frekans fren fresk freze fuar
fulya futbol galaksi galeri galip galon gamze gana garaj gaye gayret gazete gazino gazoz gebze
gece gelecek gelgit gemi gemici genetik genlik gerilim gevrek geyik gezegen gezgin gezinti
girdap giresun gitar giyim giysi gizem gizemli gofret golf gonca gondol grafik gramer granit
guguk gurme hafif hafta halay halka hamak hamarat hamle hamsi hamur handan hangar hararet
hareket harita harman harmoni hasat hatun havai havlu havuz havuzlu hayal hayran hazan hazine
haziran hediye hekim helva hendek hentbol herkes heyecan heykel hikaye hilal hindi hisar hitap
hobi hokey hokka hol hopa horon hortum hurda huzur ibrik idol iglo iguana ikili ikindi ikiz
iklim ikna ikon ilke ilmek imbik imkan imza inci ipek ipekli ipucu irmak ironi iskele istakoz
italya itfaiye ivme iyilik izmir iznik jaguar jambon japon jest jeton jilet joker kaban kabine
kablo kabuk kaburga kadeh kadife kadran kafein kafes kafile kaftan kahire kahkaha kahve kakao
kalamar kalbur kalem kalfa kalite kalkan kalori kamelya kamera kamp kampana kanada kanarya kanat
kanca kandil kanepe kanguru kano kantar kantin kanun kanyon kapari kaplan kapris karaca karaman
karamel karamuk karar karate karbon karga karides karizma karne karpuz kart kartal karyola
kasaba kasap kasiyer kasnak katalog katmer kaval kavanoz kavram kaya kaymak kayseri kaz kazak
kazma kebap keder kedi kefal kefir keklik kelebek kelime keman kenar kendir kene kenevir kenya
kepenk keramik kerevit kermes kervan keskin kestane keten kevgir keyif kibar kibrit kilit kilo
kimono kimya kimyon kinoa kiosk kiraz kiremit kirpik kivi klakson klarnet klasik klavye klima
klinik klon koala kobalt kobra kocaeli kocaman kokarca kokpit kokteyl kolay kolej kolibri koloni
kolonya koltuk kolye komedi konak konfor kongre konser konsol kont kontrol konvoy kopuk kopya
koral kord kordon koridor korna korsan korunak kovan kovboy koy koyun kozalak kozmik kozmos
kraker kravat krema krepon kriko kristal kroket kuba kukla kule kumanda kumbara kumpir kumru
kumsal kumul kundak kundura kunduz kupon kurs kurye kuskus kutup kuvars kuveyt kuyruk kuyu kuzen
kuzgun laf lahana lakerda lale lamba lastik lateks laterna lavabo lavanta lavas lavta lazer
leblebi legen lemur lens leopar letonya levha levye leylak likit likya lila limuzin lisan liste
litre lizbon loca lodos logo lojman lokal lokanta lokma lokum londra lotus macera macun madalya
madrid mahzen makale makarna makaron makas makine mama mamut manav manda mangal manolya manto
mardin marifet marina market marmara marul masal maskara maske maskot masmavi matador matara
matkap mavi mavna maymun mayo meddah mehtap mekik meksika mektep melisa melodi melon meltem
memnun mendil menemen mengene mentol merak merasim mercan mercek merdane merhaba merhem merinos
merkez mermer mersin mesaj mesken meslek metafor metal meteor metin metre mevsim meydan meyve
meze mezgit midilli midye mikado mikron milano milyar milyon mimar mimik mimoza minder mineral
mini misafir misina misket mistik mizah mobilya modem modern mokasen mola monolog montaj moskova
motel motor motto mozaik muhtar mukavva mum mumya musiki musluk muson mutfak mutlu muzip nadas
nadir nakarat nakit nargile nasihat naylon nazar nebula nefis nehir nektar neon nepal nergis
nesil nezaket nikel nimet nine ninni nitelik noel nohut nokta normal nutuk ocak odun ofis oklava
oksijen oktav okul okyanus olgun oluk omega omlet onur opera optik ordu oregano orkide orman
ortak oslo otoban otogar otomat otopark oturum oval oymak oyuncak oyuncu ozon paket palamut
palanga palas palmiye pamuk panama pancar panel panjur panter papatya paprika papyon paris parke
parkur parlak parola parsel pasaj pasta pastane pastel patates paten pati patika patron paydos
pedal pekin pekmez pelerin pelikan pembe pencere penguen pense perde pergel pergola periyot peru
pervane pestil petek petunya peynir pikap pike piknik pikolo pil pilav pilot pinpon piramit
pirzola piston piyade piyano piyaz pizza plaj planet planya plasma platin plato plaza polka
pompa ponza porsuk portre postal poster poyraz prag pratik prens prizma program proje protein
puan puding punto pupa pusula rabat radyo rafadan rahle rakam rakun rampa randevu ranza reform
rehber rende renk renkli resif resital ressam revak reyhan ring rize robot rodeo roka romanya
rozet rugbi rulet rulman rulo rumba rutin saat sabah sabit sabun safari safir safran sahaf
sahici sahil sahne sahra saka sakin salam salata salep samovar samsun sanayi sandal saniye
santur sapan sapanca saray sarmal sauna savana saydam sayfa sayvan sedef sedir sefa sefer sehpa
sekiz sekoya seksen selvi semaver semazen sembol semizot senaryo senfoni sepet sepya serce seri
servis sevda sevgi sevimli seyahat sicim sidney sihir silecek silgi simetri simge simit sincap
sinek sinema sinop sinyal sinyor siren sirke sistem sivas siyah soda sofra sohbet sokak solucan
somali somon sonat sonsuz soprano soru sosis spatula spiral spor stadyum stereo subay sucuk
sumak sunum suret susam tabaka tabela tabiat tablet tabure takoz takunya takvim talim tamam
tambur tamir tampon tandem tango tangram tanker tarak tarator tarhana tarife tarih tarla tarz
tasvir tatami tatil tavan taverna tavuk tayf tayfun tayland teflon tekir teklif tekne teknik
tekstil telefon telgraf telsiz temas temel temiz temmuz tempo tenis tentene tepe tepsi terazi
terim teriyer terlik termos testere testi tezgah tilki timsah tirana titan tiyatro tohum tokat
tokmak tokyo tombala top topal toplam toprak toptan topuz torba torik toros torpido torpil torun
totem trabzon trampet tramvay trapez trombon tropik troya tulum tulumba tuna tundra tunik tunus
turban turist turizm turkuaz turnike turuncu tutkal tuval tuz tuzla tuzluk ufak ukulele umut
uranyum urla uydu uzay vadi vagon vagonet vaha vals vanilya vapur vardiya vatan vazo venedik
veranda vernik video viraj vitamin vites vitrin viyola volkan yakamoz yakut yalova yaman yapboz
yaprak yasemin yatay yaver yaylak yelken yelpaze yemek yeni yordam yorgan yosun yozgat yufka
yulaf yumurta yurt yuva zafer zambak zambiya zanaat zarif zebra zeki zengin zeplin zeugma zevk
zeybek zeytin zihin zikzak zincir zirve ziyaret zurna
"""

WORDS: tuple[str, ...] = tuple(_TEXT.split())
"""1296 lower-case ASCII words of 3 to 7 letters, sorted."""

_TURKISH = str.maketrans("çğıöşüâîû", "cgiosuaiu")
_WORD_SET = frozenset(WORDS)
_LONGEST_TYPO = 16
_MOST_SLIPS = 2


def normalise_word(text: str) -> str:
    """Lower case with Turkish letters written as their plain ones, other marks left alone."""
    return text.replace("İ", "i").lower().translate(_TURKISH)


def is_word(text: str) -> bool:
    """Whether the normalised text is in the list."""
    return text in _WORD_SET


def nearest_word(text: str) -> str | None:
    """The only word within two slips of `text`, or None where there is none or several tie.

    Args:
        text: normalised; anything longer than 16 letters gives None.
    """
    if len(text) > _LONGEST_TYPO:
        return None
    ranked = sorted((slips(text, word), word) for word in WORDS)
    (best, word), (second, _) = ranked[:2]
    return word if best <= _MOST_SLIPS and best < second else None


def slips(left: str, right: str) -> int:
    """Letters changed, left out, added, or neighbours swapped to turn one text into the other."""
    rows = [list(range(len(right) + 1))]
    for i, char in enumerate(left, 1):
        row = [i]
        for j, other in enumerate(right, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (char != other))
            if i > 1 and j > 1 and left[i - 2 : i] == other + right[j - 2]:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def words_at(numbers: Sequence[int]) -> tuple[str, ...]:
    """The words with these indices, e.g. of `table.roster.safety_numbers`."""
    return tuple(WORDS[number] for number in numbers)
