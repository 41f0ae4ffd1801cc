r"""Kernels :math:`\exp(-\gamma D(x, z))` of a distance D: Gaussian, exponential, Laplacian.

======================  ===========================
class                   D(x, z)
======================  ===========================
``Gaussian``            :math:`\|x - z\|^2`
``Exponential``         :math:`\|x - z\|`
``Laplacian``           :math:`\|x - z\|_1`
``SquaredL1``           :math:`\|x - z\|_1^2`
======================  ===========================

Chapter: ``book/kernels.md``.  Tests: ``tests/test_kernels.py``.
"""

from typing import Any

import numpy as np
from scipy import sparse

from kernlib._checks import check_number
from kernlib.blocks import Block
from kernlib.kernel_algebra import FLOAT32_EXPONENTS, Kernel

FLOAT32_ROUNDING = float(np.finfo(np.float32).eps) / 2
LARGEST_FLOAT32_ERROR = 1e-5  # of a kernel value, relative: about a hundred roundings


class _OfDistance(Kernel):
    """A kernel exp(-gamma D) of some distance D, with K(x, x) = 1."""

    def __init__(self, gamma: Any = "scale") -> None:
        self.gamma = gamma

    def _distances(self, block: Block) -> np.ndarray:
        raise NotImplementedError

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        D = self._distances(block)
        values = D * D.dtype.type(-self.gamma)
        return np.exp(values, out=values)

    def diag(self, X: Any) -> np.ndarray:
        """Return ones."""
        return np.ones(X.shape[0], dtype=X.dtype)

    def resolved(self, X: Any) -> Kernel:
        """Replace ``gamma="scale"`` by 1 / (n_features times the variance of X)."""
        if not isinstance(self.gamma, str):
            hint = "Or pass 'scale' for 1 / (n_features * X.var())."
            check_number("gamma", self.gamma, above=0, hint=hint)
            return self
        if self.gamma != "scale":
            raise ValueError(
                f"gamma must be a number > 0 or 'scale', got gamma={self.gamma!r}. Choose one."
            )
        return type(self)(gamma=_scale(X))


class Gaussian(_OfDistance):
    """The Gaussian kernel exp(-gamma ||x - z||^2).

    Parameters
    ----------
    gamma : float or "scale", default="scale"
        The inverse of twice the variance; "scale" is
        1 / (n_features * X.var()), as in scikit-learn.

    Examples
    --------
    >>> Gaussian.with_variance(2.0)([[0.0], [2.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    @classmethod
    def with_variance(cls, variance: float) -> "Gaussian":
        """Return exp(-||x - z||^2 / (2 variance))."""
        check_number("variance", variance, above=0, hint="It is the square of the width.")
        return cls(gamma=1 / (2 * variance))

    def _distances(self, block: Block) -> np.ndarray:
        return block.sq_distances

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether rounding of the inner products moves the exponent little enough."""
        exponent = self.exponent(largest_sq_norm)
        return exponent * FLOAT32_ROUNDING < LARGEST_FLOAT32_ERROR and exponent < FLOAT32_EXPONENTS

    def exponent(self, largest_sq_norm: float) -> float:
        """Return the largest gamma ||x - z||^2 that the norms allow."""
        return 4 * float(self.gamma) * largest_sq_norm


class Exponential(_OfDistance):
    """The exponential kernel exp(-gamma ||x - z||), of the distance that is not squared.

    Its root magnifies the rounding of small distances, so it is computed in float64.

    Parameters
    ----------
    gamma : float or "scale", default="scale"
        The inverse of the length over which it falls to 1/e; "scale" is
        1 / (n_features * X.var()), as in scikit-learn.
    """

    @classmethod
    def with_length(cls, length: float) -> "Exponential":
        """Return exp(-||x - z|| / length)."""
        check_number("length", length, above=0, hint="It is in the units of the features.")
        return cls(gamma=1 / length)

    def _distances(self, block: Block) -> np.ndarray:
        return np.sqrt(block.sq_distances)


class Laplacian(_OfDistance):
    """The Laplacian kernel exp(-gamma ||x - z||_1), of the sum of absolute differences.

    Parameters
    ----------
    gamma : float or "scale", default="scale"
        The inverse of the length over which it falls to 1/e; "scale" is
        1 / (n_features * X.var()), as in scikit-learn.
    """

    def _distances(self, block: Block) -> np.ndarray:
        return block.l1_distances


class SquaredL1(_OfDistance):
    """exp(-gamma ||x - z||_1^2), positive semidefinite for every gamma in one dimension only.

    Document 2's program used it, by a slip, for the Gaussian.  It is here to repeat that.

    Parameters
    ----------
    gamma : float or "scale", default="scale"
        The factor of the squared distance; "scale" is
        1 / (n_features * X.var()), as in scikit-learn.
    """

    def _distances(self, block: Block) -> np.ndarray:
        return block.l1_distances**2


def _scale(X: Any) -> float:
    if sparse.issparse(X):
        data, size = X.data.astype(np.float64), X.shape[0] * X.shape[1]
        variance = data @ data / size - (data.sum() / size) ** 2
    else:
        variance = float(X.var(dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
