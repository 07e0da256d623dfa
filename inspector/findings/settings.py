"""How settings of torch are spelled for people."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.model.request import Setting

__all__ = ["shown_setting", "shown_settings"]


def shown_setting(setting: Setting) -> str:
    """``capture_scalar_outputs=True``, ``ignore_logging_functions={print}``."""
    name, value = setting
    if isinstance(value, bool):
        return f"{name}={value}"
    return f"{name}={{{', '.join(item.removeprefix('builtins.') for item in value)}}}"


def shown_settings(settings: Iterable[Setting]) -> str:
    """Several in one line."""
    return " + ".join(map(shown_setting, settings))
