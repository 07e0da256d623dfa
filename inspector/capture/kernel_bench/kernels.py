"""What is benchmarked: a Triton kernel, one in C++, or a call of a library."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias

import torch

from inspector.capture.kernel_bench.arguments import Arguments
from inspector.capture.profiling.wrapper_lines import generated_modules, rewritten
from inspector.records.kernel_bench import BenchedConfig

_SIGNATURE = re.compile(r'extern "C"\s+(?:\S+\s+)?void\s+\w+\((?P<arguments>[^)]*)\)')


@dataclasses.dataclass(frozen=True, slots=True)
class Launched:
    """One launch, as the generated code makes it.

    Attributes:
        written: Those that it writes, or None where the compiler does not say.
        changed: Those that it both reads and writes, as far as the compiler says.
        missing: Why it cannot be benchmarked, or an empty string.
    """

    kind: str
    names: Sequence[str]
    written: Sequence[str] | None
    changed: Sequence[str]
    launch: Callable[[Arguments], object]
    config: BenchedConfig = dataclasses.field(default_factory=BenchedConfig)
    missing: str = ""


def launched(kind: str, function: Any, kwargs: dict[str, Any], source: str) -> Launched:
    """Reads one launch; `kind` is as in `called_kernels`, `source` the text of a C++ kernel."""
    if kind == "triton":
        return _triton(function.__self__)
    if kind == "cpp":
        match = _SIGNATURE.search(source)
        parameters = [part.strip() for part in match["arguments"].split(",")] if match else []
        names = [part.replace("*", " ").split()[-1] for part in parameters]
        written = [
            name
            for name, part in zip(names, parameters, strict=True)
            if "*" in part and not part.startswith("const ")
        ]
        return Launched(
            kind="cpp",
            names=names,
            written=tuple(written) if match else None,
            changed=tuple(name for name in written if name.startswith("in_out_ptr")),
            launch=lambda arguments: function(*arguments.args, **arguments.kwargs),
        )
    return _library(function, kwargs)


def _triton(autotuner: Any) -> Launched:
    if len(autotuner.launchers) != 1:  # there is one, once autotuning has chosen
        missing = "it consists of several kernels, and the program picks one at run time"
        return Launched("triton", (), (), (), lambda _: None, missing=missing)
    (launcher,) = autotuner.launchers
    code = launcher.__code__  # of a function that torch writes
    names = [name for name in code.co_varnames[: code.co_argcount] if name != "stream"]
    is_users = bool(autotuner.custom_kernel)
    known = [name for name in names if name.startswith("in_out_ptr")]
    known += [name for name in autotuner.mutated_arg_names or () if name in names]
    written = [name for name in names if name.startswith(("out_ptr", "in_out_ptr"))] + known

    def launch(arguments: Arguments) -> None:
        stream = torch._C._cuda_getCurrentRawStream(torch.cuda.current_device())  # noqa: SLF001
        launcher(*arguments.args, **arguments.kwargs, stream=stream)

    config = launcher.config
    values = config.kwargs.items()
    return Launched(
        kind="user_triton" if is_users else "triton",
        names=names,
        written=None if is_users else tuple(dict.fromkeys(written)),
        changed=tuple(dict.fromkeys(known)),
        launch=launch,
        config=BenchedConfig(
            values={name: v if isinstance(v, int | str) else str(v) for name, v in values},
            num_warps=int(config.num_warps),
            num_stages=int(config.num_stages),
            registers=getattr(launcher, "n_regs", None),
            spills=getattr(launcher, "n_spills", None),
            shared_bytes=getattr(launcher, "shared", None),
        ),
    )


def _library(function: Any, kwargs: dict[str, Any]) -> Launched:
    schema = getattr(function, "_schema", None)
    parameters = list(schema.arguments) if schema is not None else []
    written = [
        item.name
        for item in parameters
        if item.alias_info is not None and item.alias_info.is_write and item.name not in kwargs
    ]
    return Launched(
        kind="library",
        names=[item.name for item in parameters],
        written=tuple(written),
        changed=tuple(written),
        launch=lambda arguments: function(*arguments.args, **arguments.kwargs),
    )


_CALL = "inspector_call"
_RUN = ".run"
_CPP = "cpp_"
_LIBRARIES = ("extern_kernels.", "torch.ops.", "aten.")


Place: TypeAlias = tuple[str, int]
"""A statement of generated code that launches something: the stem of its file, and its line."""
Hook: TypeAlias = Callable[[Place, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Gets the place, the function that it calls, and its arguments; calls the function."""


def called_kernels() -> Mapping[str, str]:
    """What the generated code calls, in its order: ``triton``, ``cpp`` or ``library`` by name."""
    found: dict[str, str] = {}
    for module, tree in generated_modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name, kind = _called(node, module)
                if name:
                    found.setdefault(name, kind)
    return found


def _called(node: ast.Call, module: ModuleType) -> tuple[str, str]:
    name = ast.unparse(node.func)
    owner = vars(module).get(name.removesuffix(_RUN))
    if name.endswith(_RUN) and hasattr(owner, "launchers"):
        return name.removesuffix(_RUN), "triton"
    if name.startswith(_CPP) and callable(owner):
        return name, "cpp"
    return (name, "library") if name.startswith(_LIBRARIES) else ("", "")


@contextlib.contextmanager
def watched(name: str, hook: Hook) -> Iterator[None]:
    """Lets a hook make the calls of one of `called_kernels` inside of the ``with``."""

    def helper(file: str) -> Callable[..., Any]:
        def call(line: int, function: Any, *args: Any, **kwargs: Any) -> Any:
            return hook((file, line), function, args, kwargs)

        return call

    with rewritten(lambda: _Calling(name), _CALL, helper):
        yield


class _Calling(ast.NodeTransformer):
    """Puts a function of ours between the generated code and what it calls."""

    def __init__(self, name: str) -> None:
        self._names = {name, name + _RUN}

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func) not in self._names:
            return node
        function = ast.Name(_CALL, ast.Load())
        args = [ast.Constant(node.lineno), node.func, *node.args]
        return ast.copy_location(ast.Call(function, args, node.keywords), node)
