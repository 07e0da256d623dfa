"""What a process of `inspect numerics` finds out."""

import math

from inspector.records.bench import Divergence
from inspector.records.record import Record, artifact, doc, part


@part
class NumericError:
    """How far a result, or the output of a module, is from that of eager PyTorch."""

    name: str = doc("name of a result, or path of a module")
    kind: str = doc("class of the module", default="")
    absolute: float = doc("largest difference from eager", default=math.inf)
    relative: float | None = doc(
        "largest difference from float64, relative to the largest float64 element; None if unknown",
        default=None,
    )
    eager_relative: float | None = doc(
        "eager PyTorch's largest difference from float64, relative to the largest element",
        default=None,
    )
    is_off: bool = doc("whether it differs by more than rounding error", default=False)
    nan: int = doc("number of NaN elements that eager does not have", default=0)


@part
class NotFinite:
    """The first operator that produces a NaN or an infinity from finite inputs."""

    value: str = doc("NaN or Inf")
    is_eager: bool = doc("also occurs in eager PyTorch", default=True)
    operator: str = ""
    file: str = doc("file in user code", default="")
    line: int = 0
    code: str = ""


@artifact("numerics")
class Numerics(Record):
    """Results of compiled code compared with those of eager PyTorch, for one input."""

    input: int = 0
    results: tuple[NumericError, ...] = doc("outputs, changed tensors, gradients", default=())
    layers: tuple[NumericError, ...] = doc("outputs of modules, in order", default=())
    divergence: Divergence | None = doc(
        "the first operator that differs; None if all results are right", default=None
    )
    in_dynamo: bool = doc("captured graphs differ from eager even without a backend", default=False)
    not_finite: tuple[NotFinite, ...] = ()
    uncompared: tuple[str, ...] = doc("results that cannot be compared", default=())
