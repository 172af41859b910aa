# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers for readers: each with its unit, and a dash for unknown values."""

from __future__ import annotations

import math

UNKNOWN = "–"
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
PAPER_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))
DIGITS = 3
WHOLE_FROM = 1000.0
WIDEST_INTERVAL = 20  # end over end
TOO_WIDE = f"over {WIDEST_INTERVAL} × wide"


def threads(count: int) -> str:
    """`1 thread`, `2 threads`."""
    return f"{count} thread{'' if count == 1 else 's'}"


def significant(value: float, digits: int = DIGITS) -> str:
    """`value` with `digits` significant digits and no exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def seconds(value: float | None) -> str:
    """`12.3 µs`."""
    if value is None:
        return UNKNOWN
    scale, unit = next((row for row in TIME_UNITS if abs(value) >= row[0]), TIME_UNITS[-1])
    return f"{significant(value / scale)} {unit}"


def seconds_interval(low: float | None, high: float | None) -> str:
    """`1.02 … 1.08 s`: both ends in the unit of the higher one; as `ratio_interval` if they bound
    nothing."""
    if low is None or high is None:
        return UNKNOWN
    if high > WIDEST_INTERVAL * low:
        return TOO_WIDE
    scale, unit = next((row for row in TIME_UNITS if high >= row[0]), TIME_UNITS[-1])
    return f"{significant(low / scale)} … {significant(high / scale)} {unit}"


def size(value: int | None) -> str:
    """`2²⁰` for powers of two, otherwise the number with narrow spaces."""
    if value is None:
        return UNKNOWN
    if value >= 1 and value & (value - 1) == 0:
        return "2" + str(value.bit_length() - 1).translate(SUPERSCRIPTS)
    return f"{value:,}".replace(",", "\u202f")


def size_band(low: int, high: int) -> str:
    """`2³ … 2⁹`, or one size."""
    return size(low) if low == high else f"{size(low)} … {size(high)}"


def ratio(value: float | None) -> str:
    """`1.83 ×`."""
    return UNKNOWN if value is None else f"{significant(value)} ×"


def ratio_interval(low: float | None, high: float | None) -> str:
    """`1.79 … 1.88`; two or three launches that disagree give no useful bounds."""
    if low is None or high is None:
        return UNKNOWN
    if high > WIDEST_INTERVAL * low:
        return TOO_WIDE
    return f"{significant(low)} … {significant(high)}"


def percent(fraction: float | None, digits: int = 1) -> str:
    """`1.3 %`."""
    return UNKNOWN if fraction is None else f"{100 * fraction:.{digits}f} %"


def signed_percent(fraction: float | None) -> str:
    """`+12.4 %`."""
    return UNKNOWN if fraction is None else f"{100 * fraction:+.1f} %"


def rate(gib_per_s: float | None) -> str:
    """`11.7 GiB/s`."""
    return UNKNOWN if gib_per_s is None else f"{significant(gib_per_s)} GiB/s"


def mebibytes(num_bytes: int | None) -> str:
    """`2.52 MiB`."""
    return UNKNOWN if num_bytes is None else f"{num_bytes / (1 << 20):.2f} MiB"


def number(value: float | None) -> str:
    """A plain number with three significant digits; whole numbers and thousands are whole."""
    if value is None:
        return UNKNOWN
    is_whole = float(value).is_integer() or (math.isfinite(value) and abs(value) >= WHOLE_FROM)
    return f"{value:,.0f}".replace(",", "\u202f") if is_whole else significant(value)


def paper_number(value: float | None) -> str:
    """`1.72T`, `107G`, `472K`, as the paper's Tables 3 and 4 write counts."""
    if value is None:
        return "N/A"
    scale, letter = next((row for row in PAPER_UNITS if abs(value) >= row[0]), (1.0, ""))
    return f"{significant(value / scale)}{letter}" if value else "0"


# How columns show measured values; counts and sizes give the conditions.
MEASURES = (seconds, ratio, percent, signed_percent, rate, mebibytes)
