"""Programs with graph breaks; several changes at once."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")


@program(Expected("tensor-size", "x", "3", "5", "dynamic", "mark_dynamic(a, [0, 1])"))
def both_sizes() -> None:
    """Two sizes change in one call: one line marks both."""

    @compiled
    def total(x: Tensor) -> Tensor:
        return x.sum()

    for rows, columns in ((3, 4), (5, 6), (7, 8)):
        a = torch.ones(rows, columns)
        total(a)


@program(Expected("tensor-size", "x", "2", "3", "dynamic", "mark_dynamic(first, 0)"))
def several_calls_on_a_line() -> None:
    """What is marked is what the first call passes, and not another one on its line."""

    @compiled
    def total(x: Tensor) -> Tensor:
        return x.sum()

    first, a = torch.ones(2), torch.ones(3)
    total(first), total(a)


@program(
    Expected("tensor-size", "x", "3", "4", "again", "The loop at"),
    Expected("tensor-size", "x", "4", "5", "again", "The loop at"),
)
def loop_over_a_size() -> None:
    """A loop over the rows is unrolled."""

    @compiled
    def rows(x: Tensor) -> Tensor:
        r = x.new_zeros(())
        for index in range(x.shape[0]):
            r = r + x[index]
        return r

    for number in (3, 4, 5):
        rows(torch.ones(number))


@program(
    Expected("tensor-size", "mask", "8", "16", "dynamic",
             "first: mask_given = torch.ones(rows). "
             "Call torch._dynamo.maybe_mark_dynamic(mask_given, 0)"),
)  # fmt: skip
def tensor_passed_over_a_break() -> None:
    """The second half alone looks at it: the mark goes to the call of the whole function."""

    @compiled
    def scale(x: Tensor, mask: Tensor) -> Tensor:
        y = x.sin()
        print(end="")
        return y * mask

    for rows in (8, 16, 24):
        scale(torch.ones(1), torch.ones(rows))


@program(
    Expected("tensor-size", "x", "4", "5", "dynamic", "mark_dynamic"),
    Expected("tensor-size", "y", "4", "5", "dynamic", "Remove the graph break at", "closure"),
)
def local_of_an_inner_function_over_a_break() -> None:
    """A comprehension has a local of the second half as a variable of its closure."""

    @compiled
    def scale(x: Tensor) -> Tensor:
        y = x * 2
        print(end="")
        return y + sum(tuple(y.sum() * i for i in range(2)))

    for n in (4, 5, 6):
        scale(torch.ones(n))


@program(Expected("float", "___stack1", "3.0", "6.0", "dynamic", "Remove the graph break at"))
def value_over_a_break() -> None:
    """The break is in a function that was called, and its result has no name."""

    def inner(x: Tensor) -> float:
        print(end="")
        return x.sum().item()

    @compiled
    def scale(x: Tensor) -> Tensor:
        return x * inner(x)

    for value in (1.0, 2.0, 3.0):
        scale(torch.full((3,), value))


@program(
    Expected(
        "deallocated", "___stack0", None, "a builtin_function_or_method", "again",
        "Compute the argument on its own line",
    ),
)  # fmt: skip
def method_over_a_break() -> None:
    """The break is in the argument of a method, which is another object in each call."""

    @compiled
    def norm(x: Tensor) -> Tensor:
        norms: list[float] = []
        y = x.relu()
        norms.append(y.norm().item())
        return y * 2

    for _ in range(2):
        norm(torch.ones(3))


@program(
    Expected("int", "pos", "3", "4", "dynamic", "SOURCES"),
    Expected("tensor-size", "old_k", "4", "5", "dynamic", "old_v.size(1)"),
)
def held_by_another_input() -> None:
    """One tensor for two arguments at first: the second one's size holds the first one's."""

    @compiled
    def attend(x: Tensor, old_k: Tensor, old_v: Tensor, pos: int) -> tuple[Tensor, Tensor, Tensor]:
        k, v = torch.cat([old_k, x], 1), torch.cat([old_v, x], 1)
        return (x @ k.transpose(1, 2)) @ v * pos, k, v

    k = v = torch.zeros(1, 3, 8)
    for pos in (3, 4, 5, 6):
        _, k, v = attend(torch.ones(1, 1, 8), k, v, pos)


@program(Expected("int", "r.stop", "2", "3", "eager", "Call an uncompiled", "attribute"))
def nothing_to_compile() -> None:
    """A range that becomes dynamic breaks the graph before its first operator."""

    @compiled
    def add(x: Tensor, r: range) -> Tensor:
        for index in r:
            x = x + index
        return x

    for stop in (2, 3, 4, 2):
        add(torch.ones(3), range(stop))


@program(Expected("tensor-size", "x", "4", "8", "eager", "Fix the graph break at"))
def given_up_once_dynamic() -> None:
    """A size that becomes dynamic breaks the graph in a loop: Dynamo gives all of it up."""

    @compiled
    def attend(x: Tensor) -> Tensor:
        for _ in range(2):
            x = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=x.shape[1] > 1)
        return x

    for size in (4, 8, 16):
        attend(torch.ones(1, size, 8))


@program(Expected("bool", "flag", "True", "False", "eager", "allow_empty_graphs=True"))
def nothing_left_to_do() -> None:
    """A call without an operator ends all compilation of the function, for good."""

    @compiled
    def doubled(x: Tensor, flag: bool) -> Tensor:
        return x * 2 if flag else x

    for flag in (True, False):
        doubled(torch.ones(3), flag)
    doubled(torch.ones(3, 3), flag=True)


@program(
    Expected("tensor-size", "x", "4", "5", "again", "Marking it alone does not help"),
    Expected("container-length", "extras", "0", "2", "again", "extras"),
)
def size_that_meets_a_static_one() -> None:
    """What is added has a static size, as it is new: that makes the first one a constant."""

    @compiled
    def summed(x: Tensor, extras: list[Tensor]) -> Tensor:
        h = x.relu()
        for extra in extras:
            h = h + extra
        return h

    for rows, number in ((4, 0), (5, 1), (4, 2)):
        summed(torch.ones(rows, 8), [torch.ones(rows, 8)] * number)


@program(Expected("tensor-size", "past", "7", "8", "dynamic", "Write past = past.contiguous()"))
def layout_and_size() -> None:
    """What makes another tensor comes before the mark, which would be lost."""

    @compiled
    def step(x: Tensor, past: Tensor) -> Tensor:
        return torch.cat([past.transpose(0, 1), x.transpose(0, 1)]).transpose(0, 1)

    past = torch.ones(2, 7, 4)
    for _ in range(4):
        past = step(torch.ones(2, 1, 4), past)


@program(Expected("tensor-dtype", "x", "Float", "Double", "again", "; b = b.to(torch.float32)"))
def two_dtypes() -> None:
    """To convert one of two tensors helps in nothing."""

    @compiled
    def both(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    for dtype in (torch.float32, torch.float64):
        a, b = torch.ones(4, dtype=dtype), torch.ones(4, dtype=dtype)
        both(a, b)


@program(
    Expected("container-keys", "batch", "with 'mask'", "without 'mask'", "again", "the key 'mask'"),
    Expected("tensor-size", "batch['ids']", "4", "6", "dynamic", "(where 'mask' in batch)"),
    Expected("tensor-size", "batch['ids']", "4", "6", "dynamic", "(where 'mask' in batch)"),
    Expected("symbolic-shape", "batch['ids'].size()[0]", "...", "...", "again",
             "(pad the input)"),
)  # fmt: skip
def batch_with_and_without() -> None:
    """A mark on what a batch does not always have; all that has its size is marked with it."""

    @compiled
    def total(batch: dict[str, Tensor]) -> Tensor:
        h = batch["ids"] * 2
        return (h * batch["mask"]).sum() if "mask" in batch else h.sum()

    for rows, names in ((4, ("ids", "mask")), (4, ("ids",)), (6, ("ids",)), (6, ("ids", "mask")),
                        (1, ("ids", "mask"))):  # fmt: skip
        batch = {name: torch.ones(rows, 8) for name in names}
        total(batch)
