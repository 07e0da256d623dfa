"""What the user's code at a graph break is like: the words after ``when:`` of a case."""

import ast
from collections.abc import Callable, Iterator

from inspector.features.breaks.advice.branches import conjunction, negation, raised
from inspector.features.breaks.advice.choices import Choices
from inspector.features.breaks.advice.conditions import branches_by, decides, has_numbers
from inspector.features.breaks.advice.effects import MODES
from inspector.features.breaks.advice.items import is_element
from inspector.features.breaks.advice.masked import masked_update
from inspector.features.breaks.advice.numbers import is_number_of, tensor_of
from inspector.features.breaks.advice.numpy_numbers import numpy_of_sizes
from inspector.features.breaks.advice.reports import is_reported, only_reports
from inspector.features.breaks.advice.size_decisions import (
    deciding_by_size,
    in_loop_by_size,
    is_where,
    skips_alone,
    visits_alone,
)
from inspector.features.breaks.advice.size_uses import list_uses, number_uses
from inspector.report.user_code.code import Code, attribute, called, dotted_name, names_of, written

Predicate = Callable[[Code], bool]

_ORDERING = frozenset({"max", "min", "nlargest", "nsmallest", "sort", "sorted"})
_RANDOM = frozenset(
    {"bernoulli", "choice", "choices", "rand", "randint", "random", "randrange", "uniform"}
)
_inits_base = written("super().__init__(*_, **_)", "_.__init__(*_, **_)")


def predicate(words: str) -> Predicate:
    """The predicate of a name, or of one with words: ``calls(hash|id)``."""
    name, _, arguments = words.partition("(")
    names = frozenset(arguments.removesuffix(")").split("|"))
    match name:
        case "calls":
            return lambda code: code.has(lambda node: called(node) in names)
        case "calls_in_function":
            return lambda code: any(
                called(node) in names for node in (*code.walk(), *code.header())
            )
        case "calls_module":
            begin = tuple(f"{each}." for each in names)
            return lambda code: code.has(
                lambda node: isinstance(node, ast.Call) and dotted_name(node.func).startswith(begin)
            )
    return PREDICATES[name]


def _makes_number(node: ast.expr) -> bool:
    is_conversion = isinstance(node, ast.Name) and node.id in {"bool", "float", "int"}
    return is_conversion or attribute("item")(node)


def _indexes_list(code: Code) -> bool:
    """``tables[index]`` of a tensor, or of a number that is made of one for this alone."""
    if not code.has(_makes_number):
        return code.has(is_element)
    node: ast.AST | None = code.find(lambda each: is_number_of(each, "int", "bool"))
    parents = code.parents()
    while node is not None and isinstance(parents.get(node), ast.BinOp | ast.UnaryOp):
        node = parents[node]
    loads: list[ast.AST] = [node] if node is not None else []
    if node is not None and isinstance(parents.get(node), ast.Assign):
        loads = list(code.loads(code.target)) if len(code.stores(code.target)) == 1 else []
    return bool(loads) and all(_is_index(parents.get(load), load) for load in loads)


def _is_index(node: ast.AST | None, child: ast.AST) -> bool:
    match node:
        case ast.Subscript(slice=index, ctx=ast.Load()):
            return index is child
    return False


def _is_element(code: Code) -> bool:
    """Torch points at ``x[i] * 2`` for ``x[i]``; nothing else there may need a number."""
    pointed = code.expression
    return (pointed is not None and is_element(pointed)) or (
        code.has(is_element) and not code.has(_needs_number)
    )


