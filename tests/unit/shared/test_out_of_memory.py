"""Failures for want of memory."""

import pytest

from inspector.shared.out_of_memory import lacks_memory


@pytest.mark.parametrize(
    "failure",
    [
        "It fails when compiled (OutOfMemoryError: CUDA out of memory).",
        "AcceleratorError: CUDA error: out of memory",
        "RuntimeError: Triton Error [CUDA]: out of memory",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "RuntimeError: [enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to",
        "OSError: [Errno 12] Cannot allocate memory",
    ],
)
def test_no_memory_has_many_words(failure: str) -> None:
    assert lacks_memory(failure)


def test_another_failure_is_none_of_memory() -> None:
    assert not lacks_memory("TorchRuntimeError: Tensor device mismatch")
