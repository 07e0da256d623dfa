"""All cases by name: the samples, transformers models, and the modules of this folder."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import runpy
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import torch

from benchmarks import transformers_models
from benchmarks.exactness.kernel_cases.case import BOTH, INFERENCE, Case, moved_to
from inspector.capture.target.call import calls_of, map_tensors
from tests.gpu import kernel_cases

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
# Small, and together with most kinds of layers. Those in half precision are in networks.py.
TRANSFORMERS = (
    "bert", "roberta", "distilbert", "electra", "deberta", "modernbert", "gpt2", "opt",
    "llama_padded", "mistral", "qwen2", "phi", "gemma", "t5", "bart", "whisper", "vit", "dinov2",
    "swin", "convnext", "clip", "mamba",
)  # fmt: skip
Factory = Callable[[str], Case]


def catalogue() -> dict[str, Factory]:
    """Factories by name; those that take longest first, so that they don't end last."""
    samples = {f"sample.{path.parent.name}": partial(_sample, path)
               for path in sorted(SAMPLES.glob("*/model.py"))}  # fmt: skip
    models = {f"transformers.{name}": partial(_transformers, name) for name in TRANSFORMERS}
    return samples | models | _hand_written()


def _hand_written() -> dict[str, Factory]:
    found: dict[str, Factory] = {}
    for info in pkgutil.iter_modules(kernel_cases.__path__):
        if info.name in ("case", "catalogue"):
            continue
        module = importlib.import_module(f"{kernel_cases.__name__}.{info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                found[f"{info.name}.{name}"] = function
        tabled: dict[str, Factory] = getattr(module, "CASES", {})
        found |= {f"{info.name}.{name}": factory for name, factory in tabled.items()}
    # Of every file the first, of every file the second, …: if time runs out, no file misses all.
    places = {name: (not name.startswith("networks"), _place(name, found)) for name in found}
    return dict(sorted(found.items(), key=lambda item: places[item[0]]))


def _place(name: str, names: Iterable[str]) -> int:
    """How many of the same file come before."""
    file = name.partition(".")[0]
    return [other for other in names if other.startswith(f"{file}.")].index(name)


def _sample(path: Path, device: str) -> Case:
    names = runpy.run_path(str(path))
    model = names["get_model"]() if "get_model" in names else names["model"]
    given = names["get_inputs"]() if "get_inputs" in names else names["example_inputs"]
    several = tuple(
        (map_tensors(partial(moved_to, device), call.args),
         map_tensors(partial(moved_to, device), call.kwargs))
        for call in calls_of(given, str(path))
    )  # fmt: skip
    frozen = not any(parameter.requires_grad for parameter in model.parameters())
    passes = (INFERENCE,) if frozen else BOTH
    return Case(model.to(device), several, passes=passes, grad_inputs=False)


def _transformers(name: str, device: str) -> Case:
    model, inputs = transformers_models.build(name)
    inputs = map_tensors(partial(moved_to, device), inputs)
    return Case(model.to(torch.device(device)), (((), inputs),), grad_inputs=False)
