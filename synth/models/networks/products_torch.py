"""Fast versions of the operations that take most of a network's time: matrix products, Gram matrices,
softmaxes.

Values and gradients equal those of torch's own functions up to rounding. On CPUs that are not from Intel, the
default matrix library of torch reaches only about half of the possible speed. oneDNN, which is part of torch,
does not have this limit. On one core of an AMD EPYC with AVX-512, it reached 205 billion operations per
second, and the default library 93 billion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.nn import functional

NARROW = 12
"""Maximum ratio of cells to ones of a row at which a full product is faster than adding single rows of
weights.
"""


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Limit torch to one thread inside a `with` block, as `models.blas.one_thread` does for BLAS, so that
    sums are the same on every machine.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def onednn() -> Callable[..., torch.Tensor] | None:
    """Return a function from x, y, None, "none", [], "" to the product of x and y^T. Return None if this
    version of torch has no oneDNN.
    """
    is_there: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if not (is_there and hasattr(torch.ops.mkldnn, "_linear_pointwise")):
        return None
    found: Callable[..., torch.Tensor] = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001 - not public
    return found


def times(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices, without a gradient. Shapes: [n, k] and [k, m] to [n, m]."""
    is_plain = x.dtype == y.dtype == torch.float32 and x.device.type == y.device.type == "cpu"
    multiply = onednn() if is_plain and x.numel() and y.numel() else None
    return x @ y if multiply is None else multiply(_packed(x), _packed(y.T), None, "none", [], "")


def _packed(x: torch.Tensor) -> torch.Tensor:
    """Return the matrix without gaps between rows or columns. With gaps, oneDNN is 1,000 times slower."""
    return x if x.is_contiguous() or x.T.is_contiguous() else x.contiguous()


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, ones: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        wide = x.shape[1]
        own = weights[:, :wide].contiguous()
        ctx.save_for_backward(x, ones, own)
        ctx.cells = weights.shape[1] - wide
        out = functional.embedding_bag(ones, weights[:, wide:].T.contiguous(), mode="sum")
        return out.add_(times(x, own.T)) if wide else out

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (slope,), (x, ones, own) = slopes, ctx.saved_tensors
        of_x = times(slope, own) if ctx.needs_input_grad[0] else None
        if ctx.cells <= NARROW * ones.shape[1]:
            inputs = torch.cat([x, x.new_zeros(len(x), ctx.cells).scatter_(1, ones, 1.0)], dim=1)
            return of_x, None, times(slope.T, inputs)
        of_ones = slope.new_zeros(ctx.cells, slope.shape[1])
        for column in ones.T:
            of_ones.index_add_(0, column, slope)
        return of_x, None, torch.cat([times(slope.T, x), of_ones.T], dim=1)


def layer(x: torch.Tensor, ones: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Multiply rows by weights. Each row consists of numeric values followed by zeros with a few ones at
    given positions.

    Shapes: `x` [rows, numbers]; `ones` int64[rows, ones of a row]; `weights` [outputs, numbers + cells];
    returns [rows, outputs].
    """
    found: torch.Tensor = _Layer.apply(x, ones, weights)  # type: ignore[no-untyped-call]
    return found


class _Gram(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return times(x.T, x)

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> torch.Tensor:
        (slope,), (x,) = slopes, ctx.saved_tensors
        return times(x, slope + slope.T)


def gram(x: torch.Tensor) -> torch.Tensor:
    """Return x^T x. Shapes: [rows, cells] to [cells, cells]."""
    found: torch.Tensor = _Gram.apply(x)  # type: ignore[no-untyped-call]
    return found


class _EvenLogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, cells: int) -> torch.Tensor:
        heads = x.view(len(x), -1, cells)
        heads = heads - heads.amax(dim=2, keepdim=True)
        logs = heads.sub_(heads.exp().sum(dim=2, keepdim=True).log_())
        ctx.save_for_backward(logs)
        return logs.view_as(x)

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor, None]:
        (slope,), (logs,) = slopes, ctx.saved_tensors
        heads = slope.reshape(logs.shape)
        return (heads - logs.exp() * heads.sum(dim=2, keepdim=True)).view_as(slope), None


def log_softmaxes(x: torch.Tensor, heads: list[int]) -> torch.Tensor:
    """Return the logarithm of the softmax of each head in each row. It is computed at once if all heads have
    the same size. Shapes: [rows, sum of heads] to the same.
    """
    if len(set(heads)) == 1:
        found: torch.Tensor = _EvenLogSoftmax.apply(x.contiguous(), heads[0])  # type: ignore[no-untyped-call]
        return found
    return torch.cat([head.log_softmax(dim=1) for head in torch.split(x, heads, dim=1)], dim=1)
