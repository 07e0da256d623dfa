"""Updates and writes of what a mask selects: ``y[m] *= 2``, ``y[m] = x[m]``, ``y[m] = z``."""

import ast

from inspector.features.breaks.advice.edits import Fix, line_instead
from inspector.features.breaks.advice.effects import is_pure
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, called, dotted_name, replaced

# Functions and methods that give each element of what they are given, of all elements alike.
_ELEMENTWISE = frozenset(
    {"abs", "add", "bfloat16", "ceil", "clamp", "clamp_max", "clamp_min", "clone", "cos", "cosh",
     "detach", "div", "double", "erf", "exp", "expm1", "float", "floor", "gelu", "half", "int",
     "leaky_relu", "log", "log10", "log1p", "log2", "logsigmoid", "long", "maximum", "minimum",
     "mul", "neg", "pow", "reciprocal", "relu", "relu6", "round", "rsqrt", "sigmoid", "sign",
     "silu", "sin", "sinh", "softplus", "sqrt", "square", "sub", "tan", "tanh", "trunc", "where"}
)  # fmt: skip
_BOOLS = frozenset({"bool", "isfinite", "isinf", "isnan", "logical_not"})
_SHAPE = (
    "if the mask has the shape of the target (`mask.unsqueeze(-1)` if it selects rows), and all "
    "values and their gradients are finite"
)


def masked_update(code: Code) -> str:
    """``y.copy_(torch.where(m, f(y.clone()), y))`` for ``y[m] = f(y[m])``; empty for all else.

    What is stored into is written in place, as others may know it, and autograd may keep it.
    """
    match code.statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=stored):
            pass
        case ast.AugAssign(target=ast.Subscript() as target, op=operation, value=value):
            stored = ast.BinOp(ast.Subscript(target.value, target.slice), operation, value)
        case _:
            return ""
    name, mask = dotted_name(target.value), target.slice
    chosen = [
        node
        for node in ast.walk(stored)
        if isinstance(node, ast.Subscript) and ast.dump(node.slice) == ast.dump(mask)
    ]
    new = {node: node.value for node in chosen}
    is_known = bool(name and chosen) and _is_mask(mask) and is_pure(mask)
    if not is_known or not _is_elementwise(replaced(stored, new)):
        return ""
    is_copied = stored not in new
    copies = {
        node: ast.Call(ast.Attribute(each, "clone"), [], [])
        for node, each in new.items()
        if is_copied and dotted_name(each) == name
    }
    shown = ast.unparse(replaced(stored, {**new, **copies}))
    return f"{name}.copy_(torch.where({ast.unparse(mask)}, {shown}, {name}))"


def _is_mask(node: ast.expr) -> bool:
    """Whether an index can be a mask of bools, and is no number."""
    match node:
        case ast.Name() | ast.Attribute():
            return True
        case ast.Compare(ops=[operation]):
            return not isinstance(operation, ast.In | ast.NotIn | ast.Is | ast.IsNot)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _is_mask(operand)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return _is_mask(left) and _is_mask(right)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _BOOLS
    return False


def _is_elementwise(node: ast.expr) -> bool:
    """Whether an element depends on those in its place alone."""
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute():
            return bool(dotted_name(node))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_elementwise(operand)
        case ast.BinOp(op=operation, left=left, right=right):
            sides = _is_elementwise(left) and _is_elementwise(right)
            return sides and not isinstance(operation, ast.MatMult)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=words):
            plain = all(word.arg in {"max", "min"} for word in words)
            values = [*args, *(word.value for word in words)]
            on = [] if dotted_name(value) in {"torch", "F"} else [value]
            return name in _ELEMENTWISE and plain and all(map(_is_elementwise, (*on, *values)))
    return False


def update(code: Code) -> Fix:
    """An update of what a mask selects, as a choice."""
    found, old = masked_update(code), code.shown(code.statement)
    text = f"Compute it for all elements and select: `{found}` instead of `{old}`, {_SHAPE}."
    return Fix(text, line_instead(code, found)) if found and old else Fix()


# What a filling leaves as it is.
_REDUCES = frozenset({"all", "amax", "amin", "any", "max", "min", "sum"})


def selection(code: Code) -> str:
    """The setting, where a filling would change what is made of a selection: a mean, a size."""
    reduced = [
        node.func.value
        for node in ast.walk(code.function or code.statement or ast.Pass())
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _REDUCES
    ]
    if code.target:
        loads = code.loads(code.target)
        is_reduced = bool(loads) and {*loads} <= {*reduced}
    else:
        here = [*code.header()]
        is_reduced = any(
            node in here and (isinstance(node, ast.Subscript) or called(node) == "masked_select")
            for node in reduced
        )
    if code.statement is None or is_reduced:
        return ""
    return (
        f"Use {under('capture_dynamic_output_shape_ops=True')}. The size is then a symbol in the "
        "graph, as long as no Python branch or loop depends on it."
    )
