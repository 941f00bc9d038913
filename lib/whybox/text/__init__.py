"""From a post's text to tokens, stems and counts: pure functions that know no storage and no Dask.

One text in: :func:`tokenize`, :func:`count_emoji`, :func:`count_emoticons`, :func:`count_mentions`;
one word in: :func:`stem`. Many texts in: :func:`tokenize_many` and :class:`TextCounter`, which look
white-space units up in a vocabulary instead of reading every text again.
"""

from whybox._lazy import lazy_exports

_NAMES = {
    "Lexicon": "lexicons",
    "PostCounts": "counter",
    "TextCounter": "counter",
    "clean": "cleaning",
    "count_emoji": "emoji",
    "count_emoticons": "emoticons",
    "corrector": "spelling",
    "count_mentions": "mentions",
    "load_lexicon": "lexicons",
    "stem": "stemming",
    "tokenize": "tokens",
    "tokenize_many": "tokens",
}

__all__ = sorted(_NAMES)
__getattr__, __dir__ = lazy_exports(__name__, _NAMES)
