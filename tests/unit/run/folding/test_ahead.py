"""AOTInductor and exports: logs of torch 2.13 and 2.6 (tests/unit/data/README.md).

The counts are those of the programs: each exports one module of three operators.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.features.compile_time.rules import cache_bypass, cpp_time
from inspector.features.kernels.report import make_kernels_report
from inspector.report.overview import recording_line
from inspector.report.report import make_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.run.summary import summarize

DATA = Path(__file__).parents[2] / "data" / "ahead"


@contextlib.contextmanager
def read(name: str) -> Iterator[Run]:
    with opened(DATA / f"{name}.log.gz") as recording:
        yield read_run(recording)


@pytest.mark.parametrize(
    ("name", "frames", "graphs", "operators", "ahead"),
    [
        # The metrics of AOTInductor have the compile id of what it lowers, or none.
        ("strict", 1, 1, 3, ("torch.export", "AOTInductor")),
        ("dynamo_export", 1, 1, 3, ("AOTInductor",)),
        ("torch_2_6", 1, 1, 3, ("AOTInductor",)),
        # Two lambdas of two operators, each followed by an export without Dynamo.
        ("mixed", 3, 4, 10, ("AOTInductor",)),
    ],
)
def test_one_compiled_graph_for_each_export(
    name: str, frames: int, graphs: int, operators: int, ahead: tuple[str, ...]
) -> None:
    with read(name) as run:
        summary = summarize(run)
        report = make_report(run, [cache_bypass.RULE, cpp_time.RULE])
    assert (summary.frames, summary.frames_compiled) == (frames, frames)
    assert (summary.graphs, summary.operators) == (graphs, operators)
    assert recording_line(run)[-len(ahead) :] == ahead
    assert not report.findings


def test_its_code_is_kernels() -> None:
    with read("mixed") as run:
        report = make_kernels_report(run)
    assert [row.kernel.name for row in report.rows] == ["cpp_fused_0", "cpp_fused_relu_sum_1"]
    assert [row.launches for row in report.rows] == [2, 2]
    assert report.libraries == {"addmm": 2}
    assert not report.notices
    (addmm,) = (call for call in report.graphs[0].calls if call.kind == "extern")
    assert addmm.aten == ("aten.t", "aten.addmm")
    # The text of the graph that was exported has torch's own line of it.
    assert [(node.node, node.file) for node in addmm.nodes] == [("linear", "")]


def test_what_is_cut_off_is_unfinished(tmp_path: Path) -> None:
    with opened(DATA / "mixed.log.gz") as recording:
        text = recording.logs[0].read_bytes()
    begin = text.index(b"inductor_aot_kernel_code")
    log = tmp_path / "cut.log"
    log.write_bytes(text[: text.index(b"\nV", begin) + 1])
    with opened(log) as recording:
        run = read_run(recording)
        kernels = make_kernels_report(run)
    summary = summarize(run)
    assert (summary.graphs, summary.frames_unfinished) == (2, 1)
    assert len(kernels.rows) == 2
