"""What the page shows: an index, which is read at once, and chunks, which are read when shown.

Everything is taken from the JSON reports, so that the page says what ``--format json`` says.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from inspector.render.html.graphs import fusion_steps, graph_columns
from inspector.render.html.strings import Strings
from inspector.render.html.tokens import tokens
from inspector.run.source import Sources
from inspector.shared.roots import Roots

Json = dict[str, Any]
FormTexts: TypeAlias = dict[str, tuple[str, Sequence[tuple[int, int]]]]
"""Texts by form (``ptx``), each with pairs of a line and the source line that it comes from."""
KernelTexts: TypeAlias = dict[str, FormTexts]

_TOGETHER = 32
"""Kernels of a chunk: one has much in common with the next (`TOGETHER` in page/src/data.ts)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Data:
    """The index has what the overview and the lists need, and names the chunks with the rest."""

    index: Json
    chunks: Mapping[str, object]


def page_data(
    reports: Mapping[str, Json],
    pages: Mapping[str, Json],
    texts: KernelTexts,
    source: tuple[Sources, Roots],
) -> Data:
    """The data of a page with JSON reports by kind; those without a view come as blocks, too."""
    sources, roots = source
    files = Strings()
    chunks: dict[str, object] = {}
    profile = _profile(reports.get("profile"))
    graphs, fusions = _graphs(reports.get("graph"), profile, files, chunks)
    kernels = _kernels(reports.get("kernels"), profile, texts, (files, chunks))
    slim = {kind: _slim(kind, report) for kind, report in reports.items()}
    for kind, report in slim.items():
        chunks[f"report-{kind}"] = report
    for line in (profile or {}).get("lines", ()):
        files.number(line["file"])
    chunks |= {f"page-{kind}": page for kind, page in pages.items()}
    shown = _sources(sources, roots, files, chunks, _code_of_nodes(reports.get("graph")))
    explain = reports.get("explain", {})
    recording: Json = next(
        (item["recording"] for item in reports.values() if "recording" in item), {}
    )
    index = {
        "tool_version": next(iter(reports.values()))["tool_version"],
        "recording": recording,
        "environment": explain.get("environment", []),
        "summary": explain.get("summary"),
        "reports": sorted(reports),
        "pages": [[kind, page["kind"]] for kind, page in pages.items()],
        "graphs": graphs,
        "fusions": fusions,
        "kernels": kernels,
        "sources": shown,
        "profile": _figures(profile),
        "lines": [
            [files.number(line["file"]), line["line"], line["time_ns"]]
            for line in (profile or {}).get("lines", ())
        ],
        "files": [roots.shown(file) for file in files.texts()],
    }
    return Data(index, chunks)


def _profile(report: Json | None) -> Json | None:
    found = [item for item in (report or {}).get("profiles", ()) if not item["failed"]]
    return found[0] if found else None


def _figures(profile: Json | None) -> Json | None:
    if profile is None:
        return None
    names = (
        "wall_ns", "eager_ns", "faster_than_eager", "faster_than_eager_interval", "busy_ns",
        "idle_ns", "idle_by_cause_ns", "gains", "stable", "device", "launches",
    )  # fmt: skip
    return {name: profile.get(name) for name in names}


def _graphs(
    report: Json | None, profile: Json | None, files: Strings, chunks: dict[str, object]
) -> tuple[list[Json], list[Json]]:
    if report is None:
        return [], []
    graphs: list[Json] = []
    places: dict[str, dict[str, int]] = {}
    for number, graph in enumerate(report["graphs"]):
        chunks[f"graph-{number}"] = graph_columns(graph, files)
        places[graph["name"]] = {node["name"]: at for at, node in enumerate(graph["nodes"])}
        keys = ("name", "stage", "direction", "compile_id")
        graphs.append({**{key: graph[key] for key in keys}, "nodes": len(graph["nodes"])})
    names = list(places)
    work: dict[tuple[str, str], list[Json]] = {}
    for item in (profile or {}).get("work", ()):
        if item["compile_id"]:
            work.setdefault((item["compile_id"], item["direction"]), []).append(item)
    fusions = []
    for number, fusion in enumerate(report["fusions"]):
        timed = work.get((fusion["compile_id"], fusion["direction"]), [])
        of_graph = places.get(fusion["graph"], {})
        chunks[f"fusion-{number}"] = fusion_steps(fusion, of_graph, timed)
        fusions.append({
            "name": fusion["name"],
            "graph": names.index(fusion["graph"]) if fusion["graph"] in places else None,
            "steps": len(fusion["kernels"]),
            "bytes_moved": fusion["bytes_moved"],
            "bytes_eager": fusion["bytes_eager"],
        })  # fmt: skip
    return graphs, fusions