def _needs_number(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    is_math = dotted_name(node.func).startswith(("math.", "np.", "numpy."))
    return is_math or _makes_number(node.func) or attribute("numpy", "tolist")(node.func)


def _sorts_by_values(code: Code) -> bool:
    """Whether tensors are sorted here, or something is by a ``key=`` function."""
    return any(
        called(node) == "sorted" or any(word.arg == "key" for word in node.keywords)
        for node in code.header()
        if isinstance(node, ast.Call) and called(node) in _ORDERING
    )


def _leaves_step(code: Code) -> bool:
    """Whether a branch leaves the step of the loop around it, or the loop."""
    if not isinstance(code.statement, ast.If):
        return False
    inner = list(_of_this_loop(code.statement))
    return any(isinstance(node, ast.Break | ast.Continue) for node in inner) or (
        any(isinstance(node, ast.Return) for node in inner) and code.is_in_loop()
    )


def _of_this_loop(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef):
                yield from _of_this_loop(child)


def _bounds_loop(code: Code) -> bool:
    """Whether the number that is made here says how often a loop runs."""
    ranges = [node for node in code.header() if called(node) == "range"]
    if ranges:
        inner = [node for found in ranges for node in ast.walk(found)]
        return code.expression is None or code.expression in inner
    tests = [node.test for node in code.walk() if isinstance(node, ast.While)]
    bounds = [*tests, *(node for node in code.walk() if called(node) == "range")]
    return bool(code.target) and any(code.target in names_of(node) for node in bounds)


def _is_position(code: Code) -> bool:
    """``queue[:, at : at + count] = values`` after ``at = int(self.ptr)``."""
    held = tensor_of(code.find(lambda node: is_number_of(node, "int")))
    lower = (part.lower for part in _written_slices(code))
    is_held = isinstance(held, ast.Name | ast.Attribute)
    return is_held and any(isinstance(x, ast.Name) and x.id == code.target for x in lower)


def _writes_slice(code: Code) -> bool:
    """``x[:, start : start + n] = 0`` after ``n = int(…)``."""
    return any(code.target in names_of(part) for part in _written_slices(code))


def _written_slices(code: Code) -> Iterator[ast.Slice]:
    for node in code.walk():
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from (part for part in ast.walk(node.slice) if isinstance(part, ast.Slice))


def _decides_at_random(code: Code) -> bool:
    """Whether a branch is taken by a random number that the function draws."""
    drawn: set[str] = set()

    def is_drawn(node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in _RANDOM
            case ast.Name(id=name):
                return name in drawn
        return False

    assigned = (node for node in code.walk() if isinstance(node, ast.Assign))
    for node in sorted(assigned, key=lambda each: each.lineno):
        value = tensor_of(node.value) or node.value
        parts = ast.walk(value) if isinstance(value, ast.Compare | ast.BoolOp) else [value]
        if any(map(is_drawn, parts)):
            drawn |= frozenset().union(*map(names_of, node.targets))
    nodes = code.walk() if code.target in drawn else code.header()
    tests = (node.test for node in nodes if isinstance(node, ast.If | ast.IfExp))
    return any(map(is_drawn, (part for test in tests for part in ast.walk(test))))


def _raises(code: Code) -> bool:
    """Whether a branch does nothing but raise an error that leaves the function."""
    return raised(code) is not None and not _is_caught(code)


def _is_caught(code: Code) -> bool:
    """Whether the function, or what calls it, may catch an error of the statement, and go on."""
    return any(map(_catches, (code, *code.callers)))


def _catches(code: Code) -> bool:
    """One that raises again changes no more than the type; which errors it catches is not asked."""
    child: ast.AST | None = code.statement
    for parent in code.ancestors():
        match parent:
            case ast.Try(body=body, handlers=handlers) if child in body:
                if not all(isinstance(handler.body[0], ast.Raise) for handler in handlers):
                    return True
            case ast.With(items=items) if any(called(x.context_expr) == "suppress" for x in items):
                return True
        child = parent
    return False


def _raises_alone(code: Code) -> bool:
    """Whether nothing is reported before: an assertion in the place of it reports nothing."""
    return _raises(code) and isinstance(code.statement, ast.If) and len(code.statement.body) == 1


def _does_more(code: Code) -> bool:
    """Whether a side visibly does what `torch.where` and `torch.cond` cannot do."""
    match code.statement:
        case ast.If(body=body, orelse=orelse):
            sides = [*body, *orelse]
        case ast.Assign(targets=targets, value=ast.IfExp(body=one, orelse=two)):
            sides = [ast.Assign(targets, one), ast.Assign(targets, two)]
        case ast.Return(value=ast.IfExp(body=one, orelse=two)):
            sides = [ast.Return(one), ast.Return(two)]
        case _:
            return False
    return any(map(_is_no_choice, sides)) and Choices.of(code) is None


def _is_no_choice(statement: ast.stmt) -> bool:
    match statement:
        case ast.For(body=body, orelse=orelse) | ast.If(body=body, orelse=orelse):
            return any(map(_is_no_choice, (*body, *orelse)))
        case ast.With(body=body):
            return any(map(_is_no_choice, body))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=whole)):
            more = ast.unparse(whole) == name  # of another shape
        case (
            ast.Return(value=ast.Constant(value=value))
            | ast.Assign(value=ast.Constant(value=value))
        ):
            more = isinstance(value, None | str | bool)
        case ast.Return(value=ast.expr() as made) | ast.Assign(value=made):
            kinds = (ast.JoinedStr, ast.List, ast.Dict, ast.Set)
            more = isinstance(made, kinds) or called(made) in MODES
        case ast.AugAssign(target=target, value=ast.Constant()):
            more = not isinstance(target, ast.Name)
        case ast.Expr(value=ast.Call() as call):
            more = not called(call).endswith("_")
        case _:
            more = isinstance(statement, ast.Raise | ast.Return | ast.Delete)
    return more


