"""More programs for the advice of inspector/advice/error_classes.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_BEFORE = BY_ID["exception-init"].before
_SUPER_CALL, _ARGS = 'super().__init__(f"{size} > {limit}")', 'self.args = (f"{size} > {limit}",)'


_IN_A_HELPER = """\
import torch


class Refused(RuntimeError):
    pass


class TooLong(Refused):
    def __init__(self, size):
        super().__init__("too long", size)
        self.size = size


def check(x):
    if x.shape[0] > 3:
        raise TooLong(x.shape[0])
    return x * 2


@torch.compile
def forward(x):
    try:
        y = check(x)
    except Refused as error:
        y = x[:3] + error.size
    return y + 1


outputs = [forward(x) for x in (torch.ones(4), torch.ones(3))]
"""
_WITH_TEXT = """\
import torch


class TooLong(ValueError):
    def __init__(self, size, limit):
        super().__init__(f"{size} > {limit}")


@torch.compile
def forward(x):
    text = ""
    try:
        if x.shape[0] > 3:
            raise TooLong(x.shape[0], 3)
        y = x * 2
    except TooLong as error:
        y = x[:3] + 1
        text = str(error)
    return y, text


outputs = [forward(x) for x in (torch.ones(4), torch.ones(3))]
"""
VARIANTS = {
    "exception-init": (_BEFORE.replace("super().__init__(", "ValueError.__init__(self, "),),
}
PAIRS = {
    "exception-init": (
        (
            _IN_A_HELPER,
            _IN_A_HELPER.replace(
                'super().__init__("too long", size)', 'self.args = ("too long", size)'
            ),
        ),
        (
            _WITH_TEXT,
            _WITH_TEXT.replace(
                _SUPER_CALL,
                'self.message = f"{size} > {limit}"\n        self.args = (self.message,)',
            ).replace("str(error)", "error.message"),
        ),
    ),
}
