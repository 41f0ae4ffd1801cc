"""Document 1: D. Cologni (2024), Kernelized Linear Predictor.  The Milan table."""

from kernlib.replication.cologni2024 import (
    beyond,
    claims,
    description,
    facts,
    kernel_claims,
    kernels,
    lambda_claims,
    logistic,
    rates,
    tables,
    variants,
)

__all__ = [
    "beyond",
    "claims",
    "description",
    "facts",
    "kernel_claims",
    "kernels",
    "lambda_claims",
    "logistic",
    "rates",
    "tables",
    "variants",
]
