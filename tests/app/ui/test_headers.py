"""Every answer carries the headers; the policy allows Streamlit's own page and no other host."""

import asyncio
import re
from pathlib import Path
from typing import Any

import streamlit

from synth.app.ui import headers
from synth.app.ui.headers import HEADERS, POLICY, Headers

ROOT = Path(__file__).parents[3]


def answer(scope: dict[str, Any], given: list[tuple[bytes, bytes]]) -> list[dict[str, Any]]:
    """What a client gets from an app that answers with these headers."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": given})
        await send({"type": "http.response.body", "body": b"x"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Headers(app)(scope, None, send))
    return sent


def test_every_header_is_there_once_and_a_weaker_one_is_replaced() -> None:
    start, body = answer({"type": "http"}, [(b"X-Frame-Options", b"SAMEORIGIN"), (b"etag", b"1")])
    names = [name.decode().lower() for name, _ in start["headers"]]
    assert len(names) == len(set(names)) == len(HEADERS) + 1
    assert dict(start["headers"])[b"x-frame-options"] == b"DENY"
    assert body["body"] == b"x"


def test_the_policy_names_no_other_host_and_no_free_script() -> None:
    assert not re.search(r"https?:|\*", HEADERS["content-security-policy"])
    assert "unsafe-inline" not in POLICY["script-src"]
    assert "'unsafe-eval'" not in POLICY["script-src"]


def test_streamlits_own_inline_script_is_allowed_by_its_fingerprint() -> None:
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text()
    found = headers.fingerprints(page)
    assert page.count("<script>") == len(found) > 0
    assert all(source in POLICY["script-src"] for source in found)
    assert headers.fingerprints(page.replace("<script>", "<script>//")) != found


def test_the_server_wears_them() -> None:
    text = (ROOT / "synth" / "app" / "ui" / "serve.py").read_text()
    assert "Middleware(Headers)" in text
    assert "on_script_error=guards.report" in text
