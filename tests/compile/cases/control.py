"""Breaks in loops, try blocks, context managers and chains of resumed frames."""

import contextlib
from collections.abc import Iterator
from types import TracebackType

import torch
from torch import Tensor


def in_loop(x: Tensor) -> Tensor:
    """The whole frame is given up: no graph."""
    for step in range(3):
        x = x + 1
        print(step)
    return x


def in_nested_loop(x: Tensor) -> Tensor:
    """A loop in a loop."""
    for _ in range(2):
        for _ in range(2):
            x = x + 1
            print("step")
    return x


def after_loop(x: Tensor) -> Tensor:
    """After the loop the frame can be resumed."""
    for step in range(3):
        x = x + step
    print("done")
    return x * 2


def in_try(x: Tensor) -> Tensor:
    """A try block cannot be resumed."""
    try:
        x = x + 1
        print("try")
        x = x * 2
    except ValueError:
        pass
    return x


def in_except(x: Tensor) -> Tensor:
    """A break in the handler."""
    try:
        x = x + 1
        raise ValueError("expected")
    except ValueError:
        print("except")
        x = x * 2
    return x


def in_finally(x: Tensor) -> Tensor:
    """A break in the clean-up."""
    try:
        x = x + 1
    finally:
        print("finally")
    return x * 2


def exception_without_break(x: Tensor) -> Tensor:
    """Raising and catching is traced: no break."""
    try:
        x = x + 1
        if x.shape[0] == 4:
            raise ValueError("expected")
    except ValueError:
        x = x * 2
    return x


def in_no_grad(x: Tensor) -> Tensor:
    """A context manager that Dynamo can resume."""
    with torch.no_grad():
        x = x + 1
        print("no grad")
        x = x * 2
    return x


def in_two_contexts(x: Tensor) -> Tensor:
    """Two of them, one in the other."""
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        x = x @ x
        print("both")
        x = x @ x
    return x + 1


class Announce:
    """A context manager whose ends break."""

    def __enter__(self) -> "Announce":
        print("enter")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        print("exit")


class Quiet:
    """A context manager of the user's that does not break by itself."""

    def __enter__(self) -> "Quiet":
        return self

    def __exit__(self, *_: object) -> None:
        return None


def custom_context(x: Tensor) -> Tensor:
    """Entering it breaks."""
    with Announce():
        x = x + 1
    return x * 2


def break_in_custom_context(x: Tensor) -> Tensor:
    """A break under a user's context manager: a wrapper record."""
    with Quiet():
        x = x + 1
        print("inside")
        x = x - 1
    return x * 2


@contextlib.contextmanager
def managed() -> Iterator[None]:
    """A context manager made of a generator."""
    yield


def break_in_generated_context(x: Tensor) -> Tensor:
    """The same under contextlib.contextmanager."""
    with managed():
        x = x + 1
        print("inside")
    return x * 2


def anomaly_mode(x: Tensor) -> Tensor:
    """The innermost frames of this break are torch's own."""
    with torch.autograd.set_detect_anomaly(True):
        return x + 1


def open_file(x: Tensor) -> Tensor:
    """A file as a context manager."""
    with open("/dev/null") as file:
        file.read()
    return x + 1


def resumed_five_times(x: Tensor) -> Tensor:
    """Each break lies in the frame that resumed after the one before."""
    x = x + 1
    print("one")
    x = x + 2
    print("two")
    x = x + 3
    print("three")
    x = x + 4
    print("four")
    x = x + 5
    print("five")
    return x


def mixed_causes(x: Tensor) -> Tensor:
    """Several kinds of break in one function."""
    y = x.abs() + 1
    if y.sum() > 0:
        y = y * 2
    print("then")
    y = y / y.max().item()
    return y[y > 0].sum() + x
