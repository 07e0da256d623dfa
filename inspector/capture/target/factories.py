"""Makes the thing to compile from what a name stands for: an instance, a class, a factory."""

import builtins
import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import torch

from inspector.capture.roots import recorded_roots
from inspector.capture.target.user_code import UserCode
from inspector.errors import EnvironmentLacksError, ModelFailedError, UsageError
from inspector.shared.roots import Owner
from inspector.shared.units import with_article

_FACTORY_PREFIXES = ("get_", "make_", "build_", "create_", "load_")
_MODEL_MAKERS = frozenset({"from_config", "from_pretrained"})  # of transformers' classes


@dataclasses.dataclass(frozen=True, slots=True)
class EntryPoint:
    """What to compile, and how it was found, as Python: ``model``, ``get_model()``, ``Net()``."""

    function: Callable[..., Any]
    entry: str
    inputs: object = None


def make(
    value: Any, name: str, module: ModuleType, code: UserCode, *, is_factory: bool = False
) -> EntryPoint:
    """What a value stands for.

    A class is instantiated. A function that can be called without arguments is a factory if its
    name says so, or if it returns an ``nn.Module``, or a function that inputs are given for; any
    other function is itself the target, and its first call is the one that is compiled.

    Raises:
        UsageError: It needs arguments to be made, or makes nothing that can be called.
        ModelFailedError: The user's code failed.
    """
    if isinstance(value, type):
        args, kwargs = _init_inputs(value, name, module, code)
        made = code.run(f"making `{name}()`", lambda: value(*args, **kwargs))
        return _checked(made, f"{name}()")
    if is_factory:
        check_needs_nothing(value, name)
        return _checked(code.run(f"calling `{name}()`", value), f"{name}()")
    if not isinstance(value, FunctionType) or not _binds(value, (), {}):
        return EntryPoint(value, name)
    return _probe(value, name, code)


def _probe(function: Callable[..., Any], name: str, code: UserCode) -> EntryPoint:
    """Calls a function that needs no arguments where it seems to be a factory."""
    itself = EntryPoint(function, name)
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    if takes_any or hasattr(function, "_torchdynamo_orig_callable"):
        return itself
    if name.rpartition(".")[2].startswith(_FACTORY_PREFIXES):
        return _checked(code.run(f"calling `{name}()`", function), f"{name}()")
    # Inputs that it does not take itself are those of what it returns.
    if not (code.has_inputs and not parameters) and not _names_models(function, set()):
        return itself
    try:
        made = code.run(f"calling `{name}()`", function)
    except (ModelFailedError, EnvironmentLacksError):
        # Then it is no factory, and its own call shows the error.
        return itself
    first = made[0] if type(made) is tuple and len(made) == 2 else made  # noqa: PLR2004
    is_model = isinstance(first, torch.nn.Module | FunctionType)
    return _checked(made, f"{name}()") if is_model else itself


def _names_models(function: Callable[..., Any], seen: set[object]) -> bool:
    """Whether a function, or one that it calls, may make a model, as what its code names tells.

    Any other is not called: that could change what the compiled first call meets (a cache that it
    fills, a counter).
    """
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or inspect.iscoroutinefunction(function):
        return False
    owner = recorded_roots().owner(function.__code__.co_filename)
    if function in seen or owner in {Owner.TORCH, Owner.STDLIB}:
        return False
    seen.add(function)
    with contextlib.suppress(Exception):  # an annotation is any expression of the user's
        if _is_module_class(inspect.get_annotations(function, eval_str=True).get("return")):
            return True
    names = function.__code__.co_names
    nonlocals = inspect.getclosurevars(function).nonlocals
    scope = {**vars(builtins), **function.__globals__, **nonlocals}
    known = [scope.get(name, sys.modules.get(name)) for name in names]
    modules = [vars(item) for item in known if isinstance(item, ModuleType)]
    known += [module.get(name) for module in modules for name in names]
    return (
        not _MODEL_MAKERS.isdisjoint(names)
        or any(map(_is_module_class, known))
        or (
            owner is not Owner.LIBRARY
            and any(_names_models(item, seen) for item in known if callable(item))
        )
    )


def _is_module_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, torch.nn.Module)


def _checked(made: Any, entry: str) -> EntryPoint:
    """What was made; a pair of a model and its inputs, as TorchBench makes them, is taken apart."""
    if type(made) is tuple and len(made) == 2 and isinstance(made[0], torch.nn.Module):  # noqa: PLR2004
        return EntryPoint(made[0], f"{entry}[0]", made[1])
    if callable(made):
        return EntryPoint(made, entry)
    kind = "None" if made is None else with_article(type(made).__name__)
    raise UsageError(
        f"`{entry}` returns {kind}, which is not callable.", "Return an nn.Module or a function."
    )


def _init_inputs(
    kind: type, name: str, module: ModuleType, code: UserCode
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a constructor: none, or those of KernelBench's ``get_init_inputs()``."""
    given = getattr(module, "get_init_inputs", None)
    if callable(given):
        args, kwargs = _as_arguments(code.run("calling `get_init_inputs()`", given))
        if _binds(kind, args, kwargs):
            return args, kwargs
    check_needs_nothing(kind, name)
    return (), {}


def _as_arguments(given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """``[a, b]``, ``{"name": a}`` or ``[[a], {"name": b}]``."""
    if isinstance(given, dict):
        return (), given
    if not isinstance(given, list | tuple):
        return (given,), {}
    match given:
        case [list() | tuple() as args, dict() as kwargs]:
            return tuple(args), kwargs
    return tuple(given), {}


def _binds(kind: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        inspect.signature(kind).bind(*args, **kwargs)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def check_needs_nothing(factory: Callable[..., Any], name: str) -> None:
    """Raises a `UsageError` with a factory to write, unless `factory` needs no arguments."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in optional]
    if not needed:
        return
    listed = " and ".join(f"`{argument}`" for argument in needed)
    call = f"{name}({', '.join(f'{argument}=…' for argument in needed)})"
    step = f"Give them defaults, or add a factory to the file: `def get_model(): return {call}`."
    if name in {"get_model", "make_model"}:
        step = f"Give them defaults, or add a line `model = {call}` to the file."
    elif name.endswith("_inputs"):
        step = f"Give them defaults, or add a line `example_inputs = {call}` to the file."
    raise UsageError(f"`{name}` cannot be called without {listed}.", step)
