"""Are the graphs, the kernels and their bytes of `inspect graph` those of torch?

    python benchmarks/graph_accuracy.py [--only bert] [--output reports/graph_accuracy.md]

Every sample, and fifteen small models of transformers, are recorded as `inspect graph --train` does
it, with code for a GPU that need not be here; the samples once more with C++. In the same process
stand two watchers that know nothing of the recorder: one notes each graph that torch prints, node
by node, the other asks the scheduler for the bytes of each kernel before it generates code
(`get_read_write_buffers_sizes`). Kernels are compared with the comments of the generated code.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.graph_accuracy_report import Row, Share, render, table  # noqa: E402 - not installed
from inspector.features.graph.lookup import origins  # noqa: E402 - the checkout is not installed
from inspector.features.graph.operators import shown_operator  # noqa: E402 - same
from inspector.features.graph.reading import read_graphs  # noqa: E402 - same
from inspector.features.graph.report import FUSION, make_graph_report  # noqa: E402
from inspector.run.graph import Stage  # noqa: E402 - same
from inspector.run.sources.recording import opened, read_run  # noqa: E402 - same
from inspector.shared.request import Request  # noqa: E402 - same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inspector.features.graph.fusion import Fusion
    from inspector.run.graph import Graph, Node
    from inspector.run.graph_places import OutputText
    from inspector.run.run import Run

CHILD = "benchmarks.graph_accuracy_child"
STAGES = {stage.value.replace("-", "_") for stage in Stage}
GPU = "h200"
TIMEOUT_S = 600
MODELS = (
    "bert", "albert", "distilbert", "deberta_v2", "modernbert", "gpt2", "llama", "mistral",
    "qwen2_moe", "gemma2", "mamba", "t5", "vit", "whisper", "wav2vec2",
)  # fmt: skip
# Not once more with C++: too slow, or with a kernel for GPUs alone.
LARGE = ("bert_base", "resnet50", "user_triton_kernel")
# Dynamo gives what enters or leaves a mode no stack, and no data passes through it.
MODES = ("torch.amp.", "torch.set_grad_enabled", "torch._C._set_grad_enabled")
MODEL = """\
import sys

sys.path.insert(0, {root!r})
from benchmarks.transformers_models import build

model, example_inputs = build({name!r})
"""


def subjects(folder: Path) -> Iterator[tuple[str, Path, str | None]]:
    """What to record: a name, a file, and the GPU, or None for the CPU."""
    for path in sorted((ROOT / "samples").glob("*/model.py")):
        yield path.parent.name, path, GPU
        if path.parent.name not in LARGE:
            yield path.parent.name, path, None
    for name in MODELS:
        path = folder / f"{name}.py"
        path.write_text(MODEL.format(root=str(ROOT), name=name), encoding="utf-8")
        yield name, path, GPU


def measured(name: str, path: Path, gpu: str | None) -> Row:
    """A program in training, or in inference where it cannot be trained."""
    shown = f"{name} ({gpu or 'cpu'})"
    row = recorded(shown, path, gpu, train=True)
    return row if row.bytes_.all else recorded(shown, path, gpu, train=False)


def recorded(shown: str, path: Path, gpu: str | None, *, train: bool) -> Row:
    """Records a program in a process of its own, and compares."""
    request = Request(
        str(path), train=train, no_grad=not train, backend="inductor", measure=False, graphs=True,
        generates=True, gpu=gpu,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="graph-accuracy-") as name:
        folder, live = Path(name) / "recording", Path(name) / "live.json"
        command = [sys.executable, "-m", CHILD, str(folder), request.to_json()]
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "TORCHINDUCTOR_CACHE_DIR": f"{name}/cache"}
        try:
            done = subprocess.run(
                [*command, str(live)], capture_output=True, text=True, timeout=TIMEOUT_S,
                check=False, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Row(shown, failure="timed out")
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no output"])[-1]
            return Row(shown, failure=f"exit {done.returncode}: {last}"[:160])
        with opened(folder) as found:
            return compared(shown, read_run(found), json.loads(live.read_text(encoding="utf-8")))


def compared(shown: str, run: Run, live: dict[str, list[object]]) -> Row:
    """What was recorded against what was live."""
    remarks = [problem for process in run.processes for problem in process.problems]
    graphs, texts = [], []
    for process in run.processes:
        places = [place for place in process.graphs.places if place.stage in STAGES]
        found, unread = read_graphs(places, run.roots)
        remarks += unread
        graphs += found
        texts += [place.text.text() if place.text else "" for place in places]
    same = [is_same(*pair, live["graphs"]) for pair in zip(graphs, texts, strict=True)]
    remarks += [
        f"{graph.name}: other nodes or edges"
        for graph, ok in zip(graphs, same, strict=True)
        if not ok
    ]
    rows = make_graph_report(run, FUSION).fusions
    kernels = [
        kernels_of(text.text.text(), rows, text, remarks)
        for process in run.processes
        for text in process.codes.texts
        if text.text is not None
    ]
    lines = collections.Counter[tuple[str, int]]()
    for graph in graphs:
        remarks += with_lines(graph, lines)
    return Row(
        shown,
        training=any(graph.stage is Stage.BACKWARD for graph in graphs),
        graphs=Share(sum(same), len(same)),
        nodes=sum(len(graph.nodes) for graph in graphs),
        kernels=sum(kernels, Share()),
        bytes_=bytes_of(rows, live["schedulers"], remarks),
        lines={stage: tuple(lines[stage, n] for n in range(3)) for stage, _ in lines},  # type: ignore[misc]
        remarks=tuple(remarks),
    )


def is_same(graph: Graph, text: str, live: dict[str, list[object]]) -> bool:
    """Whether nodes, operations and edges are those of the graph that torch printed."""
    # Torch puts the address of pre-grad graphs below their text.
    nodes = live.get(text.partition("\n\n # graph id")[0])
    edges = collections.Counter((first, node.name) for node in graph.nodes for first in node.inputs)
    expected = collections.Counter(
        (first, name) for name, _, inputs in nodes or () for first in inputs
    )
    ours = [[node.name, node.op] for node in graph.nodes]
    return nodes is not None and ours == [[name, op] for name, op, _ in nodes] and edges == expected


def kernels_of(code: str, rows: Sequence[Fusion], text: OutputText, remarks: list[str]) -> Share:
    """The kernels of the comments in one graph's code."""
    direction = re.search(r"AOT ID: \['\d+_(\w+)'\]", code)
    kind = direction.group(1) if direction else ""
    mine = [row for row in rows if row.compile_id == str(text.compile_id)]
    fusions = [f for f in mine if f.direction == kind] or mine
    steps: dict[str, set[str]] = {}
    for fusion in fusions:
        for step in fusion.steps:  # of several launches the first is that of the definition
            found = {".".join(node.aten.split(".")[:2]) for node in step.operators if node.aten}
            steps.setdefault(step.name, found)
    right = wrong = 0
    for name, operators in comments(code):
        if name in steps and operators in {None, frozenset(steps[name])}:
            right += 1
        else:
            wrong += 1
            ours = sorted(steps[name]) if name in steps else "missing"
            remarks.append(f"kernel {name}: {ours} instead of {sorted(operators or ())}")
    return Share(right, right + wrong)


