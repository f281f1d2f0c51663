"""Adam whose moments stand still where the gradient is zero."""

from __future__ import annotations

import math

import torch
from torch import Tensor

FIRST, SECOND, LEAST = 0.9, 0.999, 1e-8


class MaskedAdam:
    """Adam (Kingma and Ba 2015), in the form of PyTorch's SparseAdam: an entry whose gradient is exactly zero
    keeps its value and its moments, while the bias correction counts all steps."""

    def __init__(self, like: Tensor) -> None:
        self.first, self.second, self.steps = torch.zeros_like(like), torch.zeros_like(like), 0

    def move(self, values: Tensor, gradient: Tensor, rate: float) -> None:
        """One step, in place. Shapes: both as the tensor it was made for."""
        self.steps += 1
        touched = gradient != 0
        self.first = torch.where(touched, FIRST * self.first + (1 - FIRST) * gradient, self.first)
        self.second = torch.where(touched, SECOND * self.second + (1 - SECOND) * gradient**2, self.second)
        step = rate * math.sqrt(1 - SECOND**self.steps) / (1 - FIRST**self.steps)
        moved = step * self.first / (self.second.sqrt() + LEAST)
        values -= torch.where(touched, moved, torch.zeros_like(moved))
