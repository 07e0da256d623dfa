"""Runs a graph with and without the compiler; a repro file has this text in it.

So it needs torch alone, and what the search calls a fault is what the file shows.
"""

import argparse
import ast
import contextlib
import copy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch._functorch.config
import torch._inductor.config
from torch.utils._pytree import tree_leaves

TIMES_EAGERS = 10.0  # eager PyTorch's own error, which is rounding
ROUNDING = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def random_tensor(  # noqa: PLR0913 - what a tensor is like
    shape: Sequence[int],
    stride: Sequence[int],
    dtype: torch.dtype,
    device: str,
    values: tuple[float, ...] = (),
    *,
    requires_grad: bool = False,
) -> torch.Tensor:
    """A tensor like one of the model's.

    Args:
        values: Mean, standard deviation, minimum and maximum of floating-point numbers; minimum
            and maximum of whole numbers; the share of True.
    """
    length = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    length = length if all(shape) else 0
    if dtype is torch.bool:
        flat = torch.rand(length) < values[0]
    elif dtype.is_complex:
        flat = torch.randn(length, dtype=dtype)
    elif dtype.is_floating_point:
        mean, deviation, low, high = values
        flat = (torch.randn(length) * deviation + mean).clamp(low, high)
    else:
        flat = torch.randint(int(values[0]), int(values[1]) + 1, (length,))
    tensor = flat.to(device=device, dtype=dtype).as_strided(tuple(shape), tuple(stride))
    return tensor.requires_grad_(requires_grad)


def results(
    function: Callable[..., Any], inputs: Sequence[Any], *, no_grad: bool, backward: bool
) -> dict[str, torch.Tensor]:
    """What a call gives, what it changes of its inputs, and their gradients."""
    tensors = {
        f"input {number}": item
        for number, item in enumerate(inputs)
        if isinstance(item, torch.Tensor)
    }
    before = {name: item.detach().clone() for name, item in tensors.items()}
    torch.manual_seed(1)
    with torch.no_grad() if no_grad else contextlib.nullcontext():
        outputs = [item for item in tree_leaves(function(*inputs)) if torch.is_tensor(item)]
    found = {f"output {number}": item.detach() for number, item in enumerate(outputs)}
    if backward:
        wanted = [item for item in outputs if item.requires_grad]
        if wanted:
            torch.autograd.backward(wanted, [torch.ones_like(item) for item in wanted])
        gradients = {name: item.grad for name, item in tensors.items() if item.grad is not None}
        found |= {f"gradient of {name}": item for name, item in gradients.items()}
    return found | {
        name: item.detach()
        for name, item in tensors.items()
        if not torch.equal(item.detach(), before[name])
    }


def wrong_result(
    graph: Callable[..., Any],
    compiled: Callable[..., Any],
    inputs: Callable[[], Sequence[Any]],
    *,
    no_grad: bool,
    backward: bool,
) -> str:
    """What compiled code computes wrongly; empty if nothing."""
    how = {"no_grad": no_grad, "backward": backward}
    given = inputs()
    expected = results(graph, given, **how)
    mine = results(compiled, inputs(), **how)
    exact = in_float64(graph, inputs(), how)
    for name in {**expected, **mine}:
        if name not in mine or name not in expected:
            if name.startswith("input "):
                return f"{name} is {'not ' if name not in mine else ''}changed"
            return f"{name} is {'missing' if name not in mine else 'not there in eager'}"
        said = _difference(mine[name], expected[name], exact.get(name))
        if said:
            return f"{name} {said}"
    return ""


def in_float64(
    graph: Callable[..., Any], inputs: Sequence[Any], how: Mapping[str, bool]
) -> dict[str, torch.Tensor]:
    """The same in float64; nothing where the graph has dtypes of its own that do not fit."""
    wide = [
        item.detach().double().requires_grad_(item.requires_grad)
        if isinstance(item, torch.Tensor) and item.is_floating_point()
        else item
        for item in inputs
    ]
    try:
        return results(copy.deepcopy(graph), wide, **how)
    except (RuntimeError, TypeError, ValueError, IndexError):
        return {}


def _difference(mine: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor | None) -> str:
    """How a result is off; empty if that is no more than rounding."""
    if mine.dtype != eager.dtype or mine.shape != eager.shape:
        return f"is {_kind(mine)}, but {_kind(eager)} in eager"
    if not mine.dtype.is_floating_point:
        count = int((mine != eager).sum())
        return f"differs in {count:,} of {mine.numel():,} elements" if count else ""
    own, other = (item.cpu().double() for item in (mine, eager))
    if not torch.equal(own.isfinite(), other.isfinite()):
        odd, eagers = (int((~item.isfinite()).sum()) for item in (own, other))
        return f"has {odd:,} NaN or infinite elements, but {eagers:,} in eager"
    with contextlib.suppress(AssertionError):
        torch.testing.assert_close(mine, eager, equal_nan=True)
        return ""
    if exact is None or exact.shape != mine.shape:
        off, limit = _largest(own - other), ROUNDING.get(mine.dtype, 0.0) * _largest(other)
        said = f"is off by {off:.1e} (largest element: {_largest(other):.1e})"
    else:
        wide = exact.cpu().double()
        off, theirs = _largest(own - wide), _largest(other - wide)
        limit = TIMES_EAGERS * max(theirs, torch.finfo(mine.dtype).eps * _largest(wide))
        said = f"is off by {off:.1e} from float64 (eager: {theirs:.1e})"
    return said if off > limit else ""


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _largest(tensor: torch.Tensor) -> float:
    same = tensor[tensor.isfinite()].abs()
    return float(same.max()) if same.numel() else 0.0


@contextlib.contextmanager
def settings(changed: Mapping[str, object]) -> Iterator[None]:
    """Inductor without its caches of graphs and with eager's random numbers, and what else is set.

    Its cache of C++ code stays: that is by the text of the code.
    """
    always = {"fx_graph_cache": False, "fallback_random": True}
    with (
        torch._inductor.config.patch({**always, **changed}),  # noqa: SLF001 - torch has no other
        torch._functorch.config.patch(enable_autograd_cache=False),  # noqa: SLF001
    ):
        yield


def main(
    graph: Callable[..., Any],
    inputs: Callable[[], Sequence[Any]],
    compile_with: dict[str, Any],
    *,
    no_grad: bool,
    backward: bool,
) -> None:
    """Shows the fault: an exception of the compiler, or exit status 1 for a wrong result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", help="another backend of torch.compile")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE", help="of Inductor")
    given = parser.parse_args()
    changed = dict(item.split("=", 1) for item in given.settings)
    if given.backend:
        compile_with = {"backend": given.backend}
    with settings({name: ast.literal_eval(value) for name, value in changed.items()}):
        compiled = torch.compile(graph, **compile_with)
        said = wrong_result(graph, compiled, inputs, no_grad=no_grad, backward=backward)
    sys.stdout.write(f"wrong result: {said}\n" if said else "no fault: the results agree\n")
    sys.exit(1 if said else 0)
