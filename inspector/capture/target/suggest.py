"""The ``--input`` to try for a model that comes without inputs."""

import contextlib
import inspect
import io
import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)

from inspector.capture.compiled import module_of, uncompiled
from inspector.capture.quiet import quiet_operators
from inspector.capture.target.inputs import make_input
from inspector.capture.target.layers import ids, module_inputs, tensors
from inspector.capture.target.signatures import signature_of
from inspector.shared.input_spec import InputSpec, SequenceSpec, Spec, TensorSpec, ValueSpec

_ATTEMPTS = 60
_SECONDS = 15.0
_IDS = re.compile(r"(?:^|_)(?:ids?|idx|ind(?:ex|ices)|tokens?|labels?|targets?)$")
_NO_LAYER: tuple[Spec, ...] = (
    *tensors("f32", (16, 16), (8,), (1, 16, 64), (1, 3, 32, 32), ()),
    *ids(8, (8,), (1, 16)),
)
_MASKS: tuple[Spec, ...] = (
    *tensors("b8", (1, 128), (1, 16), (16, 16), (16,)),
    *tensors("f32", (1, 128), (1, 16)),
    ValueSpec(None),
)
_PLAIN: Mapping[str, Sequence[Spec]] = {
    "int": (ValueSpec(3), ValueSpec(1)),
    "float": (ValueSpec(0.5),),
    "bool": (ValueSpec(value=True),),
    "str": (ValueSpec("text"),),
}


def suggest_inputs(function: Callable[..., Any]) -> tuple[InputSpec, ...]:
    """Inputs that `function` most likely takes.

    They come from the signature (names, annotations, defaults) and from the module's first layers.
    The first combination that a dry run on tensors without memory accepts is taken, or the
    likeliest if none is.
    """
    inner = uncompiled(function)
    module = module_of(inner)
    if module is not None and (known := _transformers_inputs(module)):
        return known
    combinations = _combinations(inner, module)
    first = next(combinations, ())
    deadline = time.monotonic() + _SECONDS
    for inputs in itertools.chain((first,), itertools.islice(combinations, _ATTEMPTS)):
        if time.monotonic() > deadline:
            break
        if _runs_with(inner, inputs):
            return inputs
    return first


def _combinations(
    function: Callable[..., Any], module: nn.Module | None
) -> Iterator[tuple[InputSpec, ...]]:
    parameters = _needed(function)
    names = [p.name if p.kind is p.KEYWORD_ONLY else None for p in parameters]
    options = [_options(parameter, module) for parameter in parameters]
    # The combinations that use the likeliest first: all first, then one second, and so on.
    indices = itertools.product(*(range(len(option)) for option in options))
    for chosen in sorted(itertools.islice(indices, 4096), key=lambda index: (sum(index), index)):
        yield tuple(
            InputSpec(name, option[index])
            for name, option, index in zip(names, options, chosen, strict=True)
        )


