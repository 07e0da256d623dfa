"""Runs generated cases and prints what was predicted and what torch did, one JSON line per case.

``python -m benchmarks.what_if_cases.harness SEED COUNT FOLDER``: one process for many cases. A case
is a program, one to four calls, and one change of what the last compiled call was given; Hypothesis
draws all three. The calls are recorded into a log; the change is predicted from that log alone, and
then it is made. Nothing is asserted here: whoever started it counts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import itertools
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch._logging import _internal

from benchmarks.what_if_cases.plans import Plan, plans
from benchmarks.what_if_cases.programs import FEATURES, Color, Feature, Kind, Tensor, source_of
from inspector.features.guards.change import (
    Change,
    another_object,
    having,
    of_length,
    of_tensor,
    of_thread,
    of_value,
)
from inspector.features.guards.predict import Effect, FrameGuards, frame_guards, predict
from inspector.records.recompiles import TensorFacts
from inspector.run.compilation import Frame
from inspector.run.folding.run import RunBuilder
from inspector.run.sources.log import LogReader
from inspector.shared.meta import Meta

_SPARE = 3
"""Cases of a kind beyond those that are wanted: some programs cannot run with some calls."""
_STATE = torch._C._dynamo.guards.GlobalStateGuard
_THREAD = {
    "grad_mode", "autocast_state", "default_dtype", "num_threads", "deterministic_algorithms",
    "deterministic_algorithms_warn_only",
}  # fmt: skip


class _Recorder(logging.Handler):
    """Writes torch's trace to a file while it is open."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.stream: Any = None
        self._formatter = _internal.TorchLogsFormatter(trace=True)

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream is not None:
            self.stream.write(self._formatter.format(record) + "\n")

    @contextlib.contextmanager
    def to(self, path: Path) -> Iterator[None]:
        with path.open("w") as self.stream:
            yield
        self.stream = None


@dataclasses.dataclass
class _Case:
    used: dict[str, str]
    module: Any
    model: Any
    compiled: Any

    def call(self, values: dict[str, Any]) -> None:
        for name in ("index", "scale", "name"):
            setattr(self.model, name, values[name])
        self.model.train(values["training"])
        self.model.linear._forward_hooks.clear()
        if values["hook"]:
            self.model.linear.register_forward_hook(_hook)
        self.module.LIMIT, self.module.WORD = values["LIMIT"], values["WORD"]
        with _thread(values):
            self.compiled(*_arguments(self.module, values))


def _hook(*_arguments: object) -> None:
    return None


def _arguments(module: Any, values: dict[str, Any]) -> list[Any]:
    x, y = values["x"].make(), values["y"].make()
    # The default dtype is a change of its own.
    items = [torch.ones(3, dtype=torch.float32) for _ in range(values["items"])]
    rest = [torch.ones(2, dtype=torch.float32) for _ in range(values["rest"])]
    return [
        x,
        x if values["same"] else y,
        *(values[name] for name in ("n", "f", "s", "b", "o", "e")),
        items,
        {key: torch.ones(3, dtype=torch.float32) for key in values["d"]},
        module.make(*values["fn"]),
        *rest,
    ]


@contextlib.contextmanager
def _thread(values: dict[str, Any]) -> Iterator[None]:
    before = torch.get_num_threads()
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.set_grad_enabled(values["grad_mode"]))
        if values["autocast"]:
            stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
        torch.set_default_dtype(getattr(torch, values["default_dtype"]))
        torch.set_num_threads(values["num_threads"])
        torch.use_deterministic_algorithms(values["deterministic"])
        try:
            yield
        finally:
            torch.set_default_dtype(torch.float32)
            torch.set_num_threads(before)
            torch.use_deterministic_algorithms(mode=False)


