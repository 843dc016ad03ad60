"""A stack of linear, ReLU and max-pooling layers as a `ReluNet` with dense layers.

A tensor on its way through the network is an affine function of the last ReLU's outputs (at first, of the
inputs). Linear layers act on that function; a ReLU ends a dense layer and starts anew.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from milbox.arrays import FloatArray
from milbox.surrogates.relu import Layer, ReluNet


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """signals @ slopes + offset, in some shape; `layers` made the signals."""

    slopes: FloatArray
    """(signals, *shape)"""
    offset: FloatArray
    """(*shape)"""
    layers: tuple[Layer, ...] = ()

    @classmethod
    def inputs(cls, count: int, layers: tuple[Layer, ...] = ()) -> "Tensor":
        """The signals themselves."""
        return cls(np.eye(count), np.zeros(count), layers)

    @property
    def shape(self) -> tuple[int, ...]:
        """Without the batch."""
        return self.offset.shape

    def mapped(self, linear: Callable[[FloatArray], FloatArray]) -> "Tensor":
        """After a linear map that takes (n, *shape)."""
        return Tensor(linear(self.slopes), linear(self.offset[None])[0], self.layers)

    def shifted(self, bias: FloatArray) -> "Tensor":
        """After adding a constant that broadcasts against the shape."""
        offset = self.offset + bias
        return Tensor(np.broadcast_to(self.slopes, (len(self.slopes), *offset.shape)), offset, self.layers)

    def reshaped(self, *shape: int) -> "Tensor":
        """In another shape."""
        return self.mapped(lambda x: x.reshape(len(x), *shape))

    def dense(self, weights: FloatArray, bias: FloatArray) -> "Tensor":
        """After x @ weights + bias along the last axis."""
        if self.shape[-1] != len(weights):
            raise TypeError(f"a layer takes {len(weights)} inputs, and gets a tensor of shape {self.shape}")
        return self.mapped(lambda x: x @ weights).shifted(bias)

    def convolved(
        self,
        kernels: FloatArray,
        bias: FloatArray,
        stride: int = 1,
        padding: tuple[int, int] = (0, 0),
        dilation: int = 1,
    ) -> "Tensor":
        """After a one-dimensional convolution with kernels (out, in, width) over a tensor (in, length)."""
        if self.shape[0] != kernels.shape[1]:
            raise TypeError(
                f"a convolution takes {kernels.shape[1]} channels, and gets a tensor of shape {self.shape}"
            )
        windows = self.mapped(lambda x: windowed(x, kernels.shape[2], stride, padding, dilation))
        return windows.mapped(lambda x: np.einsum("nclw,ocw->nol", x, kernels)).shifted(bias[:, None])

    def relu(self) -> "Tensor":
        """After a ReLU, which ends a layer."""
        layer = Layer(self.slopes.reshape(len(self.slopes), -1), self.offset.ravel())
        return Tensor.inputs(len(layer.bias), (*self.layers, layer)).reshaped(*self.shape)

    def max_pooled(self, width: int, stride: int, padding: tuple[int, int] = (0, 0)) -> "Tensor":
        """After taking the largest of each window along the last axis.

        max(a, b) = max(0, a - b) + max(0, b) - max(0, -b): pairs are compared until one is left.
        """
        if padding != (0, 0):
            raise TypeError("max-pooling with padding cannot be read; pad with zeros before it instead")
        pool = self.mapped(lambda x: windowed(x, width, stride, padding, 1))
        while pool.shape[-1] > 1:
            half = pool.shape[-1] // 2
            pairs = pool.mapped(
                lambda x, h=half: np.stack(  # type: ignore[misc]
                    [x[..., :h] - x[..., h : 2 * h], x[..., h : 2 * h], -x[..., h : 2 * h]], axis=1
                )
            )
            rest = pool.mapped(lambda x, h=half: np.stack([x[..., 2 * h :], -x[..., 2 * h :]], axis=1))  # type: ignore[misc]
            pool = larger(pairs, rest)
        return pool.mapped(lambda x: x[..., 0])

    def net(self) -> ReluNet:
        """The whole network, once its output is a single number."""
        if self.offset.size != 1:
            raise TypeError(f"the network has {self.offset.size} outputs; only a single one can be optimised")
        return ReluNet(
            (*self.layers, Layer(self.slopes.reshape(len(self.slopes), 1), self.offset.reshape(1)))
        )


def larger(pairs: Tensor, rest: Tensor) -> Tensor:
    """One ReLU layer over pairs (a - b, b, -b) and over what has no partner (c, -c); the maxima remain."""
    size, single = pairs.offset.size, rest.offset.size
    joined = Tensor(
        np.concatenate([t.slopes.reshape(len(t.slopes), -1) for t in (pairs, rest)], axis=1),
        np.concatenate([pairs.offset.ravel(), rest.offset.ravel()]),
        pairs.layers,
    ).relu()

    def settled(x: FloatArray) -> FloatArray:
        three = x[:, :size].reshape(len(x), *pairs.shape)
        two = x[:, size : size + single].reshape(len(x), *rest.shape)
        both: FloatArray = np.concatenate(
            [three[:, 0] + three[:, 1] - three[:, 2], two[:, 0] - two[:, 1]], axis=-1
        )
        return both

    return joined.mapped(settled)


def windowed(x: FloatArray, width: int, stride: int, padding: tuple[int, int], dilation: int) -> FloatArray:
    """The windows (..., places, width) of the last axis."""
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [padding])
    reach = dilation * (width - 1) + 1
    if padded.shape[-1] < reach:
        raise TypeError(f"a window of {reach} does not fit a length of {padded.shape[-1]}")
    windows: FloatArray = sliding_window_view(padded, reach, axis=-1)[..., ::stride, ::dilation]
    return windows
