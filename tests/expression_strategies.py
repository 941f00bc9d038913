"""Labelled corpora of few words, so that repeats, ties and equal documents are common."""

from __future__ import annotations

from hypothesis import strategies as st

STOP = ("a", "b")
words = st.sampled_from("abcdefg")
documents = st.lists(st.lists(words, max_size=7), min_size=2, max_size=9)
settings = st.fixed_dictionaries(
    {
        "p": st.sampled_from([0.0, 0.5, 0.6, 0.75, 0.9, 1.0]),
        "r": st.sampled_from([0.0, 0.01, 0.2, 0.34, 0.5, 1.0]),
        "alpha": st.integers(1, 4),
        "stop": st.sampled_from([(), STOP]),
        "search": st.sampled_from(["bfs", "bfs", "dfs"]),
        "seeds": st.sampled_from(["class", "all"]),
        "repeats": st.booleans(),
        "max_gap": st.sampled_from([None, None, 0, 1, 2]),
    }
)


@st.composite
def corpora(draw):
    """(documents as lists of tokens, truth values of which both occur)."""
    docs = draw(documents)
    positive = draw(st.lists(st.booleans(), min_size=len(docs), max_size=len(docs)))
    positive[0], positive[-1] = True, False
    if draw(st.booleans()):  # then no word tells the classes apart, only their order does
        docs = docs + [doc[::-1] for doc in docs]
        positive = positive + [not each for each in positive]
    return docs, positive
