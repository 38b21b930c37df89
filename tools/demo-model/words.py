"""Words and names that samples are made of, in two sets that share nothing: "train" and "eval".

"varied" is "train" with far longer lists and more made-up words, some of them letters or pieces of the vocabulary in no order that
words have: what a model learns to copy last are pieces that no word of its lists begins with. "crowded" is "varied" with few words to a sample, so that
names, values and verbs share words: which of them is meant has to be read, not found by the only place where its word stands.

Made-up names come from syllables; every fifth syllable, and the words of EVAL_*, are kept for the evaluation."""

import json
import os
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

#: For "varied": many more real words, since what a model has copied a thousand times it knows by heart and no longer copies.
MORE_NOUNS = """ability accident account actor adapter address adult advice agenda agency agent airplane album alley almond alphabet
ambulance amount analysis ankle antenna apartment appeal appetite appliance apron arch area argument armor army arrow artist
ash asset assistant athlete atlas atom attempt attic auction audience author avenue award axe baby bacon bag bakery balance
balcony ball balloon bamboo banana band bandage bank banner barn barrier base basement basin bat batch bath bay beach bead beam
bean bear beard beaver bed bee beetle behavior bell belt bench bicycle bird biscuit blade block blossom blouse board body bolt
bomb bone bonus boot border boss boulder bow bowl bracelet brain brake branch brass bread breakfast breath brick bride broom
brother browser brush bubble bucket bug builder bulb bull bundle bus bush butter butterfly button cable cactus cafe cage cake
calendar calf camel camp campaign candidate candy cap cape captain capture caravan card career cargo carrot case cash category
cave ceiling celery cell cellar cement center century cereal chain chair chalk champion chance chapel chapter character charge
cheek cheese chef chemical cherry chest chicken chief child chimney chin chip chocolate choice choir church cigar cinema circle
citizen claim class claw clay client cliff climate cloth clown club coach coal coast coat cocoa code coffee coil coin collar
college colony color column comb comedy comet comma command company compass complaint computer concert condition cone
conference connection console contest contract cook cookie copy coral cord cork corn corner costume cottage cotton couch cough
council counter coupon court cousin cow crab crane crate crayon cream creature credit creek crew cricket crime crop cross crow
crowd crown crumb crystal cube cucumber culture cup curry curve cushion customer cycle cylinder dairy dam dancer danger data
date daughter dawn day deal debate debt deck decision deer degree delay demand dentist deposit deputy desk dessert detail
diamond diary dice diet digit direction disc discount disease dish disk display distance ditch diver dock document doll dollar
dolphin domain domino donkey donut doorbell dough dove draft drama dream dress drill drink driver drop drum duck dust duty
dwarf eagle earth earthquake east echo edge editor effect effort elbow election elephant elevator email emotion employee energy
enemy entry envelope episode equation error estate estimate evidence example exhibit exit expense expert eye fabric face fact
failure fairy faith family farewell fault favor fax feast fee feedback fern fiber fiddle field fig figure film filter finger
finish fire firm fisher fist fitness flame flash flavor fleet flock flood floor flour flower fog foil font food foot football
force forecast fork form formula fort fortune fountain fox frame freezer friend frog frost fruit fuel function funnel fur fuse
future galaxy gallon game gang garage garlic gas gear gem gender general genre ghost giant gift ginger giraffe girl glacier
glass globe glory glue goal gold golf goose gorilla governor grain gram grandma graph grass gravity green grid grill grip
grocery group guard guest guide gum gutter gym habit hail hair half hall ham hamburger hand handle hare harp hawk hay head
health heart heat heel height hen herb herd hero herring highway hip history hobby hole holiday home honey hood hook horn horse
hose hospital host hour house hub human humor hunger hunter hut hydrant ice icon identity image impact income index infant
injury inn input instance instrument insurance interest interview invoice iron item ivy jacket jaguar jail jeans jelly jewelry
job joke journal journey judge juice jump junction junior jury kangaroo kayak kebab keyboard kid kidney kilo kind kingdom kiss
kite kiwi knee knight knot label labor lace lad lamb land lane laptop laser laugh laundry lava law lawn lawyer layer lead
league leather lecture leg legend leisure lemonade lens leopard level lever liberty license lid life lightning lily limb lime
limit line link lion lip liquid list liver lizard load lobster lock log logo lot lotion lottery lounge love luck lumber lunch
lung machine magazine magic maid mail maker mammal man manager mango manor margin mark marker marsh mask mass master match mate
material math matter mattress maze meal measure meat mechanic media medicine melody melon memory menu merchant mess metal meter
method metro microphone midnight mile milk mill mind mineral minister mint minute miracle miss mission mist mixture model
moment money monkey monster month mood moose morning mosquito moth mother motion motor mouth movement mud muffin mug mule muscle
museum mushroom music mustard mystery myth napkin nation nature navy neck neighbor nephew nerve nickel niece noise noodle noon
north nose notice novel number nurse nut oat object oboe octopus odor offer officer oil olive omelet opera operator opinion
option orbit orchid organ origin ostrich outfit outlet output owner ox oyster pace pack package page pain paint pair pajamas
palace palm pan panda panel panic panther pants parade parent park parking part partner party passage passenger passport pasta
paste patch path patient pattern pause pavement paw payroll pea peach peak peanut pear pearl pedal pelican penalty penguin
penny people percent performance perfume period person phase pheasant phrase piano pickle picnic pie piece pier pig pigeon pile
pill pilot pine pink pint pipe pirate pistol pit pizza plague plane planet plank plant plaster plastic plate platform player
plot plow plug plum pocket poem poet point poison pole police policy pool pope poppy population porch pork port portrait
position post poster pot potato pottery powder power prayer premium present president pressure prince princess printer prison
prize problem process producer profile profit program promise proof property proposal protein protest province pudding puddle
pulley pulse pump pumpkin punch pupil puppet puppy purchase purpose purse puzzle pyramid quarter query quest queue quota rabbit
race radar radio radish raft rail railway rainbow raisin ramp ranch range rank rat rate ratio ray razor reader receipt receiver
recess region relay release relief remedy renter rent replica reptile request rescue research resort resource response
rest result retail return reward rhythm rib rice riddle rider rifle ring riot ripple risk rival roast robin rock rod role roll
roof root rope rose route routine row royalty rubber rudder rule ruler rumor runner sack safari safe sail salad salmon salt
sample sandal sandwich sauce sausage scale scandal scarf scene scent schema science scissors scooter score scout scrap screen
screw script sculpture sea seal search season second secret section sector seed segment selection senator sentence sequence
servant service session set shadow shaft shark sheep sheet shell shelter sheriff shield shift shirt shock shoe shore shoulder
shovel show shower shrimp shrine sick side siege sign silence silk silver singer sink siren sister site size skate skeleton
sketch ski skill skin skirt skull sky sleep sleeve slice slide slope slot smile smoke snack snail snake sneaker snow soap
soccer society sock soda sofa software soil soldier solution son sorrow soul sound soup source south space spade spark speaker
spear species speech speed spell sphere spice spider spike spinach spine spirit spot spray spring spy squad square squirrel
stable stadium staff stage stain stair stake stall stamp star start state statement statue status steak steam steel stem step
stick stitch stomach stone stool storage stork storm stove strap straw stream strike string strip structure student studio
study stuff style subject subway success sugar suit summary summer sun sunset supper supply surface surgeon surprise swamp swan
sweater swimmer switch sword symbol symptom syrup system tail tale talent talk tank tap tape target task taste tax taxi tea tear
technique teenager telephone television temper tempo tennis tent term test text texture theater theft theme theory thermometer
thief thing thorn thought thread throat throne thumb thunder tide tie tiger tile timber time tin tire tissue title toad toast
toaster tobacco toe toilet tomato tomb tone tongue tool tooth top topic torch total touch tourist towel trace track tractor
trade tradition traffic trail trailer transfer transport trap trash travel tray treasure treaty trend trial triangle tribe
trick trip trophy trouble trout truck trumpet trunk trust truth tube tuna tune turkey turnip tutor twig twin type tyre
uncle uniform union universe university update upgrade user utensil vacation vaccine valve van vanilla variable vegetable
vehicle veil vein venue verb verse version vest veteran victim victory video view vine vinegar virus vision visit visitor
vitamin volcano volume vote voyage vulture waffle wage waist waiter wallpaper war warehouse warning warrior wash wasp watch
water wave wax way wealth weapon weather web wedding weed week weight whale wheat widow wife wind wine wing wire wisdom wish
witch witness wizard wolf woman wood wool work worker workshop world worm wound wreck wrist writer yacht year yeast yoga yogurt
youth zone zoo""".split()

