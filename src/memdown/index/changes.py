"""What a scan finds beside what is indexed: the files to read, those that are gone, those that fail."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memdown import notes
from memdown.index.freshness import Places
from memdown.notes.chunks import chunk_document
from memdown.notes.document import read_document
from memdown.text import TERMS_VERSION
from memdown.transcripts.reading import Conversations
from memdown.types import Chunk, Document, Embedder, Failure, FileState, Fingerprint, ModelKey
from memdown.values import dataclass

if TYPE_CHECKING:
    from memdown.transcripts import Portion

# What the paths of transcripts begin with.
SESSIONS = "sessions/"
# The size that is noted of a file to try it again at every scan: no file on disk has it.
TRY_AGAIN = -1
# What is noted of a file whose texts are in a batch job.
IN_A_JOB = "its vectors are in a batch job that has not come back yet"
# A file that failed and did not change is tried again after this time.
_AGAIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut."""

    tokens: int = 400
    overlap: int = 80

    def cut(self, document: Document, model: str) -> list[Chunk]:
        """The chunks of a document, for vectors of this model."""
        return chunk_document(
            document,
            tokens=self.tokens,
            overlap=self.overlap,
            model=model,
            headings=document.headings,
        )

    def fingerprint(self, embedder: Embedder | None) -> Fingerprint:
        """How an index would be made now."""
        return Fingerprint(
            key=ModelKey.of(embedder),
            chunk_tokens=self.tokens,
            chunk_overlap=self.overlap,
            terms_version=TERMS_VERSION,
            dims=embedder.dims if embedder else None,
        )


def fits(have: Fingerprint | None, want: Fingerprint) -> bool:
    """Whether an index made one way can be continued the other way."""
    if have is None:
        return False
    dims = have.dims if want.dims is None else want.dims
    return replace(have, dims=dims) == replace(want, dims=dims) and have.dims in (None, dims)


def takes_text(have: Fingerprint | None, want: Fingerprint) -> bool:
    """Whether texts can be added to an index although vectors cannot: it is cut in the same way."""
    return have is None or fits(replace(have, key=want.key, dims=want.dims), want)


class Observer(Protocol):
    """Gets every note that a sync reads, since another program may have changed it."""

    def add(self, path: str, data: bytes, read_at: float) -> None:
        """A note was read because it is new or looks changed; reading began then (seconds since 1970)."""

    def finish(self, gone: Sequence[str], *, complete: bool) -> None:
        """A sync has come to its end; `complete` if it read everything that changed."""


class ReadNote(NamedTuple):
    """A note as it is on disk now."""

    document: Document
    state: FileState


