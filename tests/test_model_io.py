"""Model files: exact round trips, equal bytes for equal models, and no way to break the reader."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from whybox.baselines import MajorityClassifier
from whybox.errors import InputError
from whybox.model_io import load_card, load_model, model_hash, save_model

CARD = {"target": "label", "figures": {"auc": None, "accuracy": 0.75}, "name": "día"}


def _model() -> MajorityClassifier:
    return MajorityClassifier().fit(np.zeros((4, 3)), ["yes", "no", "no", "no"])


def _state_equal(one: MajorityClassifier, other: MajorityClassifier) -> bool:
    (meta, arrays), (other_meta, other_arrays) = one.to_state(), other.to_state()
    return meta == other_meta and all(
        arrays[name].tobytes() == other_arrays[name].tobytes() for name in arrays
    )


@cache
def _saved(folder: Path) -> bytes:
    save_model(_model(), folder / "good.whybox", card=CARD)
    return (folder / "good.whybox").read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _forge(path: Path, members: dict[str, bytes], *, honest: bool = True) -> Path:
    """Write a zip whose manifest, if honest, fits members that `save_model` never writes."""
    members = dict(members)
    if honest:
        listed = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
            if name != "manifest.json"
        }
        text = json.dumps(listed, sort_keys=True, separators=(",", ":"))
        members["manifest.json"] = text.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _npz(**arrays: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "yes"],
        [0, 1, 1],
        [-3.0, 2.0, 2.0],
        [True, False, True],
        np.array(["a", "b", "b"], dtype=object),
        np.array([1, 2, 3], dtype=np.uint8),
    ],
    ids=["text", "int", "float", "bool", "object", "uint8"],
)
def test_a_round_trip_is_exact_for_every_kind_of_label(tmp_path, y):
    model = MajorityClassifier().fit(np.zeros((3, 2)), y, sample_weight=[0.1, 0.2, 0.3])
    save_model(model, tmp_path / "m.whybox")
    again = load_model(tmp_path / "m.whybox")
    assert_array_equal(again.classes_, model.classes_)
    assert again.classes_.dtype == model.classes_.dtype
    assert again.prevalence_.tobytes() == model.prevalence_.tobytes()
    assert_array_equal(again.predict(np.zeros((2, 2))), model.predict(np.zeros((2, 2))))


def test_feature_names_survive(tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"friends": [1.0, 2.0], "followers": [3.0, 4.0]})
    model = MajorityClassifier().fit(X, ["a", "b"])
    save_model(model, tmp_path / "m.whybox")
    again = load_model(tmp_path / "m.whybox")
    assert again.feature_names_in_.tolist() == ["friends", "followers"]
    with pytest.raises(ValueError, match="feature names"):
        again.predict(X[["followers", "friends"]])


def test_a_card_is_optional_and_read_back_as_given(tmp_path):
    save_model(_model(), tmp_path / "a.whybox")
    save_model(_model(), tmp_path / "b.whybox", card=CARD)
    assert load_card(tmp_path / "a.whybox") is None
    assert load_card(tmp_path / "b.whybox") == CARD


def test_equal_models_give_equal_bytes_whatever_the_clock_the_umask_and_the_process(tmp_path):
    save_model(_model(), tmp_path / "a.whybox", card=CARD)
    code = (
        "import os, sys; os.umask(0o077); sys.path.insert(0, 'tests')\n"
        "from whybox.baselines import MajorityClassifier; from whybox.model_io import save_model\n"
        "import numpy as np\n"
        "model = MajorityClassifier().fit(np.zeros((4, 3)), ['yes', 'no', 'no', 'no'])\n"
        f"save_model(model, sys.argv[1], card={dict(reversed(CARD.items()))!r})"
    )
    environment = {**os.environ, "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "77"}
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "b.whybox")], check=True, env=environment
    )
    assert (tmp_path / "a.whybox").read_bytes() == (tmp_path / "b.whybox").read_bytes()
    assert model_hash(tmp_path / "a.whybox") == model_hash(tmp_path / "b.whybox")


def test_the_hash_is_that_of_the_file(folder):
    data = _saved(folder)
    assert model_hash(folder / "good.whybox") == hashlib.sha256(data).hexdigest()


def test_the_arrays_are_an_npz_that_numpy_reads(folder):
    with np.load(io.BytesIO(_members(_saved(folder))["arrays.npz"]), allow_pickle=False) as npz:
        assert_array_equal(npz["prevalence"], [0.75, 0.25])


@given(data=st.data())
def test_a_damaged_byte_gives_an_input_error_or_the_same_model(folder, data):
    good = _saved(folder)
    position = data.draw(st.integers(0, len(good) - 1))
    value = data.draw(st.integers(0, 255))
    path = folder / "damaged.whybox"
    path.write_bytes(good[:position] + bytes([value]) + good[position + 1 :])
    try:
        model, card = load_model(path), load_card(path)
    except InputError as error:
        assert "damaged.whybox" in str(error)
    else:
        assert _state_equal(model, _model())
        assert card == CARD


def test_no_single_byte_set_to_all_ones_or_flipped_gets_through(folder):
    good = _saved(folder)
    path = folder / "flipped.whybox"
    refused = 0
    for position in range(len(good)):
        for value in (0xFF, good[position] ^ 1):
            path.write_bytes(good[:position] + bytes([value]) + good[position + 1 :])
            try:
                assert _state_equal(load_model(path), _model())
            except InputError:
                refused += 1
    assert refused > len(good)  # what is left are dates and the like, which mean nothing


@given(data=st.data())
def test_a_file_cut_or_lengthened_anywhere_is_refused_or_the_same(folder, data):
    good = _saved(folder)
    path = folder / "cut.whybox"
    cut = good[: data.draw(st.integers(0, len(good) - 1))]
    path.write_bytes(cut + data.draw(st.binary(max_size=40)))
    with contextlib.suppress(InputError):
        assert _state_equal(load_model(path), _model())


@given(content=st.binary(max_size=300))
def test_any_bytes_are_refused(folder, content):
    path = folder / "noise.whybox"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"noise\.whybox"):
        load_model(path)


def test_every_bad_member_is_named_at_once(folder, tmp_path):
    members = _members(_saved(folder))
    members["model.json"] += b" "
    members["evil.py"] = b"import os"
    del members["arrays.npz"]
    path = _forge(tmp_path / "m.whybox", members, honest=False)
    with pytest.raises(InputError) as caught:
        load_model(path)
    for part in ("arrays.npz is missing", "'evil.py' is not expected", "model.json does not match"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2 needs another whybox version"),
        ({"class": "Popen"}, "'Popen' is none of"),
        ({"class": ["CBPTClassifier"]}, "is none of"),
        ({"meta": []}, "`meta` is no object"),
        ({"meta": {"classes": []}}, "they describe no MajorityClassifier"),
    ],
)
def test_a_forged_description_is_refused(folder, tmp_path, change, message):
    members = _members(_saved(folder))
    members["model.json"] = json.dumps(json.loads(members["model.json"]) | change).encode()
    path = _forge(tmp_path / "m.whybox", members)
    with pytest.raises(InputError, match=r"model\.json") as caught:
        load_model(path)
    assert message in str(caught.value)


def _npy(array: np.ndarray, **kwargs: object) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **kwargs)
    return buffer.getvalue()


def _huge_header() -> bytes:
    buffer = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (3 * 10**12,)}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + bytes(24)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (_npz(prevalence=_npy(np.array([{}], dtype=object))), "not as numpy writes"),
        (_npz(prevalence=_npy(np.array([b"bytes"]))), "not as numpy writes"),
        (_npz(prevalence=_npy(np.array(["text"])).replace(b"t", b"\xff")), "arrays.npz"),
        (_npz(prevalence=_npy(np.array(["x"]))[:-4] + b"\xff" * 4), "what is no text"),
        (_npz(prevalence=_npy(np.array(["x", "y"]))), "prevalence is not one float64 a class"),
        (_npz(prevalence=_npy(np.zeros(3))[:-1]), "do not make shape"),
        (_npz(prevalence=_huge_header()), "do not make shape (3000000000000,)"),
        (_npz(prevalence=_npy(np.zeros(3), version=(2, 0))), "not as numpy writes"),
        (_npz(prevalence=b"cos\nsystem\n(S'true'\ntR."), "arrays.npz"),
        (b"PK", "arrays.npz"),
        (_npz(prevalence=_npy(np.zeros((2, 2), order="F"))), "not as numpy writes"),
        (_npz(prevalence=_npy(np.zeros((2, 2)))), "prevalence is not one float64 a class"),
    ],
    ids=[
        "pickle",
        "bytes",
        "header",
        "no text",
        "text",
        "short",
        "huge",
        "version",
        "no array",
        "no zip",
        "order",
        "shape",
    ],
)
def test_forged_arrays_are_refused_before_memory_is_taken(folder, tmp_path, arrays, message):
    members = _members(_saved(folder))
    members["arrays.npz"] = arrays
    with pytest.raises(InputError) as caught:
        load_model(_forge(tmp_path / "m.whybox", members))
    assert message in str(caught.value)


def test_a_zip_bomb_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr("whybox.model_io.MAX_BYTES", 1_000_000)
    path = _forge(tmp_path / "m.whybox", {"model.json": b" " * 1_000_001})
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="larger than 1,000,000 bytes"):
        load_model(path)


def test_deep_json_is_refused(folder, tmp_path):
    members = _members(_saved(folder))
    members["card.json"] = b"[" * 200_000
    with pytest.raises(InputError, match=r"card\.json"):
        load_card(_forge(tmp_path / "m.whybox", members))


def test_a_member_twice_is_refused(folder, tmp_path):
    path = tmp_path / "m.whybox"
    path.write_bytes(_saved(folder))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("model.json", b"{}")
    with pytest.raises(InputError, match="twice"):
        load_model(path)


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path):
    for path in (tmp_path / "none.whybox", tmp_path):
        for read in (load_model, load_card, model_hash):
            with pytest.raises(InputError, match="cannot read the model"):
                read(path)


def test_a_missing_folder_is_an_input_error_that_says_so(tmp_path):
    with pytest.raises(InputError, match="make the folder"):
        save_model(_model(), tmp_path / "none" / "m.whybox")


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "m.whybox"
    save_model(_model(), path)
    before = path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("whybox.model_io.os.fsync", fail)
    with pytest.raises(Exception, match="No space left") as caught:
        save_model(_model(), path, card=CARD)
    assert caught.value.exit_code == 1
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.whybox"]


@pytest.mark.parametrize("card", [{"auc": float("nan")}, {"x": np.float32(1)}, {"x": {1, 2}}])
def test_a_card_that_is_no_json_is_refused(tmp_path, card):
    with pytest.raises(InputError, match=r"card\.json"):
        save_model(_model(), tmp_path / "m.whybox", card=card)
    assert not any(tmp_path.iterdir())


def test_a_class_that_is_not_stored_is_refused_by_name(tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(InputError, match="DecisionTreeClassifier cannot be stored"):
        save_model(DecisionTreeClassifier(), tmp_path / "m.whybox")


def test_arrays_in_any_layout_give_the_same_bytes(tmp_path):
    plain, odd = _model(), _model()
    odd.prevalence_ = np.array([0.75, -1.0, 0.25, -1.0], dtype=">f8")[::2]
    save_model(plain, tmp_path / "a.whybox")
    save_model(odd, tmp_path / "b.whybox")
    assert (tmp_path / "a.whybox").read_bytes() == (tmp_path / "b.whybox").read_bytes()


@pytest.mark.parametrize("kind", ["CBPTClassifier", "AdaBoostPTClassifier"])
@pytest.mark.parametrize("names", [["no", "yes", "zero"], [3, 5, 8]])
def test_boosted_trees_survive_bit_by_bit(tmp_path, kind, names):
    from sklearn.datasets import load_iris

    import whybox.cbpt

    X, codes = load_iris(return_X_y=True)
    y = np.array(names)[codes]
    model = getattr(whybox.cbpt, kind)(n_estimators=4, random_state=5).fit(X, y)
    save_model(model, tmp_path / "a.whybox")
    again = load_model(tmp_path / "a.whybox")
    assert type(again) is type(model)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    save_model(again, tmp_path / "b.whybox")
    assert model_hash(tmp_path / "a.whybox") == model_hash(tmp_path / "b.whybox")
    other = getattr(whybox.cbpt, kind)(n_estimators=4, random_state=5, n_jobs=2).fit(X, y)
    save_model(other, tmp_path / "c.whybox")
    assert model_hash(tmp_path / "a.whybox") == model_hash(tmp_path / "c.whybox")


@given(data=st.data())
def test_forged_boosted_trees_are_input_errors_or_predict(forged_cbpt, data):
    members, path = forged_cbpt
    meta = json.loads(members["model.json"])["meta"]
    key = data.draw(st.sampled_from(sorted(meta)))
    value = data.draw(st.sampled_from([None, -1, 1e300, "x", [], [[]], {}, True, 10**30]))
    description = json.loads(members["model.json"]) | {"meta": meta | {key: value}}
    forged = members | {"model.json": json.dumps(description).encode()}
    with contextlib.suppress(InputError):
        load_model(_forge(path, forged))


@pytest.fixture(scope="module")
def forged_cbpt(folder: Path) -> tuple[dict[str, bytes], Path]:
    from whybox.cbpt import CBPTClassifier

    X = np.random.default_rng(0).normal(size=(60, 2))
    model = CBPTClassifier(n_estimators=2, random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2 > 0.5)
    save_model(model, folder / "cbpt.whybox")
    return _members((folder / "cbpt.whybox").read_bytes()), folder / "forged.whybox"


def test_the_other_methods_are_stored_too(tmp_path):
    from whybox import DiscriminatoryExpressions, S3DClassifier, S3DRegressor

    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]] * 10)
    y = np.array(["a", "a", "b", "b"] * 10)
    texts = ["good crew", "very good", "bad day", "so bad"] * 10
    models = (
        (S3DClassifier().fit(X, y), "predict", X),
        (S3DRegressor().fit(X, X[:, 0] * 2), "predict", X),
        (DiscriminatoryExpressions(min_precision=0.7).fit(texts, y), "transform", texts),
    )
    for model, method, rows in models:
        save_model(model, tmp_path / "m.whybox")
        again = load_model(tmp_path / "m.whybox")
        expected, found = getattr(model, method)(rows), getattr(again, method)(rows)
        if method == "transform":
            expected, found = expected.toarray(), found.toarray()
        assert np.array_equal(expected, found)
        before = (tmp_path / "m.whybox").read_bytes()
        save_model(again, tmp_path / "m.whybox")
        assert (tmp_path / "m.whybox").read_bytes() == before
