"""Guards by what they are about, and by the line that caused them."""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from inspector.run.cache_entries.entry import Entry
from inspector.run.run import Run
from inspector.trace.guard_source import Origin, module_of
from inspector.trace.guard_text import TextCause
from inspector.trace.guard_trees import Guard

_NAMES = {
    Origin.INPUT: "inputs",
    Origin.GLOBAL: "globals",
    Origin.CLOSURE: "closures",
    Origin.KEPT: "values kept across a graph break",
    Origin.LIBRARY: "functions and modules of torch and Python",
    Origin.STATE: "global state, relations between sizes",
    Origin.MODULE: "self",
    Origin.PARAMETER: "self",
}
# What lies directly in torch's folder and traces into graphs (2.11 and 2.13).
_OF_TORCH = frozenset(
    ["__init__.py", "_compile.py", "_decomp", "_dynamo", "_export", "_functorch",
     "_higher_order_ops", "_inductor", "_jit_internal.py", "_library", "_lobpcg.py",
     "_lowrank.py", "_prims_common", "_refs", "_subclasses", "_tensor.py", "_utils.py", "amp",
     "ao", "autograd", "backends", "compiler", "cuda", "distributed", "distributions", "export",
     "fft", "functional.py", "fx", "jit", "library.py", "linalg", "masked", "nested", "nn",
     "optim", "overrides.py", "random.py", "serialization.py", "sparse", "special", "storage.py",
     "testing", "utils"]
)  # fmt: skip
_NUMBER = re.compile(r"\.(\d+)(?=\.|$)")


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Guards on the values of one module or category.

    Attributes:
        name: Guarded values: a module (``self.layers[*].norm``) or a category such as ``inputs``.
        members: Number of modules of that name, or 0.
    """

    name: str
    guards: int
    members: int
    kinds: Mapping[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """A line that caused guards.

    Attributes:
        is_user: Whether it is outside of torch and the standard library.
    """

    file: str
    line: int
    function: str
    code: str
    is_user: bool
    guards: int
    kinds: Mapping[str, int]


def kinds_of(guards: Iterable[Guard]) -> dict[str, int]:
    """How many guards of each kind, the most frequent first."""
    return dict(Counter(guard.kind for guard in guards).most_common())


def by_module(entries: Iterable[Entry]) -> tuple[Group, ...]:
    """The guards by module, those of a list's modules together; the most guards first."""
    groups: dict[str, list[Guard]] = {}
    members: dict[str, set[str]] = {}
    for entry in entries:
        for guard in entry.tree.guards:
            module = module_of(guard.source)
            if guard.origin in (Origin.MODULE, Origin.PARAMETER) and module not in ("", "self"):
                name = f"self.{_NUMBER.sub('[*]', module)}"
                members.setdefault(name, set()).add(module)
            else:
                name = _NAMES[guard.origin]
            groups.setdefault(name, []).append(guard)
    found = (
        Group(name, len(guards), len(members.get(name, ())), kinds_of(guards))
        for name, guards in groups.items()
    )
    return tuple(sorted(found, key=lambda group: -group.guards))


def by_cause(run: Run, entries: Iterable[Entry]) -> tuple[Cause, ...]:
    """The guards by the line that caused them, the user's lines first, the most guards first."""
    groups: dict[tuple[str, int], list[Guard]] = {}
    causes: dict[tuple[str, int], TextCause] = {}
    for entry in entries:
        for guard in entry.tree.guards:
            if guard.cause and guard.cause.line:
                key = guard.cause.file, guard.cause.line
                causes.setdefault(key, guard.cause)
                groups.setdefault(key, []).append(guard)
    found = []
    for key, guards in groups.items():
        cause, file = causes[key], whole_name(run, causes[key])
        found.append(
            Cause(
                file=run.roots.shown(file),
                line=cause.line,
                function=cause.function,
                code=cause.code,
                is_user=run.roots.is_user(file),
                guards=len(guards),
                kinds=kinds_of(guards),
            )
        )
    return tuple(sorted(found, key=lambda cause: (not cause.is_user, -cause.guards)))


def whole_name(run: Run, cause: TextCause) -> str:
    """The file's whole name, where it can be told.

    Torch prints it without what it shares with torch's own folder (`shorten_filename`,
    torch/utils/_traceback.py, 2.11 and 2.13): a file of torch's has its place in there.
    """
    known = (
        *run.sources.lines,
        *(frame.file for process in run.processes for frame in process.frames),
    )
    torch = run.roots.torch.rstrip("/")
    for file in known:
        # Of `/code/m.py` and `/usr/torch`, which share the root alone, it leaves `ode/m.py`.
        if cause.file in {file, file[2:]} or file.endswith(f"/{cause.file}"):
            return file
    if cause.file.partition("/")[0] in _OF_TORCH:
        return f"{torch}/{cause.file}" if torch else f"torch/{cause.file}"
    # Beside torch lie the packages of the environment.
    site = torch.rpartition("/")[0]
    is_package = "/" in cause.file and any(site == folder.rstrip("/") for folder in run.roots.site)
    return f"{site}/{cause.file}" if is_package else cause.file
