"""What is compared, in the recording and in what a process gets."""

from __future__ import annotations

import dataclasses
import json

import pytest

from inspector.shared.bench import (
    BenchPlan,
    Combination,
    Setting,
    WorkerEnd,
    WorkerRequest,
    Workload,
)
from inspector.shared.request import Request

PLAN = BenchPlan(
    target="model.py",
    combinations=(
        Combination(Workload(batch=4, dtype="bf16"), Setting()),
        Combination(Workload(batch=4, dtype="bf16"), Setting("inductor", "reduce-overhead")),
        Combination(Workload(batch=8), Setting("aot_eager", dynamic=True)),
    ),
    sessions=3,
    ends=(WorkerEnd(1, 0, "out of memory", "Traceback"),),
)


ASKED = WorkerRequest(
    request=Request("model.py", inputs=("f32[2]",), no_grad=True),
    workload=Workload(train=True, optimizer="SGD"),
    compiles_optimizer=True,
    eager=False,
    combination=2,
    session=1,
    references={"eager": "folder"},
)


@pytest.mark.parametrize("message", [PLAN, ASKED])
def test_what_is_written_is_read(message: BenchPlan | WorkerRequest) -> None:
    assert type(message).from_json(message.to_json()) == message


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"format_version": 1}', '{"format_version": "x"}']
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no plan"):
        BenchPlan.from_json(text)


def test_of_a_newer_plan_it_is_said() -> None:
    fields = {**json.loads(PLAN.to_json()), "format_version": 2}
    with pytest.raises(ValueError, match="newer"):
        BenchPlan.from_json(json.dumps(fields))


@pytest.mark.parametrize(
    ("setting", "label"),
    [
        (Setting(), "eager"),
        (Setting("inductor"), "default"),
        (Setting("inductor", "max-autotune"), "max-autotune"),
        (Setting("aot_eager"), "aot_eager"),
        (Setting("inductor", dynamic=True, fullgraph=True), "default + dynamic + fullgraph"),
        (Setting("inductor", dynamic=False, compiles_optimizer=True),
         "default + static + optimizer compiled"),
    ],
)  # fmt: skip
def test_settings_have_the_names_that_people_use(setting: Setting, label: str) -> None:
    assert setting.label == label


def test_workloads_say_what_is_not_as_in_the_file() -> None:
    assert Workload().label == ""
    whole = Workload(4, "bf16", "f16", tf32=False, train=True, optimizer="AdamW")
    expected = "batch 4 · bf16 · autocast f16 · TF32 off · training step with AdamW"
    assert whole.label == expected
    assert dataclasses.replace(whole, optimizer=None).label.endswith("training")
