"""One table of all calls: it makes the routes, the checks of what a request carries, and the OpenAPI
document.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memdown import __version__
from memdown.config.values import CHAT_TYPES
from memdown.errors import BadRequest
from memdown.facts.reviewing import VERDICTS
from memdown.types import SOURCES
from memdown.validation import Field, Problem, written
from memdown.web import api
from memdown.web.site import Site


def from_query(fields: Sequence[Field], given: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The values of an address's query."""
    named = {field.name: field for field in fields}
    values: dict[str, Any] = {}
    for name, text in given:
        if name not in named:
            raise BadRequest(f"There is no parameter `{name[:40]}` here; see /api/openapi.json.")
        if name in values:
            raise BadRequest(f"`{name}` is given twice; give it once.")
        with _refusing():
            values[name] = named[name].parse(text)
    return _complete(fields, values)


def from_body(fields: Sequence[Field], body: bytes) -> dict[str, Any]:
    """The values of a JSON body."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body must be JSON.") from None
    if not isinstance(data, Mapping):
        raise BadRequest("The body must be a JSON object.")
    named = {field.name: field for field in fields}
    for name in data:
        if name not in named:
            raise BadRequest(f"There is no field `{str(name)[:40]}` here; see /api/openapi.json.")
    with _refusing():
        return _complete(fields, {name: named[name].check(value) for name, value in data.items()})


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Tells whoever asks what a value must be."""
    try:
        yield
    except Problem as problem:
        raise BadRequest(f"`{written(problem.location)}` must {problem.must}.") from None


def _complete(fields: Sequence[Field], values: dict[str, Any]) -> dict[str, Any]:
    for field in fields:
        if field.name not in values:
            if field.required:
                raise BadRequest(f"`{field.name}` is missing.")
            values[field.name] = field.default
    return values


