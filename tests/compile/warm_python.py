"""Forks in place of new interpreters: what a process imports first is imported once.

Half of the time of a small recording goes into importing torch, and most of that of reading one
into importing our own modules. A server has done either once, and forks for each process:
everything from that process's command line on runs in the fork as it would in an interpreter of its
own. `INSPECT` is the command line; it and the targets that it starts run `python`, a program that
hands arguments, environment, folder and open files to a server, passes signals on and ends as the
fork does. `record` and `run` ask the server themselves. Targets with something unusual (a variable
that torch or Python read when they begin, limits) have a server of their own from the third time
on; what has no server is run by the real interpreter.

This file is all three: `python` is a copy of it, which is the server as well, so it imports what a
fork needs when it is needed.
"""

from __future__ import annotations

import array
import contextlib
import hashlib
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from inspector.shared.request import Request

_IS_COPY = Path(__file__).name == "python"
# Of the test session, for all its workers.
_PID = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
_FOLDER = Path(os.environ.get("TMPDIR", "/tmp")) / f"inspector-tests-{_PID}"  # noqa: S108
if _IS_COPY:
    _FOLDER = Path(__file__).parent
_PYTHON = str(_FOLDER / "python")
INSPECT = [_PYTHON, "-m", "inspector.cli"]
COLD = [sys.executable, "-m", "inspector.cli"]  # where the processes themselves matter
_TARGET = "inspector/capture/__main__.py"
_VERBS = {"bench", "explain", "warm-up"}
_MOST_SERVERS = 5
_MOST_SECONDS = 60  # a fork that hangs is a failure, not a long test
_FILES = ("INSPECTOR_BENCH_IN", "INSPECTOR_BENCH_OUT")
_ABOVE = 500  # no file that a process hands over has a number as high
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
_INTERRUPTED = -signal.SIGINT
# What a first compilation imports.
_IMPORTED = (
    "torch", "triton", "torch._inductor.compile_fx", "torch._dynamo.backends.registry",
    "torch._inductor.codegen.cuda_combined_scheduling",
    "torch._inductor.fx_passes.mkldnn_fusion", "torch._inductor.fx_passes.quantization",
    "torch.export._trace", "torch.utils.cpp_extension", "sympy.physics.units",
    "torch.distributed.tensor.experimental", "torch.fx.experimental.validator",
    "torch._dynamo.dce_extra_outputs", "torch._export.passes._node_metadata_hook",
    "torch._higher_order_ops.passes.inline_invoke_subgraph", "torch._inductor.compiler_bisector",
    "inspector.capture.child", "inspector.capture.execution.explain_calls",
    "inspector.capture.target.target",
)  # fmt: skip
# What is read when torch, its libraries and Python begin, and what is read when it is used.
_PREFIXES = (
    "ATEN_", "CC", "CUDA_", "CXX", "GOMP_", "KMP_", "LC_", "LD_", "MALLOC_", "MKL_", "NCCL_",
    "OMP_", "PJRT_", "PYTHON", "PYTORCH_", "TORCH", "TRITON_", "XLA_",
)  # fmt: skip
_ANY = {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"}


def prepare() -> None:
    """Puts `python` in its place; the servers remove that when the tests have ended."""
    _FOLDER.mkdir(exist_ok=True)
    new = _FOLDER / f"python-{os.getpid()}"
    new.write_text(f"#!{sys.executable} -SE\n{Path(__file__).read_text('utf-8')}", "utf-8")
    new.chmod(0o755)
    new.rename(_PYTHON)


def record(recording: Path, request: Request, folder: Path) -> int:
    """Records a target into a new folder, from another one; returns the exit code."""
    recording.mkdir(exist_ok=True)
    script = Path(__file__).resolve().parents[2] / _TARGET
    arguments = [str(script), str(recording), "explain", request.to_json()]
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(_FOLDER / "caches")}
    with open(os.devnull, "w") as nothing:  # noqa: PTH123
        return run(arguments, folder, environment, nothing)


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], output: IO[str]
) -> int:
    """Runs a script in a fork of a server, which is started if need be; returns the exit code."""
    place = _FOLDER / _kind("torch", environment)
    if _is_first(place.with_suffix(".started")):
        _start(place, environment)
    end = time.monotonic() + _MOST_SECONDS
    while (server := _connected(place)) is None:
        assert time.monotonic() < end, place.with_suffix(".log").read_text()
        time.sleep(0.1)
    with server, open(os.devnull) as nothing:  # noqa: PTH123
        server.settimeout(_MOST_SECONDS)
        files = {0: nothing.fileno(), 1: output.fileno(), 2: output.fileno()}
        _hand_over(server, arguments, environment, folder, files)
        return int(server.recv(100) or -signal.SIGKILL)


