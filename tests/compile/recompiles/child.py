"""Runs all programs in one process, which is recorded.

``python -m tests.compile.recompiles.child FOLDER``: the argument is the recording's folder. What a
program raises is written to ``errors.json`` there, and how often each compiled to ``counts.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from inspector.capture.log.environment import environment
from inspector.capture.recording.handler import attach
from inspector.capture.writer import emit
from tests.compile.recompiles.all_programs import PROGRAMS

__all__ = ["PROGRAMS", "compilations"]

ROOT = Path(__file__).resolve().parents[3]


def main(folder: Path) -> None:
    """Runs every program behind a reset, so that none sees another's cache entries."""
    attach(folder, project=ROOT)
    emit(environment(ROOT, asks_for_gpus=False))
    errors: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, program in PROGRAMS.items():
        torch._dynamo.reset()
        torch.manual_seed(0)
        try:
            counts[name] = compilations(program.run)
        except Exception as error:  # noqa: BLE001 - whatever a program raises
            errors[name] = f"{type(error).__name__}: {error}"
    (folder / "errors.json").write_text(json.dumps(errors), encoding="utf-8")
    (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")


def compilations(run: Callable[[], None]) -> int:
    """How often Dynamo begins to compile a function while a program runs."""
    counted = torch._dynamo.utils.counters["frames"]
    before = counted["total"]
    run()
    return int(counted["total"] - before)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
