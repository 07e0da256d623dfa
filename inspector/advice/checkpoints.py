"""Code under activation checkpointing, where a graph cannot end."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, dotted_name
from inspector.advice.edits import statements_instead_of
from inspector.advice.kinds import BUILTIN, ITEM, SKIPPED
from inspector.advice.told_numbers import is_told
from inspector.model.edit import Edit

_LOGGER = Kind("GB0291", "logging.Logger method not supported for non-export cases")
_SIDE_EFFECT = Kind("GB0067", "HOP: Unsafe side effect")


def _leaves(code: Code) -> bool:
    """Whether the value leaves the function by another way than its result."""
    return is_told(code) or not code.has(_is_number)


def _is_number(node: ast.expr) -> bool:
    return _tensor(node) is not node


def _tensor(node: ast.expr) -> ast.expr:
    """What a number is read from: ``t`` of ``t.item()`` and ``float(t)``; else the value itself."""
    match node:
        case (
            ast.Call(func=ast.Attribute(value=tensor, attr="item"))
            | ast.Call(func=ast.Name(id="float" | "int"), args=[tensor])
        ):
            return tensor
    return node


def _tailored(code: Code) -> str:
    match code.statement:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            pass
        case _:
            return ""
    if _is_number(value):
        new, then = f"{code.shown(_tensor(value))}.detach()", " Read its number in the caller."
    else:
        new, then = code.shown(value), ""
    return (
        f"Return `{new}` as a second result of the checkpointed function, and store it in "
        f"`{code.shown(target)}` where `checkpoint` returns it.{then}"
    )


def _edits(code: Code) -> tuple[Edit, ...]:
    """A value that ``self`` keeps, as a second result; empty where it takes a person."""
    match code.statement, code.function:
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value),
            ast.FunctionDef(name="forward", body=[*_, ast.Return(value=ast.expr() as whole)]),
        ):
            pass
        case _:
            return ()
    (*before, returned), call = code.function.body, _checkpoint_call(code)
    is_only = not any(isinstance(node, ast.Return) for each in before for node in ast.walk(each))
    is_free = not code.loads(name) and not code.stores(name)
    if call is None or not is_only or not is_free or code.statement not in before:
        return ()
    statement, result, module = call
    kept = f"{ast.unparse(_tensor(value))}.detach()" if _is_number(value) else ast.unparse(value)
    called = f"{result}, {module}.{name} = {ast.unparse(statement.value)}"
    return (
        *statements_instead_of(code, code.statement, [f"{name} = {kept}"]),
        *statements_instead_of(code, returned, [f"return {ast.unparse(whole)}, {name}"]),
        *statements_instead_of(code, statement, [called]),
    )


def _checkpoint_call(code: Code) -> tuple[ast.Assign, str, str] | None:
    """``x = checkpoint(layer, x)``, ``x`` and ``layer``, if it is the only one in the file."""
    tree = ast.parse("\n".join(code.lines))
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [node for node in called if dotted_name(node.func).endswith("checkpoint")]
    for node in ast.walk(tree) if len(calls) == 1 else ():
        match node:
            case ast.Assign(targets=[target], value=ast.Call(args=[module, *_]) as call):
                if call is calls[0]:
                    return node, ast.unparse(target), ast.unparse(module)
    return None


_STORED = """\
import torch
from torch.utils.checkpoint import checkpoint


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.norm = 0.0

    def forward(self, x):
        y = torch.relu(self.linear(x))
        self.norm = y.norm().item()
        return x + y


torch.manual_seed(0)
layers = torch.nn.Sequential(Layer(), Layer())


@torch.compile
def forward(x):
    return checkpoint(layers[0], x, use_reentrant=False) * 2


def step(x):
    result = forward(x)
    result.sum().backward()
    return result.detach(), layers[0].linear.weight.grad.clone(), float(layers[0].norm)


outputs = [step(x) for x in (torch.ones(2, 3), torch.arange(6.0).reshape(2, 3))]
"""
_RETURNED = (
    _STORED.replace("        self.norm = y.norm().item()\n", "")
    .replace("return x + y", "return x + y, y.norm().detach()")
    .replace(
        "    return checkpoint(layers[0], x, use_reentrant=False) * 2",
        "    x, layers[0].norm = checkpoint(layers[0], x, use_reentrant=False)\n    return x * 2",
    )
)
_NUMBER = "self.norm = y.norm().item()"

STORED = Advice(
    id="checkpointed-value",
    tested_on=("2.13",),
    kinds=(ITEM, _SIDE_EFFECT, _LOGGER, BUILTIN),
    says=r"(?s)\A(?!.*builtin(?! (?:operator )?`?print\b)).*utils\.checkpoint",
    where=_leaves,
    title="a value that leaves a checkpointed function",
    fix="Return the value (`t.detach()` for a number) as a second result of the checkpointed "
    "function. Store it where `checkpoint` returns it; print it, log it or read its number in the "
    "caller, outside of the compiled function.",
    tailored=_tailored,
    edits=_edits,
    caution="a number that is kept becomes a tensor",
    before=_STORED,
    after=_RETURNED,
    variants=(
        _STORED.replace(_NUMBER, "self.norm = y.norm().detach()"),
        _STORED.replace(_NUMBER, 'print("norm", y.norm())'),
        _STORED.replace(
            "checkpoint import checkpoint", "checkpoint import checkpoint as again"
        ).replace(
            "checkpoint(layers[0], x, use_reentrant=False)",
            "again(layers[0], x, use_reentrant=True)",
        ),
    ),
    keeps="Outputs and gradients. The backward pass runs the function again, and prints, logs and "
    "appends again; a result is returned once.",
    instead_of=r"capture_scalar|reorderable_logging|ignore_logging|^Avoid calling|report an issue",
)

_SEQUENTIAL = (
    _STORED.replace(f"        {_NUMBER}\n", "")
    .replace("checkpoint import checkpoint", "checkpoint import checkpoint, checkpoint_sequential")
    .replace("checkpoint(layers[0], x", "checkpoint_sequential(layers, 2, x")
)

SEQUENTIAL = Advice(
    id="checkpoint-sequential",
    tested_on=("2.13",),
    kinds=(SKIPPED,),
    says=r"checkpoint_sequential",
    title="checkpoint_sequential in compiled code",
    fix="Call `checkpoint` for each segment in a loop instead: torch traces `checkpoint`, and runs "
    "`checkpoint_sequential` eagerly.",
    before=_SEQUENTIAL,
    after=_SEQUENTIAL.replace(
        "    return checkpoint_sequential(layers, 2, x, use_reentrant=False) * 2",
        "    for layer in layers:\n"
        "        x = checkpoint(layer, x, use_reentrant=False)\n"
        "    return x * 2",
    ),
    keeps="Outputs and gradients. `checkpoint_sequential` does not checkpoint the last segment.",
    instead_of=r"^Avoid calling|dont_skip_tracing|file an issue",
)

ADVICE = (STORED, SEQUENTIAL)