# ------------------------------------------------------------------------------- who asks a server


def _kind(what: str, environment: Mapping[str, str]) -> str:
    """A name for what only a process that was begun with it has: a server serves one."""
    prefixes = _PREFIXES if what == "torch" else ("LANG", "LC_", "PYTHON")
    found = {
        "variables": {
            name: value
            for name, value in environment.items()
            if name.startswith(prefixes) and name not in _ANY
        }
    }
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return f"{what}-{digest[:16]}"


def _is_first(mark: Path) -> bool:
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _connected(place: Path) -> socket.socket | None:
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(str(place))
    except OSError:
        server.close()
        return None
    return server


def _start(place: Path, environment: Mapping[str, str]) -> None:
    """Starts a server, as a grandchild: this process may become the interpreter."""
    # A pipe, because what the streams of a fork become cannot be searched in either.
    shell = '"$0" "$1" --serve "$2" </dev/null 2>&1 | cat >"$2.log" 2>&1 &'
    command = ["sh", "-c", shell, sys.executable, _PYTHON, str(place)]
    os.waitpid(os.posix_spawn("/bin/sh", command, dict(environment), setsid=True), 0)


def _hand_over(
    server: socket.socket,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    files: Mapping[int, int],
) -> None:
    """Arguments, environment, folder and open files, by the number that they are to have."""
    umask = os.umask(0o022)
    os.umask(umask)
    asked = {
        "arguments": list(arguments), "environment": dict(environment), "folder": str(folder),
        "umask": umask, "files": list(files),
    }  # fmt: skip
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files.values()))]
    data = json.dumps(asked).encode() + b"\n"
    sent = server.sendmsg([data], rights)
    server.sendall(data[sent:])


def _server_for(arguments: Sequence[str]) -> socket.socket | None:
    is_reader = arguments[:2] == INSPECT[1:]
    is_target = len(arguments) == 4 and arguments[0].endswith(_TARGET) and arguments[2] in _VERBS
    if not is_reader and not is_target:
        return None
    place = _FOLDER / _kind("inspect" if is_reader else "torch", os.environ)
    server = _connected(place)
    if server is None and (is_reader or not _is_first(place.with_suffix(".once"))):
        are_more = len(list(_FOLDER.glob("*.started"))) < _MOST_SERVERS
        if are_more and _is_first(place.with_suffix(".started")):
            _start(place, os.environ)
    return server


def _be_python() -> NoReturn:
    """What takes the place of the interpreter."""
    arguments = sys.argv[1:]
    server = _server_for(arguments)
    if server is None:
        os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # until it knows whom they are for
    numbers = (0, 1, 2, *(int(os.environ[name]) for name in _FILES if name in os.environ))
    files = {number: number for number in numbers}
    _hand_over(server, arguments, os.environ, Path.cwd(), files)
    for number in _SIGNALS:
        signal.signal(number, lambda number, _: server.send(bytes([number])))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    # That a pipe is closed has to be seen by whoever is at its other end.
    os.closerange(3, server.fileno())
    os.closerange(server.fileno() + 1, 1024)
    code = int(server.recv(100) or -signal.SIGKILL)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


# ------------------------------------------------------------------------------------- the server


