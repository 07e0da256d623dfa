"""Recompilations that are put together by hand, and the advice for them."""

from typing import Any

from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.fix import fixes
from inspector.report.user_code.call_site import CallSite
from inspector.run.recompile import Answer, Origin, Recompile, RecompileClass
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId


def recompile(
    kind: RecompileClass, name: str, before: str = "1", now: str = "2", **fields: Any
) -> Recompile:
    """A recompilation because an argument changed."""
    known: dict[str, Any] = {
        "compile_id": CompileId(0, 1), "entry": None, "guard": "", "comment": "",
        "hint": "", "source": f"L['{name}']", "name": name, "kind": kind,
        "index": 0 if kind is RecompileClass.SIZE else None, "origin": Origin.ARGUMENT,
        "before": before, "now": now,
        "answer": Answer.AGAIN,
    }  # fmt: skip
    return Recompile(**{**known, **fields})


def line(code: str, number: int = 7) -> StackFrame:
    return StackFrame("/project/model.py", number, "f", code)


def advice(*items: Recompile, site: CallSite | None = None, **fields: Any) -> tuple[str, ...]:
    """What is advised for recompilations of `f`."""
    fields = {"history": items, **fields}
    return fixes(FixCase(items, site or CallSite(None), "f", Roots("/project"), **fields))
