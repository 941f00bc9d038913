"""``whybox explain`` of a model of expressions: its words, its rules, and where they match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from whybox.config import ExplainConfig
from whybox.errors import InputError
from whybox.explain.card import software_versions
from whybox.explain.context import ModelSummary
from whybox.explain.expressions_context import ExpressionsReport, Sentence, Weights
from whybox.explain.expressions_report import build_expressions_report
from whybox.expressions.classifier import ExpressionsClassifier
from whybox.expressions.comprehensibility import clauses, complexity, comprehensibility_rate, rules
from whybox.expressions.heads import Logistic, Neighbours, Trees
from whybox.graph.session import Session, using
from whybox.model_io import load_model, load_validation, model_hash
from whybox.pipelines.describe_texts import names_shown, shown_rules
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.report_tables import class_tables
from whybox.pipelines.reporting import (
    card_of,
    class_column,
    cross_validation,
    out_of_fold_scores,
    threshold_choice,
    write_page,
)
from whybox.pipelines.text_matches import Shown, answers_of, columns_of, ranked_words
from whybox.pipelines.texts import open_posts, reading_of
from whybox.progress import SILENT, Progress

__all__ = ["run"]

_DESCRIPTIONS = {
    "tree": "A decision tree asks of a text, one after the other, whether it has an expression; where "
    "the questions end, the commonest class of the training texts is the answer.",
    "logistic": "Each expression that a text has adds its weight to a sum; the sum is turned into a "
    "probability.",
    "forest": "Many decision trees ask of a text which expressions it has; the answer is their mean. "
    "They are too many to read: below is what they answer to the commonest texts.",
    "knn": "A text is answered as the training texts were labelled that differ from it in the fewest "
    "expressions; equally near ones count alike.",
}


def run(
    config: ExplainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Write a report of a model of expressions.

    Parameters
    ----------
    config : ExplainConfig
        Raw input is read as the model's was, if nothing is said of how to read it.
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The model is no classifier, has no card, or the texts cannot be read.
    RunError
        The file cannot be written.
    """
    model, card = load_model(config.model), card_of(config.model)
    if not isinstance(model, ExpressionsClassifier):
        raise InputError(
            f"a {type(model).__name__} answers nothing that could be explained",
            where=str(config.model),
            remedy="train one with --model expressions-tree",
        )
    if config.users:
        raise InputError(
            "texts are explained by what matches in them, not user by user",
            where="--users",
            remedy="leave it out",
        )
    if not reading_of(config):
        config = replace(config, **card["data"].get("read_as", {}))
    language = model.transformer_.language
    with using(session, config, progress) as opened, open_posts(config, opened) as posts:
        corpus = posts.encode(opened, language)
        matrix = model.transformer_.transform(corpus)
        classes = set(model.classes_.tolist())  # what is of none of them is not judged
        labels = np.array([y if y in classes else None for y in posts.labels], dtype=object)
        shown = Shown(posts.texts(), corpus, labels, posts.users, matrix)
        page = build_expressions_report(_report(config, card, model, shown, posts.fingerprint))
    return write_page(config.out, page, len(shown.texts))


