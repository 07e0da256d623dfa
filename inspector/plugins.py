"""What there is to choose from: commands, rules and renderers, built in and installed.

The built-ins are literal tables, so listing them imports nothing. Other distributions add theirs
through the entry-point groups ``inspector.commands``, ``inspector.rules.KIND`` (a key of `RULES`)
and ``inspector.renderers``; they are looked for only where a name is not a built-in or all are
listed. A built-in cannot be replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inspector.errors import EnvironmentLacksError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint
    from pathlib import Path
    from types import ModuleType


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command of the command line, not yet imported.

    Attributes:
        module: Dotted name of the module whose ``command`` is the click command.
        help: What the command does, for the list of commands.
    """

    module: str
    help: str


COMMANDS: dict[str, CommandEntry] = {
    "explain": CommandEntry(
        "inspector.commands.explain", "Show every graph break: its line, its cause and its fix."
    ),
    "run": CommandEntry(
        "inspector.commands.run", "Record any program, however it calls torch.compile."
    ),
    "cold-start": CommandEntry(
        "inspector.commands.cold_start", "Show where compile time goes, and what the caches had."
    ),
    "guards": CommandEntry(
        "inspector.commands.guards",
        "Show what is assumed, at what price, and what recompiles next.",
    ),
    "kernels": CommandEntry(
        "inspector.commands.kernels",
        "Show the generated kernels, also for a GPU that is not here.",
    ),
    "graph": CommandEntry(
        "inspector.commands.graph",
        "Show which operators became which kernel, and each stage.",
    ),
    "profile": CommandEntry(
        "inspector.commands.profile",
        "Time the kernels in place, against what the machine can do.",
    ),
    "bench": CommandEntry(
        "inspector.commands.bench",
        "Measure eager PyTorch against the compiler's modes and backends.",
    ),
    "diff": CommandEntry(
        "inspector.commands.diff", "Show which kernels a change adds, removes and alters."
    ),
    "rule": CommandEntry(
        "inspector.commands.rule", "Say what a rule, or one of torch's GB ids, means."
    ),
    "doctor": CommandEntry(
        "inspector.commands.doctor", "Say what is installed, what is missing, and how to get it."
    ),
}

RULES: dict[str, tuple[str, ...]] = {
    "run": (
        "inspector.analyses.compile_error",
        "inspector.analyses.constraint_violation",
        "inspector.analyses.cuda_graph_copies",
        "inspector.analyses.cuda_graph_partition",
        "inspector.analyses.cuda_graph_recapture",
        "inspector.analyses.cuda_graph_sizes",
        "inspector.analyses.cuda_graph_skip",
        "inspector.analyses.graph_break",
        "inspector.analyses.guard_cost",
        "inspector.analyses.late_hook",
        "inspector.analyses.recompile",
        "inspector.analyses.size_expression",
        "inspector.analyses.skipped_frame",
        "inspector.analyses.cache_bypass",
        "inspector.analyses.unrolled_loop",
    ),
    "cold-start": (
        "inspector.analyses.autotuning_time",
        "inspector.analyses.cache_bypass",
        "inspector.analyses.cpp_time",
        "inspector.analyses.frame_time",
    ),
    "code": (
        "inspector.analyses.aten_fallback",
        "inspector.analyses.repeated_call",
    ),
    "cpp": (
        "inspector.analyses.cpp_not_vectorised",
        "inspector.analyses.cpp_serial",
    ),
    "kernel": (
        "inspector.analyses.kernel_atomics",
        "inspector.analyses.kernel_copy",
        "inspector.analyses.kernel_few_blocks",
        "inspector.analyses.kernel_float64",
        "inspector.analyses.kernel_indirect",
        "inspector.analyses.kernel_int64",
        "inspector.analyses.kernel_narrow",
        "inspector.analyses.kernel_occupancy",
        "inspector.analyses.kernel_spills",
        "inspector.analyses.kernel_tensor_cores",
        "inspector.analyses.kernel_uncoalesced",
    ),
    "kernels": (
        "inspector.analyses.kernel_small",
        "inspector.analyses.kernel_split_reduction",
    ),
}
"""Modules whose ``RULE`` is a rule, by what the rules look at, in the order in which they run.

``run``: a run, in every report on it; ``cold-start``: a run, about compile time; ``kernel``: one
compiled kernel; ``kernels``: all of them; ``code``: one call of the code that launches kernels;
``cpp``: one C++ kernel.
"""

COLD_START_RENDERERS: dict[str, str] = {
    "terminal": "inspector.renderers.terminal.cold_start",
    "txt": "inspector.renderers.terminal.cold_start",
    "json": "inspector.renderers.json.cold_start",
    "markdown": "inspector.renderers.markdown.cold_start",
    "md": "inspector.renderers.markdown.cold_start",
    "speedscope.json": "inspector.renderers.speedscope",
    "perfetto.json": "inspector.renderers.perfetto",
    "trace.json": "inspector.renderers.perfetto",
}
"""Module by format of `inspect cold-start`; the end of a file's name is a format too."""

