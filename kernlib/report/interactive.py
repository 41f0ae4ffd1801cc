"""Parts of a page that answer to clicks and keys; on paper, and without scripts, a still picture.

An object of this module is shown by ending a cell with it.  The HTML carries the data and nothing
else; ``book/_assets/kernlib.js`` brings it to life.  Tests: ``tests/report/test_interactive.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import product
from typing import Any

from matplotlib.figure import Figure

from kernlib.report.interactive_tables import DataTable, HeatMap, checked_name
from kernlib.report.pictures import base64_of, evenly, png_of, sheet, size_on_screen

__all__ = ["DataTable", "FrameSlider", "HeatMap", "SurfaceExplorer"]

# Base64 of all pictures of one part; a page has at most 3 MB.
MAX_BYTES = 2_000_000


def _checked_size(pictures: Sequence[str], name: str) -> None:
    total = sum(map(len, pictures))
    if total > MAX_BYTES:
        raise ValueError(
            f"the {len(pictures)} pictures of {name!r} take {total:,} bytes, more than "
            f"{MAX_BYTES:,}. Show fewer pictures or draw smaller figures."
        )


def _image(png: bytes, alt: str) -> str:
    width, height = size_on_screen(png)
    return (
        f'<img class="kl-picture" src="data:image/png;base64,{base64_of(png)}" '
        f'alt="{escape(alt)}" width="{width}" height="{height}">'
    )


def _data(**values: Any) -> str:
    # "</" would end the element early.
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f'<script type="application/json" class="kl-data">{text}</script>'


class FrameSlider:
    """Pictures to step through: play and pause, a slider, single steps.

    Parameters
    ----------
    frames : iterable of (str, matplotlib Figure or PNG bytes)
        Label and picture of each step, in order.
    name : str
        Makes the ids of the page: ``<chapter>-<what>``.
    alt : str
        What one would see, for readers who do not; the label of the step is added to it.
    still : int, default=-1
        The step that is shown first.
    seconds : float, default=0.8
        Time of a step while playing.
    n_stills : int, default=4
        Steps that paper shows, evenly spaced.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frames = [("step 1", Figure()), ("step 2", Figure())]
    >>> slider = FrameSlider(frames, "a-walk", "An empty box.")
    >>> sorted(slider._repr_mimebundle_())
    ['image/png', 'text/html', 'text/plain']
    """

    def __init__(
        self,
        frames: Iterable[tuple[str, Figure | bytes]],
        name: str,
        alt: str,
        *,
        still: int = -1,
        seconds: float = 0.8,
        n_stills: int = 4,
    ) -> None:
        self.name, self.alt = checked_name(name), alt
        pairs = [(label, png_of(picture)) for label, picture in frames]
        if not pairs:
            raise ValueError(f"{name!r} needs at least one frame, got none.")
        self.labels = [label for label, _ in pairs]
        self.pngs = [png for _, png in pairs]
        self.still = range(len(pairs))[still]
        self.seconds, self.n_stills = seconds, n_stills

    def __repr__(self) -> str:
        return f"FrameSlider({self.name!r}, {len(self.pngs)} steps)"

    def html(self) -> str:
        """Return the HTML: a picture, hidden controls, and the data."""
        pictures = [base64_of(png) for png in self.pngs]
        _checked_size(pictures, self.name)
        name, last, label = self.name, len(pictures) - 1, escape(self.labels[self.still])
        alt = f"{self.alt} {self.labels[self.still]}"
        return (
            f'<div class="kl-widget" data-kernlib="frames" id="{name}" role="group" '
            f'aria-label="Step by step">'
            f"{_image(self.pngs[self.still], alt)}"
            f'<p class="kl-readout" id="{name}-label" aria-live="polite">{label}</p>'
            '<div class="kl-controls" hidden>'
            '<button type="button" class="kl-play">Play</button>'
            '<button type="button" class="kl-step" data-step="-1" aria-label="Step back">'
            "\N{MINUS SIGN}</button>"
            f'<label class="kl-grow" for="{name}-step">Step '
            f'<input type="range" id="{name}-step" min="0" max="{last}" value="{self.still}" '
            f'aria-valuetext="{label}"></label>'
            '<button type="button" class="kl-step" data-step="1" aria-label="Step on">+</button>'
            "</div>"
            f"{_data(alt=self.alt, labels=self.labels, pictures=pictures, seconds=self.seconds)}"
            "</div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        shown = evenly(len(self.pngs), self.n_stills)
        still = sheet([self.pngs[k] for k in shown], [self.labels[k] for k in shown])
        return {"text/html": self.html(), "image/png": base64_of(still), "text/plain": repr(self)}


class SurfaceExplorer:
    """One picture for each choice of a few parameters, each with a slider.

    Parameters
    ----------
    parameters : mapping of str to sequence
        Name and values of each parameter, in the order of the keys of ``pictures``.
    pictures : mapping of tuple to matplotlib Figure or PNG bytes
        A picture for every combination of the values.
    texts : mapping of tuple to str
        What is said below each picture, for example the error.
    name : str
        Makes the ids of the page: ``<chapter>-<what>``.
    alt : str
        What one would see; parameters and text are added to it.
    first : tuple, optional
        The combination that is shown first; by default the first of all.
    stills : sequence of tuple, optional
        The combinations that paper shows; by default four, evenly spaced.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> explorer = SurfaceExplorer({"degree": [1, 2]}, {(1,): Figure(), (2,): Figure()},
    ...     {(1,): "error 3 %", (2,): "error 1 %"}, "a-surface", "Two regions.")
    >>> explorer.label((2,))
    'degree 2: error 1 %'
    """

    def __init__(
        self,
        parameters: Mapping[str, Sequence[Any]],
        pictures: Mapping[tuple, Figure | bytes],
        texts: Mapping[tuple, str],
        name: str,
        alt: str,
        *,
        first: tuple | None = None,
        stills: Sequence[tuple] | None = None,
    ) -> None:
        self.name, self.alt, self.texts = checked_name(name), alt, texts
        self.parameters = {key: list(values) for key, values in parameters.items()}
        self.keys = list(product(*self.parameters.values()))
        for what, given in (("pictures", pictures), ("texts", texts)):
            missing = [key for key in self.keys if key not in given]
            if missing:
                raise ValueError(
                    f"{what} of {name!r} must have every combination of {list(parameters)}, but "
                    f"{len(missing)} are missing, the first is {missing[0]!r}."
                )
        self.pngs = {key: png_of(pictures[key]) for key in self.keys}
        self.first = self.keys[0] if first is None else first
        self.stills = (
            [self.keys[k] for k in evenly(len(self.keys), 4)] if stills is None else list(stills)
        )

    def __repr__(self) -> str:
        return f"SurfaceExplorer({self.name!r}, {len(self.keys)} pictures)"

    def label(self, key: tuple) -> str:
        """Return the parameters and the text of a picture as a sentence part."""
        names = ", ".join(f"{n} {v}" for n, v in zip(self.parameters, key, strict=True))
        return f"{names}: {self.texts[key]}"

    def _slider(self, number: int) -> str:
        parameter = list(self.parameters)[number]
        values = [str(value) for value in self.parameters[parameter]]
        at = self.parameters[parameter].index(self.first[number])
        ident = f"{self.name}-{number}"
        return (
            f'<label class="kl-grow" for="{ident}">{escape(parameter)} '
            f'<output for="{ident}">{escape(values[at])}</output>'
            f'<input type="range" id="{ident}" min="0" max="{len(values) - 1}" value="{at}" '
            f'aria-valuetext="{escape(values[at])}"></label>'
        )

    def html(self) -> str:
        """Return the HTML: a picture, hidden sliders, and the data."""
        pictures = [base64_of(self.pngs[key]) for key in self.keys]
        _checked_size(pictures, self.name)
        label = self.label(self.first)
        sliders = "".join(self._slider(number) for number in range(len(self.parameters)))
        data = _data(
            alt=self.alt,
            labels=[self.label(key) for key in self.keys],
            pictures=pictures,
            values=[[str(v) for v in values] for values in self.parameters.values()],
        )
        return (
            f'<div class="kl-widget" data-kernlib="explorer" id="{self.name}" role="group" '
            f'aria-label="Choose {escape(", ".join(self.parameters))}">'
            f"{_image(self.pngs[self.first], f'{self.alt} {label}')}"
            f'<p class="kl-readout" aria-live="polite">{escape(label)}</p>'
            f'<div class="kl-controls" hidden>{sliders}</div>{data}</div>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        still = sheet([self.pngs[k] for k in self.stills], [self.label(k) for k in self.stills])
        return {"text/html": self.html(), "image/png": base64_of(still), "text/plain": repr(self)}
