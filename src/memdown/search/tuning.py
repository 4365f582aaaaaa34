"""The weights of the features and the sizes of the pool, in one value, with what chose them."""

from __future__ import annotations

from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """The weights of the features and the sizes of the pool.

    Features are between 0 and 1, relative to the best passage of a question. The weights lie between
    those that a coordinate search found on all tuning sets and on all but the chats; they are not
    held out, and docs/design.md says what that means.
    """

    # Weights of the keyword leg; they and those of meaning are scaled to the legs' shares, 0.7 and 0.3.
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
    told: float = 0.25
    own: float = 0.2
    # What it adds that the question's words stand together in a long passage, among so many of the first.
    together: float = 0.7
    contenders: int = 4
    # Of talk, behind so many messages, the power by which a message counts less the longer it is.
    unshortened: int = 1
    brevity: float = 0.2
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


TUNING = Tuning()
