"""What functions of each element take in a C++ kernel of Inductor's, and random numbers.

The constants of `inspector/features/profile/functions.py`: twenty times each in one kernel of
16,384 elements of float32, random numbers of a million, with one thread.

    python benchmarks/function_costs.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch

TIMES = 20
FEW, MANY = 1 << 14, 1 << 20
# Each with what keeps its values where it is defined.
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "mul": lambda x: x * 1.01,
    "acos": lambda x: torch.acos(x) * 0.5,
    "asin": lambda x: torch.asin(x) * 0.5,
    "atan": lambda x: torch.atan(x) + 0.1,
    "atan2": lambda x: torch.atan2(x, x + 1.0) + 0.1,
    "cos": torch.cos,
    "cosh": lambda x: torch.cosh(x) * 0.5,
    "erf": lambda x: torch.erf(x) + 0.1,
    "erfc": torch.erfc,
    "erfinv": lambda x: torch.erfinv(x) * 0.5,
    "exp": lambda x: torch.exp(x) * 0.3,
    "exp2": lambda x: torch.exp2(x) * 0.3,
    "expm1": lambda x: torch.expm1(x) * 0.5,
    "lgamma": lambda x: torch.lgamma(x + 1.0) + 0.3,
    "log": lambda x: torch.log(x) * -0.1 + 0.3,
    "log10": lambda x: torch.log10(x) * -0.1 + 0.3,
    "log1p": lambda x: torch.log1p(x) + 0.1,
    "log2": lambda x: torch.log2(x) * -0.1 + 0.3,
    "pow": lambda x: torch.pow(x, 1.7),
    "rsqrt": lambda x: torch.rsqrt(x) - 0.5,
    "sigmoid": lambda x: torch.sigmoid(x) - 0.2,
    "sin": lambda x: torch.sin(x) + 0.1,
    "sinh": lambda x: torch.sinh(x) * 0.7,
    "tan": lambda x: torch.tan(x) * 0.5,
    "tanh": lambda x: torch.tanh(x) + 0.1,
}


def repeated(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function so often over that it fills a kernel."""

    def model(x: Any) -> Any:
        for _ in range(TIMES):
            x = function(x)
        return x

    return model


def element_ns(function: Callable[[Any], Any], elements: int) -> float:
    """The median of a call's time, for each element."""
    torch.compiler.reset()
    compiled = torch.compile(function)
    x = torch.rand(elements) * 0.8 + 0.1
    times = []
    with torch.no_grad():
        for number in range(60):
            begin = time.perf_counter()
            compiled(x)
            if number >= 10:
                times.append(time.perf_counter() - begin)
    return statistics.median(times) / elements * 1e9


def main() -> None:
    """Prints a table."""
    torch.set_num_threads(1)
    print("| function | ns an element |\n|:--|--:|")
    for name, function in FUNCTIONS.items():
        print(f"| {name} | {element_ns(repeated(function), FEW) / TIMES:.2f} |", flush=True)
    for drawn in (torch.rand_like, torch.randn_like):
        time_ns = element_ns(lambda x, drawn=drawn: x * drawn(x), MANY)
        print(f"| {drawn.__name__} | {time_ns:.1f} |", flush=True)


if __name__ == "__main__":
    main()
