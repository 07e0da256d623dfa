"""Writes graphs into files for other programs: pictures, GraphML, node-link, Model Explorer."""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from inspector.commands.output import check_place, write_bytes
from inspector.errors import RecordingError, UsageError
from inspector.findings.graph_report import GraphReport, make_graph_report
from inspector.graphs.drawing import layout
from inspector.graphs.drawing.fusion_dot import fusion_dot
from inspector.graphs.drawing.options import Caption, Drawing
from inspector.graphs.drawing.roles import make_roles
from inspector.graphs.drawing.stage_dot import stage_dot
from inspector.graphs.exports import fusion_network, graphml, network, node_link
from inspector.graphs.model_explorer import model_explorer
from inspector.model.graph import Graph

_NODE_LINK = ".node-link.json"
_MODEL_EXPLORER = ".model-explorer.json"
_GRAPHML = ".graphml"
_FORMS = (_NODE_LINK, _MODEL_EXPLORER, _GRAPHML, *layout.SUFFIXES)
_REPORTS = (".json", ".md", ".txt")
_NETWORKS: dict[str, Callable[[Any], bytes]] = {
    _GRAPHML: lambda found: graphml(found).encode(),
    _NODE_LINK: lambda found: orjson.dumps(node_link(found)),
}


def is_graph_file(output: Path | None) -> bool:
    """Whether a file is a picture or a graph for another program, and no report."""
    return output is not None and _form(output) is not None


def is_picture(output: Path) -> bool:
    """Whether a file is a picture, or a picture's description."""
    return _form(output) in layout.SUFFIXES


def check_suffix(output: Path) -> None:
    """Refuses a file that is neither a graph nor a report.

    Raises:
        UsageError: The end of its name says no format.
    """
    if not is_graph_file(output) and output.suffix.lower() not in _REPORTS:
        known = sorted([*_FORMS, *_REPORTS])
        message = f"{str(output)!r} ends in no known format."
        raise UsageError(message, f"Choose one of {', '.join(known)}.")


def _form(output: Path) -> str | None:
    name = output.name.lower()
    return next((form for form in _FORMS if name.endswith(form)), None)


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
    form = _form(output) or output.suffix
    if form == _MODEL_EXPLORER:
        graphs = report.graphs or tuple(row.fusion.graph for row in report.rows)
        if not graphs:
            raise _nothing(report)
        write_bytes(output, orjson.dumps(model_explorer(graphs, report.run.meta.target or "model")))
        return
    # Graphs of other stages tell parameters from other inputs.
    all_graphs = make_graph_report(report.run, "").graphs
    made = list(_contents(report, all_graphs, form, drawing))
    if not made:
        raise _nothing(report)
    if len(made) > 1:
        what = "pictures" if form in layout.SUFFIXES else "files"
        text = f"{len(made)} {what}, one for each graph (--graph and --stage ask for fewer):"
        sys.stderr.write(text + "\n")
    for file, content in zip(_files(output, form, [name for name, _ in made]), made, strict=True):
        write_bytes(file, content[1])


def _nothing(report: GraphReport) -> RecordingError:
    hint = report.notices[0] if report.notices else "name another --stage or --graph"
    return RecordingError("There is no graph to write.", hint[:1].upper() + hint[1:] + ".")


def _contents(
    report: GraphReport, all_graphs: tuple[Graph, ...], form: str, drawing: Drawing
) -> Iterator[tuple[str, bytes]]:
    for row in report.rows:
        fusion = row.fusion
        if form in _NETWORKS:
            yield fusion.name, _NETWORKS[form](fusion_network(fusion))
        else:
            caption = _caption(report, f"fusion {fusion.name}", fusion.graph)
            dot = fusion_dot(fusion, caption, drawing, make_roles(fusion.graph, all_graphs))
            yield fusion.name, layout.render(dot, form)
    for graph in report.graphs:
        if form in _NETWORKS:
            yield graph.name, _NETWORKS[form](network(graph))
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


def _files(output: Path, form: str, names: Sequence[str]) -> Iterator[Path]:
    """A file for each graph, with its name if there are several; ranks have graphs of one name."""
    seen: collections.Counter[str] = collections.Counter()
    for name in names:
        seen[name] += 1
        again = f"-{seen[name]}" if seen[name] > 1 else ""
        yield _named(output, form, name + again) if len(names) > 1 else output


def _named(output: Path, form: str, name: str) -> Path:
    words = name.replace("/", "_").replace(" ", "-").replace("(", "").replace(")", "")
    return output.with_name(f"{output.name[: -len(form)]}-{words}{output.name[-len(form) :]}")
