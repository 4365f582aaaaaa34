"""Only the browser that opened the launch link comes in, and only from the page itself."""

from __future__ import annotations

import pytest

from memdown.web.guard import HEADERS, Access
from memdown.web.site import Site
from web.conftest import client_for

PAGES = ("/", "/notes", "/notes/MEMORY.md", "/map", "/index", "/sessions", "/hits?q=router")
CALLS = ("/api/search?q=router", "/api/notes", "/api/notes/MEMORY.md", "/api/openapi.json")


@pytest.mark.parametrize("path", PAGES + CALLS)
def test_without_the_token_nothing_is_shown(site: Site, path: str) -> None:
    answer = client_for(site, launch=False).get(path)
    assert answer.status_code == 401
    assert "ER605" not in answer.text
    assert "memdown serve" in answer.text


@pytest.mark.parametrize("path", PAGES + CALLS)
def test_with_the_cookie_everything_is_shown(site: Site, path: str) -> None:
    assert client_for(site).get(path).status_code == 200


@pytest.mark.parametrize("token", ["", "x", "é", "a" * 5000])
def test_a_wrong_token_does_not_help(site: Site, token: str) -> None:
    client = client_for(site, launch=False)
    assert client.get("/", params={"token": token}).status_code == 401
    assert (
        client.get(
            "/api/notes", headers={b"authorization": b"Bearer " + token.encode()}
        ).status_code
        == 401
    )
    client.cookies.set(site.access.cookie, "wrong")
    assert client.get("/").status_code == 401


def test_the_launch_link_becomes_a_strict_cookie(site: Site) -> None:
    answer = client_for(site, launch=False).get(f"/notes?token={site.access.token}&year=2026")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert site.access.token not in cookie
    assert site.access.token not in answer.text
    assert 'url=/notes?year=2026"' in answer.text


def test_the_launch_link_leads_only_to_this_server(site: Site) -> None:
    """A path that begins with two slashes would be another host."""
    answer = client_for(site, launch=False).get(
        f"http://127.0.0.1:7117//evil.example/?token={site.access.token}"
    )
    assert 'url=/evil.example/"' in answer.text


def test_programs_may_send_the_token_itself(site: Site) -> None:
    client = client_for(site, launch=False)
    client.headers["authorization"] = f"Bearer {site.access.token}"
    assert client.get("/api/notes").status_code == 200
    assert client.post("/api/preview", json={"text": "x"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:7117", "127.0.0.1:80", "127.0.0.1", "localhost:1", "", "[::"],
)
def test_another_host_name_is_refused(site: Site, host: str) -> None:
    """A name that someone points at 127.0.0.1 must not reach the notes (DNS rebinding)."""
    assert client_for(site).get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:7117", "127.0.0.1:7117", "[::1]:7117"])
def test_the_names_of_this_machine_are_known(site: Site, host: str) -> None:
    client = client_for(site)
    del client.headers["origin"]
    assert client.get("/", headers={"host": host}).status_code == 200


def test_beyond_this_machine_addresses_are_known_but_names_must_be_given() -> None:
    access = Access(7117, "0.0.0.0", ("my-mac.local",))
    assert access.knows_host("192.168.1.7:7117")
    assert access.knows_host("my-mac.local:7117")
    assert not access.knows_host("evil.example:7117")
    assert access.url().startswith("http://127.0.0.1:7117/")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:7117"]
)
def test_another_origin_is_refused(site: Site, origin: str) -> None:
    client = client_for(site)
    client.headers["origin"] = origin
    assert client.get("/api/notes").status_code == 403
    assert client.post("/api/entries", json={"text": "x"}).status_code == 403


def test_a_request_from_another_site_without_an_origin_is_refused(site: Site) -> None:
    client = client_for(site)
    del client.headers["origin"]
    for kind in ("cross-site", "same-site"):
        assert client.get("/api/notes", headers={"sec-fetch-site": kind}).status_code == 403
    assert client.post("/api/entries", json={"text": "x"}).status_code == 403


def test_a_change_needs_the_page_s_own_token(site: Site) -> None:
    client = client_for(site)
    for wrong in ("", "x", site.access.session):
        client.headers["x-memdown-csrf"] = wrong
        assert client.post("/api/entries", json={"text": "x"}).status_code == 403
        assert (
            client.put("/api/notes/MEMORY.md", json={"text": "", "base": None}).status_code == 403
        )
        assert client.post("/api/sync", json={}).status_code == 403
    assert (site.folder / "MEMORY.md").read_text().startswith("# Memory")


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/api/notes", "/api/nowhere", "/static/memdown.css"]
)
def test_every_answer_has_the_headers(site: Site, path: str) -> None:
    for client in (client_for(site), client_for(site, launch=False)):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_no_page_has_inline_script_or_style(site: Site) -> None:
    """The policy would block it; this says so before a browser does."""
    client = client_for(site)
    for path in PAGES:
        text = client.get(path).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick" not in text
        assert text.count("<script") == text.count("<script src=")


def test_two_servers_do_not_share_a_cookie() -> None:
    assert Access(1).cookie != Access(2).cookie
    assert Access(1).token != Access(1).token
