"""Whether folders are as a scan found them, known from the kernel instead of by another scan.

Linux queues an event for a change before the call that made it returns. So a process that watches
every folder a scan looked into needs no second scan as long as the queue is empty. Whatever casts
doubt on that (another system, a network disk, no more watches, a full queue) leads to a scan, and
so does time: a write through mapped memory makes no event.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from memdown.values import dataclass

# What makes no event is found after this time.
SCAN_AGAIN_SECONDS = 10.0
_TRY_AGAIN_SECONDS = 300.0
# Watches are scarce and other programs want some too.
_MOST_FOLDERS = 4096
_READ_BYTES = 1 << 16
_MOST_READS = 64

_HEADER = struct.Struct("iIII")
_CLOEXEC, _NONBLOCK = os.O_CLOEXEC, os.O_NONBLOCK
_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_UNMOUNT, _OVERFLOW, _IGNORED = 0x2000, 0x4000, 0x8000
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x1000000, 0x2000000, 0x40000000
_WATCHED_FOR = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
    | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS
)  # fmt: skip
# After one of these the watches may stand on other folders than the paths now lead to.
_MOVES_FOLDERS = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW | _IS_FOLDER
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})

# File systems that nobody but this kernel changes, by the numbers in statfs(2).
_LOCAL = frozenset(
    {
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # xfs
        0x9123683E,  # btrfs
        0x2FC12FC1,  # zfs
        0xF2F52010,  # f2fs
        0xCA451A4E,  # bcachefs
        0x794C7630,  # overlay
        0x01021994,  # tmpfs
        0x858458F6,  # ramfs
        0x3153464A,  # jfs
        0x4D44,  # vfat
        0x2011BAB0,  # exfat
        0x7366746E,  # ntfs3
    }
)


class Kernel(Protocol):
    """The calls that Python has no names for."""

    def init(self) -> int: ...
    def watch(self, descriptor: int, folder: str, mask: int) -> int: ...
    def unwatch(self, descriptor: int, watch: int) -> None: ...
    def file_system(self, folder: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that a scan depends on.

    `anchors` are opened by their whole path, so what they lead to is checked each time; `folders`
    are reached from them name by name, each after the one that holds it.
    """

    anchors: tuple[str, ...]
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """A scan that has begun: how often anything had happened by then, and when that was."""

    happened: int
    at: float


_Identity = tuple[int, int] | None


