"""Graph breaks and recompiles as JSON."""

import dataclasses

from inspector.features.recompiles.case import is_zero_one
from inspector.records.calls import TargetCall, TargetFunction, Uncaught
from inspector.records.environment import Dropped
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.trial import Comparison
from inspector.report.baseline import KnownFinding
from inspector.report.gate import Compared, Gate
from inspector.report.json.common import COMMON, process_index, settings
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.report.overview import cut_warning
from inspector.report.report import FORMAT_VERSION, Report
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.ended import raised_frame
from inspector.run.graph_break import GraphBreak
from inspector.run.recompile import Bound, Change, Limit, Recompile, SymbolUse
from inspector.run.run import LogWarning, Process
from inspector.run.summary import Added, Summary
from inspector.run.verification import Measured, Trial, Verification
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.graph_break import Cause


@dataclasses.dataclass(frozen=True, slots=True)
class _Problem:
    """An error in the recorder."""

    process: int
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class _UnknownEvents:
    """Number of log events of one name that this version does not know."""

    process: int
    event: str
    count: int


def _warnings(scope: Scope) -> list[LogWarning]:
    """Lines of logs that could not be read, and a log that ends early."""
    run = scope.of(Report).run
    return [*run.warnings, *filter(None, [cut_warning(run)])]


def _problems(scope: Scope) -> list[_Problem]:
    """What failed in the recorder."""
    processes = enumerate(scope.of(Report).run.processes)
    return [_Problem(at, text) for at, process in processes for text in process.problems]


def _unknown_events(scope: Scope) -> list[_UnknownEvents]:
    """Events unknown to this version."""
    return [
        _UnknownEvents(index, event, process.unknown_events[event])
        for index, process in enumerate(scope.of(Report).run.processes)
        for event in sorted(process.unknown_events)
    ]


def _summary(scope: Scope) -> Summary:
    """The counts of this process."""
    return scope.of(Report).by_process[scope.index_of(Process)]


def _target(scope: Scope) -> TargetFunction | None:
    """The compilation target; null for a program or a plain trace."""
    return scope.of(Process).last(TargetFunction)


def _exceptions(scope: Scope) -> tuple[Uncaught, ...]:
    """Uncaught exceptions."""
    return scope.of(Process).records(Uncaught)


def _dropped(scope: Scope) -> Dropped | None:
    """Details dropped to limit the size of its logs, or null if none were."""
    return scope.of(Process).last(Dropped)


def _raised(scope: Scope) -> StackFrame | None:
    return raised_frame(scope.of(Uncaught), scope.of(Report).run.roots)


def _raised_file(scope: Scope) -> str | None:
    """The user's file that raised it."""
    frame = _raised(scope)
    return scope.shown(frame.file) if frame else None


def _raised_line(scope: Scope) -> int | None:
    """Line number in ``file``, from 1, or null if unknown."""
    frame = _raised(scope)
    return frame.line if frame else None


def _failed(scope: Scope) -> StackFrame | None:
    return user_frame(scope.of(Failure).stack, scope.of(Report).run.roots)


def _failed_file(scope: Scope) -> str | None:
    """File in user code where the compilation failed, or null if unknown."""
    frame = _failed(scope)
    return scope.shown(frame.file) or None if frame else None


def _failed_line(scope: Scope) -> int | None:
    """Line number in ``file``, from 1, or null if unknown."""
    frame = _failed(scope)
    return frame.line or None if frame else None


def _graph_breaks(scope: Scope) -> int:
    """Records of graph breaks."""
    return len(scope.of(Compilation).graph_breaks)


def _frame_id(scope: Scope) -> int | None:
    """Torch's id of the frame: the first number of the compile id."""
    return scope.of(Frame).frame_id


def _is_zero_one(scope: Scope) -> bool:
    """Whether a size of 0 or 1 was compiled as a constant."""
    return is_zero_one(scope.of(Recompile))


def _equal(scope: Scope) -> bool | None:
    """Whether all outputs are equal; null if none could be compared."""
    return scope.of(Comparison).equal


def _trial_settings(scope: Scope) -> dict[str, bool | list[str]]:
    """Settings of `torch._dynamo.config` by name."""
    return settings(Scope(scope.of(Trial).candidate))


