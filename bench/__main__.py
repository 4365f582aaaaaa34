"""`python -m bench performance [--sizes 1000 10000] [--peers …]`, or one part: run the benchmarks."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# With one of these set, notes would be embedded by a provider and the network be measured.
_KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY")


def main() -> None:
    """Run what the arguments name, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        default="performance",
        choices=(
            "performance",
            "startup",
            "index",
            "search",
            "freshness",
            "agents",
            "transcripts",
            "web",
            "embedding",
            "engines",
            "million",
            "life",
            "facts",
            "tune",
            "all",
        ),
    )
    parser.add_argument("--chunks", type=int, default=10_000, help="size of the made-up workspace")
    parser.add_argument("--repeats", type=int, default=15, help="rounds of `startup`, at least 10")
    parser.add_argument(
        "--sizes", type=int, nargs="+", help="chunks, for `performance` [1000 10000 50000 200000]"
    )
    parser.add_argument("--questions", type=Path, help="the folder of question files for `tune`")
    parser.add_argument("--limit", type=int, default=300, help="questions a workspace, for `tune`")
    parser.add_argument("--copies", type=int, default=49, help="of all rows, for `million`")
    parser.add_argument(
        "--engines", nargs="+", choices=("postgres", "lancedb"), default=("postgres", "lancedb")
    )
    parser.add_argument("--clients", type=int, nargs="+", default=(1, 16), help="for `million`")
    parser.add_argument("--keep", type=Path, help="where indexes stay, for `engines` and `million`")
    parser.add_argument("--peers", nargs="*", help="which peers `performance` runs [all]")
    parser.add_argument(
        "--lives", nargs="+", metavar="LIFE", help="which of them `life` tells [all]"
    )
    arguments = parser.parse_args()
    if arguments.chunks < 1 or arguments.repeats < 10:
        parser.error("--chunks must be at least 1 and --repeats at least 10.")
    for key in _KEYS:
        os.environ.pop(key, None)
    if arguments.what == "performance":
        from bench import peering, performance

        peers = tuple(peering.PEERS) if arguments.peers is None else arguments.peers
        if unknown := set(peers) - set(peering.PEERS):
            parser.error(f"There is no peer {unknown.pop()!r}; known: {', '.join(peering.PEERS)}.")
        performance.run(arguments.sizes or performance.SIZES, peers)
    if arguments.what == "tune":
        from bench import tune

        if arguments.questions is None:
            parser.error(
                "tune needs --questions FOLDER with question files that bring their notes."
            )
        tune.run(arguments.questions, arguments.limit)
    if arguments.what in ("startup", "all"):
        from bench import startup

        startup.run(arguments.repeats)
    if arguments.what in ("index", "all"):
        from bench import index

        index.run(arguments.chunks)
    if arguments.what in ("search", "all"):
        from bench import search

        search.run(arguments.chunks)
    if arguments.what in ("freshness", "all"):
        from bench import freshness

        freshness.run()
    if arguments.what in ("agents", "all"):
        from bench import agents

        agents.run(arguments.chunks)
    if arguments.what in ("transcripts", "all"):
        from bench import transcripts

        transcripts.run()
    if arguments.what in ("web", "all"):
        from bench import web

        web.run(arguments.chunks)
    if arguments.what in ("life", "all"):
        from bench import hours, life, lives

        names = lives.NAMES if arguments.lives is None else tuple(arguments.lives)
        if unknown := set(names) - set(lives.NAMES):
            parser.error(f"There is no life {unknown.pop()!r}; known: {', '.join(lives.NAMES)}.")
        life.run(names)
        hours.run(names)
    if arguments.what == "facts":
        from bench import facts

        facts.run()
    if arguments.what in ("embedding", "all"):
        from bench import embedding

        embedding.run(arguments.chunks)
    if arguments.what in ("engines", "all"):
        from bench import engines

        engines.run(arguments.chunks, arguments.keep)
    if arguments.what == "million":
        from bench import million

        million.run(
            arguments.chunks,
            arguments.copies,
            arguments.engines,
            arguments.clients,
            arguments.keep,
        )


if __name__ == "__main__":
    main()
