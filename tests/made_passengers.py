"""A table of passengers who never lived: numbers, words, gaps, names, and text that is no markup."""

from __future__ import annotations

import numpy as np
import pandas as pd

EVIL = "<script>alert(1)</script>"


def passengers(n: int = 420, seed: int = 5) -> pd.DataFrame:
    """Rows with a class (survived), a real outcome (paid), a group (cabin) and features."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["male", "female"], n)
    port = rng.choice(["Ålesund", "Brest", EVIL], n, p=[0.5, 0.3, 0.2]).astype(object)
    port[rng.random(n) < 0.03] = None
    age = rng.integers(1, 70, n).astype(float)
    age[rng.random(n) < 0.15] = np.nan
    deck = rng.integers(1, 6, n)
    chance = 0.02 + 0.6 * (sex == "female") + 0.4 * (deck == 3) + 0.8 * (age < 6)
    survived = np.where(rng.random(n) < chance, "yes", "no").astype(object)
    survived[::60] = None
    paid = np.round(20 + 15 * (port == "Brest") + 4.0 * deck + rng.normal(0, 2, n), 2)
    return pd.DataFrame(
        {
            "name": [f"Passenger {i}" for i in range(n)],
            "survived": survived,
            "age": age,
            "deck": deck,
            "sex": sex,
            "port": port,
            "cabin": rng.integers(0, 60, n),
            "paid": paid,
        }
    )
