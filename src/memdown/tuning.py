"""Every number that tunes ranking, in one frozen value, with what chose it.

Limits of work (how much is read, kept or compared) stand where the work is done: more of them changes what
a search costs, hardly what it finds. Whether one fact takes the place of another is judged by fitted weights of
its own (`notes/superseding.py`).
"""

from __future__ import annotations

from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class WordTuning:
    """What words count in BM25, and what counts for a word of the question that is none of its words."""

    # BM25 as most engines have it; a word in the heading or the file's name counts `in_head` of one in the text
    # (0.2 to 0.5 gained a little everywhere).
    k1: float = 1.2
    b: float = 0.75
    in_text: float = 1.0
    in_head: float = 0.3
    # Rarity is judged as if there were at least so many passages: of one, every word is in all.
    least_passages: int = 100
    # A prefix is found with its word and scores about half as much.
    prefix: float = 0.5
    # The feature `once`: k1 and b of a BM25 in which neither repetitions nor length matter much.
    once_k1: float = 0.4
    once_b: float = 0.3
    # Two words stand together within about so many others; a piece of a script without spaces is a third of a word.
    together_within: float = 10.0
    pieces_a_word: int = 3
    # A message says something from `greeting` terms on, and much from e ** `long_message` times as many.
    greeting: int = 12
    long_message: float = 2.0
    # Only a passage so many times as long as that tells words that stand together from words that do not.
    long_passage: int = 7
    # A word near in meaning counts this share of its similarity; a word of the thesaurus, a part of a compound, the
    # other form of a defined one, a word of another language, the name itself beside that of the speaker.
    near_in_meaning: float = 0.5
    thesaurus: float = 0.7
    compound_part: float = 0.5
    defined_form: float = 0.95
    translated: float = 0.7
    own_name: float = 0.95
    # What is left of a score if a word had to be spelled otherwise: it may have been meant as it was.
    respelled: float = 0.7


@dataclass(frozen=True, slots=True)
class MeaningTuning:
    """What similarities count.

    They count in full only if the best stands out by `stands_out` from an average text. Where an embedder does not
    know a language everything is equally near: up to `indistinct` meaning hardly counts (`least`), and from
    there on more and more, until the best stands out by `distinct_after` more.
    """

    stands_out: float = 0.3
    indistinct: float = 0.05
    distinct_after: float = 0.15
    least: float = 0.01
    # Of so few chunks, similarities of passages say more than those of their long chunks.
    few_chunks: int = 64
    # What an unrelated text's similarity may be, and for how many texts it counts beside the notes' own: of a
    # single one, the average says nothing.
    unrelated: float = 0.2
    unrelated_texts: int = 4
    # So much nearer than an average text is near; of few notes, ahead of so many others.
    near: float = 0.15
    ahead_of: int = 8
    # Candidates are believed as far as they score more than this share of the very best.
    believed_from: float = 0.5


@dataclass(frozen=True, slots=True)
class SurenessTuning:
    """How likely the notes answer at all.

    By the words: a logistic regression on questions about the notes and on questions about other people's, each
    set left out in turn (docs/evaluation.md); `power` makes an even chance the bar of a strong answer.
    """

    strong: float = 0.35
    idf_coverage: float = 5.0
    text: float = 4.5
    most_text: float = 1.2
    bar: float = 4.4
    power: float = 1.5
    # In few passages hardly a word is met by chance: each halving below `many` lowers the bar.
    many: int = 32
    each_halving: float = 0.2
    # Who asks about Kevin, whom no note names, asks about other notes.
    strangers: float = 1.5
    # Pieces of text that reach from one word into the next are often nowhere, which tells little.
    missed_pieces: float = 0.5
    # A passage with all words of the question is an answer, and so is what was written in the time it names.
    all_words: float = 0.6
    dated: float = 0.6
    # A similarity counts from so much above that of an average text on, and is certainty so much further. Where it
    # stands alone, it must do without a margin; words that stand nowhere speak against it.
    vector_from: float = 0.3
    vector_span: float = 0.3
    vector_alone: float = 0.6
    missed_words: float = 0.1
    # Where nothing is sure, a similarity of `faint` will do, and the nearest is worth a share of its
    # similarity, but never enough to be strong. Gibberish is near nothing: no similarity reaches `nonsense`.
    faint: float = 0.1
    nearest: float = 0.5
    most_by_nearest: float = 0.3
    nonsense: float = 2.0


@dataclass(frozen=True, slots=True)
class TimeTuning:
    """What age and times that are named count."""

    # The share of a score that age can take away: an old note that alone answers must stay on top.
    most_decay: float = 0.15
    # Of nearly equal answers the one in MEMORY.md comes first: it was put there to last.
    durable: float = 1.06
    # What is left of a share for notes of another time than the one asked for, and for undated ones. Where nothing
    # but the time is asked for, all others come after its notes.
    untimely: float = 0.6
    undated: float = 0.8
    beside_the_time: float = 0.2
    # What it scores to be of the time that is asked for, in words; the share of it for naming that time.
    timely_words: float = 0.6
    naming_the_time: float = 0.5


