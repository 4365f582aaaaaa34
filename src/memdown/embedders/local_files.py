"""Where the file of a local model is; `hf:` addresses are downloaded once, and resumed."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from memdown.errors import EmbedderError
from memdown.files import make_folder

DEFAULT = "hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf"
_CONNECT_SECONDS = 5.0
_ADDRESS = re.compile(r"hf:(?://)?([^/@\s]+/[^/@\s]+)(?:@([^/\s]+))?/(\S+\.gguf)")


def model_name(path: str) -> str:
    """The name of a model: its file without folders and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".gguf") or path


def problem_with(path: str) -> EmbedderError | None:
    """What can be told to be wrong with a path before it is used."""
    if path.startswith("hf:"):
        if _ADDRESS.fullmatch(path):
            return None
        return EmbedderError(
            f"memorySearch.local.modelPath is {path!r}, which is not the address of a GGUF file; "
            f"write it like {DEFAULT}."
        )
    if not Path(path).is_file():
        return EmbedderError(
            f"The model file {path} does not exist; correct memorySearch.local.modelPath, "
            "or give it an hf: address to download from."
        )
    return None


def find(path: str, cache_dir: str | None) -> Path:
    """The model's file on this machine; what is not here yet is downloaded, with a progress bar."""
    problem = problem_with(path)
    if problem is not None:
        raise problem
    match = _ADDRESS.fullmatch(path)
    if match is None:
        return Path(path)
    repository, revision, file = match.groups()
    from huggingface_hub import hf_hub_download, try_to_load_from_cache
    from huggingface_hub.constants import ENDPOINT

    # Asked first, because the download looks for a newer version, which needs the network.
    known = try_to_load_from_cache(repository, file, cache_dir=cache_dir, revision=revision)
    if isinstance(known, str):
        return Path(known)
    try:
        if cache_dir is not None:
            make_folder(Path(cache_dir))
        _knock(ENDPOINT)
        return Path(hf_hub_download(repository, file, cache_dir=cache_dir, revision=revision))
    except Exception as error:
        raise EmbedderError(
            f"The model {path} is not on this machine and cannot be downloaded "
            f"({type(error).__name__}); connect to the internet once, or set "
            "memorySearch.local.modelPath to a GGUF file."
        ) from error


def _knock(url: str) -> None:
    """Fail at once without a network; the library would try for half a minute."""
    if any(getproxies().get(kind) for kind in ("https", "http", "all")):
        return
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_SECONDS).close()
