"""Writes profile-figures.json: columns of text, and what plain Python says about their values. Needs Python 3.11.

    python profile-figures.py
"""

import json
import math
import random
import re
import statistics
import uuid
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

random.seed(131)


def nearest_rank(ordered, percent):
    return ordered[max(1, math.ceil(percent * len(ordered) / 100)) - 1]


def number(value):
    return float(value)


def of_numbers(values):
    """Exact fractions of the decimals, or of the doubles, that the file holds."""
    finite = [value for value in values if math.isfinite(value)]
    exact = [Fraction(value) for value in finite]
    n = len(exact)
    mean = sum(exact) / n
    moment = [sum((one - mean) ** power for one in exact) / n for power in range(5)]
    low, high = min(exact), max(exact)
    bins = [0] * 20
    for one in exact:
        bins[min(19, int((one - low) / (high - low) * 20))] += 1
    ordered = sorted(exact)
    return {
        "sum": number(sum(exact)),
        "mean": number(mean),
        "variance": number(moment[2] * n / (n - 1)),
        "skewness": number(moment[3]) / number(moment[2]) ** 1.5,
        "kurtosis": number(moment[4] / moment[2] ** 2) - 3,
        "zeros": sum(one == 0 for one in exact),
        "negatives": sum(one < 0 for one in exact),
        "interquartileRange": number(nearest_rank(ordered, 75) - nearest_rank(ordered, 25)),
        "histogram": bins,
    }


def form(text):
    def letter(one):
        if one.isdecimal():
            return "9"
        if one.isalpha():
            return "A" if one.isupper() else "a"
        return one

    shown = "".join(letter(one) for one in text)
    return shown if len(shown) <= 32 else shown[:32] + "…"


def looks_like(text):
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return "INTEGER"
    if re.fullmatch(r"-?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return "DECIMAL"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return "DATE"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?Z?", text):
        return "TIMESTAMP"
    if text.lower() in ("true", "false"):
        return "BOOLEAN"
    try:
        return "UUID" if str(uuid.UUID(text)) == text.lower() else "TEXT"
    except ValueError:
        return "TEXT"


def of_texts(values):
    words = [len(value.split()) for value in values]
    types = Counter(looks_like(value) for value in values if value.strip())
    return {
        "empty": sum(value == "" for value in values),
        "blank": sum(value.strip() == "" for value in values),
        "meanLength": statistics.fmean(len(value) for value in values),
        "minWords": min(words),
        "maxWords": max(words),
        "patterns": [
            {"pattern": pattern, "count": count}
            for pattern, count in sorted(Counter(map(form, values)).items(), key=lambda one: (-one[1], one[0]))[:5]
        ],
        "typeCounts": dict(types),
    }


def of_values(values):
    # NaN differs from itself.
    counts = Counter(str(value) if value != value else value for value in values)
    return {
        "count": len(values),
        "unique": sum(count == 1 for count in counts.values()),
        "duplicates": len(values) - len(counts),
    }


def column(texts, read, of):
    values = [read(text) for text in texts if text is not None]
    nulls = sum(text is None for text in texts)
    figures = {"nullPercentage": 100 * nulls / len(texts), **of_values(values), **of(values)}
    return {"texts": texts, "figures": figures}


def some(values):
    return [None if random.random() < 0.1 else value for value in values]


rows = 2000
skewed = some([f"{math.exp(random.gauss(3, 1)):.2f}" for _ in range(rows)])
few = some([str(random.randint(-3, 9)) for _ in range(rows)])
doubles = some([random.choice([repr(random.gauss(0, 1e6)), repr(random.random() * 1e-9), "nan", "inf"]) for _ in range(rows)])
codes = some([random.choice(["DE-", "at-", "Ö-"]) + str(random.randint(1, 999)) for _ in range(rows)])
mixed = some([random.choice(["1", "-2.5", "007", "2026-01-31", "2026-01-31 10:00:00", "TRUE", "", "  ", "two words", "one", str(uuid.UUID(int=random.getrandbits(128))), "x" * 40]) for _ in range(rows)])

columns = {
    "skewed": column(skewed, Decimal, of_numbers),
    "few": column(few, int, of_numbers),
    "doubles": column(doubles, float, of_numbers),
    "codes": column(codes, str, of_texts),
    "mixed": column(mixed, str, of_texts),
}
path = Path(__file__).with_name("profile-figures.json")
path.write_text(json.dumps(columns, ensure_ascii=False) + "\n")
