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


def test_every_loop_that_inductor_said_is_in_the_text(text: CppText) -> None:
    found = [(loop.size, loop.is_vector) for loop in text.innermost]
    assert {("31", False), ("2", False)} < set(found)  # the pool, and the slice of two elements
    assert (sum(vector for _, vector in found), len(found)) == (6, 9)
    assert not text.unread
    assert {loop.var for loop in text.loops} == {"x0", "x1", "x2"}
    assert text.parallel_vars == ("x0",)


def test_loops_that_are_shared_together() -> None:
    text = read_cpp(COLLAPSED)
    outer, middle, inner = text.loops
    assert (outer.size, outer.parallel, middle.is_collapsed) == ("ks0", 2, True)
    assert (inner.is_collapsed, inner.parallel, inner.is_vector) == (False, 0, True)
    assert [loop.depth for loop in text.loops] == [0, 1, 2]
    assert text.parallel_vars == ("x0", "x1")


def test_a_loop_of_another_form_is_kept_as_text() -> None:
    assert read_cpp(COLLAPSED).unread == ("for (const auto& task : tasks) {",)
    assert read_cpp("no C++ at all }}}} for(").loops == ()
