"""Library calls in output code that repeat another one: of the same, unchanged since."""

import ast
import re
from collections.abc import Iterable, Mapping

from inspector.run.kernel import Call, Kernel

# What ATen gives is the same for the same arguments, but for random numbers and attention with
# dropout; what belongs to others may do anything.
_SAME = re.compile(r"aten\.|prims\.|mkldnn\.|quantized\.")
_DRAWS = re.compile(r"rand|bernoulli|dropout|normal_|multinomial|exponential|attention|rrelu|rng")
_IN_PLACE = re.compile(r"_(?:\.|$)")
# `extern "C" void kernel(const float* in_ptr0, float* out_ptr0, const int64_t ks0)`, 2.11 to 2.13
# (torch/_inductor/codegen/cpp.py): what comes before the function is one line of `#include`.
_CPP = re.compile(r"\bvoid\s+(?:kernel|\w+)\s*\((?P<parameters>[^)]*)\)")
_BRANCHES = ast.If | ast.For | ast.While | ast.Try


def repeats(
    function: ast.FunctionDef, calls: Iterable[Call], kernels: Mapping[str, Kernel]
) -> dict[int, int]:
    """The lines of library calls that repeat another one of the function's, with the first's line.

    Buffers have one name each, and what is computed anew has another: calls of equal texts are of
    the same unless something is written to what they take in between.

    Args:
        calls: In the order of their lines.
    """
    nodes: dict[int, ast.Call] = {}
    for node in ast.walk(function):  # the outermost call of a line comes first
        if isinstance(node, _BRANCHES):
            return {}  # what is in a branch or a loop may not have run
        if isinstance(node, ast.Call):
            nodes.setdefault(node.lineno, node)
    found: dict[int, int] = {}
    seen: dict[str, tuple[int, set[str]]] = {}
    for call in calls:
        if call.line not in nodes:
            continue
        node = nodes[call.line]
        written = _written(node, call, kernels)
        if call.kind != "kernel" and _is_pure(call):
            words = [word for word in node.keywords if word.arg != "out"]
            text = ast.unparse(ast.Call(node.func, node.args, words))
            if text in seen:
                found[call.line] = seen[text][0]
            seen.setdefault(text, (call.line, _names(*node.args, *words)))
        seen = {text: known for text, known in seen.items() if written.isdisjoint(known[1])}
    return found


def _is_pure(call: Call) -> bool:
    """Whether a library gives the same for the same arguments, and changes none of them."""
    is_known = call.kind == "extern" or _SAME.match(call.name)
    return bool(is_known) and not (_DRAWS.search(call.name) or _IN_PLACE.search(call.name))


def _written(node: ast.Call, call: Call, kernels: Mapping[str, Kernel]) -> set[str]:
    """The buffers that a call may write to."""
    if call.kind != "kernel":
        out = [word.value for word in node.keywords if word.arg == "out"]
        return _names(*out) if _is_pure(call) else _names(node)
    names = _parameters(kernels[call.name])
    if len(names) < len(node.args):
        return _names(node)
    # Inductor names what is read `in_ptr…`, what is written `out_ptr…`, and both `in_out_ptr…`.
    pairs = zip(names, node.args, strict=False)
    return _names(*(argument for name, argument in pairs if "out_ptr" in name))


def _parameters(kernel: Kernel) -> tuple[str, ...]:
    """The names of the parameters in their order, of numbers as well; empty if not known."""
    if kernel.is_user_written:
        return ()
    if kernel.language == "triton":
        return tuple(kernel.signature)
    found = _CPP.search(kernel.source)
    parameters = found["parameters"].split(",") if found else []
    return tuple(item.split()[-1].lstrip("*") for item in parameters if item.strip())


def _names(*nodes: ast.AST) -> set[str]:
    return {item.id for node in nodes for item in ast.walk(node) if isinstance(item, ast.Name)}
