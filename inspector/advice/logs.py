"""Log records and warnings from compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code
from inspector.advice.kinds import SKIPPED
from inspector.advice.moving import in_the_caller
from inspector.advice.one_function import CALLS_ALONE, SETS, decorated, under

LOGGING = Advice(
    id="logging",
    kinds=(Kind("GB0291", "logging.Logger method not supported for non-export cases"),),
    title="a logger in compiled code",
    fix="Return what is logged (a `clone()` of a tensor that is written to in place later), and "
    "log it in the caller, outside of the compiled function, as often and under the same "
    "conditions.",
    tailored=in_the_caller,
    before="""\
import logging
import torch

log = logging.getLogger("model")


@torch.compile
def forward(x):
    norm = x.norm()
    log.warning("norm %s", norm)
    return x / norm


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import logging
import torch

log = logging.getLogger("model")


@torch.compile
def compute(x):
    norm = x.norm()
    return x / norm, norm


def forward(x):
    result, norm = compute(x)
    log.warning("norm %s", norm)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Logs the same records, when the graph has run; without the `clone()` a tensor that is "
    "written to in place later is logged as it is then.",
)


def _ignoring(method: str) -> str:
    """The setting, as an argument."""
    return f"ignore_logging_functions={{logging.Logger.{method}}}"


def _ignored(code: Code) -> str:
    """How to leave out the very method that is called: others do not count."""
    match code.call:
        case ast.Call(func=ast.Attribute(attr=name)):
            return (
                f"If nobody needs the record: {under(_ignoring(name))} leaves it, and all others "
                "of this method, out of compiled code."
            )
    return ""


# A level at which nothing is logged breaks the graph all the same.
_INFO = LOGGING.before.replace("log.warning", "log.info")
# As transformers does.
_ONCE = _INFO.replace("log.info", "log.info_once").replace(
    "\n\n@torch",
    """
logging.Logger.info_once = lambda self, *args: self.info(*args)


@torch""",
    1,
)


LOGGING_IGNORED = Advice(
    id="logging-ignored",
    kinds=LOGGING.kinds,
    says=r"\A(?![\s\S]*isEnabledFor)",
    title="a logger in compiled code whose records nobody needs",
    fix=f"If nobody needs the record: {under(_ignoring('warning'))}, with the very method that is "
    "called in the place of `warning`, leaves it out of compiled code.",
    tailored=_ignored,
    before=LOGGING.before,
    after=decorated(LOGGING.before, _ignoring("warning")),
    pairs=(
        (_INFO, decorated(_INFO, _ignoring("info"))),
        (_ONCE, decorated(_ONCE, _ignoring("info_once"))),
    ),
    holds_elsewhere=True,
    keeps=f"The outputs. The records are lost. {CALLS_ALONE} {SETS}",
    is_silent=True,
    other_way_of=("logging", "checkpointed-value"),
    instead_of=r"ignore_logging_functions",
)

# What asks is the adapter, whose method is called with a level at which nothing is logged.
_ADAPTER = _INFO.replace(
    'log = logging.getLogger("model")',
    'log = logging.LoggerAdapter(logging.getLogger("model"), {})',
)
_ASKING = _INFO.replace(
    '    log.info("norm %s", norm)\n',
    "    if log.isEnabledFor(logging.DEBUG):\n        norm = norm + 0\n",
)
LOGGING_ENABLED = Advice(
    id="logging-enabled",
    kinds=LOGGING.kinds,
    says=r"isEnabledFor",
    title="a logger in compiled code that is asked for its level",
    fix=f"If nobody needs what is logged there: {under(_ignoring('isEnabledFor'))} has compiled "
    "code take every logger for disabled; a `LoggerAdapter` asks in each of its methods, whatever "
    "its level.",
    before=_ADAPTER,
    after=decorated(_ADAPTER, _ignoring("isEnabledFor")),
    pairs=((_ASKING, decorated(_ASKING, _ignoring("isEnabledFor"))),),
    holds_elsewhere=True,
    keeps=f"The outputs. The records are lost. {CALLS_ALONE} {SETS}",
    is_silent=True,
    other_way_of=("logging",),
    instead_of=r"ignore_logging_functions",
)

WARNING = Advice(
    id="warning",
    kinds=(SKIPPED,),
    says=r"module: _?warnings, qualname: warn\b",
    title="warnings.warn in compiled code",
    fix="Warn in the caller under the same conditions: before the compiled function is called "
    "where they are known there, else with a condition that it returns.",
    tailored=in_the_caller,
    before="""\
import warnings
import torch


@torch.compile
def forward(x):
    y = torch.relu(x)
    if x.shape[-1] % 8:
        warnings.warn("the last dimension is no multiple of 8")
    return y * 2


outputs = [forward(x) for x in (torch.ones(3), torch.ones(8))]
""",
    after="""\
import warnings
import torch


@torch.compile
def compute(x):
    return torch.relu(x) * 2


def forward(x):
    if x.shape[-1] % 8:
        warnings.warn("the last dimension is no multiple of 8")
    return compute(x)


outputs = [forward(x) for x in (torch.ones(3), torch.ones(8))]
""",
    keeps="Warns in the same cases, before the graph runs.",
    instead_of=r"logging function|file an issue",
)

_WARNING = "reorderable_logging_functions={warnings.warn}"

WARNING_REORDERED = Advice(
    id="warning-reordered",
    kinds=(SKIPPED,),
    says=WARNING.says,
    title="warnings.warn in compiled code, left where it is",
    fix=f"Put {under(_WARNING)}. torch then warns after the graph, not in the middle of it.",
    before=WARNING.before,
    after=decorated(WARNING.before, _WARNING),
    holds_elsewhere=True,
    keeps=f"Warns in the same cases, when the graph has run. {CALLS_ALONE} {SETS}",
    other_way_of=("warning",),
)

ADVICE = (LOGGING, LOGGING_ENABLED, LOGGING_IGNORED, WARNING, WARNING_REORDERED)
