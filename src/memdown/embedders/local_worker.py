"""The process that runs a local model: reads texts, one JSON list a line, and writes their vectors.

It is a process of its own because llama.cpp writes to standard error as it likes and ends the whole
process when a model file is damaged. Run by its path, so that nothing else of Memdown is loaded.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import struct
import sys
from typing import Any

_CONTEXT = 2048
_SHORTEST = 16


def main(model: str) -> None:
    """Load the model, say so, then answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Nothing that the library prints may get between our answers.
    os.dup2(2, 1)
    server = _load(model)
    _say(answers, {"ready": True})
    for line in sys.stdin:
        texts = json.loads(line)
        try:
            rows = _embed(server, texts)
        except ValueError as error:
            _say(answers, {"error": str(error)})
            continue
        packed = [base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode() for row in rows]
        _say(answers, {"vectors": packed})


def _load(model: str) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.embedding = True
    params.warmup = False
    params.n_ctx = _CONTEXT
    params.n_batch = _CONTEXT
    params.n_ubatch = _CONTEXT
    # The library also listens on a port of this machine; with a key that nobody knows it is of
    # no use to others.
    params.api_keys = [secrets.token_hex(32)]
    params.ui = False
    return xllamacpp.Server(params)


def _embed(server: Any, texts: list[str]) -> list[list[float]]:
    answer = server.handle_embeddings({"input": texts})
    if "data" in answer:
        items = sorted(answer["data"], key=lambda item: item["index"])
        return [item["embedding"] for item in items]
    error = answer.get("error", {})
    message = str(error.get("message", "no embeddings came out of the model"))
    if error.get("type") != "exceed_context_size_error" and "too large" not in message:
        raise ValueError(message)
    if len(texts) > 1:
        return [_embed(server, [text])[0] for text in texts]
    # Longer than the model can take: its beginning stands for it.
    (text,) = texts
    tokens = re.search(r"\((\d+) tokens\)", message)
    share = error.get("n_ctx", _CONTEXT) / max(1, int(tokens[1]) if tokens else 2 * _CONTEXT)
    length = int(len(text) * min(0.9, share * 0.9))
    if length < _SHORTEST:
        raise ValueError("a text is too long for the model, however short it is cut")
    return _embed(server, [text[:length]])


def _say(answers: Any, data: dict[str, Any]) -> None:
    answers.write(json.dumps(data) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
