"""Words and names that samples are made of, in two sets that share nothing: "train" and "eval".

"varied" is "train" with more made-up words, some of them letters in no order that words have: what a model learns to copy
last are pieces of words that its lists never begin with.

Made-up names come from syllables; every fifth syllable, and the words of EVAL_*, are kept for the evaluation."""

import random
import zlib
from dataclasses import dataclass

NOUNS = """apple river table window garden letter bottle mountain pencil doctor teacher market bridge castle forest island
kitchen ladder mirror needle orange pocket rabbit saddle ticket valley wagon yard zebra anchor basket candle desert engine
feather guitar hammer insect jacket kettle lantern magnet notebook ocean pepper quilt ribbon shadow temple umbrella violin
whistle angle berry camera dragon eagle farmer glove harbor igloo jungle kitten lemon meadow nest onion parrot queen rocket
sailor tower uncle village winter yellow barrel canal dinner evening fence grape helmet idea jewel knife lake mouse night
oven paper quarry road spoon train unit voice wheel arm boat cloud door ear fish gate hill ink jar king leaf moon nail
oak pond rain sand tree vase wall box cart dog egg flag goat hat ice jam key lamp map net owl pen rug ship toy van web
order report message file folder account invoice meeting event task note contact photo song video movie book page article
recipe flight hotel room seat parcel package product price stock review comment user member team project device sensor
printer alarm timer light heater fan curtain robot drone machine battery signal channel network server backup log record
city country street station airport museum library school office shop factory farm plan budget loan bill payment salary
ticket question answer lesson course exam grade language word story poem picture drawing map chart table list number""".split()

VERBS = """book send create find open close start stop add remove update cancel check show list read write play pause
order buy sell rent move copy rename count search save load print scan share lock unlock turn set get reset measure paint
clean fix build plan draw record track rate compare""".split()

ADJECTIVES = """red blue green small large quick slow bright dark warm cold quiet loud old new young heavy light soft hard
sweet sour fresh dry wet round flat sharp smooth rough happy sad brave calm clever gentle honest kind lazy proud shy silly
tall tiny wide deep empty full early late cheap rich simple strange local public open daily weekly""".split()

FILLERS = """the a and of to in on with for is was are from near under over behind very then but so when after before while
it he she they we you his her their our some many every no not also again today soon here there""".split()

FIRST = """Mira Jonas Elena Tomas Nadia Oskar Lena Pavel Ines Marco Sofia Anton Clara Felix Greta Hugo Ida Jakob Karla Leo
Maria Nils Olga Peter Rosa Simon Tina Viktor Wanda Yara Adam Berta Carl Dora Emil Frida""".split()

CITIES = """Lisbon Oslo Paris Berlin Madrid Vienna Prague Rome Dublin Athens Helsinki Warsaw Zurich Geneva Porto Milan
London Tokyo Cairo Lima Quito Delhi Sydney Boston Denver Austin Toronto Bergen Hamburg Munich""".split()

EVAL_NOUNS = """pillow turtle marble cabin velvet tunnel copper walnut saucer beacon falcon hedge lagoon mantle nectar
orchard plaza quiver raven sponge thicket urchin vault willow acorn blanket cobalt dagger ember furnace granite hollow ivory
jigsaw kernel locket mosaic nutmeg otter pebble racket satin tulip vessel warden zipper cradle bishop carpet drawer flute
gravel hinge isle kiosk lobby medal pantry ridge shelf tablet vendor wallet badge clinic depot ferry gallery harvest locker
module permit roster survey tenant voucher""".split()

EVAL_VERBS = """fetch renew assign archive refund install deliver submit register inspect reserve publish translate
schedule convert attach export approve""".split()

EVAL_FIRST = """Bruno Celia Dario Edith Fabio Gilda Henrik Irma Jorge Katrin Lorenz Mabel Norbert Paula Quentin Rufus
Selma Tobias Ursula Waldo""".split()

EVAL_CITIES = """Seville Tallinn Riga Krakow Lyon Turin Ghent Basel Malmo Graz Nairobi Seoul Havana Bogota Perth
Leeds Dallas Ottawa Split Bremen""".split()

EVAL_WORDS = {word.lower() for word in EVAL_NOUNS + EVAL_VERBS + EVAL_FIRST + EVAL_CITIES}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Vowels and the commoner consonants more often.
LETTER_WEIGHTS = [8, 2, 3, 4, 9, 2, 2, 3, 8, 1, 2, 4, 3, 6, 7, 3, 1, 6, 6, 6, 5, 2, 2, 1, 2, 1]

ONSETS = "b c d f g h j k l m n p r s t v w z br cl dr fl gr kr pl st tr sh th".split()
VOWELS = "a e i o u ai ea io ou".split()
CODAS = ["", "", "", "n", "r", "l", "s", "m", "t", "k", "nd", "x"]


def is_eval_syllable(syllable: str) -> bool:
    return zlib.crc32(syllable.encode()) % 5 == 0


