"""Text that is put into one of memory's own frames cannot end it, however it is spelt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memdown.values import pattern

# The frames that memory puts around what it recalls, as they read without signs between the words.
_NAMES = pattern(r"</*(?:recalledmemor|relevantmemor|memdownrecall|memdownmemor)")
_OPENING = "<＜﹤‹〈《⟨❮❬⧼˂ᐸ⋖≺"
_ENTITY = pattern(r"&(?:lt|#0*60|#x0*3c);?", re.IGNORECASE)
_SLASHES = "/\\⁄∕／⧸╱＼"
_JOINING = "-_‐‑‒–—―−·.'`\"*"
# Letters of other scripts that look like those of the names.
_LOOK_ALIKES = str.maketrans("аеосрмѕіԁνꓲӏᴄᴇʟɴʀꜱᴀᴅᴍᴏᴠᴡ", "aeocpmsidvllcelnrsadmovw")


def neutralised(text: str) -> str:
    """The text in which nothing looks like a tag of memory's own.

    Spaces, signs, invisible characters, other widths and look-alike letters in a tag do not hide
    it; its bracket becomes a round one.
    """
    if not any(sign in text for sign in _OPENING) and not _ENTITY.search(text):
        return text
    text = _ENTITY.sub("<", text) if _holds_entity_of_ours(text) else text
    places, plain = [], []
    for at, sign in _plain_signs(text):
        places.append(at)
        plain.append(sign)
    signs = list(text)
    for match in _NAMES.finditer("".join(plain)):
        signs[places[match.start()]] = "("
    return "".join(signs)


def one_line(text: str) -> str:
    """A name, such as a path, as one line of visible characters that ends no frame."""
    visible = "".join(sign if sign.isprintable() else " " for sign in text)
    return neutralised(" ".join(visible.split()))


def _holds_entity_of_ours(text: str) -> bool:
    """Whether an escaped bracket begins one of our tags; others stay as they are."""
    if not _ENTITY.search(text):
        return False
    opened = _ENTITY.sub("<", text)
    return bool(_NAMES.search("".join(sign for _, sign in _plain_signs(opened))))


def _plain_signs(text: str) -> Iterator[tuple[int, str]]:
    """Every sign that counts, as a small Latin one, and where it stands."""
    for at, sign in enumerate(text):
        for plain in _plain(sign):
            yield at, plain


@lru_cache(maxsize=4096)
def _plain(sign: str) -> str:
    if sign in _OPENING:
        return "<"
    if sign in _SLASHES:
        return "/"
    if sign in _JOINING or sign.isspace() or unicodedata.category(sign) in ("Cf", "Mn", "Cc"):
        return ""
    folded = unicodedata.normalize("NFKD", sign).casefold().translate(_LOOK_ALIKES)
    return "".join(part for part in folded if unicodedata.category(part) != "Mn")
