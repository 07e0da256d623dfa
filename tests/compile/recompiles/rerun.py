"""Runs mended programs, and counts what is compiled.

``python -m tests.compile.recompiles.rerun FOLDER`` reads ``mended.json`` there and writes
``counts.json``: compilations by program, or what it raised.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from tests.compile.recompiles.child import PROGRAMS, compilations


def main(folder: Path) -> None:
    """Runs each behind a reset."""
    counts: dict[str, int | str] = {}
    for name, mended in json.loads((folder / "mended.json").read_text(encoding="utf-8")).items():
        torch._dynamo.reset()
        torch.manual_seed(0)
        try:
            counts[name] = _count(name, mended)
        except Exception as error:  # noqa: BLE001 - whatever a program raises
            counts[name] = f"{type(error).__name__}: {error}"
    (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")


def _count(name: str, mended: dict[str, Any]) -> int:
    scope = dict(PROGRAMS[name].run.__globals__)
    exec(compile(mended["source"], f"<{name}, mended>", "exec"), scope)  # noqa: S102 - our programs
    with contextlib.ExitStack() as settings:
        settings.enter_context(torch._dynamo.config.patch(mended["config"]))
        if mended["sources"]:
            patch = torch.compiler.config.patch(dynamic_sources=mended["sources"])
            settings.enter_context(patch)
        return compilations(scope[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
