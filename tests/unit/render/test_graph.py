"""Reports on graphs, made by hand, in every format."""

import dataclasses

import pytest
from rich.cells import cell_len

from inspector.features.graph.fusion import Pair
from inspector.features.graph.pair_reasons import TEMPLATES
from inspector.features.graph.reasons import Reason
from inspector.features.graph.report import GraphReport, with_line, with_operators
from inspector.features.graph.unfused_wording import unfused_lines
from inspector.run.graph import Graph
from inspector.shared.gpu_table import known_gpu
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node
from tests.unit.render import hostile
from tests.unit.render.graph_reports import fused, stages, whole
from tests.unit.render.rendering import rendered


def test_pairs_are_in_the_order_of_their_use() -> None:
    steps = tuple(Kernel(f"k{n}", (f"n{n}",), {"x": SIZE}, {}) for n in range(9))
    nodes = [node("x", ""), *(node(f"n{n}", "aten.neg.default", "x") for n in range(9))]
    advised, plain = Reason("order", "why", "do that."), Reason("order", "why")
    sizes = ((100 << 10, plain), (9 << 10, advised), (50 << 10, advised), (1000, plain))
    pairs = tuple(
        Pair(2 * n, 2 * n + 1, ("x",), size, f"said {n}", reason)
        for n, (size, reason) in enumerate(sizes)
    )
    made = dataclasses.replace(fusion(graph(*nodes), *steps), pairs=pairs)
    lines = unfused_lines(fused(gpu=None), made)
    assert [line.saved for line in lines] == ["50 KiB", "100 KiB", "9.0 KiB"]


@pytest.mark.parametrize(
    ("gpu", "mode", "is_advised"),
    [
        ("h100", "", True),
        ("a10g", "", True),
        ("l4", "", False),
        ("t4", "", False),
        ("h100", "max-autotune", False),
    ],
)
def test_templates_are_advised_where_inductor_tries_them(
    gpu: str, mode: str, *, is_advised: bool
) -> None:
    """On fewer than 68 multiprocessors it tries none."""
    steps = tuple(Kernel(f"k{n}", (f"n{n}",), {"x": SIZE}, {}) for n in range(2))
    nodes = [node("x", ""), *(node(f"n{n}", "aten.neg.default", "x") for n in range(2))]
    pair = Pair(0, 1, ("x",), 100 << 10, "", Reason("library", "why", TEMPLATES))
    report = fused(gpu=known_gpu(gpu))
    meta = dataclasses.replace(report.run.meta, settings={"mode": mode})
    report = dataclasses.replace(report, run=dataclasses.replace(report.run, meta=meta))
    made = dataclasses.replace(fusion(graph(*nodes), *steps), pairs=(pair,))
    (line,) = unfused_lines(report, made)
    assert line.change == (TEMPLATES if is_advised else "")
    assert line.is_advised is is_advised


def test_operators_whose_later_names_were_not_recorded_did_not_become_nothing() -> None:
    unnamed = [
        dataclasses.replace(
            item, nodes=tuple(dataclasses.replace(node, earlier=()) for node in item.nodes)
        )
        for item in stages()
    ]
    report = with_operators(whole(fusions=(), graphs=tuple(unnamed)))
    text = rendered(report, "terminal")
    assert "nothing" not in text
    assert "decompositions were not recorded" in text


def test_a_graph_break_at_the_line_is_said() -> None:
    run = hostile.run()
    found = next(
        record.user or record.project
        for process in run.processes
        for frame in process.frames
        for compilation in frame.compilations
        for record in compilation.graph_breaks
    )
    assert found is not None
    report = with_line(whole(run=run), found.file.rpartition("/")[2], found.line)
    for name in ("terminal", "markdown"):
        text = " ".join(rendered(report, name).replace("`", "").split())
        assert "The graph breaks here (" in text
        assert "inspect explain shows why, and how to fix it." in text


def test_long_tables_are_cut_off() -> None:
    nodes = [node(f"n{n}", "aten.neg.default") for n in range(250)]
    kernels = [Kernel(f"k{n}", (f"n{n}",), {"x": SIZE}, {f"b{n}": SIZE}) for n in range(250)]
    found = fusion(graph(*nodes), *kernels)
    pairs = tuple(Pair(n, n + 1, ("x",), SIZE, f"said {n}", None) for n in range(249))
    report = whole(graphs=(graph(*nodes),), fusions=(dataclasses.replace(found, pairs=pairs),))
    text = rendered(report, "markdown")
    assert text.count("| … 50 more in the JSON report |") == 2
    assert text.count("| … 49 more in the JSON report |") == 1
    text = rendered(report, "terminal")
    assert "… 238 more kernels (-v)\n" in text
    assert "… 238 more operators (-v)\n" in text


def test_columns_stay_below_each_other_whatever_the_names_are() -> None:
    nodes = [node("a\x1b[31m", "aten.neg.default", at=3), node("wide漢", "aten.neg.default", at=3)]
    text = rendered(staged_of(graph(*nodes)), "terminal").splitlines()
    places = [cell_len(found[: found.index("model")]) for found in text if "model.py:3" in found]
    assert len(set(places)) == 1


def staged_of(found: Graph) -> GraphReport:
    return fused(stage="dynamo", fusions=(), graphs=(found,))
