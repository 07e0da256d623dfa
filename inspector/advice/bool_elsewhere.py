"""Branches on what is a tensor in one call and a Python bool in another."""

from __future__ import annotations

import ast

from inspector.advice.code import Code, dotted_name, header
from inspector.advice.kinds import BRANCH
from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import is_bool_and_tensor
from inspector.model.graph_break import GraphBreak
from inspector.model.run import Run
from inspector.model.stack import plain_name


def bool_elsewhere(run: Run, record: GraphBreak, code: Code) -> str:
    """What to pass where other calls show that a bool will do; empty where none does.

    `torch.where` would not take that bool.
    """
    name = _decided_by(code) if record.cause.gb_id == BRANCH.gb_id else ""
    own = (record.frame_file, plain_name(record.frame_name))
    frames = (frame for process in run.processes for frame in process.frames)
    found = (
        item.recompile
        for frame in frames
        if (frame.file, plain_name(frame.name)) == own
        for item in frame.compilations
        if item.recompile is not None and is_bool_and_tensor(item.recompile)
    )
    if not name or not any(user_spelling(item.name) == name for item in found):
        return ""
    return (
        f"Pass `{name}` as a Python bool in every call, as other calls do: `bool({name})` in the "
        "caller. Each value is compiled once."
    )


def _decided_by(code: Code) -> str:
    """The one name that the branch asks for, or an empty string."""
    tests = [
        node.test
        for node in (header(code.statement) if code.statement else ())
        if isinstance(node, ast.If | ast.IfExp | ast.While)
    ]
    match tests:
        case [ast.UnaryOp(op=ast.Not(), operand=test)] | [test]:
            return dotted_name(test)
    return ""
