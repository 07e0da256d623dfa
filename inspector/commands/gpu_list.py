"""``--list-gpus``: the table of GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.model.gpu_table import ARCHITECTURE_KEYS, GPUS, find_gpu
from inspector.model.gpus import Gpu


def gpu_lines() -> Iterator[str]:
    """The lines of the table, with their ends."""
    titles = f"{'arch':<8}{'SMs':>4}{'GiB':>5}{'TB/s':>6}{'L2 MiB':>8}{'bf16 TF/s':>11}"
    yield f"{'--gpu':<11}{titles}  name\n"
    for gpu in GPUS.values():
        yield _row(gpu)
    yield "\nArchitectures alone, with the figures of one of their GPUs:\n"
    for key in ARCHITECTURE_KEYS:
        found = find_gpu(key)
        if found is not None:
            yield f"{key:<11}as {found.name}\n"
    yield "\nDense peaks. Where the figures are from:\n"
    for gpu in GPUS.values():
        yield f"{gpu.key}: {'; '.join(gpu.sources)}\n"


def _row(gpu: Gpu) -> str:
    half = gpu.peaks.get("bfloat16")
    peak = "-" if half is None else f"{half / 1e12:.0f}"
    return (
        f"{gpu.key:<11}{f'sm_{gpu.arch}':<8}{gpu.multiprocessors:>4}"
        f"{gpu.memory_bytes / 2**30:>5.0f}{gpu.bandwidth / 1e12:>6.2f}"
        f"{gpu.l2_bytes / 2**20:>8.0f}{peak:>11}  {gpu.name}\n"
    )
