"""What there is to choose from: commands, rules and renderers, built in and installed.

The built-ins are literal tables, so listing them imports nothing. Other distributions add theirs
through the entry-point groups ``inspector.commands``, ``inspector.rules.KIND`` (a key of `RULES`)
and ``inspector.renderers``; they are looked for only where a name is not a built-in or all are
listed. A built-in cannot be replaced.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inspector.errors import EnvironmentLacksError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint
    from pathlib import Path
    from types import ModuleType
    from typing import TextIO

    from inspector.report.json.encode import Views


COMMANDS = {
    "explain": "Show every graph break: its line, its cause and its fix.",
    "run": "Record any program, however it calls torch.compile.",
    "cold-start": "Show where compile time goes, and which caches are hit.",
    "guards": "Show the guards, their cost, and what may recompile next.",
    "kernels": "Show the generated kernels, even for a GPU you do not have.",
    "graph": "Show which operators became which kernel, stage by stage.",
    "profile": "Time the kernels, and compare with peak FLOP/s and bandwidth.",
    "bench": "Compare eager PyTorch with the compiler's modes and backends.",
    "numerics": "Show where compiled results differ from eager PyTorch.",
    "repro": "Write the smallest program that shows a compiler bug.",
    "report": "Write one self-contained HTML page with the full report.",
    "demo": "Write a sample page; needs no torch, GPU or model.",
    "ranks": "Show where the ranks of a job differ, and which ranks wait.",
    "diff": "Compare two models, recordings or git revisions.",
    "list": "List, name and delete recordings.",
    "rule": "Explain a rule or one of torch's graph break IDs (GB0059).",
    "schema": "Print the JSON Schema of a report.",
    "doctor": "Check for missing dependencies, and show how to install them.",
}
"""What each command does; its module in `inspector.cli` has its name."""

_RULES = {
    "run": """
        breaks.compile_error breaks.constraint_violation cuda_graphs.cuda_graph_copies
        cuda_graphs.cuda_graph_partition cuda_graphs.cuda_graph_recapture
        cuda_graphs.cuda_graph_sizes cuda_graphs.cuda_graph_skip breaks.graph_break
        guards.guard_cost breaks.late_hook recompiles.recompile
        breaks.skipped_frame compile_time.cache_bypass breaks.unrolled_loop
    """,
    "cold-start": """
        compile_time.autotuning_time compile_time.cache_bypass compile_time.cpp_time
        compile_time.frame_time
    """,
    "code": "kernels.aten_fallback breaks.repeated_call",
    "cpp": "kernels.cpp_not_vectorised kernels.cpp_serial",
    "kernel": """
        kernels.kernel_atomics kernels.kernel_copy kernels.kernel_few_blocks
        kernels.kernel_float64 kernels.kernel_indirect kernels.kernel_int64 kernels.kernel_narrow
        kernels.kernel_occupancy kernels.kernel_spills kernels.kernel_tensor_cores
        kernels.kernel_uncoalesced
    """,
    "kernels": "kernels.kernel_small",
    "gate": "compile_time.cache_miss",
    "ranks": """
        ranks.rank_collectives ranks.rank_order ranks.rank_graphs ranks.rank_recompiles
        ranks.rank_caches
    """,
}


RULES = {
    kind: tuple(f"inspector.features.{name.replace('.', '.rules.')}" for name in names.split())
    for kind, names in _RULES.items()
}
"""Modules whose ``RULE`` is a rule, by what the rules look at, in the order in which they run.

``run``: a run, in every report on it; ``cold-start``: a run, about compile time; ``kernel``: one
compiled kernel; ``kernels``: all of them; ``code``: one call of the code that launches kernels;
``cpp``: one C++ kernel; ``ranks``: the ranks of a job next to each other; ``gate``: a run, only
where ``--fail-on`` names them.
"""

RENDERERS: dict[str, str] = {
    "terminal": "inspector.render.terminal",
    "txt": "inspector.render.terminal",
    "json": "inspector.render.json",
    "markdown": "inspector.render.markdown",
    "md": "inspector.render.markdown",
    "html": "inspector.render.html",
    "sarif": "inspector.render.sarif",
    "github": "inspector.render.github",
    "junit.xml": "inspector.render.junit",
}
"""Module by format; a file's suffix without its dot is a format too."""

