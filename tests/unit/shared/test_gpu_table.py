"""GPUs are found by what people call them."""

from __future__ import annotations

import pytest

from inspector.errors import UsageError
from inspector.shared.gpu_table import ARCHITECTURE_KEYS, GPUS, find_gpu, known_gpu


@pytest.mark.parametrize(
    ("asked", "key"),
    [("h200", "h200"), ("NVIDIA H200", "h200"), ("A100-40GB", "a100-40gb"), ("RTX 4090", "rtx4090"),
     ("NVIDIA A100-SXM4-80GB", "a100"), ("Tesla T4", "t4"), ("NVIDIA H100 80GB HBM3", "h100")],
)  # fmt: skip
def test_names_of_torch_and_of_people(asked: str, key: str) -> None:
    found = find_gpu(asked)
    assert found is not None
    assert found.key == key


def test_an_architecture_alone_has_stated_defaults() -> None:
    found = known_gpu("sm_90")
    assert (found.key, found.assumed, found.name) == ("sm_90", True, GPUS["h100"].name)
    assert all(find_gpu(key) is not None for key in ARCHITECTURE_KEYS)


def test_an_unknown_gpu_is_an_error_with_the_next_step() -> None:
    with pytest.raises(UsageError, match="Unknown GPU 'h20x'") as raised:
        known_gpu("h20x")
    assert "h200" in raised.value.next_step


def test_every_figure_has_a_source_and_is_of_the_right_size() -> None:
    for gpu in GPUS.values():
        assert gpu.sources, gpu.key
        assert 10 < gpu.multiprocessors < 200
        assert 0.2e12 < gpu.bandwidth < 10e12
        assert gpu.peaks["float16"] > gpu.peaks["float32"] > gpu.peaks["float64"] / 2
