"""A backend that is right but for one operator, for models of the tests of `inspect bench`."""

from __future__ import annotations

PERTURBED = """
import torch
from torch._dynamo import register_backend

@register_backend(name="perturbed")
def perturbed(graph, inputs):
    for node in list(graph.graph.nodes):
        if "gelu" in str(node.target):
            with graph.graph.inserting_after(node):
                more = graph.graph.call_function(torch.mul, (node, 1.001))
            node.replace_all_uses_with(more, delete_user_cb=lambda user: user is not more)
    graph.recompile()
    return graph.forward
"""
"""A model's file begins with it: every ``gelu`` is multiplied by 1.001."""
