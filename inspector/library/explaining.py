"""``inspector.explain(model, *inputs)``: what `inspect explain` says, of this process's objects."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.errors import EnvironmentLacksError, InspectorError, UsageError
from inspector.library.recording import Recording, ShownReport, recorded


def explain(  # noqa: PLR0913 - one parameter per option, all of them by name
    model: Callable[..., Any] | str | os.PathLike[str],
    /,
    *inputs: Any,  # noqa: ANN401 - whatever the model takes
    backend: str | Callable[..., Any] = "eager",
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    train: bool = False,
    calls: int = 20,
    measure: bool = True,
    caches: str = "fresh",
    path: str | os.PathLike[str] | None = None,
    **kwargs: Any,  # noqa: ANN401 - whatever the model takes
) -> ShownReport:
    """Compiles a module or a function, calls it with these inputs, and says what happened.

    The inputs are copied for each call. Afterwards the tensors that its code can reach (parameters,
    buffers, gradients, what optimizers keep: of the module or object itself, of closures, defaults
    and the globals that it names) and the random generators of Python, NumPy and torch are what
    they were. What cannot be restored: Python values that the calls change (a counter, a list, a
    learning-rate schedule), files and other side effects, and parameters and other tensors where
    there are more than 1 GiB of them, which are not copied: if they were changed, a warning says
    so.

    What `torch.compile` made of other functions in this process stays; what this call made of
    functions that were not compiled before is taken away again. A function that *was* compiled
    before keeps that, and what is compiled here comes on top: it shows as a recompilation, unless
    ``torch._dynamo.reset()`` is called first.

    Args:
        model: A module or a function. If it is compiled already, what it was before is taken. A
            target (``"model.py"``) is recorded in a process of its own, as `inspect explain` does.
        *inputs: Its positional arguments.
        backend: torch.compile's; by default captured graphs run eagerly.
        mode: torch.compile's.
        options: torch.compile's.
        dynamic: torch.compile's.
        fullgraph: torch.compile's.
        train: Whether a call is forward, sum of the outputs, and backward.
        calls: How often it is called to be measured, after two calls that are not.
        measure: Whether it is.
        caches: ``fresh`` caches for Inductor, so that every stage runs, or the ``user``'s.
        path: Where the recording is kept; by default it is deleted.
        **kwargs: Its keyword arguments. One that has the name of an option reaches the model
            through `functools.partial`.

    Returns:
        The report. A model that fails while it is called is in it as ``run.meta.error``.

    Raises:
        InspectorError: It failed before anything was compiled, or the arguments do not fit.
    """
    if isinstance(model, str | os.PathLike):
        if inputs or kwargs or options or not isinstance(backend, str) or caches != "fresh":
            raise UsageError(
                "Inputs, options, caches and callable backends do not apply to a target given by "
                "name.",
                "Define them in its file, or pass the module itself.",
            )
        flags = {
            "--train": train, "--fullgraph": fullgraph, "--no-measure": not measure,
            "--dynamic": dynamic is True, "--no-dynamic": dynamic is False,
        }  # fmt: skip
        chosen = {"--backend": backend, "--mode": mode, "--calls": calls}
        return _explain_target(os.fspath(model), flags, chosen, path)
    from inspector.capture.in_process import call_in_process, name_of
    from inspector.capture.target.call import Call

    settings = {
        "backend": backend if isinstance(backend, str) else getattr(backend, "__name__", "custom"),
        "mode": mode, "dynamic": dynamic, "fullgraph": fullgraph, "train": train, "calls": calls,
        "caches": caches,
    }  # fmt: skip
    how = {
        "backend": backend, "mode": mode, "options": dict(options) if options else None,
        "dynamic": dynamic, "fullgraph": fullgraph,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="inspector-", ignore_cleanup_errors=True) as folder:
        place = Path(folder, "explain") if path is None else path
        try:
            with recorded(place, name_of(model), settings) as recording:
                measured = calls if measure else 0
                call_in_process(model, Call(inputs, kwargs), how, train=train, calls=measured)
        except InspectorError:
            report = recording.report()
            if not any(process.frames for process in report.run.processes):
                raise
            return report  # it failed after something was compiled
        return recording.report()


def _explain_target(
    target: str,
    flags: Mapping[str, bool],
    chosen: Mapping[str, object],
    path: str | os.PathLike[str] | None,
) -> ShownReport:
    with tempfile.TemporaryDirectory(prefix="inspector-", ignore_cleanup_errors=True) as folder:
        place = Path(folder, "explain") if path is None else Path(path)
        options = [flag for flag, is_set in flags.items() if is_set]
        for name, value in chosen.items():
            options += [] if value is None else [name, str(value)]
        command = [sys.executable, "-m", "inspector.cli", "explain", target, "--no-progress"]
        done = subprocess.run(
            [*command, "--save", str(place), *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if done.returncode in {UsageError.exit_code, EnvironmentLacksError.exit_code}:
            raise UsageError(done.stderr.strip().removeprefix("error: "), "See: inspect --help")
        return Recording(place).report()