MORE_VERBS = """accept access acquire activate adapt adjust admit adopt advise affect agree align allocate allow alter amend
analyse announce answer append apply appoint arrange arrest ask assemble assist assume attack attend attract audit authorize
avoid award bake balance ban bathe beat become begin bend bet bind bite blame blend bless block blow boil borrow bounce break
breathe brew bring broadcast browse brush build burn bury call calm capture care carry carve cast catch cause celebrate change
charge chase chat choose chop claim classify clear click climb clone close collapse collect combine comfort command commit
compile complain complete compose compress compute conclude condense confess configure confirm connect conquer consult consume
contain continue contribute control cook cool correct cough cover crack crash crawl cross crush cry cure cut damage dance deal
debug decide declare decline decode decorate decrease define defend delay delete deny depart depend deploy deposit describe
design destroy detect develop dial dig dine direct disable discard discover discuss dismiss display distribute dive divide
donate double doubt download draft drag drain dream dress drink drive drop dry duplicate earn eat edit educate eject elect
embed emit employ empty enable encode encourage encrypt end endorse enforce enjoy enlarge enroll ensure enter erase escape
establish estimate evaluate examine exchange execute exercise expand expect expire explain explore express extend extract face
fail fasten feed fight file fill filter finish fire fit flash flip float flush fly fold follow forbid force forget forgive form
forward frame freeze fry gain gather generate give glue grab grant greet grind grow guard guess guide hand handle hang happen
hate heal hear heat help hide highlight hire hit hold hope host hug hunt hurry identify ignore imagine import impose improve
include increase index inform inherit inject injure insert insist insult insure integrate intend introduce invent invest
invite invoke iron join joke judge juggle jump keep kick kill kiss knit knock know label land last laugh launch lay lead lean
learn leave lend let lick lift light like limit link listen live log look lose love lower mail maintain make manage march mark
marry match melt memorize mend mention merge migrate milk mine miss mix modify monitor mount mow multiply nail name need
negotiate nod normalize notice notify number obey object observe obtain occupy offer operate oppose optimize organize own pack
parse park pass paste pat pay peel perform phone pick pinch place plant please plug point poke polish post pour practice praise
pray preach predict prefer prepare present preserve press pretend prevent print process produce program promise promote prompt
propose protect prove provide publicize pull pump punch punish purchase push put query question queue quit race raise rank
reach realize receive recommend recover recycle redirect reduce refer reflect refresh refuse regret reject relax release rely
remain remember remind render repair repeat replace reply request rescue resend resize resolve respond rest restart restore
restrict resume retire retrieve return reveal reverse review revoke reward ride ring rinse rise roast rob rock roll rotate rub
ruin rule run rush sail sample satisfy scale scan scatter score scrape scream screw scrub seal season seat secure seek select
sell separate serve settle sew shake shape sharpen shave shelter shift ship shock shoot shop shout shovel shrink shuffle shut
sign signal simplify sing sink sip sit skate skip slap sleep slice slide slow smell smile smoke snatch sneeze sniff soak solve
sort spark speak specify spell spend spill spin spoil spot spray spread squash squeeze stack stain stamp stand stare stay
steal steer step stir stitch store strap strengthen stretch strike strip stuff subscribe subtract succeed suffer suggest suit
summarize supply support suppose surprise surround suspect suspend swap swear sweep swim swing switch sync talk tame tap taste
teach tear tease tell tempt terminate terrify test thank think throw tick tickle tie time tip toggle touch tour tow trade train
transfer transform transport trap travel treat trick trigger trim trip trot trouble trust try tug tumble tune twist type undo
unload unlock unpack untie upgrade upload use validate vanish verify view visit vote wait wake walk wander want warm warn wash
waste watch water wave wear weave weigh welcome whip whisper whistle win wind wipe wish wonder work worry wrap wreck wrestle
yawn yell zoom""".split()

