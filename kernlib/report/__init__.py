"""Figures, styles and glued numbers of the book: takes results and fitted models, never trains."""
