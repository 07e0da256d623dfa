"""Commands that are suggested keep what a model was recorded with."""

import dataclasses

import pytest

from inspector.features.overview.run_summary import next_steps
from inspector.records.calls import TargetCall
from inspector.report.command_line import command_again
from inspector.run.run import Run
from inspector.shared.meta import Meta
from inspector.shared.request import Request
from inspector.shared.typed_options import typed_options
from tests.unit.render.runs import unbroken

REQUEST = Request(
    "my model.py:net",
    inputs=("i64[1,8]<10", "flag=true"),
    device="cpu",
    backend="aot_eager",
    dynamic=False,
)
ASKED = "'my model.py:net' --input 'i64[1,8]<10' --input flag=true --device cpu"


def _run(request: Request, *, grad: bool = True, **meta: str) -> Run:
    described = Meta(1, "1", request.target, {**request.asked, "python": ".venv/bin/python"})
    run = unbroken()
    process = dataclasses.replace(
        run.processes[0], calls=(TargetCall(0, 0, "end", requires_grad=grad),), frames=()
    )
    return dataclasses.replace(
        run, meta=dataclasses.replace(described, **meta), processes=(process,)
    )


def test_a_model_is_recorded_again_as_it_was() -> None:
    given = f"inspect explain {ASKED} --python .venv/bin/python --backend aot_eager --no-dynamic"

    assert command_again(_run(REQUEST), "explain", "--verify") == f"{given} --verify"


def test_training_is_suggested_where_an_output_requires_grad_and_nothing_failed() -> None:
    def trains(run: Run) -> bool:
        return any(step.endswith(" --train") for step in next_steps(run))

    assert trains(_run(REQUEST))
    assert not trains(_run(REQUEST, grad=False))
    assert not trains(_run(REQUEST, error="calling `net` failed", ended="failed"))
    assert not trains(_run(REQUEST, partial="it timed out after 60 s", ended="timed-out"))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("explain", "--backend inductor --mode max-autotune"),
        ("graph", "--gpu h200 --no-grad --mode max-autotune"),
        ("profile", "--no-grad --mode max-autotune"),
        ("bench", ""),
    ],
)
def test_a_command_gets_the_options_that_it_takes(command: str, expected: str) -> None:
    asked = Request("m.py", gpu="h200", no_grad=True, backend="inductor", mode="max-autotune").asked

    assert " ".join(typed_options(asked, command)) == expected


def test_an_option_replaces_what_excludes_it() -> None:
    run = _run(Request("m.py", train=True, backend="inductor", device="cuda"))

    assert "--train" not in command_again(run, "graph", "--no-grad")
    assert "--device" not in command_again(run, "kernels", "--gpu", "h200")