MORE_FIRST = """Aaron Abel Agnes Alan Albert Alice Alma Amir Andrea Angela Anita Anke Arthur Astrid Axel Barbara Beatrice Ben
Bernard Bianca Boris Bridget Carmen Carol Cecil Charles Chloe Chris Colin Cora Daniel Daphne David Deborah Denis Diana Dominic
Doris Edgar Edward Eleanor Elliot Elsa Emma Eric Esther Ethan Eva Evelyn Fatima Fiona Flora Frank Fred Gabriel Gavin George
Gerard Gloria Grace Gordon Gustav Hannah Harold Harriet Hector Heidi Helen Henry Herman Holly Howard Igor Ingrid Iris Isaac
Isabel Ivan Ivy Jack James Jane Janet Jasmine Jason Jean Jennifer Joan Joel John Joseph Joyce Julia Julius Karen Karim Kate
Keith Kevin Klaus Laila Lars Laura Laurence Leonard Leslie Liam Linda Lisa Louis Louise Lucas Lucy Luther Lydia Magnus Manuel
Margaret Mark Martha Martin Mary Matthew Maud Max Melissa Michael Miguel Miles Monica Morgan Nancy Natalie Nathan Neil Nelly
Nicholas Nina Noah Nora Oliver Omar Oscar Otto Owen Pamela Patricia Patrick Paul Pauline Penny Percy Philip Phoebe Quincy Rachel
Ralph Ramona Raymond Rebecca Regina Rene Richard Rita Robert Roger Roland Roman Ronald Rose Ruby Rudolf Ruth Sabine Samuel Sandra
Sarah Sebastian Serena Sheila Sidney Silvia Sonja Stella Stephen Susan Sven Sylvester Tamara Tara Teresa Theo Thomas Tiffany
Timothy Tom Trudy Uma Uwe Valerie Vera Vernon Victoria Vincent Violet Virginia Walter Wendy Werner Wilhelm William Xavier Yasmin
Yvonne Zara Zoe""".split()

