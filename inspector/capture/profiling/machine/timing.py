"""Repeats a measurement until it is stable; products of square matrices for each dtype."""

from __future__ import annotations

import contextlib
import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import torch

_LEAST = 10
_MOST = 200
_MOST_SECONDS = 0.4
_STABLE = 0.03


class Unsupported(Exception):  # noqa: N818 - no error: it says what the machine lacks, for good
    """What this machine, or this torch, does not have; another try gives the same."""


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One figure.

    Attributes:
        spread: How far the first half of the samples and the second are apart, as a share.
    """

    value: float
    spread: float = 0.0
    is_stable: bool = True


def until_stable(sample: Callable[[], float]) -> Measured:
    """A time, from as many samples as make it stable, or as 0.4 s allow.

    The first one warms up and does not count.
    """
    sample()
    began = time.monotonic()
    samples: list[float] = []
    while len(samples) < _MOST:
        samples.append(sample())
        if len(samples) >= _LEAST and of_samples(samples).is_stable:
            break
        if time.monotonic() - began > _MOST_SECONDS and len(samples) >= _LEAST // 2:
            break
    return of_samples(samples)


def of_samples(samples: Sequence[float]) -> Measured:
    """The median of the faster half of times: whatever else runs makes them longer, never shorter.

    Where it is another one for the first and for the second half of the samples (clocks rise, a
    neighbour begins), it is not stable.
    """
    half = len(samples) // 2
    value, first, last = map(_faster, (samples, samples[:half] or samples, samples[half:]))
    spread = abs(first - last) / value if value > 0 else 1.0
    return Measured(value, spread, spread <= _STABLE)


def _faster(samples: Sequence[float]) -> float:
    return statistics.median(sorted(samples)[: (len(samples) + 1) // 2])


def rate(amount: float, seconds: Measured) -> Measured:
    """The amount by the time that it took."""
    return dataclasses.replace(seconds, value=amount / seconds.value)


# The least compute capability: NVIDIA's "CUDA C++ Programming Guide", table of arithmetic
# throughput. Before it, TF32 is ignored, and what torch does for the others differs.
_LEAST_CAPABILITY = {"tf32": (8, 0), "bfloat16": (8, 0), "float8": (8, 9), "int8": (7, 5)}
DTYPES = {
    "float32": torch.float32,
    "tf32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float8": torch.float8_e4m3fn,
    "int8": torch.int8,
}


def supported(name: str, device: torch.device) -> None:
    """Whether a GPU has arithmetic for a dtype.

    Raises:
        Unsupported: It has none.
    """
    least = _LEAST_CAPABILITY.get(name)
    here = torch.cuda.get_device_capability(device)
    if least is not None and here < least:
        needed, has = (".".join(map(str, item)) for item in (least, here))
        raise Unsupported(f"needs compute capability {needed}; this GPU has {has}")


@contextlib.contextmanager
def float32_precision(precision: str) -> Iterator[None]:
    """How exact float32 products are, ``ieee`` or ``tf32``, whatever the program has set."""
    owners = (torch.backends.cuda.matmul, torch.backends.mkldnn.matmul)
    before = [owner.fp32_precision for owner in owners]
    try:
        for owner in owners:
            owner.fp32_precision = precision
        yield
    finally:
        for owner, was in zip(owners, before, strict=True):
            owner.fp32_precision = was


def matrix_product(name: str, side: int, device: torch.device) -> Callable[[], object]:
    """A product of two matrices of random numbers: with zeros a GPU needs less power."""
    dtype = DTYPES[name]
    generator = torch.Generator(device).manual_seed(0)
    shape = (side, side)
    if dtype == torch.int8:
        first, second = (
            torch.randint(-128, 128, shape, dtype=dtype, device=device, generator=generator)
            for _ in range(2)
        )
    else:
        first, second = (
            torch.randn(shape, dtype=torch.float32, device=device, generator=generator).to(dtype)
            for _ in range(2)
        )
    by_columns = second.t().contiguous().t()  # as tensor cores want the dtypes of one byte
    if dtype == torch.int8:
        return lambda: torch._int_mm(first, by_columns)  # noqa: SLF001 - no public name yet
    if dtype == torch.float8_e4m3fn:
        one = torch.ones(1, dtype=torch.float32, device=device)
        scaled = torch._scaled_mm  # noqa: SLF001 - no public name yet
        return lambda: scaled(first, by_columns, one, one, out_dtype=torch.bfloat16)
    return lambda: torch.mm(first, second)
