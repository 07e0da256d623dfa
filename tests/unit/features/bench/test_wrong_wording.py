"""What is wrong with results, in a sentence."""

from __future__ import annotations

import dataclasses

from inspector.features.bench.wrong_wording import wrong_line
from inspector.records.bench import OutputError
from inspector.shared.bench import Setting
from tests.bench_rows import row

FIRST, AGAIN = "output of input 1", "output of input 1 (called again)"


def test_the_worst_of_what_is_wrong_is_named_and_not_of_all() -> None:
    errors = (
        OutputError("eager", "output of input 1[0]", float("inf"), mine="'12:01'",
                    theirs="'12:02'"),
        OutputError("eager", "output of input 1[1]", 0.25),
        OutputError("eager", "output of input 1[2]", 0.125),
    )  # fmt: skip
    names = tuple(error.name for error in errors[1:])
    found = row(Setting("inductor"), errors=errors, wrong=names)
    said = wrong_line([found, found], " for all 2 inputs")
    assert said == (
        "default gives wrong results for all 2 inputs: output[1] of input 1 is off by 2e-01 times "
        "its largest element"
    )


def test_eager_pytorch_s_own_error_stands_beside_it() -> None:
    off = OutputError("eager", FIRST, 0.25)
    own = (OutputError("float64", AGAIN, 0.5), OutputError("float64", FIRST, 2e-6))
    found = row(Setting("inductor"), errors=(off,), wrong=(FIRST,))
    said = wrong_line([found], eagers=[row(Setting("eager"), errors=own)])
    assert said.endswith("is off by 2e-01 times its largest element (eager: 2e-06 from float64)")
    # Of another scale, or where what is there is no number, it says nothing about this one.
    for other in (
        dataclasses.replace(off, scale="family"),
        dataclasses.replace(off, mine="None", theirs="float32[2]"),
    ):
        found = row(Setting("inductor"), errors=(other,), wrong=(FIRST,))
        said = wrong_line([found], eagers=[row(Setting("eager"), errors=own)])
        assert "float64" not in said
