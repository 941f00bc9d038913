"""Texts composed word by word, so that what an extractor counts is what was put in.

A user's words are laid out as one array of indices into a vocabulary, sorted by post and by place
in the post, and joined; a text costs a few microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whybox.synth import vocabulary
from whybox.synth.counts import PostCounts
from whybox.synth.population import Traits
from whybox.synth.published import TOKEN_QUANTILES

__all__ = ["ANCHORS", "Texts", "compose"]

Ints = NDArray[np.int64]

ANCHORS: dict[bool, tuple[str, ...]] = {
    True: tuple(
        f"{who} diagnosed with depression" for who in ("i was", "i'm", "i am", "i've been")
    ),
    False: (
        "so depressed today",
        "this is depressing",
        "what a depressing week",
        "depressed again",
    ),
}
"""Phrases of anchor posts: of labelled positives (True) and of candidates; one signed word each."""

TOPICAL = 0.45
"""Share of the plain words that come from the user's topics; the others are function words."""

HASHTAGS, URLS = 0.2, 0.25
"""Mean hashtags and links per post (public samples: .02 to 1.9, and .04 to .9)."""

EXCLAMATION, QUESTION, FULL_STOP = 0.13, 0.09, 0.4
"""Shares of posts that end so (public samples: .13 to .30, and .08 to .11, for the first two)."""

_PER_TOPIC = 24
_TOPIC_WORDS = tuple(word for words in vocabulary.TOPICS.values() for word in words)
_STATIC = [
    *vocabulary.FUNCTION_WORDS,
    *_TOPIC_WORDS,
    *vocabulary.NEGATIVE_WORDS,
    *vocabulary.POSITIVE_WORDS,
    *vocabulary.EMOJI,
    *vocabulary.EMOTICONS,
    *"!?.",
    *ANCHORS[True],
    *ANCHORS[False],
    *("#" + word for word in _TOPIC_WORDS),  # these and what follows are entities
]
_SIZES = [
    *(len(vocabulary.FUNCTION_WORDS), len(_TOPIC_WORDS), len(vocabulary.NEGATIVE_WORDS)),
    *(len(vocabulary.POSITIVE_WORDS), len(vocabulary.EMOJI), len(vocabulary.EMOTICONS)),
    *(3, len(ANCHORS[True]), len(ANCHORS[False])),
]
_FIRST = dict(
    zip(
        (
            *("function", "topic", "negative", "positive", "emoji", "emoticon", "mark"),
            *("anchor", "hint", "hashtag"),
        ),
        np.cumsum([0, *_SIZES]).tolist(),
        strict=True,
    )
)
_LINK_LETTERS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", dtype=np.uint8
)


@dataclass(frozen=True, eq=False)
class Texts:
    """A user's texts, in order of time; of a retweet, the original's text.

    Attributes
    ----------
    texts : list of str
        As a service sends them: ``&``, ``<`` and ``>`` are escaped.
    entities : list of list of str
        Per post its mentions, hashtags and links, as they stand in the text, in their order.
    """

    texts: list[str]
    entities: list[list[str]]


