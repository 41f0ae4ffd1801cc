r"""Kernels: functions of two rows that are inner products of their images in some space.

======================  ============================================  =====================
class                   K(x, z)                                       name
======================  ============================================  =====================
``Linear``              :math:`\langle x, z\rangle`                   ``"linear"``
``Polynomial``          :math:`(s\langle x, z\rangle + c)^n`          ``"poly"``
``Gaussian``            :math:`\exp(-\gamma\|x - z\|^2)`              ``"rbf"``
``Exponential``         :math:`\exp(-\gamma\|x - z\|)`                ``"exponential"``
``Laplacian``           :math:`\exp(-\gamma\|x - z\|_1)`              ``"laplacian"``
``SquaredL1``           :math:`\exp(-\gamma\|x - z\|_1^2)`            ``"squared_l1"``
``Precomputed``         X holds the values                            ``"precomputed"``
======================  ============================================  =====================

Sums, products and positive multiples of kernels are kernels: ``Linear() + 0.5 * Gaussian()``.
A learner takes an object, a name (with the default parameters) or a function of two matrices.
The documents write these kernels in different ways; here is each as an object:

===========================================  =================================
a document's formula                         the object
===========================================  =================================
1, 4: :math:`(1 + \langle x,z\rangle)^n`     ``Polynomial(degree=n)``
5: :math:`\langle x,z\rangle^d`              ``Polynomial(degree=d, coef0=0)``
1, 2, text: :math:`\exp(-\|x-z\|^2/(2g))`    ``Gaussian.with_variance(g)``
1, code: :math:`\exp(-\|x-z\|/g)`            ``Exponential.with_length(g)``
2, code: :math:`\exp(-(g/2)\|x-z\|_1^2)`     ``SquaredL1(gamma=g / 2)``
5: :math:`\exp(-c\|x-z\|^2)`                 ``Gaussian(gamma=c)``
===========================================  =================================

Chapter: ``book/kernels.md``.  Tests: ``tests/test_kernels.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from kernlib._checks import check_number
from kernlib._jit import jit
from kernlib.blocks import Block, sq_norms
from kernlib.distance_kernels import Exponential, Gaussian, Laplacian, SquaredL1
from kernlib.kernel_algebra import Constant, Kernel, Multiple, Product, Sum

__all__ = [
    "Block",
    "Constant",
    "Exponential",
    "FromFunction",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Multiple",
    "Polynomial",
    "Precomputed",
    "Product",
    "SquaredL1",
    "Sum",
    "as_kernel",
    "sq_norms",
]


class Linear(Kernel):
    """The inner product itself."""

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        return block.products.copy()

    def diag(self, X: Any) -> np.ndarray:
        """Return the squared norms."""
        return sq_norms(X)

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether the values fit."""
        return largest_sq_norm < float(np.finfo(np.float32).max)


@jit
def _power(P, scale, coef0, degree):
    """Return (scale P + coef0) ** degree, by squaring and multiplying, a row at a time."""
    out = np.empty_like(P)
    n_columns = P.shape[1]
    base = np.empty(n_columns, P.dtype)
    for i in range(P.shape[0]):
        products, power = P[i], out[i]
        for j in range(n_columns):
            base[j] = scale * products[j] + coef0
            power[j] = base[j]
        # Every binary digit of the degree after the first squares; a digit 1 also multiplies.
        digit = 1
        while 2 * digit <= degree:
            digit *= 2
        while digit > 1:
            digit //= 2
            if degree & digit:
                for j in range(n_columns):
                    power[j] = power[j] * power[j] * base[j]
            else:
                for j in range(n_columns):
                    power[j] = power[j] * power[j]
    return out


class Polynomial(Kernel):
    """The polynomial kernel (scale <x, z> + coef0) ** degree.

    Parameters
    ----------
    degree : int, default=3
        The power, taken by multiplication.
    coef0 : float, default=1.0
        The constant, 0 or more; with 0 only monomials of the full degree are features.
    scale : float, default=1.0
        The factor of the inner product (scikit-learn's ``gamma``).

    Examples
    --------
    >>> Polynomial(degree=2)([[1.0, 2.0], [3.0, -2.0]])
    array([[ 36.,   0.],
           [  0., 196.]])
    """

    def __init__(self, degree: int = 3, coef0: float = 1.0, scale: float = 1.0) -> None:
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        return self._power(block.products)

    def _power(self, products: np.ndarray) -> np.ndarray:
        number = products.dtype.type
        return _power(products, number(self.scale), number(self.coef0), int(self.degree))

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row."""
        return self._power(sq_norms(X)[np.newaxis])[0]

    def resolved(self, X: Any) -> Kernel:
        """Refuse parameters that make no kernel."""
        hint = "Typical values: 2 to 6."
        check_number("degree", self.degree, minimum=1, integer=True, hint=hint)
        hint = "A negative constant makes no kernel; 0 and 1 are usual."
        check_number("coef0", self.coef0, minimum=0, hint=hint)
        check_number("scale", self.scale, above=0, hint="1 leaves the inner products as they are.")
        return self

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether the largest value fits."""
        base = float(self.scale) * largest_sq_norm + float(self.coef0)
        limit = np.log(float(np.finfo(np.float32).max))
        return base <= 1 or self.degree * np.log(base) < limit


class FromFunction(Kernel):
    """A kernel given as a function of two matrices that returns the matrix of values."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        values = np.array(self.function(block.X, block.Z), dtype=block.X.dtype, order="C")
        if values.shape != block.shape:
            raise ValueError(
                f"A kernel function must return a matrix of shape {block.shape} for so many rows "
                f"of its arguments, got shape {values.shape}. Make it take two matrices."
            )
        return values

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row."""
        parts = gen_batches(X.shape[0], 64)  # the function may be slow to call
        values = [np.diagonal(self.of(Block(X[rows], X[rows]))) for rows in parts]
        return np.concatenate([np.empty(0, dtype=X.dtype), *values])


class Precomputed(Kernel):
    """Values computed outside: X is K(x_i, x_j), in ``predict`` K(x, x_j) for all fitted x_j."""

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """Return ``X``."""
        return np.asarray(X)

    def of(self, block: Block) -> np.ndarray:
        """Refuse: there are no rows to compute values of."""
        raise ValueError(
            "kernel='precomputed' has values, no rows, and cannot be a part of another kernel. "
            "Add or multiply the matrices instead, and pass the result."
        )


NAMES: dict[str, type[Kernel]] = {
    "linear": Linear,
    "poly": Polynomial,
    "rbf": Gaussian,
    "exponential": Exponential,
    "laplacian": Laplacian,
    "squared_l1": SquaredL1,
    "precomputed": Precomputed,
}


def as_kernel(kernel: Any) -> Kernel:
    """Return the kernel that an object, a name or a function of two matrices stands for."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in NAMES:
        return NAMES[kernel]()
    if callable(kernel) and not isinstance(kernel, type):
        return FromFunction(kernel)
    names = ", ".join(map(repr, NAMES))
    raise ValueError(
        f"kernel must be one of {names}, a kernel object like kernlib.kernels.Gaussian(gamma=0.1), "
        f"or a function of two matrices; got kernel={kernel!r}. Choose one."
    )
