"""Text as the keyword index sees it: terms, scripts, stop words, token estimates (pure)."""

from memdown.text.queries import Alternative, Identifier, QueryTerms, query_terms
from memdown.text.scripts import estimate_tokens, fold, weight
from memdown.text.stopwords import is_asked, is_stop, without_stop_words
from memdown.text.terms import (
    TERMS_VERSION,
    TOKENCHARS,
    distinct_terms,
    index_terms,
    is_gram,
    joined_terms,
    match_spans,
    prefix_terms,
    spaced_terms,
    verb_beginnings,
)

__all__ = [
    "TERMS_VERSION",
    "TOKENCHARS",
    "Alternative",
    "Identifier",
    "QueryTerms",
    "distinct_terms",
    "estimate_tokens",
    "fold",
    "index_terms",
    "is_asked",
    "is_gram",
    "is_stop",
    "joined_terms",
    "match_spans",
    "prefix_terms",
    "query_terms",
    "spaced_terms",
    "verb_beginnings",
    "weight",
    "without_stop_words",
]