class FolderEvents:
    """Knows, of a scan that found nothing to do, whether it still holds. Safe for threads.

    Before a scan comes `before_scan`, after it `scanned`. Watches are made from the second scan
    on: a process that asks once does not pay for them.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, kernel: Kernel | None = None
    ) -> None:
        self._clock = clock
        self._kernel = kernel
        self._lock = threading.Lock()
        self._descriptor = -1
        self._process = 0
        self._places: Places | None = None
        self._watched: Places | None = None
        self._watches: frozenset[int] = frozenset()
        self._identities: tuple[_Identity, ...] = ()
        # Counts the times that something happened: a scan that began before holds no longer.
        self._happened = 0
        self._quiet: tuple[object, float] | None = None
        self._off_until = -1.0 if sys.platform == "linux" or kernel else float("inf")
        self._closed = False

    def nothing_happened(self, state: object) -> bool:
        """Whether a scan would find what the last one found, beside an index in this `state`."""
        with self._lock:
            if self._quiet is None or self._process != os.getpid():
                return False
            known, since = self._quiet
            if self._clock() - since > SCAN_AGAIN_SECONDS or known != state:
                return False
            return not self._look()

    def before_scan(self) -> Begun:
        """Make sure that whatever happens from now on makes an event, as far as it can."""
        with self._lock:
            self._quiet = None
            if self._places is not None and not self._closed and self._clock() >= self._off_until:
                try:
                    self._prepare(self._places)
                except OSError:
                    self._let_go()
                    self._off_until = self._clock() + _TRY_AGAIN_SECONDS
            return Begun(self._happened, self._clock())

    def scanned(self, begun: Begun, places: Places, state: object | None) -> None:
        """Note the `places` of a scan; `state` is that of the index if there was nothing to do."""
        with self._lock:
            self._places = places
            watched = self._watched
            if watched is None or state is None or begun.happened != self._happened:
                return
            if places == watched or _covers(watched, places):
                self._quiet = (state, begun.at)
            else:
                self._watched = None

    @property
    def watches(self) -> int:
        """How many folders are watched."""
        with self._lock:
            return len(self._watches)

    @property
    def is_open(self) -> bool:
        """Whether the kernel is asked for events."""
        return self._descriptor >= 0

    def close(self) -> None:
        """Give the watches back."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _prepare(self, places: Places) -> None:
        if self._descriptor >= 0 and self._process != os.getpid():
            # What a parent process opened is its own: reading here would take its events away.
            self._let_go()
        if self._descriptor < 0:
            self._kernel = self._kernel or c_library()
            self._descriptor = self._kernel.init()
            self._process = os.getpid()
        self._look()
        if self._watched is None:
            self._watch(places)

    def _look(self) -> bool:
        """Whether anything happened since the last look."""
        happened = moved = False
        if self._watched is not None and self._identities != _identities(self._watched.anchors):
            happened = moved = True
        for _ in range(_MOST_READS):
            try:
                data = os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:
                break
            for mask in _masks(data):
                happened = happened or bool(mask & ~_IGNORED)
                moved = moved or bool(mask & _MOVES_FOLDERS)
        if happened:
            self._happened += 1
            self._quiet = None
        if moved:
            self._watched = None
        return happened

    def _watch(self, places: Places) -> None:
        """Watch these folders and no others; one that is not there is seen when it comes."""
        kernel = self._kernel
        assert kernel is not None  # noqa: S101 - it came with the descriptor
        if len(places.anchors) + len(places.folders) > _MOST_FOLDERS:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        identities = _identities(places.anchors)
        watches = set()
        for folder, mask in _masked(places):
            try:
                if kernel.file_system(folder) not in _LOCAL:
                    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP), folder)
                watches.add(kernel.watch(self._descriptor, folder, mask))
            except OSError as error:
                if error.errno not in _NOT_THERE:
                    raise
        for stale in self._watches - watches:
            # A watch of a folder that was deleted is gone already.
            with contextlib.suppress(OSError):
                kernel.unwatch(self._descriptor, stale)
        self._watched, self._watches, self._identities = places, frozenset(watches), identities
        # A scan that another thread has begun may have passed a folder before it was watched.
        self._happened += 1

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
        self._watched, self._watches, self._quiet = None, frozenset(), None


def _covers(watched: Places, places: Places) -> bool:
    return watched.anchors == places.anchors and set(places.folders) <= set(watched.folders)


def _masked(places: Places) -> Iterable[tuple[str, int]]:
    for folder in places.anchors:
        yield folder, _WATCHED_FOR
    for folder in places.folders:
        yield folder, _WATCHED_FOR | _NO_LINKS


def _identities(anchors: tuple[str, ...]) -> tuple[_Identity, ...]:
    return tuple(_identity(anchor) for anchor in anchors)


def _identity(path: str) -> _Identity:
    try:
        facts = os.stat(path)  # noqa: PTH116 - before every search, so it must be fast
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _masks(data: bytes) -> Iterable[int]:
    place = 0
    while place < len(data):
        _, mask, _, length = _HEADER.unpack_from(data, place)
        yield mask
        place += _HEADER.size + length


def c_library() -> Kernel:
    """The calls of the C library that Python has no names for."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)

    def checked(result: int, path: str | None = None) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
        return result

    class Libc:
        def init(self) -> int:
            return checked(library.inotify_init1(_CLOEXEC | _NONBLOCK))

        def watch(self, descriptor: int, folder: str, mask: int) -> int:
            name = os.fsencode(folder)
            return checked(
                library.inotify_add_watch(descriptor, name, ctypes.c_uint32(mask)), folder
            )

        def unwatch(self, descriptor: int, watch: int) -> None:
            checked(library.inotify_rm_watch(descriptor, watch))

        def file_system(self, folder: str) -> int:
            # The kind is the first word of a struct that has less than 256 bytes everywhere.
            facts = ctypes.create_string_buffer(256)
            checked(library.statfs(os.fsencode(folder), facts), folder)
            size = ctypes.sizeof(ctypes.c_long)
            return int.from_bytes(facts.raw[:size], sys.byteorder) & 0xFFFFFFFF

    return Libc()
