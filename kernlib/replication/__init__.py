"""The documents' experiments, repeated: one module per document, one function per table."""
