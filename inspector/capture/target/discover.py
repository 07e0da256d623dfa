"""Finds what to compile in a module: by the conventions, or by the name that was typed.

The conventions, in this order: ``model``, ``get_model()``, ``make_model()``; KernelBench's class
``Model``; one lone model that the file makes; one lone ``nn.Module`` class; one lone function.
"""

import re
from types import FunctionType, ModuleType
from typing import Any

import torch

from inspector.capture.compiled import uncompiled
from inspector.capture.target.factories import EntryPoint, make
from inspector.capture.target.locate import Place
from inspector.capture.target.user_code import UserCode
from inspector.errors import UsageError
from inspector.shared.near_matches import did_you_mean

_FACTORIES = ("get_model", "make_model")
_NOT_MODELS = frozenset(
    {*_FACTORIES, "main", "get_inputs", "get_example_inputs", "get_init_inputs", "example_inputs"}
)
_COMPILES = re.compile(r"\btorch\s*\.\s*compile\b|\.compile\(|\bimport\b[^#\n]*\bcompile\b")


def find_target(module: ModuleType, code: UserCode) -> EntryPoint:
    """What to compile in `module`.

    Raises:
        UsageError: There is nothing, or too much, or it cannot be made without arguments.
        ModelFailedError: Making it failed.
    """
    if code.place.name is not None:
        return _named(module, code.place.name, code)
    names = vars(module)
    model = names.get("model")
    if callable(model):
        return make(model, "model", module, code)
    for factory in _FACTORIES:
        if callable(names.get(factory)):
            return make(names[factory], factory, module, code, is_factory=True)
    if isinstance(names.get("Model"), type):
        return make(names["Model"], "Model", module, code)
    for candidates in (_instances(module), _classes(module), _functions(module)):
        if len(candidates) == 1:
            name, value = candidates.popitem()
            return make(value, name, module, code)
        if candidates:
            listed = ", ".join(f"`{name}`" for name in candidates)
            step = f"Name one: `{code.place.command([*candidates][-1])}`."
            if compiles_itself(code.place):
                step += f" Or record it as a program: `{code.place.command(verb='run')}`."
            raise UsageError(
                f"`{code.place.shown}` has {len(candidates)} candidates: {listed}.", step
            )
    raise _nothing(code.place)


def compiles_itself(place: Place) -> bool:
    """Whether the source of a file mentions ``torch.compile``."""
    if place.file is None or place.shown == place.module:
        return False
    return bool(_COMPILES.search(place.file.read_text(encoding="utf-8", errors="replace")))


def _named(module: ModuleType, path: str, code: UserCode) -> EntryPoint:
    value: object = module
    walked: list[str] = []
    for name in path.split("."):
        if walked and isinstance(value, type) and issubclass(value, torch.nn.Module):
            value = make(value, ".".join(walked), module, code).function
        if not hasattr(value, name):
            raise _no_such_name(name, value, walked, code.place)
        value = getattr(value, name)
        walked.append(name)
    if not callable(value):
        step = did_you_mean(path, _callables(module), otherwise="Callables")
        raise UsageError(
            f"`{path}` in `{code.place.shown}` is not callable; its type is "
            f"`{type(value).__name__}`.",
            step or "Define a model or a function in it.",
        )
    return make(value, path, module, code)


def _no_such_name(name: str, owner: object, walked: list[str], place: Place) -> UsageError:
    where = f"`{'.'.join(walked)}` in `{place.shown}`" if walked else f"`{place.shown}`"
    names = _callables(owner) if isinstance(owner, ModuleType) else dir(owner)
    public = [other for other in names if not other.startswith("_")]
    return UsageError(f"There is no `{name}` in {where}.", did_you_mean(name, public))


def _callables(module: object) -> list[str]:
    """What a module itself defines and can be called; then what else of it can be called."""
    own = getattr(module, "__name__", None)
    names = [
        name for name, value in vars(module).items() if callable(value) and not name.startswith("_")
    ]
    return sorted(names, key=lambda name: getattr(vars(module)[name], "__module__", own) != own)


def _instances(module: ModuleType) -> dict[str, Any]:
    """The models that a file makes, but for losses, parts of others, and originals of compiled."""
    models = {
        name: value
        for name, value in _public(module)
        if isinstance(value, torch.nn.Module) and type(value).__module__ != "torch.nn.modules.loss"
    }
    parts = {id(part) for value in models.values() for part in value.modules() if part is not value}
    return _once({name: value for name, value in models.items() if id(value) not in parts})


def _classes(module: ModuleType) -> dict[str, Any]:
    return _once(
        {
            name: value
            for name, value in _public(module)
            if isinstance(value, type)
            and issubclass(value, torch.nn.Module)
            and value.__module__ == module.__name__
        }
    )


def _functions(module: ModuleType) -> dict[str, Any]:
    functions = {
        name: value
        for name, value in _public(module)
        if isinstance(value, FunctionType)
        and getattr(value, "__module__", None) == module.__name__
        and name not in _NOT_MODELS
    }
    originals = {
        id(uncompiled(value)) for value in functions.values() if uncompiled(value) is not value
    }
    return _once({name: value for name, value in functions.items() if id(value) not in originals})


def _public(module: ModuleType) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(module).items() if not name.startswith("_")]


def _once(named: dict[str, Any]) -> dict[str, Any]:
    """The values without those that are there under an earlier name too."""
    first = {id(value): name for name, value in reversed(named.items())}
    return {name: named[name] for name in named if first[id(named[name])] == name}


def _nothing(place: Place) -> UsageError:
    if compiles_itself(place):
        return UsageError(
            f"`{place.shown}` calls torch.compile itself and does not define a model that can be "
            "selected by name.",
            f"Record it as a program: `{place.command(verb='run')}`.",
        )
    return UsageError(
        f"`{place.shown}` has no `model`, `get_model()`, nn.Module class or function.",
        "Define `model` and `example_inputs` in it, or name what to compile: "
        f"`{place.command('NAME')}`.",
    )
