"""What recompiles next: what is predicted against what torch does.

Hypothesis draws programs, call histories and single changes from a fixed seed
(benchmarks/what_if_cases). Each change is predicted from the recording of the calls alone, and then
made. A class is a kind of change; a case is right where torch compiles exactly if that was
predicted. "becomes" is right where what changed is afterwards dynamic, or a constant, as predicted.

    python benchmarks/what_if.py [--seed 11] [--count 420] [-o reports/what_if.md]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_LEAST = 0.95


@dataclasses.dataclass(frozen=True)
class Row:
    """One kind of change.

    Attributes:
        kind: The kind.
        counts: Right and wrong predictions, by (predicted, happened).
        becomes: Of the compilations that were predicted, how many became what was said.
    """

    kind: str
    counts: Counter[tuple[bool, bool]]
    becomes: int

    @property
    def precision(self) -> float | None:
        """Of the compilations that were predicted, how many happened."""
        return _share(self.counts[True, True], self.counts[True, False])

    @property
    def recall(self) -> float | None:
        """Of the compilations that happened, how many were predicted."""
        return _share(self.counts[True, True], self.counts[False, True])


def _share(right: int, wrong: int) -> float | None:
    return right / (right + wrong) if right + wrong else None


def cases(seed: int, count: int, python: str = sys.executable) -> list[dict[str, Any]]:
    """Runs generated cases in one child process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-W", "ignore", "-m", "benchmarks.what_if_cases.harness"]
        done = subprocess.run(
            [*command, str(seed), str(count), folder],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def table(found: Sequence[dict[str, Any]]) -> list[Row]:
    """The cases by kind of change."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for item in found:
        if "invalid" not in item:
            kinds.setdefault(item["kind"], []).append(item)
    return [
        Row(
            kind=kind,
            counts=Counter((item["predicted"], item["actual"]) for item in items),
            becomes=sum(
                item["becomes"] == item["became"]
                for item in items
                if item["predicted"] and item["actual"]
            ),
        )
        for kind, items in kinds.items()
    ]


def wrong(found: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cases in which torch did something else."""
    for item in found:
        if "invalid" in item:
            continue
        both = item["predicted"] and item["actual"]
        if item["predicted"] != item["actual"] or (both and item["becomes"] != item["became"]):
            yield item


def lines(found: Sequence[dict[str, Any]], seed: int, torch: str) -> Iterator[str]:
    """The report."""
    rows = table(found)
    valid = sum(sum(row.counts.values()) for row in rows)
    yield "# What recompiles next: predicted and seen"
    yield ""
    yield (
        f"{valid} single changes after 1 to 4 calls of programs that Hypothesis drew (seed {seed}, "
        f"torch {torch}); `python benchmarks/what_if.py` makes this table. A change that the "
        f"program cannot run with was left out ({len(found) - valid} of them)."
    )
    yield ""
    yield "| change | cases | compiles | precision | recall | becomes as said |"
    yield "|:--|--:|--:|--:|--:|--:|"
    for row in rows:
        happened = row.counts[True, True] + row.counts[False, True]
        yield (
            f"| {row.kind} | {sum(row.counts.values())} | {happened} | {_percent(row.precision)} "
            f"| {_percent(row.recall)} | {row.becomes} of {row.counts[True, True]} |"
        )
    yield ""
    for item in wrong(found):
        said = item["becomes"] if item["predicted"] else "no compilation"
        saw = item["became"] if item["actual"] else "no compilation"
        yield (
            f"- wrong: {item['kind']}, `{item['used']}`, from `{item['from']}` to `{item['to']}` "
            f"after {item['history']}: said {said}, seen {saw}"
        )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def is_good(found: Sequence[dict[str, Any]]) -> bool:
    """Whether every class has at least 95 % precision and recall."""
    return all(
        value is None or value >= _LEAST
        for row in table(found)
        for value in (row.precision, row.recall)
    )


def main() -> int:
    """Prints the table, and writes it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--count", type=int, default=420)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    found = cases(options.seed, options.count, options.python)
    version = "import torch; print(torch.__version__)"
    torch = subprocess.run(
        [options.python, "-c", version], check=True, capture_output=True, text=True
    ).stdout.strip()
    text = "\n".join(lines(found, options.seed, torch)).rstrip() + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)
    return 0 if is_good(found) else 1


if __name__ == "__main__":
    sys.exit(main())
