"""A design on a fold gives what plain scikit-learn gives, row by row, without the other folds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions, encode
from whybox.expressions.analysis import Analyzer
from whybox.model_selection.generalisation import (
    CLASSIFIERS,
    FILTERS,
    Design,
    ReversedFolds,
    deal_folds,
    design_key,
    run_design,
)

RNG = np.random.default_rng(7)
WORDS = np.array(
    ["sun", "rain", "happy", "sad", "train", "bus", "work", "cake", "not", "very", "so", "again"]
)
POSITIVE = RNG.random(300) < 0.5
WEIGHTS = {True: [3, 1, 4, 1, 1, 1, 1, 3, 1, 2, 2, 2], False: [1, 3, 1, 4, 2, 2, 3, 1, 3, 2, 2, 2]}
TEXTS = [
    " ".join(RNG.choice(WORDS, 6, p=np.array(WEIGHTS[bool(positive)]) / sum(WEIGHTS[positive])))
    for positive in POSITIVE
]
EXPRESSIONS = Design("expressions", 5, 0.6, 0.05, 2)


@pytest.fixture(scope="module")
def folds():
    return ReversedFolds(encode(TEXTS), POSITIVE, deal_folds(POSITIVE, 4, seed=3), seed=3)


def naive_columns(design, texts, y):
    """The columns of a design, from the texts of the training fold alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DiscriminatoryExpressions(
            design.min_precision, design.min_recall, design.max_words, design.n_columns
        ).fit(texts, y)


def naive_classifier(name, fold):
    seed = int(np.random.SeedSequence((3, fold)).generate_state(1)[0])
    return {
        "knn": KNeighborsClassifier(),
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed),
        "logistic": LogisticRegression(),
    }[name]


@pytest.mark.parametrize("fold", [0, 2])
def test_expressions_are_judged_as_if_row_by_row_on_texts(folds, fold):
    train = folds.fold_of == fold
    known, unseen = ([t for t, inside in zip(TEXTS, side, strict=True) if inside]
                     for side in (train, ~train))  # fmt: skip
    model = naive_columns(EXPRESSIONS, known, POSITIVE[train])
    found = run_design(EXPRESSIONS, fold, folds)
    assert found["columns"] == model.get_feature_names_out().tolist()
    assert (found["n_train"], found["n_test"]) == (len(known), len(unseen))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((3, fold))))
    order = rng.permutation(np.flatnonzero(train))
    X = model.transform([TEXTS[row] for row in order]).toarray().astype(float)
    rest = model.transform(unseen).toarray().astype(float)
    for name in CLASSIFIERS:
        classifier = naive_classifier(name, fold).fit(X, POSITIVE[order])
        labels, proba = classifier.predict(rest), classifier.predict_proba(rest)[:, 1]
        truth, judged = POSITIVE[~train], found["judged"][name]
        assert judged["accuracy"] == metrics.accuracy_score(truth, labels)
        assert judged["f1"] == pytest.approx(metrics.f1_score(truth, labels))
        assert judged["auc"] == pytest.approx(metrics.roc_auc_score(truth, proba), abs=1e-9)
    assert found["judged"]["tree"]["rules"] >= 2


def test_a_filter_takes_the_best_words_of_the_training_fold(folds):
    train = folds.fold_of == 1
    analyzer = Analyzer()
    stop = analyzer.stop_words("english")
    known = [[analyzer.word(form) for form in doc] for doc in analyzer.forms(TEXTS)]
    known = [doc for doc, inside in zip(known, train, strict=True) if inside]
    counter = CountVectorizer(analyzer=lambda doc: [w for w in doc if w not in stop], binary=True)
    X, names = counter.fit_transform(known), counter.get_feature_names_out()
    for name, score in FILTERS.items():
        scores = score(X, POSITIVE[train])
        expected = [names[k] for k in np.lexsort([names, -scores])[:3]]
        assert run_design(Design(name, 3), 1, folds)["columns"] == expected


def test_a_fold_in_which_nothing_passes_predicts_its_commoner_class():
    positive = np.array([True] * 7 + [False] * 5)
    corpus = encode(["same words"] * 12)
    folds = ReversedFolds(corpus, positive, deal_folds(positive, 2))
    found = run_design(Design("expressions", 9, 0.99, 0.5, 2), 0, folds)
    assert found["columns"] == []
    train = folds.positive[folds.fold_of == 0]
    expected = float(train.mean() > 0.5)
    assert {judged["recall"] for judged in found["judged"].values()} == {expected}
    assert {judged["auc"] for judged in found["judged"].values()} == {0.5}


def test_neighbours_do_not_lean_to_the_class_that_comes_first_in_the_file():
    """Of texts that say nothing, most are equal: an order by class would decide for the first."""
    positive = np.repeat([False, True], 400)
    corpus = encode(["nothing said"] * 396 + ["bad"] * 4 + ["nothing said"] * 396 + ["good"] * 4)
    recalls = []
    for seed in range(12):
        folds = ReversedFolds(corpus, positive, deal_folds(positive, 2, seed), seed)
        recalls.append(run_design(Design("chi2", 2), 0, folds)["judged"]["knn"]["recall"])
    assert 2 <= sum(recall > 0.5 for recall in recalls) <= 10


def test_folds_part_the_documents_and_keep_both_classes_even():
    positive = np.array([True] * 23 + [False] * 38)
    dealt = deal_folds(positive, 5, seed=1)
    for members in (positive, ~positive, np.ones(61, bool)):
        sizes = np.bincount(dealt[members], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    assert not np.array_equal(dealt, deal_folds(positive, 5, seed=2))
    assert np.array_equal(dealt, deal_folds(positive, 5, seed=1))


@pytest.mark.parametrize(("n_folds", "what"), [(1, "1 folds"), (6, "5 documents for 6 folds")])
def test_too_few_or_too_many_folds_are_refused(n_folds, what):
    with pytest.raises(InputError, match=what):
        deal_folds([True] * 5 + [False] * 50, n_folds)


@pytest.mark.parametrize(
    "given", [("best",), ("chi2", 0), ("chi2", 9, 0.5), ("expressions", 9, 1.5, 0.1, 3)]
)
def test_a_design_that_cannot_be_is_refused(given):
    with pytest.raises(InputError):
        Design(*given)


def test_a_key_tells_designs_folds_data_and_seeds_apart(folds):
    other = ReversedFolds(folds.corpus, folds.positive, folds.fold_of, seed=4)
    flipped = ReversedFolds(folds.corpus, ~folds.positive, folds.fold_of, seed=3)
    keys = {
        design_key(design, fold, some.fingerprint())
        for design in (EXPRESSIONS, Design("chi2"), Design("chi2", 3))
        for fold in (0, 1)
        for some in (folds, other, flipped)
    }
    assert len(keys) == 18
