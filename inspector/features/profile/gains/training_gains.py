"""What a call without a backward pass computes as in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.launch_timing import time_by
from inspector.features.profile.step_facts import Part

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
    work: Sequence[KernelTiming], *, is_training: bool | None
) -> Iterator[Gain]:
    """What is computed as in training."""
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
    yield Gain(f"{what}: {' and '.join(times)}", sum(times.values()), change)


def _what(part: Part) -> str | None:
    if part.operator.endswith(_IN_ANY_MODE):
        return None
    return _IN_TRAINING.get(part.name)
