"""The loops of C++ kernels, as torch 2.11 and 2.13 write them."""

from __future__ import annotations

import pytest

from inspector.features.kernels.cpp_source import read_cpp
from inspector.run.cpp_kernel import CppText
from tests.unit.cpp_logs import VERSIONS, cpp_log, cpp_report

COLLAPSED = """
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for collapse(2)
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(ks0); x0+=static_cast<int64_t>(1L))
            {
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(3L); x1+=static_cast<int64_t>(1L))
                {
                    for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(9L*ks0); x2+=(static_cast<int64_t>(8L) == 0 ? 1 : static_cast<int64_t>(8L)))
                    {
                        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + x2);
                        TORCH_CHECK(x2 < 9, "index out of bounds: } {");
                    }
                }
            }
        }
    }
    for (const auto& task : tasks) {
        run(task);
    }
"""  # noqa: E501 - as torch writes it


@pytest.fixture(scope="module", params=VERSIONS)
def text(request: pytest.FixtureRequest) -> CppText:
    (row,) = cpp_report(cpp_log(request.param)).rows
    assert row.kernel.cpp is not None
    return row.kernel.cpp.text


def test_the_loops_of_a_kernel_are_counted(text: CppText) -> None:
    assert (sum(text.loops), len(text.loops)) == (6, 9)  # not the pool, the slice of two elements
    assert text.parallel_vars == ("x0",)
    assert not text.is_template


def test_loops_that_are_shared_together() -> None:
    text = read_cpp(COLLAPSED)
    assert text.loops == (True,)
    assert text.parallel_vars == ("x0", "x1")


def test_loops_of_another_form_are_not_counted() -> None:
    assert read_cpp(COLLAPSED).is_template
    assert not read_cpp(
        COLLAPSED.replace("const auto& task : tasks", "int64_t i=0; i<8; i++")
    ).is_template
    assert read_cpp("no C++ at all }}}} for(").loops == ()
