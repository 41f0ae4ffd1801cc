"""Numbers for readers."""

import pytest

from kernlib.report import readable


def unbroken(text):
    """Return text with spaces at which no line ends."""
    return text.replace(" ", "\u00a0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = 1e+04", "n = 10,000"),
        ("4.254e+04", "42,540"),
        ("1.6e-03", "0.0016"),
        ("-2.5e-09 of it", "−2.5·10⁻⁹ of it"),
        ("1e-10;1e-05", "10⁻¹⁰;10⁻⁵"),
        ("5e+12", "5·10¹²"),
        ("1e5", "100,000"),
        ("1e-10..1e-3", "10⁻¹⁰..0.001"),
        ("by -0.07, 3-4, 2020-11-18", "by −0.07, 3-4, 2020-11-18"),
        ("0.25", "0.25"),
        ("x1e-04y and v1.6e-04.5", "x1e-04y and v1.6e-04.5"),
    ],
)
def test_powers_of_ten(text, expected):
    assert readable.number(text) == expected


@pytest.mark.parametrize(
    ("mean", "error", "expected"),
    [
        (0.2682449, 0.00044, "0.26824 ± 0.00044"),
        (0.3457, 0.017, "0.346 ± 0.017"),
        (-0.0005113, 0.0029, "−0.0005 ± 0.0029"),
        (123.4, 25.0, "123 ± 25"),
        (0.123456, 0.0, "0.1235"),
        (0.123456, float("nan"), "0.1235"),
        (4e-9, 0.0, "4·10⁻⁹"),
    ],
)
def test_a_number_has_the_decimals_of_its_error(mean, error, expected):
    assert readable.with_error(mean, error, 4) == unbroken(expected)


def test_per_cent():
    assert readable.with_error(0.0277, 0.0010, 4, per_cent=True) == unbroken("2.77% ± 0.10%")
    assert readable.with_error(0.0003, 0.00002, 4, per_cent=True) == unbroken("0.0300% ± 0.0020%")
    assert readable.with_error(0.0003, 0.0, 4, per_cent=True) == "0.03%"


def test_evidence_is_no_program():
    assert readable.evidence("lambda = 1e-10..1e-3; lambdas, m^2") == "λ = 10⁻¹⁰–0.001; lambdas, m²"
    raw = "n_points = 1e+04; errors = 0.1911;0.1922; 3500 -> 7438; S_val"
    assert (
        readable.evidence(raw) == "n points = 10,000; errors = 0.1911, 0.1922; 3500 → 7438; S_val"
    )


def test_a_stated_formula_is_a_formula():
    assert readable.stated(r"m \approx 1.8 \times n") == r"$m \approx 1.8 \times n$"
    assert readable.stated("degree = 2") == "degree = 2"
    assert readable.stated("S_{train} = 0") == "$S_{train} = 0$"
    assert readable.stated("1/(lambda t)") == "1 / (λ t)"
    assert readable.stated("beta_i, betas") == r"β\_i, betas"
    assert readable.stated("O(n^2), 9;10") == "O(n²), 9, 10"
    assert readable.stated("use_all*") == r"use\_all\*"