class Sources:
    """The notes of a workspace and the transcripts of an agent, as one source of documents.

    `clean` takes words out of a text that the user erased, and leaves its lines where they are.
    """

    def __init__(
        self,
        workspace: notes.Workspace,
        transcripts: Conversations,
        observer: Observer | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        self.workspace = workspace
        self.transcripts = transcripts
        self.observer = observer
        self._clean = clean
        self._listed: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.workspace.folder

    def scan(self, known: Mapping[str, FileState]) -> notes.Scan:
        """Every note and every transcript that counts; `known` are the files as indexed."""
        found = notes.scan(self.workspace, known)
        self._listed = found.folders
        transcripts, problems = self.transcripts.scan()
        return replace(
            found, files=found.files | transcripts, problems=(*found.problems, *problems)
        )

    def glance(self) -> notes.Glance | None:
        """What is on disk as one number; None if some of it could not be looked at."""
        found = notes.glance(self.workspace)
        transcripts, problems = self.transcripts.scan()
        if found.problems or problems:
            return None
        self._listed = found.folders
        return replace(found, total=found.total + notes.total_of(transcripts.values()))

    def read(self, path: str, *, observed: bool = False) -> ReadNote:
        """A note; `observed` hands it to the observer, too."""
        read_at = time.time()
        data, now = notes.read_note(self.workspace, path)
        if observed and self.observer is not None:
            self.observer.add(now.path, data, read_at)
        document = read_document(now, self._clean(notes.decode(data, now.path)))
        state = replace(
            now,
            digest=document.digest,
            date=document.date,
            tags=document.tags,
            names=document.names,
        )
        return ReadNote(document, state)

    def portions(self, state: FileState, known: FileState | None) -> Iterator[Portion]:
        """What a transcript has beyond what is indexed of it, a part at a time."""
        for portion in self.transcripts.portions(state, known):
            document = portion.document
            yield replace(portion, document=replace(document, text=self._clean(document.text)))

    def any_exists(self, paths: Iterable[str]) -> bool:
        """Whether one of these paths leads to a file now, be it a note or not."""
        return any(os.path.lexists(self._place(path)) for path in paths)

    def finish(self, gone: Iterable[str], *, complete: bool) -> None:
        """Tell the observer that a sync is over; what was gone may have come back since."""
        if self.observer is not None:
            lost = [path for path in gone if not self.any_exists([path])]
            self.observer.finish(lost, complete=complete)

    def _place(self, path: str) -> Path:
        if path.startswith(SESSIONS) and self.transcripts.enabled:
            return self.transcripts.folder / path.removeprefix(SESSIONS)
        return self.folder / path

    def watched_folders(self) -> list[Path]:
        """Every folder whose entries can change what the next scan finds."""
        folder = self.folder
        listed = [folder / name for name in self._listed]
        transcripts = [self.transcripts.folder] if self.transcripts.enabled else []
        outside = [path.parent for path in self.workspace.extra]
        return [folder, folder.parent, *outside, *listed, *transcripts]

    def places(self, folders: Iterable[str]) -> Places:
        """The folders that a scan depended on, which listed these."""
        folder = str(self.folder)
        bases, ways = notes.ways(self.workspace)
        transcripts = [str(self.transcripts.folder)] if self.transcripts.enabled else []
        listed = (os.path.join(folder, name).rstrip("/") or "/" for name in folders)  # noqa: PTH118
        return Places((*bases, *transcripts), (*ways, *listed))


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between the files on disk and the index.

    `notes` and `transcripts` are to be read, `gone` is to be removed. `failed` are the files that
    could not be read and have not changed since.
    """

    scan: notes.Scan
    indexed: Mapping[str, FileState]
    notes: tuple[FileState, ...] = ()
    transcripts: tuple[FileState, ...] = ()
    gone: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()

    @property
    def count(self) -> int:
        """How many files a sync has to look into or remove."""
        return len(self.notes) + len(self.transcripts) + len(self.gone)

    @property
    def unchanged(self) -> int:
        """How many files on disk are as they are indexed."""
        return len(self.scan.files) - len(self.notes) - len(self.transcripts)

    def all_files(self) -> Changes:
        """The same for an index that is made anew: every file is read."""
        files = self.scan.files.values()
        return replace(
            self,
            notes=tuple(state for state in files if state.source == "memory"),
            transcripts=tuple(state for state in files if state.source == "sessions"),
            failed=(),
        )


def compare(
    scan: notes.Scan,
    indexed: Mapping[str, FileState],
    memo: FailureMemo,
    awaiting_vectors: Iterable[FileState] = (),
) -> Changes:
    """What a sync has to do; `awaiting_vectors` are indexed files that may get their vectors now."""
    paths = changed_paths(scan.files, indexed)
    paths += sorted({state.path for state in awaiting_vectors} - set(paths))
    failed = [one for one in unreadable(scan.files, indexed) if not one.passing]
    changed: dict[str, list[FileState]] = {"memory": [], "sessions": []}
    for path in paths:
        state = scan.files[path]
        failure = memo.failure(state)
        if failure is None:
            changed[state.source].append(state)
        else:
            failed.append(failure)
    gone = gone_paths(scan.files, indexed, scan.unlisted)
    return Changes(
        scan, indexed, tuple(changed["memory"]), tuple(changed["sessions"]), gone, tuple(failed)
    )


def changed_paths(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[str]:
    """The files that are new, look different from what is indexed, or are to be tried again."""
    return [
        path
        for path, state in on_disk.items()
        if state is not (known := indexed.get(path))
        and (known is None or not state.same_stat(known))
    ]


def gone_paths(
    on_disk: Iterable[str], indexed: Iterable[str], unlisted: Sequence[str] = ()
) -> tuple[str, ...]:
    """The indexed files that are no longer there, as far as that can be known.

    A folder that cannot be looked into, such as one on a disk that is not mounted, has lost
    nothing: what is known of it stays.
    """
    gone = set(indexed) - set(on_disk)
    return tuple(sorted(path for path in gone if not path.startswith(tuple(unlisted))))


def unreadable(on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]) -> list[Failure]:
    """The files that are there and could not be read when a sync last tried."""
    return [
        Failure(path, state.problem, passing=state.size == TRY_AGAIN)
        for path, state in indexed.items()
        if state.problem and not state.digest and path in on_disk
    ]


def lacking_vectors(
    on_disk: Mapping[str, FileState], indexed: Mapping[str, FileState]
) -> list[FileState]:
    """The files that are there and found by their words only, since vectors of theirs are missing."""
    return [
        state
        for path, state in indexed.items()
        if state.problem and state.digest and path in on_disk
    ]


class _Failed(NamedTuple):
    state: FileState
    failure: Failure
    at: float


class FailureMemo:
    """Files that could not be read: not tried again at every search, but when they change."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, _Failed] = {}

    def update(self, changes: Changes, failures: Iterable[Failure]) -> None:
        """Keep what failed among the files that a sync tried, and forget the rest of them."""
        for state in (*changes.notes, *changes.transcripts):
            self._failed.pop(state.path, None)
        for failure in failures:
            if failure.path in changes.scan.files:
                state = changes.scan.files[failure.path]
                self._failed[failure.path] = _Failed(state, failure, self._clock())

    def failure(self, state: FileState) -> Failure | None:
        """Why this file need not be tried now; None if it is worth a try."""
        known = self._failed.get(state.path)
        if known is None or not known.state.same_stat(state):
            return None
        return known.failure if self._clock() - known.at < _AGAIN_SECONDS else None
