"""``inspect bench`` on the CPU: what is measured of a model, what is wrong, what does not work."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from inspector.run.sources.recording import opened, read_run
from tests.compile.benches import ROOT, SHORT, bench, read_again
from tests.perturbed_backend import PERTURBED

SCHEMA = schema_of("bench")
# Beside the backend that is wrong, one that kills its process, and one that hangs.
MODEL = f"""{PERTURBED}
import os, signal, time
from torch import nn

@register_backend(name="killed")
def killed(graph, inputs):
    os.kill(os.getpid(), signal.SIGKILL)

@register_backend(name="hangs")
def hangs(graph, inputs):
    time.sleep(3600)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        x = torch.nn.functional.gelu(self.first(x))
        print("said by the model")
        return torch.softmax(self.second(x), -1)

model = Net()
example_inputs = [(torch.randn(64, 32),), (torch.randn(16, 32),)]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bench")
    (place / "model.py").write_text(MODEL)
    backends = "perturbed,killed,onnxrt"
    done = bench(
        place, "model.py", "--modes", "default", "--backends", backends, "--sessions", "2",
        "--seconds", "0.2", "--save", "kept.zip", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "said by the model" not in done.stdout + done.stderr
    (place / "report.json").write_text(done.stdout)
    return place


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def row(report: dict[str, Any], label: str, index: int = 0) -> dict[str, Any]:
    (found,) = [item for item in report["groups"][index]["rows"] if item["label"] == label]
    return dict(found)


def test_the_report_follows_its_schema(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert report["device"] == "cpu"
    assert [group["inputs"] for group in report["groups"]] == [
        "float32[64, 32]", "float32[16, 32]"
    ]  # fmt: skip


def test_times_have_the_ratio_that_is_told(report: dict[str, Any]) -> None:
    for index in (0, 1):
        eager, default = row(report, "eager", index), row(report, "default", index)
        ratio = eager["latency_ns"] / default["latency_ns"]
        assert ratio == pytest.approx(default["faster_than_eager"])
        low, high = default["faster_than_eager_interval"]
        assert low < ratio < high
        assert default["differs_from_eager"] == (low > 1 or high < 1)
        assert eager["faster_than_eager"] is None
        for each in (eager, default):
            assert each["p5_ns"] <= each["p95_ns"]
            assert {block["session"] for block in each["blocks"]} == {0, 1}
            items = (64, 16)[index]
            assert each["items_per_s"] == pytest.approx(1e9 * items / each["latency_ns"])


def test_what_was_compiled_is_counted(report: dict[str, Any]) -> None:
    default = row(report, "default")
    # `print` breaks the graph; the second size of the inputs compiles both parts again.
    assert default["compiled"]["graph_breaks"] >= 1
    assert default["compiled"]["recompiles"] >= 1
    assert default["compiled"]["kernels"] >= 2
    assert default["cached_first_call_ns"] < default["first_call_ns"]
    assert row(report, "eager")["compiled"] is None


def test_nothing_of_the_inspectors_own_is_compiled(folder: Path) -> None:
    with opened(folder / "kept.zip") as recording:
        found = [time for it in read_run(recording).processes for time in it.compile_times]
    assert {Path(time.file).name for time in found if time.name == "forward"} >= {"model.py"}
    assert not [time for time in found if "inspector" in Path(time.file).parts]


def test_results_are_compared_with_eager_and_with_float64(report: dict[str, Any]) -> None:
    eager, default = row(report, "eager"), row(report, "default")
    assert {error["reference"] for error in eager["errors"]} == {"float64"}
    assert {error["reference"] for error in default["errors"]} == {"eager", "float64"}
    assert all(0 <= error["relative"] < 1e-5 for error in (*eager["errors"], *default["errors"]))
    assert not default["wrong"]


def test_a_wrong_result_is_named(report: dict[str, Any]) -> None:
    wrong = row(report, "perturbed")
    assert wrong["wrong"]
    assert max(error["relative"] for error in wrong["errors"]) > 1e-5
    assert "perturbed" not in {group["best_latency"] for group in report["groups"]}
    assert "perturbed gives wrong results" in report["groups"][0]["verdict"][0]


@pytest.mark.parametrize(("label", "said"), [("killed", "SIGKILL"), ("onnxrt", "'onnxrt'")])
def test_what_fails_is_a_row_with_its_reason(report: dict[str, Any], label: str, said: str) -> None:
    failed = row(report, label)
    assert failed["latency_ns"] is None
    assert said in failed["failure"]


def test_a_process_that_hangs_is_ended_and_the_others_go_on(folder: Path) -> None:
    done = bench(
        folder, "model.py", "--modes", "none", "--backends", "hangs", *SHORT,
        "--timeout", "20", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 3, done.stderr  # nothing is measured beside eager PyTorch
    report = json.loads(done.stdout)
    failure = row(report, "hangs")["failure"]
    assert "timed out after 20 s during first calls, at " in failure
    assert failure.endswith(" in hangs (see --timeout)")
    assert row(report, "eager")["latency_ns"]


def test_the_memory_of_a_call_has_its_model_in_it(report: dict[str, Any]) -> None:
    parameters = 4 * (32 * 64 + 64 + 64 * 32 + 32)
    for label in ("eager", "default"):
        memory = row(report, label)["memory_bytes"]
        # The module, the given inputs and their copies; and what the call allocates.
        assert memory["base"] >= parameters + 4 * 64 * 32
        assert memory["peak_allocated"] >= memory["base"] + 4 * 64 * 64


def test_a_recording_is_read_again(folder: Path, report: dict[str, Any]) -> None:
    again = json.loads(read_again(folder, "kept.zip", "--format", "json").stdout)
    assert again["groups"] == report["groups"]
    done = read_again(folder, "kept.zip", "-o", "bench.csv")
    assert done.returncode == 0
    with (folder / "bench.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [line["input"] for line in lines if line["label"] == "default"] == ["0", "1"]
    measured = {line["label"] for line in lines if line["latency_ns"]}
    assert measured == {"eager", "default", "perturbed"}


def test_a_gate_fails_on_what_is_wrong_and_on_what_was_not_measured(folder: Path) -> None:
    done = read_again(folder, "kept.zip", "--fail-on", "wrong", "-o", "gated.md")
    assert done.returncode == 1
    assert (folder / "gated.md").exists()
    gate = done.stderr.splitlines()[-1]
    assert gate.startswith("gate: failed: wrong: perturbed (2 of 2 inputs); not measured: killed ")
    assert "default" not in gate
    refused = read_again(folder, "kept.zip", "--fail-on", "graph-break")
    assert refused.returncode == 2
    assert "Choose from wrong, slower." in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nothing.py",), 2, "nothing.py"),
        (("model.py", "--modes", "fast"), 2, "--modes has no 'fast'"),
        (("model.py", "--backends", "cudagraph"), 2, "Did you mean cudagraphs"),
        (("model.py", "--optimizer", "SGD"), 2, "Add --train"),
        (("model.py", "--input", "f32[3,3]"), 3, "fails when called without torch.compile"),
        (("kept.zip", "--batch", "4"), 2, "not apply to a recording"),
        ((str(ROOT / "samples/small_cnn/recording.zip"),), 2, "inspect bench model.py"),
    ],
)
def test_wrong_use_is_said(folder: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    run = bench if code == 3 or "--backends" in arguments else read_again
    done = run(folder, *arguments, "--no-progress")
    assert done.returncode == code
    assert said in " ".join((done.stdout + done.stderr).split())
