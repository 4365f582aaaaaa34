"""Only the browser that opened the launch link comes in, and only from the page itself."""

from __future__ import annotations

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.types import Message

from memdown.web.app import create_app
from memdown.web.guard import HEADERS, Access
from memdown.web.serving import link
from memdown.web.site import Site
from web.conftest import client_for
from web.live import launch_link

PAGES = ("/", "/notes", "/notes/MEMORY.md", "/health", "/sessions", "/hits?q=router")
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
    assert client.get("/", params={"code": token}).status_code == 401
    assert (
        client.get(
            "/api/notes", headers={b"authorization": b"Bearer " + token.encode()}
        ).status_code
        == 401
    )
    client.cookies.set(site.access.cookie, "wrong")
    assert client.get("/").status_code == 401


def test_the_launch_link_becomes_a_strict_cookie(site: Site) -> None:
    code = launch_link(site).partition("code=")[2]
    answer = client_for(site, launch=False).get(f"/notes/caf%C3%A9.md?code={code}&year=2026")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert site.access.cookie == "memdown_7117"
    for secret in (site.access.token, code):
        assert secret not in cookie
        assert secret not in answer.text
    assert 'url=/notes/caf%C3%A9.md?year=2026"' in answer.text


def test_the_launch_link_lets_one_browser_in_once(site: Site) -> None:
    """Whoever finds it later, in a history or a log, finds a link that opens nothing."""
    link = launch_link(site)
    first = client_for(site, launch=False)
    assert first.get(link).status_code == 200
    again = client_for(site, launch=False).get(link)
    assert again.status_code == 401
    assert "memdown serve --link" in again.text
    assert "set-cookie" not in again.headers
    assert first.get(link).status_code == 200, "a reload in the browser that is in does no harm"
    assert first.get("/notes").status_code == 200


def test_a_link_is_not_used_up_by_a_request_that_is_refused(site: Site) -> None:
    link = launch_link(site)
    client = client_for(site, launch=False)
    assert client.get(link, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get(link, headers={"host": "evil.example:7117"}).status_code == 421
    assert client.head(link).status_code == 401
    assert client.get(link).status_code == 200


def test_the_token_for_programs_opens_no_page(site: Site) -> None:
    """It lasts as long as the server, so it must not be something that stands in addresses."""
    for name in ("token", "code"):
        answer = client_for(site, launch=False).get(f"/?{name}={site.access.token}")
        assert answer.status_code == 401


def test_the_launch_link_leads_only_to_this_server(site: Site) -> None:
    """A path that begins with two slashes would be another host."""
    answer = client_for(site, launch=False).get(
        launch_link(site).replace("7117/?", "7117//evil.example/?")
    )
    assert 'url=/evil.example/"' in answer.text


def test_programs_may_send_the_token_itself(site: Site) -> None:
    client = client_for(site, launch=False)
    client.headers["authorization"] = f"Bearer {site.access.token}"
    assert client.get("/api/notes").status_code == 200
    assert client.post("/api/preview", json={"text": "x"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:7117", "127.0.0.1:80", "127.0.0.1", "localhost:1", ""),
        *(
            "[::",
            "127.0.0.1:7117/static/?",
            "127.0.0.1:7117#",
            "a@127.0.0.1:7117",
            "127.0.0.1:7117?",
        ),
        *(
            "127.0.0.1:7117/",
            "127.0.0.1\t:7117",
            "127.0.0.1:7117,evil.example",
            "127.0.0.1:0007117",
        ),
    ],
)
def test_another_host_name_is_refused(site: Site, host: str) -> None:
    """A name that someone points at 127.0.0.1 must not reach the notes (DNS rebinding)."""
    assert client_for(site).get("/", headers={"host": host}).status_code == 421


def ask(site: Site, path: str, *hosts: str) -> int:
    """The status of a request as it comes from the wire, with any headers."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", host.encode()) for host in hosts],
        "server": ("127.0.0.1", 7117),
    }
    statuses: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def main() -> None:
        await create_app(site)(scope, receive, send)

    # In a thread: a browser of other tests may keep an event loop running in this one.
    with start_blocking_portal() as portal:
        portal.call(main)
    return statuses[0]


@pytest.mark.parametrize("host", ["127.0.0.1:7117/static/?", "127.0.0.1:7117/static/#"])
def test_the_host_does_not_decide_which_path_is_public(
    site: Site, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starlette before 1.0.1 builds `request.url` so, and then `.path` is what the Host says."""
    monkeypatch.setattr(
        Request,
        "url",
        property(lambda request: URL(f"http://{request.headers['host']}{request.scope['path']}")),
    )
    assert ask(site, "/api/notes/MEMORY.md", host) == 421
    monkeypatch.setattr(Access, "knows_host", lambda *_: True)
    assert ask(site, "/api/notes/MEMORY.md", host) == 401


def test_a_request_names_one_host(site: Site) -> None:
    assert ask(site, "/", "127.0.0.1:7117", "evil.example") == 421
    assert ask(site, "/") == 421


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
    assert link("0.0.0.0", 7117, "x") == "http://127.0.0.1:7117/?code=x"
    assert link("::1", 7117, "x") == "http://[::1]:7117/?code=x"


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:7117"),
        *("http://[", "http://127.0.0.1:7117/", "", "http://127.0.0.1:port", "//["),
    ],
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