MORE_CITIES = """Aachen Aberdeen Accra Adelaide Algiers Amman Amsterdam Ankara Antwerp Atlanta Auckland Baghdad Bali Bangkok
Barcelona Beijing Beirut Belfast Belgrade Bilbao Birmingham Bologna Bombay Bordeaux Brasilia Bratislava Brisbane Bristol Brno
Brussels Bucharest Budapest Calgary Canberra Caracas Cardiff Casablanca Chennai Chicago Cologne Copenhagen Cordoba Cork Dakar
Damascus Darwin Detroit Doha Dortmund Dresden Dubai Durban Edinburgh Essen Florence Frankfurt Gdansk Genoa Glasgow Gothenburg
Granada Guadalajara Hanoi Harare Honolulu Houston Hyderabad Innsbruck Istanbul Jakarta Jerusalem Johannesburg Kabul Kampala
Karachi Kiev Kingston Kyoto Lagos Leipzig Limerick Linz Liverpool Ljubljana Lucerne Luxembourg Macau Malaga Manchester Manila
Maputo Marseille Medellin Melbourne Memphis Miami Minsk Mombasa Monaco Montreal Moscow Mumbai Nantes Naples Nice Nicosia
Nuremberg Odessa Orlando Osaka Oxford Palermo Panama Phoenix Pisa Podgorica Portland Pretoria Quebec Ravenna Reykjavik Rotterdam
Salzburg Santiago Sapporo Sarajevo Seattle Shanghai Singapore Skopje Sofia Stockholm Strasbourg Stuttgart Tampere Taipei Tehran
Thessaloniki Tirana Toledo Toulouse Trieste Tripoli Tunis Utrecht Valencia Valletta Vancouver Venice Verona Vilnius Warwick
Wellington Winnipeg Yerevan York Zagreb""".split()

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

