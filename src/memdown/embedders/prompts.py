"""Words that some models want before a text, to tell questions from documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompts:
    """What goes before a question and before a document; `name` is empty where nothing does."""

    name: str = ""
    query: str = ""
    document: str = ""


_GEMMA = Prompts("gemma", "task: search result | query: ", "title: none | text: ")
_PASSAGES = Prompts("passages", "Represent this sentence for searching relevant passages: ")
_INSTRUCT = Prompts(
    "instruct",
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
)
# By a part of the model's name; the first that fits counts.
_KNOWN: tuple[tuple[str, Prompts], ...] = (
    ("embeddinggemma", _GEMMA),
    ("gemini-embedding-2", _GEMMA),
    ("nomic-embed-text", Prompts("nomic", "search_query: ", "search_document: ")),
    ("qwen3-embedding", _INSTRUCT),
    ("arctic-embed2", Prompts("arctic2", "query: ")),
    ("arctic-embed-l-v2", Prompts("arctic2", "query: ")),
    ("arctic-embed", _PASSAGES),
    ("mxbai-embed", _PASSAGES),
    ("e5-", Prompts("e5", "query: ", "passage: ")),
)


def prompts_for(model: str) -> Prompts:
    """The prompts of a model, told by its name."""
    name = model.lower()
    return next((prompts for part, prompts in _KNOWN if part in name), Prompts())
