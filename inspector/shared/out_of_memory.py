"""Failures for want of memory, by what is said of them."""

import re

# As torch, CUDA's runtime, Triton, cuBLAS, cuDNN and torch's CPU allocator say it.
_NO_MEMORY = re.compile(
    r"OutOfMemory|out of memory|MemoryError|can(?:no|')t allocate memory|ALLOC_FAILED",
    re.IGNORECASE,
)


def lacks_memory(failure: str) -> bool:
    """Whether something failed because there was no memory left."""
    return _NO_MEMORY.search(failure) is not None
