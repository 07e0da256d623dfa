"""Reports on kernels, and of two runs side by side, from recordings."""

import contextlib
import dataclasses
from pathlib import Path

from benchmarks.exactness.compare_kernels import load
from inspector import plugins
from inspector.features.diff.report import DiffReport, make_diff_report, side_facts
from inspector.features.graph.report import FUSION, GraphReport, make_graph_report
from inspector.features.kernels.kernel_findings import kernel_findings
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.report.finding import Place
from inspector.run.sources.recording import opened, read_run
from tests.builds_fixture import recorded_facts
from tests.unit.cpp_logs import cpp_log, cpp_report
from tests.unit.logs import record
from tests.unit.render.profile_reports import artifact, logged

ROOT = Path(__file__).resolve().parents[3]
_TRITON = ROOT / "samples" / "user_triton_kernel" / "h200-inference.zip"
_GRAPH = (
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self):\n"
    "        # File: /p/model.py:3 in forward, code: return torch.addmm(b, x, y).tanh()\n"
    "        addmm = torch.addmm(b, x, y)\n"
    "        tanh = addmm.tanh()\n"
)
_TEMPLATE = """
@triton_heuristics.template(num_stages=4, num_warps=8, triton_meta={}, inductor_meta={})
@triton.jit
def triton_mm(arg_A, arg_B, out_ptr0):
    tl.dot(arg_A, arg_B)
"""
_OTHER = """
# AOT ID: ['0_forward']
triton_other_{0} = async_compile.triton('triton_other_{0}', 'pass # {0}')
def call(args):
    triton_other_{0}.run(args[0])
"""


def kernels_choices() -> KernelsReport:
    """A plain trace of a matmul for a GPU that is not here, which would measure what to take."""
    case = load()["cases"]["matmuls.addmm_scaled"]["training"]
    said = {
        "v": 1, "gpu": "h200", "attention": [], "missing": ["KeyError: 'b'"],
        "alternatives": [
            {"if": name, "code": _OTHER.format(number)}
            for number, name in enumerate(("template", "padded"), 1)
        ],
        "measured": [
            {"what": "padding", "detail": "mm", "taken": "not padded",
             "candidates": ["not padded", "padded"]},
            {"what": "template", "detail": "mm float32 8\N{MULTIPLICATION SIGN}8", "taken": "mm",
             "candidates": ["mm", "triton_mm_0", "triton_mm_1"], "direction": "forward",
             "sources": {f"triton_mm_{n}": _TEMPLATE + f"    # {n}" for n in (0, 1)}},
        ],
    }  # fmt: skip
    codes = [
        record("inductor_output_code", {"filename": "/c/x.py"}, payload=code["code"])
        for code in case["codes"]
    ]
    graph = record("dynamo_output_graph", {}, payload=_GRAPH)
    return make_kernels_report(logged(graph, *codes, artifact("gpu_target", said)))


def kernels_cpp() -> KernelsReport:
    return cpp_report(cpp_log("torch_2_13"))


def kernels_triton() -> KernelsReport:
    with opened(_TRITON) as recording:
        return make_kernels_report(read_run(recording))


def kernels_compiled() -> KernelsReport:
    """The same, with what other kernels were compiled to."""
    report = kernels_triton()
    facts = [*recorded_facts("promoted"), *recorded_facts("layer_norm")]
    rules = (plugins.load_rules("kernel"), plugins.load_rules("kernels"))
    return dataclasses.replace(
        report,
        rows=tuple(
            dataclasses.replace(row, facts=facts[number % len(facts)])
            for number, row in enumerate(report.rows)
        ),
        findings=tuple(kernel_findings(facts, lambda _: Place(), *rules)),
    )


def diff_versions() -> DiffReport:
    """The code of two versions of torch for the same function."""
    with contextlib.ExitStack() as stack:
        old, new = (cpp_report(cpp_log(name), stack) for name in ("torch_2_11", "torch_2_13"))
        return make_diff_report(old, new)


def diff_gone() -> DiffReport:
    """A kernel whose work a library does."""
    with contextlib.ExitStack() as stack:
        report = cpp_report(cpp_log("torch_2_13"), stack)
        graph = dataclasses.replace(report.graphs[0], kernels=(), calls=())
        other = dataclasses.replace(report, graphs=(graph,), rows=(), libraries={"mm": 3})
        return make_diff_report(report, other)


def diff_compiled() -> DiffReport:
    """Compiled kernels with their graphs against the same, not compiled."""
    with opened(_TRITON) as recording:
        run = read_run(recording)
        report = make_kernels_report(run)
        facts = side_facts(run, report)
        compiled = dataclasses.replace(kernels_compiled(), run=run)
        return make_diff_report(report, compiled, (facts, facts))


def graph_triton() -> GraphReport:
    with opened(_TRITON) as recording:
        return make_graph_report(read_run(recording), FUSION)
