"""Which address, key and headers a provider is used with: who wins, and which host a key is for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import urlsplit

from memdown.embedders.options import EmbeddingEndpoint
from memdown.errors import ConfigError
from memdown.values import dataclass, pattern

# Names of headers whose values let someone in. They are sent, but never hashed, shown or logged.
_SECRET_NAME = pattern(r"auth|key|token|secret|cookie|passw|credential|signature", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Vendor:
    """A provider that is reached by HTTP: its own address, its default model, where keys are."""

    base_url: str
    model: str
    variables: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    needs_key: bool = True


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor(
        "https://api.openai.com/v1", "text-embedding-3-small", ("OPENAI_API_KEY",), ("openai",)
    ),
    "gemini": Vendor(
        "https://generativelanguage.googleapis.com/v1beta",
        "gemini-embedding-001",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("google", "gemini"),
    ),
    "voyage": Vendor(
        "https://api.voyageai.com/v1", "voyage-4-large", ("VOYAGE_API_KEY",), ("voyage",)
    ),
    "ollama": Vendor(
        "http://127.0.0.1:11434", "nomic-embed-text", (), ("ollama",), needs_key=False
    ),
}


@dataclass(frozen=True, slots=True)
class Given:
    """What one place of the settings says of a provider."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def resolve(
    provider: str,
    remote: Given,
    sections: Mapping[str, Given],
    environ: Mapping[str, str],
    profiles: Mapping[str, str] | None = None,
) -> EmbeddingEndpoint:
    """The endpoint of a provider.

    `remote` wins over the key in an auth profile, that over the provider's own section, and that
    over the environment. A key goes only
    to the host it was written for: one in a section or profile to that section's address, one in the
    environment to the vendor's own. One in `remote` goes wherever `remote` leads.
    """
    vendor = VENDORS.get(provider, Vendor("", "", (), (provider,), needs_key=False))
    name, section = next(
        ((name, sections[name]) for name in vendor.sections if name in sections),
        (vendor.sections[0], Given()),
    )
    _check_url("memorySearch.remote.baseUrl", remote.base_url)
    _check_url(f"models.providers.{name}.baseUrl", section.base_url)
    own_url = section.base_url or vendor.base_url
    base_url = (remote.base_url or own_url).rstrip("/")
    kept = profiles or {}
    offers = [
        ("memorySearch.remote.apiKey", remote.api_key, base_url),
        *(
            (f"the auth profile of {one}", kept[one], own_url)
            for one in vendor.sections
            if one in kept
        ),
        (f"models.providers.{name}.apiKey", section.api_key, own_url),
        *(
            (variable, environ.get(variable, "").strip(), vendor.base_url)
            for variable in vendor.variables
        ),
    ]
    found = [(source, key, same_host(url, base_url)) for source, key, url in offers if key]
    source, key = next(((source, key) for source, key, fits in found if fits), (None, None))
    withheld = None if key else next((source for source, _, fits in found if not fits), None)
    return EmbeddingEndpoint(
        base_url=base_url,
        api_key=key,
        headers=_headers(remote, section, same_host(own_url, base_url)),
        key_source=source,
        withheld=withheld,
        is_default=same_host(base_url, vendor.base_url),
    )


def lets_in(endpoint: EmbeddingEndpoint) -> bool:
    """Whether the endpoint has a key, or a header that serves as one."""
    return endpoint.api_key is not None or any(is_secret(name) for name in endpoint.headers)


def host(url: str) -> str:
    """The host of an address, with its port unless that is the usual one; for people to read."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}:{parts.port}" if parts.port else parts.hostname or ""


def same_host(first: str, second: str) -> bool:
    """Whether two addresses lead to the same host and port."""
    return bool(first) and _origin(first) == _origin(second)


def is_secret(header: str) -> bool:
    """Whether a header's value must be kept to ourselves."""
    return _SECRET_NAME.search(header) is not None


def provider_key(
    provider: str, model: str, base_url: str, headers: Mapping[str, str], *more: str
) -> str:
    """A digest of everything that may change the vectors; no secret goes into it."""
    shown = sorted((name.lower(), value) for name, value in headers.items() if not is_secret(name))
    data = json.dumps([provider, base_url, model, shown, *more], ensure_ascii=False)
    return hashlib.sha256(data.encode()).hexdigest()


def _check_url(name: str, url: str | None) -> None:
    if not url:
        return
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise ConfigError(
            f"{name} is not an address; write it like https://api.openai.com/v1 or "
            "http://127.0.0.1:1234/v1."
        )


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    default = 443 if parts.scheme == "https" else 80
    return parts.scheme, (parts.hostname or "").lower(), parts.port or default


def _headers(remote: Given, section: Given, section_fits: bool) -> dict[str, str]:
    """Both sets of headers, names compared without case; secrets stay with their host."""
    merged: dict[str, tuple[str, str]] = {}
    for given, fits in ((section, section_fits), (remote, True)):
        for name, value in given.headers.items():
            if fits or not is_secret(name):
                merged[name.lower()] = (name, value)
    return dict(merged.values())