@dataclass(frozen=True, slots=True)
class ShownTuning:
    """What of the ranked passages is shown, and with what beside it."""

    # What scores less than this share of the best is left out: with a third, windows of the same long line were
    # lost (Russian and Thai, 0.4 of the visible evidence).
    far: float = 0.25
    # Two texts say the same when they share this much of their words, and have so many; what is left of the score
    # of a hit that says what a better one says.
    same_words: float = 0.85
    least_words: int = 5
    repeated: float = 0.8
    # When a transcript's words are a note's: nearly all of at least so many.
    echo_share: float = 0.9
    echo_words: int = 5
    # Facts beside a fact are shown with it if they fit nearly as well, up to so many lines.
    as_good: float = 0.7
    fact_lines: int = 5
    # Where nothing is sure, so many lines around a fact.
    context_lines: int = 3
    # A name or role before so many messages of a chunk, and this share of them, is a speaker, and the chunk is talk.
    # Bullets with labels are mostly facts by topic ("- Car: …", "- Dentist: …"), unless few say much.
    labels: int = 2
    label_share: float = 0.25
    labels_in_bullets: int = 3
    # Messages so far from the one that was found may be shown with it (3 gave 65.6 of 100 lines of evidence, 6 66.8,
    # 12 67.4 and 67.5; docs/design.md), if they are among so many of the best and score this share of it.
    reach: int = 12
    best_messages: int = 20
    beside_share: float = 0.6
    # A message of so few characters says little without what it asks or answers: the answer comes with it, and the
    # question, if that is short.
    short_message: int = 80
    short_question: int = 120


@dataclass(frozen=True, slots=True)
class CurrencyTuning:
    """When two hits are about the same thing, so that the newer one comes first."""

    # From this share of common content words on; of two short facts, one of which has all that the question asks, from this.
    same_thing: float = 0.5
    same_topic: float = 0.4
    # How long a subject is in scripts that put no spaces between words.
    subject: int = 2
    # A fact of so few characters says one thing; it answers nearly as well with this share of a score.
    short: int = 140
    nearly_as_good: float = 0.7
    # What has no word of the question and less than this share of the best score only stands around.
    around: float = 0.5


@dataclass(frozen=True, slots=True)
class Tuning:
    """The weights of the features, the sizes of the pool, and all other numbers by groups.

    Features are between 0 and 1, relative to the best passage of a question. The weights lie between
    those that a coordinate search found on all tuning sets and on all but the chats; they are not
    held out, and docs/design.md says what that means.
    """

    # The shares of the legs that the weights are meant for; the words' share also beside an embedder that was never
    # measured: of 60 questions that name an identifier among 400 notes, 0.3 finds 20 to 31, 0.5 28 to 49 and 0.7
    # 58 to 59; where no word is shared, meaning decides alone anyway.
    text_share: float = 0.7
    vector_share: float = 0.3
    # Weights of the keyword leg; they and those of meaning are meant for these shares of the legs, and are scaled to
    # those that are set.
    # text: BM25 of the passage; beside, two_away: the better neighbour's; file: the best of its file;
    # chunk: all of its chunk together; coverage: the share of the question's words it holds,
    # idf_coverage: that share weighed by how rare each word is; once: BM25 with each of the question's
    # words counted about once.
    text: float = 0.166
    beside: float = 0.038
    two_away: float = 0.03
    file: float = 0.05
    chunk: float = 0.07
    coverage: float = 0.34
    idf_coverage: float = 0.1
    once: float = 0.1
    # A word that stands only in a heading or the file name, or whose beginning alone is found.
    head_coverage: float = 0.3
    prefix_coverage: float = 0.65
    # Weights of meaning: the passage's own similarity and its chunk's.
    passage_similarity: float = 0.16
    chunk_similarity: float = 0.18
    # To be like the best `believed` passages in meaning, itself and by its chunk.
    alike: float = 0.1
    chunk_alike: float = 0.2
    believed: int = 8
    # Who speaks is who is asked about; the passage holds the kind of answer asked for; it only asks; who is
    # asked about speaks right after a question, says much, and speaks of themselves (`own`: 0.2
    # or 0.3 with each conversation left out in turn, docs/evaluation.md).
    speaker: float = 0.15
    kind: float = 0.045
    asks: float = -0.04
    answers: float = 0.1
    at_length: float = 0.25
    own: float = 0.2
    # What it adds that the question's words stand together in a long passage, among so many of the first.
    together: float = 0.7
    contenders: int = 4
    # Of talk, behind so many messages, the power by which a message counts less the longer it is; to one that is
    # shorter than this share of the others its length no longer matters.
    unshortened: int = 1
    brevity: float = 0.2
    shortest: float = 0.3
    # A label is a speaker if it begins so many passages.
    least_labels: int = 3
    # Up to so many passages all are scored; of more, the best by words and those of the nearest chunks. All
    # tuning sets as one memory, 1,744 questions: first hit 76.6 % and found 90.9 % with 1,000 and 150, 76.6 and 90.7
    # with 300 and 30, 77.0 and 90.9 with 200 and 20; 10,000 made-up chunks: 484 first of 600, and 489, 489.
    pool_all: int = 1_000
    pool_text: int = 300
    pool_chunks: int = 40
    # How many passages are compared at query time where the index holds no vectors of passages.
    compared: int = 24
    # How many of the ranked passages may become results.
    ranked: int = 240

    # The other numbers.
    words: WordTuning = WordTuning()
    meaning: MeaningTuning = MeaningTuning()
    sureness: SurenessTuning = SurenessTuning()
    time: TimeTuning = TimeTuning()
    shown: ShownTuning = ShownTuning()
    currency: CurrencyTuning = CurrencyTuning()


TUNING = Tuning()
