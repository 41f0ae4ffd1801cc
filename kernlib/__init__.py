"""Kernelized linear predictors with readable, compiled loops.

Public names are loaded on first use (PEP 562), so that ``import kernlib`` stays instant:
numpy, numba and scikit-learn are imported with the first learner.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernlib.learners.budget import BudgetPerceptron
    from kernlib.learners.kernel_pegasos import KernelPegasos
    from kernlib.learners.kernel_perceptron import KernelPerceptron
    from kernlib.learners.kernel_svm import KernelSVM
    from kernlib.learners.pegasos import Pegasos
    from kernlib.learners.perceptron import Perceptron
    from kernlib.learners.winnow import Winnow

__version__ = "1.0.0"

__all__ = [
    "BudgetPerceptron",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelSVM",
    "Pegasos",
    "Perceptron",
    "Winnow",
    "__version__",
]

_HOME = {
    "Perceptron": "kernlib.learners.perceptron",
    "Pegasos": "kernlib.learners.pegasos",
    "Winnow": "kernlib.learners.winnow",
    "KernelPerceptron": "kernlib.learners.kernel_perceptron",
    "KernelPegasos": "kernlib.learners.kernel_pegasos",
    "BudgetPerceptron": "kernlib.learners.budget",
    "KernelSVM": "kernlib.learners.kernel_svm",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'kernlib' has no attribute {name!r}; its public names are {', '.join(_HOME)}"
        )
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