def _serve(place: Path) -> None:
    """Forks for each connection while there are tests, and is the parent of the forks."""
    import shutil

    os.closerange(3, 1024)  # of the process that asked for this server
    os.chdir(_FOLDER)
    cores = os.sched_getaffinity(0)
    is_reader = place.name.startswith("inspect")
    for name in _of_the_reader() if is_reader else _IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if not is_reader:
        _warm_up()
    bound = os.sched_getaffinity(0)  # torch's OpenMP may bind this thread
    os.sched_setaffinity(0, cores)  # as the process has them that would have started the forks
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place.with_suffix(".new")))
    listener.listen(64)
    place.with_suffix(".new").rename(place)  # from now on clients find it
    forks: dict[int, tuple[int, socket.socket]] = {}  # by what can be read when they end
    while _is_there(int(_FOLDER.name.rpartition("-")[2])):
        connections = {connection: pid for pid, connection in forks.values()}
        ready = select.select([listener, *forks, *connections], [], [], 1.0)[0]
        for ended in forks.keys() & set(ready):
            pid, connection = forks.pop(ended)
            os.close(ended)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            with contextlib.suppress(OSError):
                connection.send(str(code).encode())
            connection.close()
        for connection, pid in connections.items():
            if connection in ready and connection.fileno() >= 0:
                number = connection.recv(1)  # a signal, or the client has gone
                os.kill(pid, number[0] if number else signal.SIGKILL)
        if listener in ready:
            _accept(listener, forks, bound)
    shutil.rmtree(_FOLDER, ignore_errors=True)


def _warm_up() -> None:
    """What torch does once in a process, and which depends on nothing that a target could set.

    Hashes of the sources of torch and Triton, what this processor can do, and the patterns that
    Inductor looks for.
    """
    import torch
    from torch._dynamo.backends import registry
    from torch._inductor import codecache, cpu_vec_isa
    from torch._inductor.fx_passes import joint_graph

    registry.list_backends(exclude_tags=())
    with contextlib.suppress(AttributeError, TypeError):  # of another version of torch
        codecache.torch_key()
        codecache.triton_key()
        cpu_vec_isa.valid_vec_isa_list()
        joint_graph.lazy_init(torch.device("cpu"))


def _of_the_reader() -> Iterator[str]:
    """All modules of ours that are not for the recorded process."""
    import pkgutil

    import inspector

    others = ("inspector.capture", "inspector.library", "inspector.cli.__main__")
    for module in pkgutil.walk_packages(inspector.__path__, "inspector."):
        if not module.name.startswith(others):
            yield module.name


def _accept(
    listener: socket.socket, forks: dict[int, tuple[int, socket.socket]], bound: set[int]
) -> None:
    connection, _ = listener.accept()
    files, asked = _received(connection)
    pid = os.fork()
    if pid == 0:
        listener.close()
        connection.close()
        for ended, (_, other) in forks.items():
            os.close(ended)
            other.close()
        os.sched_setaffinity(0, bound)
        _be_fork(files, asked)
    forks[os.pidfd_open(pid)] = pid, connection
    for file in files:
        os.close(file)


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _received(connection: socket.socket) -> tuple[list[int], bytes]:
    data, files, _, _ = socket.recv_fds(connection, 1 << 20, 64)
    while not data.endswith(b"\n") and (more := connection.recv(1 << 20)):
        data += more
    return files, data


def _be_fork(files: Sequence[int], asked: bytes) -> NoReturn:
    code = 1
    try:
        os.setsid()  # what a terminal sends comes by the client, once
        code = _ran([_moved(file) for file in files], json.loads(asked))
    finally:
        _end(code)


def _moved(file: int) -> int:
    import fcntl

    moved = fcntl.fcntl(file, fcntl.F_DUPFD, _ABOVE)
    os.close(file)
    return moved


def _ran(files: Sequence[int], asked: Mapping[str, Any]) -> int:
    """What the process would do; its exit code."""
    import random
    import runpy
    import tempfile
    import traceback

    for file, number in zip(files, asked["files"], strict=True):
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
    try:
        if sys.argv[0] == "-m":
            sys.executable, sys.path[0] = _PYTHON, asked["folder"]
            del sys.argv[0]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = str(Path(sys.argv[0]).parent)
            runpy.run_path(sys.argv[0], run_name="__main__")
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


def _end(code: int) -> NoReturn:
    """Ends as Python does."""
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if code == _INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code)


if __name__ == "__main__" and _IS_COPY:
    if sys.argv[1:2] == ["--serve"]:
        _serve(Path(sys.argv[2]))
    else:
        _be_python()
