"""Numbers the way people say them, without rounding a probability to certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ibmap.text import printable

NOTHING = 0.05  # a loss that is not worth a word
NEAR = math.log(0.999)  # a probability over 0.999 is told by what is missing to 1
N_NAMES = 8  # named in a sentence; the rest is counted
SCALE = ((3, "weak"), (20, "positive"), (150, "strong"))  # Kass and Raftery (1995): factors and words


def probability(log_p: float, log_rest: float) -> str:
    """Write a probability so that it never reads as 0 or 1.

    Parameters
    ----------
    log_p : float
        Its natural log.
    log_rest : float
        Natural log of one minus it.

    Returns
    -------
    str
        Such as ``0.762``, ``1 - 3.0e-12`` or ``2.2e-435``.

    Examples
    --------
    >>> probability(math.log(0.762), math.log(0.238)), probability(-1e-30, -1000.0)
    ('0.762', '1 - 5.1e-435')
    """
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


def times(log_factor: float) -> str:
    """Write a factor, given by its natural log, the way people say it.

    Parameters
    ----------
    log_factor : float
        At least 0.

    Returns
    -------
    str
        Such as ``1,230 times``.

    Examples
    --------
    >>> times(0.7), times(7.11), times(100.0)
    ('2.0 times', '1,220 times', '10^43 times')
    """
    if log_factor > math.log(1e6):
        return f"10^{log_factor / math.log(10):.0f} times"
    factor = math.exp(log_factor)
    if factor < 10:
        return f"{factor:.1f} times"
    digits = 10 ** max(len(str(int(factor))) - 3, 0)
    return f"{round(factor / digits) * digits:,} times"


def in_words(loss: float) -> str:
    """Say what a loss of log-score means.

    Parameters
    ----------
    loss : float
        How much the natural log of the score falls.

    Returns
    -------
    str
        Such as ``1,230 times less probable``.

    Examples
    --------
    >>> in_words(2.0), in_words(-1.0), in_words(0.01)
    ('7.4 times less probable', '2.7 times more probable', 'about as probable')
    """
    if abs(loss) < NOTHING:
        return "about as probable"
    return f"{times(abs(loss))} {'less' if loss >= 0 else 'more'} probable"


def strength(loss: float) -> str:
    """Name how strong the evidence for a pair as it is, by the scale of Kass and Raftery.

    Parameters
    ----------
    loss : float
        How much the natural log of the score falls if the pair is flipped.

    Returns
    -------
    str
        ``"very strong"`` (a factor over 150), ``"strong"`` (20), ``"positive"`` (3), ``"weak"``,
        ``"none"`` (hardly any change) or ``"against it"`` (the score would rise).

    Examples
    --------
    >>> [strength(loss) for loss in (-1.0, 0.0, 0.5, 2.0, 4.0, 9.0)]
    ['against it', 'none', 'weak', 'positive', 'strong', 'very strong']
    """
    if abs(loss) < NOTHING:
        return "none"
    if loss < 0:
        return "against it"
    return next((word for factor, word in SCALE if loss < math.log(factor)), "very strong")


def listed(names: Sequence[str]) -> str:
    """Join names by commas, the first few if there are many.

    Parameters
    ----------
    names : sequence of str
        Any text.

    Returns
    -------
    str
        On one line.

    Examples
    --------
    >>> listed(["age", "sex"])
    'age, sex'
    """
    shown = ", ".join(map(printable, names[:N_NAMES]))
    return f"{shown} and {len(names) - N_NAMES} more" if len(names) > N_NAMES else shown


def share(value: float) -> str:
    """Write a share in percent that reads as 0 or 100 only if it is.

    Parameters
    ----------
    value : float
        From 0 to 1.

    Returns
    -------
    str
        Such as ``12 %`` or ``under 1 %``.

    Examples
    --------
    >>> share(0.123), share(0.0), share(0.001), share(0.9999)
    ('12 %', '0 %', 'under 1 %', 'over 99 %')
    """
    if 0 < value < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < value < 1 else f"{100 * value:.0f} %"


def whole(number: int) -> str:
    """Write a whole number of any size: exactly up to a million million, then as a power of ten.

    Parameters
    ----------
    number : int
        At least 0.

    Returns
    -------
    str
        Such as ``1,024`` or ``10^30``.

    Examples
    --------
    >>> whole(1024), whole(2**100)
    ('1,024', '10^30')
    """
    return f"{number:,}" if number < 10**12 else f"10^{math.log10(number):.0f}"


def rough(value: float) -> str:
    """Write a count that need not be whole with two or three digits.

    Parameters
    ----------
    value : float
        At least 0.

    Returns
    -------
    str
        Such as ``1,234``, ``12.3``, ``0.25``.

    Examples
    --------
    >>> rough(1234.5), rough(12.34), rough(0.251), rough(0.00123), rough(0.0)
    ('1,234', '12.3', '0.25', '0.0012', '0')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def amount(loss: float) -> str:
    """Write a loss of log-score with two decimals, never as minus zero.

    Parameters
    ----------
    loss : float
        Natural log.

    Returns
    -------
    str
        Such as ``12.35``.

    Examples
    --------
    >>> amount(12.345), amount(-1e-15)
    ('12.35', '0.00')
    """
    return f"{round(loss, 2) + 0.0:.2f}"
