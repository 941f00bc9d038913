"""Discriminatory expressions: few, readable features for short texts, and what they compete with.

Everything follows Francisco and Castro, "Discriminatory Expressions to Improve Model
Comprehensibility in Short Documents": the expressions (:class:`DiscriminatoryExpressions`), their
word ranking (:func:`cf_icf`), seven filters with :class:`SelectTerms`, and the measures of how
comprehensible a classifier is (:mod:`whybox.expressions.comprehensibility`).
"""

from whybox._lazy import lazy_exports

_NAMES = {
    "PUBLISHED": "estimator",
    "Corpus": "corpus",
    "CoverageWarning": "advice",
    "DiscriminatoryExpressions": "estimator",
    "ExpressionsClassifier": "classifier",
    "PrecisionWarning": "advice",
    "SelectTerms": "select_terms",
    "TermVectors": "vectors",
    "cf_icf": "ranking",
    "cf_icf_curves": "ranking",
    "chi2": "filters",
    "encode": "corpus",
    "expected_cross_entropy": "filters",
    "f_anova": "filters",
    "gss": "filters",
    "if_then_rules": "sentences",
    "information_gain": "filters",
    "mutual_information": "filters",
    "odds_ratio": "filters",
    "pmi": "filters",
}

__all__ = sorted(_NAMES)
__getattr__, __dir__ = lazy_exports(__name__, _NAMES)
