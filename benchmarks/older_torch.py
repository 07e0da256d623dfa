"""What is read from logs of torch 2.4 to 2.15, beside what torch counted: reports/older_torch.md.

    python benchmarks/older_torch.py > reports/older_torch.md

The logs are those of tests/unit/data/older_torch, which tests/compile/older_torch.py records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.run.summary import summarize
from inspector.trace.guard_trees import read_guards

DATA = Path(__file__).parents[1] / "tests" / "unit" / "data" / "older_torch"
HEAD = """\
# Logs of older torch

Written by `benchmarks/older_torch.py`. With each release, `tests/compile/older_torch.py` ran 13
small programs (backend `eager`, Python 3.11, no GPU) under plain `TORCH_TRACE` and counted in the
same process: graph breaks by the reasons that Dynamo attaches to the graphs that it ends, and by
torch's `graph_breaks` log where no graph was ended; recompiles by its `recompiles` log; versions by
its cache; guards by the live trees of these versions; compile time by its metrics. Each cell: what
`inspect` reads / what torch counted.

| torch | graph breaks | recompiles | refused at the limit | kept then | guards | compile time, ms |
|---|--:|--:|--:|--:|--:|--:|
"""
TAIL = """
- Torch 2.4 and 2.5 log no graph breaks. They are read from restart reasons and from the names of
  the functions that Dynamo makes after a break (`parsed`). A break in a loop makes Dynamo skip the
  function, and leaves nothing in these logs: that is the one that is missing.
- Torch 2.4 logs nothing of a call that the limit refuses; what follows from eight versions is in
  `inspect guards`. Torch 2.4 and 2.5 drop the versions at the limit; later releases keep them.
- Guards are compared where the cache still has the versions.
- Torch 2.4 logs no spans: the times of its metrics are shown, and of backward graphs it logs none.
  Later, compile time is the union of torch's spans, which begin before what the metrics measure and
  end after it.
"""


def main() -> None:
    """Prints the report."""
    versions = sorted(DATA.glob("*.json"), key=lambda path: [*map(int, path.stem.split("."))])
    print(HEAD + "\n".join(map(_row, versions)) + "\n" + TAIL, end="")


def _row(path: Path) -> str:
    said: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))
    with opened(path.with_suffix(".log.gz")) as recording:
        run = read_run(recording)
        cells = [" / ".join(map(str, pair)) for pair in _pairs(run, said)]
    return f"| {path.stem} | " + " | ".join(cells) + " |"


def _pairs(run: Run, said: Mapping[str, dict[str, Any]]) -> Iterator[tuple[object, object]]:
    summary, limited = summarize(run), said["at_the_limit"]
    breaks = sum(
        len(each["graph_break_lines"] or each["graph_breaks_logged"]) for each in said.values()
    )
    yield summary.graph_breaks, breaks
    messages = sum(each["recompile_messages"] for each in said.values())
    yield summary.recompiles, messages - 1  # one of the messages is that of the refused call
    # Dynamo asks for a compilation once more than the limit allows.
    yield summary.recompile_limit_hits, limited["recompile_messages"] + 1 - limited["graphs"]
    limits = [item.recompile.limit for item in run.compilations
              if item.recompile and item.recompile.limit]  # fmt: skip
    kept = "-" if not limits else 8 if limits[0].keeps_versions else 0
    yield kept, limited["versions"]
    yield _guards(run, said), sum(sum(each["guards"]) for each in said.values())
    told_s = sum(time or 0 for each in said.values() for time in each["compile_s"])
    yield round(summary.compile_time_ns / 1e6), round(1e3 * told_s)


def _guards(run: Run, said: Mapping[str, dict[str, Any]]) -> int:
    kept = {
        {"Layers": "forward"}.get(name, name) for name, each in said.items() if each["versions"]
    }
    return sum(
        len(read_guards(item.guards_text).guards)
        for frame in run.processes[0].frames
        if frame.name in kept
        for item in frame.compilations
        if item.guards_text
    )


if __name__ == "__main__":
    main()
