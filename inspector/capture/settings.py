"""Sets ``torch._dynamo.config`` as a request asks for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from inspector.capture import versions
from inspector.errors import UsageError
from inspector.model.edit import Setting
from inspector.model.near_matches import did_you_mean


def apply_settings(settings: Iterable[Setting]) -> None:
    """Sets each; functions are added to those that the user's own file put into a set.

    Raises:
        UsageError: This torch has no such setting, or it takes another kind of value.
    """
    from torch._dynamo import config

    known = versions.dynamo_settings()
    for name, value in settings:
        if name not in known:
            message = f"This torch has no setting torch._dynamo.config.{name}."
            raise UsageError(message, did_you_mean(name, known))
        before = getattr(config, name)
        if isinstance(value, bool) and isinstance(before, bool):
            setattr(config, name, value)
        elif isinstance(value, tuple) and isinstance(before, set):
            setattr(config, name, before | {_function(item) for item in value})
        else:
            kind = type(before).__name__
            message = f"torch._dynamo.config.{name} takes a {kind}, and {value!r} is none."
            raise UsageError(message, "Give true, false, or a list of functions.")


def _function(name: str) -> Callable[..., object]:
    """The function of a name such as ``logging.Logger.info``."""
    module, _, rest = name.partition(".")
    try:
        found: object = importlib.import_module(module)
        for part in rest.split("."):
            found = getattr(found, part)
    except (AttributeError, ImportError) as error:
        raise UsageError(f"There is no function {name}.", "Name it as module.name.") from error
    if not callable(found):
        raise UsageError(f"{name} is no function.", "Name one as module.name.")
    return found
