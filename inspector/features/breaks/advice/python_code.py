"""Python around tensors: contexts, iterators, random numbers, what asks whether it is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.features.breaks.advice.advice import case
from inspector.report.user_code.code import Code, called, dotted_name, written


def _cached_property(code: Code) -> str:
    """An attribute has no lock of the program's: that of `functools.cached_property` is there."""
    if not isinstance(code.expression, ast.Attribute):
        return ""
    return (
        f"`{code.shown(code.expression) or code.expression.attr}` is computed under a lock that "
        "`functools.cached_property` has before Python 3.12: read it once before the first call of "
        "the compiled function, which finds the value then, or make it a `property`."
    )


_enters = written("_.enter_context(_)")


def _as_with(code: Code) -> str:
    shown = code.shown(code.call.args[0]) if code.call is not None else ""
    if not shown:
        return ""
    return (
        f"Write `with {shown}:` in place of `{code.shown(code.call) or 'enter_context'}`, around "
        "what runs in it; where a condition decides, "
        f"`with {shown} if condition else contextlib.nullcontext():`."
    )


_is_size = written("len", "len(_)", "_.shape[_]", "_.ndim", *(
    f"_.{name}(*_, **_)" for name in ("dim", "numel", "size")
))  # fmt: skip


def _by_size(code: Code) -> bool:
    """Whether the key of an order is a size, which is a number while tracing."""
    words = [node for node in code.nodes() if isinstance(node, ast.keyword) and node.arg == "key"]
    keys = (word.value for word in words)
    return any(_is_size(key.body if isinstance(key, ast.Lambda) else key) for key in keys)


def _random_decides(code: Code) -> str:
    """Where a branch decides by the number: as a tensor it would break the graph there."""
    for node in code.header():
        if isinstance(node, ast.If | ast.IfExp) and code.expression in [*ast.walk(node.test)]:
            shown = code.shown(node.test)
            return f"Decide `{shown}` in the caller, and pass the bool." if shown else ""
    return ""


# Those of torch, and of transformers around them.
_ASKING = frozenset({"is_compiling", "is_dynamo_compiling", "is_torchdynamo_compiling"})


def _set_uncompiled(code: Code) -> Iterator[tuple[str, ast.If]]:
    """What the statement needs and only code that is not compiled sets, and the branch of it."""
    names = [node for node in code.header() if isinstance(node, ast.Name)]
    needed = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    for node in code.walk():
        if isinstance(node, ast.If) and not node.orelse and _is_eager_alone(node.test):
            targets = [
                target
                for statement in node.body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
            ]
            yield from (
                (target.id, node)
                for target in targets
                if isinstance(target, ast.Name) and target.id in needed
            )


def _is_eager_alone(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call):
            return called(call) in _ASKING
        case ast.BoolOp(op=ast.And(), values=values):
            return any(map(_is_eager_alone, values))
    return False


def _set_anyway(code: Code) -> str:
    name, branch = next(_set_uncompiled(code))
    begin = f"Pass `{name}`" if name in code.parameters() else f"Set `{name}` in any case"
    test = code.shown(branch.test)
    return (
        f"{begin}: line {branch.lineno} sets it only where the code is not compiled"
        f"{f' (`{test}`)' if test else ''}, and what follows needs it."
    )


_asks_size = written("_.shape", "_.size", "_.numel", "_.ndim", "len")


def _as_bool(code: Code) -> str:
    """Names the condition, where a call has just one."""
    call = code.call or code.find(lambda node: isinstance(node, ast.Call))
    if not isinstance(call, ast.Call):
        return ""
    arguments = [*call.args, *(word.value for word in call.keywords)]
    found = [
        node for node in arguments if _is_condition(node) and any(map(_asks_size, ast.walk(node)))
    ]
    shown = code.shown(found[0]) if len(found) == 1 else ""
    return f"Write `True if {shown} else False` in place of `{shown}`: {_WHY}" if shown else ""


def _is_condition(node: ast.expr) -> bool:
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    is_bool = isinstance(node, ast.Call) and dotted_name(node.func) == "bool"
    return is_not or is_bool or isinstance(node, ast.Compare | ast.BoolOp)


_WHY = (
    "of a size that may change a comparison is a symbol, which this operator does not take (nor "
    "what `bool()` makes of it). A branch decides it while tracing, and each side is a program of "
    "its own, compiled once."
)


CONTEXTS = (
    case("entered-by-a-stack", where=lambda code: _enters(code.call), tailored=_as_with),
    case("lock", tailored=_cached_property),
    case("anomaly-mode"),
    case("context-manager"),
    case("context-variable"),
)
ITERATORS = (
    case("generator-from-outside"),
    case("next-of-outer-iterator"),
    case("max-by-size", where=_by_size),
    case("max-with-key"),
    case("sorted-tensors"),
    case("set-of-tensors"),
)
RANDOM = (
    case("manual-seed"),
    case("generator-argument"),
    case("generator-seed"),
    case("python-random", tailored=_random_decides),
    case("random-in-place"),
    case("uniform-from"),
)
COMPILING = (
    case(
        "set-only-uncompiled",
        where=lambda code: any(True for _ in _set_uncompiled(code)),
        tailored=_set_anyway,
    ),
)
SYM_BOOLS = (case("condition-on-size", tailored=_as_bool),)
