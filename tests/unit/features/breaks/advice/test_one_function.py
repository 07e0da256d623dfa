"""Settings are advised for one compiled function, and never for the whole program."""

from __future__ import annotations

import re

import pytest

from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL
from tests.compile.advice_programs import PAIRS


@pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)
def test_no_advice_sets_anything_for_the_whole_program(advice: Advice) -> None:
    texts = (advice.fix, advice.after, *(after for _, after in PAIRS.get(advice.id, ())))
    assert not [t for t in texts if re.search(r"_dynamo\.config\.(?!patch\()", t)]
