"""What `inspect graph` says of pairs that were not fused: the reason, the bytes, the change.

    python benchmarks/not_fused.py [--only slice] [--output reports/not_fused.md]

Each case of benchmarks/not_fused_cases.py is compiled before and after a change that makes the two
one kernel, for a GPU that need not be here. Looked at is whether the reason is torch's for that
pair, whether it is one kernel after the change, and whether Inductor's own bytes are fewer by what
was said to be saved at most.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402 - the checkout is not installed

import inspector  # noqa: E402 - same
from benchmarks.not_fused_cases import CASES, Case  # noqa: E402 - same
from inspector.capture.gpu_target.session import gpu_target  # noqa: E402 - same
from inspector.capture.recording.handler import attached_handler  # noqa: E402 - same
from inspector.features.graph.reasons import formatted  # noqa: E402 - same
from inspector.features.graph.report import FUSION, make_graph_report  # noqa: E402
from inspector.shared.gpu_table import known_gpu  # noqa: E402 - same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.features.graph.fusion import Fusion, Pair

GPU = "h200"
TOLERANCE = 0.1
REPORT = """\
# Not fused: reasons and bytes

torch {torch}, code for one {gpu}, which nothing runs on. Written by `benchmarks/not_fused.py`.

{right} of {cases} pairs have the expected reason, share next to nothing any more after the change,
and are said to save within {tolerance:.0%} of the bytes that are read and written less after it.
Where the change joins more than the pair, all pairs are added up (*all*).

{table}
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One case, compiled twice.

    Attributes:
        case: The case.
        pair: The pair that it is about, or None where there is none.
        stated_bytes: What is said to be saved, or what all pairs together are said to save.
        saved_bytes: What kernels read and write less after the change.
        kernels: Numbers of kernels and calls before and after.
        left_bytes: What the largest of the pairs is said to save that are left after it.
    """

    case: Case
    pair: Pair | None
    stated_bytes: int
    saved_bytes: int
    kernels: tuple[int, int]
    left_bytes: int

    @property
    def has_reason(self) -> bool:
        """Whether the pair has the expected reason."""
        reason = self.pair.reason if self.pair else None
        return reason is not None and reason.kind == self.case.kind

    @property
    def is_fused(self) -> bool:
        """Whether next to nothing of what the pair shared is left between two kernels."""
        return self.left_bytes <= TOLERANCE * self.stated_bytes

    @property
    def is_right(self) -> bool:
        """Whether all is as it should be."""
        apart = abs(self.stated_bytes - self.saved_bytes)
        return self.has_reason and self.is_fused and apart <= TOLERANCE * self.saved_bytes


@contextlib.contextmanager
def compiling(config: Mapping[str, Any]) -> Iterator[None]:
    """Code for the GPU, with this configuration and without caches."""
    patch = torch._inductor.config.patch  # noqa: SLF001 - the public place of Inductor's options
    with (
        gpu_target(known_gpu(GPU)),
        patch(force_disable_caches=True, compile_threads=1, **config),
        torch.no_grad(),
    ):
        yield


def compiled(
    function: Callable[..., Any], inputs: tuple[Any, ...], config: Mapping[str, Any]
) -> Fusion:
    """What became of a function.

    Raises:
        RuntimeError: It became several graphs or none, or recording it failed.
    """
    torch._dynamo.reset()  # noqa: SLF001 - the only way to compile a function again
    with tempfile.TemporaryDirectory(prefix="not-fused-") as folder, compiling(config):
        with inspector.record(Path(folder) / "recording", measure=False) as recording:
            handler = attached_handler()
            assert handler is not None
            handler.keeps_graphs = True
            torch.compile(function)(*inputs)
        run = recording.run()
        problems = [problem for process in run.processes for problem in process.problems]
        fusions = make_graph_report(run, FUSION).fusions
    if len(fusions) != 1 or problems:
        message = f"{function.__name__}: {len(fusions)} graphs; {problems}"
        raise RuntimeError(message)
    return fusions[0]


def measured(case: Case) -> Row:
    """A case before and after its change."""
    torch.manual_seed(0)
    before = compiled(case.before, case.inputs(), case.config)
    inputs = (case.inputs_after or case.inputs)()
    after = compiled(case.after or case.before, inputs, case.config_after)
    pair = next((pair for pair in before.pairs if is_of(case, pair)), None)
    stated = sum(pair.saved_bytes for pair in before.pairs) if case.all_fuse else 0
    saved = (before.bytes_ or 0) - (after.bytes_ or 0)
    kernels = len(before.steps), len(after.steps)
    left = max((pair.saved_bytes for pair in after.pairs), default=0)
    return Row(case, pair, stated or (pair.saved_bytes if pair else 0), saved, kernels, left)


def is_of(case: Case, pair: Pair) -> bool:
    """Whether torch says of a pair what the case is about; of a call it may say anything."""
    if not case.said:
        return pair.reason is not None and pair.reason.kind == case.kind
    first_words = formatted(case.said, ()).partition("%")[0]
    is_kind = pair.reason is not None and pair.reason.kind == case.kind
    return is_kind and pair.torch_reason.startswith(first_words)


def table(rows: list[Row]) -> str:
    """All cases as Markdown."""
    lines = [
        "| pair | torch says | kind | changed | kernels | stated | saved | |",
        "|---|---|---|---|--:|--:|--:|---|",
    ]
    for row in rows:
        stated = f"{row.stated_bytes:,}" + (" (all)" if row.case.all_fuse else "")
        cells = (
            row.case.name,
            row.pair.torch_reason if row.pair else "no such pair",
            row.pair.reason.kind if row.pair and row.pair.reason else "-",
            row.case.change,
            f"{row.kernels[0]} → {row.kernels[1]}",
            stated,
            f"{row.saved_bytes:,}",
            row.case.note if row.is_right else f"**off**: {row.case.note}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def render(rows: list[Row]) -> str:
    """The whole report."""
    return REPORT.format(
        torch=torch.__version__,
        gpu=GPU,
        right=sum(row.is_right for row in rows),
        cases=len(rows),
        tolerance=TOLERANCE,
        table=table(rows),
    )


def known() -> list[Case]:
    """The cases whose options the installed torch has."""
    config = torch._inductor.config.get_config_copy()  # noqa: SLF001 - as above
    return [case for case in CASES if {*case.config, *case.config_after} <= config.keys()]


def main() -> None:
    """The command described at the top of this file."""
    parser = argparse.ArgumentParser(description="Reasons and bytes of pairs that were not fused.")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--output", type=Path, help="write the report here as well")
    options = parser.parse_args()
    rows = []
    for case in (case for case in known() if options.only in case.name):
        row = measured(case)
        rows.append(row)
        reason = row.pair.reason if row.pair else None
        print(f"{case.name}: {reason}", file=sys.stderr, flush=True)
    report = render(rows)
    print(report)
    if options.output:
        options.output.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
