"""What a call computes as in training, though it has no backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.profiles.gain import Gain
from inspector.profiles.step_facts import Part
from inspector.profiles.timed import time_by
from inspector.profiles.work import Work

_STATISTICS = "batch normalisation takes its statistics from the batch"
# By operator, what a layer does in training mode and not in `eval()`; what `nn.Dropout` and batch
# normalisation become (torch/_decomp/decompositions.py, 2.11 to 2.13).
_IN_TRAINING = {
    "native_dropout": "dropout draws numbers",
    "_native_batch_norm_legit": _STATISTICS,
    "_native_batch_norm_legit_functional": _STATISTICS,
}
# What keeps no statistics, as instance normalisation does, takes them from the batch in any mode.
_IN_ANY_MODE = ".no_stats"
_FUNCTIONS = "pass training=self.training to functions (the default of F.dropout is True)"


def is_as_in_training(part: Part) -> bool:
    """Whether a part of a statement would be another one, or none, in `eval()`."""
    return bool(_what(part))


def gains_of_training_mode(
    work: Sequence[Work], *, is_training: bool | None, is_hidden: bool
) -> Iterator[Gain]:
    """What is computed as in training.

    Args:
        work: The statements of a call without a backward pass.
        is_training: Whether a module of the model is in training mode; None where nobody knows.
        is_hidden: As in `Gain`.
    """
    launches = (launch for item in work for launch in item.launches)
    times = time_by(launches, _what)
    if not times:
        return
    change = "for inference, model.eval() before it is compiled; for training, --train"
    what = "the model is in training mode"
    if is_training is None:
        what = "a call computes as in training"
        change = (
            f"for inference, model.eval() before it is compiled, or {_FUNCTIONS}; for training, "
            "--train"
        )
    elif not is_training:
        what = "functions compute as in training, though the model is in eval()"
        change = _FUNCTIONS
    yield Gain(f"{what}: {' and '.join(times)}", sum(times.values()), change, is_hidden)


def _what(part: Part) -> str | None:
    if part.operator.endswith(_IN_ANY_MODE):
        return None
    return _IN_TRAINING.get(part.name)
