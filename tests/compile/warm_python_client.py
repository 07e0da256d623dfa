"""What takes the place of the interpreter, see warm_python.py; it imports as little as it can."""

from __future__ import annotations

import array
import hashlib
import json
import os
import resource
import signal
import socket
import sys
from pathlib import Path

REAL = sys.executable
FOLDER = "INSPECTOR_TESTS_WARM"
SCRIPT = "inspector/capture/__main__.py"
VERBS = {"bench", "explain", "warm-up"}
MOST_SERVERS = 4
FILES = ("INSPECTOR_BENCH_IN", "INSPECTOR_BENCH_OUT")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
# What is read when torch, its libraries and Python begin.
PREFIXES = (
    "ATEN_", "CC", "CUDA_", "CXX", "GOMP_", "KMP_", "LC_", "LD_", "MALLOC_", "MKL_", "NCCL_",
    "OMP_", "PYTHON", "PYTORCH_", "TORCH", "TRITON_",
)  # fmt: skip
ANY = {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"}  # read when it is used
LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)


def kind() -> str:
    """A name for what only a process that was begun with it has: a server serves one."""
    found = {
        "variables": {
            name: value
            for name, value in os.environ.items()
            if name.startswith(PREFIXES) and name not in ANY
        },
        "limits": [resource.getrlimit(limit) for limit in LIMITS],
        "cores": sorted(os.sched_getaffinity(0)),
        "is_nice": os.nice(0),
    }
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def server_of() -> socket.socket | None:
    """The server, if there is one; what is asked for twice will have one later."""
    arguments = sys.argv[1:]
    if len(arguments) != 4 or not arguments[0].endswith(SCRIPT) or arguments[2] not in VERBS:
        return None
    folder = Path(os.environ.get(FOLDER, "nowhere"))
    if not folder.is_dir():
        return None
    place = folder / kind()
    if place.is_socket():
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(str(place))
        except OSError:
            return None
        return server
    if not is_first(place.with_suffix(".once")) and is_first(place.with_suffix(".twice")):
        servers = len(list(folder.glob("*.twice")))
        if servers <= MOST_SERVERS:
            start(place)
    return None


def is_first(mark: Path) -> bool:
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def start(place: Path) -> None:
    """Starts a server, as a grandchild: this process becomes the interpreter."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork() == 0:
        with place.with_suffix(".log").open("wb") as log, open(os.devnull) as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        os.closerange(3, 1024)
        os.chdir(place.parent)
        script = os.environ["INSPECTOR_TESTS_SERVER"]
        os.execv(REAL, [REAL, script, str(place)])  # noqa: S606
    os._exit(0)


def hand_over(server: socket.socket) -> None:
    """Arguments, environment, folder and open files."""
    files = [0, 1, 2, *(int(os.environ[name]) for name in FILES if name in os.environ)]
    umask = os.umask(0o022)
    os.umask(umask)
    asked = {
        "arguments": sys.argv[1:],
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "umask": umask,
        "files": files,
    }
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
    data = json.dumps(asked).encode() + b"\n"
    sent = server.sendmsg([data], rights)
    server.sendall(data[sent:])


def main() -> None:
    server = server_of()
    if server is None:
        os.execv(REAL, [REAL, *sys.argv[1:]])  # noqa: S606 - the real interpreter
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until it knows whom they are for
    hand_over(server)
    for number in SIGNALS:
        signal.signal(number, lambda number, _: server.send(bytes([number])))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    # That a pipe is closed has to be seen by whoever is at its other end.
    os.closerange(3, server.fileno())
    os.closerange(server.fileno() + 1, 1024)
    said = server.recv(100)
    code = json.loads(said) if said else -signal.SIGKILL
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
