"""How fast texts are tokenised and counted, beside NLTK and beside the chain most people write.

Run as ``python tests/bench/bench_text.py [FOLDER]``; FOLDER, or WHYBOX_REFERENCE, holds the
reference texts. Times are CPU times of one process, the best of a few runs; a cold vocabulary is
empty.
"""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import emoji
from nltk.stem import SnowballStemmer
from nltk.tokenize import TweetTokenizer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from text_strategies import real_texts
from whybox.text import TextCounter, tokenize_many
from whybox.text.emoticons import count_emoticons
from whybox.text.lexicons import load_lexicon
from whybox.text.stemming import stem
from whybox.text.tokens import _unit_tokens

_USUAL_SHARE = 10  # the usual chain sees one text in ten
TOKENIZER, STEMMER = TweetTokenizer(), SnowballStemmer("english")
LEXICON, STOP_WORDS = load_lexicon(), frozenset(ENGLISH_STOP_WORDS)


def best(work: Callable[[], object], runs: int) -> float:
    """Least of the seconds that a few runs take."""
    seconds = []
    for _ in range(runs):
        start = process_time()
        work()
        seconds.append(process_time() - start)
    return min(seconds)


def report(name: str, seconds: float, n: int, beside: float | None = None) -> float:
    """Print a line; return the seconds per text."""
    each = seconds / n
    times = f"{beside / each:8.1f} x" if beside else ""
    print(f"{name:32}{each * 1e6:9.2f} us/text{1 / each:12,.0f} texts/s{times}")
    return each


def bench_tokens(texts: list[str]) -> None:
    """tokenize_many beside TweetTokenizer."""
    tokenize_one = TOKENIZER.tokenize
    tokenize_many(texts[:100])
    n = len(texts)
    nltk = report("TweetTokenizer", best(lambda: [tokenize_one(t) for t in texts], 2), n)

    def cold() -> None:
        _unit_tokens.cache_clear()
        tokenize_many(texts)

    report("tokenize_many, cold", best(cold, 3), n, nltk)
    report("tokenize_many, warm", best(lambda: tokenize_many(texts), 7), n, nltk)


def usual_chain(text: str) -> tuple[int, int, int, int, list[str]]:
    """The four counts and the stems of one text, by one package a step."""
    text = html.unescape(text)
    words = [token.lower() for token in TOKENIZER.tokenize(text)]
    return (
        sum(word in LEXICON.negative for word in words),
        sum(word in LEXICON.positive for word in words),
        emoji.emoji_count(text),
        count_emoticons(text),
        [STEMMER.stem(w) for w in words if len(w) > 2 and w.isalpha() and w not in STOP_WORDS],
    )


def bench_counts(texts: list[str]) -> None:
    """TextCounter beside the usual chain."""
    some = texts[::_USUAL_SHARE]
    usual_chain("warm up")
    chain = report("usual chain", best(lambda: list(map(usual_chain, some)), 2), len(some))
    counter = TextCounter()
    counter.count(texts[:1])
    report("TextCounter, cold", best(cold_count(texts), 3), len(texts), chain)
    counter.count(texts)
    report("TextCounter, warm", best(lambda: counter.count(texts), 7), len(texts), chain)


def cold_count(texts: list[str]) -> Callable[[], object]:
    """Counting with neither units nor stems remembered."""

    def work() -> object:
        stem.cache_clear()
        return TextCounter().count(texts)

    return work


def main() -> int:
    """Time everything on the reference texts."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WHYBOX_REFERENCE")
    if not folder:
        print("skipped: give the reference folder, or set WHYBOX_REFERENCE")
        return 0
    texts = real_texts(Path(folder))
    print(f"{len(texts):,} texts of {sum(map(len, texts)) / len(texts):.0f} characters")
    bench_tokens(texts)
    bench_counts(texts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