assert not EVAL_WORDS & {word.lower() for word in MORE_NOUNS + MORE_VERBS + MORE_FIRST + MORE_CITIES}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Vowels and the commoner consonants more often.
LETTER_WEIGHTS = [8, 2, 3, 4, 9, 2, 2, 3, 8, 1, 2, 4, 3, 6, 7, 3, 1, 6, 6, 6, 5, 2, 2, 1, 2, 1]

with open(os.path.join(os.path.dirname(__file__), "vocabulary.json"), encoding="utf-8") as vocabulary:
    MERGED = ("".join(merge) for merge in json.load(vocabulary)["merges"])
    #: What words are written with: the pieces of the vocabulary that are small letters.
    PIECES = [piece for piece in MERGED if piece.isalpha() and piece.isascii() and piece.islower() and len(piece) <= 5]

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


LISTS = {
    "train": (NOUNS, VERBS, FIRST, CITIES),
    "varied": (NOUNS + MORE_NOUNS, VERBS + MORE_VERBS, FIRST + MORE_FIRST, CITIES + MORE_CITIES),
    "eval": (EVAL_NOUNS, EVAL_VERBS, EVAL_FIRST, EVAL_CITIES),
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
SELDOM = Known(noun=0.55, verb=0.6, first=0.3, place=0.15, city=0.5, person=0.5)


class Words:
    """Draws words of one split: "train", "varied", "crowded" or "eval"."""

    def __init__(self, rng: random.Random, split: str = "train"):
        self.rng = rng
        self.is_varied = split in ("varied", "crowded")
        self.known = SELDOM if self.is_varied else OFTEN
        self.syllables = SYLLABLES["eval" if split == "eval" else "train"]
        self.nouns, self.verbs, self.first_names, self.cities = LISTS["varied" if split == "crowded" else split]
        #: Words made up so far, to be drawn again; None where each is new.
        self.made = None
        if split == "crowded" and rng.random() < 0.75:
            self.crowd()

    def crowd(self) -> None:
        """Few words from here on: 8 to 60 nouns, 3 to 16 verbs and names, made-up words again and again."""
        rng = self.rng
        self.made = []
        self.nouns = rng.sample(self.nouns, rng.randint(8, 60))
        self.verbs = rng.sample(self.verbs, rng.randint(3, 16))
        self.first_names = rng.sample(self.first_names, rng.randint(3, 16))
        self.cities = rng.sample(self.cities, rng.randint(3, 16))

    def made_up(self) -> str:
        if self.made is None:
            return self.new_word()
        if self.made and self.rng.random() < 0.15:
            return self.rng.choice(self.made)
        self.made.append(self.new_word())
        return self.made[-1]

    def new_word(self) -> str:
        draw = self.rng.random() if self.is_varied else 1.0
        if draw < 0.55:
            return self.scrambled() if draw < 0.35 else self.pieced()
        count = self.rng.choice((1, 2, 2))
        word = "".join(self.rng.choice(self.syllables) for _ in range(count))
        return word if len(word) > 2 else word + self.rng.choice(self.syllables)

    def scrambled(self) -> str:
        """Letters in no order that words have."""
        return self.until_ours(lambda: "".join(self.rng.choices(LETTERS, LETTER_WEIGHTS, k=self.rng.randint(3, 7))))

    def pieced(self) -> str:
        """One to three pieces of the vocabulary, so that words begin with every one of them."""
        return self.until_ours(lambda: "".join(self.rng.choices(PIECES, k=self.rng.choice((1, 2, 2, 3)))))

    @staticmethod
    def until_ours(make) -> str:
        """Made again where the evaluation has the word, or it is a letter or two."""
        while True:
            word = make()
            if len(word) > 2 and word not in EVAL_WORDS:
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
