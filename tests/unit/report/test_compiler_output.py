"""The first error in what a compiler printed."""

from __future__ import annotations

import pytest

from inspector.report.failed_frames import compiler_error

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
    assert (error.tool, error.said, error.code, error.line) == expected


def test_other_errors_are_no_compilers() -> None:
    assert compiler_error("AssertionError: model.py:3:1: error: no") is None
