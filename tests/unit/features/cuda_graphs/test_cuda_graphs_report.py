"""Reports on CUDA graphs, of programs that were recorded on an H200."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import zipfile

import jsonschema
import pytest

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.cuda_graphs.cuda_graph_advice import skip_advice
from inspector.features.cuda_graphs.report import CudaGraphsReport
from inspector.records.cuda_graphs import CudaGraphPartitions, CudaGraphSkip, FunctionKey, LeftOut
from inspector.run.cuda_graphs import CudaGraphs, WarningKind
from inspector.run.folding.cuda_graphs import CudaGraphsDraft
from inspector.trace.printed_stack import printed_frames
from tests.unit.cuda_graph_cases import CASES, RECORDINGS, report_of, run_of

SCHEMA = schema_of("cuda-graphs")


def rendered(report: CudaGraphsReport, format_: str) -> str:
    stream = io.StringIO()
    plugins.render(report, format_, stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", CASES)
def test_what_is_counted_and_found(name: str) -> None:
    case, report = CASES[name], report_of(run_of(name))

    assert (report.calls, report.replays, report.recordings) == (
        case.calls, case.replays, case.captures
    )  # fmt: skip
    found = [
        (finding, " ".join((finding.message, finding.why, *finding.notes)))
        for finding in report.findings
    ]
    assert len(found) == len(case.findings), [item.message for item, _ in found]
    for rule, line, words in case.findings:
        finding, text = next((item, text) for item, text in found if item.rule == rule)
        shown = next(
            item.text for item in finding.place.excerpt if item.number == finding.place.line
        )
        assert line in shown
        assert words in text
        assert finding.fix


@pytest.mark.parametrize("name", CASES)
def test_torch_s_own_log_says_the_same(name: str) -> None:
    with zipfile.ZipFile(RECORDINGS) as archive:
        log = archive.read(f"{name}/stderr.txt").decode()
    report = report_of(run_of(name))

    assert len(re.findall(r"\] Recording function=", log)) == report.recordings
    warmups = len(re.findall(r"\] Running warmup function=", log))
    assert warmups == sum(row.warmups or 0 for row in report.rows)
    again = set(re.findall(r"Re-recording function=(\w+)", log))
    refused = [
        capture
        for process in report.run.processes
        for function in process.cuda_graphs.functions
        for capture in function.captures
        if capture.refused
    ]
    assert bool(again) == bool(refused)


@pytest.mark.parametrize("name", CASES)
def test_the_json_fits_its_schema_and_the_terminal_its_width(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    report = report_of(run_of(name))
    jsonschema.validate(json.loads(rendered(report, "json")), SCHEMA)
    assert max(map(len, rendered(report, "terminal").splitlines())) <= 80


def test_a_plain_trace_says_captures_and_what_it_lacks() -> None:
    """Torch's own spans are in every trace; our artifacts are not."""
    run = run_of("new_parameters")
    plain = dataclasses.replace(
        run,
        processes=tuple(
            dataclasses.replace(
                process,
                has_inspector_events=False,
                cuda_graphs=CudaGraphs(captured=process.cuda_graphs.captured),
            )
            for process in run.processes
        ),
    )
    report = report_of(plain)

    assert [(row.compile_id, row.recordings, row.calls) for row in report.rows] == [
        ("0/0", 4, None)
    ]
    assert report.calls is None
    assert any("only captures and skips at compile time" in notice for notice in report.notices)
    assert "4 CUDA graphs captured\n" in rendered(report, "terminal")


def test_a_recorded_name_is_no_markup() -> None:
    run = run_of("new_parameters")
    (process,) = run.processes
    (function,) = process.cuda_graphs.functions
    (first, *_) = function.captures
    names = ("[bold]arg[/]", "arg0_1\x1b[31m", "</script>")
    refusals = tuple(
        dataclasses.replace(
            refusal,
            inputs=tuple(dataclasses.replace(refusal.inputs[0], name=name) for name in names),
        )
        for refusal in function.captures[1].refused
    )
    again = dataclasses.replace(function.captures[1], refused=refusals)
    graphs = dataclasses.replace(
        process.cuda_graphs,
        functions=(dataclasses.replace(function, captures=(first, again)),),
        inputs={},
    )
    report = report_of(
        dataclasses.replace(run, processes=(dataclasses.replace(process, cuda_graphs=graphs),))
    )

    text = rendered(report, "terminal")
    assert "[bold]arg[/]" in text
    assert "\x1b[31m" not in text
    assert not re.search(r"(?<!\\)</script>", rendered(report, "markdown"))


