"""Document 4: L. Romano (2021), Digit classification with the Kernel Perceptron.  MNIST."""

from kernlib.replication.romano2021 import beyond, claims, tables, variants

__all__ = ["beyond", "claims", "tables", "variants"]
