"""`memdown eval`: how well search finds what is asked for, on given notes or on one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memdown.cli.options import CommandGroup, Target, target_options

if TYPE_CHECKING:
    from memdown.evaluation.questions import Question
    from memdown.memory import Memory
    from memdown.types import Failure

# More would push the figures off the screen.
_SHOWN_FAILURES = 10


class _FilesOrMake(CommandGroup):
    """`eval FILE…` runs question files, `eval make` drafts one: whatever is no command is a file."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(context, args)

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        # Options may come before the files: memdown eval --compare text,hybrid questions.json
        if args and args[0] not in self.commands and args[0] not in context.help_option_names:
            args = ["run", *args]
        return super().parse_args(context, args)

    def format_usage(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(context.command_path, "FILE… [OPTIONS] | make [OPTIONS]")


@click.group("eval", cls=_FilesOrMake)
def eval_command() -> None:
    """Measure how well search finds what is asked for.

    \b
    Examples:
      memdown eval make > my-questions.txt      draft questions about your own notes
      memdown eval my-questions.txt             ask them
      memdown eval chats.json --compare hybrid,text,vectors,fts5 --report report.md
      memdown eval questions/ --compare hybrid,fts5     every question file in a folder
    """


@eval_command.command("run")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--compare",
    default="hybrid",
    show_default=True,
    help="Configurations side by side: hybrid, vectors, text, mmr, no-decay, no-bar, rerank, fts5.",
)
@click.option("--limit", type=click.IntRange(1), help="Ask so many questions of each file only.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write a report in Markdown to this file.",
)
@target_options
def run_command(
    target: Target, files: tuple[Path, ...], compare: str, limit: int | None, report: Path | None
) -> None:
    """Run question files, or all those (.json, .txt, .tsv) of a folder.

    A file brings its own notes, or asks about the notes of the workspace.
    """
    from memdown.cli.index import print_json
    from memdown.cli.terminal import progress_bar
    from memdown.evaluation.questions import question_files, read_questions
    from memdown.evaluation.report import as_json, failures, markdown, summarise, table, title
    from memdown.evaluation.running import evaluate, read_names

    configurations = read_names(compare)
    # A wrong file should be known before the others have taken their minutes.
    sets = [(file.stem, read_questions(file)) for file in question_files(files)]
    settings = target.settings()
    results = []
    for name, asked in sets:
        with progress_bar() as progress:
            evaluation = evaluate(
                name, asked, settings, configurations, limit=limit, progress=progress
            )
        _name_unreadable(evaluation.unreadable)
        summaries = summarise(evaluation)
        results.append((evaluation, summaries))
        if not target.as_json:
            click.echo(f"{title(evaluation)}\n\n{table(summaries)}\n")
            if wrong := failures(evaluation, _SHOWN_FAILURES):
                click.echo(f"{wrong}\n")
    if target.as_json:
        print_json([as_json(*one) for one in results])
    if report is not None:
        report.write_text(markdown(results), encoding="utf-8")
        click.echo(f"Report: {report}", err=True)


def _name_unreadable(unreadable: Sequence[Failure]) -> None:
    for failure in unreadable:
        click.echo(f"Left out: {failure.reason}", err=True)


@eval_command.command("make")
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Another one, other questions."
)
@click.option(
    "--misses",
    is_flag=True,
    help="Take the questions that found nothing, from the log of questions (memory.use).",
)
@target_options
def make_command(target: Target, count: int, seed: int, misses: bool) -> None:
    """Draft questions about your own notes, to be read, corrected and run.

    Facts become questions, names and identifiers are asked for; code, tables, front matter and
    fragments are left out. No model is asked and nothing leaves this machine.

    With --misses they are the questions that you or an agent asked and that found nothing, or only what
    resembles them; what was opened afterwards is proposed as the answer.
    """
    from memdown.cli.index import print_json
    from memdown.errors import WorkspaceError
    from memdown.evaluation.drafting import draft_questions
    from memdown.evaluation.questions import write_questions
    from memdown.evaluation.running import read_own_notes

    with target.open() as memory:
        if misses:
            questions = _missed(memory)[:count]
        else:
            notes = read_own_notes(memory)
            _name_unreadable(notes.unreadable)
            questions = draft_questions(notes.lines, count, seed=seed)
    if not questions and not misses:
        raise WorkspaceError(
            f"The {len(notes.lines)} notes hold no fact, name or identifier to ask for "
            "that stands in one place only; write more of them, or name another folder with --workspace."
        )
    if target.as_json:
        drafted = [
            {"question": one.text, "evidence": [[e.path, e.first, e.last] for e in one.evidence]}
            for one in questions
        ]
        print_json([{"name": "drafted", "questions": drafted}])
    else:
        click.echo(write_questions(questions), nl=False)


def _missed(memory: Memory) -> list[Question]:
    """The questions of the use log that found nothing, with what was opened afterwards."""
    from memdown.errors import WorkspaceError
    from memdown.evaluation.questions import Evidence, Question
    from memdown.facts import use

    found = use.report(memory)
    if not found.missed:
        hint = (
            "every question found something"
            if found.on
            else "the log of questions is off; `memdown config set memory.use.enabled true` starts it"
        )
        raise WorkspaceError(f"There are no questions that found nothing: {hint}.")
    return [
        Question(
            one.question.replace("\t", " "),
            (Evidence(one.answer.path, one.answer.first, one.answer.last),) if one.answer else (),
        )
        for one in found.missed
    ]
