"""The process that compiles kernels: a request in, lines of JSON out."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from inspector.capture.builds.build import build_kernels
from inspector.capture.builds.compiling import Source
from inspector.capture.builds.store import Store

_LIMIT_BYTES = 1 << 30


def main() -> int:
    """Reads the request from standard input, and writes results to standard output.

    Each line out has either ``progress`` or ``build``.
    The request is an object: ``kernels``, a list of ``name`` and ``source``; ``folder``;
    ``workers``; ``time_limit_s``.
    Whatever else is printed here goes to standard error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    _serve(request, out)
    out.close()
    return 0


def _serve(request: dict[str, Any], out: TextIO) -> None:
    store = Store(Path(request["folder"]), _LIMIT_BYTES)
    sources = [Source(entry["name"], entry["source"]) for entry in request["kernels"]]
    payloads = build_kernels(
        sources,
        store,
        workers=request["workers"],
        time_limit_s=request["time_limit_s"],
        on_progress=lambda done, of, name: _say(
            out, {"progress": {"done": done, "of": of, "name": name}}
        ),
    )
    for payload in payloads:
        _say(out, {"build": payload})


def _say(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()