Handler = Callable[[Site, dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class HttpOperation:
    """One call: where it is, what it takes, and which other answers it may give."""

    method: str
    path: str
    handler: Handler
    query: tuple[Field, ...] = ()
    body: tuple[Field, ...] = ()
    inline: tuple[Field, ...] = ()
    status: int = 200
    errors: tuple[int, ...] = ()
    # The body is a file of any kind, not JSON.
    takes_file: bool = False

    @property
    def name(self) -> str:
        """Its name in the OpenAPI document."""
        return self.handler.__name__

    @property
    def route(self) -> str:
        """The path as the router writes it."""
        return self.path.replace("{path}", "{path:path}").replace("{session}", "{session:path}")


_PATH = Field("path", "The note's path, as a search shows it.", required=True, low=1)
_QUERY = Field("q", "What to look for.", required=True, low=1, high=2000)
_ALLOW_SECRETS = Field(
    "allowSecrets", "Write it even if it looks like a secret.", "boolean", default=False
)
_CHANGE = Field("id", "The number of a change.", "integer", required=True, low=1, high=2**62)
_WORDS = Field(
    "words", "The words, or the place of a fact: MEMORY.md#L7.", required=True, low=1, high=2000
)
_KEY = Field("key", "The key of a proposal.", required=True, low=1, high=64)
_UPLOAD = Field("upload", "The id of a file that was sent.", required=True, low=1, high=64)
_BASE = Field("base", "The version that is meant.", required=True, high=64)
_WHO_ASKS = (
    Field(
        "chat",
        "Where this is asked, for memory.citations and memory.qmd.scope.",
        choices=CHAT_TYPES,
    ),
    Field(
        "sessionKey", "The key of the session that asks: agent:main:slack:channel:c024.", high=500
    ),
)
_WRITES = (400, 403, 404, 409, 413, 415, 422)

OPERATIONS: tuple[HttpOperation, ...] = (
    HttpOperation(
        "GET",
        "/api/search",
        api.search,
        query=(
            _QUERY,
            Field("limit", "How many results at most.", "integer", low=1, high=100),
            Field("minScore", "How well a result must fit.", "number", low=0, high=1),
            Field("source", "Only notes or only transcripts.", choices=("notes", *SOURCES)),
            Field("since", "Only notes from then on: a day, or a time such as March.", high=100),
            Field("until", "Only notes up to then.", high=100),
            Field("folder", "Only notes in this folder.", high=4096),
            Field("tag", "Only notes with this tag.", high=200),
            *_WHO_ASKS,
        ),
        errors=(400,),
    ),
    HttpOperation(
        "GET",
        "/api/notes",
        api.list_notes,
        query=(
            Field("under", "Only paths that start like this.", default="", high=4096),
            Field("offset", "How many to pass over.", "integer", default=0, low=0, high=10**9),
            Field("limit", "How many at most.", "integer", default=1000, low=1, high=10_000),
        ),
        errors=(400,),
    ),
    HttpOperation(
        "GET",
        "/api/notes/{path}",
        api.read_note,
        inline=(_PATH,),
        query=_WHO_ASKS,
        errors=(400, 403, 404, 422),
    ),
    HttpOperation(
        "PUT",
        "/api/notes/{path}",
        api.save_note,
        inline=(_PATH,),
        body=(
            Field("text", "The whole new text.", required=True),
            Field(
                "base",
                "The version that was edited, or null for a new note.",
                required=True,
                nullable=True,
                high=64,
            ),
            _ALLOW_SECRETS,
        ),
        errors=(400, 403, 404, 409, 413, 415, 422),
    ),
    HttpOperation(
        "GET", "/api/chunks/{path}", api.read_chunks, inline=(_PATH,), errors=(400, 403, 404, 422)
    ),
    HttpOperation(
        "GET", "/api/history/{path}", api.read_history, inline=(_PATH,), errors=(400, 403, 404, 422)
    ),
    HttpOperation(
        "GET",
        "/api/difference/{path}",
        api.read_difference,
        inline=(_PATH,),
        query=(Field("commit", "Which commit.", required=True, low=7, high=64),),
        errors=(400, 403, 404, 422),
    ),
    HttpOperation(
        "POST",
        "/api/entries",
        api.add_entry,
        body=(
            Field("text", "What to remember.", required=True, low=1),
            Field("durable", "In MEMORY.md instead of today's log.", "boolean", default=False),
            _ALLOW_SECRETS,
        ),
        status=201,
        errors=(400, 403, 413, 415, 422),
    ),
    HttpOperation(
        "GET",
        "/api/changes",
        api.list_changes,
        query=(
            Field("path", "Only of this note.", default="", high=4096),
            Field("limit", "How many at most.", "integer", default=50, low=1, high=1000),
        ),
        errors=(400,),
    ),
    HttpOperation("POST", "/api/undo", api.undo_change, body=(_CHANGE,), errors=_WRITES),
    HttpOperation(
        "POST",
        "/api/read",
        api.mark_read,
        body=(_CHANGE, Field("all", "Also all before it.", "boolean", default=False)),
        errors=_WRITES,
    ),
    HttpOperation(
        "POST",
        "/api/strike",
        api.strike_fact,
        body=(_PATH, Field("line", "The fact's line.", "integer", required=True, low=1)),
        errors=_WRITES,
    ),
    HttpOperation("POST", "/api/forget/places", api.find_traces, body=(_WORDS,), errors=_WRITES),
    HttpOperation("POST", "/api/forget", api.erase_words, body=(_WORDS,), errors=_WRITES),
    HttpOperation("POST", "/api/keep", api.keep_change, body=(_CHANGE,), errors=_WRITES),
    HttpOperation("GET", "/api/review", api.list_proposals, errors=(400,)),
    HttpOperation(
        "POST",
        "/api/review",
        api.decide,
        body=(
            _KEY,
            Field(
                "verdict",
                "`apply` does it, `other` keeps the other fact, `fine` keeps both, `later` waits.",
                required=True,
                choices=VERDICTS,
            ),
        ),
        errors=_WRITES,
    ),
    HttpOperation("POST", "/api/review/open", api.show_again, body=(_KEY,), errors=_WRITES),
    HttpOperation("POST", "/api/restore", api.restore_note, body=(_PATH, _CHANGE), errors=_WRITES),
    HttpOperation("POST", "/api/trash", api.trash_note, body=(_PATH, _BASE), errors=_WRITES),
    HttpOperation(
        "POST",
        "/api/rename",
        api.rename_note,
        body=(_PATH, Field("to", "The new path.", required=True, low=1, high=4096), _BASE),
        errors=_WRITES,
    ),
    HttpOperation(
        "POST",
        "/api/preview",
        api.preview,
        body=(
            Field("text", "Markdown.", required=True),
            Field("path", "The note it belongs to.", default="MEMORY.md", high=4096),
        ),
        errors=(400, 403, 413, 415),
    ),
    HttpOperation(
        "GET",
        "/api/calendar",
        api.read_calendar,
        query=(Field("year", "Which year [this one].", "integer", low=1, high=9998),),
        errors=(400,),
    ),
    HttpOperation("GET", "/api/sessions", api.list_sessions, errors=(400,)),
    HttpOperation(
        "GET",
        "/api/sessions/{session}",
        api.read_session,
        inline=(Field("session", "The session's id.", required=True, low=1),),
        errors=(400, 404, 422),
    ),
    HttpOperation(
        "POST",
        "/api/sessions/delete",
        api.delete_session,
        body=(Field("session", "The session's id.", required=True, low=1, high=400),),
        errors=_WRITES,
    ),
    HttpOperation(
        "GET",
        "/api/recall",
        api.find_said,
        query=(
            _QUERY,
            Field("limit", "How many at most.", "integer", default=20, low=1, high=200),
        ),
        errors=(400,),
    ),
    HttpOperation(
        "GET",
        "/api/status",
        api.status,
        query=(Field("deep", "Also try the embedder.", "boolean", default=False),),
        errors=(400,),
    ),
    HttpOperation("GET", "/api/sent", api.sent, errors=(400,)),
    HttpOperation("GET", "/api/doctor", api.examine, errors=(400,)),
    HttpOperation(
        "POST",
        "/api/sync",
        api.start_sync,
        body=(Field("force", "Make the index anew.", "boolean", default=False),),
        status=202,
        errors=(400, 403, 413, 415),
    ),
    HttpOperation("GET", "/api/sync", api.read_sync, errors=(400,)),
    HttpOperation(
        "POST",
        "/api/browsers/remove",
        api.throw_out,
        body=(Field("id", "Which browser.", required=True, low=1, high=40),),
        errors=(400, 403, 404, 413, 415),
    ),
    HttpOperation(
        "GET",
        "/api/use",
        api.read_use,
        query=(
            Field("limit", "How many of each at most.", "integer", default=20, low=1, high=1000),
        ),
        errors=(400,),
    ),
    HttpOperation(
        "POST",
        "/api/opened",
        api.note_opening,
        body=(
            Field("question", "What was asked.", default="", high=2000),
            _PATH,
            Field("line", "The first line.", "integer", default=1, low=1, high=10**9),
            Field("end", "The last line.", "integer", default=1, low=1, high=10**9),
        ),
        errors=(400, 403, 413, 415),
    ),
    HttpOperation(
        "POST",
        "/api/missed",
        api.note_miss,
        body=(Field("question", "What was asked.", required=True, low=1, high=2000), _PATH),
        errors=(400, 403, 413, 415),
    ),
    HttpOperation(
        "POST",
        "/api/answer",
        api.write_answer,
        body=(
            Field("question", "What was asked.", required=True, low=1, high=2000),
            Field("text", "What to remember.", required=True, low=1),
            Field("durable", "In MEMORY.md instead of today's log.", "boolean", default=True),
            _ALLOW_SECRETS,
        ),
        errors=_WRITES,
    ),
    HttpOperation(
        "POST",
        "/api/import",
        api.look_into,
        query=(Field("name", "The name of the file.", required=True, low=1, high=400),),
        errors=(400, 403, 413, 422),
        takes_file=True,
    ),
    HttpOperation("POST", "/api/import/apply", api.bring_in, body=(_UPLOAD,), errors=_WRITES),
    HttpOperation("POST", "/api/import/cancel", api.give_up, body=(_UPLOAD,), errors=_WRITES),
    HttpOperation("GET", "/api/session", api.session, errors=(400,)),
    HttpOperation(
        "GET",
        "/api/pulse",
        api.pulse,
        query=(Field("path", "The note that is being looked at.", default="", high=4096),),
        errors=(400,),
    ),
)

_MEANINGS = {
    400: "The request does not have the documented shape.",
    401: "The token or the cookie is missing or wrong.",
    403: "Refused: the path is no note, or the page is read-only.",
    404: "There is no such note.",
    409: "The note was changed on disk meanwhile; `current` is what stands there now.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The note or the text cannot be used as it is.",
    503: "The index or its embedder cannot be used just now.",
}


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memdown",
            "version": __version__,
            "description": "What `memdown serve` answers, for the page and for programs. Send the "
            "token in the file `web-PORT.token` of the state folder as a bearer token.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string"}},
                }
            },
        },
    }


def _described(operation: HttpOperation) -> dict[str, Any]:
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    result: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.handler.__doc__,
        "parameters": [
            {
                "name": field.name,
                "in": where,
                "required": field.required,
                "description": field.about,
                "schema": field.schema(),
            }
            for where, fields in (("path", operation.inline), ("query", operation.query))
            for field in fields
        ],
        "responses": {
            str(operation.status): {
                "description": "Done.",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            **{
                str(code): {"description": _MEANINGS[code], "content": problem}
                for code in sorted({401, 503, *operation.errors})
            },
        },
    }
    if operation.takes_file:
        binary = {"schema": {"type": "string", "format": "binary"}}
        result["requestBody"] = {"required": True, "content": {"application/octet-stream": binary}}
    if operation.body:
        result["requestBody"] = {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": [field.name for field in operation.body if field.required],
                        "properties": {field.name: field.schema() for field in operation.body},
                    }
                }
            },
        }
    return result
