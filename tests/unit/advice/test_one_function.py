"""Settings are advised for one compiled function, and never for the whole program."""

from __future__ import annotations

import re

import pytest

from inspector.advice.advice import Advice
from inspector.advice.one_function import CALLS_ALONE
from inspector.advice.table import ALL
from tests.compile.advice_programs import PAIRS
from tests.compile.advised import decorated


@pytest.mark.parametrize("advice", ALL, ids=lambda advice: advice.id)
def test_no_advice_sets_anything_for_the_whole_program(advice: Advice) -> None:
    texts = (
        advice.fix,
        advice.after,
        *(after for _, after in PAIRS.get(advice.id, ())),
    )
    assert not [t for t in texts if re.search(r"_dynamo\.config\.(?!patch\()", t)]
    assert ("config.patch" in advice.fix) is (CALLS_ALONE in advice.keeps)


def test_every_compiled_function_of_a_program_gets_it() -> None:
    program = "@torch.compile\ndef f(x): ...\n\n@torch.compile\ndef g(x): ...\n"
    assert (
        decorated(program, "allow_rnn=True").count(
            "@torch._dynamo.config.patch(allow_rnn=True)\n@torch.compile\n"
        )
        == 2
    )
