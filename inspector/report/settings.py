"""How settings of torch are spelled for people."""

from collections.abc import Iterable

from inspector.shared.edit import Rewrite, Setting

DYNAMIC_SOURCES = "TORCH_COMPILE_DYNAMIC_SOURCES"
"""Torch's environment variable, as a setting to try: the sources."""
MARK_DYNAMIC = "mark_dynamic"
"""Marks on the inputs of every call, as a setting to try: each ``name:dimension``."""
DYNAMIC = "dynamic"
"""``torch.compile``'s ``dynamic``, as a setting to try."""


def shown_setting(setting: Setting) -> str:
    """``capture_scalar_outputs=True``, ``ignore_logging_functions={print}``."""
    name, value = setting
    if name == DYNAMIC_SOURCES and isinstance(value, tuple):
        return f'{name}="{",".join(value)}"'
    if name == MARK_DYNAMIC and isinstance(value, tuple):
        return f"{name}({'; '.join(mark.replace(':', ', ') for mark in value)})"
    if isinstance(value, bool):
        return f"{name}={value}"
    return f"{name}={{{', '.join(item.removeprefix('builtins.') for item in value)}}}"


def shown_settings(settings: Iterable[Setting]) -> str:
    """Several in one line."""
    return " + ".join(map(shown_setting, settings))


def shown_changes(settings: Iterable[Setting], rewrites: Iterable[Rewrite]) -> str:
    """Settings, and changes of lines with their place."""
    lines = (f"{rewrite.place}: {rewrite.shown}" for rewrite in rewrites)
    return " + ".join((*map(shown_setting, settings), *lines))
