"""``warmup.py``: a warm-up plan as a script that stands alone. What it needs is torch."""

from __future__ import annotations

import importlib.resources
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from inspector.findings.escaping import one_line
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.wording import count
from inspector.model.dtypes import DType, Kind, parse_dtype
from inspector.model.input_parser import parse_inputs
from inspector.model.input_spec import MappingSpec, SequenceSpec, Spec, TensorSpec, ValueSpec
from inspector.model.variation import Assignment
from inspector.model.warmup import Loading
from inspector.version import __version__

__all__ = ["render"]

_SCRIPT = "script.txt"
_IMPORTED = (
    "argparse", "contextlib", "functools", "importlib", "importlib.util", "json", "sys", "time",
)  # fmt: skip
_CALLS_WITH_CUDA_GRAPHS = 3


def render(report: WarmupReport, folder: Path, stream: TextIO) -> None:
    """Writes the script.

    Args:
        report: The report, whose plan says how the target is loaded.
        folder: Where the script will be: the model's place is written relative to it.
        stream: Where it is written to.
    """
    loading = report.plan.loading
    if loading is None:
        return
    parts = (_head(report), _place(loading, folder), _how(report), _inputs(report))
    stream.writelines("\n".join(part).strip("\n") + "\n\n" for part in parts)
    stream.write("\n" + "\n".join(_given(report, loading)) + "\n\n\n")
    resources = importlib.resources.files(__package__)
    stream.write(resources.joinpath(_SCRIPT).read_text(encoding="utf-8"))


def _head(report: WarmupReport) -> Iterator[str]:
    name = _text(report.plan.target)
    yield f'"""Warms up {name}: loads cache.bin, makes the calls after which nothing compiles.'
    yield ""
    yield "    python warmup.py            # does it, and says what it did"
    yield "    python warmup.py --check    # then calls all inputs: exit code 1 if any compiles"
    yield "    python warmup.py --save     # compiles and writes cache.bin: where it will serve"
    yield ""
    yield "In a service, before it says that it is ready:"
    yield ""
    yield "    import warmup"
    yield ""
    yield "    model = warmup.start()      # the compiled model, ready to be called"
    yield ""
    yield f"Written by torch-inspector {__version__}; it needs torch alone."
    yield '"""'
    yield ""
    yield from (f"import {module}" for module in _IMPORTED)
    yield "from collections.abc import Mapping"
    yield "from pathlib import Path"
    yield "from typing import NamedTuple"
    yield ""
    yield "import torch"
    yield "from torch._dynamo.utils import counters"
    yield "from torch.utils._pytree import tree_leaves, tree_map"


def _place(loading: Loading, folder: Path) -> Iterator[str]:
    yield "HERE = Path(__file__).resolve().parent"
    yield 'ARTIFACT = HERE / "cache.bin"'
    yield "# Where the model is, and under which name its module is imported."
    yield f"FOLDERS = [{', '.join(_path(Path(place), folder) for place in loading.search)}]"
    yield f"FILE = {'None' if loading.file is None else _path(Path(loading.file), folder)}"
    yield f"MODULE = {_quoted(loading.module)}"


def _path(place: Path, folder: Path) -> str:
    relative = Path(os.path.relpath(place, folder)).as_posix()
    return f"HERE / {_quoted(relative)}" if relative != "." else "HERE"


def _how(report: WarmupReport) -> Iterator[str]:
    plan = report.plan
    setting, workload = plan.setting, plan.workload
    yield "# How it is compiled and called: a service that does it otherwise compiles again."
    yield "COMPILE = {"
    yield f'    "backend": {_quoted(setting.backend)},'
    yield f'    "mode": {_quoted(setting.mode)},'
    yield f'    "dynamic": {setting.dynamic},'
    yield f'    "fullgraph": {setting.fullgraph},'
    yield "}"
    yield f"NO_GRAD = {not plan.is_grad}"
    yield f"DEVICE = {_quoted(plan.device)}"
    yield f"DTYPE = {_dtype(workload.dtype)}"
    yield f"AUTOCAST = {_dtype(workload.autocast)}"
    yield f"TF32 = {workload.tf32}"
    yield f"CALLS_OF_EACH = {_CALLS_WITH_CUDA_GRAPHS if plan.records_cuda_graphs else 1}"
    yield ""
    yield f"JOB = {_quoted(plan.job)}"
    yield f"TORCH = {_quoted(report.torch)}"
    yield f"MADE_ON = {_quoted(_machine(report))}"
    yield 'RESULT = {"loaded": False, "calls": [], "graphs": [], "later": []}'


def _machine(report: WarmupReport) -> str:
    if report.device != "cpu":
        return report.device
    return f"{report.processor or 'a CPU'}, {count(report.threads, 'thread')}"


