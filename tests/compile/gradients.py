"""What the calls of a program compute besides values: gradients, and what shares memory with what.

A program's `outputs` are made by calls; each is made once more with float tensors that require
gradients, backward from all that it returns, and then written into what it was given.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch

_CALL = "_recorded_call"


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """What one call left behind.

    Attributes:
        dtypes: The dtype and shape of each tensor that was returned.
        returned: These tensors.
        with_history: Whether each requires gradients.
        gradients: The gradients of the arguments. A graph gives zeros where operators give None.
        arguments: The arguments as they were afterwards, for what is written to in place.
        shared: For each tensor that was returned, whether it changes with an argument.
    """

    dtypes: tuple[str, ...]
    returned: tuple[torch.Tensor, ...]
    with_history: tuple[bool, ...]
    gradients: tuple[torch.Tensor, ...]
    arguments: tuple[torch.Tensor, ...]
    shared: tuple[bool, ...]

    def values(self) -> list[Any]:
        """All that must be the same, to rounding."""
        return [self.dtypes, self.returned, self.with_history, self.gradients, self.arguments]

    def shares_more_than(self, other: Call) -> bool:
        """Whether a tensor shares memory with an argument that did not; a new one is fine."""
        return any(mine and not its for mine, its in zip(self.shared, other.shared, strict=True))


@dataclasses.dataclass(slots=True)
class Recorder:
    """Makes the calls of a program.

    Attributes:
        calls: What was recorded, in order.
    """

    calls: list[Call] = dataclasses.field(default_factory=list)

    def call(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Calls a function with what requires gradients in the place of its float tensors."""
        leaves: list[torch.Tensor] = []
        passed: list[torch.Tensor] = []

        def prepared(value: Any) -> Any:
            if isinstance(value, set):
                raise TypeError("the order of tensors in a set is not known")
            if isinstance(value, list | tuple) and type(value) in {list, tuple}:
                return type(value)(map(prepared, value))
            if not _is_plain(value) or value.requires_grad:
                return value
            leaf = value.detach().clone().requires_grad_()
            leaves.append(leaf)
            passed.append(leaf * 1)  # a leaf cannot be written to in place
            return passed[-1]

        result = function(*map(prepared, args), **options)
        returned = [value for value in _tensors(result) if _is_plain(value)]
        after = tuple(value.detach().clone() for value in passed)
        results = tuple(value.detach().clone() for value in returned)
        roots = [value for value in returned if value.requires_grad]
        if roots:
            # Weights that differ, so that gradients do not cancel out.
            weights = [torch.arange(1.0, r.numel() + 1).to(r.dtype).reshape(r.shape) for r in roots]
            torch.autograd.backward(roots, weights)
        dtypes = tuple(f"{value.dtype} {tuple(value.shape)}" for value in returned)
        history = tuple(value.requires_grad for value in returned)
        gradients = tuple(
            torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves
        )
        shared = _shared(returned, passed)
        self.calls.append(Call(dtypes, results, history, gradients, after, shared))
        return result


def _shared(returned: list[torch.Tensor], passed: list[torch.Tensor]) -> tuple[bool, ...]:
    """Whether each returned tensor changes when the arguments are written to."""
    with torch.no_grad():
        before = [value.clone() for value in returned]
        for value in passed:
            value.data.add_(1)
        return tuple(
            not torch.equal(one.nan_to_num(), other.nan_to_num())
            for one, other in zip(before, returned, strict=True)
        )


def _is_plain(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.layout is torch.strided
        and not value.is_nested
        and value.is_floating_point()
    )


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


class _Calls(ast.NodeTransformer):
    """Puts the recorder around the calls of the program's own functions."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.names:
            name = ast.Name(_CALL, ast.Load())
            return ast.copy_location(ast.Call(name, [node.func, *node.args], node.keywords), node)
        return node


def instrumented(text: str, recorder: Recorder) -> tuple[str, dict[str, Any]]:
    """A program whose `outputs` are made through a recorder, and the names that it needs."""
    tree = ast.parse(text)
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for statement in ast.walk(tree):
        match statement:
            case ast.Assign(targets=[ast.Name(id="outputs")]):
                statement.value = _Calls(defined | assigned).visit(statement.value)
    return ast.unparse(ast.fix_missing_locations(tree)), {_CALL: recorder.call}
