r"""What all kernels share, and what is made of other kernels: sums, products, positive multiples.

If K and L are kernels and :math:`c > 0`, then :math:`K + L`, :math:`K L`, :math:`c K` and
:math:`K + c` are kernels too [1]_: write ``K + L``, ``K * L``, ``c * K`` and ``K + c``.
Chapter: ``book/kernels.md``.  Tests: ``tests/test_kernels.py``.

References
----------
.. [1] J. Shawe-Taylor and N. Cristianini (2004), Kernel Methods for Pattern Analysis,
   Proposition 3.22.
"""

from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlib._checks import check_number
from kernlib.blocks import Block, as_rows

FLOAT32_EXPONENTS = 87.0  # exp of less than minus this is no normal float32 any more
_POSITIVE = "A multiple of a kernel by 0 or less is none."
_NOT_NEGATIVE = "A negative constant makes no kernel."


class Kernel(BaseEstimator):
    """What all kernels share; call one on two matrices for the matrix of its values."""

    # NumPy's numbers leave `number * kernel` to the kernel.
    __array_ufunc__ = None

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block, as a new array."""
        raise NotImplementedError

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row of ``X``."""
        raise NotImplementedError

    def resolved(self, X: Any) -> "Kernel":
        """Return the kernel with parameters that depend on the data replaced by numbers.

        Refuses parameters that make no kernel.
        """
        return self

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether float32 gives the values to a relative 1e-5, and none too small for it."""
        return False

    def exponent(self, largest_sq_norm: float) -> float:
        """Return a bound of -ln of the factors of K that are exponentials: how small they get."""
        return 0.0

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """Return K(x, z) for all rows x of ``X`` and z of ``Z``; ``Z`` = None means ``X``."""
        X, Z = as_rows(X), None if Z is None else as_rows(Z)
        kernel = self.resolved(X)
        if Z is not None:
            return kernel.of(Block(X, Z))
        K = kernel.of(Block(X, X))
        K[np.diag_indices_from(K)] = kernel.diag(X)
        return K

    def __add__(self, other: Any) -> "Kernel":
        if isinstance(other, Kernel):
            return Sum(self, other)
        if not isinstance(other, Real):
            return NotImplemented
        if other == 0:  # where sum() starts
            return self
        check_number("constant", other, minimum=0, hint=_NOT_NEGATIVE)
        return Sum(self, Constant(float(other)))

    __radd__ = __add__

    def __mul__(self, other: Any) -> "Kernel":
        if isinstance(other, Kernel):
            return Product(self, other)
        if not isinstance(other, Real):
            return NotImplemented
        check_number("factor", other, above=0, hint=_POSITIVE)
        return Multiple(self, float(other))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return type(self) is type(other) and self.get_params(False) == other.get_params(False)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        # Every parameter, so that a table of kernels can be read without knowing the defaults.
        values = {name: getattr(self, name) for name in signature(type(self)).parameters}
        shown = (f"{k}={getattr(v, '__qualname__', None) or repr(v)}" for k, v in values.items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(self.get_params(deep=False).items()))))


class Constant(Kernel):
    """The kernel with the same value everywhere, 0 or more."""

    def __init__(self, value: float = 1.0) -> None:
        self.value = value

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        return np.full(block.shape, self.value, dtype=block.X.dtype)

    def diag(self, X: Any) -> np.ndarray:
        """Return the value for each row."""
        return np.full(X.shape[0], self.value, dtype=X.dtype)

    def resolved(self, X: Any) -> Kernel:
        """Refuse a negative value."""
        check_number("value", self.value, minimum=0, hint=_NOT_NEGATIVE)
        return self

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether the value is of a harmless size."""
        return self.value == 0 or 1e-6 < self.value < 1e6


class _Pair(Kernel):
    """Two kernels that make a third."""

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    def resolved(self, X: Any) -> Kernel:
        """Resolve both parts."""
        parts = _part("left", self.left), _part("right", self.right)
        return type(self)(*(part.resolved(X) for part in parts))

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether both parts do, and what they make."""
        parts = (self.left, self.right)
        return (
            all(part.suits_float32(largest_sq_norm) for part in parts)
            and self.exponent(largest_sq_norm) < FLOAT32_EXPONENTS
        )


class Sum(_Pair):
    """The sum of two kernels."""

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        return self.left.of(block) + self.right.of(block)

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row."""
        return self.left.diag(X) + self.right.diag(X)

    def exponent(self, largest_sq_norm: float) -> float:
        """Return the larger bound."""
        return max(part.exponent(largest_sq_norm) for part in (self.left, self.right))


class Product(_Pair):
    """The product of two kernels."""

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        return self.left.of(block) * self.right.of(block)

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row."""
        return self.left.diag(X) * self.right.diag(X)

    def exponent(self, largest_sq_norm: float) -> float:
        """Return the sum of the bounds."""
        return sum(part.exponent(largest_sq_norm) for part in (self.left, self.right))


class Multiple(Kernel):
    """A positive multiple of a kernel."""

    def __init__(self, kernel: Kernel, factor: float = 1.0) -> None:
        self.kernel = kernel
        self.factor = factor

    def of(self, block: Block) -> np.ndarray:
        """Return the values on the pairs of a block."""
        values = self.kernel.of(block)
        return np.multiply(values, values.dtype.type(self.factor), out=values)

    def diag(self, X: Any) -> np.ndarray:
        """Return K(x, x) for each row."""
        return self.kernel.diag(X) * X.dtype.type(self.factor)

    def resolved(self, X: Any) -> Kernel:
        """Resolve the kernel, check the factor."""
        check_number("factor", self.factor, above=0, hint=_POSITIVE)
        return Multiple(_part("kernel", self.kernel).resolved(X), self.factor)

    def suits_float32(self, largest_sq_norm: float) -> bool:
        """Tell whether the kernel does, and the factor is of a harmless size."""
        return (
            1e-6 < self.factor < 1e6
            and self.kernel.suits_float32(largest_sq_norm)
            and self.exponent(largest_sq_norm) < FLOAT32_EXPONENTS
        )

    def exponent(self, largest_sq_norm: float) -> float:
        """Return the kernel's bound, less ln of the factor."""
        return self.kernel.exponent(largest_sq_norm) - float(np.log(self.factor))


def _part(name: str, part: Any) -> Kernel:
    if not isinstance(part, Kernel):
        raise TypeError(
            f"{name} must be a kernel object, got {name}={part!r}. "
            "Names and functions become one by kernlib.kernels.as_kernel."
        )
    return part
