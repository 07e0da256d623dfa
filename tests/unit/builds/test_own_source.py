"""Lines of a person's own kernels."""

from __future__ import annotations

from pathlib import Path

from inspector.builds.own_source import lines_in_file
from tests.builds_fixture import recorded_pairs

FILE = Path(__file__).parents[2] / "gpu" / "build_modules.py"


def test_lines_of_a_recorded_kernel_are_found_in_its_file() -> None:
    """What Inductor wrote on the GPU's machine, and the file that it copied it from."""
    sources = {row["module"]: row["source"] for row, _, _ in recorded_pairs()}
    written = FILE.read_text(encoding="utf-8").splitlines()
    for program, last in (("own_add", "tl.store(out_ptr"), ("own_matmul", "tl.store(c_ptr")):
        copied = sources[program].splitlines()
        found = lines_in_file(sources[program], "\n".join(written))
        assert all(copied[a - 1].strip() == written[b - 1].strip() for a, b in found.items())
        stores = [number for number, line in enumerate(copied, 1) if last in line]
        assert stores
        assert all(number in found for number in stores)


def test_a_generated_kernel_is_in_no_file() -> None:
    sources = {row["module"]: row["source"] for row, _, _ in recorded_pairs()}
    assert lines_in_file(sources["gelu"], FILE.read_text(encoding="utf-8")) == {}


def test_indentation_and_a_second_function_of_the_same_name() -> None:
    copied = "@triton.jit\ndef f(x):\n    y = x\n    return y\n\n@triton.jit\ndef g(x):\n    pass"
    file = "def f(x):\n    return 0\nclass A:\n    def f(x):\n        y = x\n        return y\n"
    assert lines_in_file(copied, file) == {2: 4, 3: 5, 4: 6}
