"""Topics on two workers against one, and what they add to CBPT: `python tests/bench/bench_topics.py`."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from whybox.config import ExtractConfig, SynthesisConfig, TrainConfig
from whybox.features.lda import TopicSettings
from whybox.graph.session import connect
from whybox.graph.topics import fit_topics
from whybox.pipelines import extract, synth, train
from whybox.pipelines.dataset import load_dataset


def fit_seconds(corpus, settings, workers, repeats):
    """Best wall time of a fit, and the topics."""
    with connect("local", workers=workers) as session:
        fit_topics(session, corpus, TopicSettings(settings.n_topics, max_iter=1))  # imports
        best = float("inf")
        for _ in range(repeats):
            started = time.perf_counter()
            topics = fit_topics(session, corpus, settings)
            best = min(best, time.perf_counter() - started)
    return best, topics.weights.tobytes()


def made(folder, users, posts, **options):
    """Features of synthetic timelines."""
    timelines, out = folder / "timelines", folder / f"features{len(options)}"
    if not timelines.exists():
        synth.run(SynthesisConfig(out=timelines, users=users, posts_per_user=posts, seed=3))
    extract.run(ExtractConfig(inputs=(str(timelines),), out=out, format="ttdd", **options))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=800)
    parser.add_argument("--posts-per-user", type=float, default=40)
    parser.add_argument("--copies", type=int, default=8, help="of each document, to time the fit")
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--what", choices=("speed", "accuracy", "both"), default="both")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source = made(Path(name), args.users, args.posts_per_user)
        if args.what != "accuracy":
            speed(source, args.copies)
        if args.what != "speed":
            options = {"drop_matching": "depress|diagnos", "drop_anchors": True}
            careful = made(Path(name), args.users, args.posts_per_user, **options)
            accuracy({"as extracted": source, "without the rule's words": careful}, args.trees)


def speed(source, copies):
    """One worker, then two."""
    corpus = load_dataset(source, documents=True).documents
    corpus = corpus.take([row for row in range(corpus.n_users) for _ in range(copies)])
    settings = TopicSettings(25, max_iter=5, tol=0.0)
    (one, first), (two, second) = (fit_seconds(corpus, settings, n, 2) for n in (1, 2))
    print(
        f"{corpus.n_users} documents, 25 topics, 5 rounds: one worker {one:.2f} s, two {two:.2f} s,"
    )
    print(f"{one / two:.2f} times as fast, the same bits: {first == second}", flush=True)


def accuracy(sources, trees):
    """CBPT with and without topics."""
    for title, source in sources.items():
        for topics in (0, 25):
            config = TrainConfig(
                source=str(source), out=source / "m.whybox", n_estimators=trees, topics=topics
            )
            figures = train.run(config).values["figures"][0]
            shown = ", ".join(
                f"{metric} {figures[f'{metric}_mean']:.3f} ± {figures[f'{metric}_sd']:.3f}"
                for metric in ("accuracy", "f1_macro", "auc")
            )
            print(f"{title}, {topics} topics: {shown}", flush=True)


if __name__ == "__main__":
    main()