def _kernels(
    report: Json | None,
    profile: Json | None,
    compiled: KernelTexts,
    page: tuple[Strings, dict[str, object]],
) -> list[Json]:
    files, chunks = page
    report = report or {"kernels": [], "graphs": []}
    times: dict[str, Json] = {}
    for item in (profile or {}).get("work", ()):
        row = times.setdefault(item["name"], {"time_ns": 0, "calls": 0, "bytes": 0, "flops": 0})
        row["time_ns"] += item["time_ns"]
        row["calls"] += 1
        row["bytes"] += item["bytes"] or 0
        row["flops"] += item["flops"] or 0
        row["share_of_ceiling"] = max(
            row.get("share_of_ceiling") or 0, item["share_of_ceiling"] or 0
        )
        row["bound"] = item["bound"]
    rows: list[Json] = []
    together: list[Json] = []
    for number, kernel in enumerate(report["kernels"]):
        language = "python" if kernel["language"] == "triton" else "cpp"
        build = kernel["build"] or {}
        texts = {"source": [kernel["source"], tokens(kernel["source"], language)]}
        for form, (text, lines) in compiled.get(kernel["name"], {}).items():
            from_ = dict(lines)
            numbers = range(1, text.count("\n") + 2)
            texts[form] = [text, tokens(text, form), [from_.get(line, 0) for line in numbers]]
        configs = [_config(config) for config in build.get("configs", ())]
        together.append({"texts": texts, "configs": configs})
        if len(together) == _TOGETHER or number + 1 == len(report["kernels"]):
            chunks[f"kernels-{number // _TOGETHER}"] = together
            together = []
        time = times.pop(kernel["name"], None)
        fastest = min(configs, key=lambda item: item["predicted_ns"] or math.inf, default={})
        best = fastest.get("resources") or {}
        rows.append({
            "name": kernel["name"], "language": kernel["language"], "kind": kernel["kind"],
            "launches": kernel["launches"], "bytes": kernel["bytes"], "flops": kernel["flops"],
            "registers": best.get("registers"), "spills": best.get("spilled_registers"),
            "lines": _lines(kernel["nodes"], files), "time": time,
        })  # fmt: skip
    of_graphs = [call for graph in report["graphs"] for call in graph["calls"]]
    for name, time in times.items():
        nodes = [node for call in of_graphs if call["name"] == name for node in call["nodes"]]
        rows.append({
            "name": name, "language": "library", "kind": "library", "launches": time["calls"],
            "bytes": time["bytes"], "flops": time["flops"], "registers": None, "spills": None,
            "lines": _lines(nodes, files), "time": time,
        })  # fmt: skip
    return rows


def _config(config: Json) -> Json:
    prediction, analysis = config["prediction"] or {}, config["analysis"] or {}
    return {
        "values": config["values"],
        "num_warps": config["num_warps"],
        "num_stages": config["num_stages"],
        "resources": config["resources"],
        "occupancy": analysis.get("occupancy"),
        "predicted_ns": prediction.get("time_ns"),
        "error": config["error"],
    }


def _lines(nodes: Sequence[Json], files: Strings) -> list[list[int]]:
    found = {(files.number(node["file"]), node["line"]): None for node in nodes if node["file"]}
    return [list(place) for place in found]


def _slim(kind: str, report: Json) -> Json:
    """A report without what has chunks of its own."""
    if kind == "graph":
        return {**report, "graphs": [], "fusions": []}
    if kind == "kernels":
        return {**report, "graphs": [], "kernels": []}
    if kind == "profile":
        profiles = [
            {**item, "blocks": [], "work": [{**work, "launches": []} for work in item["work"]]}
            for item in report["profiles"]
        ]
        return {**report, "profiles": profiles}
    return report


def _code_of_nodes(report: Json | None) -> dict[str, dict[int, str]]:
    """The lines that nodes were traced from: of libraries, a recording has no more than these."""
    code: dict[str, dict[int, str]] = {}
    for graph in (report or {}).get("graphs", ()):
        for node in graph["nodes"]:
            for frame in node["stack"]:
                if frame["code"]:
                    code.setdefault(frame["file"], {})[frame["line"]] = frame["code"]
    return code


def _sources(
    sources: Sources,
    roots: Roots,
    files: Strings,
    chunks: dict[str, object],
    code: Mapping[str, Mapping[int, str]],
) -> list[Json]:
    for file in (*sources.lines, *code):
        files.number(file)
    rows = []
    for number, file in enumerate(files.texts()):
        known = {**code.get(file, {}), **sources.lines.get(file, {})}
        if not known:
            continue
        numbers = sorted(known)
        text = sources.text(file)
        if text is not None:
            colors = tokens(text, "python")
        else:
            colors = [tokens(known[line], "python")[0] for line in numbers]
        chunks[f"source-{number}"] = {
            "numbers": numbers, "lines": [known[line] for line in numbers], "tokens": colors,
        }  # fmt: skip
        owner = roots.owner(file).value
        rows.append({"file": number, "lines": len(numbers), "owner": owner})
    return rows
