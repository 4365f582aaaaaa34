"""Browsers that were let in once: each keeps a secret, of which the state folder has the digest.

The cookie of a page ends with its server, because browsers send cookies to every port of a host.
The secret is kept by the page's own origin, port and all, and is only exchanged for a new cookie.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memdown.errors import CannotPair
from memdown.files.locks import acquire_or_fail, release
from memdown.files.private import make_folder, open_file

_MOST_BROWSERS = 50
_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Browser:
    """One browser that may come in without a link; times in seconds since 1970."""

    id: str
    digest: str
    name: str
    first: float
    last: float


class Pairings:
    """The browsers that may come in, in one private file; safe with several servers at once.

    `epoch` counts the browsers that were thrown out by this server: cookies of before are void, and
    browsers that still may come in get a new one by their secret.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "web-browsers.json"
        self.epoch = 0

    def all(self) -> list[Browser]:
        """Every browser that may come in, the last one seen first."""
        with self._locked() as lock:
            return sorted(_read(lock), key=lambda one: -one.last)

    def add(self, name: str) -> str:
        """Let a browser in for good; the secret that it must keep."""
        secret = secrets.token_urlsafe(32)
        now = time.time()
        with self._locked() as lock:
            one = Browser(secrets.token_hex(4), _digest(secret), name[:60], now, now)
            kept = sorted(_read(lock), key=lambda known: -known.last)[: _MOST_BROWSERS - 1]
            _write(lock, [one, *kept])
        return secret

    def knows(self, secret: str) -> bool:
        """Whether a secret is one that was given out and not taken back."""
        digest = _digest(secret)
        now = time.time()
        with self._locked() as lock:
            known = _read(lock)
            found = [one for one in known if hmac.compare_digest(one.digest, digest)]
            if found and now - found[0].last > _A_DAY:
                _write(lock, [replace(one, last=now) if one in found else one for one in known])
        return bool(found)

    def remove(self, browser: str) -> bool:
        """Throw a browser out, at once; whether there was one with this id."""
        with self._locked() as lock:
            known = _read(lock)
            kept = [one for one in known if one.id != browser]
            _write(lock, kept)
        self.epoch += 1
        return len(kept) < len(known)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            make_folder(self._file.parent)
            lock = open_file(self._file, os.O_RDWR)
        except OSError as error:
            raise CannotPair(
                f"{self._file} cannot be written ({error.strerror}); make its folder writable, or "
                "set MEMDOWN_STATE_DIR to one that is."
            ) from None
        try:
            try:
                acquire_or_fail(lock)
            except OSError as error:
                raise CannotPair(f"{self._file} cannot be used ({error.strerror}).") from None
            yield lock
        finally:
            release(lock)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _read(lock: int) -> list[Browser]:
    """What the file says; nothing if it was damaged: browsers then need a new link."""
    data = os.pread(lock, 1 << 20, 0)
    try:
        return [Browser(**one) for one in json.loads(data or b"[]")]
    except (ValueError, TypeError):
        return []


def _write(lock: int, browsers: list[Browser]) -> None:
    data = json.dumps([asdict(one) for one in browsers], indent=1).encode()
    os.pwrite(lock, data, 0)
    os.ftruncate(lock, len(data))
