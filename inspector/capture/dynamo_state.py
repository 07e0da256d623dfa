"""Takes away what Dynamo remembers of an experiment, and nothing else.

``torch._dynamo.reset`` would throw away all that the user has compiled. What it resets for every
code object (torch/_dynamo/__init__.py) is done here for those that the experiment met first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def kept_dynamo_state() -> Iterator[None]:
    """Forgets, at the end, code objects that were not compiled at the beginning.

    Profile-guided dynamic shapes begin empty and are what they were afterwards. Torch's numbers of
    frames go on counting.
    """
    from torch._dynamo import convert_frame, pgo

    trackers = (convert_frame.input_codes, convert_frame.output_codes)
    before = [set(tracker.seen_ids) for tracker in trackers]
    profile, initial = pgo._CODE_STATE, pgo._INIT_CODE_STATE  # noqa: SLF001 - no other way to them
    pgo.reset_code_state()
    try:
        yield
    finally:
        for tracker, known in zip(trackers, before, strict=True):
            _forget(tracker, known)
        pgo._CODE_STATE, pgo._INIT_CODE_STATE = profile, initial  # noqa: SLF001 - as above


def _forget(tracker: Any, known: set[int]) -> None:  # noqa: ANN401 - torch is Any to mypy
    """Resets the code objects that a tracker has seen since, and takes them out of it."""
    from torch._C._dynamo.eval_frame import reset_code

    kept = []
    for reference in tracker.seen:
        code = reference()
        if code is not None and id(code) not in known:
            reset_code(code)
        else:
            kept.append(reference)
    tracker.seen[:] = kept
    tracker.seen_ids.intersection_update(id(code) for ref in kept if (code := ref()) is not None)
