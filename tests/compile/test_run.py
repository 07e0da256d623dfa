"""`inspect run` is the program's own run; and how a recorded process can end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.run.sources.recording import opened, read_run
from tests.compile.processes import ROOT, environment, finished
from tests.compile.warm_python import COLD, INSPECT

FACTS = """
import atexit, os, pickle, sys
class C: pass
atexit.register(lambda: print(len(pickle.dumps(C()))))
print(__file__, __name__, __package__, getattr(__spec__, "name", None), __cached__ is None)
print(sys.argv, sys.orig_argv[1:], sys.path[0], os.getcwd(), sys.stdin.read())
print(type(__loader__).__name__, type(__builtins__), sys._getframe().f_code.co_filename)
print(sorted(name for name in globals() if name.startswith("__")))
import __main__
assert __main__.C is C
os.chdir("/")
print(len(open(__file__, "rb").read()))
"""
SPAWN = """
import multiprocessing as mp
class C:
    def __init__(self, n): self.n = n
def work(c, out): out.put(type(c).__name__ + str(c.n))
if __name__ == "__main__":
    context = mp.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=work, args=(C(3), out))
    process.start()
    print(out.get(timeout=20))
    process.join()
"""
RAISES = """
def f():
    try:
        1 / 0
    except ZeroDivisionError as error:
        raise ValueError("mine") from error
f()
"""
PROGRAMS = {
    "facts": FACTS,
    "an exception": RAISES,
    "a syntax error": "x = (\n",
    "sys.exit with a number": "import sys; sys.exit(9)",
    "a hook": "import sys\nsys.excepthook = lambda t, v, b: print(t, v, b.tb_lineno)\nopen('no')",
    "spawned processes": SPAWN,
}


def run(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return finished([*COLD, "run", *arguments], folder, input="typed")


def assert_same(arguments: Sequence[str], folder: Path) -> None:
    plain = finished([sys.executable, *arguments], folder, input="typed")
    ours = run(arguments, folder)
    stderr = "".join(
        line for line in ours.stderr.splitlines(keepends=True) if not line.startswith("inspect: ")
    )
    code = 128 - plain.returncode if plain.returncode < 0 else plain.returncode
    assert (ours.stdout, stderr, ours.returncode) == (plain.stdout, plain.stderr, code)


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_a_script_runs_as_python_runs_it(tmp_path: Path, source: str) -> None:
    (tmp_path / "script.py").write_text(source)
    assert_same(["script.py", "--lr", "1"], tmp_path)


@pytest.mark.parametrize("source", [FACTS, SPAWN], ids=["facts", "spawn"])
def test_a_module_runs_as_python_runs_it(tmp_path: Path, source: str) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(source)
    (package / "train.py").write_text(source)
    assert_same(["-m", "package.train", "--lr", "1"], tmp_path)
    if source is not SPAWN:  # Python itself cannot spawn what a package's __main__ defines
        assert_same(["-m", "package"], tmp_path)


def test_a_folder_and_a_zip_run_as_python_runs_them(tmp_path: Path) -> None:
    source = FACTS.partition("os.chdir")[0]  # there is no file in a zip to open
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(source)
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", source)
    assert_same(["app", "1"], tmp_path)
    assert_same(["app.zip", "1"], tmp_path)
    assert_same(["-m", "nothing"], tmp_path)


COMPILES = """
import sys, torch
def f(x):
    print("inside")
    return x
torch.compile(f, backend="eager")(torch.ones(2))
"""


def test_the_recording_survives_a_change_of_folder_in_forks(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os\nos.chdir('/')\nif os.fork():\n    os.wait()\n" + COMPILES
    )
    assert run(["train.py"], tmp_path).stderr.count("recording .inspector/1\n") == 1
    # torch 2.11 writes into the parent's log, 2.13 into one of its own: the pids tell them apart.
    with opened(tmp_path / ".inspector" / "1") as recording:
        processes = read_run(recording).processes
    assert len([process for process in processes if process.frames]) == 2


# ------------------------------------------------------------------------------- ends from outside

CHECKPOINT = """
import signal, sys, time
try:
    print("ready", flush=True)  # inside: Ctrl-C comes as soon as it is read
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(SECONDS)
    print("saved", flush=True)
    sys.exit(5)
