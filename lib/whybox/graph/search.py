"""Nested search on a session: the problem is sent once, a trial is a task, figures come back small.

Only a few tasks are in flight at any time and each result is reduced when it arrives, so that
neither this process nor the scheduler grows with the number of candidates. What has arrived is in
the ledger: a run that was killed goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, TypeVar

from whybox.errors import RunError, WhyboxError
from whybox.graph.session import Session
from whybox.model_selection.grids import best_candidate
from whybox.model_selection.nested import Problem, Trial, inner_scores, run_trial, trial_key
from whybox.model_selection.thresholds import choose_threshold

__all__ = ["Candidates", "Ledger", "choose_params", "choose_thresholds", "run_trials"]

Candidates = Mapping[str, Sequence[Mapping[str, Any]]]
Ledger = MutableMapping[str, dict[str, Any]]
T = TypeVar("T")

_AHEAD = 2  # tasks a thread: one at work, one at hand


def run_trials(
    session: Session,
    problem: Problem,
    trials: Sequence[Trial],
    ledger: Ledger,
    label: str,
    *,
    shared: Any = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run trials, but not those that the ledger holds.

    Parameters
    ----------
    session : Session
    problem : Problem
    trials : sequence of Trial
    ledger : mapping of key to figures
        Takes each result when it arrives; a dict will do where nothing has to outlive the run.
    label : str
        What the work is, for whoever watches.
    shared : optional
        The problem as ``session.share`` gave it, if it was sent before.

    Yields
    ------
    int, dict
        Position of a trial and its figures: first what was known, then the others as they arrive.

    Raises
    ------
    WhyboxError
        As a trial raised it.
    RunError
        A worker died under a trial; what had arrived is in the ledger.
    """
    from dask.delayed import delayed

    keys = [trial_key(trial, problem) for trial in trials]
    known = [at for at, key in enumerate(keys) if key in ledger]
    for at in known:
        yield at, ledger[keys[at]]
    missing = sorted(set(range(len(trials))) - set(known))
    if not missing:
        return
    run = delayed(run_trial, pure=False)
    problem_there = session.share(problem) if shared is None else shared
    for position, figures in arrivals(
        session, missing, lambda at: run(trials[at], problem_there), label
    ):
        ledger[keys[position]] = figures
        yield position, figures


def choose_params(
    session: Session,
    problem: Problem,
    candidates: Candidates,
    ledger: Ledger,
    *,
    metric: str = "accuracy",
    shared: Any = None,
) -> dict[tuple[str, int], dict[str, Any]]:
    """Choose each model's parameters for each outer fold, on its inner folds.

    Parameters
    ----------
    session : Session
    problem : Problem
        With inner folds, unless every model has one candidate only.
    candidates : mapping of str to sequence of dict
        For each model what may be chosen, at least one; one alone is taken untried.
    ledger : mapping of key to figures
    metric : str, default "accuracy"
        What decides; of equals the first candidate.
    shared : optional
        The problem as ``session.share`` gave it.

    Returns
    -------
    dict of (model, number of the outer fold) to parameters
    """
    tried = [name for name, given in candidates.items() if len(given) > 1]
    plan = [
        (name, outer, number, inner)
        for name in tried
        for outer in range(len(problem.outer))
        for number in range(len(candidates[name]))
        for inner in range(len(problem.inner[outer]))
    ]
    trials = [
        Trial(name, candidates[name][number], outer, inner) for name, outer, number, inner in plan
    ]
    scores: dict[tuple[str, int], list[list[float | None]]] = {
        (name, outer): [[] for _ in candidates[name]]
        for name in tried
        for outer in range(len(problem.outer))
    }
    label = f"trying {sum(len(candidates[name]) for name in tried)} candidates"
    for at, figures in run_trials(session, problem, trials, ledger, label, shared=shared):
        name, outer, number, _ = plan[at]
        scores[name, outer][number].append(figures["metrics"][metric])
    chosen = {
        (name, outer): dict(given[0])
        for name, given in candidates.items()
        for outer in range(len(problem.outer))
    }
    for (name, outer), found in scores.items():
        chosen[name, outer] = dict(candidates[name][best_candidate(found, metric)])
    return chosen


def choose_thresholds(
    session: Session,
    problem: Problem,
    params: Mapping[tuple[str, int], Mapping[str, Any]],
    spec: str,
) -> dict[tuple[str, int], float]:
    """Choose each model's threshold for each outer fold, on the scores of its inner folds.

    Parameters
    ----------
    session : Session
    problem : Problem
        Of two classes, with inner folds.
    params : mapping of (model, number of the outer fold) to parameters
    spec : str
        As `whybox.model_selection.choose_threshold` takes it. ``capacity:N`` means N of all rows
        of the problem: of the train rows of a fold it flags as large a part.

    Returns
    -------
    dict of (model, number of the outer fold) to float
    """
    from dask.delayed import delayed

    choose = delayed(_choose_threshold, pure=False)
    shared = session.share(problem)
    tasks = [choose(name, given, outer, spec, shared) for (name, outer), given in params.items()]
    found = session.compute(tasks, "choosing thresholds")
    return dict(zip(params, found, strict=True))


def _choose_threshold(
    name: str, params: Mapping[str, Any], outer: int, spec: str, problem: Problem
) -> float:
    """Module-level, so that a worker finds it."""
    scores, positive = inner_scores(name, params, outer, problem)
    kind, _, argument = spec.partition(":")
    if kind == "capacity" and argument.isdigit():
        spec = f"capacity:{int(argument) * len(scores) // len(problem.y)}"
    return choose_threshold(spec, scores, positive).value


def arrivals(
    session: Session, items: Sequence[T], make: Callable[[T], Any], label: str
) -> Iterator[tuple[T, Any]]:
    """Compute a task an item, a few at a time, in whatever order they are done."""
    with session.progress.track(label, len(items)) as advance:
        if session.client is None:
            for item in items:
                yield item, make(item).compute(scheduler="synchronous")
                advance(1)
        else:
            for item, result in _from_workers(session.client, items, make, label):
                yield item, result
                advance(1)


def _from_workers(
    client: Any, items: Sequence[T], make: Callable[[T], Any], label: str
) -> Iterator[tuple[T, Any]]:
    """Keep a window of tasks in flight; what is given up is cancelled."""
    from distributed import as_completed

    threads = sum(client.nthreads().values()) or 1
    waiting = iter(items)
    flying: dict[str, T] = {}

    def submit() -> Any:
        for item in waiting:
            future = client.compute(make(item))
            flying[future.key] = item
            return future
        return None

    first = [future for _ in range(_AHEAD * threads) if (future := submit()) is not None]
    arriving = as_completed(first, loop=client.loop)
    futures = {future.key: future for future in first}
    try:
        for future in arriving:
            result = future.result()
            item = flying.pop(future.key)
            del futures[future.key]
            following = submit()
            if following is not None:
                futures[following.key] = following
                arriving.add(following)
            yield item, result
    except (WhyboxError, GeneratorExit):
        raise
    except Exception as error:
        raise RunError(
            f"{label} failed: {type(error).__name__}: {error}",
            remedy="run again: what is done is kept; --debug shows the traceback",
        ) from error
    finally:
        client.cancel(list(futures.values()))
