"""Published figures of torch.compile, and whether `inspect bench` finds them on this machine.

    python benchmarks/claims.py --device cuda --output reports/bench_claims.md
    python benchmarks/claims.py --only bert --seconds 3

The figures are in `benchmarks/claims/torch_compile.toml`. Two of a kind (time, throughput, peak
memory; eager → compiled) are compared by their ratio: figures belong to their machines. Ranges
(first calls, later calls, speedup) are compared as they are. A claim holds within 5%; it is within
noise where the interval of the ratio has it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from inspector.cli.bench_measure import BenchProcess, measured  # noqa: E402
from inspector.errors import InspectorError  # noqa: E402
from inspector.features.bench.ratio import Ratio  # noqa: E402
from inspector.features.bench.rows import BenchRow  # noqa: E402

CLAIMS = ROOT / "benchmarks" / "claims" / "torch_compile.toml"
SAME = 0.05
PAIRS = ("time_ms", "throughput_per_s", "peak_mb")
TIMES = "\N{MULTIPLICATION SIGN}"
UNITS = {"throughput_per_s": "/s", "peak_mb": " MB", "speedup": TIMES}
HEAD = ("| setting | what | published | here | |", "|:--|:--|--:|--:|:--|")


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """A published figure: eager's and the setting's of a pair, else the least and the most."""

    setting: str
    metric: str
    first: float
    second: float


@dataclasses.dataclass(frozen=True, slots=True)
class ClaimedModel:
    """A model with the options of `inspect bench` that belong to its claims."""

    name: str
    target: str
    options: dict[str, Any]
    claims: tuple[Claim, ...]


def claimed_models(part: str) -> list[ClaimedModel]:
    """The models with a text in their names."""
    found = []
    for fields in tomllib.loads(CLAIMS.read_text("utf-8"))["model"]:
        claims = tuple(
            Claim(each["setting"], metric, *map(float, figures))
            for each in fields.pop("claim")
            for metric, figures in each.items()
            if metric != "setting"
        )
        name, target = fields.pop("name"), str(ROOT / fields.pop("target"))
        found.append(ClaimedModel(name, target, fields, claims))
    return [model for model in found if part.casefold() in model.name.casefold()]


def checked(claim: Claim, rows: Sequence[BenchRow]) -> tuple[str, str]:
    """What is measured of a claim, as text, and whether it holds."""
    mine = [row for row in rows if row.setting.label == claim.setting]
    if not mine or not all(row.is_right for row in mine):
        failures = [row.failure for row in mine if row.failure]
        return failures[0] if failures else "wrong results" if mine else "-", "not measured"
    if claim.metric in PAIRS:
        return _pair(claim, mine[0], next(row for row in rows if row.setting.is_eager))
    if claim.metric == "speedup":
        return _speedup(claim, [row.faster for row in mine if row.faster])
    firsts = claim.metric == "first_call_ms"
    times = [row.first_ns if firsts else row.latency and row.latency.middle_ns for row in mine]
    return _range(claim, [time_ns / 1e6 for time_ns in times if time_ns])


def _pair(claim: Claim, row: BenchRow, eager: BenchRow) -> tuple[str, str]:
    first, second = (_figure(claim.metric, each) for each in (eager, row))
    if not first or not second:
        return "-", "not measured"
    is_rate = claim.metric == "throughput_per_s"
    claimed = claim.second / claim.first if is_rate else claim.first / claim.second
    gain = second / first if is_rate else first / second
    known = row.faster if claim.metric == "time_ms" else None
    interval = f", {known.low:.2f} to {known.high:.2f}" if known else ""
    figures = f"{first:,.3g} → {second:,.3g}{UNITS.get(claim.metric, ' ms')}"
    text = f"{figures} ({gain:.2f}{TIMES}{interval})"
    return text, _of_gain(known or Ratio(gain, gain, gain), claimed)


def _figure(metric: str, row: BenchRow) -> float | None:
    if metric == "throughput_per_s":
        return row.items_per_s
    if metric == "peak_mb":
        return row.memory.get("peak_allocated", 0) / 1e6
    return row.latency.middle_ns / 1e6 if row.latency else None


def _of_gain(gain: Ratio, claimed: float) -> str:
    if abs(gain.middle / claimed - 1) <= SAME:
        return "as claimed"
    if gain.low <= claimed <= gain.high:
        return "within noise"
    return "more than claimed" if gain.middle > claimed else "less than claimed"


def _speedup(claim: Claim, ratios: Sequence[Ratio]) -> tuple[str, str]:
    text, verdict = _range(claim, [ratio.middle for ratio in ratios])
    noisy = all(ratio.low <= claim.second and claim.first <= ratio.high for ratio in ratios)
    if ratios and noisy and verdict != "as claimed":
        return text, "within noise"
    return text, verdict.replace("higher", "more").replace("lower", "less")


def _range(claim: Claim, found: Sequence[float]) -> tuple[str, str]:
    if not found:
        return "-", "not measured"
    low, high = min(found), max(found)
    text = f"{low:.3g} to {high:.3g}{UNITS.get(claim.metric, ' ms')}"
    least, most = claim.first * (1 - SAME), claim.second * (1 + SAME)
    if least <= low and high <= most:
        return text, "as claimed"
    if low > most:
        return text, "higher than claimed"
    return text, "lower than claimed" if high < least else "partly"


def report_lines(
    models: Sequence[ClaimedModel], given: Mapping[str, Any], recordings: Path
) -> Iterator[str]:
    """Measures the models, and gives the lines of a report in Markdown.

    Args:
        models: The models.
        given: More options of `inspect bench`.
        recordings: A folder for a recording of each.
    """
    for number, model in enumerate(models, 1):
        how = BenchProcess(None, None, recordings / f"{number:03d}-{model.name}", progress=True)
        yield from (f"## {model.name}", "")
        try:
            report, _ = measured(model.target, {**model.options, **given}, how)
        except InspectorError as error:
            yield from (f"Not measured: {error}", "")
            continue
        yield f"torch {report.run.torch} · {report.device} · {report.groups[0].inputs}"
        yield from ("", *HEAD)
        for claim in model.claims:
            here, verdict = checked(claim, report.rows)
            sign = " → " if claim.metric in PAIRS else " to "
            figures = f"{claim.first:,g}{sign}{claim.second:,g}{UNITS.get(claim.metric, ' ms')}"
            what = claim.metric.rpartition("_")[0].replace("_", " ") or claim.metric
            yield f"| {claim.setting} | {what} | {figures} | {here} | {verdict} |"
        yield ""


def main() -> None:
    """Measures, and writes the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the names of the models")
    parser.add_argument("--device")
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    options = {name: getattr(asked, name) for name in ("device", "sessions", "seconds")}
    given = {name: value for name, value in options.items() if value is not None}
    with tempfile.TemporaryDirectory() as scratch:
        text = "\n".join(report_lines(claimed_models(asked.only), given, Path(scratch)))
    print(text)
    if asked.output is not None:
        asked.output.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