_NAMES = frozenset({"terminal", "markdown", "github"})  # of formats, that are no suffixes

_ON_FILES = frozenset({"sarif", "github", "junit.xml"})
"""Formats that are shown on the lines of the files as they are now."""

REPORTS = {
    "explain": ("Report", "overview.page", "overview.json"),
    "guards": ("GuardsReport", "guards.page", "guards.json"),
    "cuda-graphs": ("CudaGraphsReport", "cuda_graphs.page", "cuda_graphs.json"),
    "kernels": ("KernelsReport", "kernels.page", "kernels.json"),
    "diff": ("DiffReport", "diff.page", "diff.json"),
    "graph": ("GraphReport", "graph.page", "graph.json"),
    "passes": ("PassesReport", "graph.passes_page", "graph.json:PASSES"),
    "profile": ("ProfileReport", "profile.page", "profile.json"),
    "bench": ("BenchReport", "bench.page", "bench.json"),
    "bench-collection": ("CollectionReport", "bench.collection_page", "bench.json:COLLECTION"),
    "kernel-bench": ("KernelBenchReport", "profile.kernel_bench.page", "profile.kernel_bench.json"),
    "warmup": ("WarmupReport", "bench.warmup_page", "bench.json:WARMUP"),
    "cold-start": ("ColdStartReport", "compile_time.page", "compile_time.json"),
    "ranks": ("RanksReport", "ranks.page", "ranks.json"),
    "numerics": ("NumericsReport", "numerics.page", "numerics.json"),
    "repro": ("ReproReport", "repro.page", "repro.json"),
}
"""By kind of report its type, and in the features its page and the views of its JSON."""

TIMELINES = {
    "perfetto.json": "inspector.features.compile_time.perfetto",
    "trace.json": "inspector.features.compile_time.perfetto",
}
"""Module by format, of those that a cold start alone has; they render the report itself."""

TABLES = {"csv": "inspector.render.csv"}
"""Module by format, of those that a bench alone has; they render the fields of the JSON."""

_OF_KIND = {"cold-start": TIMELINES, "bench": TABLES, "bench-collection": TABLES}


def command_table() -> dict[str, str]:
    """Returns what each command does, by name, the built-in ones first."""
    table = dict(COMMANDS)
    for point in _entry_points("inspector.commands"):
        table.setdefault(point.name, f"(from {_distribution(point)})")
    return table


def load_command(name: str) -> ModuleType | None:
    """Imports the module whose ``command`` is the click command; None where there is none."""
    if name in COMMANDS:
        return import_module(f"inspector.cli.{name.replace('-', '_')}")
    return next(
        (_load(point) for point in _entry_points("inspector.commands") if point.name == name), None
    )


def load_rules(kind: str) -> tuple[Any, ...]:
    """Imports the rules of one kind (a key of `RULES`), the built-in ones first."""
    modules = [import_module(module) for module in RULES[kind]]
    modules += [_load(point) for point in _entry_points(f"inspector.rules.{kind}")]
    return tuple(module.RULE for module in modules)


def load_all_rules() -> tuple[Any, ...]:
    """Imports every rule, whatever it looks at."""
    return tuple(dict.fromkeys(rule for kind in RULES for rule in load_rules(kind)))


def render(report: object, format_: str, stream: TextIO, *, is_whole: bool = False) -> None:
    """Writes a report of any kind in a format.

    Args:
        format_: For `load_renderer`.
        is_whole: Whether nothing is left out for brevity.
    """
    if format_ == "html":
        render_html([report], stream)
        return
    kind = report_kind(report)
    renderer = load_renderer(format_, kind)
    if format_ == "json" or format_ in TABLES:
        report = fields(report)
    elif format_ not in TIMELINES:
        page = _page(kind, report)
        if format_ in _ON_FILES and page.findings:
            page = replace(page, findings=_moved(page.findings, report))
        report = replace(page, is_whole=True) if is_whole else page
    renderer.render(report, stream)


