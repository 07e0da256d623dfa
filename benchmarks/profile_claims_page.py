"""What profile_claims.py found out, as the page that it writes: do the claims hold?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.profile_claims_cases import (
    ACTIVE,
    CASES,
    HIT_RATE,
    LAYER_NORM,
    METRICS,
    NCU,
    RESNET,
    SM,
    TRANSFORMER,
    WAYS,
    Counted,
)


def change(before: float, after: float) -> str:
    """``41.2 % → 52.0 % (+26 %)``."""
    return f"{before:.1f} % → {after:.1f} % ({after / before - 1:+z.0%})"


def by_counters(name: str, found: dict[tuple[str, str], Counted]) -> tuple[Counted, Counted] | None:
    """Both ways of a model."""
    both = [found.get((name, way)) for way in WAYS]
    return (both[0], both[1]) if both[0] is not None and both[1] is not None else None


def hit_rate_row(found: dict[tuple[str, str], Counted]) -> tuple[str, str]:
    """ResNet-50's L2 hit rate: what was measured, and whether the claim holds."""
    both = by_counters(RESNET.name, found)
    if both is None:
        alone = [(way, found[RESNET.name, way]) for way in WAYS if (RESNET.name, way) in found]
        said = [
            f"{way} alone: whole step {one.hit_rate:.1f} %; the best kernel with over 1 % of the "
            f"time {one.best.values[HIT_RATE]:.0f} %; kernels of 92 % and more take "
            f"{one.share_above(92):.0%} of it"
            for way, one in alone
        ]
        return "; ".join(said) or "not measured", "-"
    eager, compiled = both
    best = [way.best for way in both]
    text = (
        f"whole step {change(eager.hit_rate, compiled.hit_rate)}; the best kernel with over 1 % of "
        f"the time {best[0].values[HIT_RATE]:.0f} % → {best[1].values[HIT_RATE]:.0f} %; kernels of "
        f"92 % and more take {eager.share_above(92):.0%} → {compiled.share_above(92):.0%} of it"
    )
    if compiled.hit_rate >= 92:
        return text, "yes"
    reaches = best[1].values[HIT_RATE] >= 92
    return text, "of single kernels, not of the step" if reaches else "no"


def utilisation_row(report: dict[str, Any] | None) -> tuple[str, str]:
    """ResNet-50's GPU utilisation."""
    if report is None:
        return "not measured", "-"
    (profile,) = report["profiles"]
    busy = profile["busy_ns"] / profile["wall_ns"]
    text = f"the GPU works {busy:.1%} of a compiled step"
    if profile["eager_ns"] and profile["eager_busy_ns"]:
        text += f", {profile['eager_busy_ns'] / profile['eager_ns']:.1%} of an eager one"
    return text, "yes" if busy > 0.9 else "no"


def fusion_row(name: str, found: dict[tuple[str, str], Counted]) -> tuple[str, str]:
    """LayerNorm and GELU: SM utilisation by both meanings, and what was really won."""
    both = by_counters(name, found)
    if both is None:
        return "not measured", "-"
    eager, compiled = both
    gain = compiled.mean(SM) / eager.mean(SM) - 1
    text = (
        f"SM throughput {change(eager.mean(SM), compiled.mean(SM))}; SMs active "
        f"{change(eager.mean(ACTIVE), compiled.mean(ACTIVE))}; {len(eager.kernels)} → "
        f"{len(compiled.kernels)} kernels; DRAM {eager.dram_bytes / 1e6:,.0f} → "
        f"{compiled.dram_bytes / 1e6:,.0f} MB; kernels' time {eager.time_ns / 1e3:,.0f} → "
        f"{compiled.time_ns / 1e3:,.0f} µs ({compiled.time_ns / eager.time_ns - 1:+z.0%})"
    )
    return text, "yes" if gain >= 0.26 else f"no: {gain:+z.0%}"


def product_lines(reports: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What `inspect profile` said of each."""
    for name, report in reports.items():
        (profile,) = report["profiles"]
        faster = profile["faster_than_eager"] or 0.0
        counters = [item["counters"] for work in profile["work"] for item in work["launches"]]
        yield (
            f"| {name} | {(profile['eager_ns'] or 0) / 1e6:.3f} | {profile['wall_ns'] / 1e6:.3f} | "
            f"{faster:.2f} | {profile['busy_ns'] / profile['wall_ns']:.1%} | "
            f"{profile['eager_launches']} → {profile['launches']} | "
            f"{sum(map(bool, counters))} of {len(counters)} |"
        )


TEXT = """# Published claims, measured

{said}. Written by `benchmarks/profile_claims.py` in {took:.0f} s; what the words mean is in
[docs/claims.md](../docs/claims.md).

| claim | measured here, eager → compiled | command | holds |
|---|---|---|---|
{rows}

`ncu …` is `ncu {ncu} --metrics {metrics} python benchmarks/profile_claims.py`, once with
`--way eager` and once with `--way compiled`; of the training, `--metrics {few}`: what fits into
one pass.

What `inspect profile` says of the same models (`{targets}`):

| model | eager, ms | compiled, ms | faster | GPU works | launches | with counters |
|---|--:|--:|--:|--:|--:|--:|
{lines}
{missing}"""


def page(
    found: dict[tuple[str, str], Counted],
    reports: dict[str, dict[str, Any]],
    missing: Sequence[str],
    took_s: float,
) -> str:
    """The report."""
    profiling = f"`inspect profile {RESNET.file} {' '.join(RESNET.options)}`"
    counting = "ncu … --child"
    rows = (
        (
            "ResNet-50, training: L2 hit rate up to 92 %",
            hit_rate_row(found),
            f"`{counting} {RESNET.name}`",
        ),
        (
            "ResNet-50, training: GPU utilisation over 90 %",
            utilisation_row(reports.get(RESNET.name)),
            profiling,
        ),
        (
            "LayerNorm and GELU fused: SM utilisation +26 %, the two alone",
            fusion_row(LAYER_NORM.name, found),
            f"`{counting} {LAYER_NORM.name}`",
        ),
        (
            "the same, a whole Transformer block",
            fusion_row(TRANSFORMER.name, found),
            f"`{counting} {TRANSFORMER.name}`",
        ),
    )
    report = next(iter(reports.values()), None)
    said = "A GPU"
    if report is not None:
        versions = report["versions"][0]
        device = (report["ceilings"] or {}).get("device") or "A GPU"
        said = f"{device}, torch {versions.get('torch')}, Triton {versions.get('triton')}"
    return TEXT.format(
        said=said,
        took=took_s,
        ncu=" ".join(NCU),
        metrics=",".join(METRICS),
        few=",".join(RESNET.metrics),
        targets="`, `".join(
            f"inspect profile {item.file} {' '.join(item.options)}" for item in CASES
        ),
        rows="\n".join(
            f"| {claim} | {text} | {how} | {holds} |" for claim, (text, holds), how in rows
        ),
        lines="\n".join(product_lines(reports)),
        missing="".join(f"\n- {line}" for line in missing),
    )
