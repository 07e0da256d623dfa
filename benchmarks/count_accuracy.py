"""Are the counts right? The tool and torch._dynamo.explain against torch's own log.

For every break case of tests/compile/cases, every sample and some seventy small
transformers models, three processes run one after another:

- truth: stock torch.compile (eager backend); records and sites are read from its
  structured trace, graphs from ``counters["stats"]["unique_graphs"]``;
- tool: ``inspect explain TARGET --format json``;
- peer: ``torch._dynamo.explain``.

    python benchmarks/count_accuracy.py --output reports/count_accuracy.md
    python benchmarks/count_accuracy.py --kind transformers --only bert --no-peer
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.transformers_models import SPECS  # noqa: E402 - the checkout is not installed
from tests.compile import truth  # noqa: E402 - same
from tests.compile.cases import CASES, Case  # noqa: E402 - same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TOOL_TIMEOUT_S = 600
KINDS = ("cases", "samples", "transformers")
TARGET = """\
import sys

sys.path.insert(0, {root!r})
from benchmarks.transformers_models import build

model, example_inputs = build({name!r})
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """Something to measure: its kind, its name in the table and how it is run."""

    kind: str
    name: str
    case: Case


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """What one of the three says; None where it does not say it."""

    graphs: int | None = None
    records: int | None = None
    sites: int | None = None
    lines: frozenset[tuple[str, int]] | None = None
    failure: str | None = None

    def cells(self) -> str:
        """Graphs / records / sites, or why there are none."""
        if self.failure:
            return self.failure
        told = (self.graphs, self.records, self.sites)
        return " / ".join("-" if count is None else str(count) for count in told)


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One subject, measured."""

    subject: Subject
    truth: Counts
    tool: Counts
    peer: Counts


@dataclasses.dataclass(frozen=True, slots=True)
class Score:
    """How often one column was right, over the subjects that it could answer.

    Attributes:
        asked: Subjects with a truth that this column applies to.
        failed: Those among them that it gave no answer for.
        right: Right answers by name of the count.
    """

    asked: int
    failed: int
    right: dict[str, int]


def subjects(folder: Path, kinds: Iterable[str], only: str) -> Iterator[Subject]:
    """What to measure; files for the transformers models are written to a folder."""
    for kind in kinds:
        for subject in SOURCES[kind](folder):
            if only in subject.name:
                yield subject


def case_subjects(folder: Path) -> Iterator[Subject]:
    """The corpus of break cases."""
    del folder
    return (Subject("cases", case.id, case) for case in CASES)


def sample_subjects(folder: Path) -> Iterator[Subject]:
    """Every samples/<name>/model.py that runs without a GPU."""
    del folder
    paths = sorted((ROOT / "samples").glob("*/model.py"))
    for path in (path for path in paths if path.parent.name != "user_triton_kernel"):
        yield Subject("samples", path.parent.name, Case(str(path), inputs=()))


def model_subjects(folder: Path) -> Iterator[Subject]:
    """A target file for every transformers model."""
    for name in SPECS:
        path = folder / f"{name}.py"
        path.write_text(TARGET.format(root=str(ROOT), name=name), encoding="utf-8")
        yield Subject("transformers", name, Case(str(path), inputs=()))


SOURCES: dict[str, Callable[[Path], Iterator[Subject]]] = {
    "cases": case_subjects,
    "samples": sample_subjects,
    "transformers": model_subjects,
}


def true_counts(subject: Subject, expected: dict[str, truth.Truth]) -> Counts:
    """The truth, from the checked-in file where it has the subject."""
    try:
        told = expected.get(subject.case.id) or truth.observe(subject.case)
    except (truth.TruthError, subprocess.TimeoutExpired) as error:
        return Counts(failure=first_line(error))
    lines = frozenset((PurePath(site.file).name, site.line) for site in told.sites)
    return Counts(told.graphs, told.records, len(told.sites), lines)


def tool_counts(subject: Subject, folder: Path) -> Counts:
    """What ``inspect explain`` says."""
    command = (sys.executable, str(ROOT / "cli.py"), "explain", *subject.case.arguments)
    try:
        done = subprocess.run(
            [*command, "--format", "json", "--no-progress"],
            env=os.environ | {"INSPECTOR_DIR": str(folder / "recordings")},
            capture_output=True,
            text=True,
            timeout=TOOL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Counts(failure="timed out")
    try:
        return read_report(json.loads(done.stdout))
    except (ValueError, KeyError):
        # A target that raises has no report where the tool has nothing to say of it.
        said = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return Counts(failure=f"tool not available: exit {done.returncode}, {said}"[:120])


def read_report(report: dict[str, Any]) -> Counts:
    """The counts in the tool's JSON, and the places of its graph-break findings."""
    summary = report["summary"]
    places = [
        (PurePath(finding["file"]).name, finding["line"])
        for finding in report["findings"]
        if finding.get("records") and finding.get("file") and finding.get("line")
    ]
    return Counts(
        summary["graphs"],
        summary["graph_breaks"],
        summary["distinct_graph_breaks"],
        frozenset(places),
    )


