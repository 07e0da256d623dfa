"""What the spans, lanes and processes of a timeline are called."""

from inspector.report.escaping import one_line
from inspector.report.processes import labels
from inspector.run.compile_time import CompilationTime
from inspector.run.lanes import LaneSpan
from inspector.run.run import Process, Run
from inspector.shared.stack import shown_name

_ROOTS = frozenset({"dynamo", "entire_backward_compile"})
_LONGEST = 500


def origin_ns(run: Run) -> int:
    """When the first span of all processes began; 0 where there is none."""
    begins = [lane.begins_ns[0] for process in run.processes for lane in process.lanes]
    return min(begins, default=0)


def process_names(run: Run) -> tuple[str, ...]:
    """A name for each process: rank, process id and host, as far as known."""
    return tuple(
        _cut(label if "pid" in label else f"{label} · pid {process.pid}")
        for label, process in zip(labels(run), run.processes, strict=True)
    )


def lane_names(run: Run) -> tuple[tuple[str, ...], ...]:
    """A name for each lane of each process: what compiles, and what ran beside it."""
    several = len(run.processes) > 1
    return tuple(
        tuple(
            (f"{name} · " if several else "") + (f"worker {number}" if number else "compilation")
            for number in range(len(process.lanes))
        )
        for name, process in zip(process_names(run), run.processes, strict=True)
    )


class SpanNames:
    """Names for the spans of a process, with what is known of their compilations."""

    def __init__(self, run: Run, process: Process) -> None:
        self._run = run
        self._known: dict[tuple[str, int], CompilationTime] = {}
        for time in process.compile_times:
            self._known.setdefault((time.compile_id, time.occurrence), time)

    def name(self, span: LaneSpan) -> str:
        """Torch's name; of the outermost span of a compilation, the compilation and its code."""
        kernel = dict(span.details).get("kernel_name", "")
        time = self._time(span)
        if span.name not in _ROOTS or time is None:
            return _cut(f"{span.name} {kernel}")
        backward = " (backward)" if span.name != "dynamo" else ""
        return _cut(f"{span.compile_id} {shown_name(time.name)}{backward}")

    def arguments(self, span: LaneSpan) -> dict[str, object]:
        """What else is known of a span, by name."""
        time = self._time(span)
        known: dict[str, object] = {"torch_span": _cut(span.name)}
        if span.compile_id:
            known["compile_id"] = _cut(span.compile_id)
        if time is not None and time.name:
            known["function"] = _cut(shown_name(time.name))
            known["defined_at"] = self._place(time.file, time.first_line)
            if time.user is not None:
                known["user_line"] = self._place(time.user.file, time.user.line)
        known |= {_cut(name): _cut(value) for name, value in span.details}
        if not span.ended:
            known["ended"] = "not logged"
        return known

    def _time(self, span: LaneSpan) -> CompilationTime | None:
        return self._known.get((span.compile_id, span.occurrence))

    def _place(self, file: str, line: int) -> str:
        return _cut(f"{self._run.roots.shown(file)}:{line}")


def _cut(text: str) -> str:
    """Recorded text on one line, harmless, and fit for JSON."""
    return one_line(text)[:_LONGEST]
