"""Layers that Dynamo does not take apart."""

from __future__ import annotations

import ast
import re

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, dotted_name
from inspector.advice.kinds import INLINED, SKIPPED
from inspector.advice.one_function import CALLS_ALONE, under

_RECURRENT = Kind("GB0014", "Attempted to wrap RNN, GRU, or LSTM")
_PACKING = r"\b(?:pack_padded_sequence|pack_sequence|pad_packed_sequence)\b"


def _packs(code: Code) -> bool:
    """Whether the function packs sequences, or takes packed ones apart."""
    return any(
        isinstance(node, ast.Call) and re.search(_PACKING, dotted_name(node.func)) is not None
        for node in (ast.walk(code.function) if code.function else ())
    )


_PACKING_IS_LEFT = (
    "Leave packing, the recurrent layer and unpacking to the caller, and compile what stands "
    "before and behind them as functions of their own: torch traces neither the packing, whose "
    "lengths have to be numbers, nor a layer on a packed sequence (nor with `allow_rnn`)."
)

PACKED = Advice(
    id="packed-sequence",
    kinds=(SKIPPED, INLINED),
    says=_PACKING,
    title="sequences that are packed",
    fix=_PACKING_IS_LEFT,
    keeps="The outputs and gradients. The layer runs eagerly, as it does behind the graph break.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

PACKED_LAYER = Advice(
    id="packed-recurrent-layer",
    kinds=(_RECURRENT,),
    where=_packs,
    title="an RNN, GRU or LSTM on a packed sequence",
    fix=_PACKING_IS_LEFT,
    keeps=PACKED.keeps,
    instead_of=r"allow_rnn",
)

_SETTING = "allow_rnn=True"

RNN = Advice(
    id="recurrent-layer",
    kinds=(_RECURRENT,),
    title="an RNN, GRU or LSTM",
    fix=f"{under(_SETTING)} puts it into the graph, if its input is no packed sequence; it is "
    "unrolled, so compiling takes longer for long sequences. For inference: the backward pass "
    "fails to compile.",
    holds_elsewhere=True,
    keeps="The outputs, to rounding, without gradients: AOTAutograd stops with an AssertionError "
    f"when the layer is trained. {CALLS_ALONE}",
    instead_of=r"allow_rnn",
)

SCRIPT = Advice(
    id="scripted-module",
    kinds=(
        Kind("GB4695", "torch.jit.script/freeze modules unsupported"),
        Kind(
            "GB0357",
            "UnspecializedNNModuleVariable wrapped around ScriptModules unsupported",
        ),
    ),
    title="a module of torch.jit.script",
    fix="Compile the module itself, without `torch.jit.script`.",
    keeps="The outputs.",
)

ADVICE = (PACKED, PACKED_LAYER, RNN, SCRIPT)
