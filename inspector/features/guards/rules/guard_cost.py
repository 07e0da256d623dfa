"""Guards that take a good part of every call."""

from collections.abc import Iterator

from inspector.features.guards.time import GuardTime, guard_time
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.cost import Cost, CostKind
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame

# Below either, another fix gains more.
_LEAST_SHARE = 0.10
_LEAST_NS = 20_000

_STANCE = (
    "Once all shapes have been seen, call torch.compiler.set_stance(skip_guard_eval_unsafe=True). "
    "Only the guards that distinguish compiled versions are then checked."
)
_FILTER = (
    'Compile with torch.compile(model, options={"guard_filter_fn": '
    "torch.compiler.skip_guard_on_all_nn_modules_unsafe}) to drop the guards on the model's own "
    "state. Do not change the model afterwards."
)


class GuardCostRule(Rule[Run, Finding]):
    """Guards take a large share of every call."""

    id = "guard-cost"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per process whose guards take long."""
        for process in run.processes:
            time = guard_time(process)
            # Noise adds to one call and not to all: it alone makes no finding.
            if time and time.least_ns >= max(_LEAST_NS, _LEAST_SHARE * time.call_ns):
                yield _finding(run, process, time)


_RECOMPILED = (
    "Fix the recompilations first: every call tries the compiled versions until one matches, and "
    "the guards that distinguish them cannot be dropped."
)


def _finding(run: Run, process: Process, time: GuardTime) -> Finding:
    # With several versions of a function, dropping guards can choose the wrong one.
    is_recompiled = any(
        item.is_recompile or item.hit_limit
        for frame in process.frames
        for item in frame.compilations
    )
    # The frame whose guards take most.
    frame_id = max(time.by_frame, key=lambda number: time.by_frame[number], default=None)
    frame = next((frame for frame in process.frames if frame.frame_id == frame_id), None)
    place = StackFrame(frame.file, frame.first_line, frame.name) if frame else None
    return Finding(
        **RULE.at(run, place),
        message=f"guards take {time.share:.0%} of a call",
        why=f"{count(round(time.lookups), 'cache lookup')} per call: {duration(time.per_call_ns)} "
        f"of {duration(time.call_ns)}, measured in {count(time.calls, 'warm call')}",
        fix=_RECOMPILED if is_recompiled else _STANCE,
        alternatives=() if is_recompiled else (_FILTER,),
        notes=("inspect guards shows the guards of each part of the model",),
        evidence="inspector_profile",
        cost=Cost(
            kind=CostKind.MEASURED,
            cost_ns=time.per_call_ns,
            outside_ns=time.per_call_ns,
            executions_per_call=time.lookups,
            calls=time.calls,
            call_ns=time.call_ns,
        ),
    )


RULE = GuardCostRule()
