"""The GPUs that ``--gpu`` knows, and how one is found by what a user calls it."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Final

from inspector.errors import UsageError
from inspector.shared.gpus import ARCHITECTURES, GIB, MIB, Gpu
from inspector.shared.near_matches import did_you_mean

_TERA: Final = 1e12
_HOPPER = "NVIDIA H100 Tensor Core GPU Architecture whitepaper V1.04"
_AMPERE = "NVIDIA A100 Tensor Core GPU Architecture whitepaper V1.0"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper V2.1, Appendix A"
_ADA = "NVIDIA Ada GPU Architecture whitepaper V2.02, Appendix A"
_BLACKWELL = "NVIDIA RTX Blackwell GPU Architecture whitepaper V1.1, Appendix A"


def _gpu(  # noqa: PLR0913, PLR0917 - one row of the table
    key: str,
    name: str,
    capability: tuple[int, int],
    multiprocessors: int,
    memory: float,
    gb_per_s: float,
    l2: float,
    clock_mhz: int,
    tera: Mapping[str, float],
    *sources: str,
) -> Gpu:
    peaks = {dtype: value * _TERA for dtype, value in tera.items()}
    return Gpu(key, name, ARCHITECTURES[capability], multiprocessors, int(memory * GIB),
               gb_per_s * 1e9, int(l2 * MIB), clock_mhz * 1_000_000, peaks, sources)  # fmt: skip


def _peaks(  # noqa: PLR0913, PLR0917 - one row of the table
    fp64: float, fp32: float, tf32: float, half: float, int8: float, fp8: float = 0
) -> dict[str, float]:
    found = {"float64": fp64, "float32": fp32, "tf32": tf32, "float16": half, "bfloat16": half,
             "int8": int8, "float8": fp8}  # fmt: skip
    return {dtype: value for dtype, value in found.items() if value}


_H100 = _peaks(66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9)
_A100 = _peaks(19.5, 19.5, 156, 312, 624)

# Columns: memory in GiB as the driver gives it or as published, GB/s, L2 in MiB, boost clock in
# MHz, dense peaks in T(FL)OP/s: float64, float32, tf32, half, int8, float8.
_ROWS: Final = (
    _gpu("h100", "NVIDIA H100 80GB HBM3", (9, 0), 132, 80, 3352, 50, 1980, _H100, _HOPPER,
         "NVIDIA H100 Tensor Core GPU Datasheet (SXM5)"),
    _gpu("h100-pcie", "NVIDIA H100 PCIe", (9, 0), 114, 80, 2039, 50, 1755,
         _peaks(51.2, 51.2, 378, 756, 1513, 1513), _HOPPER,
         "NVIDIA H100 PCIe GPU Product Brief PB-11133-001"),
    # L2 and memory as its driver reports them (benchmarks/exactness/recorded_kernels).
    _gpu("h200", "NVIDIA H200", (9, 0), 132, 139.8, 4814, 60, 1980, _H100, _HOPPER,
         "NVIDIA H200 Tensor Core GPU Datasheet (SXM)"),
    _gpu("a100", "NVIDIA A100-SXM4-80GB", (8, 0), 108, 80, 2039, 40, 1410, _A100, _AMPERE,
         "NVIDIA A100 Tensor Core GPU Datasheet (80GB SXM)"),
    _gpu("a100-40gb", "NVIDIA A100-SXM4-40GB", (8, 0), 108, 40, 1555, 40, 1410, _A100, _AMPERE),
    _gpu("b200", "NVIDIA B200", (10, 0), 148, 180, 8000, 126, 1965,
         _peaks(37, 75, 1100, 2250, 4500, 4500), "NVIDIA HGX B200 Datasheet, per GPU",
         "NVIDIA Blackwell Architecture Technical Brief V1.1"),
    _gpu("l4", "NVIDIA L4", (8, 9), 58, 24, 300, 48, 2040,
         _peaks(0.47, 30.3, 60, 121, 242.5, 242.5), "NVIDIA L4 Tensor Core GPU Datasheet", _ADA),
    _gpu("l40s", "NVIDIA L40S", (8, 9), 142, 48, 864, 96, 2520,
         _peaks(1.43, 91.6, 183, 362.05, 733, 733), "NVIDIA L40S Datasheet", _ADA),
    _gpu("a10g", "NVIDIA A10G", (8, 6), 80, 24, 600, 6, 1710,
         _peaks(0.55, 35, 35, 70, 140), "NVIDIA A10G Tensor Core GPU Datasheet (AWS)", _GA102),
    _gpu("t4", "Tesla T4", (7, 5), 40, 16, 320, 4, 1590,
         {"float64": 0.25, "float32": 8.1, "float16": 65, "int8": 130},
         "NVIDIA T4 Tensor Core GPU Datasheet", "NVIDIA Turing GPU Architecture whitepaper"),
    _gpu("rtx3090", "NVIDIA GeForce RTX 3090", (8, 6), 82, 24, 936, 6, 1695,
         _peaks(0.56, 35.6, 35.6, 71, 284), _GA102),
    _gpu("rtx4090", "NVIDIA GeForce RTX 4090", (8, 9), 128, 24, 1008, 72, 2520,
         _peaks(1.29, 82.6, 82.6, 165.2, 660.6, 330.3), _ADA),
    _gpu("rtx5090", "NVIDIA GeForce RTX 5090", (12, 0), 170, 32, 1792, 96, 2407,
         _peaks(1.64, 104.8, 104.8, 209.5, 838, 419), _BLACKWELL),
)  # fmt: skip

GPUS: Final[Mapping[str, Gpu]] = {gpu.key: gpu for gpu in _ROWS}
"""The GPUs by what ``--gpu`` calls them."""

# Which GPU's figures an architecture alone has.
_DEFAULTS: Final[Mapping[str, str]] = {
    "sm_75": "t4", "sm_80": "a100", "sm_86": "rtx3090", "sm_89": "rtx4090", "sm_90": "h100",
    "sm_100": "b200", "sm_120": "rtx5090",
}  # fmt: skip
ARCHITECTURE_KEYS: Final = tuple(_DEFAULTS)
"""The architectures that ``--gpu`` knows without a GPU's name."""

