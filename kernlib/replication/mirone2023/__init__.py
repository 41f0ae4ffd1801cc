"""Document 2: A. Mirone (2023), PEGASOS implementation from scratch.  USPS, kernel Pegasos."""

from kernlib.replication.mirone2023 import beyond, claims, lambda_claims, tables, theory, variants

__all__ = ["beyond", "claims", "lambda_claims", "tables", "theory", "variants"]
