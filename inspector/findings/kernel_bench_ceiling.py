"""What is left to win of a kernel that moves bytes about as fast as the machine can."""

from __future__ import annotations

from inspector.findings.kernel_bench_report import KernelBenchReport, Rate
from inspector.model.dtypes import Kind, find_dtype
from inspector.profiles.alone import WARM

_NEAR = 0.8  # of a ceiling: what is left is within what configurations differ by
_POSSIBLE = 1.05  # more than that, and the bytes are not what moves
_ALL_GONE = 2  # times the last cache: nothing is left of it when a launch is made again
_HALF_BYTES = 2  # of an element, with which most models still compute the same
_CEILINGS = {
    "copy_bytes_per_s": "memory's bandwidth",
    "l2_bytes_per_s": "the cache's bandwidth",
}


def ceiling_text(name: str) -> str:
    """``memory's bandwidth``, ``float32 peak``: how a ceiling is called."""
    return _CEILINGS.get(name, f"{name.removesuffix('_flops_per_s')} peak")


def near_ceiling(report: KernelBenchReport) -> str:
    """What that means, in one sentence without a full stop; empty where it is not near to one.

    It goes by the times that are nearer to those in place, and says nothing where the share is not
    known, or another configuration was found to be faster than it leaves room for.
    """
    rate = _bytes_rate(report)
    share = rate.share if rate is not None else None
    if rate is None or share is None or not _NEAR <= share <= _POSSIBLE:
        return ""
    if not report.bytes_are_inductors or _is_partly_kept(report, rate):
        return ""  # what moves, or how fast it could, is not known well enough
    best = report.best
    if best is not None and best.gain is not None and best.gain.ratio * share > _POSSIBLE:
        return ""
    others = "configurations" if "triton" in report.bench.kind else "kernels"
    left = f"at most {1 - share:.0%}" if round(share, 2) < 1 else "nothing"
    dtype = ", or a dtype with fewer bytes" if _is_wide(report) else ""
    cold = "" if report.regime == WARM else ", with cold caches,"
    return (
        f"alone{cold} it reaches {min(share, 1):.0%} of {ceiling_text(rate.ceiling)}: faster "
        f"{others} can win {left} of its time; beyond that only fewer bytes help (fusion with what "
        f"writes its inputs or reads its results{dtype})"
    )


def _bytes_rate(report: KernelBenchReport) -> Rate | None:
    rates = (rate for regime, rate in report.rates if regime == report.regime)
    return next((rate for rate in rates if rate.what == "bytes"), None)


def _is_partly_kept(report: KernelBenchReport, rate: Rate) -> bool:
    """Whether a cache may have some of what is held against memory's bandwidth."""
    is_warm = report.regime == WARM and rate.ceiling == "copy_bytes_per_s"
    return is_warm and (report.bytes_ or 0) < _ALL_GONE * report.bench.cache_bytes


def _is_wide(report: KernelBenchReport) -> bool:
    """Whether a tensor has floating-point numbers that could have fewer bytes."""
    dtypes = (find_dtype(item.dtype) for item in report.bench.arguments if item.dtype)
    return any(
        dtype is not None and dtype.kind is Kind.FLOATING and dtype.size_bytes > _HALF_BYTES
        for dtype in dtypes
    )
