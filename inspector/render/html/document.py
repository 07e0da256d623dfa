"""The file: a template, the app, and the data in chunks that the browser inflates on demand."""

import base64
import hashlib
import html
import importlib.resources
import zlib

import orjson

from inspector.render.html.data import Data
from inspector.report.json.encode import cleaned

_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript; it loads nothing.</noscript></div>
{chunks}
<script>{script}</script>
</body>
</html>
"""


def document(data: Data, title: str) -> str:
    """The page as one HTML file.

    The policy lets nothing run but the app, and nothing be loaded: neither by the app nor by text
    that was recorded.
    """
    script, style = _bundled("app.js"), _bundled("app.css")
    policy = (
        "default-src 'none'; "
        f"script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )
    chunks = "\n".join(
        f'<script type="application/octet-stream" id="chunk-{name}">{_packed(value)}</script>'
        for name, value in {"index": data.index, **data.chunks}.items()
    )
    return _TEMPLATE.format(
        policy=policy, title=html.escape(title), style=style, chunks=chunks, script=script
    )


def _packed(value: object) -> str:
    """Deflated JSON in base 64, which no recorded text can end."""
    return base64.b64encode(zlib.compress(orjson.dumps(cleaned(value)), 9)).decode()


def _bundled(name: str) -> str:
    folder = importlib.resources.files("inspector.render.html") / "bundle"
    return folder.joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
