"""Golden reports of the samples: what the tool writes for their recordings.

``python -m tests.golden`` says which of them differ, ``python -m tests.golden --regenerate`` writes
them anew. Only recordings are read, so neither needs torch.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from inspector import plugins
from inspector.commands import explain
from inspector.findings.report import Report, make_report
from inspector.sources.recording import opened, read_run

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FORMATS", "golden_path", "recordings", "rendered", "report_of"]

ROOT = Path(__file__).parent.parent
# Suffix of the golden file: the format, and the width where it has one.
FORMATS = {
    "80.txt": ("terminal", 80),
    "120.txt": ("terminal", 120),
    "json": ("json", 80),
    "md": ("markdown", 80),
}
# A new release alone changes no golden file.
_VERSION = "0.0.0+golden"


def recordings() -> list[Path]:
    """The recordings of the samples, in the order of their names."""
    return sorted(ROOT.glob("samples/*/recording.zip"))


def golden_path(recording: Path, suffix: str) -> Path:
    """Where the golden file of a sample is."""
    return ROOT / "reports" / recording.parent.name / f"explain.{suffix}"


def report_of(recording: Path) -> Report:
    """The report of a recording by all built-in rules."""
    rules = [import_module(name).RULE for name in plugins.ANALYSES]
    with opened(recording) as source:
        run = read_run(source)
    return make_report(run, rules, explain._next_steps(run))


def rendered(report: Report, suffix: str) -> str:
    """A report as its golden file has it: no colour, and no setting of this machine."""
    format_, width = FORMATS[suffix]
    stream = io.StringIO()
    renderer = plugins.load_renderer(format_)
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(width)}),
        mock.patch.object(renderer, "__version__", _VERSION, create=True),
    ):
        renderer.render(report, stream)
    return stream.getvalue()


def _differing() -> Iterator[tuple[Path, str]]:
    for recording in recordings():
        report = report_of(recording)
        for suffix in FORMATS:
            path, text = golden_path(recording, suffix), rendered(report, suffix)
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                yield path, text


def main(arguments: list[str]) -> int:
    """Compares or regenerates; returns 1 where a golden file differs."""
    regenerate = arguments == ["--regenerate"]
    if arguments and not regenerate:
        print(__doc__)
        return 2
    differing = list(_differing())
    for path, text in differing:
        if regenerate:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{'wrote' if regenerate else 'differs:'} {path.relative_to(ROOT)}")
    print(f"{len(recordings())} recordings, {len(differing)} golden files differed")
    return 1 if differing and not regenerate else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
