"""Small PNG pictures that are the same, byte by byte, in every run."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

PNG_START = b"\x89PNG\r\n\x1a\n"
# One and a half dots for each of a screen's 96 to the inch: sharp, and half of the bytes of two.
DPI = 144
SCREEN_DPI = 96
# A chart has a few colours and their blends with white; a palette cuts its size to a third.
N_COLOURS = 64


def png_of(picture: Figure | bytes, dpi: int = DPI) -> bytes:
    """Return a picture as PNG bytes with a palette.

    Parameters
    ----------
    picture : matplotlib Figure or bytes of a PNG file
        A figure is drawn; bytes are handed back as they are.
    dpi : int, default=144
        Dots to the inch of a figure.

    Returns
    -------
    bytes
        Neither date nor version is in them: the same figure gives the same bytes.
    """
    if isinstance(picture, bytes):
        if not picture.startswith(PNG_START):
            raise ValueError(
                "a picture is a matplotlib Figure or the bytes of a PNG file (paper needs pixels), "
                f"got bytes that start with {picture[:8]!r}. Hand over the figure itself."
            )
        return picture
    if not isinstance(picture, Figure):
        raise TypeError(
            f"a picture is a matplotlib Figure or the bytes of a PNG file, got "
            f"{type(picture).__name__}. From Axes, take ax.figure."
        )
    raw = BytesIO()
    FigureCanvasAgg(picture).print_figure(raw, dpi=dpi, format="png", metadata={"Software": None})
    raw.seek(0)
    small = Image.open(raw).convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
    out = BytesIO()
    small.save(out, format="PNG", optimize=True, dpi=(dpi, dpi))
    return out.getvalue()


def size_on_screen(png: bytes) -> tuple[int, int]:
    """Return width and height in a browser's pixels, 96 to the inch."""
    image = Image.open(BytesIO(png))
    dpi = image.info.get("dpi", (SCREEN_DPI, SCREEN_DPI))[0]
    return round(image.width * SCREEN_DPI / dpi), round(image.height * SCREEN_DPI / dpi)


def base64_of(png: bytes) -> str:
    """Return the bytes as base64 text."""
    return base64.b64encode(png).decode("ascii")


def sheet(pngs: Sequence[bytes], labels: Sequence[str], n_columns: int = 2) -> bytes:
    """Return one picture with all pictures side by side, each below its label.

    Parameters
    ----------
    pngs : sequence of bytes
        The pictures, in reading order.
    labels : sequence of str
        One for each picture.
    n_columns : int, default=2
        Pictures in a row; fewer if there are fewer.

    Returns
    -------
    bytes
        A PNG file: what paper shows in place of something that moves.
    """
    images = [Image.open(BytesIO(png)).convert("RGB") for png in pngs]
    n_columns = min(n_columns, len(images))
    n_rows = -(-len(images) // n_columns)
    widest, tallest = max(i.width for i in images), max(i.height for i in images)
    width = 6.4 if n_columns > 1 else 4.6
    height = n_rows * (width / n_columns * tallest / widest + 0.3)
    figure = Figure(figsize=(width, height), layout="constrained")
    for number, (image, label) in enumerate(zip(images, labels, strict=True), start=1):
        ax = figure.add_subplot(n_rows, n_columns, number)
        ax.imshow(image, interpolation="lanczos")
        ax.set_title(label, fontsize=9)
        ax.set_axis_off()
    return png_of(figure, dpi=200)


def evenly(n: int, most: int) -> list[int]:
    """Return at most ``most`` of the numbers 0 to n - 1, evenly spaced, both ends among them."""
    if n <= most:
        return list(range(n))
    return sorted({round(k * (n - 1) / (most - 1)) for k in range(most)})
