"""What a call changed: its arguments, the model's buffers, the parameters that it trains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from inspector.capture.bench.program import Program
from inspector.capture.bench.scales import is_close
from inspector.capture.calls.leaves import PLAIN, leaves_of
from inspector.capture.compiled import module_of
from inspector.capture.target.call import Call
from inspector.capture.target.signatures import positional_names
from inspector.shared.result_names import AFTER, AGAIN

_PARAMETER = "parameter "
_NOTHING = object()


def named_tensors(function: Callable[..., object]) -> dict[str, Any]:
    """The parameters and buffers of a model by what they are called in results."""
    module = module_of(function)
    if module is None:
        return {}
    return {
        **{f"{_PARAMETER}{name}": item for name, item in module.named_parameters()},
        **{f"buffer {name}": item for name, item in module.named_buffers()},
    }


def changed_by(program: Program, index: int, given: Call, where: str) -> Mapping[str, object]:
    """What a call left changed by more than rounding, by name, as it is now.

    What a call changes is told by values: compiled code counts changes in place that eager PyTorch
    does not count (a batch norm's), and the other way around. Parameters are large, and looked at
    when a call is made again: a CUDA graph is replayed then. All that are trained are there, for a
    step can be as short as their rounding.
    """
    found: dict[str, object] = {}
    for name, (now, before) in _all(program, index, given).items():
        is_parameter = name.startswith(_PARAMETER)
        is_looked_at = AGAIN in where or not is_parameter
        is_trained = is_parameter and program.step is not None
        if is_looked_at and (is_trained or not _is_same(now, before)):
            found[f"{name}{AFTER}{where}"] = None if now is _NOTHING else now
    return found


def gradients_of(program: Program, given: Call, where: str) -> Mapping[str, object]:
    """The gradients that a call left, by name."""
    named = {
        name.removeprefix(_PARAMETER): item
        for name, item in named_tensors(program.plain).items()
        if name.startswith(_PARAMETER)
    } | dict(_parts(program, given))
    return {
        f"gradient of {name} with {where}": item.grad
        for name, item in named.items()
        if isinstance(item, torch.Tensor) and item.is_leaf and item.grad is not None
    }


def _all(program: Program, index: int, given: Call) -> dict[str, tuple[object, object]]:
    """All that a call can change, as it is now and as it was before."""
    found: dict[str, tuple[object, object]] = {}
    now, before = (dict(_parts(program, call)) for call in (given, program.calls[index]))
    for name in dict.fromkeys((*before, *now)):
        found[name] = now.get(name, _NOTHING), before.get(name, _NOTHING)
    tensors = named_tensors(program.plain)
    for name in dict.fromkeys((*program.named, *tensors)):
        was = program.named.get(name, _NOTHING)
        value = program.state.value_of(was)
        if was is _NOTHING or value is not None:
            found[name] = tensors.get(name, _NOTHING), value
    known = set(map(id, program.named.values()))
    for number, tensor, value in program.state.tensors():
        if id(tensor) not in known and value is not None:
            found[f"tensor {number} of its state"] = tensor, value
    return found


def _parts(program: Program, given: Call) -> Iterator[tuple[str, object]]:
    names = positional_names(program.plain)
    places = [*names, *map(str, range(len(names), len(given.args)))]
    for name, value in {**dict(zip(places, given.args, strict=False)), **given.kwargs}.items():
        yield from leaves_of(f"argument {name}", value)


def _is_same(now: object, before: object) -> bool:
    if isinstance(now, torch.Tensor) and isinstance(before, torch.Tensor):
        try:
            mine = now.detach().to(before.device)
            return mine.shape == before.shape and is_close(mine, before)
        except Exception:  # noqa: BLE001 - of a kind that nobody can compare
            return True
    if all(isinstance(side, (*PLAIN, torch.Tensor)) or side is _NOTHING for side in (now, before)):
        return type(now) is type(before) and now == before
    return True
