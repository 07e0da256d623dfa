"""Predictions from plain traces of torch 2.11 and 2.13 (three calls; `model.py` is in the logs)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.features.guards import change
from inspector.features.guards.change import Change, ChangeKind
from inspector.features.guards.next import next_changes
from inspector.features.guards.predict import Effect, FrameGuards, frame_guards, predict
from inspector.records.recompiles import TensorFacts
from inspector.run.sources.recording import opened, read_run

FOLDER = Path(__file__).parents[2] / "data" / "guards"
TRACES = ("torch_2_11.log", "torch_2_13.log")


@pytest.fixture(params=TRACES)
def frame(request: pytest.FixtureRequest) -> FrameGuards:
    with opened(FOLDER / request.param) as recording:
        run = read_run(recording)
        (process,) = run.processes
        found = frame_guards(process.frames[0])
    assert found is not None
    assert not [line for entry in found.entries for line in entry.tree.unknown]
    return found


def x(frame: FrameGuards) -> TensorFacts:
    tensor = frame.state.values["L['x']"].tensor
    assert tensor is not None
    return tensor


@pytest.mark.parametrize("size", [2, 5, 100])
def test_a_dynamic_size_takes_every_size(frame: FrameGuards, size: int) -> None:
    tensor = change.resized(x(frame), 0, size)
    found = predict(frame, change.of_tensor(ChangeKind.SIZE, "L['x']", tensor))
    assert (found.recompiles, found.becomes) == (False, Effect.SERVED)
    assert found.served_by == frame.entries[-1].compile_id


@pytest.mark.parametrize("size", [0, 1])
def test_but_not_0_and_1(frame: FrameGuards, size: int) -> None:
    tensor = change.resized(x(frame), 0, size)
    found = predict(frame, change.of_tensor(ChangeKind.SIZE, "L['x']", tensor))
    assert (found.recompiles, found.becomes) == (True, Effect.CONSTANT)


def changed(frame: FrameGuards) -> dict[str, tuple[Change, Effect]]:
    tensor = x(frame)
    of_tensor, of_value = change.of_tensor, change.of_value
    return {
        "size": (
            of_tensor(ChangeKind.SIZE, "L['x']", change.resized(tensor, 1, 9)), Effect.DYNAMIC
        ),
        "dtype": (
            of_tensor(
                ChangeKind.DTYPE, "L['x']", dataclasses.replace(tensor, dtype="torch.float64")
            ), Effect.CONSTANT,
        ),
        "requires_grad": (
            of_tensor(
                ChangeKind.REQUIRES_GRAD, "L['x']", dataclasses.replace(tensor, requires_grad=True)
            ), Effect.CONSTANT,
        ),
        "none": (of_value(ChangeKind.NONE, "L['x']", None), Effect.CONSTANT),
        "float": (of_value(ChangeKind.FLOAT, "L['n']", 2.5), Effect.DYNAMIC),
        "attribute": (of_value(ChangeKind.ATTRIBUTE, "L['self'].layer_idx", 4), Effect.CONSTANT),
        # What torch's own dropout reads goes to an operator as a number.
        "p": (
            of_value(ChangeKind.ATTRIBUTE, "L['self']._modules['drop'].p", 0.25), Effect.CONSTANT
        ),
        "str": (of_value(ChangeKind.ATTRIBUTE, "L['self'].name", "other"), Effect.CONSTANT),
        "global": (of_value(ChangeKind.GLOBAL, "G['LIMIT']", 4), Effect.CONSTANT),
        "training": (
            of_value(ChangeKind.TRAINING, "L['self']._modules['drop'].training", value=False),
            Effect.CONSTANT,
        ),
        "enum": (change.another_object(ChangeKind.ENUM, "L['mode']"), Effect.CONSTANT),
        "arguments": (
            change.of_length(ChangeKind.ARGUMENTS, "L['rest']", 1, 2), Effect.CONSTANT
        ),
        "fewer": (change.of_length(ChangeKind.ARGUMENTS, "L['rest']", 1, 0), Effect.CONSTANT),
        "key": (change.Change(ChangeKind.KEYS, gone=("L['parts']['a']",)), Effect.CONSTANT),
        "grad mode": (
            change.of_thread(ChangeKind.GRAD_MODE, grad_mode=False), Effect.CONSTANT
        ),
    }  # fmt: skip


def test_what_compiles_once_more(frame: FrameGuards) -> None:
    for name, (item, becomes) in changed(frame).items():
        found = predict(frame, item)
        assert (name, found.recompiles, found.becomes) == (name, True, becomes)


def test_what_nothing_looks_at_compiles_nothing(frame: FrameGuards) -> None:
    for item in (
        change.of_value(ChangeKind.ATTRIBUTE, "L['self'].comment", "new"),
        change.having(ChangeKind.KEYS, "L['parts']", {"'b'": True}, None),
        change.of_value(ChangeKind.INT, "L['n']", 11),
    ):
        assert not predict(frame, item).recompiles


def test_at_the_limit_it_runs_eagerly(frame: FrameGuards) -> None:
    settings = dataclasses.replace(frame.settings, recompile_limit=3)
    full = dataclasses.replace(frame, settings=settings)
    item, _ = changed(frame)["str"]
    found = predict(full, item)
    assert (found.recompiles, found.becomes) == (False, Effect.EAGER)
    assert "runs eagerly" in next_changes(full)[-1].text


def test_the_list_in_the_users_words(frame: FrameGuards) -> None:
    texts = [item.text for item in next_changes(frame)]
    width = "another size (a parameter also has this size) recompiles and becomes dynamic"
    assert f"x.size(1) is specialized on 4: {width}" in texts
    assert any(text.startswith("self.layer_idx is specialized on ") for text in texts)
    assert not any("_parameters" in text or "___" in text for text in texts)
    # Sizes and arguments come before modes, attributes and globals.
    kinds = [item.kind for item in next_changes(frame)]
    assert kinds.index(ChangeKind.SIZE) < kinds.index(ChangeKind.ATTRIBUTE)
    assert kinds.index(ChangeKind.ATTRIBUTE) < kinds.index(ChangeKind.GLOBAL)


def test_every_line_of_the_list_recompiles(frame: FrameGuards) -> None:
    for item in next_changes(frame):
        assert item.change is not None
        found = predict(frame, item.change)
        assert found.recompiles or found.becomes is Effect.EAGER, item.text
