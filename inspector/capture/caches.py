"""Empty caches for Inductor, for as long as something is recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def fresh_caches() -> Iterator[None]:
    """Gives Inductor a new cache folder in place of the user's, and deletes it at the end.

    FX graph, AOTAutograd, C++, Triton and autotune caches lie in it, and profile-guided dynamic
    shapes. What is compiled stays loaded.
    """
    from torch._inductor.utils import fresh_cache

    raised: BaseException | None = None
    with fresh_cache():
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - with an error torch warns and keeps the folder
            raised = error
    if raised is not None:
        raise raised
