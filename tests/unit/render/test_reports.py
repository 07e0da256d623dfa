"""What holds for every report: of the golden files, and of recordings that are made to harm."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from inspector.features.graph.report import GraphReport, with_line, with_operators
from inspector.features.profile.report import ProfileReport
from inspector.run.run import Run
from inspector.shared.stack import StackFrame
from inspector.trace.caches import CacheState
from tests import golden
from tests.unit import cold_starts
from tests.unit.render import bench_reports, graph_reports, hostile, profile_reports, runs
from tests.unit.render.rendering import as_json, rendered

OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What is to be copied stays in one piece: commands, links, locations, names of kernels.
UNBROKEN = re.compile(r" *(?:see:|next:|inspect )|.*:\d+  \w|[\W\d]*\S+$")
FILES = sorted({item.path for item in golden.goldens()})


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_golden_files_fit_and_end(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    if file.suffix == ".md":
        assert text.count("```") % 2 == 0
    if file.suffix == ".txt":
        width = int(file.name.split(".")[-2])
        lines = [line for line in text.splitlines() if cell_len(line) > width]
        assert [line for line in lines if not UNBROKEN.match(line)] == []
        assert not re.search(r"[ \t]$", text, re.MULTILINE)


def evil(name: str) -> str:
    return f"{name}{hostile.TEXT}</svg>\n| a | b |\n# {name}"


def graphs() -> GraphReport:
    frame = StackFrame(evil("/p/a"), 31, evil("f"), evil("code"))
    return graph_reports.whole(
        run=hostile.run(),
        graphs=graph_reports.stages(evil, frame),
        fusions=(graph_reports.row(evil, frame),),
        notices=(hostile.HEADING,),
    )


def line(number: int) -> GraphReport:
    return with_line(graphs(), evil("/p/a").rpartition("/")[2], number)


def profile() -> ProfileReport:
    place = {"operator": hostile.TEXT, "frames": [f"/p/{hostile.TEXT}(4): {hostile.TEXT}"]}
    return profile_reports.report(
        profile_reports.profile(
            launches=[{"kind": "kernel", "name": hostile.TEXT, "place": place}],
            calls=[{"wall_ns": 130_000, "spans_ns": [[1, 2000]]}] * 3,
            arguments=[{"dtype": hostile.TEXT, "size": ["x", -1]}, {"value": hostile.TEXT}],
        )
    )


def memory() -> ProfileReport:
    bad = hostile.TEXT
    places = [{"operator": bad, "frames": [f"/p/{bad}(4): {bad}"]}, {"operator": f"aten::{bad}"}]
    left = [[36 << 20, "gradient", bad, [1], bad]]
    return profile_reports.memory_report(
        compiled=profile_reports.side(places=places, left=left),
        eager=profile_reports.side(failed=bad),
    )


def autotuned() -> ProfileReport:
    texts = dict.fromkeys(("name", "error", "node", "target", "file"), hostile.HEADING)
    item = {"at": 0, "kind": "extern", "time_ns": 5, "name": hostile.TEXT, "text": hostile.HEADING}
    bad = {"at": 1, "kind": "triton", "failed": hostile.HEADING, "name": hostile.TEXT}
    payload = profile_reports.tuned(**{**texts, "chosen": 0, "candidates": [item, bad]})
    return profile_reports.tuned_report(payload, whole=True)


def kernel_bench() -> object:
    odd = bench_reports.benched(
        name=hostile.TEXT,
        arguments=[{"name": hostile.TEXT, "dtype": hostile.TEXT, "size": [2]}],
        config=bench_reports.config(900, values={hostile.TEXT: hostile.TEXT}),
    )
    return bench_reports.kernel_report(odd)


def cold_start(*keys: str) -> Run:
    run = hostile.run()
    recorded = cold_starts.read("pass").processes[0]
    times = tuple(
        dataclasses.replace(item, name=hostile.TEXT, file=f"{runs.PROJECT}/{hostile.HEADING}")
        for item in recorded.compile_times
    )
    lookups = tuple(
        dataclasses.replace(item, reason=hostile.HEADING, exception=hostile.TEXT)
        for item in recorded.lookups
    )
    lookups += tuple(
        dataclasses.replace(
            lookups[0],
            state=CacheState.MISS,
            key=key,
            components=(f"[{key}] gm: {hostile.HEADING}", f"[{key}] {hostile.TEXT[:5]}: x"),
        )
        for key in keys
    )
    details = (("kernel_name", hostile.HEADING),)
    table = tuple(
        dataclasses.replace(kind, name=hostile.TEXT, details=details, ended=False)
        for kind in recorded.lanes[0].table
    )
    lanes = tuple(dataclasses.replace(lane, table=table) for lane in recorded.lanes)
    process = dataclasses.replace(
        run.processes[0], compile_times=times, lookups=lookups, stages=recorded.stages,
        compile_time_ns=recorded.compile_time_ns, lanes=lanes,
    )  # fmt: skip
    return dataclasses.replace(run, processes=(process,))


HARMFUL: dict[str, Callable[[], object]] = {
    "explain": lambda: runs.report_of(hostile.run()),
    "cold start": lambda: cold_starts.report_of(cold_start("a"), cold_start("b")),
    "graphs": graphs,
    "operators": lambda: with_operators(graphs()),
    "line": lambda: line(31),
    "no line": lambda: line(99),
    "profile": profile,
    "memory": memory,
    "autotuning": autotuned,
    "kernel": kernel_bench,
}


@pytest.fixture(scope="module", params=HARMFUL.values(), ids=list(HARMFUL))
def harmful(request: pytest.FixtureRequest) -> object:
    return request.param()


def test_no_recorded_text_is_obeyed(harmful: object) -> None:
    for name in ("terminal", "markdown"):
        assert not OBEYED.search(rendered(harmful, name, is_whole=True))
    as_json(harmful)


OWN_HTML = re.compile(r"</?(?:details|summary)>|<!-- -->")


def test_no_recorded_text_is_markup(harmful: object) -> None:
    text = rendered(harmful, "markdown")
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    found = [part for token in tokens for part in (token, *(token.children or ()))]
    kinds = {token.type for token in found}
    assert not kinds & {"em_open", "s_open", "image", "hr", "code_block"}
    html = "".join(token.content for token in found if token.type.startswith("html"))
    assert all(OWN_HTML.fullmatch(tag) for tag in re.findall(r"<[^>]*>", html))
    links = [str(token.attrs["href"]) for token in found if "href" in token.attrs]
    assert all(link.startswith("https://meta-pytorch.github.io/") for link in links)
    heads = [line for line in text.splitlines() if re.match(r"#+ ", line)]
    assert not [head for head in heads if "not a heading" in head and not head.startswith("#")]
    bars: dict[int, Any] = {}
    for token in found:
        if token.type == "table_open" and token.map:
            rows = text.splitlines()[slice(*token.map)]
            bars[token.map[0]] = {row.replace("\\|", "").count("|") for row in rows}
    assert all(len(numbers) == 1 for numbers in bars.values())
    # GitHub mentions nobody where something stands between the sign and the name.
    texts = [token.content for token in found if token.type == "text"]
    assert not [content for content in texts if re.search(r"[@#]\w", content)]


def test_a_timeline_holds_recorded_text_harmlessly() -> None:
    text = rendered(cold_starts.report_of(cold_start()), "perfetto.json")
    assert hostile.BIDI not in text
    assert "\\u001b" not in text
