"""Settings are advised for one compiled function, and never for the whole program."""

from __future__ import annotations

import re

import pytest

from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL
from tests.compile.advice_programs import PAIRS

# Best of 5 times 5000 calls of a function that does nothing (CPU, 2.11 to 2.13): 5 to 8 us with the
# decorator, 17 to 27 us with `with`, which makes the patch anew. On 2.11 a patch that two threads
# enter at once stops with an AssertionError, or stays behind.
CALLS_ALONE = (
    "The setting holds for these calls alone, not for all that the program compiles, and costs "
    "each about 5 µs as a decorator, 20 µs as `with`; within the compiled function it is of no "
    "use. On torch 2.11 two threads must not call at once."
)


@pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)
def test_no_advice_sets_anything_for_the_whole_program(advice: Advice) -> None:
    texts = (advice.fix, advice.after, *(after for _, after in PAIRS.get(advice.id, ())))
    assert not [t for t in texts if re.search(r"_dynamo\.config\.(?!patch\()", t)]
    assert ("config.patch" in advice.fix) is (CALLS_ALONE in advice.keeps)
