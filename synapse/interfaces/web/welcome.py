"""`GET /`: what a person who opens the server in a browser can do next."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

_HEADERS: Final = {
    # Nothing is loaded and nothing runs: the page is text and one link.
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "vary": "accept",
}
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>synapse</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
</head>
<body>
<h1>synapse</h1>
<p>This memory is running. Agents use it; there is no page to read it in a browser.</p>
<dl>
<dt>MCP (Streamable HTTP)</dt><dd><code>{base}/mcp</code></dd>
<dt>MCP over SSE</dt><dd><code>{base}/sse</code></dd>
<dt>Health</dt><dd><a href="/health">{base}/health</a></dd>
</dl>
<p>Next: let an agent use it with <code>synapse connect claude-code</code>, or ask it yourself,
in a terminal in the folder of the notes, with <code>synapse card ID</code>.
<code>synapse --help</code> lists every command.</p>
</body>
</html>
"""


async def welcome(request: Request) -> Response:
    """The page, for whoever asks for one; a program is told what there is, as at any other wrong path."""
    if "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(404)
    base = escape(str(request.base_url).rstrip("/"))
    return HTMLResponse(_PAGE.format(base=base), headers=_HEADERS)
