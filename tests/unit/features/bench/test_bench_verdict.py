"""What is said first about one workload."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.bench.choice import choose
from inspector.features.bench.compiled import Compiled
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.report import BenchGroup
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.features.bench.verdict import verdict_lines
from inspector.records.bench import OutputError
from inspector.report.finding import Finding, Place, Severity
from inspector.shared.bench import Setting, Workload
from tests.bench_rows import row

EAGER = row(Setting())
INDUCTOR, AOT = Setting("inductor"), Setting("aot_eager")


def verdict(*rows: BenchRow, reasons: tuple[Finding, ...] = ()) -> list[str]:
    everything = (EAGER, *rows)
    group = BenchGroup(Workload(), 0, "", everything, choose(everything), reasons)
    return list(verdict_lines(group))


DIED = row(INDUCTOR, failure="its process was killed by SIGSEGV")
CUT = row(INDUCTOR, failure=INTERRUPTED)
SAME = row(AOT, faster=Ratio(0.6, 1.0, 1.6))
WIDE = row(INDUCTOR, faster=Ratio(0.9, 1.3, 1.9))
UNKNOWN = row(INDUCTOR, faster=Ratio(0.95, 1.78, 3.33))
X, TO = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"
SAYS = "No measurable difference from eager: "
AOT_SAID = f"{SAYS}aot_eager (1.00{X}; another run: 0.60{TO}1.60{X})"
# A ratio of one of several says whose it is.
BOTH_SAID = f"{SAYS}default, aot_eager (default 1.30{X}; another run: 0.90{TO}1.90{X})"
UNKNOWN_SAID = (
    "Timings vary too much to compare default with eager: measure on an idle machine, or raise "
    "--sessions"
)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((DIED,), ["No setting was measured: default failed (see below)"]),
        ((CUT,), []),
        ((SAME,), [AOT_SAID]),
        ((DIED, SAME), [AOT_SAID]),
        ((WIDE, SAME), [BOTH_SAID]),
        ((UNKNOWN, SAME), [AOT_SAID, UNKNOWN_SAID]),
    ],
)
def test_the_verdict_on_settings_that_are_not_all_faster(
    rows: tuple[BenchRow, ...], said: list[str]
) -> None:
    assert verdict(*rows) == said


def test_where_there_is_no_graph_nothing_was_compiled() -> None:
    found = Finding("graph-break", Severity.WARNING, "Unsupported Tensor.item() call")
    none = row(AOT, 0.5, compiled=Compiled(0, 1, 0, 0))
    (_, said, *_) = verdict(none, reasons=(found,))
    assert said == "Nothing was compiled: Unsupported Tensor.item() call"
    (_, said, *_) = verdict(row(AOT, 0.5), reasons=(found,))
    assert said == "Compilation findings: Unsupported Tensor.item() call"
    places = [dataclasses.replace(found, place=Place("model.py", line)) for line in (6, 7, 7)]
    (_, said, *_) = verdict(row(AOT, 0.5), reasons=tuple(places))
    assert said == (
        "Compilation findings: Unsupported Tensor.item() call (model.py:6); Unsupported "
        "Tensor.item() call (model.py:7)"
    )


@pytest.mark.parametrize(
    ("name", "mine", "theirs", "said"),
    [
        ("output of input 1[1]", "", "int64[]",
         "output[1] of input 1 is missing (int64[] in eager)"),
        ("output of input 1['a']", "3", "",
         "output['a'] of input 1 is 3, but eager returns nothing"),
        ("output of input 1", "None", "float32[2]",
         "output of input 1 is None instead of float32[2]"),
        ("buffer n after input 1", "", "int64[]",
         "buffer n is not changed by input 1, but eager changes it"),
        ("argument x after input 2", "int64[]", "",
         "argument x is changed by input 2, but eager does not change it"),
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_told_with_both_sides(
    name: str, mine: str, theirs: str, said: str
) -> None:
    error = OutputError("eager", name, float("inf"), mine=mine, theirs=theirs)
    first, *_ = verdict(row(INDUCTOR, 2.0, wrong=(name,), errors=(error,)))
    assert first == f"default gives wrong results: {said}"
