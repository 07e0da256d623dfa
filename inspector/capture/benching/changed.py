"""What a call changed: its arguments, the model's buffers, the parameters that it trains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from inspector.capture.benching.program import Program
from inspector.capture.call import Call
from inspector.capture.compiled import module_of
from inspector.capture.leaves import PLAIN, leaves_of
from inspector.capture.signatures import positional_names

__all__ = ["changed_by", "gradients_of"]


def changed_by(program: Program, index: int, given: Call, where: str) -> Mapping[str, object]:
    """What a call left changed, by name; what nobody changed is not among it.

    Args:
        program: What was called.
        index: The number of the input.
        given: What the call was made with, as it is now.
        where: What the call is called: ``input 1``.
    """
    found = {
        f"{name} after {where}": now
        for name, now, before in _arguments(program, given, program.calls[index])
        if not _is_same(now, before)
    }
    named = _named(program)
    for number, tensor in program.state.changed_tensors():
        name = named.get(id(tensor), f"tensor {number} that it reaches")
        found[f"{name} after {where}"] = tensor
    # What was put in the place of another.
    known = set(map(id, program.state.tensors))
    named = {number: name for number, name in named.items() if number not in known}
    module = module_of(program.plain)
    new = (*module.parameters(), *module.buffers()) if module is not None else ()
    return found | {f"{named[id(item)]} after {where}": item for item in new if id(item) in named}


def gradients_of(program: Program, given: Call, where: str) -> Mapping[str, object]:
    """The gradients that a call left, by name."""
    named = [(name.removeprefix("parameter "), item) for name, item in _parameters(program)]
    named += [(name, now) for name, now, _ in _arguments(program, given, given)]
    return {
        f"gradient of {name} with {where}": item.grad
        for name, item in named
        if isinstance(item, torch.Tensor) and item.is_leaf and item.grad is not None
    }


def _arguments(program: Program, given: Call, before: Call) -> Iterator[tuple[str, object, object]]:
    """The parts of the arguments, as they are now and as they were before."""
    names = positional_names(program.plain)
    named = dict(zip(names, given.args, strict=False))
    rest = {str(at): item for at, item in enumerate(given.args) if at >= len(names)}
    olds = {**dict(zip((*names, *rest), before.args, strict=False)), **before.kwargs}
    for name, value in {**named, **rest, **given.kwargs}.items():
        were = dict(leaves_of(f"argument {name}", olds.get(name)))
        for place, leaf in leaves_of(f"argument {name}", value):
            yield place, leaf, were.get(place)


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        try:
            return bool(one.shape == other.shape and torch.equal(one.detach(), other.detach()))
        except (RuntimeError, NotImplementedError, TypeError):
            return True  # nobody can compare it
    return one == other if isinstance(one, PLAIN) and isinstance(other, PLAIN) else True


def _named(program: Program) -> dict[int, str]:
    module = module_of(program.plain)
    buffers = module.named_buffers() if module is not None else ()
    return {
        **{id(buffer): f"buffer {name}" for name, buffer in buffers},
        **{id(parameter): name for name, parameter in _parameters(program)},
    }


def _parameters(program: Program) -> list[tuple[str, Any]]:
    module = module_of(program.plain)
    named = module.named_parameters() if module is not None else ()
    return [(f"parameter {name}", parameter) for name, parameter in named]