def render_html(reports: Iterable[object], stream: TextIO) -> None:
    """Writes reports of one run as one HTML page, linked with each other."""
    from inspector.render.html import write_page
    from inspector.report.json.encode import cleaned

    made = []
    for report in reports:
        kind = report_kind(report)
        data: Any = cleaned(fields(report))
        made.append((kind, data, _page(kind, report), report))
    write_page(made, stream)


def fields(report: object) -> Any:  # noqa: ANN401 - as json.loads
    """All fields of a report, as its JSON has them."""
    from inspector.report.json.encode import Scope, encode

    return encode(Scope(report), report_views(report_kind(report)))


def report_views(kind: str) -> Views:
    """How reports of a kind become JSON."""
    module, _, name = REPORTS[kind][2].partition(":")
    views: Views = getattr(import_module(f"inspector.features.{module}"), name or "VIEWS")
    return views


def report_kind(report: object) -> str:
    """The key of `REPORTS` for a report."""
    names = {base.__name__ for base in type(report).__mro__}
    return next(kind for kind, (name, *_) in REPORTS.items() if name in names)


def load_renderer(name: str, kind: str = "") -> ModuleType:
    """Imports the renderer of a format (``json``) or of a suffix without its dot (``md``).

    Args:
        kind: The kind of report, which can have formats of its own.
    """
    known = _formats(kind)
    if name not in known:
        raise UsageError(f"There is no format {name!r}.", _choices(name, known))
    found = known[name]
    return import_module(found) if isinstance(found, str) else _load(found)


def renderer_for_suffix(path: Path, kind: str = "", others: Iterable[str] = ()) -> str:
    """Returns the format for the end of an output file's name, for `load_renderer`.

    Args:
        others: The suffixes of further files that a command writes, to be named where none fits.
    """
    known = [name for name in _formats(kind) if name not in _NAMES]
    fitting = [name for name in known if path.name.lower().endswith(f".{name}")]
    if fitting:
        return max(fitting, key=len)
    suffix = path.suffix.removeprefix(".").lower()
    what = f"the suffix {path.suffix!r}" if suffix else "no suffix"
    raise UsageError(
        f"The format of the output file {str(path)!r} is unknown: it has {what}.",
        _choices(suffix, [*known, *(name.removeprefix(".") for name in others)]),
    )


def _formats(kind: str) -> dict[str, str | EntryPoint]:
    """The formats of a kind of report: the module of each, or what is installed."""
    installed = {point.name: point for point in _entry_points("inspector.renderers")}
    return {**installed, **RENDERERS, **_OF_KIND.get(kind, {})}


def _page(kind: str, report: object) -> Any:  # noqa: ANN401 - a page, which is not imported here
    return import_module(f"inspector.features.{REPORTS[kind][1]}").page(report)


def _moved(findings: Iterable[Any], report: Any) -> tuple[Any, ...]:  # noqa: ANN401
    from inspector.report.moved import moved

    run = getattr(report, "run", None)
    return tuple(moved(findings, run) if run is not None else findings)


def _choices(name: str, known: Iterable[str]) -> str:
    from inspector.shared.near_matches import suggestion

    known = sorted(known)
    return suggestion(name, known, f"Choose one of {', '.join(known)}.")


def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.module


def _load(point: EntryPoint) -> ModuleType:
    try:
        return import_module(point.module)
    except Exception as error:  # a plugin's module may raise anything when it is imported
        raise EnvironmentLacksError(
            f"The plugin {point.name!r} of {_distribution(point)} cannot be imported: {error!r}.",
            f"Upgrade or uninstall {_distribution(point)}.",
        ) from error
