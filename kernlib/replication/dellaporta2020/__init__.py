"""Document 5: Dellaporta and Lau (2020), COMP0078 coursework 2.  USPS; sample complexity."""

from kernlib.replication.dellaporta2020 import (
    beyond,
    claims,
    claims_machines,
    claims_part2,
    comparison,
    epochs,
    forgetron,
    hardest,
    perceptrons,
    precision,
    reduced,
    sample_complexity,
    svm,
    variants,
)

__all__ = [
    "beyond",
    "claims",
    "claims_machines",
    "claims_part2",
    "comparison",
    "epochs",
    "forgetron",
    "hardest",
    "perceptrons",
    "precision",
    "reduced",
    "sample_complexity",
    "svm",
    "variants",
]
