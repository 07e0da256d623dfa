"""A graph of AOTAutograd's once more, decomposed into torch's primitives.

Inductor decomposes into operators that it has lowerings for, and stops there. The table of all
decompositions (torch/_decomp, torch/_refs) goes further: what it has becomes ``prims``, and what it
lacks (matrix products, convolutions, attention) stays ATen.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx


def prims_graph(module: fx.GraphModule) -> fx.GraphModule:
    """Traces a graph again, with fake tensors: nothing is computed, and nothing guarded on.

    Raises:
        Exception: Whatever an operator raises that can be traced neither decomposed nor as it is.
    """
    from torch._decomp import decomposition_table
    from torch._guards import detect_fake_mode
    from torch.fx import traceback
    from torch.fx.experimental.proxy_tensor import make_fx

    inputs = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    mode: Any = detect_fake_mode(inputs)

    def run(*arguments: object) -> object:
        with traceback.preserve_node_meta():
            return _Decomposing(module).run(*arguments)

    with contextlib.ExitStack() as stack:
        if mode is not None:
            stack.enter_context(mode)
            stack.enter_context(_without_guards(mode.shape_env))
        trace = make_fx(run, decomposition_table=decomposition_table, _allow_non_fake_inputs=True)
        found: fx.GraphModule = trace(*inputs)
    found.graph.eliminate_dead_code()  # what failed half-way
    return found


class _Decomposing(fx.Interpreter):
    """Leaves an operator as it is where its decomposition fails.

    A decomposition may give other strides than the operator (attention): what views its result
    then copies it first.
    """

    def run_node(self, n: fx.Node) -> Any:  # noqa: ANN401
        from torch.fx.experimental.proxy_tensor import decompose

        try:
            return super().run_node(n)
        # Anything: a decomposition is code of torch's, or of who registered it, and what it raises
        # differs with the operator (assertions, shapes, unsupported inputs of fake tensors). What
        # is no matter of the decomposition is raised again by the operator itself.
        except Exception:
            if n.op != "call_function":
                raise
            if n.target is torch.ops.aten.view.default:
                with self._set_current_node(n):
                    return torch.ops.aten.reshape.default(*self.fetch_args_kwargs_from_env(n)[0])
            with decompose({}):
                return super().run_node(n)


@contextlib.contextmanager
def _without_guards(shapes: Any) -> Iterator[None]:  # noqa: ANN401 - torch is Any to mypy
    """A decomposition asks for sizes: what it learns is no assumption of the compiled code."""
    if shapes is None:
        yield
        return
    with shapes.suppress_guards(), shapes.ignore_fresh_unbacked_symbols():
        yield
