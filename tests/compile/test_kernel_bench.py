"""One kernel alone: what is kept of a launch, and how it is timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._inductor.codecache import PyCodeCache

from inspector.capture.kernel_bench import bench as bench_module
from inspector.capture.kernel_bench import timer
from inspector.capture.kernel_bench.arguments import Arguments
from inspector.capture.kernel_bench.bench import IsolatedKernel
from inspector.capture.kernel_bench.kernels import called_kernels

ROOM = 1 << 30


def kept(*args: Any, names: tuple[str, ...] = ("a", "b", "c")) -> Arguments:
    return Arguments(args, {}, names, ROOM)


def test_copies_have_the_same_layout_and_alignment() -> None:
    base = torch.randn(1000)
    whole, part, other = base[3:503].view(20, 25).t(), base[10:20], torch.arange(7)
    copies = kept(whole, part, other)
    for given, made in zip((whole, part, other), copies.args, strict=True):
        assert torch.equal(given, made)
        assert (given.shape, given.stride()) == (made.shape, made.stride())
        assert given.data_ptr() % 512 == made.data_ptr() % 512
        assert given.data_ptr() != made.data_ptr()
    copies.args[1].zero_()
    assert base.count_nonzero() == 1000


@pytest.mark.parametrize(
    ("kernel", "changed"),
    [
        (lambda a, b, c: b.copy_(a * 2), ["b"]),  # noqa: ARG005
        (lambda a, b, c: c.add_(a), ["c"]),  # noqa: ARG005
        (lambda a, b, c: (b.copy_(a), c[:5].copy_(a[:5])), ["b", "c"]),
        (lambda a, b, c: None, []),  # noqa: ARG005
    ],
)
def test_what_a_kernel_changes_is_found_out(kernel: Callable[..., Any], changed: list[str]) -> None:
    given = torch.randn(40) + 3
    copies = kept(given, given * 2, torch.zeros(40))  # the second has a kernel's result already
    before = [tensor.clone() for tensor in copies.args]
    assert copies.changed_by(lambda: kernel(*copies.args)) == changed
    assert all(map(torch.equal, before, copies.args))


def test_cold_and_warm_launches_take_turns_on_what_is_put_back() -> None:
    copies = kept(torch.zeros(4))
    (a,) = copies.args
    copies.keep(["a"])
    order: list[str] = []
    values: set[float] = set()

    class NoFlush:
        bytes_ = 0

        def __call__(self) -> None:
            order.append("cold")

    def launch() -> None:
        order.append("launch")
        values.add(float(a[0]))
        a.add_(1)

    cold, warm = timer.cold_and_warm_ns(launch, copies.restore, NoFlush(), 1e4)  # type: ignore[arg-type]
    assert (len(cold), len(warm)) == (100, 100)
    assert values == {0.0}
    assert order == (["cold", "launch"] * 10 + ["launch", "launch"] * 10) * 10


@pytest.fixture
def no_other_code() -> None:
    """Forgets what earlier tests of this process had generated: it has kernels of softmax, too."""
    torch._dynamo.reset()
    PyCodeCache.cache_clear()


def program() -> tuple[Callable[..., Any], torch.Tensor]:
    weight = torch.randn(64, 32)

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(torch.relu(x) @ weight, -1).sum(0)

    return torch.compile(model), torch.randn(128, 64)


@pytest.mark.usefixtures("no_other_code")
@pytest.mark.parametrize("asked", ["softmax", "extern_kernels.mm"])
def test_a_kernel_is_timed_alone(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x = program()
    expected = compiled(x)
    said: list[Any] = []
    monkeypatch.setattr(bench_module, "emit", said.append)
    alone = IsolatedKernel(next(name for name in called_kernels() if asked in name))
    assert not alone.is_refused()
    alone.measure(0, lambda: lambda: compiled(x))
    alone.measure(1, lambda: lambda: compiled(x))  # once is enough
    (bench,) = said
    assert len(bench.config.cold_ns) == len(bench.config.warm_ns) == 100
    assert bench.launches[0].count == 1
    assert torch.equal(compiled(x), expected)
