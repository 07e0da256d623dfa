"""Writes graphs as pictures."""

import collections
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import graphviz

from inspector.cli.graph_view import View
from inspector.cli.output import check_place, write_bytes
from inspector.errors import EnvironmentLacksError, InspectorError, RecordingError, UsageError
from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.options import Caption
from inspector.features.graph.drawing.roles import make_roles
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.features.graph.report import GraphReport, make_graph_report
from inspector.plugins import renderer_for_suffix
from inspector.run.graph import Graph

SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".gv")
TIMEOUT_S = 60.0
# Twice the 96 dots to an inch of a screen: text stays sharp where a picture is made larger.
_PNG_DPI = "-Gdpi=144"
_INSTALL = (
    "Install it with `apt install graphviz`, `brew install graphviz` or "
    "`conda install graphviz`, or write a .dot file, which does not need it."
)


def graph_file(output: Path | None, view: View, *, forced: bool) -> Path | None:
    """The file for pictures; None where reports alone are asked for."""
    form = "" if output is None else output.suffix.lower()
    if forced and form not in SUFFIXES:
        raise UsageError("--force applies only to pictures.", "Write one: -o graph.svg.")
    if output is None:
        return None
    if form not in SUFFIXES:
        renderer_for_suffix(output, others=SUFFIXES)
        return None
    reports = {"--ops": view.ops, "--passes": view.passes, "--line": view.line is not None}
    option = next((name for name, is_given in reports.items() if is_given), "")
    if option:
        hint = f"Name a .json, .md or .txt file, or drop {option}."
        raise UsageError(f"{option} writes a report, not a picture.", hint)
    check_place(output)
    return output


def write_graph_files(report: GraphReport, output: Path, *, is_whole: bool) -> None:
    """Writes each graph of a report into a file; several into files with the graphs' names.

    The logs of its run must still be there. ``is_whole`` draws all of the layers that repeat.
    """
    form = output.suffix.lower()
    # Graphs of other stages tell parameters from other inputs.
    all_graphs = make_graph_report(report.run, "").graphs
    pictures = _pictures(report, all_graphs, is_whole=is_whole)
    made = [(name, render(dot, form)) for name, dot in pictures]
    if not made:
        hint = report.notices[0] if report.notices else "name another --stage or --graph"
        hint = hint[:1].upper() + hint[1:]
        raise RecordingError("There is no graph to write.", f"{hint}.")
    if len(made) > 1:
        text = f"{len(made)} pictures, one per graph (select with --graph or --stage):"
        sys.stderr.write(text + "\n")
    for file, content in zip(_files(output, [name for name, _ in made]), made, strict=True):
        write_bytes(file, content[1])


def render(dot_text: str, suffix: str, *, timeout_s: float = TIMEOUT_S) -> bytes:
    """The content of a file with one of `SUFFIXES`.

    Raises:
        EnvironmentLacksError: `dot` is not installed.
        InspectorError: `dot` failed or took too long.
    """
    if suffix in {".dot", ".gv"}:
        return dot_text.encode()
    form = suffix.removeprefix(".")
    command: list[str] = [str(graphviz.DOT_BINARY), f"-T{form}"]
    command += [_PNG_DPI] if form == "png" else []
    # Not `Source.pipe`: that has no time limit, and `dot` can take hours for a large graph.
    try:
        done = subprocess.run(
            command, input=dot_text.encode(), capture_output=True, timeout=timeout_s, check=False
        )
    except FileNotFoundError:
        message = "Pictures need `dot` from Graphviz, which is not installed."
        raise EnvironmentLacksError(message, _INSTALL) from None
    except subprocess.TimeoutExpired:
        message = f"`dot` timed out after {timeout_s:.0f} seconds."
        raise InspectorError(
            message, "Draw part of it with --around, or write a page: -o graph.html."
        ) from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip()
        raise InspectorError("`dot` could not draw the picture.", detail=said)
    return done.stdout


def _pictures(
    report: GraphReport, all_graphs: tuple[Graph, ...], *, is_whole: bool
) -> Iterator[tuple[str, str]]:
    for fusion in report.fusions:
        caption = _caption(report, f"fusion {fusion.name}", fusion.graph)
        roles = make_roles(fusion.graph, all_graphs)
        yield fusion.name, fusion_dot(fusion, caption, roles, is_whole=is_whole)
    for graph in report.graphs:
        caption = _caption(report, graph.name, graph)
        yield graph.name, stage_dot(graph, caption, make_roles(graph, all_graphs))


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