def peer_counts(subject: Subject) -> Counts:
    """What ``torch._dynamo.explain`` says; it knows no sites."""
    if subject.case.options:
        return Counts(failure="n/a")
    try:
        told = truth.explain(subject.case)
    except (truth.TruthError, subprocess.TimeoutExpired) as error:
        return Counts(failure=first_line(error))
    if told.exception:
        return Counts(failure=told.exception)
    return Counts(told.graphs, told.graph_breaks)


def first_line(error: Exception) -> str:
    """An error as a cell of the table."""
    return str(error).strip().partition("\n")[0].replace("|", "/")[:120]


def score(rows: list[Row], column: str) -> Score:
    """How often a column (``tool`` or ``peer``) agrees with the truth."""
    asked = [row for row in rows if not row.truth.failure and getattr(row, column).failure != "n/a"]
    answered = [row for row in asked if not getattr(row, column).failure]
    names = ("graphs", "records", "sites")
    right = {name: sum(agrees(row, column, (name,)) for row in answered) for name in names}
    right["all"] = sum(agrees(row, column, names) for row in answered)
    right["lines"] = sum(lines_found(row, column) for row in answered)
    return Score(len(asked), len(asked) - len(answered), right)


def agrees(row: Row, column: str, names: tuple[str, ...]) -> bool:
    """Whether these counts of a column are those of the truth."""
    told = getattr(row, column)
    return all(getattr(told, name) == getattr(row.truth, name) for name in names)


def lines_found(row: Row, column: str) -> bool:
    """Whether every true (file, line) is among the column's findings."""
    told: Counts = getattr(row, column)
    return told.lines is not None and (row.truth.lines or frozenset()) <= told.lines


def summary_table(rows: list[Row]) -> list[str]:
    """The totals, by kind and over all."""
    lines = [
        "| subjects | who | asked | no answer | graphs | records | sites | lines | all three |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    measured = [kind for kind in KINDS if any(row.subject.kind == kind for row in rows)]
    for kind in (*measured, "all"):
        chosen = [row for row in rows if kind in (row.subject.kind, "all")]
        if len(measured) > 1 or kind != "all":
            lines += [score_line(kind, "inspect explain", score(chosen, "tool"), sites=True)]
            lines += [score_line(kind, "torch._dynamo.explain", score(chosen, "peer"), sites=False)]
    return lines


def score_line(kind: str, who: str, said: Score, *, sites: bool) -> str:
    """One row of the totals; the peer has no sites."""
    right = said.right
    rest = (right["sites"], right["lines"], right["all"]) if sites else ("-", "-", "-")
    cells = (kind, who, said.asked, said.failed, right["graphs"], right["records"], *rest)
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def detail_table(rows: list[Row]) -> list[str]:
    """Every subject; a mark where the tool differs from the truth."""
    lines = [
        "| subject | truth | inspect explain | torch._dynamo.explain | |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        name = f"`{row.subject.name}`"
        cells = (name, row.truth.cells(), row.tool.cells(), row.peer.cells(), mark(row))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def mark(row: Row) -> str:
    """What is wrong with the tool's answer, if anything."""
    if row.truth.failure:
        return "no truth"
    if row.tool.failure:
        return "no answer"
    if not agrees(row, "tool", ("graphs", "records", "sites")):
        return "**differs**"
    return "" if lines_found(row, "tool") else "**lines differ**"


REPORT = """\
# Counts of graphs and graph breaks

{torch}, {transformers}, Python {python}. Written by `benchmarks/count_accuracy.py`.

Each cell of the second table is graphs / records / sites. The truth is stock torch's own log.
`torch._dynamo.explain` knows no sites, takes one call and no options.

{totals}

{details}
"""


def render(rows: list[Row]) -> str:
    """The whole report as Markdown."""
    return REPORT.format(
        torch=installed("torch"),
        transformers=installed("transformers"),
        python=platform.python_version(),
        totals="\n".join(summary_table(rows)),
        details="\n".join(detail_table(rows)),
    )


def installed(package: str) -> str:
    """A package and its version."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def measure(subject: Subject, folder: Path, options: argparse.Namespace) -> Row:
    """Run the three on one subject, one after another."""
    expected = truth.load_expected() if options.expected else {}
    skipped = Counts(failure="n/a")
    row = Row(
        subject,
        true_counts(subject, expected),
        skipped if options.no_tool else tool_counts(subject, folder),
        skipped if options.no_peer else peer_counts(subject),
    )
    print(
        f"{subject.kind:12} {subject.name:44} truth {row.truth.cells():12} "
        f"tool {row.tool.cells():12} peer {row.peer.cells():12} {mark(row)}",
        file=sys.stderr,
        flush=True,
    )
    return row


def main() -> None:
    """The command described at the top of this file."""
    parser = argparse.ArgumentParser(description="Counts against torch's own log.")
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: all three")
    parser.add_argument("--only", default="", help="subjects whose name contains this")
    parser.add_argument("--output", type=Path, help="write the report here as well")
    parser.add_argument("--no-peer", action="store_true", help="leave torch._dynamo.explain out")
    parser.add_argument("--no-tool", action="store_true", help="leave inspect explain out")
    parser.add_argument(
        "--expected",
        action="store_true",
        help="take the truth of the cases from the checked-in file",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="count-accuracy-") as name:
        folder = Path(name)
        chosen = subjects(folder, options.kind or KINDS, options.only)
        rows = [measure(subject, folder, options) for subject in chosen]
    report = render(rows)
    print(report)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