_SUFFIXES = COLD_START_RENDERERS.keys() - {"terminal", "markdown"}
_LONGEST_SUFFIX = 4
RENDERERS: dict[str, str] = {
    "terminal": "inspector.renderers.terminal",
    "txt": "inspector.renderers.terminal",
    "json": "inspector.renderers.json",
    "markdown": "inspector.renderers.markdown",
    "md": "inspector.renderers.markdown",
}
"""Module by format; a file's suffix without its dot is a format too."""


def command_table() -> dict[str, CommandEntry]:
    """Returns all commands by name, the built-in ones first."""
    table = dict(COMMANDS)
    for point in _entry_points("inspector.commands"):
        table.setdefault(point.name, CommandEntry(point.module, f"(from {_distribution(point)})"))
    return table


def load_command(name: str) -> ModuleType | None:
    """Imports the module of one command.

    Returns:
        The module, whose ``command`` is the click command, or None if there is no such command.

    Raises:
        EnvironmentLacksError: An installed plugin cannot be imported.
    """
    if name in COMMANDS:
        return import_module(COMMANDS[name].module)
    return next(
        (_load(point) for point in _entry_points("inspector.commands") if point.name == name), None
    )


def load_rules(kind: str) -> tuple[Any, ...]:
    """Imports the rules of one kind (a key of `RULES`), the built-in ones first.

    Raises:
        EnvironmentLacksError: An installed plugin cannot be imported.
    """
    modules = [import_module(module) for module in RULES[kind]]
    modules += [_load(point) for point in _entry_points(f"inspector.rules.{kind}")]
    return tuple(module.RULE for module in modules)


def load_all_rules() -> tuple[Any, ...]:
    """Imports every rule, whatever it looks at."""
    return tuple(dict.fromkeys(rule for kind in RULES for rule in load_rules(kind)))


def load_cold_start_renderer(name: str) -> ModuleType:
    """Imports the renderer of a format of `inspect cold-start`.

    Raises:
        UsageError: There is no such format.
    """
    if name not in COLD_START_RENDERERS:
        raise UsageError(f"There is no format {name!r}.", _choices(name, COLD_START_RENDERERS))
    return import_module(COLD_START_RENDERERS[name])


def cold_start_format(path: Path) -> str:
    """Returns the format of `inspect cold-start` for the end of an output file's name.

    Raises:
        UsageError: It ends in no format.
    """
    name = path.name.lower()
    known = sorted(COLD_START_RENDERERS, key=len, reverse=True)
    found = next((suffix for suffix in known if name.endswith(f".{suffix}")), None)
    if found is None:
        raise UsageError(
            f"The output file {str(path)!r} ends in no known format.",
            f"Choose one of {', '.join('.' + suffix for suffix in sorted(_SUFFIXES))}.",
        )
    return found


def load_renderer(name: str) -> ModuleType:
    """Imports the renderer of a format (``json``) or of a suffix without its dot (``md``).

    Raises:
        UsageError: There is no such format.
        EnvironmentLacksError: An installed plugin cannot be imported.
    """
    if name in RENDERERS:
        return import_module(RENDERERS[name])
    installed = {point.name: point for point in _entry_points("inspector.renderers")}
    if name in installed:
        return _load(installed[name])
    raise UsageError(f"There is no format {name!r}.", _choices(name, [*RENDERERS, *installed]))


def renderer_for_suffix(path: Path) -> str:
    """Returns the format for the suffix of an output file, for `load_renderer`.

    Raises:
        UsageError: The path has no suffix, or one that no renderer writes.
    """
    suffix = path.suffix.removeprefix(".").lower()
    if suffix in RENDERERS:
        return suffix
    known = _all_formats()
    if suffix in known:
        return suffix
    what = f"the suffix {path.suffix!r}" if suffix else "no suffix"
    raise UsageError(
        f"The output file {str(path)!r} has {what}, which is no known format.",
        _choices(suffix, _short(known)),
    )


def report_suffixes() -> tuple[str, ...]:
    """Returns the suffixes of all reports, with their dots."""
    return tuple(f".{name}" for name in sorted(_short(_all_formats())))


def _all_formats() -> list[str]:
    return [*RENDERERS, *(point.name for point in _entry_points("inspector.renderers"))]


def _short(names: Iterable[str]) -> list[str]:
    """Those of the formats that are suffixes: nobody writes the long names as one."""
    return [name for name in names if len(name) <= _LONGEST_SUFFIX]


def _choices(name: str, known: Iterable[str]) -> str:
    from inspector.model.near_matches import near_matches

    known = list(known)
    near = near_matches(name, known)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"Choose one of {', '.join(sorted(known))}."


def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.module


def _load(point: EntryPoint) -> ModuleType:
    try:
        return import_module(point.module)
    except Exception as error:  # a plugin's module may raise anything when it is imported
        raise EnvironmentLacksError(
            f"The plugin {point.name!r} of {_distribution(point)} cannot be imported: {error!r}.",
            f"Upgrade or uninstall {_distribution(point)}.",
        ) from error
