from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

import expression_strategies as strategies
from text_strategies import torture
from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions
from whybox.expressions.analysis import Analyzer
from whybox.expressions.patterns import to_pattern, token_lines


def matched(model, forms):
    lines = [token_lines(document) for document in forms]
    return [[bool(re.search(p, text)) for p in model.to_patterns()] for text in lines]


def fitted(model, texts, y):
    """The model, or None if the texts have no expression."""
    try:
        return model.fit(texts, y)
    except InputError:
        return None


@given(strategies.corpora(), st.sampled_from([None, 0, 1]), st.booleans())
def test_patterns_match_where_transform_does(corpus, gap, repeats):
    docs, positive = corpus
    model = DiscriminatoryExpressions(
        0.5, 0.1, n_expressions=None, analyzer="tokens", stop_words=None, max_gap=gap,
        allow_repeats=repeats,
    )  # fmt: skip
    if fitted(model, docs, positive):
        assert matched(model, docs) == model.transform(docs).toarray().tolist()


@given(st.lists(torture, min_size=2, max_size=6))
def test_patterns_match_any_text_of_the_training_set_as_transform_does(texts):
    y = [i % 2 for i in range(len(texts))]
    model = DiscriminatoryExpressions(0.1, 0.0, n_expressions=None, stop_words=None)
    if fitted(model, texts, y):
        forms = Analyzer().forms(texts)
        assert matched(model, forms) == model.transform(texts).toarray().tolist()


def test_a_pattern_knows_all_forms_and_matches_whole_tokens():
    pattern = to_pattern(["run", ":)"], {"run": ["running", "runs"], ":)": [":)"]})
    found = [bool(re.search(pattern, token_lines(text.split()))) for text in (
        "runs :)", "running far :)", "runsx :)", "xruns :)", "runs :))", ":) runs",
    )]  # fmt: skip
    assert found == [True, True, False, False, False, False]
