"""Products of square matrices, for each dtype that processors have arithmetic for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import torch

from inspector.capture.profiling.machine.timing import Unsupported

# The least compute capability: NVIDIA's "CUDA C++ Programming Guide", table of arithmetic
# throughput. Before it, TF32 is ignored, and what torch does for the others differs.
_LEAST_CAPABILITY = {"tf32": (8, 0), "bfloat16": (8, 0), "float8": (8, 9), "int8": (7, 5)}
_DTYPES = {
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
def tensor_float(*, on: bool) -> Iterator[None]:
    """Whether float32 products on a GPU may use TF32.

    The setting is the newer one of torch's (2.9 on), which cannot be mixed with ``allow_tf32``: the
    process is ours alone.
    """
    settings = torch.backends.cuda.matmul
    before = settings.fp32_precision
    settings.fp32_precision = "tf32" if on else "ieee"
    try:
        yield
    finally:
        settings.fp32_precision = before


def matrix_product(name: str, side: int, device: torch.device) -> Callable[[], object]:
    """A product of two matrices of random numbers: with zeros a GPU needs less power."""
    dtype = _DTYPES[name]
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
