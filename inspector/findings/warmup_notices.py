"""What has to be known of a warm-up, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.benches.warmup import Start
from inspector.events.warmup import InspectorWarmup
from inspector.findings.escaping import one_line
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.warmup_rows import GRAPH_CACHES, START_NAMES, cpp_runs, has_caches
from inspector.findings.wording import count, listed, size

_PARTS = {
    "inductor": "FX graph",
    "aot_autograd": "AOTAutograd",
    "autotune": "autotune",
    "pgo": "PGO",
    "precompile": "precompile",
}
_MOST_REASONS = 3


def warmup_notices(report: WarmupReport) -> Iterator[str]:
    """The sentences."""
    if report.run.meta.partial:
        yield f"the recording is partial: {report.run.meta.partial.rstrip('.')}"
    yield from _failures(report)
    cold, artifact = report.start("cold"), report.start("artifact")
    loaded = artifact.artifact if artifact is not None else None
    if loaded is not None:
        yield _artifact(loaded)
    if cold is not None and artifact is not None:
        yield from _of_artifact(report, cold, artifact)
    if cold is not None and cold.compilations and not has_caches(report):
        backend = report.plan.setting.backend
        yield f"no cache keeps what the backend {backend} makes: every start makes all of it anew"
    yield from _limits(report, cold)
    yield from _bypasses(report)
    if report.plan.records_cuda_graphs and report.device != "cpu":
        yield (
            "CUDA graphs are in no cache: warmup.py calls every input twice behind the plan, "
            "because each size is recorded anew in every start"
        )


def _artifact(loaded: InspectorWarmup) -> str:
    if loaded.failure:
        return f"the artifact was not loaded: {loaded.failure}"
    parts = [
        f"{number} of {name}"
        for kind, name in _PARTS.items()
        if (number := loaded.parts.get(kind, 0))
    ]
    entries = count(sum(loaded.parts.values()), "entry", "entries")
    return f"the artifact has {entries} of caches ({listed(parts)}; {size(loaded.size_bytes)})"


def _failures(report: WarmupReport) -> Iterator[str]:
    for start in report.starts:
        if start.failure:
            yield f"{START_NAMES[start.name]}: {start.failure}"


def _of_artifact(report: WarmupReport, cold: Start, artifact: Start) -> Iterator[str]:
    if artifact.compilations < cold.compilations:
        yield (
            "with the profile of sizes (PGO) that is in the artifact, sizes that change are "
            f"dynamic from the first call on: {count(artifact.compilations, 'compilation')} "
            f"instead of {cold.compilations}"
        )
    for start, has in (("directory", "cache folder"), ("artifact", "artifact")):
        missed = report.cache(start, GRAPH_CACHES[0]) or report.cache(start, GRAPH_CACHES[1])
        if missed is not None and missed.misses:
            graphs = count(missed.misses, "graph was", "graphs were")
            yield f"{graphs} not in the {has}, and made anew{_dynamic(start)}"
    has_code = artifact.artifact is not None and "inductor" in artifact.artifact.parts
    if has_code and cpp_runs(report, "artifact") > cpp_runs(report, "directory"):
        yield (
            "the artifact has the source of C++ kernels, not what the compiler makes of it, which "
            "is made again in every start; the cache folder has both: on the CPU fill that folder "
            "when the service's image is built, by running warmup.py there (docs/warmup.md)"
        )


def _dynamic(start: str) -> str:
    if start == "artifact":
        return ""
    return ": with the profile of the first start torch compiles otherwise; the next start has them"


def _limits(report: WarmupReport, cold: Start | None) -> Iterator[str]:
    if cold is None or cold.process is None:
        return
    frames = report.run.processes[cold.process].frames
    names = [frame.name for frame in frames if any(c.hit_limit for c in frame.compilations)]
    if names:
        yield (
            f"the recompile limit is reached for {listed(sorted(set(names)))}: what does not fit "
            "by then runs without the compiler, in the service too"
        )


def _bypasses(report: WarmupReport) -> Iterator[str]:
    cost = report.costs.get("cold")
    for use in cost.caches if cost is not None else ():
        for reason in use.reasons[:_MOST_REASONS]:
            times = count(reason.count, "time")
            yield f"the {use.cache} cache was passed by {times} (torch: {one_line(reason.text)})"
