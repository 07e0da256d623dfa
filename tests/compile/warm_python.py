"""A Python whose torch is imported already, for recorded processes that are nothing special.

Half of the time of a small recording goes into importing torch. A server has done that once; for
each process that `inspect` starts to record a target it makes a fork, in which everything from that
process's command line on runs as it would there. The client, which takes the place of the
interpreter, hands over arguments, environment, folder and open files, passes signals on, and ends
as the fork does. Whatever is unusual (another script, a variable that torch or Python read when
they begin, limits) has a server of its own from the third time on, and is run by the real
interpreter until then; with ``INSPECTOR_TESTS_COLD=1`` everything is.

Run as a script this is the server.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import fcntl
import importlib
import json
import os
import random
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

_PYTHON = "INSPECTOR_TESTS_PYTHON"
# `python -m inspector.commands`, whose own interpreter for targets is the client.
_LAUNCH = f"""
import os, runpy, sys
sys.executable = os.environ.get("{_PYTHON}", sys.executable)
runpy.run_module("inspector.commands", run_name="__main__", alter_sys=True)
"""
INSPECT = [sys.executable, "-c", _LAUNCH]
_CLIENT = Path(__file__).with_name("warm_python_client.py")
_MOST_MESSAGE = 1 << 20
_PIPE_BYTES = 1 << 16  # what a pipe takes before anybody reads
_INTERRUPTED = -signal.SIGINT
_ABOVE = 500  # no file that a process hands over has a number as high


def prepare(folder: Path) -> None:
    """Lets `INSPECT` find the client, and the client servers, in a folder of these tests."""
    folder.mkdir(exist_ok=True)
    client = folder / f"python-{os.getpid()}"
    client.write_text(f"#!{sys.executable} -SE\n{_CLIENT.read_text('utf-8')}", "utf-8")
    client.chmod(0o755)
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    os.environ["INSPECTOR_TESTS_WARM"] = str(folder)
    os.environ["INSPECTOR_TESTS_SERVER"] = __file__
    os.environ["INSPECTOR_TESTS_PID"] = str(os.getppid() if is_worker else os.getpid())
    os.environ[_PYTHON] = str(client)


def _serve(place: Path) -> None:
    """Forks for each connection while there are tests."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place.with_suffix(".new")))
    cores = os.sched_getaffinity(0)  # torch's OpenMP may bind this thread
    _import(("torch", "torch._inductor.compile_fx", "inspector.capture.explain_calls"))
    listener.listen(64)
    place.with_suffix(".new").rename(place)  # from now on clients find it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    known = set(sys.modules)
    news: int | None = None
    has_asked = False
    while _is_there(int(os.environ["INSPECTOR_TESTS_PID"])):
        watched = [listener, *([news] if news is not None else [])]
        ready = select.select(watched, [], [], 1.0)[0]
        if news is not None and news in ready:
            _import(os.read(news, _PIPE_BYTES).decode().split("\n"))
            os.close(news)
            news = None
        if listener in ready:
            connection, _ = listener.accept()
            reading, writing = os.pipe()
            if os.fork() == 0:
                listener.close()
                os.close(reading)
                _keep(connection, cores, known, None if has_asked else writing)
            connection.close()
            os.close(writing)
            if has_asked:
                os.close(reading)
            else:
                has_asked, news = True, reading


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _import(names: Iterable[str]) -> None:
    """Of what the first fork imported what is torch's and ours, so that the others need not."""
    for name in names:
        if name.startswith(("torch", "inspector.")):
            with contextlib.suppress(ImportError):  # the last name may be cut off
                importlib.import_module(name)


def _keep(
    connection: socket.socket, cores: set[int], known: set[str], news: int | None
) -> NoReturn:
    """Runs a process, and is its parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()  # what a terminal sends comes by the client, once
    asked, files = _received(connection)
    pid = os.fork()
    if pid == 0:
        connection.close()
        _run(asked, files, known, news)
    os.sched_setaffinity(0, cores)  # as the process has them that would have started it
    for file in files:
        os.close(file)
    if news is not None:
        os.close(news)
    ended = os.pidfd_open(pid)
    while True:
        ready = select.select([connection, ended], [], [])[0]
        if ended in ready:
            break
        said = connection.recv(1)
        os.kill(pid, said[0] if said else signal.SIGKILL)  # gone is what the client is
        if not said:
            break
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        connection.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _received(connection: socket.socket) -> tuple[Mapping[str, Any], list[int]]:
    numbers = array.array("i")
    data, ancillary, _, _ = connection.recvmsg(
        _MOST_MESSAGE, socket.CMSG_SPACE(64 * numbers.itemsize)
    )
    for _, _, found in ancillary:
        numbers.frombytes(found[: len(found) - len(found) % numbers.itemsize])
    while not data.endswith(b"\n"):
        more = connection.recv(_MOST_MESSAGE)
        if not more:  # the client has gone
            os._exit(1)
        data += more
    return json.loads(data), list(numbers)


def _run(asked: Mapping[str, Any], files: list[int], known: set[str], news: int | None) -> NoReturn:
    """What the process would do."""
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, _ABOVE) for file in files]
    for file in files:
        os.close(file)
    if news is not None:
        news, old = fcntl.fcntl(news, fcntl.F_DUPFD_CLOEXEC, _ABOVE), news
        os.close(old)
    for file, number in zip(moved, asked["files"], strict=True):
        os.dup2(file, number, inheritable=True)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    os.umask(asked["umask"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tempfile.tempdir = None  # it depends on the environment
    random.seed()
    sys.argv = asked["arguments"]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    code = 1
    try:
        code = _code_of(sys.argv[0])
    finally:
        threading._shutdown()  # type: ignore[attr-defined] # as Python's own end does
        atexit._run_exitfuncs()
        if news is not None:
            os.write(news, "\n".join(sorted(set(sys.modules) - known)).encode()[:_PIPE_BYTES])
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        if code == _INTERRUPTED:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(code)


def _code_of(script: str) -> int:
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        sys.stderr.write(f"{end.code}\n")
        return 1
    except KeyboardInterrupt:
        traceback.print_exc()
        return _INTERRUPTED
    except BaseException:  # noqa: BLE001 - what Python does with it
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
