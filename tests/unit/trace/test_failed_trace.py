"""The operator that failed while AOTAutograd traced, and the frames that the compiler called."""

import pytest

from inspector.trace.failed_trace import FailedTrace
from inspector.trace.graph_break import Raised, operator_stack

# `make_fx_fail_partial` of torch 2.13, for a training step with `out[rows] = z`.
JOINT = """


def forward(self, primals, tangents):
    primals_1: "f32[10, 16][16, 1]cpu"; tangents_1: "f32[12, 16][16, 1]cpu";

    primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
    # File: /p/model.py:14 in forward, code: z = torch.relu(y)
    relu: "f32[10, 16][16, 1]cpu" = torch.ops.aten.relu.default(primals_1);  primals_1 = None

    # File: /p/model.py:17 in forward, code: out[rows] = z
    index_put: "f32[12, 16][16, 1]cpu" = torch.ops.aten.index_put.default(zeros, [rows], relu)

    # File: /p/model.py:18 in forward, code: return x + out
    add: "f32[12, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(primals_4, index_put);  add = None

    # File: /p/model.py:18 in forward, code: return x + out
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2);  tangents_1 = None

    # File: /p/model.py:17 in forward, code: out[rows] = z
    index = torch.ops.aten.index.Tensor(mul, [rows]);  mul = rows = index = None
"""


def test_the_last_node_is_the_one_that_failed() -> None:
    found = FailedTrace.parse(JOINT)

    assert found.operator == "aten.index.Tensor"
    assert found.is_backward
    assert found.frame is not None
    assert (found.frame.file, found.frame.line, found.frame.code) == (
        "/p/model.py", 17, "out[rows] = z"
    )  # fmt: skip


def test_a_graph_that_was_cut_off_names_nothing() -> None:
    assert FailedTrace.parse("def forward(self") == FailedTrace()


TRACEBACK = """Traceback (most recent call last):
  File "/site-packages/torch/_dynamo/convert_frame.py", line 2102, in _compile
    guarded_code = compile_inner(code)
  File "/p/backend.py", line 4, in strict
    return graph(*inputs)
  File "/site-packages/torch/_ops.py", line 1279, in __call__
    return self._op(*args, **kwargs)
  File "/site-packages/torch/_library/custom_ops.py", line 784, in fake_impl
    return self._abstract_fn(*args, **kwargs)
  File "/p/ops.py", line 9, in _
    size = int(x.sum())
  File "/site-packages/torch/_ops.py", line 875, in __call__
    return self._op(*args, **kwargs)
ValueError: no

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/p/other.py", line 1, in other
    other()
"""


def test_frames_of_an_implementation_are_told_from_a_backends() -> None:
    raised = Raised.parse(TRACEBACK)

    assert [frame.file for frame in raised.frames] == ["/p/backend.py", "/p/ops.py"]
    assert [(frame.file, frame.line) for frame in raised.implementation] == [("/p/ops.py", 9)]


@pytest.mark.parametrize("title", ["Original traceback:", "Found from : "])
def test_an_error_that_has_the_operators_stack(title: str) -> None:
    text = f'While executing %a\n{title}\n   File "/p/model.py", line 3, in forward\n    a = b\n'
    (frame,) = operator_stack(f"{text}\nMore")

    assert (frame.file, frame.line, frame.name) == ("/p/model.py", 3, "forward")
