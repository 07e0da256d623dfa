"""Whose a file is that a line of a profile is in."""

from __future__ import annotations

from inspector.capture.roots import recorded_roots


def generated_files() -> frozenset[str]:
    """The files that Inductor has written and that were loaded."""
    from torch._inductor.codecache import PyCodeCache

    return frozenset(str(getattr(module, "__file__", "")) for module in PyCodeCache.modules)


def is_users(file: str) -> bool:
    """Whether a file is the user's, and none that Inductor has written.

    What Python calls ``<string>`` or ``<frozen os>`` (code of dataclasses, of its own modules) is
    in no file that anyone could look into.
    """
    is_nowhere = file == "<string>" or file.startswith(("<frozen ", "<eval_with_key>"))
    return not is_nowhere and recorded_roots().is_user(file) and file not in generated_files()
