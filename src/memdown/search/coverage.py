"""Which share of a query's words a text holds."""

from __future__ import annotations

from memdown.text import QueryTerms, is_gram, prefix_terms, spaced_terms

# What a word counts of which only the beginning is found, with another ending.
_INFLECTED = 0.5


class Coverage:
    """Judges one text after the other for one query."""

    def __init__(self, terms: QueryTerms) -> None:
        self._count = len(terms.words)
        self._grams = [word for word in terms.words if is_gram(word)]
        # In terms with spaces around each, a word is found as a string, and so is its beginning.
        self._words = [
            (f" {word} ", f" {prefix}" if terms.prefixes and prefix else None)
            for word in terms.words
            if not is_gram(word)
            for prefix in (prefix_terms([word]) or [""])
        ]

    def share(self, text: str) -> float:
        """From 0, none of the words, to 1, all of them."""
        if not self._count:
            return 0.0
        held = float(sum(gram in text for gram in self._grams))
        if self._words:
            terms = spaced_terms(text)
            for word, beginning in self._words:
                if word in terms:
                    held += 1.0
                elif beginning and beginning in terms:
                    held += _INFLECTED
        return held / self._count
