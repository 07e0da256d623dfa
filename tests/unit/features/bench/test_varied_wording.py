"""Which setting is said to be the one to take over many inputs."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.features.bench.varied import VariedInput, VariedSetting
from inspector.features.bench.varied_wording import varied_verdict
from inspector.shared.bench import Setting, Workload

EAGER = VariedSetting(Setting(), (), 1e6, 40e6, 0, None, "")
STATIC = VariedSetting(
    Setting("inductor", dynamic=False), (), 60e9, 20e6, 4, 3001, "", faster=Ratio(1.9, 2.0, 2.1)
)
DYNAMIC = VariedSetting(
    Setting("inductor", dynamic=True), (), 15e9, 25e6, 1, 1001, "", faster=Ratio(1.5, 1.6, 1.7)
)
FAILED = VariedSetting(Setting("inductor"), (), None, None, 0, None, "it fails")


def make_row(**given: Any) -> BenchRow:
    return BenchRow(0, Workload(), **{"setting": Setting("inductor"), **given})


def test_the_shortest_calls_and_the_least_compiling_are_told_apart() -> None:
    shortest, least = varied_verdict([EAGER, STATIC, DYNAMIC, FAILED])
    assert shortest == (
        "Fastest: default + static, 2.00\N{MULTIPLICATION SIGN} faster than eager for one call "
        "with each input (40 ms → 20 ms; another run: 1.90\N{EN DASH}2.10\N{MULTIPLICATION SIGN})"
    )
    assert least == "Least compilation: default + dynamic, 15.0 s instead of 60.0 s"
    assert len(list(varied_verdict([EAGER, STATIC]))) == 1


SLOWER = (VariedInput("x[0]=1", make_row(faster=Ratio(0.49, 0.5, 0.51)), 1, ()),)
SLOW = VariedSetting(
    Setting("inductor"), SLOWER, 60e9, 80e6, 1, None, "", faster=Ratio(0.49, 0.5, 0.51)
)
QUICK = dataclasses.replace(SLOW, setting=Setting("aot_eager"), first_ns=1e9, round_ns=90e6)
NOISY = dataclasses.replace(STATIC, faster=Ratio(0.4, 2.0, 10.0))
UNSURE = dataclasses.replace(STATIC, faster=Ratio(1.1, 2.0, 40.0))


OF_EACH = "faster than eager for one call with each input (40 ms → 20 ms; another run: "
FASTEST = f"Fastest: default + static, 2.00* {OF_EACH}1.10-40*)"
VARY = (
    "Timings vary too much to compare default + static with eager: measure on an idle machine, or "
    f"raise --sessions; closest: default + static, 2.00* {OF_EACH}0.40-10*)"
)
NONE_FASTER = (
    "No setting is faster than eager over these inputs; closest: default, 2.00* slower than "
    "eager for one call with each input (40 ms → 80 ms; another run: 1.96\N{EN DASH}"
    "2.04*)"
)
NONE = "No setting was measured: default failed (see below)"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([EAGER, UNSURE], FASTEST),
        ([EAGER, NOISY], VARY),
        ([EAGER, SLOW, QUICK], NONE_FASTER),
        ([EAGER, FAILED], NONE),
        ([dataclasses.replace(EAGER, failure="it fails", round_ns=None), FAILED], ""),
        ([STATIC], ""),
        ([EAGER, dataclasses.replace(FAILED, failure=INTERRUPTED)], ""),
    ],
)
def test_the_verdict_says_what_is_known(found: list[VariedSetting], said: str) -> None:
    said = said.replace("*", "\N{MULTIPLICATION SIGN}").replace("0-", "0\N{EN DASH}")
    assert "\n".join(varied_verdict(found)) == said


WRONG = ("output of input 1",)


def test_wrong_results_are_said_and_never_taken() -> None:
    inputs = (VariedInput("x[0]=1", make_row(setting=Setting("aot_eager"), wrong=WRONG), 1, ()),)
    wrong = VariedSetting(Setting("aot_eager"), inputs, 1e9, 1e6, 1, 2, "")
    first, second, *_ = varied_verdict([EAGER, wrong, STATIC])
    assert first == "aot_eager gives wrong results for x[0]=1"
    assert second.startswith("Fastest: default + static")