def _needed(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that have to be given; where all have defaults, the first one."""
    signature = signature_of(function)
    parameters = list(signature.parameters.values()) if signature is not None else []
    if not parameters:
        return [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)]
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [parameter for parameter in parameters if parameter.kind not in variadic]
    needed = [parameter for parameter in named if parameter.default is parameter.empty]
    unnamed = [p.replace(kind=p.POSITIONAL_ONLY) for p in parameters if p.kind is p.VAR_POSITIONAL]
    return needed or named[:1] or unnamed[:1]


def _options(parameter: inspect.Parameter, module: nn.Module | None) -> Sequence[Spec]:
    """What a parameter may take, the likeliest first."""
    annotation = _annotation(parameter)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    found = _tensor_options(parameter.name, module)
    if re.match(r"(?:typing\.)?(?:List|Sequence|Iterable|list)\[", annotation):
        return [SequenceSpec((option, option)) for option in found]
    if re.match(r"(?:typing\.)?(?:Tuple|tuple)\[", annotation):
        count = 2 if annotation.endswith("...]") else annotation.count(",") + 1
        return [SequenceSpec((option,) * count, is_tuple=True) for option in found]
    return found


def _tensor_options(name: str, module: nn.Module | None) -> Sequence[Spec]:
    if "mask" in name:
        return _MASKS
    by_layer = module_inputs(module) if module is not None else []
    if _IDS.search(name):
        whole = [spec for spec in by_layer if spec.limit]
        return [*(whole or ids(2, (1, 128), (1, 16), (1,), (8,), (16,))), *by_layer]
    return by_layer or _NO_LAYER


def _annotation(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        # A default says as much as an annotation does.
        default = parameter.default
        return type(default).__name__ if isinstance(default, int | float | str) else ""
    if isinstance(annotation, str):
        return annotation
    is_plain = isinstance(annotation, type) and not hasattr(annotation, "__args__")
    return str(annotation.__name__) if is_plain else str(annotation)


_TOKENS = 128


def _transformers_inputs(module: nn.Module) -> tuple[InputSpec, ...]:
    """The named inputs of a ``PreTrainedModel``; none for any other module.

    The class is known by its name: transformers need not be installed here.
    """
    if not any(kind.__name__ == "PreTrainedModel" for kind in type(module).__mro__):
        return ()
    config = module.config
    main = getattr(module, "main_input_name", "input_ids")
    inputs = [InputSpec(main, _main(main, config))]
    if main == "input_ids" and _find(config, "image_size") and _find(config, "vision_config"):
        inputs.append(InputSpec("pixel_values", _main("pixel_values", config)))
    if getattr(config, "is_encoder_decoder", False) and _find(config, "vocab_size"):
        inputs.append(InputSpec("decoder_input_ids", _token_ids(config, 16)))
    return tuple(inputs)


def _main(name: str, config: Any) -> TensorSpec:
    if name == "pixel_values":
        size = _find(config, "image_size") or 224
        height, width = (size, size) if isinstance(size, int) else (size[0], size[-1])
        return tensors("f32", (1, _find(config, "num_channels") or 3, height, width))[0]
    if name == "input_values":
        return tensors("f32", (1, 16000))[0]
    if name == "input_features":
        frames = 2 * (_find(config, "max_source_positions") or 500)
        return tensors("f32", (1, _find(config, "num_mel_bins") or 80, frames))[0]
    return _token_ids(config, _TOKENS)


def _token_ids(config: Any, length: int) -> TensorSpec:
    longest = _find(config, "max_position_embeddings") or length
    return ids(_find(config, "vocab_size") or 2, (1, min(length, longest)))[0]


def _find(config: Any, name: str) -> Any:
    """An entry of a configuration, or of that of its text or vision part."""
    parts = (getattr(config, part, None) for part in ("text_config", "vision_config"))
    for holder in (config, *parts):
        value = getattr(holder, name, None)
        if value is not None:
            return value
    return None


def _runs_with(function: Callable[..., Any], inputs: tuple[InputSpec, ...]) -> bool:
    """Whether a call of `function` with such inputs gets through, or as far as to need a value.

    Nothing is computed and no state changes: every tensor that the call meets is a fake one. What
    it prints is dropped.
    """
    module = module_of(function)
    held = itertools.chain(module.parameters(), module.buffers()) if module is not None else ()
    device = next((tensor.device for tensor in held), torch.device("cpu"))

    def tensor(spec: TensorSpec) -> torch.Tensor:
        return torch.empty(spec.shape, dtype=getattr(torch, spec.dtype.torch_name), device=device)

    eager = torch.compiler.set_stance("force_eager")  # for the parts that are compiled
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        quiet_operators(),
        eager,
        torch.no_grad(),
        FakeTensorMode(allow_non_fake_inputs=True),
    ):
        args = [make_input(spec.value, tensor) for spec in inputs if spec.name is None]
        kwargs = {spec.name: make_input(spec.value, tensor) for spec in inputs if spec.name}
        try:
            function(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            return True
        except Exception:  # noqa: BLE001 - whatever a wrong input makes the user's code raise
            return False
    return True
