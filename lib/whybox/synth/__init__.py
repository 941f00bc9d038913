"""Synthetic timelines for trials, demonstrations and load tests; no real person's text or counts.

What they are: posts whose user-level margins (means, medians) follow published tables, class by
class, with a correlation chosen so that the classes are about as hard to tell apart as published.
What they are not: evidence about people. Nothing measured on them (a model's accuracy, a feature's
importance, a topic) says anything about depression or about the users of any service.
"""

from whybox._lazy import lazy_exports

__all__ = ["SynthConfig", "SynthSummary", "synthesise"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {"SynthConfig": "config", "SynthSummary": "config", "synthesise": "generate"},
)
