"""`memdown redact`: what of a text would be hidden before it is indexed."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("redact")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--text", "as_text", is_flag=True, help="Print the redacted text itself.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def redact_command(file: Path, as_text: bool, as_json: bool) -> int:
    """Show which secrets in FILE would be hidden: keys, tokens, passwords. FILE is not changed.

    \b
    Examples:
      memdown redact notes.txt
      pbpaste | memdown redact - --text
    """
    from memdown.cli.output import print_json
    from memdown.errors import SessionError
    from memdown.text.redaction import find_secrets, redact

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise SessionError(f"{file} cannot be read ({error.strerror}); check the path.") from None
    text = data.decode("utf-8", "replace")
    if as_text:
        click.echo(redact(text), nl=False)
        return 0
    secrets = find_secrets(text)
    places = []
    line = last = 0
    for secret in secrets:
        line += text.count("\n", last, secret.start)
        last = secret.start
        column = secret.start - (text.rfind("\n", 0, secret.start) + 1)
        places.append((line + 1, column + 1, secret.kind, secret.end - secret.start))
    if as_json:
        keys = ("line", "column", "kind", "length")
        print_json({"secrets": [dict(zip(keys, place, strict=True)) for place in places]})
        return 0
    for number, column, kind, length in places:
        click.echo(f"{file}:{number}:{column}: {kind}, {length} characters")
    count = len(places)
    click.echo(f"{count} {'secret' if count == 1 else 'secrets'} would be hidden.", err=True)
    return 0