def _number_decides(code: Code) -> bool:
    """Whether a branch, here or below, decides by the number."""
    tests = [node.test for node in code.header() if isinstance(node, ast.If | ast.IfExp)]
    if code.expression is None:
        inside = any(map(has_numbers, tests))
    else:
        inside = any(node is code.expression for test in tests for node in ast.walk(test))
    return inside or any(True for _ in branches_by(code))


def _is_error(code: Code) -> bool:
    """Whether the line raises, or makes what its caller raises and nothing catches."""
    if isinstance(code.statement, ast.Raise):
        return True
    makes = isinstance(code.statement, ast.Expr) and _inits_base(code.statement.value)
    callers = [each for each in code.callers if isinstance(each.statement, ast.Raise)]
    return makes and bool(callers)


def _statement(*kinds: type[ast.stmt]) -> Predicate:
    return lambda code: isinstance(code.statement, kinds)


_compares = written("_ in _", "_ not in _", "_.equal(*_, **_)", "_.allclose(*_, **_)")
PREDICATES: dict[str, Predicate] = {
    "checks_number": lambda code: isinstance(code.statement, ast.Assert) or _raises(code),
    "compares_values": lambda code: code.has(_compares),
    "cuts_at_tensor": lambda code: (
        any(isinstance(node, ast.Slice) for node in code.nodes()) and not code.has(_makes_number)
    ),
    "decides_at_random": _decides_at_random,
    "does_more": decides(_does_more),
    "feeds_size": lambda code: (
        ((uses := number_uses(code)).is_size and not uses.is_needed) or list_uses(code).is_size
    ),
    "finds_indices": lambda code: code.has(attribute("nonzero", "argwhere")) or code.has(is_where),
    "in_loop": lambda code: code.is_in_loop(),
    "in_loop_by_size": in_loop_by_size,
    "indexes_list": _indexes_list,
    "is_assert": _statement(ast.Assert),
    "is_element": _is_element,
    "is_not_decided_by_size": lambda code: not any(True for _ in deciding_by_size(code)),
    "is_position": _is_position,
    "is_reported": is_reported,
    "lists_values": lambda code: any(called(x) in {"numpy", "tolist"} for x in code.header()),
    "loops_by_value": lambda code: isinstance(code.statement, ast.While) or _bounds_loop(code),
    "joins_tensors": lambda code: conjunction(code) is not None,
    "leaves_function": lambda code: (
        is_reported(code) or not code.has(lambda node: tensor_of(node) is not None)
    ),
    "leaves_line": lambda code: (
        not isinstance(code.statement, ast.If | ast.While | ast.For | ast.Assert)
    ),
    "leaves_step": decides(_leaves_step),
    "negates_tensors": lambda code: negation(code) is not None,
    "number_decides": _number_decides,
    "numpy_of_sizes": numpy_of_sizes,
    "raises": _is_error,
    "raises_alone": decides(_raises_alone),
    "raises_or_reports": decides(lambda code: _raises(code) or only_reports(code)),
    "selects": lambda code: (
        code.statement is None
        or code.has(lambda node: is_element(node) or called(node) == "masked_select")
    ),
    "skips_alone": skips_alone,
    "sorts_by_values": _sorts_by_values,
    "updates_masked": lambda code: bool(masked_update(code)),
    "visits_alone": visits_alone,
    "writes_slice": _writes_slice,
}
"""By name; `predicate` knows ``calls``, ``calls_in_function`` and ``calls_module`` as well."""