"""


def started(arguments: Sequence[str], folder: Path, ready: str) -> subprocess.Popen[str]:
    """The command in a group of its own, as a terminal starts it, when its program is ready."""
    process = subprocess.Popen(
        [*COLD, *arguments], cwd=folder, env=environment(ROOT), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=_heed_signals,  # noqa: PLW1509 - pytest has no other thread here
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    stream = process.stderr if arguments[0] == "explain" else process.stdout
    while ready not in stream.readline():
        assert process.poll() is None
    return process


def _heed_signals() -> None:
    """As in a terminal: what starts the tests with `&` or nohup has them ignore signals."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def meta(folder: Path) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((folder / ".inspector/1/meta.json").read_text())
    return described


def test_a_program_has_all_the_time_to_end_after_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CHECKPOINT.replace("SECONDS", "6.5"))
    process = started(["run", "train.py"], tmp_path, "ready")
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)

    assert (stdout, process.returncode) == ("saved\n", 5)
    assert "partial" not in stderr
    assert (meta(tmp_path)["ended"], meta(tmp_path)["partial"]) == ("failed", "")  # code 5


def test_a_second_ctrl_c_ends_the_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CHECKPOINT.replace("SECONDS", "60"))
    process = started(["run", "train.py"], tmp_path, "ready")
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)

    assert (stdout, process.returncode) == ("", 128 + signal.SIGTERM)
    assert "is partial: it was interrupted with Ctrl-C" in stderr
    assert meta(tmp_path)["ended"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_recorder_that_is_ended_takes_its_program_along(
    tmp_path: Path, number: signal.Signals
) -> None:
    source = "import os, time\nprint('ready', os.getpid(), flush=True)\ntime.sleep(60)\n"
    (tmp_path / "train.py").write_text(source)
    process = started(["run", "train.py"], tmp_path, "ready")
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)  # the program has its end of the pipe, too

    assert process.returncode == 128 + number
    assert number.name in stderr
    assert meta(tmp_path)["ended"] == "killed"


# -------------------------------------------------------------------------- ends inside of a model

ENDS = """
import os, sys, torch
def model(x):
    print("inside")
    END
    return x
example_inputs = (torch.ones(2),)
"""


def explained(folder: Path, code: int) -> dict[str, Any]:
    done = finished([*COLD, "explain", "model.py", "--format", "json"], folder)
    assert done.returncode == code, done.stderr
    recording: dict[str, Any] = json.loads(done.stdout)["recording"]
    assert (done.stderr.count("Traceback"), done.stderr.count("Logging error")) == (0, 0)
    return recording


def test_a_model_that_ends_the_process_leaves_a_partial_recording(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ENDS.replace("END", "os._exit(0)"))

    recording = explained(tmp_path, 3)
    assert recording["partial"] == "it exited with code 0 without a message"
    assert meta(tmp_path)["ended"] == "failed"


def test_a_model_that_calls_sys_exit_has_failed(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ENDS.replace("END", "sys.exit(0)"))

    recording = explained(tmp_path, 3)
    message = "Calling model.py ended the program with sys.exit(0)."
    assert recording["error"].startswith(message)
    assert 'model.py", line 5, in ' in recording["error_detail"]


def test_a_log_that_cannot_be_written_to_its_end_is_said(tmp_path: Path) -> None:
    source = ENDS.replace("END", "pass").replace(
        "example_inputs",
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\nexample_inputs",
    )
    (tmp_path / "model.py").write_text(source)

    recording = explained(tmp_path, 3)
    assert recording["partial"] == "the log could not be completed: File too large"
    assert not [*(tmp_path / ".inspector/1").glob("log_failed*")]


# ------------------------------------------------------------------------- what is the user's stays


def test_a_refused_recording_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "model.py").write_text("raise ValueError\n")
    done = finished([*INSPECT, "explain", "model.py", "--save", "kept"], tmp_path)

    assert done.returncode == 3
    names = sorted(path.name for path in tmp_path.rglob("*") if "pyc" not in path.name)
    assert names == ["kept", "model.py"]


def test_an_output_file_is_left_alone_until_there_is_a_report(tmp_path: Path) -> None:
    (tmp_path / "report.md").touch()
    (tmp_path / "model.py").write_text("raise ValueError\n")
    finished([*INSPECT, "explain", "model.py", "-o", "report.md"], tmp_path)
    assert (tmp_path / "report.md").read_text() == ""

    (tmp_path / "model.py").write_text(ENDS.replace("END", "pass"))
    (tmp_path / "link.md").symlink_to("report.md")
    finished([*INSPECT, "explain", "model.py", "-o", "link.md"], tmp_path)
    assert re.match("#", (tmp_path / "report.md").read_text())
    assert (tmp_path / "link.md").is_symlink()
