"""Add HTTP headers to all responses, so that the app cannot be framed and loads nothing from other hosts.

Streamlit sends almost no such headers. The policy allows only what its pages need: the one inline script (by
its fingerprint), inline styles, workers, pictures made in the browser, and the preview of the report. No
other host is allowed. So the pages work without a network, and an injected script can neither run nor send
rows elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import streamlit

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def fingerprints(page: str) -> tuple[str, ...]:
    """Return the sources of a content security policy that allow exactly the inline scripts of a page."""
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


_PAGE = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")

POLICY = {
    "default-src": "'self'",
    "script-src": " ".join(("'self'", "'wasm-unsafe-eval'", *fingerprints(_PAGE))),
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "data:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}


class Headers:
    """ASGI middleware that sets `HEADERS` on every HTTP response and replaces existing values."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def dressed(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = [(k, v) for k, v in message.get("headers", ()) if k.decode().lower() not in HEADERS]
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*kept, *added]}
            await send(message)

        await self.app(scope, receive, dressed if scope["type"] == "http" else send)
