"""Four sizes in four calls: static, then dynamic, then no compilation more."""

import torch


def model(x):
    """One operator."""
    return x * 2


example_inputs = [(torch.ones(rows, 4),) for rows in (2, 3, 5, 7)]