def comments(code: str) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Each kernel's name with the operators of the comment that stands over its definition.

    Kernels in C++ have none there.
    """
    name = r"^(\w+) = async_compile\."
    pattern = r"Original ATen: \[([^\]]*)\](?:(?!Original ATen: ).)*?" + name + r"triton\("
    for operators, kernel in re.findall(pattern, code, re.DOTALL | re.MULTILINE):
        yield kernel, frozenset(part.strip() for part in operators.split(",") if part.strip())
    for kernel in re.findall(name + r"cpp\w*\(", code, re.MULTILINE):
        yield kernel, None


def bytes_of(
    rows: Sequence[Fusion],
    schedulers: Sequence[Sequence[tuple[list[str], dict[str, int], int]]],
    remarks: list[str],
) -> Share:
    """The launches against the nodes of the scheduler that has the same ones.

    Code for a GPU that is not there is generated in several variants, one of which is reported.
    """
    left = list(schedulers)
    right = number = 0
    for row in rows:
        ours = [(launch.operations, launch.bytes_) for launch in row.plan.launches]
        number += len(ours)
        torchs = [[(tuple(names), size) for names, _, size in nodes] for nodes in left]
        if ours in torchs:
            right += len(ours)
            del left[torchs.index(ours)]
            continue
        best = max(torchs, key=lambda nodes: len({*nodes} & {*ours}), default=[])
        right += len({*best} & {*ours})
        remarks += [
            f"{row.name}: {'+'.join(names)} is said to have {size} bytes"
            for names, size in {*ours} - {*best}
        ]
    return Share(right, number)


def with_lines(graph: Graph, lines: collections.Counter[tuple[str, int]]) -> list[str]:
    """Counts the nodes of a graph that lead to a line, and says which do not."""
    known = origins(graph)
    lost = []
    for node in graph.nodes:
        if not node.is_compute or is_mode(node):
            continue
        stack, is_derived = known[node.name]
        lines[graph.stage.value, 2] += 1
        if not stack:
            lost.append(f"{graph.name}: {node.name} ({node.target}) leads to no line")
        else:
            lines[graph.stage.value, int(is_derived)] += 1
    return lost


def is_mode(node: Node) -> bool:
    """Whether it enters or leaves a mode."""
    return shown_operator(node).startswith(MODES)


def main() -> None:
    """The command described at the top of this file."""
    parser = argparse.ArgumentParser(description="Graphs, kernels and bytes against torch's own.")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    parser.add_argument("--output", type=Path, help="write the report here as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graph-accuracy-models-") as name:
        chosen = [found for found in subjects(Path(name)) if options.only in found[0]]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = []
            for row in pool.map(lambda found: measured(*found), chosen):
                rows.append(row)
                print(*table([row])[2:], *row.remarks[:3], sep="\n  ", file=sys.stderr, flush=True)
    report = render(rows, GPU)
    print(report)
    if options.output:
        options.output.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
