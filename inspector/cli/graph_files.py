"""Writes graphs as pictures, and as GraphML for other programs."""

from __future__ import annotations

import collections
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.cli.output import check_place, write_bytes
from inspector.errors import RecordingError, UsageError
from inspector.features.graph.drawing import layout
from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.options import Caption, Drawing
from inspector.features.graph.drawing.roles import make_roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.features.graph.exports import graphml, network
from inspector.features.graph.report import GraphReport, make_graph_report
from inspector.run.graph import Graph

_GRAPHML = ".graphml"
_FORMS = (_GRAPHML, *layout.SUFFIXES)
_REPORTS = (".json", ".md", ".txt")


def is_graph_file(output: Path | None) -> bool:
    """Whether a file is a picture or a graph for another program, and no report."""
    return output is not None and output.suffix.lower() in _FORMS


def is_picture(output: Path) -> bool:
    """Whether a file is a picture, or a picture's description."""
    return output.suffix.lower() in layout.SUFFIXES


def check_suffix(output: Path) -> None:
    """Refuses a file that is neither a graph nor a report.

    Raises:
        UsageError: The end of its name says no format.
    """
    if not is_graph_file(output) and output.suffix.lower() not in _REPORTS:
        known = sorted([*_FORMS, *_REPORTS])
        message = f"{str(output)!r} ends in no known format."
        raise UsageError(message, f"Choose one of {', '.join(known)}.")


def write_graph_files(report: GraphReport, output: Path, drawing: Drawing) -> None:
    """Writes each graph of a report into a file; several into files with the graphs' names.

    Args:
        report: The graphs, or what was fused; the logs of its run must still be there.
        output: The file; its name's end says the format.

    Raises:
        EnvironmentLacksError: A picture is asked for, and Graphviz is not installed.
        RecordingError: There is no graph, or the file cannot be written.
        UsageError: The picture would have too many nodes.
    """
    check_place(output)
    form = output.suffix.lower()
    # Graphs of other stages tell parameters from other inputs.
    all_graphs = make_graph_report(report.run, "").graphs
    made = list(_contents(report, all_graphs, form, drawing))
    if not made:
        raise _nothing(report)
    if len(made) > 1:
        what = "pictures" if form in layout.SUFFIXES else "files"
        text = f"{len(made)} {what}, one for each graph (--graph and --stage ask for fewer):"
        sys.stderr.write(text + "\n")
    for file, content in zip(_files(output, [name for name, _ in made]), made, strict=True):
        write_bytes(file, content[1])


def _nothing(report: GraphReport) -> RecordingError:
    hint = report.notices[0] if report.notices else "name another --stage or --graph"
    return RecordingError("There is no graph to write.", hint[:1].upper() + hint[1:] + ".")


def _contents(
    report: GraphReport, all_graphs: tuple[Graph, ...], form: str, drawing: Drawing
) -> Iterator[tuple[str, bytes]]:
    named = {graph.name: graph for graph in all_graphs}
    for row in report.rows:
        fusion = row.fusion
        if form == _GRAPHML:
            # The graph that was lowered: each of its nodes has its kernels.
            yield fusion.name, graphml(network(named[fusion.graph.name])).encode()
        else:
            caption = _caption(report, f"fusion {fusion.name}", fusion.graph)
            dot = fusion_dot(fusion, caption, drawing, make_roles(fusion.graph, all_graphs))
            yield fusion.name, layout.render(dot, form)
    for graph in report.graphs:
        if form == _GRAPHML:
            yield graph.name, graphml(network(graph)).encode()
        else:
            caption = _caption(report, graph.name, graph)
            dot = stage_dot(graph, caption, drawing, make_roles(graph, all_graphs))
            yield graph.name, layout.render(dot, form)


def _caption(report: GraphReport, stage: str, graph: Graph) -> Caption:
    run = report.run
    versions = run.processes[0].versions if run.processes else {}
    devices = (tensor.device for node in graph.nodes for tensor in node.tensors)
    device = report.gpu.name if report.gpu else next(filter(None, devices), "")
    return Caption(
        model=run.meta.target or run.meta.name,
        stage=stage,
        device=device,
        torch_version=str(versions.get("torch") or ""),
    )


def _files(output: Path, names: Sequence[str]) -> Iterator[Path]:
    """A file for each graph, with its name if there are several; ranks have graphs of one name."""
    seen: collections.Counter[str] = collections.Counter()
    for name in names:
        seen[name] += 1
        again = f"-{seen[name]}" if seen[name] > 1 else ""
        words = re.sub(r"[()]", "", name + again).replace("/", "_").replace(" ", "-")
        yield output.with_stem(f"{output.stem}-{words}") if len(names) > 1 else output
