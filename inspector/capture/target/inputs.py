"""The inputs of a target: those of its file, or those of the command line."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from inspector.capture.target.call import Call, calls_of
from inspector.capture.target.factories import check_needs_nothing
from inspector.capture.target.user_code import UserCode
from inspector.errors import UsageError
from inspector.shared.dtypes import Kind
from inspector.shared.input_parser import parse_inputs
from inspector.shared.input_spec import MappingSpec, SequenceSpec, Spec, TensorSpec, ValueSpec

# Inputs of the command line are the same in every run, and leave the global generator as it was.
SEED = 0
_NAMES = ("example_inputs", "get_inputs", "get_example_inputs")


def make_calls(
    texts: tuple[str, ...], module: ModuleType, beside_model: object, code: UserCode
) -> tuple[tuple[Call, ...], str]:
    """The calls (none if none are given), and where they come from as the subject of a sentence.

    What was given with ``--input`` comes before what the file has, and that before what a factory
    returned beside its model.

    Raises:
        UsageError: The inputs cannot be read, or are nothing that can be passed.
        ModelFailedError: The file's function failed.
    """
    if texts:
        return (_from_texts(texts),), "`--input`"
    name, given = _given(module)
    if given is None:
        given, name = beside_model, "the factory"
    if given is None:
        return (), ""
    source = f"`{name}`"
    if callable(given) and not isinstance(given, torch.Tensor):
        source = f"`{name}()`"
        check_needs_nothing(given, name)
        given = code.run(f"calling {source}", given)
    return calls_of(given, source), source


def has_inputs(module: ModuleType) -> bool:
    """Whether a file has inputs."""
    return _given(module)[1] is not None


def _given(module: ModuleType) -> tuple[str, Any]:
    found = ((name, getattr(module, name, None)) for name in _NAMES)
    return next(((name, given) for name, given in found if given is not None), ("", None))


def _from_texts(texts: tuple[str, ...]) -> Call:
    generator = torch.Generator().manual_seed(SEED)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for spec in parse_inputs(texts):
        value = make_input(spec.value, lambda each: _tensor(each, generator))
        if spec.name is None:
            args.append(value)
        else:
            kwargs[spec.name] = value
    return Call(tuple(args), kwargs)


def make_input(spec: Spec, tensor: Callable[[TensorSpec], torch.Tensor]) -> Any:
    """What a spec stands for, with the tensors that are made for it."""
    match spec:
        case ValueSpec(value):
            return value
        case SequenceSpec(items, is_tuple):
            made = [make_input(item, tensor) for item in items]
            return tuple(made) if is_tuple else made
        case MappingSpec(items):
            return {key: make_input(item, tensor) for key, item in items}
        case TensorSpec():
            return tensor(spec)


def _tensor(spec: TensorSpec, generator: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, spec.dtype.torch_name, None)
    if dtype is None or spec.dtype.kind is Kind.BITS:
        raise UsageError(
            f"A tensor of dtype {spec.dtype.name} cannot be filled with random values.",
            "Define the inputs in the file: `def get_inputs(): return (…,)`.",
        )
    try:
        return _elements(spec, generator).to(dtype)
    except (RuntimeError, NotImplementedError, MemoryError, OverflowError) as error:
        said = str(error).partition("\n")[0]
        sizes = ",".join(map(str, spec.shape))
        raise UsageError(
            f"torch cannot create the input {spec.dtype.name}[{sizes}]: {said}",
            "Use other sizes or another dtype.",
        ) from error


def _elements(spec: TensorSpec, generator: torch.Generator) -> torch.Tensor:
    """Random elements in a dtype that torch's generators know, near the one that is wanted."""
    kind = spec.dtype.kind
    cpu = "cpu"
    if kind in (Kind.FLOATING, Kind.COMPLEX):
        wide = {
            Kind.FLOATING: {8: torch.float64},
            Kind.COMPLEX: {16: torch.complex128, 8: torch.complex64, 4: torch.complex64},
        }[kind].get(spec.dtype.size_bytes, torch.float32)
        return torch.randn(spec.shape, generator=generator, dtype=wide, device=cpu)
    limit = 2 if spec.limit is None else min(spec.limit, 2**63 - 1)
    return torch.randint(limit, spec.shape, generator=generator, device=cpu)
