"""The corpus of break cases: which object of which file, with which inputs.

The files beside this one are ordinary model files, as a user would write them
(they import torch alone). This table says how each is run, so that the truth
(``tests.compile.truth``) and the tool get the same target; reading it imports
no torch.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MATRIX = ("f32[4,4]",)
TRAIN = ("--train",)


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One target.

    Attributes:
        file: Relative to the folder of the cases, or absolute.
        name: The object in the file; empty for a file that has its own
            ``model`` and ``example_inputs``.
        inputs: The ``--input`` strings of its one call; empty for none, or
            for those that the file gives.
        options: Further options of ``inspect explain``.
    """

    file: str
    name: str = ""
    inputs: tuple[str, ...] = MATRIX
    options: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What tests and the checked-in truth call it."""
        target = f"{self.file}:{self.name}" if self.name else self.file
        return " ".join((target, *self.options))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return FOLDER / self.file

    @property
    def arguments(self) -> tuple[str, ...]:
        """What follows ``inspect explain`` on a command line."""
        target = f"{self.path}:{self.name}" if self.name else str(self.path)
        inputs = (word for text in self.inputs for word in ("--input", text))
        return (target, *inputs, *self.options)


def named(file: str, names: str) -> tuple[Case, ...]:
    """Cases of one file that take one matrix."""
    return tuple(Case(file, name) for name in names.split())


def whole(names: str) -> tuple[Case, ...]:
    """Files that bring their own ``model`` and ``example_inputs``."""
    return tuple(Case(f"whole/{name}.py", inputs=()) for name in names.split())


CASES: tuple[Case, ...] = (
    *named(
        "output.py",
        "print_between print_first print_last print_twice same_line_twice",
    ),
    *named(
        "scalars.py",
        "item item_twice item_as_shape tolist_of_integers Scale",
    ),
    *named(
        "branches.py",
        "if_else if_twice ternary while_loop for_with_branch assert_values Gate",
    ),
    Case("branches.py", "python_branch", (*MATRIX, "flag=false")),
    *named(
        "shapes.py",
        "nonzero boolean_mask mask_assignment mask_twice",
    ),
    *named(
        "inlined.py",
        "one_level two_levels called_twice called_on_two_lines in_lambda "
        "in_list_comprehension in_closure in_partial in_map in_sort_key decorated recursive "
        "in_method in_property in_generator generator_without_break",
    ),
    *named(
        "modules.py",
        "SequentialChildren LayerLoop LoopOverNoisy CalledTwice Nested hooked pre_hooked "
        "DisabledChild Clean Counting",
    ),
    *named(
        "control.py",
        "in_loop in_nested_loop after_loop in_try in_except in_finally "
        "exception_without_break in_no_grad in_two_contexts custom_context "
        "break_in_custom_context break_in_generated_context anomaly_mode open_file "
        "resumed_five_times mixed_causes",
    ),
    *named(
        "compiler.py",
        "calls_disabled calls_disabled_with_reason graph_break graph_break_first "
        "step_unsupported skip_frame nested_compile compile_inside set_grad_enabled "
        "already_compiled disabled",
    ),
    *named(
        "python.py",
        "deep_copy define_class custom_hash inspect_frame run_exec reload_module "
        "start_thread set_of_tensors",
    ),
    *named(
        "captured.py",
        "no_break branch loop_count unprovable_sum",
    ),
    *named(
        "library.py",
        "lstm custom_operator save return_context profile",
    ),
    *named("generated.py", "from_string from_linecache from_eval calls_generated"),
    *named(
        "skipped.py",
        "no_operators no_operators_but_print only_shapes generator coroutine "
        "drives_coroutine disabled empty_break_chain silent_dataclass silent_global "
        "seen_by_name",
    ),
    Case("skipped.py", "only_numbers", ("n=3",)),
    Case("skipped.py", "makes_tensor", ("n=3",)),
    Case("skipped.py", "global_tensor", ()),
    Case("skipped.py", "tensor_in_dataclass", ()),
    Case("skipped.py", "tensor_in_global_dataclass", ()),
    Case("skipped.py", "NoTensorArgument", ()),
    *named(
        "autograd.py",
        "backward_inside requires_grad grad_inside functional_grad Step CustomFunction "
        "TensorHook TrainOnly evaluated",
    ),
    *(
        Case("autograd.py", name, options=TRAIN)
        for name in (
            "CustomFunction",
            "CustomBackward",
            "TensorHook",
            "TrainOnly",
            "evaluated",
            "hooked",
        )
    ),
    *named(
        "recompiles.py",
        "integers sizes ranks dtypes grad_modes limit global_state no_recompile",
    ),
    *named(
        "failures.py",
        "backend_raises backend_gives_up backend_gives_up_after_break backend_skips "
        "print_between fullgraph_fails scalar_output fullgraph_passes own_exception "
        "own_exception_after_work wrong_shape wrong_shape_after_break exits "
        "endless_recursion",
    ),
    Case("failures.py", "print_between", options=("--fullgraph",)),
    Case("failures.py", "scalar_output", options=("--fullgraph",)),
    *named(
        "wrappers.py",
        "inlined_in_loop cond_branch cond_with_side_effect vmap_branch checkpoint "
        "functional_grad sparse",
    ),
    *named(
        "mutation.py",
        "append_to_global set_in_global global_counter mutate_then_print global_iterator in_place",
    ),
    *whole(
        "static_then_dynamic integer_limit size_limit later_break break_recompiled "
        "keyword_calls nested_inputs dataclass_input empty_first_call suppress_errors "
        "suppress_shape_error nested_breaks verbose "
        "partly_compiled in_place_compile marked_dynamic marked_unbacked"
    ),
)

# Ids of cases of every kind, for tests that have to be quick.
QUICK: tuple[str, ...] = (
    "output.py:print_first",
    "output.py:print_twice",
    "output.py:same_line_twice",
    "branches.py:if_twice",
    "branches.py:for_with_branch",
    "shapes.py:mask_twice",
    "inlined.py:called_twice",
    "inlined.py:recursive",
    "modules.py:SequentialChildren",
    "modules.py:hooked",
    "control.py:in_try",
    "control.py:anomaly_mode",
    "control.py:mixed_causes",
    "compiler.py:calls_disabled_with_reason",
    "python.py:deep_copy",
    "captured.py:loop_count",
    "generated.py:calls_generated",
    "skipped.py:no_operators_but_print",
    "skipped.py:silent_dataclass",
    "autograd.py:Step",
    "recompiles.py:limit",
    "failures.py:backend_gives_up",
    "failures.py:own_exception",
    "failures.py:scalar_output --fullgraph",
    "whole/later_break.py",
    "whole/nested_breaks.py",
    "whole/suppress_errors.py",
)
