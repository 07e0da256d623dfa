"""What failed to compile is named with its error, and nobody is sent in a circle."""

import dataclasses
from pathlib import Path

import pytest

from inspector.features.graph.report import FUSION, make_graph_report
from inspector.features.kernels.report import make_kernels_report
from inspector.report.failed_frames import compiler_error, error_sentence, failed_at, failed_frames
from inspector.run.run import Run
from tests.unit import logs

RAISED = (
    "backend='inductor' raised:\nRuntimeError: no formula was registered. Please register one.\n"
)
FAILED = {
    "has_guarded_code": False,
    "fail_type": "BackendCompilerFailed",
    "fail_reason": RAISED,
    "fail_user_frame_filename": logs.FILE,
    "fail_user_frame_lineno": 3,
}
REFUSED = (
    f"WON'T CONVERT f {logs.FILE} line 1\nTraceback (most recent call last):\n"
    '  File "b.py", line 1, in f\nRuntimeError: no\n\n==========\n'
)
SAID = "failed: RuntimeError: no formula was registered"


def failed_run(tmp_path: Path, **settings: object) -> Run:
    run = logs.run_of(
        tmp_path,
        logs.start(), logs.graph(), logs.metrics(),
        logs.start("1/0", "tail", 9), logs.metrics("1/0", **FAILED, co_name="tail"),
    )  # fmt: skip
    meta = dataclasses.replace(run.meta, target="model.py", settings=settings)
    return dataclasses.replace(run, meta=meta)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (RAISED, "RuntimeError: no formula was registered"),
        ("The backend failed: ValueError: v1.2 is old", "ValueError: v1.2 is old"),
        ("==========\nKeyError: 'x'", "KeyError: 'x'"),
        ("\n", "no reason given"),
    ],
)
def test_the_first_sentence_of_an_error(reason: str, said: str) -> None:
    assert error_sentence(reason) == said


def test_so_is_one_that_a_backend_refused(tmp_path: Path) -> None:
    refused = logs.record("artifact", {"name": "dynamo_graph_break_reason"}, "0/0", REFUSED)
    run = logs.run_of(tmp_path, logs.start(), refused, logs.metrics(has_guarded_code=False))
    assert failed_frames(run).endswith("failed: RuntimeError: no")
    assert failed_frames(logs.run_of(tmp_path, logs.start(), logs.metrics())) == ""


@pytest.mark.parametrize("stage", [FUSION, "forward", ""])
def test_a_failed_compilation_is_not_asked_for_again(tmp_path: Path, stage: str) -> None:
    run = failed_run(tmp_path, generates=True, backend="inductor")
    said = [*make_graph_report(run, stage).notices, *make_kernels_report(run).notices]
    assert sum(SAID in text for text in said) == 2
    assert not any("records it" in text or "generates it" in text for text in said)


def test_without_a_failure_only_another_command_is_advised(tmp_path: Path) -> None:
    run = logs.run_of(tmp_path, logs.start(), logs.metrics())
    asked = {"generates": True, "backend": "inductor"}

    def said(stage: str, **settings: object) -> str:
        meta = dataclasses.replace(run.meta, target="model.py", settings=settings)
        return " ".join(make_graph_report(dataclasses.replace(run, meta=meta), stage).notices)

    assert "`inspect graph model.py` records it" in said(FUSION)
    assert "records it" not in said(FUSION, **asked)
    assert "`inspect explain` shows why" in said(FUSION, **asked)
    assert "`inspect graph model.py --train` records it" in said("joint", **asked)
    assert "records it" not in said("joint", **asked, train=True)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("InductorError: AssertionError: ", "InductorError: AssertionError in torch/b.py:9 g"),
        ("AssertionError", "AssertionError in torch/b.py:9 g"),
        ("", "no reason given in torch/b.py:9 g"),
        ("KeyError: 'b'\nmore", "KeyError: 'b'"),
        ("RuntimeError: a ValueError", "RuntimeError: a ValueError"),
    ],
)
def test_an_error_that_says_nothing_has_its_place(error: str, said: str) -> None:
    frames = ("/home/user/site-packages/torch/a.py:1 f", "/home/user/site-packages/torch/b.py:9 g")
    assert failed_at(error, frames) == said
    assert "torch" not in failed_at(error, ())


CPP = """CppCompileError: C++ compile error

Command:
g++ /tmp/k.main.cpp -D error:x -o /tmp/k.so

Output:
In file included from /usr/include/a.h:15,
                 from /tmp/k.h:1:
/usr/include/a.h:1866:7: warning: overflow in conversion
 1866 |       0x80,
      |       ^~~~
/tmp/k.main.cpp: In lambda function:
/tmp/k.main.cpp:1084:45: error: 'cur8' was not declared in this scope; did you mean 'cur'?
 1084 |                                 auto tmp4 = cur8;
      |                                             ^~~~
/tmp/k.main.cpp:1138:73: error: expected primary-expression before ',' token
"""
MISSING = CPP.partition("Output:\n")[0] + (
    "Output:\n/tmp/k.main.cpp:1:10: fatal error: omp.h: No such file or directory\n"
    "    1 | #include <omp.h>\n      |          ^~~~~~~\ncompilation terminated.\n"
)
LINKED = CPP.partition("Output:\n")[0] + (
    "Output:\n/usr/bin/ld: cannot find -lgomp: No such file or directory\n"
    "collect2: error: ld returned 1 exit status\n"
)
PTXAS = """PTXASError: PTXAS error: `ptxas` failed with error code 255
`ptxas` stderr:
ptxas /tmp/t.ptx, line 31; error   : Illegal modifier '.bf16x2' for instruction 'add'
ptxas fatal   : Ptx assembly aborted due to errors
"""
# As Triton 3.9 words it, in the exception of a compile process of Inductor.
TRITON = """SubprocException: An exception occurred in a subprocess:

Name=triton_poi_fused_add_0
triton.compiler.errors.CompilationError: at 4:11:
def kernel(x, n: tl.constexpr):
    at = tl.arange(0, n)
    y = tl.load(x + at)
    return y + missing
           ^
NameError('missing is not defined')
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CPP, ("C++", "'cur8' was not declared in this scope; did you mean 'cur'?",
               "auto tmp4 = cur8;", 1084)),
        (MISSING, ("C++", "omp.h: No such file or directory", "#include <omp.h>", 1)),
        (LINKED, ("C++", "cannot find -lgomp: No such file or directory", "", 0)),
        (PTXAS, ("ptxas", "Illegal modifier '.bf16x2' for instruction 'add'", "", 0)),
        (TRITON, ("Triton", "NameError('missing is not defined')", "return y + missing", 4)),
    ],
    ids=["g++", "header", "linker", "ptxas", "triton"],
)  # fmt: skip
def test_the_first_error_is_found(text: str, expected: tuple[str, str, str, int]) -> None:
    error = compiler_error(text)

    assert error is not None
    assert (error.tool, error.message, error.code, error.line) == expected