_ALIASES: Final[Mapping[str, str]] = {
    "h100sxm": "h100", "h100sxm5": "h100", "h10080gbhbm3": "h100", "a10080gb": "a100",
    "a100sxm480gb": "a100", "a100sxm440gb": "a100-40gb", "3090": "rtx3090", "4090": "rtx4090",
    "5090": "rtx5090", "geforcertx3090": "rtx3090", "geforcertx4090": "rtx4090",
    "geforcertx5090": "rtx5090", "teslat4": "t4",
}  # fmt: skip


def find_gpu(asked: str) -> Gpu | None:
    """The GPU that a user names, or None.

    Args:
        asked: A key of the table, a name as torch or NVIDIA writes it, or ``sm_90``.
    """
    architecture = re.fullmatch(r"sm_?(\d+)a?", asked.strip().lower())
    if architecture is not None:
        key = f"sm_{architecture[1]}"
        default = _DEFAULTS.get(key)
        return dataclasses.replace(GPUS[default], key=key, assumed=True) if default else None
    plain = re.sub(r"[^a-z0-9]", "", asked.lower()).removeprefix("nvidia")
    keys = {re.sub(r"[^a-z0-9]", "", key): key for key in GPUS} | dict(_ALIASES)
    return GPUS[keys[plain]] if plain in keys else None


def known_gpu(asked: str) -> Gpu:
    """The GPU that a user names.

    Raises:
        UsageError: The table has none of that name.
    """
    gpu = find_gpu(asked)
    if gpu is None:
        known = [*GPUS, *_DEFAULTS]
        raise UsageError(
            f"Unknown GPU {asked!r}.",
            f"{did_you_mean(asked, known)} Run `inspect kernels --list-gpus` to list all GPUs.",
        )
    return gpu
