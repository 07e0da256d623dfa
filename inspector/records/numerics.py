"""What a process of `inspect numerics` finds out."""

import math

from inspector.records.record import Record, artifact, doc, part

INITIAL = "initial value"
"""The kind of a difference of weights or inputs: the later revision ran with the earlier's."""


@part
class NumericError:
    """How far a result, or the output of a module, is from that of eager PyTorch."""

    name: str = doc("name of a result, or path of a module")
    kind: str = doc("class of the module", default="")
    absolute: float = doc("largest difference from eager", default=math.inf)
    relative: float | None = doc(
        "largest difference from float64, or from the earlier revision, relative to the largest "
        "element there; None if unknown",
        default=None,
    )
    eager_relative: float | None = doc(
        "eager PyTorch's largest difference from float64, relative to the largest element",
        default=None,
    )
    is_off: bool = doc("whether it differs by more than rounding error", default=False)
    nan: int = doc("number of NaN elements that eager does not have", default=0)


@part
class Divergence:
    """The first operator at which compiled results diverge from eager ones."""

    operator: str = doc("empty if every graph returns correct results", default="")
    file: str = doc("file in user code", default="")
    line: int = 0
    code: str = ""
    at: int = doc("position of the operator in the graph, from 1", default=0)
    operators: int = doc("number of operators in the graph", default=0)
    graph: int = doc("number of the graph", default=0)
    failure: str = doc("reason why the operator is unknown", default="")


@part
class NotFinite:
    """The first operator that produces a NaN or an infinity from finite inputs."""

    value: str = doc("NaN or Inf")
    is_eager: bool = doc("also occurs in eager PyTorch", default=True)
    operator: str = ""
    file: str = doc("file in user code", default="")
    line: int = 0
    code: str = ""


@part
class ChangedOperator:
    """An operator, or the output of a module, that differs between two revisions.

    The place is that of the later one.
    """

    error: NumericError
    module: str = doc("path of its module; empty in the model itself", default="")
    file: str = doc("the user's", default="")
    line: int = 0
    code: str = ""
    before: str = doc("line of the earlier revision", default="")
    after_added: str = doc("the last operator before it that only the later one runs", default="")


@part
class Difference:
    """What one of two revisions lacks, or has otherwise."""

    kind: str = doc("weight, input, module, operator or initial value")
    name: str = ""
    before: str = doc("in the earlier one; empty if it lacks it", default="")
    after: str = doc("in the later one", default="")


@artifact("numerics")
class Numerics(Record):
    """Results of compiled code compared with those of eager PyTorch, for one input.

    Of two revisions, the results of the later one compared with those of the earlier one.
    """

    input: int = 0
    results: tuple[NumericError, ...] = doc("outputs, changed tensors, gradients", default=())
    layers: tuple[NumericError, ...] = doc("outputs of modules, in order", default=())
    divergence: Divergence | None = doc(
        "the first operator that differs; None if all results are right", default=None
    )
    in_dynamo: bool = doc("captured graphs differ from eager even without a backend", default=False)
    not_finite: tuple[NotFinite, ...] = ()
    uncompared: tuple[str, ...] = doc("results that cannot be compared", default=())
    changes: tuple[ChangedOperator, ...] = doc(
        "of two revisions: the first operator or output that differs, and the first beyond the "
        "tolerance",
        default=(),
    )
    differences: tuple[Difference, ...] = doc("of two revisions", default=())
