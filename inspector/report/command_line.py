"""Commands that are worth running next, as they are typed."""

import shlex

from inspector.run.run import Run
from inspector.shared.typed_options import typed_options

_MODEL = "model.py"
_REPLACES = {
    "--train": ("train", "no_grad"),
    "--no-grad": ("train", "no_grad"),
    "--gpu": ("gpu", "device"),
}
"""The settings that an option cannot be combined with."""


def command_about(run: Run, command: str, *options: str) -> str:
    """``inspect graph logs --stage dynamo``: a command about what was read, by the name it has."""
    # What begins with a dash would be taken for an option.
    place = f"./{run.place}" if run.place.startswith("-") else run.place
    return shlex.join(("inspect", command, *filter(None, (place,)), *options))


def is_model(run: Run) -> bool:
    """Whether a command can record it again; not a program (``inspect run``) or a plain trace."""
    target = run.meta.target
    return (".py" in target or ":" in target) and "train" in run.meta.settings


def command_again(run: Run, command: str, *options: str) -> str:
    """``inspect graph model.py --input 'f32[8]'``: a command that records the same model again.

    Args:
        run: A recording; where it is not of a model, ``model.py`` stands for one.
        options: What else is typed, in place of what was asked for against it.
    """
    if not is_model(run):
        return shlex.join(("inspect", command, _MODEL, *options))
    left_out = {name for option in options for name in _REPLACES.get(option, ())}
    asked = {name: value for name, value in run.meta.settings.items() if name not in left_out}
    given = typed_options(asked, command)
    return shlex.join(("inspect", command, run.meta.target, *given, *options))
