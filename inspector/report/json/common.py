"""How findings, recordings and stacks are written in every report."""

from inspector.report.finding import Example, Finding, StackLine
from inspector.report.json.encode import Scope, View, Views
from inspector.run.cost import Cost
from inspector.run.run import Process
from inspector.run.source import SourceLine
from inspector.run.verification import AdviceTrial
from inspector.shared.edit import Edit, Rewrite


def process_index(scope: Scope) -> int:
    """Index of its process in ``environment``."""
    return scope.index_of(Process)


def versions(scope: Scope) -> list[dict[str, str]]:
    """Versions of torch and related packages by name, for each process."""
    return [dict(sorted(process.versions.items())) for process in scope.value.run.processes]


COMMON: Views = {
    "line": View("file line code? makes"),
    "recording": View("name target settings< started? partial? error?"),
    Finding: View(
        """rule severity message file=place.file? line=place.line? column=place.column
        end_line=place.end_line end_column=place.end_column function=place.function? records why
        output? fix alternatives example hints notes=all_notes fingerprint gb_id gb_type url?
        outcome? evidence later cost_ns=cost.cost_ns cost_kind=cost.kind
        crossing_bytes=cost.crossing_bytes executions_per_call=cost.executions_per_call cost is_new
        fails_gate verified recompiles=recompiles.compile_id processes excerpt=place.excerpt
        stack=place.stack"""
    ),
    Cost: View(
        """outside_ns parts_ns=shares{} shared_ns shared_with fusible_bytes crossing_ns calls spread
        scale call_ns is_whole_frame backend? note?"""
    ),
    Example: View("id title before after keeps tested_on"),
    SourceLine: View("line=number text"),
    StackLine: View("file line? name code owner"),
    AdviceTrial: View("settings{} rewrites outputs_equal recompiles warm_call_ratio"),
    Rewrite: View("advice file line edits"),
    Edit: View("line column end_line end_column old new"),
}