VIEWS: Views = {
    **COMMON,
    Report: View(
        """format_version tool_version recording=run.meta:recording
        environment=run.processes:environment summary gate verification
        processes=run.processes findings frames=run.processes.frames
        graph_breaks=run.processes.frames.compilations.graph_breaks
        recompiles=run.processes.frames.compilations.recompile
        skipped_frames=run.processes.skipped calls=run.processes.calls unknown_events warnings
        problems next_steps""",
        format_version=FORMAT_VERSION,
        tool_version=tool_version,
        unknown_events=_unknown_events,
        warnings=_warnings,
        problems=_problems,
    ),
    "recording": View(
        """name format_version target settings< started? partial? error? error_detail?
        error_exit_code? exit_code"""
    ),
    "environment": View(
        "host? pid rank versions< hardware< target has_inspector_events", target=_target
    ),
    TargetFunction: View("name file? line? qualname kind"),
    Summary: View(
        """frames frames_compiled frames_skipped frames_failed frames_unfinished graphs operators
        operators_per_graph graph_breaks distinct_graph_breaks graph_breaks_raised recompiles
        recompile_limit_hits compile_time_ns compile_time_by_stage_ns=compile_time_by_stage{}
        later"""
    ),
    Added: View("graphs graph_breaks distinct_graph_breaks recompiles"),
    Gate: View("passed fail_on failing incomplete? baseline"),
    Compared: View("name new known fixed differences"),
    KnownFinding: View("rule severity message file? line? gb_id fingerprint"),
    Verification: View(
        """backend? deterministic baseline trials left_out not_tried? rewrites_left
        baseline_again"""
    ),
    Trial: View(
        """settings rewrites=candidate.rewrites gb_ids=candidate.gb_ids caution=candidate.caution?
        measured failure? removed added helps""",
        settings=_trial_settings,
    ),
    Measured: View(
        """graphs graph_breaks distinct_graph_breaks recompiles compilations compile_time_ns
        warm_call_ns least_warm_call_ns outputs"""
    ),
    Comparison: View("equal values differing uncompared max_abs_error first?", equal=_equal),
    Process: View(
        "process rank host? pid parent_pid ended exceptions cache_hits< dropped summary",
        process=process_index,
        exceptions=_exceptions,
        dropped=_dropped,
        summary=_summary,
    ),
    Uncaught: View(
        "type message file line thread? traceback", file=_raised_file, line=_raised_line
    ),
    Dropped: View("max_bytes without_details"),
    Frame: View(
        "process frame_id name file=~file? first_line? state compilations", process=process_index
    ),
    Compilation: View(
        """compile_id call graphs operators guards has_guarded_code graph_breaks failure
        restart_reasons recompile_reasons hit_limit finished start_time_ns duration_ns stack""",
        graph_breaks=_graph_breaks,
    ),
    Failure: View("type reason file line stack", file=_failed_file, line=_failed_line),
    GraphBreak: View(
        """process compile_id attempt frame_id frame=frame_name call gb_id=cause.gb_id
        gb_type=cause.gb_type title=cause.title explanation=cause.explanation
        context=cause.context file=~user.file? line=user.line? outcome has_graph evidence
        wrappers""",
        process=process_index,
        frame_id=_frame_id,
    ),
    Cause: View("gb_id gb_type title"),
    SkippedFrame: View(
        "process name file=~file? line? reason cause? is_entry stack", process=process_index
    ),
    StackFrame: View("file=~file line? name"),
    "coded": View("file=~file line? name code"),
    Recompile: View(
        """process compile_id entry class=kind origin source? name? index guard? comment? hint?
        before? now? answer new_keys missing_keys is_zero_one bounds changes
        hit_limit limit dynamic_sources=whitelist symbols guard_stack:coded caused_by:coded call
        duration_ns=time_ns compile_time_by_stage_ns=stages{} failure? stack:coded""",
        process=process_index,
        is_zero_one=_is_zero_one,
    ),
    Change: View("class=kind origin source name index before? now? is_dynamic specialized"),
    Bound: View("expression text parts"),
    Limit: View("name number raised"),
    SymbolUse: View("symbol source value specialized made:coded guarded:coded"),
    TargetCall: View("process input=input_index call state", process=process_index),
    LogWarning: View("file line? message"),
}
