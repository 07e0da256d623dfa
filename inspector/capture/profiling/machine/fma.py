"""How fast the CPU multiplies and adds in registers, by a loop that the C++ compiler makes.

torch has no operator for it: products of matrices come near it where their library knows the
processor, and all else waits for memory.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspector.capture.profiling.machine.timing import Measured, Unsupported, rate, until_stable

# As many chains as hide the latency of an addition, and as fit into the registers beside two more.
_SOURCE = """
#if defined(__AVX512F__)
enum { BYTES = 64, CHAINS = 24 };
#elif defined(__AVX__)
enum { BYTES = 32, CHAINS = 12 };
#elif defined(__aarch64__)
enum { BYTES = 16, CHAINS = 24 };
#else
enum { BYTES = 16, CHAINS = 12 };
#endif
typedef float numbers __attribute__((vector_size(BYTES)));
extern "C" long operations() { return 2 * CHAINS * (BYTES / (long)sizeof(float)); }
extern "C" float chains(long rounds, float factor_, float term_) {
  numbers sums[CHAINS];
  const numbers factor = numbers{} + factor_, term = numbers{} + term_;
  for (int i = 0; i < CHAINS; ++i) sums[i] = numbers{} + (float)i;
  for (long round = 0; round < rounds; ++round)
#pragma GCC unroll 32
    for (int i = 0; i < CHAINS; ++i) sums[i] = sums[i] * factor + term;
  float sum = 0;
  for (int i = 0; i < CHAINS; ++i) sum += sums[i][0];
  return sum;
}
"""
_FLAGS = ("-x", "c++", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
_SECONDS = 20
_SAMPLE_SECONDS = 0.02
_FIRST_ROUNDS = 100_000


def fma_flops_per_s(threads: int) -> Measured:
    """Operations per second of float32, in as many threads as torch has.

    Raises:
        Unsupported: There is no C++ compiler.
        RuntimeError: It does not compile the loop.
    """
    with tempfile.TemporaryDirectory(prefix="inspector-fma-") as folder:
        library = ctypes.CDLL(str(_compiled(Path(folder))))
        library.chains.argtypes = (ctypes.c_long, ctypes.c_float, ctypes.c_float)
        library.chains.restype = ctypes.c_float
        library.operations.restype = ctypes.c_long
        with ThreadPoolExecutor(threads) as pool:

            def seconds(rounds: int) -> float:
                begun = time.perf_counter()
                futures = [
                    pool.submit(library.chains, rounds, 0.999, 0.001) for _ in range(threads)
                ]
                for future in futures:
                    future.result()
                return time.perf_counter() - begun

            seconds(_FIRST_ROUNDS)
            rounds = max(1, round(_FIRST_ROUNDS * _SAMPLE_SECONDS / seconds(_FIRST_ROUNDS)))
            found = until_stable(lambda: seconds(rounds))
    return rate(1.0 * rounds * threads * library.operations(), found)


def _compiled(folder: Path) -> Path:
    compiler = _compiler()
    source, made = folder / "fma.cpp", folder / "fma.so"
    source.write_text(_SOURCE, "ascii")
    command = (*compiler, *_FLAGS, str(source), "-o", str(made))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"{compiler[0]} does not compile the loop: {(lines or ['?'])[0]}")
    return made


def _compiler() -> Sequence[str]:
    """Inductor's choice: ``CXX``, or the first that is there."""
    asked = os.environ.get("CXX", "").split()
    if asked and shutil.which(asked[0]):
        return asked
    found = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
    if found is None:
        raise Unsupported("there is no C++ compiler")
    return (found,)
