"""The words of the made-up notes: a few hundred real ones, the rest spelled from syllables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isqrt
from random import Random


def listed(words: str) -> list[str]:
    """The words of a block of text; a list literal would take a line a word."""
    return words.split()


NOUNS = listed("""
plan pump invoice valve letter garden window budget draft engine meeting contract kitchen report
boiler shelf ticket server photo recipe lesson roof bicycle battery sensor bucket key door lamp
cable garage harbour cellar deadline parcel receipt folder camera doctor appointment medicine
school teacher concert rehearsal piano train flight hotel passport luggage map weather storm tide
river bridge boat sail anchor rope engine filter oil tyre brake licence insurance claim policy
bank loan tax rent deposit lease tenant neighbour fence hedge apple tree seed soil compost tool
drill saw plane glue screw board oak paint brush wall floor tile pipe tap drain bath towel mirror
curtain carpet chair table bench desk drawer printer paper ink pencil notebook letterhead stamp
envelope address signature form answer question reason idea proposal decision vote minute agenda
topic summary chapter page margin footnote library author novel poem translation language accent
word sentence grammar exam grade course lecture seminar laboratory sample measurement error result
table figure chart curve signal noise antenna radio gateway firmware release branch commit test
bug patch query index database backup restore disk memory cache login password session cookie
browser screen keyboard mouse cursor button menu layout colour font icon logo slide customer
supplier order delivery shipment customs price discount quote offer warranty repair service visit
inspection certificate permit rule law court lawyer notary will estate house flat balcony stairs
lift yard cellar attic chimney stove oven pan knife plate bowl cup kettle tea coffee bread butter
cheese egg flour sugar salt pepper onion potato carrot lentil rice noodle soup salad cake birthday
present card candle holiday beach island mountain valley village station platform bus tram ferry
ticket seat
""")

ADJECTIVES = listed("""
new old small large cheap expensive heavy light narrow wide early late quick slow quiet loud warm
cold dry wet clean dirty broken loose tight sharp blunt bright dark green blue red yellow grey
black white round square flat steep deep shallow short long thin thick soft hard empty full open
closed safe risky simple tricky clear vague final first second third last next spare extra missing
hidden public private local remote shared common rare useful useless honest polite rude kind
stubborn tired busy idle fresh stale sweet bitter sour salty spicy plain wooden rusty leaky dusty
noisy crowded
""")

VERBS = listed("""
checked repaired ordered moved painted measured cleaned replaced tested booked cancelled postponed
paid returned borrowed lent found lost sold bought fixed opened closed locked labelled packed
shipped received signed printed scanned filed copied deleted renamed merged reverted deployed
restarted configured calibrated weighed counted sorted drew wrote read translated corrected
approved refused discussed explained praised questioned planned sketched built installed removed
sanded oiled glued cut drilled mounted wired soldered charged drained filled watered planted
pruned harvested cooked baked tasted froze photographed recorded rehearsed taught compared
reviewed rewrote
""")

ROOMS = listed("""
cellar attic garage kitchen hall study workshop office stairwell shed balcony archive library
laboratory boathouse greenhouse laundry canteen
""")

CONTAINERS = listed("""
drawer folder toolbox cupboard suitcase biscuit-tin rucksack shoebox locker crate jar envelope
filing-cabinet bookcase sewing-box safe
""")

_ONSETS = listed("b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sk st t th tr v w y z")
_VOWELS = listed("a a e e i i o o u ai ea ou")
_CODAS = ["", "", "", "", "l", "n", "r", "s", "t", "m", "nd", "rn", "lt", "sk", "x"]


def spelled(rng: Random, count: int, syllables: int = 2) -> list[str]:
    """`count` distinct made-up words that can be spoken."""
    words: dict[str, None] = {}
    while len(words) < count:
        length = syllables + (rng.random() < 0.3)
        open_part = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(length))
        words[open_part + rng.choice(_CODAS)] = None
    return list(words)


def zipf_stream(words: Sequence[str], rng: Random) -> Iterator[str]:
    """Words without end: the rarer, the later in the list, as in Zipf's law."""
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    while True:
        yield from rng.choices(words, cum_weights=weights, k=2048)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Every word that a workspace may use; larger workspaces know more people and things."""

    people: tuple[str, ...]
    places: tuple[str, ...]
    products: tuple[str, ...]
    projects: tuple[str, ...]
    nouns: tuple[str, ...]
    jargon: tuple[str, ...]


def vocabulary(rng: Random, chunks: int) -> Vocabulary:
    """A vocabulary that grows with the square root of the text, as real ones do."""
    growth = isqrt(chunks)
    first_names = spelled(rng, 60 + 4 * growth)
    surnames = spelled(rng, 60 + 4 * growth)
    people = [f"{a.title()} {b.title()}" for a, b in zip(first_names, surnames, strict=True)]
    places = [word.title() for word in spelled(rng, 80 + 5 * growth)]
    makers = spelled(rng, 40 + 2 * growth)
    products = [
        f"{rng.choice(makers).title()} {rng.choice('ABCDEFGHKLMNPRSTVWXZ')}{rng.randrange(2, 990)}"
        for _ in range(120 + 8 * growth)
    ]
    projects = [word.title() for word in spelled(rng, 40 + 3 * growth, 3)]
    nouns = list(dict.fromkeys(NOUNS))
    rng.shuffle(nouns)
    return Vocabulary(
        people=tuple(people),
        places=tuple(places),
        products=tuple(dict.fromkeys(products)),
        projects=tuple(projects),
        nouns=tuple(nouns),
        jargon=tuple(spelled(rng, 1500 + 25 * growth)),
    )
