"""What the recordings in data/cuda_graphs.zip show; made by tests/gpu/cuda_graphs/record.py.

Counted by hand from each program in tests/gpu/cuda_graphs/scenarios.py: a function is warmed up in
its first call, captured in its second, and replayed from then on.
"""

import dataclasses
import functools
import tempfile
import zipfile
from pathlib import Path

from inspector import plugins
from inspector.features.cuda_graphs.report import CudaGraphsReport, make_cuda_graphs_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run

RECORDINGS = Path(__file__).parent / "data" / "cuda_graphs.zip"


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """What is expected of one recording.

    Attributes:
        calls: Calls of captured functions and parts, or None where there are none.
        replays: How many of them replayed.
        captures: Captures.
        findings: Rule, line in scenarios.py, and a part of what is said, of each finding.
    """

    calls: int | None
    replays: int | None
    captures: int
    findings: tuple[tuple[str, str, str], ...] = ()


CASES = {
    "same_input": Case(10, 8, 1),
    "dynamic_sizes": Case(9, 3, 3),
    "many_sizes": Case(12, 4, 4, (("cuda-graph-sizes", "def forward", "Sizes: 8, 16, 24, 32"),)),
    "skip_dynamic": Case(
        None, None, 0, (("cuda-graph-partition", "self.second(", "skip_dynamic_graphs is set"),)
    ),
    "mutated_input": Case(5, 0, 0, (("cuda-graph-skip", "total.add_(x)", "changed in place"),)),
    "mutated_static_input": Case(6, 4, 1),
    "mutated_buffer": Case(8, 6, 1),
    "copied_parameters": Case(9, 7, 1),
    "new_parameters": Case(
        9, 4, 4, (("cuda-graph-recapture", "self.first(x)", "self.first.weight (float32[64, 64])"),)
    ),
    "cpu_operator": Case(6, 4, 1, (("cuda-graph-partition", "row.to(CUDA)", "on the CPU"),)),
    "cpu_operator_unpartitioned": Case(
        None, None, 0, (("cuda-graph-skip", "row = table.sin() + 1", "on the CPU"),)
    ),
    "unsafe_operator": Case(
        12,
        4,
        2,
        (
            ("cuda-graph-partition", "torch.nonzero(", "a size depends on data"),
            ("cuda-graph-sizes", "@torch.compile", "0 of 6 calls replayed"),
        ),
    ),
    "custom_operator": Case(
        12, 8, 2, (("cuda-graph-partition", "host_side(x * 2)", "marked as unsafe to capture"),)
    ),
    "graph_break": Case(16, 12, 2),
    "training": Case(16, 12, 2),
    "kept_outputs": Case(9, 6, 2, (("cuda-graph-recapture", "def forward", "still alive"),)),
    "moving_chain": Case(
        48, 39, 7, (("cuda-graph-recapture", "torch.relu(x) + 1", "x (float32[8, 64])"),)
    ),
    "cudagraphs_backend": Case(6, 4, 1),
    "large_input": Case(
        6, 4, 1, (("cuda-graph-copies", "self.first(x)", "x (float32[262144, 64], 64 MiB)"),)
    ),
    "static_address": Case(6, 4, 1),
    "growing_cache": Case(
        8, 0, 0, (("cuda-graph-sizes", "@torch.compile", "5, 6, 7, 8, 9, 10, 11"),)
    ),
    "capture_error": Case(4, 2, 1),
}


@functools.cache
def run_of(name: str) -> Run:
    """The run of a scenario."""
    with tempfile.TemporaryDirectory() as temporary, zipfile.ZipFile(RECORDINGS) as archive:
        archive.extractall(temporary, [item for item in archive.namelist() if _is_of(name, item)])
        with opened(Path(temporary) / name) as recording:
            return read_run(recording)


def _is_of(name: str, item: str) -> bool:
    return item.startswith(f"{name}/") and not item.endswith("stderr.txt")


def report_of(run: Run) -> CudaGraphsReport:
    """The report on a run, as the command makes it."""
    rules = plugins.load_rules("run")
    return make_cuda_graphs_report(
        run, [rule for rule in rules if rule.id.startswith("cuda-graph-")]
    )