def test_printed_stacks_are_read_with_and_without_carets() -> None:
    text = (
        'words\n  File "/a b/model.py", line 12, in forward\n    y = x + 1\n        ~~^~~\n'
        '  File "other.py", line 3\nlast'
    )
    first, second = printed_frames(text)

    assert (first.file, first.line, first.name, first.code) == (
        "/a b/model.py", 12, "forward", "y = x + 1"
    )  # fmt: skip
    assert (second.file, second.line, second.name, second.code) == ("other.py", 3, "", "")
    assert printed_frames("") == ()


def test_torch_s_words_at_the_re_recording_limit_are_read() -> None:
    """As ``CUDAGraphTreeManager._run`` words them, addresses and all (2.11 and 2.13)."""
    draft = CudaGraphsDraft()
    key = FunctionKey(1, 1, 0, "1/0", "INFERENCE", ())
    message = (
        "skipping cudagraph due to function 1 exceeding max re-recording limit (=2) on cudagraph "
        "node 0 due to cudagraph managed tensor data pointer changed.\ninput name: arg0_1. data "
        "pointer changed from 139 to 140. input stack trace:   File "
        '"/home/user/model.py", line 7, in second\n    return torch.relu(x) + 1\n.'
    )
    draft.add(CudaGraphSkip(key, message))
    (warning,) = draft.build(lambda _: ()).warnings

    assert warning.kind is WarningKind.LIMIT
    assert warning.reason.startswith("function 1 exceeding max re-recording limit (=2)")
    assert "139" not in warning.reason
    assert [(frame.line, frame.name) for frame in warning.stack] == [(7, "second")]
    assert skip_advice(warning.reason).title == "re-captured too often"


@pytest.mark.parametrize(
    ("reason", "title"),
    [
        ("mutated inputs (1 instances)", "an argument is changed in place"),
        ("multiple devices: device(type='cuda', index=0), device(type='cuda', index=1)", "it uses"),
        ("input storage mutation (2 instances)", "an argument's storage is replaced"),
        ("incompatible op aten._local_scalar_dense.default", "an operator cannot be captured"),
        # 2.15, where cudagraph_managed_input_rerecord_action is "skip".
        ("function 1 reaching the cudagraph-managed input re-recording threshold (=5)", "re-capt"),
        ("words that nobody has seen", "unknown reason"),
    ],
)
def test_reasons_are_known_by_torch_s_words(reason: str, title: str) -> None:
    assert skip_advice(reason).title.startswith(title)


@pytest.mark.parametrize(("version", "has_limit"), [
    ("2.11.0", False), ("2.14.1+cu130", False), ("2.15.0+cu132", True), ("2.16.0a0+git1", True),
    ("", False),
])  # fmt: skip
def test_the_limit_of_sizes_is_advised_where_torch_has_it(version: str, *, has_limit: bool) -> None:
    run = run_of("many_sizes")
    (process,) = run.processes
    process = dataclasses.replace(process, versions={"torch": version} if version else {})
    (finding,) = report_of(dataclasses.replace(run, processes=(process,))).findings

    limited = [text for text in finding.alternatives if "shape_rerecord_limit = n" in text]
    assert bool(limited) == has_limit


@pytest.mark.parametrize(("why", "told"), [
    ("partition includes all ops when cudagraphs is disabled", 0), ("cpu ops", 1),
])  # fmt: skip
def test_a_graph_that_was_to_be_no_cuda_graph_leaves_nothing_out(why: str, told: int) -> None:
    draft = CudaGraphsDraft()
    left_out = (LeftOut("buf0", f"reason={why}, ir=ComputedBuffer", ()),)
    draft.add(CudaGraphPartitions("0/0", 1, 0, left_out))

    assert len(draft.build(lambda _: ()).partitions) == told
