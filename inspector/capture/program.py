"""Runs a user's program as Python itself would: the same ``__main__``, arguments, path and end.

What ``python script.py`` does is in CPython's Modules/main.c (pymain_run_python), 3.11 to 3.13.
"""

from __future__ import annotations

import builtins
import io
import os
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import ModuleType, TracebackType

from inspector.capture.roots import recorded_roots

__all__ = ["run_program"]

_EXIT_CANNOT_OPEN = 2  # as Python itself ends


def run_program(arguments: Sequence[str]) -> None:
    """Runs ``script.py args…``, a folder or zip with a ``__main__.py``, or ``-m package args…``.

    What the program raises, `SystemExit` and `KeyboardInterrupt` too, leaves this function: Python
    deals with it as ever, only that the traceback which it shows begins with the program's frames.
    """
    sys.orig_argv[1:] = arguments
    try:
        if arguments[0] == "-m":
            _run_module(arguments[1], arguments[2:])
        else:
            _run_path(*arguments)
    except SystemExit:
        raise
    except BaseException as error:
        _show_without_ours(error)
        raise


def _run_module(name: str, arguments: Sequence[str]) -> None:
    sys.argv[:] = ["-m", *arguments]
    if not sys.flags.safe_path:
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - sys.path holds strings
    _new_main()
    _run_as_main(name, alter_argv=True)


def _run_path(script: str, *arguments: str) -> None:
    sys.argv[:] = [script, *arguments]
    # Python keeps the "./" of "./script.py"; without it a file has one name, however it is called.
    file = str(Path(script).absolute())
    if pkgutil.get_importer(file) is not None:  # a folder or a zip
        sys.path.insert(0, file)
        _new_main()
        _run_as_main("__main__", alter_argv=False)
        return
    if not sys.flags.safe_path:
        sys.path.insert(0, str(Path(script).resolve().parent))
    _run_file(file)


def _run_as_main(name: str, *, alter_argv: bool) -> None:
    # What `python -m` itself calls; the public run_module takes its `__main__` away at the end.
    runpy._run_module_as_main(name, alter_argv)  # type: ignore[attr-defined] # noqa: SLF001


def _run_file(file: str) -> None:
    main = _new_main()
    compiled = file.endswith(".pyc")
    kind = SourcelessFileLoader if compiled else SourceFileLoader
    loader = kind("__main__", file)
    main.__dict__.update(__file__=file, __cached__=None, __loader__=loader)
    try:
        with io.open_code(file) as stream:
            source = stream.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        sys.stderr.write(f"{sys.executable}: can't open file {file!r}: {reason}\n")
        sys.exit(_EXIT_CANNOT_OPEN)
    if compiled:
        code = loader.get_code("__main__")
    else:
        code = compile(source, file, "exec", dont_inherit=True)
    assert code is not None, "both loaders have the code of their own file"  # noqa: S101
    exec(code, main.__dict__)  # noqa: S102 - it is the program that the user wants run


def _new_main() -> ModuleType:
    """A fresh ``__main__`` that stays: what runs at the program's end looks its classes up there.

    `multiprocessing` reads ``__spec__`` and ``__file__`` of it to find the program again.
    """
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = main
    return main


def _show_without_ours(error: BaseException) -> None:
    """Lets the hook that is in force when Python shows an error see it without our frames."""
    own = recorded_roots().own
    first = error.__traceback__
    while first and first.tb_frame.f_code.co_filename.startswith(own):
        first = first.tb_next
    hook = sys.excepthook

    def show(
        kind: type[BaseException], value: BaseException, _traceback: TracebackType | None
    ) -> None:
        sys.excepthook = hook
        # Python's own hook shows the traceback that the exception carries.
        value.__traceback__ = sys.last_traceback = first
        hook(kind, value, first)

    sys.excepthook = show
