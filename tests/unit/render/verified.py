"""A report with what was tried: settings that help, one that fails, one that changes outputs.

And a change of a line.
"""

import dataclasses

from inspector.features.verify.trials import with_verification
from inspector.records.trial import Comparison
from inspector.report.report import Report
from inspector.run.verification import Candidate, Measured, Trial, Verification
from inspector.shared.edit import Edit, Rewrite
from tests.unit.render import runs

EQUAL = Comparison(3, 0, 0, 0.0, 0.0)
BASELINE = Measured(3, 3, 2, 0, 1_304_000_000, 472_000, 460_000, EQUAL)
_PRINT = ("builtins.print",)


def measured(**changes: object) -> Measured:
    """A process like the baseline's, but for some fields."""
    return dataclasses.replace(BASELINE, **changes)  # type: ignore[arg-type]


def verification(fingerprint: str) -> Verification:
    """Five trials and two that help together; two remove the finding of a fingerprint."""
    scalars = Candidate((("capture_scalar_outputs", True),), ("GB0124",))
    nested = Candidate((("nested_graph_breaks", True),), ("GB0059",))
    moved = Candidate(
        (("reorderable_logging_functions", _PRINT),),
        ("GB0059",),
        "messages are written after the graph, and a tensor that is changed in place later as it "
        "is then",
    )
    dropped = Candidate((("ignore_logging_functions", _PRINT),), ("GB0059",))
    differing = dataclasses.replace(
        EQUAL, differing=1, max_abs_error=0.25, first="output of input 1: Tensor-likes differ"
    )
    fewer = measured(
        graphs=2,
        graph_breaks=1,
        distinct_graph_breaks=1,
        warm_call_ns=400_000,
        least_warm_call_ns=390_000,
    )
    branch = Edit(
        15, 8, 16, 21, "if x.sum() > 0:\n    x = x * 2", "x = torch.where(x.sum() > 0, x * 2, x)",
        is_statement=True, file="/home/user/project/model.py",
    )  # fmt: skip
    line = Candidate(
        gb_ids=("GB0170",), rewrites=(Rewrite("branch-where", "model.py", 15, (branch,)),)
    )
    return Verification(
        backend="eager",
        baseline=BASELINE,
        trials=(
            Trial(nested, measured(graphs=2, graph_breaks=2), helps=True),
            Trial(scalars, measured(outputs=differing), added=1),
            Trial(moved, fewer, removed=(fingerprint,), helps=True),
            Trial(dropped, None, failure="it timed out after 8 seconds (--timeout)"),
            Trial(line, fewer, removed=(fingerprint,), helps=True),
            Trial(
                Candidate((*nested.settings, *moved.settings), ("GB0059",), moved.caution),
                measured(
                    graphs=1,
                    graph_breaks=0,
                    distinct_graph_breaks=0,
                    warm_call_ns=99_000,
                    least_warm_call_ns=98_000,
                ),
                removed=(fingerprint,),
                helps=True,
            ),
        ),
        deterministic=True,
        baseline_again=BASELINE,
    )


def verified() -> Report:
    """The run with graph breaks, with what was tried."""
    report = runs.report_of(runs.broken())
    return with_verification(report, verification(report.findings[0].fingerprint))