def _made(used: dict[str, str], folder: Path, number: int) -> _Case:
    path = folder / f"case_{number}.py"
    path.write_text(source_of(used))
    spec = importlib.util.spec_from_file_location(f"case_{number}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    model = module.Model()
    return _Case(used, module, model, torch.compile(model, backend="eager"))


def _read(path: Path) -> list[Frame]:
    builder = RunBuilder()
    for envelope in LogReader(path).read(ended=True):
        builder.fold(path.name, envelope)
    run = builder.build(Meta(0, path.name))
    assert not run.warnings, run.warnings
    return [f for p in run.processes for f in p.frames if f.name == "forward"]


def described(value: Tensor) -> TensorFacts:
    tensor = value.make()
    # As torch prints them: with those that the thread adds and without those that it takes away.
    included, excluded = (
        torch._C._dispatch_tls_local_include_set(),
        torch._C._dispatch_tls_local_exclude_set(),
    )
    keys = (
        str((torch._C._dispatch_keys(tensor) | included) - excluded)
        .removeprefix("DispatchKeySet(")
        .removesuffix(")")
    )
    return TensorFacts(
        type=type(tensor).__name__,
        keys=tuple(keys.split(", ")),
        dtype=str(tensor.dtype),
        device_index=None,
        requires_grad=tensor.requires_grad,
        size=tuple(tensor.shape),
        stride=tuple(tensor.stride()),
    )


def _change(  # noqa: C901, PLR0911 - one per kind of change
    case: _Case, kind: Kind, feature: Feature, before: dict[str, Any], after: dict[str, Any]
) -> Change:
    """The change as a user of `predict` would describe it."""
    old, new = before[feature.name], after[feature.name]
    local = f"L['{feature.name}']"
    if feature.place == "thread":
        with _thread(after):
            state = _state()
        return of_thread(kind, **{name: state[name] for name in _THREAD})
    if isinstance(new, Tensor):
        return of_tensor(kind, local, described(new))
    if kind in (Kind.LENGTH, Kind.ARGUMENTS):
        return of_length(kind, local, old, new)
    if kind is Kind.KEYS:
        return having(kind, local, {repr(key): key in new for key in "abc"}, len(new))
    if kind is Kind.ENUM:
        return another_object(kind, local, str(id(new)))
    if kind is Kind.FUNCTION:
        code = case.module.make(*new).__code__
        return another_object(kind, f"{local}.__code__", str(id(code)))
    if kind is Kind.CLOSURE:
        return of_value(kind, f"{local}.__closure__[0].cell_contents", new[1])
    if kind is Kind.HOOK:
        return having(kind, "L['self']._modules['linear']._forward_hooks", {}, int(new))
    if kind is Kind.TRAINING:
        # One call changes it in all modules; the generated programs ask one of them.
        owner = (
            "L['self']._modules['drop']" if "drop" in case.used.get("training", "") else "L['self']"
        )
        return of_value(kind, f"{owner}.training", new)
    if feature.place == "attribute":
        return of_value(kind, f"L['self'].{feature.name}", new)
    if feature.place == "global":
        return of_value(kind, f"G['{feature.name}']", new)
    return of_value(kind, local, new)


def _state() -> dict[str, Any]:
    return json.loads(_STATE().__getstate__())


def _case(plan: Plan, folder: Path, number: int, kind: Kind, recorder: _Recorder) -> dict[str, Any]:
    feature = plan.feature
    torch._dynamo.reset()
    case = _made(plan.used, folder, number)
    base, after, log = plan.calls[0], plan.changed[0], folder / f"case_{number}.log"
    with recorder.to(log):
        for values, changed in zip(plan.calls, plan.changed, strict=True):
            before = _compilations()
            try:
                case.call(values)
            except Exception as error:  # noqa: BLE001 - a program that this call does not suit
                return {"number": number, "kind": kind.value, "invalid": repr(error)[:200]}
            if _compilations() != before:
                base, after = values, changed
    (frame,) = _read(log)
    guards = frame_guards(frame)
    assert guards is not None
    if feature.name == "y" and base["same"]:
        return {"number": number, "kind": kind.value, "invalid": "two things would change"}
    change = _change(case, kind, feature, base, after)
    prediction = predict(guards, change)
    made = folder / f"case_{number}.after.log"
    try:
        with recorder.to(made):
            case.call(after)
    except Exception as error:  # noqa: BLE001 - as above
        return {"number": number, "kind": kind.value, "invalid": repr(error)[:200]}
    frames = _read(made)
    compiled = [c for f in frames for c in f.compilations if c.has_guarded_code]
    return {
        "number": number,
        "kind": kind.value,
        "feature": feature.name,
        "used": case.used.get(feature.name),
        "history": list(plan.history),
        "from": repr(base[feature.name]),
        "to": repr(after[feature.name]),
        "predicted": prediction.recompiles,
        "actual": bool(compiled),
        "becomes": prediction.becomes.value,
        "became": _became(guards, frames, change) if compiled else None,
        "reason": list(compiled[0].recompile_reasons[:1]) if compiled else [],
    }


def _became(before: FrameGuards, frames: list[Frame], change: Change) -> str:
    """Whether the new entry takes every other value of what changed, or this one alone."""
    new = frame_guards(frames[-1])
    assert new is not None
    tensor = change.value.tensor if change.value else None
    if tensor is not None:
        old = before.state.values.get(change.source)
        check = next(
            (
                g.check
                for g in new.entries[-1].guards
                if g.kind == "TENSOR_MATCH" and g.source == change.source
            ),
            None,
        )
        if check is None or old is None or old.tensor is None:
            return Effect.CONSTANT.value
        if old.tensor.size != tensor.size and len(old.tensor.size) == len(tensor.size):
            changed = [
                i
                for i, (a, b) in enumerate(zip(old.tensor.size, tensor.size, strict=True))
                if a != b
            ]
            return (
                Effect.DYNAMIC if any(check.size[i] is None for i in changed) else Effect.CONSTANT
            ).value
        if len(old.tensor.size) != len(tensor.size):
            return (Effect.DYNAMIC if None in check.size else Effect.CONSTANT).value
        if old.tensor.stride != tensor.stride:
            # Strides that follow from dynamic sizes say nothing of the new layout.
            is_dynamic = None in check.stride and None not in check.size
            return (Effect.DYNAMIC if is_dynamic else Effect.CONSTANT).value
        return Effect.CONSTANT.value
    kinds = {g.kind for g in new.entries[-1].guards if g.source == change.source}
    only_type = bool(kinds) and kinds <= {"TYPE_MATCH"}
    return (
        Effect.DYNAMIC if only_type and change.value and change.value.text else Effect.CONSTANT
    ).value


def _compilations() -> int:
    return int(torch._dynamo.utils.counters["frames"]["total"])


def main(number: int, count: int, folder: Path) -> None:
    logger = logging.getLogger("torch.__trace")
    logger.setLevel(logging.DEBUG)
    recorder = _Recorder()
    logger.addHandler(recorder)
    logger.propagate = False
    kinds = list(dict.fromkeys(kind for item in FEATURES for kind in item.others))
    numbers = itertools.count()
    for at, kind in enumerate(kinds):
        wanted = count // len(kinds) + (at < count % len(kinds))
        for plan in plans(kind, wanted + _SPARE + wanted // 4, number * len(kinds) + at):
            if wanted:
                found = _case(plan, folder, next(numbers), kind, recorder)
                wanted -= "invalid" not in found
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    assert Color.RED
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
