"""Plans of `inspect bench`, in the recording and in what a process gets."""

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
from inspector.shared.message import Message, Plan
from inspector.shared.request import Request
from inspector.shared.variation import Assignment
from inspector.shared.warmup import (
    Loading,
    StartEnd,
    WarmupCall,
    WarmupCheck,
    WarmupPlan,
    WarmupRequest,
)

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


WARMUP = WarmupPlan(
    target="model.py",
    setting=Setting("inductor", "max-autotune", dynamic=True),
    workload=Workload(dtype="bf16"),
    job="warmup-0",
    variations=((Assignment("x", 0, 4), Assignment("n", None, 2)),),
    loading=Loading("/home/user/model.py", "model", ("/home/user",), "model"),
    check=WarmupCheck(loaded=True, later=(WarmupCall(0, 5, 0), WarmupCall(1, 7, 2))),
    ends=(StartEnd("cold", "it ended"),),
)
START = WarmupRequest("artifact", "recording", WARMUP)
ASKED = WorkerRequest(
    request=Request("model.py", inputs=("f32[2]",), no_grad=True),
    workload=Workload(train=True, optimizer="SGD"),
    compiles_optimizer=True,
    eager=False,
    combination=2,
    session=1,
    references={"eager": "folder"},
)


@pytest.mark.parametrize("message", [PLAN, ASKED, WARMUP, START])
def test_what_is_written_is_read(message: Message) -> None:
    assert type(message).from_json(message.to_json()) == message


@pytest.mark.parametrize("plan", [PLAN, WARMUP])
def test_what_is_no_plan_is_refused_and_a_newer_one(plan: Plan) -> None:
    for text in ("", "{}", "[]", "no JSON", '{"format_version": 1}', '{"format_version": "x"}'):
        with pytest.raises(ValueError, match="not an `inspect bench` plan"):
            type(plan).from_json(text)
    newer = {**json.loads(plan.to_json()), "format_version": 99}
    with pytest.raises(ValueError, match="newer"):
        type(plan).from_json(json.dumps(newer))


def test_a_check_passes_where_nothing_compiled_after_the_plan() -> None:
    call = WarmupCall(0, 5, 0)
    assert WarmupCheck(later=(call,)).is_passed
    assert not WarmupCheck(later=()).is_passed
    assert not WarmupCheck("it ended", later=(call,)).is_passed
    assert WARMUP.check is not None
    assert WARMUP.check.compiled_later == (1,)