SYLLABLES = {
    split: sorted(
        {o + v + c for o in ONSETS for v in VOWELS for c in CODAS if is_eval_syllable(o + v + c) == (split == "eval")}
    )
    for split in ("train", "eval")
}


@dataclass(frozen=True)
class Known:
    """How often a word is one of the lists' and not made up. `first` and `place` are parts of all names."""

    noun: float
    verb: float
    first: float
    place: float
    city: float
    person: float


OFTEN = Known(noun=0.6, verb=0.7, first=0.3, place=0.15, city=0.5, person=0.5)
SELDOM = Known(noun=0.4, verb=0.45, first=0.2, place=0.1, city=0.35, person=0.35)


class Words:
    """Draws words of one split: "train", "varied" or "eval"."""

    def __init__(self, rng: random.Random, split: str = "train"):
        self.rng = rng
        self.scrambles = split == "varied"
        self.known = SELDOM if split == "varied" else OFTEN
        is_train = split != "eval"
        self.syllables = SYLLABLES["train" if is_train else "eval"]
        self.nouns = NOUNS if is_train else EVAL_NOUNS
        self.verbs = VERBS if is_train else EVAL_VERBS
        self.first_names = FIRST if is_train else EVAL_FIRST
        self.cities = CITIES if is_train else EVAL_CITIES

    def made_up(self) -> str:
        if self.scrambles and self.rng.random() < 0.4:
            return self.scrambled()
        count = self.rng.choice((1, 2, 2))
        word = "".join(self.rng.choice(self.syllables) for _ in range(count))
        return word if len(word) > 2 else word + self.rng.choice(self.syllables)

    def scrambled(self) -> str:
        """Letters in no order that words have, so that every piece of the vocabulary is copied somewhere."""
        while True:
            word = "".join(self.rng.choices(LETTERS, LETTER_WEIGHTS, k=self.rng.randint(3, 7)))
            if word not in EVAL_WORDS:
                return word

    def noun(self) -> str:
        return self.rng.choice(self.nouns) if self.rng.random() < self.known.noun else self.made_up()

    def verb(self) -> str:
        return self.rng.choice(self.verbs) if self.rng.random() < self.known.verb else self.made_up()

    def name(self) -> str:
        """A capitalised name of one word."""
        draw = self.rng.random()
        if draw < self.known.first:
            return self.rng.choice(self.first_names)
        if draw < self.known.first + self.known.place:
            return self.rng.choice(self.cities)
        return self.made_up().capitalize()

    def city(self) -> str:
        return self.rng.choice(self.cities) if self.rng.random() < self.known.city else self.made_up().capitalize()

    def person(self) -> str:
        first = self.rng.choice(self.first_names) if self.rng.random() < self.known.person else self.made_up().capitalize()
        return first if self.rng.random() < 0.6 else f"{first} {self.made_up().capitalize()}"

    def phrase(self, low: int = 1, high: int = 3) -> str:
        return " ".join(self.noun() for _ in range(self.rng.randint(low, high)))

    def identifier(self) -> str:
        """snake_case mostly."""
        draw = self.rng.random()
        if draw < 0.5:
            return self.noun()
        if draw < 0.9:
            return f"{self.noun()}_{self.noun()}"
        return self.noun() + self.noun().capitalize()

    def number(self) -> int:
        draw = self.rng.random()
        if draw < 0.5:
            return self.rng.randint(0, 20)
        return self.rng.randint(0, 99) if draw < 0.8 else self.rng.randint(100, 2999)

    def decimal(self) -> float:
        return round(self.rng.randint(1, 99) + self.rng.randint(1, 9) / 10, 1)

    def plain_text(self, num_words: int) -> str:
        """Sentences of known words, in orders never seen."""
        rng, out = self.rng, []
        while len(out) < num_words:
            sentence = []
            for _ in range(min(rng.randint(3, 12), num_words - len(out))):
                draw = rng.random()
                if draw < 0.35:
                    sentence.append(rng.choice(FILLERS))
                elif draw < 0.5:
                    sentence.append(rng.choice(ADJECTIVES))
                elif draw < 0.6:
                    sentence.append(rng.choice(VERBS))
                else:
                    sentence.append(rng.choice(NOUNS))
            sentence[0] = sentence[0].capitalize()
            if len(sentence) > 5 and rng.random() < 0.3:
                sentence[rng.randint(1, len(sentence) - 3)] += ","
            sentence[-1] += rng.choice("....!?")
            out += sentence
        return " ".join(out)

    def unseen_text(self, num_words: int) -> str:
        """As plain_text, with a made-up word, name or number in place of some."""
        out = []
        for word in self.plain_text(num_words).split(" "):
            draw = self.rng.random()
            if draw < 0.3 and word.isalpha():
                word = self.made_up()
            elif draw < 0.38 and word.isalpha():
                word = self.name()
            elif draw < 0.42 and word.isalpha():
                word = str(self.number())
            out.append(word)
        return " ".join(out)