def _dtype(name: str | None) -> str:
    return "None" if name is None else f"torch.{parse_dtype(name).torch_name}"


def _inputs(report: WarmupReport) -> Iterator[str]:
    plan = report.plan
    yield "# The inputs that the service sees: which of the given ones, and what is changed of it:"
    yield "# (argument, dimension, size), or (argument, None, value)."
    yield "INPUTS = {"
    for item in report.inputs:
        how: list[str] = [f'"of": {item.of}']
        if item.batch is not None:
            how.append(f'"batch": {item.batch}')
        if item.changes:
            changes = ", ".join(_change(each, plan.loading) for each in item.changes)
            how.append(f'"changes": [{changes}]')
        yield f"    {_quoted(item.label)}: {{{', '.join(how)}}},  # {item.shapes}"
    yield "}"
    labels = [item.label for item in report.inputs]
    yield "# After these calls, in this order, none of them compiles anything."
    yield from _list("PLAN", [labels[number] for number in plan.calls])
    yield "# The same where the artifact cannot be used."
    yield from _list("PLAN_WITHOUT_ARTIFACT", [labels[number] for number in plan.calls_without])


def _list(name: str, labels: Sequence[str]) -> Iterator[str]:
    yield f"{name} = ["
    yield from (f"    {_quoted(label)}," for label in labels)
    yield "]"


def _change(item: Assignment, loading: Loading | None) -> str:
    place = loading.places.get(item.name, item.name) if loading else item.name
    value = _dtype(str(item.value)) if item.is_dtype else repr(item.value)
    named = _quoted(place) if isinstance(place, str) else str(place)
    return f"({named}, {item.dimension}, {value})"


def _given(report: WarmupReport, loading: Loading) -> Iterator[str]:
    yield "def given_model(module):"
    yield '    """The model: weights and all."""'
    yield f"    return module.{loading.entry}"
    yield ""
    yield ""
    yield "def given_inputs(module):"
    if report.plan.texts:
        yield '    """Random inputs, the same in every run."""'
        yield "    generator = torch.Generator().manual_seed(0)"
        yield from _specs(report.plan.texts)
        return
    if not loading.inputs:
        yield '    """One call without arguments."""'
        yield "    return ()"
        return
    yield '    """A tuple or a dict of arguments, or a list of several."""'
    yield f"    return module.{loading.inputs}"


def _specs(texts: tuple[str, ...]) -> Iterator[str]:
    specs = parse_inputs(texts)
    yield "    args = ("
    yield from (f"        {_expression(spec.value)}," for spec in specs if spec.name is None)
    yield "    )"
    named = [spec for spec in specs if spec.name is not None]
    yield "    kwargs = {"
    yield from (f"        {_quoted(spec.name)}: {_expression(spec.value)}," for spec in named)
    yield "    }"
    yield "    return Arguments(args, kwargs)"


def _expression(spec: Spec) -> str:
    """What a spec stands for, as `inspector.capture.inputs.make_input` makes it."""
    match spec:
        case ValueSpec(value):
            return repr(value)
        case SequenceSpec(items, is_tuple):
            inside = ", ".join(map(_expression, items))
            comma = "," if len(items) == 1 else ""
            return f"({inside}{comma})" if is_tuple else f"[{inside}]"
        case MappingSpec(items):
            pairs = (f"{key!r}: {_expression(item)}" for key, item in items)
            return "{" + ", ".join(pairs) + "}"
        case TensorSpec(dtype, shape, limit):
            return _tensor(dtype, shape, limit)


_WIDE = {
    (Kind.FLOATING, 8): "float64",
    (Kind.COMPLEX, 16): "complex128",
    (Kind.COMPLEX, 8): "complex64",
    (Kind.COMPLEX, 4): "complex64",
}


def _tensor(dtype: DType, shape: tuple[int, ...], limit: int | None) -> str:
    to = f".to(torch.{dtype.torch_name})"
    if dtype.kind in (Kind.FLOATING, Kind.COMPLEX):
        wide = _WIDE.get((dtype.kind, dtype.size_bytes), "float32")
        return f"torch.randn({shape}, generator=generator, dtype=torch.{wide}){to}"
    below = 2 if limit is None else min(limit, 2**63 - 1)
    return f"torch.randint({below}, {shape}, generator=generator){to}"


def _quoted(text: str | None) -> str:
    """As Python has it; what no encoding has, of a name that is not UTF-8, is escaped."""
    if text is None:
        return "None"
    is_plain = text.encode("utf-8", "ignore").decode() == text
    return json.dumps(text, ensure_ascii=False) if is_plain else repr(text)


def _text(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"""', "'''")
