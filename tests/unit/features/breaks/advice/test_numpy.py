"""NumPy's functions of sizes, and its grids, in the user's words."""

from __future__ import annotations

import pytest

from tests.unit.report.user_code.fixes import fix


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("np.prod(x.shape[1:])", "math.prod(x.shape[1:])"),
        ("np.prod(self.kernel_size)", "math.prod(self.kernel_size)"),
        ("np.array(x.shape).max()", "max(x.shape)"),
        ("np.ceil(np.log2(len(x)))", "math.ceil(math.log2(len(x)))"),
        ("np.clip(x.size(0), 1, 8)", "min(max(x.size(0), 1), 8)"),
        ("np.floor_divide(x.ndim, 2)", "x.ndim // 2"),
        ("np.mean(x.shape).item()", "sum(x.shape) / len(x.shape)"),
        ("numpy.sum(x.shape, dtype=numpy.int64)", "sum(x.shape)"),
    ],
)
def test_numbers_are_calculated_without_numpy(old: str, new: str) -> None:
    said = fix("numpy-number", f"n = int({old})\nreturn x * n\n", f"int({old})")

    assert said.endswith(f"`{new}` instead of `{old}`.")


def test_sizes_that_have_names_are_followed() -> None:
    body = "b, c = x.shape\nn = int(np.prod((b, c)))\nreturn x * n\n"

    assert "`math.prod((b, c))`" in fix("numpy-number", body, "int(np.prod((b, c)))")


@pytest.mark.parametrize(
    "old",
    [
        "np.prod(x)",  # of a tensor
        "np.max(x.shape[0])",  # of one number: no sequence
        "np.prod(x.shape, dtype=np.float32)",
        "np.prod(x.shape, 0)",
        "np.prod(x.shape).astype(int)",
        "np.median(x.shape)",
        "np.prod([*x.shape, y.sum()])",
        "np.maximum(*x.shape)",
    ],
)
def test_what_python_does_not_do_alike_is_left(old: str) -> None:
    assert fix("numpy-number", f"n = int({old})\nreturn x * n\n", f"int({old})") == ""


def test_a_name_that_is_set_to_a_tensor_is_no_size() -> None:
    body = "size = x.sum()\nn = int(np.prod(size))\nreturn x * n\n"

    assert fix("numpy-number", body, "int(np.prod(size))") == ""


def test_a_grid_of_numpy_is_one_of_torchs() -> None:
    said = fix("numpy-grid", "g = np.mgrid[0:len(x), :3]\n", "np.mgrid[0:len(x), :3]")

    assert 'torch.meshgrid(torch.arange(0, len(x)), torch.arange(3), indexing="ij")' in said


@pytest.mark.parametrize("grid", ["np.mgrid[0:1:5j, 0:3]", "np.mgrid[0:2.5, 0:3]", "np.ogrid[0:3]"])
def test_another_grid_is_told_in_general(grid: str) -> None:
    assert fix("numpy-grid", f"g = {grid}\n", grid) == ""
