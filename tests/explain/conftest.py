"""A small real model with its data, and a report that shows everything."""

import numpy as np
import pytest

from whybox.cbpt import CBPTClassifier
from whybox.explain import (
    Attribution,
    CrossValidation,
    DataSummary,
    History,
    InputCount,
    ModelSummary,
    OutOfFold,
    Person,
    ReportData,
    ScoreRow,
    ThresholdChoice,
    base_values,
    feature_table,
    model_card,
    shap_values,
    software_versions,
)

NAMES = ["night", "emoji", "posts", "negative words"]


def draw_users(n_rows=160, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n_rows) < 0.4
    X = rng.normal(size=(n_rows, len(NAMES)))
    X[:, 0] += 1.2 * positive
    X[:, 1] -= 0.8 * positive * (X[:, 3] > 0)
    return np.round(X, 2), positive


@pytest.fixture(scope="session")
def users():
    return draw_users()


@pytest.fixture(scope="session")
def model(users):
    X, positive = users
    return CBPTClassifier(n_estimators=8, random_state=0).fit(X, positive)


@pytest.fixture(scope="session")
def attribution(model, users):
    X, _ = users
    return Attribution(NAMES, X, shap_values(model, X)[:, :, 1], float(base_values(model)[1]))


@pytest.fixture(scope="session")
def out_of_fold(users):
    X, positive = users
    scores = np.empty(len(X))
    for fold in range(2):
        test = np.arange(len(X)) % 2 == fold
        fitted = CBPTClassifier(n_estimators=4, random_state=0).fit(X[~test], positive[~test])
        scores[test] = fitted.predict_proba(X[test])[:, 1]
    return OutOfFold(positive, scores)


@pytest.fixture(scope="session")
def full_report(model, users, attribution, out_of_fold):
    """Build report data in which every part is there; names may be replaced."""
    X, positive = users
    labels = np.where(positive, "positive", "negative")

    def build(*, names=NAMES, title="A report", pseudonym="u-1", reason="not JSON"):
        explained = Attribution(names, attribution.X, attribution.values, attribution.base)
        return ReportData(
            title,
            f"Asked and answered: {title}.",
            ModelSummary("cbpt", "Eight trees.", facts={"trees": 8}),
            data=DataSummary(
                [InputCount(reason, 9, 7, {"blank": 1}, {reason: 1})],
                {reason: 2},
                {"negative": int((~positive).sum()), "positive": int(positive.sum())},
                feature_table(X, labels, names),
            ),
            cross_validation=CrossValidation(
                [ScoreRow("cbpt", {"accuracy": (0.8, 0.01), "auc": (0.85, 0.02)})], "Two folds."
            ),
            out_of_fold=out_of_fold,
            attribution=explained,
            people=[Person(pseudonym, 3, "highest"), Person("u-2", 5)],
            history=History.from_records(model.history_),
            threshold=ThresholdChoice(0.4, "youden", "Chosen out of fold.", 3),
            abstentions={reason: 4},
            card=model_card(model, data={"rows": len(X), "source": reason}, recipe={}),
            software=software_versions(),
            hashes={"model": "ab" * 32},
        )

    return build
