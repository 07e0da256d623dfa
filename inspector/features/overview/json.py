"""Graph breaks and recompiles as JSON."""

from inspector.features.recompiles.case import is_zero_one
from inspector.records.calls import TargetCall, TargetFunction, Uncaught
from inspector.records.environment import Dropped
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.trial import Comparison
from inspector.report.gate import Compared, Gate
from inspector.report.json.common import COMMON, process_index
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.report.overview import cut_warning
from inspector.report.report import FORMAT_VERSION, Report
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.ended import raised_frame
from inspector.run.graph_break import GraphBreak
from inspector.run.recompile import Bound, Change, Limit, Recompile, SymbolUse
from inspector.run.run import LogWarning, Process
from inspector.run.summary import Summary
from inspector.run.verification import Trial, Verification
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.graph_break import Cause


def _warnings(scope: Scope) -> list[LogWarning]:
    """Lines of logs that could not be read, and a log that ends early."""
    run = scope.of(Report).run
    return [*run.warnings, *filter(None, [cut_warning(run)])]


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


def _failed(scope: Scope) -> StackFrame | None:
    return user_frame(scope.of(Failure).stack, scope.of(Report).run.roots)


def _graph_breaks(scope: Scope) -> int:
    """Number of graph break records."""
    return len(scope.of(Compilation).graph_breaks)


def _frame_id(scope: Scope) -> int | None:
    """Torch's id of the frame: the first number of the compile id."""
    return scope.of(Frame).frame_id


def _is_zero_one(scope: Scope) -> bool:
    """Whether a size of 0 or 1 was compiled as a constant."""
    return is_zero_one(scope.of(Recompile))


VIEWS: Views = {
    **COMMON,
    Report: View(
        """format_version tool_version recording=run.meta:recording
        environment=run.processes:environment summary gate verification
        processes=run.processes findings frames=run.processes.frames
        graph_breaks=run.processes.frames.compilations.graph_breaks
        recompiles=run.processes.frames.compilations.recompile
        skipped_frames=run.processes.skipped calls=run.processes.calls warnings next_steps""",
        format_version=FORMAT_VERSION,
        tool_version=tool_version,
        warnings=_warnings,
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
    Gate: View("passed fail_on failing incomplete? baseline"),
    Compared: View("name new known fixed:known differences"),
    "known": View("rule severity message file=place.file? line=place.line? gb_id fingerprint"),
    Verification: View(
        "backend? deterministic baseline trials not_tried? rewrites_left baseline_again"
    ),
    Trial: View(
        """settings=candidate.settings{} rewrites=candidate.rewrites gb_ids=candidate.gb_ids
        caution=candidate.caution? measured failure? removed added helps"""
    ),
    Comparison: View("equal values differing uncompared max_abs_error first?"),
    Process: View(
        "process rank host? pid parent_pid ended exceptions cache_hits< dropped summary problems "
        "unknown_events<",
        process=process_index,
        exceptions=_exceptions,
        dropped=_dropped,
        summary=_summary,
    ),
    Uncaught: View(
        "type message file=~raised.file line=raised.line? thread? traceback", raised=_raised
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
    Failure: View("type reason file=~failed.file line=failed.line? stack", failed=_failed),
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
