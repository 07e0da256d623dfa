"""What code does besides computing a value, as far as its syntax shows: when in doubt, something.

Advice that moves code, or computes what was not computed before, is right only where nobody can
tell the difference.
"""

import ast
from collections.abc import Iterator

from inspector.report.user_code.code import Code, dotted_name

REDUCTIONS = frozenset(
    {"amax", "amin", "argmax", "argmin", "max", "mean", "median", "min", "norm", "prod", "std",
     "sum", "var"}
)  # fmt: skip
"""Without arguments these give a new tensor of no dimensions (tried on torch 2.11 and 2.13)."""

# Functions and methods of these names compute a tensor or a number, and do nothing else.
_PURE = frozenset(
    {"abs", "acos", "add", "all", "amax", "amin", "any", "argmax", "argmin", "asin", "bfloat16",
     "bool", "ceil", "clamp", "clamp_max", "clamp_min", "clone", "contiguous", "cos", "cosh",
     "cumsum", "detach", "dim", "div", "double", "empty_like", "erf", "exp", "expand_as", "expm1",
     "eye", "flatten", "float", "floor", "full", "full_like", "gelu", "half", "int", "isfinite",
     "isinf", "isnan", "layer_norm", "leaky_relu", "linear", "log", "log10", "log1p", "log2",
     "log_softmax", "logsigmoid", "long", "masked_fill", "matmul", "max", "maximum", "mean",
     "median", "min", "minimum", "mul", "nan_to_num", "neg", "norm", "numel", "ones", "ones_like",
     "permute", "pow", "prod", "reciprocal", "relu", "relu6", "reshape", "round", "rsqrt",
     "sigmoid", "sign", "silu", "sin", "sinh", "size", "softmax", "softplus", "sqrt", "square",
     "squeeze", "std", "sub", "sum", "t", "tan", "tanh", "transpose", "trunc", "unsqueeze", "var",
     "view", "where", "zeros", "zeros_like"}
)  # fmt: skip
MODES = frozenset(
    {"autocast", "enable_grad", "inference_mode", "no_grad", "nullcontext", "set_grad_enabled"}
)
"""What gives a context, and no tensor."""
# Random numbers, and what makes a tensor something else.
_NOT_OF_TENSORS = frozenset(
    {"alpha_dropout", "append", "backward", "bernoulli", "cauchy", "dropout", "dropout1d",
     "dropout2d", "dropout3d", "feature_alpha_dropout", "geometric", "gumbel_softmax", "item",
     "list", "multinomial", "normal", "numpy", "poisson", "rand", "rand_like", "randint",
     "randint_like", "randn", "randn_like", "random", "randperm", "rrelu", "tolist", "update"}
)  # fmt: skip
_NUMBERS = frozenset({"bool", "dict", "float", "int", "list", "max", "min", "range", "set", "str"})
_MODULES = frozenset({"F", "functional", "nn.functional", "torch", "torch.nn.functional"})
_BUILTINS = frozenset({"abs", "len"})


def is_pure(node: ast.expr) -> bool:
    """Whether an expression changes nothing and draws nothing at random."""
    match node:
        case ast.Constant() | ast.Name():
            return True
        case (
            ast.Attribute(value=value)
            | ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=value)
        ):
            return is_pure(value)
        case ast.BinOp(left=left, right=right):
            return is_pure(left) and is_pure(right)
        case ast.Compare(left=left, ops=[operation], comparators=[right]):
            membership = ast.In | ast.NotIn | ast.Is | ast.IsNot
            return not isinstance(operation, membership) and is_pure(left) and is_pure(right)
        case ast.Call(func=function, args=args, keywords=keywords):
            plain = all(word.arg not in {None, "out", "inplace"} for word in keywords)
            given = (*args, *(word.value for word in keywords))
            return plain and _is_known(function) and all(map(is_pure, given))
    return False


def unknown_calls(node: ast.expr) -> tuple[ast.Call, ...] | None:
    """Calls in an expression of which nobody can say what else they do: ``self.norm(x)``.

    Returns:
        The outermost ones; None where something certainly changes something, draws at random, or
        gives no tensor.
    """
    found: list[ast.Call] = []
    waiting: list[ast.AST] = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, _MORE_THAN_VALUES):
            return None
        if isinstance(inner, ast.Call):
            of_torch = _of_torch(inner)
            if of_torch is None:
                return None
            found += [] if of_torch else [inner]
        waiting += ast.iter_child_nodes(inner)
    inner_calls = {inner for call in found for inner in ast.walk(call) if inner is not call}
    outer = [call for call in found if call not in inner_calls]
    return tuple(sorted(outer, key=lambda call: (call.lineno, call.col_offset)))


_MORE_THAN_VALUES = (
    ast.Await, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.JoinedStr, ast.Lambda, ast.List,
    ast.ListComp, ast.NamedExpr, ast.Set, ast.SetComp, ast.Starred, ast.Yield, ast.YieldFrom,
)  # fmt: skip


def _of_torch(call: ast.Call) -> bool | None:
    """Whether a call certainly is one that only computes; None where it is not one of that kind."""
    if any(word.arg in {None, "out", "inplace"} for word in call.keywords):
        return None
    match call.func:
        case ast.Name(id=name):
            return None if name in _NUMBERS | _NOT_OF_TENSORS | MODES else name in _BUILTINS
        case ast.Attribute(value=value, attr=name):
            if name in _NOT_OF_TENSORS | MODES or (name.endswith("_") and not name.startswith("_")):
                return None
            module = dotted_name(value)
            known = module in _MODULES or module.partition(".")[0] == "torch"
            return known or (module != "self" and name in _PURE)
    return False


def _is_known(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name in _BUILTINS
        case ast.Attribute(value=value, attr=name):
            return name in _PURE and (dotted_name(value) in _MODULES or is_pure(value))
    return False


def writes_in_place(code: Code) -> bool:
    """Whether something in the function visibly writes into a tensor, or may do so."""
    return any(map(writes, code.walk()))


def writes(node: ast.AST) -> bool:
    """Whether a node is a write in place, or may be one."""
    match node:
        case ast.AugAssign() | ast.Subscript(ctx=ast.Store()) | ast.Delete():
            return True
        case ast.Attribute(attr="data", ctx=ast.Store()):
            return True
        case ast.keyword(arg="out" | "inplace"):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            private = name.startswith("_") or name.endswith("__")
            return (name.endswith("_") and not private) or name == "__setitem__"
    return False


def leaves_early(code: Code) -> bool:
    """Whether the function can end, or pause, before the statement."""
    if code.function is None or code.statement is None:
        return True
    ends = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Assert, ast.Await)
    line = code.statement.lineno
    return any(isinstance(n, ends) and n.lineno < line for n in _own(code.function))


def runs_once(code: Code) -> bool:
    """Whether each call of the function runs the statement once: no loop, branch or block."""
    function, statement = code.function, code.statement
    if function is None or statement is None or statement not in function.body:
        return False
    return not leaves_early(code)


def _own(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr | ast.stmt]:
    """The statements and expressions of a function without those of functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
