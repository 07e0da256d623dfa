"""Golden reports: what the tool writes for the samples' recordings, for logs and for made-up runs.

``python -m tests.golden`` says which of them differ, ``python -m tests.golden --regenerate`` writes
them anew. Only recordings are read, so neither needs torch.
"""

import contextlib
import dataclasses
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from unittest import mock

from inspector import plugins
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.cuda_graphs.report import CudaGraphsReport
from inspector.features.guards.report import GuardsReport, make_guards_report
from inspector.features.overview.run_summary import next_steps
from inspector.features.profile.nsight_compute import read_counters
from inspector.features.profile.report import ProfileReport, make_profile_report
from inspector.report.report import Report, make_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from tests.unit import cold_starts, cuda_graph_cases
from tests.unit.features.graph.drawing import pictures
from tests.unit.render import (
    bench_reports,
    gates,
    graph_reports,
    kernel_reports,
    numeric_reports,
    profile_reports,
    runs,
    verified,
)

ROOT = Path(__file__).parent.parent
# Suffix of the golden file: the format, and the width where it has one.
FORMATS = {
    "80.txt": ("terminal", 80),
    "120.txt": ("terminal", 120),
    "json": ("json", 80),
    "md": ("markdown", 80),
}
SNAPSHOTS = ROOT / "tests" / "unit" / "render" / "snapshots"
LOGS = ROOT / "tests" / "unit" / "data" / "guards"
# A new release alone changes no golden file.
_VERSION = "0.0.0+golden"


@dataclasses.dataclass(frozen=True, slots=True)
class Golden:
    """A golden file.

    Attributes:
        path: Where it is.
        suffix: Its format, a key of `FORMATS`; of a picture ``dot``.
        read: Makes the report that it shows, or the picture.
    """

    path: Path
    suffix: str
    read: Callable[[], object]


def recordings() -> list[Path]:
    """The recordings of the samples, in the order of their names."""
    return sorted(ROOT.glob("samples/*/recording.zip"))


@functools.cache
def _run(recording: Path) -> Run:
    with opened(recording) as source:
        return read_run(source)


def report_of(recording: Path) -> Report:
    """The report of a recording by all built-in rules."""
    rules = [import_module(name).RULE for name in plugins.RULES["run"]]
    run = _run(recording)
    return make_report(run, rules, next_steps(run))


def guards_of(recording: Path) -> GuardsReport:
    """What `inspect guards` says of a recording or a log."""
    rule = import_module("inspector.features.guards.rules.guard_cost").RULE
    with opened(recording) as source:
        return make_guards_report(read_run(source), [rule])


def cold_start_of(recording: Path) -> ColdStartReport:
    """What `inspect cold-start` says of a recording."""
    return cold_starts.report_of(_run(recording))


def profiles() -> list[Path]:
    """What `inspect profile` recorded on a GPU, in the order of the samples' names."""
    return sorted(ROOT.glob("samples/*/h200-*.zip"))


def profile_of(recording: Path) -> ProfileReport:
    """What `inspect profile` says of a recording."""
    with opened(recording) as source:
        return make_profile_report(read_run(source), read_counters(source.folder))


def _against() -> ColdStartReport:
    return cold_starts.report_of(cold_starts.read("config"), cold_starts.read("cold"))


def _cuda_graphs(name: str) -> CudaGraphsReport:
    return cuda_graph_cases.report_of(cuda_graph_cases.run_of(name))


COMMANDS: dict[str, Callable[[Path], object]] = {
    "explain": report_of,
    "guards": guards_of,
    "cold-start": cold_start_of,
}
"""What makes a report of a sample's recording, by the command that shows it."""

_MAKERS = (
    (
        kernel_reports,
        "",
        """kernels_cpp kernels_choices kernels_compiled diff_versions diff_gone diff_compiled
        graph_triton""",
    ),
    (
        bench_reports,
        "",
        """bench bench_varied bench_collection warmup warmup_failed kernel_bench kernel_bench_slow
        kernel_bench_missing""",
    ),
    (
        profile_reports,
        "profile_",
        """faster slower unaccounted on_cpu no_difference inputs throttled missing autotuned memory
        memory_of_cuda_graphs memory_not_captured memory_failed memory_on_cpu""",
    ),
    (numeric_reports, "numerics_", "wrong agrees revised unchanged"),
    (numeric_reports, "", "repro_crash repro_needs repro_none"),
    (graph_reports, "graph_", "recorded_fusion recorded_stage by_operators at_line nowhere"),
)

MADE: dict[str, Callable[[], object]] = {
    **{
        make.__name__: functools.partial(lambda make: runs.report_of(make()), make)
        for make in (runs.broken, runs.failed, runs.unbroken, runs.nothing)
    },
    "gated": gates.gated,
    "verified": verified.verified,
    # The samples are recorded with the eager backend: these have every stage, and caches.
    "cold_start_training": lambda: cold_starts.report_of(cold_starts.read("training")),
    "cold_start_warm": lambda: cold_starts.report_of(cold_starts.read("warm")),
    "cold_start_against": _against,
    # Plain logs of torch's.
    "guards_2_13": lambda: guards_of(LOGS / "torch_2_13.log"),
    "guards_2_11": lambda: guards_of(LOGS / "torch_2_11.log"),
    **{
        f"cuda_graphs_{name}": functools.partial(_cuda_graphs, name)
        for name in ("many_sizes", "moving_chain", "new_parameters", "unsafe_operator")
    },
    **{
        f"{prefix}{name}": getattr(module, name)
        for module, prefix, names in _MAKERS
        for name in names.split()
    },
}


@functools.lru_cache(maxsize=1)
def _last(make: Callable[..., object], *arguments: Path) -> object:
    """Makes a report once for all its formats, which follow each other."""
    return make(*arguments)


def goldens() -> Iterator[Golden]:
    """All golden files that there should be: of the samples, then of the runs made by hand."""
    for recording in recordings():
        folder = ROOT / "reports" / recording.parent.name
        for command, report in COMMANDS.items():
            read = functools.partial(_last, report, recording)
            for suffix in FORMATS:
                yield Golden(folder / f"{command}.{suffix}", suffix, read)
    for recording in profiles():
        folder = ROOT / "reports" / recording.parent.name
        read = functools.partial(_last, profile_of, recording)
        for suffix in FORMATS:
            yield Golden(folder / f"profile.{recording.stem}.{suffix}", suffix, read)
    for name, make in MADE.items():
        for suffix in FORMATS:
            yield Golden(SNAPSHOTS / f"{name}.{suffix}", suffix, functools.partial(_last, make))
    for name, picture in pictures.PICTURES.items():
        yield Golden(SNAPSHOTS / f"picture_{name}.dot", "dot", picture)


def rendered(report: object, suffix: str) -> str:
    """A report as its golden file has it: no colour, and no setting of this machine."""
    if isinstance(report, str):  # a picture
        return report
    format_, width = FORMATS[suffix]
    stream = io.StringIO()
    plugins.load_renderer(format_)
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": str(width)}))
        for module in list(sys.modules.values()):
            if module.__name__.startswith("inspector.") and hasattr(module, "__version__"):
                stack.enter_context(mock.patch.object(module, "__version__", _VERSION))
        plugins.render(report, format_, stream)
    return stream.getvalue()


def _differing() -> Iterator[tuple[Path, str]]:
    for golden in goldens():
        text = rendered(golden.read(), golden.suffix)
        if not golden.path.is_file() or golden.path.read_text(encoding="utf-8") != text:
            yield golden.path, text


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