def _report(
    config: ExplainConfig,
    card: Mapping[str, Any],
    model: ExpressionsClassifier,
    shown: Shown,
    fingerprint: str,
) -> ExpressionsReport:
    """Everything that the report shows."""
    known = card["expressions"]
    names = names_shown(known["found"])
    sentences, *hidden = shown_rules(model, known["found"])
    columns = columns_of(
        model,
        known["found"],
        names,
        shown,
        at_most=config.max_rows,
        show_text=config.allow_text is not None,
    )
    validation, column = load_validation(config.model), class_column(model, card)
    two = len(model.classes_) == 2
    return ExpressionsReport(
        title=f"Expressions that tell {_listed(card['data']['class_counts'])} apart",
        summary=_summary(card),
        model=ModelSummary(
            name=f"expressions-{model.classifier}",
            description=_DESCRIPTIONS[model.classifier],
            positive=str(model.classes_[column]),
        ),
        n_training=card["data"]["rows"],
        unit=known["counted_in"],
        columns=columns,
        n_shown=len(shown.texts),
        rules=[
            Sentence(rule.has, rule.lacks, str(rule.prediction), rule.support, rule.precision)
            for rule in sentences
        ],
        hidden_rules=(hidden[0], hidden[1]),
        weights=_weights(model, names),
        answers=answers_of(model, names, shown),
        ranked=ranked_words(model, shown),
        cost=_cost(card, model),
        advice=known["advice"],
        texts_shown_for=config.allow_text,
        cross_validation=cross_validation(card),
        out_of_fold=out_of_fold_scores(validation, model, column),
        threshold=threshold_choice(card, None) if two else None,
        tables={"performance": class_tables(config, card, None)},
        card=card,
        software=software_versions(),
        hashes={"model": model_hash(config.model), "texts": fingerprint},
    )


def _summary(card: Mapping[str, Any]) -> str:
    """One paragraph in plain words."""
    data, figures = card["data"], card.get("figures")
    n, reached = len(card["expressions"]["found"]), data["texts_with_an_expression"]
    text = (
        f"{n} expressions were chosen of {card['expressions']['of']} found in {data['rows']:,} "
        f"labelled texts; {reached / data['rows']:.0%} of these have one or more."
    )
    if not isinstance(figures, Mapping):
        return text + " It was not cross-validated, so nothing is known of how well it does."
    rows = {row["model"]: row for row in figures["models"]}
    own, all_words = figures["models"][0], rows["tfidf-logistic"]
    return text + (
        f" On texts that it had not seen the model was right for {own['accuracy_mean']:.1%}; always "
        f"naming the commonest class is for {rows['majority']['accuracy_mean']:.1%}, and a model of "
        f"all words, which nobody can read, for {all_words['accuracy_mean']:.1%}."
    )


def _listed(counts: Mapping[str, int]) -> str:
    """Name the classes."""
    names = list(counts)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _weights(model: ExpressionsClassifier, names: Sequence[str]) -> list[Weights]:
    """The sums of logistic regression, the strongest expression first."""
    head = model.head_
    if not isinstance(head, Logistic):
        return []
    labels = [str(label) for label in model.classes_.tolist()]
    found = []
    outputs = zip(
        labels[1:] if len(head.weights) == 1 else labels, head.weights, head.intercepts, strict=True
    )
    for label, weights, start in outputs:
        order = np.argsort(-np.abs(weights), kind="stable").tolist()
        pairs = [("(to start with)", f"{start:+.3f}")]
        pairs += [(names[at], f"{weights[at]:+.3f}") for at in order]
        found.append(Weights(label, pairs))
    return found


def _cost(card: Mapping[str, Any], model: ExpressionsClassifier) -> dict[str, float]:
    """Eqs. 24 to 27; F1 is that of unseen texts, of the positive class if there is one."""
    head, figures = model.head_, card.get("figures")
    f1, called = None, ""
    if isinstance(figures, Mapping):
        own = figures["models"][0]
        f1, called = own.get("f1_positive_mean"), "F1 of the positive class"
        if f1 is None:
            f1, called = own["f1_macro_mean"], "F1, macro"
    if isinstance(head, Neighbours):
        rate = {} if f1 is None else {called: f1, "rate": f1 / head.n_neighbors}
        return {"neighbours": head.n_neighbors, **rate}
    if not isinstance(head, Trees):
        return {}
    n_rules, length = rules(model), clauses(model)
    trees = len(head.trees) if model.classifier == "forest" else None
    cost = complexity(n_rules, length, trees=trees)
    found = {"rules": n_rules, "clauses": length, "complexity": cost}
    rate = {} if f1 is None else {called: f1, "rate": comprehensibility_rate(f1, cost)}
    return {**found, **rate}
