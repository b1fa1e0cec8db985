"""Writes measures.scipy.json: what numpy and scipy say about pairs of samples. Needs scipy 1.17.

    python measures.scipy.py
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.spatial.distance import jensenshannon
from scipy.stats.contingency import association

random = np.random.default_rng(20)


def of_shares(reference, current):
    """Measures of two lists of counts over the same bins."""
    p, q = reference / reference.sum(), current / current.sum()
    a, b = np.maximum(p, 1e-4), np.maximum(q, 1e-4)
    table = np.array([reference, current])
    table = table[:, table.sum(axis=0) > 0]
    return {
        "JS": jensenshannon(p, q, base=2),
        "PSI": np.sum((b - a) * np.log(b / a)),
        "LINF": np.max(np.abs(p - q)),
        "CHI2": association(table, method="cramer", correction=False),
        "pOfCHI2": stats.chi2_contingency(table, correction=False).pvalue,
    }


def of_values(reference, current):
    """Measures of two samples of numbers. The bins: below, 20 quantiles of the reference, above."""
    n, m = len(reference), len(current)
    edges = np.quantile(reference, np.arange(0, 21) / 20, method="inverted_cdf")
    edges[0] = np.nextafter(edges[0], -np.inf)
    bins = [np.histogram(side, [-np.inf, *np.nextafter(edges, np.inf), np.inf])[0] for side in (reference, current)]
    statistic = stats.ks_2samp(reference, current).statistic
    return {
        **of_shares(*bins),
        "KS": statistic,
        # ks_2samp corrects its p-value for small samples.
        "pOfKS": stats.kstwobign.sf(statistic * np.sqrt(n * m / (n + m))),
        "WASSERSTEIN": stats.wasserstein_distance(reference, current) / max(0.001, np.std(reference, ddof=1)),
    }


def counts():
    for size in (2, 5, 22, 50):
        for most in (3, 40, 5000):
            reference, current = random.integers(0, most, size), random.integers(0, most, size)
            reference[0] += 1
            current[-1] += 1
            yield reference, current
    yield np.array([10, 0, 0]), np.array([0, 4, 6])


def values():
    samples = [
        (random.normal(0, 1, 80), random.normal(0.3, 1, 60)),
        (random.normal(50, 9, 40), random.normal(50, 20, 90)),
        (random.exponential(3, 70), random.exponential(4, 70)),
        (random.uniform(-1e6, 1e6, 50), random.uniform(2e6, 3e6, 30)),
        (random.normal(1e-5, 1e-7, 60), random.normal(1e-5, 2e-7, 60)),
    ]
    for pair in samples:
        # Rounded as JSON keeps them, all different.
        yield [np.unique(np.array([float(f"{one:.9g}") for one in side])) for side in pair]


cases = {
    "counts": [{"sides": [side.tolist() for side in pair], "found": of_shares(*pair)} for pair in counts()],
    "values": [{"sides": [side.tolist() for side in pair], "found": of_values(*pair)} for pair in values()],
}
Path(__file__).with_suffix(".json").write_text(json.dumps(cases) + "\n")
