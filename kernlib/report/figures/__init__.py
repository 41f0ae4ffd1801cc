"""Figures of the book, a module per chapter.

``plot_*(data, ax=None) -> Axes``: no training, no title (the caption says it), no saving.
"""