class _Layout:
    """Collects words with their post and their place, then sorts them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._parts: list[tuple[Ints, Ints, NDArray[np.float64]]] = []

    def add(self, posts: Ints, words: Ints, low: float, high: float) -> None:
        """Add words, each somewhere between two places (0 to 1 is the body of the post)."""
        self._parts.append((posts, words, self._rng.uniform(low, high, len(posts))))

    def in_order(self) -> tuple[Ints, Ints]:
        """Give posts and words, by post and then by place (-2 to 3)."""
        posts, words, places = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        order = np.argsort(posts + (places + 2) / 5.001, kind="stable")
        return posts[order], words[order]


def compose(
    traits: Traits, counts: PostCounts, rng: np.random.Generator, *, plain: bool = False
) -> Texts:
    """Write a user's posts.

    Parameters
    ----------
    traits : Traits
        The user: topics, and whether the last post is an anchor (all but negatives).
    counts : PostCounts
        How many signed words, emoji, emoticons and mentions a post has.
    rng : numpy.random.Generator
        The user's own.
    plain : bool, default False
        Leave out emoji and emoticons, as the authors of Sentiment140 did.

    Returns
    -------
    Texts
        One text a post; positives' and candidates' last text holds a phrase of ``ANCHORS``.

    Examples
    --------
    >>> from whybox.synth import SynthConfig
    >>> from whybox.synth.counts import post_counts
    >>> from whybox.synth.population import Population
    >>> config = SynthConfig(users=1, posts_per_user=20, positive_share=1, unlabelled_share=0)
    >>> user, rng = next(iter(Population(config))), np.random.default_rng(0)
    >>> "diagnosed with depression" in compose(user, post_counts(user, rng), rng).texts[-1]
    True
    """
    layout = _Layout(rng)
    n = traits.posts
    negative = counts.negative.copy()
    if traits.label != "negative":
        negative[-1] = max(0, negative[-1] - 1)  # the anchor's phrase has one
        _add_anchor(layout, traits, rng)
    inner = counts.mentions - counts.is_retweet
    _add_plain(layout, traits.topics, negative + counts.positive + inner, rng)
    _add_some(layout, negative, "negative", rng, (0.0, 1.0))
    _add_some(layout, counts.positive, "positive", rng, (0.0, 1.0))
    if not plain:
        _add_some(layout, counts.emoji, "emoji", rng, (1.2, 2.0))
        _add_some(layout, counts.emoticons, "emoticon", rng, (1.2, 2.0))
    _add_marks(layout, n, rng)
    _add_hashtags(layout, traits.topics, n, rng)
    own = [*_add_mentions(layout, inner, rng)]
    own += _add_links(layout, n, len(_STATIC) + len(own), rng)
    return _join(*layout.in_order(), _STATIC + own, n)


def _join(posts: Ints, words: Ints, names: list[str], n: int) -> Texts:
    """Join the words of each post, and pick out those that are entities."""
    ends = np.cumsum(np.bincount(posts, minlength=n)).tolist()
    spelt = [names[word] for word in words.tolist()]
    texts, start = [], 0
    for end in ends:
        text = " ".join(spelt[start:end])
        texts.append(text.replace(" !", "!").replace(" ?", "?").replace(" .", "."))
        start = end
    entities: list[list[str]] = [[] for _ in range(n)]
    for i in np.flatnonzero(words >= _FIRST["hashtag"]).tolist():
        entities[posts[i]].append(spelt[i])
    return Texts(texts, entities)


def _add_plain(
    layout: _Layout, topics: NDArray[np.float64], taken: Ints, rng: np.random.Generator
) -> None:
    """Add function and topic words up to the length of a post, at least two a post."""
    shares, lengths = zip(*TOKEN_QUANTILES, strict=True)
    drawn = np.interp(rng.random(len(taken)), shares, lengths).astype(np.int64)
    number = np.maximum(2, drawn - taken)
    posts = rng.permutation(np.repeat(np.arange(len(taken)), number))
    topical = round(TOPICAL * len(posts))
    layout.add(posts[:topical], _topic_words(topics, topical, rng) + _FIRST["topic"], 0.0, 1.0)
    functions = _zipf(len(vocabulary.FUNCTION_WORDS), len(posts) - topical, rng)
    layout.add(posts[topical:], functions + _FIRST["function"], 0.0, 1.0)


def _topic_words(topics: NDArray[np.float64], number: int, rng: np.random.Generator) -> Ints:
    """Draw words of the user's topics: each topic's part of them as exact as integers allow."""
    u = (np.arange(number) + rng.random()) / max(number, 1)
    topic = np.searchsorted(np.cumsum(topics)[:-1], u, side="right")
    return np.asarray(topic * _PER_TOPIC + _zipf(_PER_TOPIC, number, rng), dtype=np.int64)


def _add_some(
    layout: _Layout, number: Ints, kind: str, rng: np.random.Generator, place: tuple[float, float]
) -> None:
    """Add ``number`` words of a kind to each post."""
    size = {"emoji": len(vocabulary.EMOJI), "emoticon": len(vocabulary.EMOTICONS)}.get(kind)
    size = size or len(getattr(vocabulary, f"{kind.upper()}_WORDS"))
    posts = np.repeat(np.arange(len(number)), number)
    layout.add(posts, _zipf(size, len(posts), rng) + _FIRST[kind], *place)


def _add_marks(layout: _Layout, n: int, rng: np.random.Generator) -> None:
    """End posts with a mark, or with none."""
    bounds = np.cumsum([EXCLAMATION, QUESTION, FULL_STOP])
    mark = np.searchsorted(bounds, rng.random(n), side="right")
    posts = np.flatnonzero(mark < 3)
    layout.add(posts, mark[posts] + _FIRST["mark"], 1.05, 1.1)


def _add_hashtags(
    layout: _Layout, topics: NDArray[np.float64], n: int, rng: np.random.Generator
) -> None:
    """Add hashtags of the user's topics, some in the body and most behind it."""
    posts = rng.integers(0, n, rng.poisson(HASHTAGS * n))
    layout.add(posts, _topic_words(topics, len(posts), rng) + _FIRST["hashtag"], 0.6, 2.5)


def _add_mentions(layout: _Layout, number: Ints, rng: np.random.Generator) -> list[str]:
    """Add mentions of the user's contacts, most of them in front; give the contacts' names."""
    contacts = 3 + len(number) // 4
    names = [f"@user{i:08d}" for i in rng.integers(0, 10**8, contacts).tolist()]
    posts = np.repeat(np.arange(len(number)), number)
    words = _zipf(contacts, len(posts), rng) + len(_STATIC)
    layout.add(posts, words, -1.9, 0.6)
    return names


def _add_links(layout: _Layout, n: int, first: int, rng: np.random.Generator) -> list[str]:
    """Add a shortened link to some posts; give the links."""
    posts = np.flatnonzero(rng.random(n) < URLS)
    layout.add(posts, np.arange(len(posts)) + first, 2.5, 3.0)
    letters = _LINK_LETTERS[rng.integers(0, 62, (len(posts), 10))].tobytes().decode("ascii")
    return ["https://t.co/" + letters[i : i + 10] for i in range(0, len(letters), 10)]


def _add_anchor(layout: _Layout, traits: Traits, rng: np.random.Generator) -> None:
    """Begin the last post with a phrase that tells of a diagnosis, or only of a mood."""
    labelled = traits.label is not None
    phrase = rng.integers(0, len(ANCHORS[labelled])) + _FIRST["anchor" if labelled else "hint"]
    layout.add(np.array([traits.posts - 1]), np.array([phrase]), -2.0, -1.9)


def _zipf(size: int, number: int, rng: np.random.Generator) -> Ints:
    """Draw ranks from 0 to ``size`` - 1, weighted by Zipf's law."""
    bounds = np.cumsum(1.0 / np.arange(1, size + 1))
    return np.asarray(np.searchsorted(bounds, rng.random(number) * bounds[-1], side="right"))
