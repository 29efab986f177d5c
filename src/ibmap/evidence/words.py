"""Numbers the way people say them, without rounding a probability to certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ibmap.data.text import printable

NOTHING = 0.05  # a loss that is not worth a word
NEAR = math.log(0.999)  # a probability over 0.999 is shown by what is missing to 1
N_NAMES = 8  # named in a sentence; the rest is counted
SCALE = ((3, "weak"), (20, "positive"), (150, "strong"))  # Kass and Raftery (1995): factors and words


def probability(log_p: float, log_rest: float) -> str:
    """Write a probability so that it never reads as 0 or 1, such as ``1 - 3.0e-12``."""
    if log_p > NEAR:
        return f"1 - {_scientific(log_rest)}"
    return f"{math.exp(log_p):.3f}" if log_p > math.log(0.001) else _scientific(log_p)


def _scientific(log_value: float) -> str:
    """Write a number given by its log, however small, with two digits."""
    if log_value == -math.inf:
        return "0"
    power = math.floor(log_value / math.log(10))
    digits = f"{math.exp(log_value - power * math.log(10)):.1f}"
    return f"1.0e{power + 1}" if digits == "10.0" else f"{digits}e{power}"


def chance(value: float) -> str:
    """Write an estimated probability with three digits, so that it never reads as certain.

    >>> chance(0.5), chance(1.0), chance(0.00001)
    ('0.500', '> 0.999', '< 0.001')
    """
    if value > 0.9995:
        return "> 0.999"
    return "< 0.001" if value < 0.0005 else f"{min(max(value, 0.001), 0.999):.3f}"


def times(log_factor: float) -> str:
    """Write a factor, given by its natural log, such as ``1,230 times``."""
    if log_factor > math.log(1e6):
        return f"10^{log_factor / math.log(10):.0f} times"
    factor = math.exp(log_factor)
    if factor < 10:
        return f"{factor:.1f} times"
    digits = 10 ** max(len(str(int(factor))) - 3, 0)
    return f"{round(factor / digits) * digits:,} times"


def in_words(loss: float) -> str:
    """Say what a loss of log-score means."""
    if abs(loss) < NOTHING:
        return "about as probable"
    return f"{times(abs(loss))} {'less' if loss >= 0 else 'more'} probable"


def strength(loss: float) -> str:
    """Name how strong the evidence for a pair as it is, by the scale of Kass and Raftery."""
    if abs(loss) < NOTHING:
        return "none"
    if loss < 0:
        return "against it"
    return next((word for factor, word in SCALE if loss < math.log(factor)), "very strong")


def listed(names: Sequence[str]) -> str:
    """Join names by commas, the first few if there are many."""
    shown = ", ".join(map(printable, names[:N_NAMES]))
    return f"{shown} and {len(names) - N_NAMES} more" if len(names) > N_NAMES else shown


def share(value: float) -> str:
    """Write a share in percent that reads as 0 or 100 only if it is."""
    if 0 < value < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < value < 1 else f"{100 * value:.0f} %"


def whole(number: int) -> str:
    """Write a whole number of any size: exactly up to a million million, then as a power of ten."""
    return f"{number:,}" if number < 10**12 else f"10^{math.log10(number):.0f}"


def rough(value: float) -> str:
    """Write a count that need not be whole with two or three digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def amount(loss: float) -> str:
    """Write a loss of log-score with two decimals, never as minus zero."""
    return f"{round(loss, 2) + 0.0:.2f}"
