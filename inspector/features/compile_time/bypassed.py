"""What in a graph makes torch bypass a cache, the user's line of it, and what to do."""

import dataclasses
import re
from collections.abc import Iterator

from inspector.features.graph.operators import shown_operator
from inspector.features.graph.reading import captured_graphs
from inspector.run.graph import Node
from inspector.run.graph_places import GraphPlace
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame
from inspector.trace.graph_text import placed_lines

# torch/_inductor/codecache.py and torch/_functorch/_aot_autograd/autograd_cache.py, 2.11 to 2.13.
_HIGHER_ORDER = re.compile(r"Can't cache HigherOrderOperator: (?P<name>\w+)")
_FUNCTION = re.compile(
    r"Unsupported call_function target .*?Function module: (?P<module>[^\s,]+),\s+"
    r"Function name: (?P<name>[^\s,]+)",
    re.DOTALL,
)
_SPACE = "torch.ops.higher_order"
_EFFECTS = "with_effects"
_SHOWN = {
    "autograd_function_apply": "torch.autograd.Function",
    "cond": "torch.cond",
    "while_loop": "torch.while_loop",
}
# `with_effects(token, torch.ops.aten._linalg_check_errors.default, info, 'linalg.cholesky', …)`
_EFFECT = re.compile(
    r"higher_order\.with_effects\(\w+, torch\.ops\.(?P<operator>[\w.]+)"
    r"(?:.*'(?:torch\.)?(?P<says>linalg\.\w+)')?"
)
_LINALG = re.compile(r"linalg|inverse")
_AFTER_AOT = ("forward", "inference", "backward")


@dataclasses.dataclass(frozen=True, slots=True)
class Bypassed:
    """An operator that cannot be part of a cache's key.

    Attributes:
        operator: What a user calls it (``torch.linalg.cholesky``).
        key: The name by which a setting of torch's marks it as cacheable.
        checks: The function of torch.linalg whose errors it raises, or an empty string.
    """

    operator: str
    key: str
    frame: StackFrame | None = None
    checks: str = ""


def bypassed_key(reason: str) -> str:
    """The name by which a setting marks what a reason is about; empty where that is no operator."""
    found = _HIGHER_ORDER.fullmatch(reason.strip())
    if found:
        return f"{_SPACE}.{found['name']}"
    function = _FUNCTION.match(reason)
    return f"{function['module']}.{function['name']}" if function else ""


def bypassed_operators(run: Run, process: Process, compile_id: str, key: str) -> list[Bypassed]:
    """Where the operators are that a reason is about."""
    captured = captured_graphs(process, run.roots, {compile_id})
    nodes = [node for graph in captured for node in graph.nodes if node.is_compute]
    module, _, name = key.rpartition(".")
    if name == _EFFECTS:
        places = [place for place in process.graphs.places if place.compile_id == compile_id]
        return [*_effects(run, places, nodes, key)]
    full = re.compile(rf"(?:.*[._])?{re.escape(name)}(?:\.\w+)?")
    named = name if module == _SPACE else key
    shown = _SHOWN.get(name, named)
    return [Bypassed(shown, key, node.line) for node in nodes if full.fullmatch(node.target)] or [
        Bypassed(shown, key)
    ]


def _effects(run: Run, places: list[GraphPlace], nodes: list[Node], key: str) -> Iterator[Bypassed]:
    """The operators with an effect: a check of errors, a print, a custom operator."""
    for place in places:
        text = place.read_text() if place.stage in _AFTER_AOT else ""
        for line, frame in placed_lines(text):
            effect = _EFFECT.search(line)
            if effect is None:
                continue
            at = frame
            if at is None or not run.roots.is_user(at.file):
                # The operator's line in Dynamo's graph has the user's frames around torch's.
                says = effect["says"] or effect["operator"]
                names = {says.replace(".", "_"), says.rpartition(".")[2], *says.split(".")[-2:]}
                lines = (node.line for node in nodes if names & {*node.target.split(".")})
                at = next(lines, None)
            checks = (effect["says"] or "").removeprefix("linalg.")
            own = [
                shown_operator(node)
                for node in nodes
                if at and (at.file, at.line) in {(f.file, f.line) for f in node.stack}
            ]
            linalg = [name for name in own if _LINALG.search(name)]
            operator = effect["operator"].removesuffix(".default")
            shown = next(iter(linalg), f"torch.linalg.{checks}") if checks else operator
            yield Bypassed(shown.replace("linalg.linalg_", "linalg."), key, at, checks)
