"""Updates and writes of what a mask selects: ``y[m] *= 2``, ``y[m] = z``."""

from __future__ import annotations

import ast
import dataclasses

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import line_instead
from inspector.features.breaks.advice.effects import is_pure, is_total
from inspector.report.user_code.code import Code, called, dotted_name, replaced, widened
from inspector.shared.edit import Edit

# Functions and methods that give each element of what they are given, of all elements alike.
_ELEMENTWISE = frozenset(
    {"abs", "add", "bfloat16", "ceil", "clamp", "clamp_max", "clamp_min", "clone", "cos", "cosh",
     "detach", "div", "double", "erf", "exp", "expm1", "float", "floor", "gelu", "half", "int",
     "leaky_relu", "log", "log10", "log1p", "log2", "logsigmoid", "long", "maximum", "minimum",
     "mul", "neg", "pow", "reciprocal", "relu", "relu6", "round", "rsqrt", "sigmoid", "sign",
     "silu", "sin", "sinh", "softplus", "sqrt", "square", "sub", "tan", "tanh", "trunc", "where"}
)  # fmt: skip
# Those of them that give a tensor of its own, whatever its dtype was.
_NEW = (_ELEMENTWISE - {"bfloat16", "detach", "double", "float", "half", "int", "long"}) | {
    "empty_like", "full_like", "ones", "ones_like", "rand_like", "randn_like", "zeros", "zeros_like"
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class _Update:
    """A statement that computes something of the elements of a mask, and stores it there.

    Attributes:
        name: What it stores into.
        mask: The mask.
        value: What it stores, computed of all elements.
        kept: The same of a copy of what it stores into, which autograd may keep.
    """

    name: str
    mask: ast.expr
    value: ast.expr
    kept: ast.expr


def _update(code: Code) -> _Update | None:
    """The update that the statement is; None where it is another one."""
    match code.statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            stored = value
        case ast.AugAssign(target=ast.Subscript() as target, op=operation, value=value):
            read = ast.Subscript(target.value, target.slice, ast.Load())
            stored = ast.BinOp(read, operation, value)
        case _:
            return None
    mask = target.slice
    if isinstance(stored, ast.Subscript) or not dotted_name(target.value) or not _is_mask(mask):
        return None
    name = dotted_name(target.value)
    subscripts = (node for node in ast.walk(stored) if isinstance(node, ast.Subscript))
    chosen = [node for node in subscripts if ast.dump(node.slice) == ast.dump(mask)]
    value = replaced(stored, {node: node.value for node in chosen})
    if not chosen or not _is_elementwise(value) or not is_pure(mask):
        return None
    kept = {node: _copied(node.value, name) for node in chosen}
    return _Update(name, mask, value, replaced(stored, kept))


def _copied(value: ast.expr, name: str) -> ast.expr:
    """``y.clone()`` for what is stored into."""
    is_stored = dotted_name(value) == name
    return ast.Call(ast.Attribute(value, "clone", ast.Load()), [], []) if is_stored else value


def _is_mask(node: ast.expr) -> bool:
    """Whether an index can be a mask of bools, and is no number."""
    match node:
        case ast.Name() | ast.Attribute():
            return True
        case ast.Compare(
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq() | ast.NotEq()]
        ):
            return True
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _is_mask(operand)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return _is_mask(left) and _is_mask(right)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in {"bool", "isfinite", "isinf", "isnan", "logical_not"}
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
            known = name in _ELEMENTWISE and plain
            return known and all(map(_is_elementwise, (*on, *values)))
    return False


def _has_shape_of(update: _Update) -> bool:
    """Whether the mask certainly has the shape of what is stored into: ``y[y < 0]``."""
    match update.mask:
        case ast.Compare(left=left, comparators=[ast.Constant() | ast.UnaryOp()]):
            return dotted_name(left) == update.name
    return False


def _is_its_own(code: Code, name: str) -> bool:
    """Whether nobody else can know what a name stands for, so that it may be another tensor."""
    made, parents = code.setters(name), code.parents()
    is_new = all(isinstance(each, ast.Assign) and _makes_new(each.value) for each in made)
    is_new = is_new and bool(made) and name not in code.parameters()
    return is_new and not any(_is_handed_on(parents, x) for x in code.loads(name))


def _makes_new(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) or called(value) in _NEW


def _is_handed_on(parents: dict[ast.AST, ast.AST], load: ast.expr) -> bool:
    """Whether a use of a name gives what it stands for another name, or shows a part of it."""
    match parents.get(load):
        case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.Return() | ast.Subscript():
            return False
        case ast.Attribute(attr=name):
            return name not in _ELEMENTWISE | _NEW | {"shape", "dtype", "device"}
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name)):
            return name not in _ELEMENTWISE | _NEW
    return True


def _update_tailored(code: Code) -> str:
    update = _update(code)
    shown = code.shown(code.statement)
    if update is None or not shown:
        return ""
    name, mask = update.name, ast.unparse(update.mask)
    said = f"Compute it of all elements, and choose: `{_made(code, update)}` instead of `{shown}`"
    if code.missing_dims is None and not _has_shape_of(update):
        rows = f"{mask if isinstance(update.mask, ast.Name) else 'mask'}.unsqueeze(-1)"
        said += f", if the mask has the shape of `{name}` (`{rows}` where it chooses rows)"
    return f"{said}.{'' if is_total(update.value) else _NAN}"


def _made(code: Code, update: _Update) -> str:
    name, mask = update.name, widened(update.mask, code.missing_dims or 0)
    if _is_its_own(code, name):
        return f"{name} = torch.where({mask}, {ast.unparse(update.value)}, {name})"
    return f"{name}.copy_(torch.where({mask}, {ast.unparse(update.kept)}, {name}))"


def _update_edits(code: Code) -> tuple[Edit, ...]:
    update = _update(code)
    if update is None or not code.shown(code.statement):
        return ()
    return line_instead(code, _made(code, update))


_NAN = (
    " Where that is infinite or NaN for what is not selected, the gradient is NaN: compute it of "
    "`torch.where(mask, x, 1)`, then."
)


def _write(code: Code) -> tuple[ast.Subscript, ast.expr] | None:
    """The ``out[rows] = z`` that the statement is; None where it is another one."""
    match code.statement:
        case ast.Assign(targets=[ast.Subscript(slice=index) as target], value=value):
            chosen = isinstance(index, ast.Constant | ast.Slice | ast.Tuple)
            return None if chosen else (target, value)
    return None


def _write_tailored(code: Code) -> str:
    write = _write(code)
    shown = code.shown(code.statement)
    if write is None or not shown:
        return ""
    target, value = write
    name, mask, stored = map(ast.unparse, (target.value, target.slice, value))
    if code.missing_dims is None:
        rows = widened(target.slice, 1)
        said = (
            f"Use `{name}.masked_scatter_({rows}, {stored})` instead of `{shown}` if the mask "
            f"selects rows, `{name}.masked_scatter_({mask}, {stored})` if it has the shape of "
            f"`{name}`."
        )
    else:
        mask = widened(target.slice, code.missing_dims)
        said = f"Use `{name}.masked_scatter_({mask}, {stored})` instead of `{shown}`."
    return (
        f"{said} Its gradient has a fixed size. To write one value to all selected elements, "
        "use `torch.where`."
    )


UPDATES = (
    case(
        "masked-update",
        where=lambda code: _update(code) is not None,
        tailored=_update_tailored,
        edits=_update_edits,
    ),
)
WRITES = (
    case("masked-write", where=lambda code: _write(code) is not None, tailored=_write_tailored),
    case("captured-sizes"),
    case("captured-size-of-write"),
)
