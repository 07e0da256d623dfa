"""Loads what the user wants compiled, with the calls to run it with."""

import dataclasses
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from inspector.capture.compiled import is_compiled
from inspector.capture.source_loader import CpuLoader, SourceLoader, edit_imports, map_imports
from inspector.capture.target.call import Call
from inspector.capture.target.discover import compiles_itself, find_target
from inspector.capture.target.inputs import has_inputs, make_calls
from inspector.capture.target.locate import Place, locate
from inspector.capture.target.placement import Placement
from inspector.capture.target.signatures import check_fits, shown_signature, signature_of
from inspector.capture.target.suggest import suggest_inputs
from inspector.capture.target.user_code import UserCode
from inspector.errors import UsageError
from inspector.shared.input_parser import parse_inputs
from inspector.shared.input_spec import describe
from inspector.shared.request import Request
from inspector.shared.typed_options import typed_options


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """What to compile and how to call it.

    Attributes:
        name: How it is shown: ``model.py`` or ``model.py:Net``, relative to the root.
        entry: What was found there, as Python: ``model``, ``get_model()``, ``Net()``.
        function: The module or function, in the train/eval mode that the file left it in.
        calls: Tensors are shared until `fresh` copies them.
        already_compiled: The file compiles it itself, so that it is taken as it is.
        root: The project's folder, which shown paths are relative to: the working directory if the
            file is below it, else the folder of its top package, else its own folder.
    """

    name: str
    entry: str
    function: Callable[..., Any]
    calls: tuple[Call, ...]
    already_compiled: bool
    file: str | None
    root: str


def load_target(request: Request) -> Target:
    """Loads a target in this process: its module is imported and its model is made.

    ``sys.argv`` and ``sys.path`` become those of ``python model.py``, and stay so. Grad mode and
    train/eval mode stay as the file leaves them. Inputs of the command line are random under
    `inspector.capture.target.inputs.SEED`. With ``device="cpu"`` CUDA requests in the project's
    files are mapped to the CPU; the request's changes of them are made in memory
    (`source_loader`).

    Raises:
        UsageError: The target or its inputs are not what they should be.
        ModelFailedError: The user's code raised an exception; the detail is its traceback.
        EnvironmentLacksError: It asks for CUDA, or for a device, that is not here.
    """
    parse_inputs(request.inputs)  # What is wrong with them is said before anything is run.
    placement = Placement(request.device, request.dtype)
    edit_imports(request.edits)
    if placement.maps_cuda:
        map_imports(str(Path.cwd()))
    again = typed_options(request.asked, request.verb)
    place = dataclasses.replace(locate(request.target), verb=request.verb, options=tuple(again))
    code = UserCode(place, maps_cuda=placement.maps_cuda)
    module = import_target(code)
    code.has_inputs = bool(request.inputs) or has_inputs(module)
    found = find_target(module, code)
    code.run(f"moving `{found.entry}`", lambda: placement.put_model(found.function))
    calls, source = make_calls(request.inputs, module, found.inputs, code)
    if not calls:
        calls, source = _without_inputs(found.function, place), "The call"
    for call in calls:
        check_fits(found.function, call.args, call.kwargs, source)
    return Target(
        name=f"{place.shown}:{place.name}" if place.name else place.shown,
        entry=found.entry,
        function=found.function,
        calls=code.run("moving the inputs", lambda: tuple(map(placement.put_call, calls))),
        already_compiled=is_compiled(found.function),
        file=None if place.file is None else str(place.file),
        root=place.root,
    )


def _without_inputs(function: Callable[..., Any], place: Place) -> tuple[Call, ...]:
    """One call without arguments, or an error with the exact ``--input`` to try."""
    signature = signature_of(function)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    # Models from transformers give all of their inputs the default None, and refuse to run so.
    if signature is not None and not any(
        (item.default is item.empty or item.default is None) and item.kind not in variadic
        for item in signature.parameters.values()
    ):
        return (Call(),)
    texts = tuple(map(describe, suggest_inputs(function)))
    options = [word for text in texts for word in ("--input", text)]
    command = place.command(place.name, *options)
    step = f"Try `{command}`, or define `example_inputs` in the file."
    if compiles_itself(place):
        step += f" Or record it as a program: `{place.command(verb='run')}`."
    raise UsageError(f"`{place.shown}` has no inputs for `{shown_signature(function)}`.", step)


def import_target(code: UserCode) -> ModuleType:
    """The target's module, imported and registered in ``sys.modules``.

    As for ``python model.py``, the file's folder comes first in ``sys.path`` and ``sys.argv`` is
    the file alone; a file in a package is imported as a part of it. Both stay so: the model may
    import when it runs.

    Raises:
        ModelFailedError: The module, or one that it imports, raised an exception.
        UsageError: It ended the program.
    """
    place = code.place
    # A folder of installed packages keeps its place: before the standard library it would hide it.
    installed = [folder for folder in sys.path if folder.endswith("-packages")]
    first = [folder for folder in place.search if folder not in installed]
    sys.path[:] = [*first, *(folder for folder in sys.path if folder not in first)]
    sys.argv = [str(place.file or place.source)]
    if code.maps_cuda:
        map_imports(place.root)
    return code.run(f"loading `{place.shown}`", lambda: _imported(code))


def _imported(code: UserCode) -> ModuleType:
    place = code.place
    if place.file is None or place.module == place.source:
        return importlib.import_module(place.module)
    parent, _, leaf = place.module.rpartition(".")
    package = importlib.import_module(parent) if parent else None
    loaded = sys.modules.get(place.module)
    if loaded is not None and getattr(loaded, "__file__", None) == str(place.file):
        return loaded
    module = _execute(place.module, place.file, CpuLoader if code.maps_cuda else SourceLoader)
    if package is not None:
        setattr(package, leaf, module)
    return module


def _execute(name: str, file: Path, kind: type[SourceLoader]) -> ModuleType:
    """What ``importlib.util.module_from_spec`` documents, for a file that has an odd name too."""
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name, file, loader=kind(name, str(file)), submodule_search_locations=inside
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules.get(name, module)
