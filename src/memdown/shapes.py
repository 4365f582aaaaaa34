"""The JSON shapes that the command line, the web page and the tools share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memdown.types import Citation, JobStatus, ProviderUsage, Status, SyncReport

if TYPE_CHECKING:
    from memdown.notes.changes import Change
    from memdown.notes.remembering import Remembered


def report_json(report: SyncReport) -> dict[str, Any]:
    """What a sync did, for programs."""
    return {
        "indexed": report.indexed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "rebuilt": report.rebuilt,
        "complete": report.complete,
        "failed": [{"path": one.path, "reason": one.reason} for one in report.failed],
        "ignored": list(report.ignored),
        "seconds": {phase: round(value, 4) for phase, value in report.seconds.items()},
    }


def status_json(status: Status) -> dict[str, Any]:
    """The status in the documents' shape."""
    store = status.store
    return {
        "backend": status.backend,
        "agent": status.agent,
        "provider": status.provider,
        "model": status.model,
        "requestedProvider": status.requested_provider,
        "files": sum(store.files.values()),
        "chunks": sum(store.chunks.values()),
        "dirty": status.dirty,
        "changed": status.changed,
        "workspaceDir": status.workspace,
        "dbPath": store.location,
        "dbBytes": store.size_bytes,
        "extraPaths": list(status.extra_paths),
        "sources": list(status.sources),
        "sourceCounts": [
            {
                "source": source,
                "files": store.files.get(source, 0),
                "chunks": store.chunks.get(source, 0),
            }
            for source in status.sources
        ],
        "cache": _cache_json(status),
        "sent": [_usage_json(one) for one in status.usage if one.requests],
        "batch": _batch_json(status.jobs),
        "fts": {
            "enabled": status.hybrid,
            "available": store.fts_available,
            "error": store.fts_error,
        },
        "vector": {
            "enabled": status.vector_enabled,
            "available": store.vector_available,
            "extensionPath": status.extension_path,
            "loadError": store.vector_error,
            "dims": store.dims,
        },
        "citations": status.citations,
        "problems": [{"path": one.path, "reason": one.reason} for one in status.problems],
        "withoutVectors": status.without_vectors,
        "custom": dict(status.custom),
        "watcher": status.watcher,
        **_exceptions_json(status),
    }


def _cache_json(status: Status) -> dict[str, Any]:
    """What the cache of vectors holds, and what it saved."""
    return {
        "enabled": status.cache_enabled,
        "entries": status.store.cache_entries,
        "maxEntries": status.cache_max_entries,
        "lookedUp": sum(one.looked_up for one in status.usage),
        "found": sum(one.found for one in status.usage),
    }


def _usage_json(one: ProviderUsage) -> dict[str, Any]:
    """What left the machine for one provider on one day."""
    return {
        "day": one.day,
        "provider": one.provider,
        "host": one.host,
        "requests": one.requests,
        "texts": one.texts,
        "characters": one.characters,
        "tokens": one.tokens,
    }


def _exceptions_json(status: Status) -> dict[str, Any]:
    """What is only said where something is not as the settings have it, or was tried."""
    data: dict[str, Any] = {}
    if status.backend_reason:
        data["backendReason"] = status.backend_reason
    if status.fallback:
        data["fallback"] = {"from": status.requested_provider, "reason": status.fallback}
    if status.embedder_works is not None:
        data["probe"] = {"embedder": status.embedder_works, "error": status.embedder_error}
    return data


def _batch_json(jobs: JobStatus) -> dict[str, Any]:
    """How batch jobs are done and went, in the documents' shape."""
    return {
        "enabled": jobs.enabled,
        "pending": jobs.pending,
        "failures": jobs.failures,
        "limit": jobs.limit,
        "wait": jobs.wait,
        "concurrency": jobs.concurrency,
        "pollIntervalMs": round(jobs.poll_seconds * 1000),
        "timeoutMs": round(jobs.timeout_seconds * 1000),
        "lastError": jobs.last_error,
        "lastProvider": jobs.last_provider,
    }


def citation_json(citation: Citation) -> dict[str, Any]:
    """Where something stands in the notes."""
    return {
        "path": citation.path,
        "startLine": citation.start_line,
        "endLine": citation.end_line,
        "citation": str(citation),
    }


def remembered_json(done: Remembered) -> dict[str, Any]:
    """Where something was written, what it replaced, and what is near it."""
    return {
        **citation_json(done),
        "known": done.known,
        "replaced": list(done.replaced),
        "related": [
            {
                "reference": one.reference,
                "text": one.text,
                "date": one.day.isoformat() if one.day else None,
                "superseded": one.superseded,
            }
            for one in done.related
        ],
        "question": done.question,
        "change": done.change,
    }


def change_json(change: Change) -> dict[str, Any]:
    """A change of the journal, with the lines that went and came."""
    return {
        "id": change.id,
        "time": change.time.isoformat(timespec="seconds"),
        "actor": change.actor,
        "session": change.session,
        "path": change.path,
        "kind": change.kind,
        "removed": change.removed_text,
        "added": change.added_text,
        "undoes": change.undoes or None,
    }
