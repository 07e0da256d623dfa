"""Functions that take most of a cold start."""

from collections.abc import Iterator

from inspector.features.compile_time.cold_start import LEAST_NS, LEAST_SHARE, cold_start
from inspector.report.finding import Finding
from inspector.report.place import frame_kind
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.compile_time import PlaceTime
from inspector.run.run import Run
from inspector.shared.stack import StackFrame, shown_name

_ONCE = frozenset({"C++ vector check", "caches"})


class FrameTimeRule(Rule[Run, Finding]):
    """One function takes most of the compile time."""

    id = "frame-compile-time"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """At most one finding."""
        cold = cold_start(run)
        known = sorted((item for item in cold.frames if item.file), key=_own_ns, reverse=True)
        if cold.time_ns < LEAST_NS or len(known) < 2:  # noqa: PLR2004 - one is always the longest
            return
        total_ns = sum(map(_own_ns, known))
        if total_ns and _own_ns(known[0]) >= LEAST_SHARE * total_ns:
            yield _finding(run, known[0], total_ns)


def _own_ns(item: PlaceTime) -> int:
    """Its time without what the first function of a process pays for all of them."""
    return sum(stage.time_ns for stage in item.stages if stage.stage not in _ONCE)


def _finding(run: Run, item: PlaceTime, total_ns: int) -> Finding:
    place = StackFrame(item.file, item.line, item.name)
    several = item.compilations > 1
    stages = ", ".join(f"{stage.stage} {duration(stage.time_ns)}" for stage in item.stages[:3])
    return Finding(
        **RULE.at(run, place, frame_kind(run, item.file, item.name)),
        message=f"{shown_name(item.name)} takes {duration(_own_ns(item))} of "
        f"{duration(total_ns)} of compile time",
        why=f"{count(item.compilations, 'compilation')}: {stages}",
        fix="See why it recompiles: `inspect rule recompile`."
        if several
        else "If a block repeats in it, compile the block instead: call .compile() on each "
        "instance of the block, or use torch.compiler.nested_compile_region.",
        records=item.compilations,
        evidence="chromium_event",
    )


RULE = FrameTimeRule()
