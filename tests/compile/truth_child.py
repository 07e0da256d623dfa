"""Runs one target under stock ``torch.compile`` and writes down what torch counted.

This file runs in a process of its own (``python truth_child.py REQUEST.json``)
and imports nothing but the standard library and torch: what the inspector
reports is checked against it, so it must not share any code with it.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

SEED = 0
MODEL_FACTORIES = ("get_model", "make_model")
INPUT_FACTORIES = ("get_inputs", "get_example_inputs")
DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "i64": torch.int64,
    "i32": torch.int32,
    "bool": torch.bool,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call of the target."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)


def load_module(path: Path) -> ModuleType:
    """Import a file the way ``python FILE`` would find its neighbours."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def first_call(module: ModuleType, names: Iterable[str]) -> Any:
    """The result of the first of these factories that the module has, or None."""
    for name in names:
        if hasattr(module, name):
            return getattr(module, name)()
    return None


def find_model(module: ModuleType) -> Any:
    """The model of a file that names none on the command line."""
    if hasattr(module, "model"):
        return module.model
    made = first_call(module, MODEL_FACTORIES)
    if made is not None:
        return made
    if hasattr(module, "Model"):
        return module.Model(*(first_call(module, ["get_init_inputs"]) or ()))
    raise LookupError(f"no model in {module.__name__}")


def find_target(module: ModuleType, name: str) -> Callable[..., Any]:
    """The named object of a file (a class is instantiated), or its model."""
    found = getattr(module, name) if name else find_model(module)
    if isinstance(found, type) and issubclass(found, nn.Module):
        found = found()
    return cast("Callable[..., Any]", found)


def read_calls(module: ModuleType) -> list[Call]:
    """The calls a file describes: a tuple or dict is one, a list of them several."""
    given = getattr(module, "example_inputs", None)
    if given is None:
        given = first_call(module, INPUT_FACTORIES)
    if isinstance(given, list) and given and all(isinstance(one, tuple | dict) for one in given):
        return [as_call(one) for one in given]
    return [as_call(() if given is None else given)]


def as_call(given: Any) -> Call:
    """One call from a tuple, a list, a dict of keyword arguments or a single value."""
    if isinstance(given, dict):
        return Call(kwargs=given)
    if isinstance(given, tuple | list):
        return Call(args=tuple(given))
    return Call(args=(given,))


def parse_inputs(texts: Iterable[str]) -> Call:
    """One call from ``--input`` strings: ``f32[4,4]``, ``n=3``, ``flag=true``."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if equals:
            kwargs[name] = parse_value(value)
        else:
            args.append(parse_value(value))
    return Call(tuple(args), kwargs)


def parse_value(text: str) -> Any:
    """A tensor (``i64[2,3]<100``), or a JSON scalar."""
    spec, _, bound = text.partition("<")
    dtype_name, bracket, rest = spec.partition("[")
    if not bracket:
        return json.loads(text)
    shape = [int(size) for size in rest.rstrip("]").split(",") if size]
    dtype = DTYPES[dtype_name]
    if dtype.is_floating_point:
        return torch.randn(shape).to(dtype)
    return torch.randint(0, int(bound or 2), shape).to(dtype)


def is_compiled(target: object) -> bool:
    """Whether the file has already put ``torch.compile`` around the target."""
    if isinstance(target, nn.Module):
        # A model whose parts are compiled one by one is taken as it is, too.
        return any(map(is_compiled_module, target.modules()))
    disabled = getattr(target, "_torchdynamo_disable", False)
    return hasattr(target, "_torchdynamo_orig_callable") and not disabled


def is_compiled_module(module: nn.Module) -> bool:
    """Whether this very module is compiled."""
    in_place = module._compiled_call_impl is not None
    return in_place or isinstance(module, torch._dynamo.eval_frame.OptimizedModule)


def compile_target(target: Callable[..., Any], options: list[str]) -> Callable[..., Any]:
    """Compile with the eager backend, unless the file did it itself."""
    if is_compiled(target):
        return target
    dynamic = {"--dynamic": True, "--no-dynamic": False}.get(
        next((option for option in options if option.endswith("dynamic")), "")
    )
    return cast(
        "Callable[..., Any]",
        torch.compile(target, backend="eager", dynamic=dynamic, fullgraph="--fullgraph" in options),
    )


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in a value, through tuples, lists, mappings and dataclasses."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return tensors_in(list(value.values()))
    if isinstance(value, list | tuple):
        return [tensor for one in value for tensor in tensors_in(one)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tensors_in([getattr(value, field.name) for field in dataclasses.fields(value)])
    return []


def backward(result: Any) -> None:
    """Back-propagate the sum of every differentiable output."""
    losses = [t.float().sum() for t in tensors_in(result) if t.requires_grad]
    if losses:
        cast("torch.Tensor", sum(losses)).backward()


def call_all(function: Callable[..., Any], calls: list[Call], options: list[str]) -> str | None:
    """Call once per input; the type of the exception that ended it, or None."""
    for call in calls:
        try:
            result = function(*call.args, **call.kwargs)
            if "--train" in options:
                backward(result)
        except BaseException as error:  # noqa: BLE001 - whatever ended it is the answer
            return type(error).__name__
    return None


def explain_all(function: Callable[..., Any], calls: list[Call]) -> dict[str, Any]:
    """What ``torch._dynamo.explain`` says; it takes one call of what is not compiled yet."""
    if len(calls) > 1 or is_compiled(function):
        return {"exception": "n/a"}
    try:
        said = torch._dynamo.explain(function)(*calls[0].args, **calls[0].kwargs)
    except BaseException as error:  # noqa: BLE001 - whatever ended it is the answer
        return {"exception": type(error).__name__}
    return {"graphs": said.graph_count, "graph_breaks": said.graph_break_count}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run one request; see ``truth.py`` for its keys."""
    module = load_module(Path(request["file"]))
    torch.manual_seed(SEED)
    target = find_target(module, request["name"])
    calls = [parse_inputs(request["inputs"])] if request["inputs"] else read_calls(module)
    if request["peer"]:
        return explain_all(target, calls)
    exception = call_all(compile_target(target, request["options"]), calls, request["options"])
    return {
        "graphs": torch._dynamo.utils.counters["stats"].get("unique_graphs", 0),
        "exception": exception,
    }


def main() -> None:
    """Answer the request file given on the command line."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with redirect_stdout(sys.stderr):
        result = answer(request)
    Path(request["answer"]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
