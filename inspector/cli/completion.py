"""What the shell completes behind the commands."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from inspector import plugins


def complete_file(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Leaves it to the shell to complete the name of a file."""
    del context, parameter
    return [CompletionItem(incomplete, type="file")]


def complete_format(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The formats."""
    del context, parameter
    return [CompletionItem(name) for name in plugins.RENDERERS if name.startswith(incomplete)]


def complete_gpu(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The GPUs, and the architectures alone."""
    del context, parameter
    from inspector.shared.gpu_table import ARCHITECTURE_KEYS, GPUS

    known = [(key, gpu.name) for key, gpu in GPUS.items()]
    known += [(key, "an architecture alone") for key in ARCHITECTURE_KEYS]
    return [CompletionItem(key, help=text) for key, text in known if key.startswith(incomplete)]


def complete_fail_on(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Our rules and the severities; behind a comma the next one."""
    del context, parameter
    from inspector.report.severity import Severity

    before, comma, begun = incomplete.rpartition(",")
    names = [rule.id for rule in plugins.load_rules("run")]
    names += [severity.value for severity in Severity]
    return [CompletionItem(before + comma + name) for name in names if name.startswith(begun)]


def complete_rule(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Our rules, the advice and, where torch is installed, its graph-break ids."""
    del context, parameter
    from inspector.features.breaks.advice.table import ALL
    from inspector.features.breaks.registry import find_registry

    registry = find_registry(None)
    types = registry.types.values() if registry else ()
    known = [(rule.id, rule.title()) for rule in plugins.load_all_rules()]
    known += [(item.id, item.title) for item in ALL]
    known += [(entry.gb_id, entry.gb_type) for entry in types]
    found = [(name, text) for name, text in known if name.lower().startswith(incomplete.lower())]
    return [CompletionItem(name, help=text) for name, text in sorted(found)]
