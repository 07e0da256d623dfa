"""Nodes out of torch's text are spelled as recorded ones are."""

from inspector.features.graph.parsed import parsed_nodes
from inspector.shared.roots import Roots

ROOTS = Roots(project="/home/me", torch="/venv/site-packages/torch")
TEXT = """
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[s77, 8][8, 1]cuda:0"):
        l_x_ = L_x_

        # File: /home/me/model.py:6 in forward, code: return norm(x) + 1
        branch = self.branch
        cond = torch.ops.higher_order.cond(l_x_, branch)
        relu: "bf16[8][1]cpu" = torch.ops.aten.relu.default(cond)
        view = relu.view(8)
        view += l_x_;  view_1 = view;  view = None

        # File: /venv/site-packages/torch/nn/functional.py:9 in norm, code: return norm(x)
        mul = view_1 * 2
        return (mul,)

    class branch(torch.nn.Module):
        def forward(self, x):
            # File: /home/me/model.py:99 in forward, code: pass
            relu = x.relu()
            return (relu,)
"""


def test_nodes_are_spelled_as_recorded_ones() -> None:
    nodes = parsed_nodes(TEXT, ROOTS)
    assert [(node.name, node.op, node.target, node.inputs) for node in nodes] == [
        ("l_x_", "placeholder", "L_x_", ()),
        ("branch", "get_attr", "branch", ()),
        ("cond", "call_function", "torch.ops.higher_order.cond", ("l_x_", "branch")),
        ("relu", "call_function", "aten.relu.default", ("cond",)),
        ("view", "call_method", "view", ("relu",)),
        ("view_1", "call_function", "_operator.iadd", ("view", "l_x_")),
        ("mul", "call_function", "_operator.mul", ("view_1",)),
        ("output", "output", "output", ("mul",)),
    ]


def test_tensors_and_lines() -> None:
    nodes = {node.name: node for node in parsed_nodes(TEXT, ROOTS)}
    (tensor,) = nodes["l_x_"].tensors
    assert (tensor.dtype, tensor.shape, tensor.device) == ("float32", ("s77", 8), "cuda:0")
    lines = {name: node.line and node.line.line for name, node in nodes.items()}
    # The line of a nested node of the same name is another one's; torch's own are no user's.
    assert (lines["relu"], lines["view_1"], lines["mul"]) == (6, 6, None)
