"""Corpora of a few documents are lopsided: what a fit warns of is tested where it is the point."""

from __future__ import annotations

import warnings

import pytest

from whybox.expressions import CoverageWarning, PrecisionWarning


@pytest.fixture(autouse=True)
def _no_advice():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoverageWarning)
        warnings.simplefilter("ignore", PrecisionWarning)
        yield
