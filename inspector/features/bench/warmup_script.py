"""``warmup.py``: a warm-up plan as a script that stands alone. What it needs is torch."""

import importlib.resources
import json
import os
import string
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from inspector.features.bench.warmup_report import WarmupReport
from inspector.features.bench.wording import device_text
from inspector.report.escaping import one_line
from inspector.shared.dtypes import parse_dtype
from inspector.version import __version__

_CALLS_WITH_CUDA_GRAPHS = 3


def render(report: WarmupReport, folder: Path, stream: TextIO) -> None:
    """Writes the script, with the model's place relative to the folder where it will be."""
    plan, loading = report.plan, report.plan.loading
    if loading is None:
        return
    workload = plan.workload
    device = device_text(report.device, report.threads)
    made_with = (f"torch {report.run.torch}", report.run.processor, device)
    autocast = "contextlib.nullcontext()"
    if workload.autocast is not None:
        kind = _quoted("cpu" if report.device == "cpu" else "cuda")
        autocast = f"torch.autocast({kind}, dtype={_dtype(workload.autocast)})"
    how = {n: getattr(plan.setting, n) for n in ("backend", "mode", "dynamic", "fullgraph")}
    shapes = {_quoted(item.label): _quoted(item.shapes) for item in report.inputs}
    names = list(shapes)
    values = {
        "folders": f"[{', '.join(_path(Path(place), folder) for place in loading.search)}]",
        "file": None if loading.file is None else _path(Path(loading.file), folder),
        "module": _quoted(loading.module),
        "entry": loading.entry,
        "target": one_line(plan.target).replace("\\", "\\\\").replace('"""', "'''"),
        "version": __version__,
        "compile": _lines("{", (f"{_quoted(n)}: {_quoted(v)}" for n, v in how.items()), "}"),
        "device": _quoted(plan.device),
        "dtype": _dtype(workload.dtype),
        "tf32": workload.tf32,
        "calls_of_each": _CALLS_WITH_CUDA_GRAPHS if plan.records_cuda_graphs else 1,
        "job": _quoted(plan.job),
        "made_with": _quoted(", ".join(filter(None, made_with))),
        "is_grad": plan.is_grad,
        "autocast": autocast,
        "inputs": _lines("{", (f"{name}: {shape}" for name, shape in shapes.items()), "}"),
        "plan": _lines("[", (names[at] for at in report.calls), "]"),
        "plan_without_artifact": _lines("[", (names[at] for at in report.calls_without), "]"),
    }
    template = importlib.resources.files(__package__).joinpath("warmup_script.txt")
    stream.write(string.Template(template.read_text(encoding="utf-8")).substitute(values))


def _path(place: Path, folder: Path) -> str:
    relative = Path(os.path.relpath(place, folder)).as_posix()
    return f"HERE / {_quoted(relative)}" if relative != "." else "HERE"


def _lines(opening: str, items: Iterable[str], closing: str) -> str:
    return "\n".join([opening, *(f"    {item}," for item in items), closing])


def _dtype(name: str | None) -> str:
    return "None" if name is None else f"torch.{parse_dtype(name).torch_name}"


def _quoted(value: object) -> str:
    """As Python has it; what no encoding has, of a name that is not UTF-8, is escaped."""
    if not isinstance(value, str):
        return repr(value)
    is_plain = value.encode("utf-8", "ignore").decode() == value
    return json.dumps(value, ensure_ascii=False) if is_plain else repr(value)
