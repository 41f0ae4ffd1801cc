"""Many experiments at once: worker processes fill the results store, the heaviest first.

A worker computes with one thread a product and its share of the cores, and leaves its table in the
store; nothing else comes back.  Experiments that need another's table wait for it there instead
of computing it again.  Tests: ``tests/replication/test_workers.py``.
"""

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

import joblib
from threadpoolctl import threadpool_limits

from kernlib.replication import catalogue, engine
from kernlib.replication.engine import Experiment

# About how long the longer ones take on one core, for the order of work and the time left only.
SECONDS: dict[str, float] = {
    "cologni2024.kernel_pegasos": 165,
    "mirone2023.cv_errors": 140,
    "dellaporta2020.svm_kernels": 50,
    "mirone2023.other_kernels": 50,
    "dellaporta2020.precision": 45,
    "mirone2023.averages": 40,
    "cologni2024.kernel_pegasos_slips": 30,
    "dellaporta2020.sample_complexity": 30,
    "dellaporta2020.ovo_polynomial": 30,
    "dellaporta2020.svm_c": 30,
    "dellaporta2020.joint_grid": 25,
    "mirone2023.finer_grid": 25,
    "mirone2023.nearest_neighbour": 25,
    "cologni2024.mini_batches": 20,
    "dellaporta2020.gaussian_15_epochs": 20,
    "dellaporta2020.wide_machines": 20,
    "dellaporta2020.neighbour_complexity": 17,
    "dellaporta2020.hardest_digits": 16,
    "dellaporta2020.ova_polynomial": 16,
    "dellaporta2020.ova_gaussian": 16,
    "romano2021.all_digits": 15,
    "cologni2024.pegasos_poly2_lambda": 11,
    "cologni2024.kernel_perceptron_test": 10,
    "dellaporta2020.compared_seconds": 10,
    "dellaporta2020.svm_gamma": 10,
    "mirone2023.run_times": 10,
    "romano2021.repeats": 9,
    "cologni2024.cross_validation": 8,
    "cologni2024.kernel_perceptron": 8,
    "dellaporta2020.ova_epochs": 8,
    "dellaporta2020.ovo_epochs": 7,
    "cologni2024.kernel_logistic": 7,
    "cologni2024.logistic_update": 7,
    "dellaporta2020.gaussian_pilot": 6,
    "dellaporta2020.reduced_set": 6,
    "mirone2023.kernel_values": 6,
    "mirone2023.precision": 6,
    "mirone2023.shared_draws": 6,
}
# These read large Gram matrices row by row: two at once would share the speed of the memory, and
# hold the largest matrices at the same time.
STREAMING = (
    "cologni2024.kernel_pegasos",
    "mirone2023.cv_errors",
    "mirone2023.other_kernels",
    "mirone2023.averages",
    "cologni2024.kernel_pegasos_slips",
    "mirone2023.finer_grid",
)
SHORT = 1.0
THREADS = "LOKY_MAX_CPU_COUNT"  # joblib's own limit of what n_jobs=-1 means


class Outcome(NamedTuple):
    """What became of an experiment: its seconds here, or why it failed."""

    experiment: Experiment
    seconds: float
    error: str = ""


def expected_seconds(made: Experiment) -> float:
    """Return about how long an experiment takes."""
    return SECONDS.get(made.key, SHORT)


def in_turn(wanted: Iterable[Experiment]) -> list[Experiment]:
    """Return experiments in the order in which to begin: the heaviest first, streaming ones apart.

    The next streaming one comes where two workers would have done the one before by then.
    """
    heaviest_first = sorted(wanted, key=expected_seconds, reverse=True)
    streaming = [made for made in heaviest_first if made.key in STREAMING]
    order, busy = [], 0.0
    for made in (made for made in heaviest_first if made.key not in STREAMING):
        while streaming and busy <= 0:
            busy += expected_seconds(streaming[0])
            order.append(streaming.pop(0))
        order.append(made)
        busy -= expected_seconds(made)
    return order + streaming


def compute_all(
    which: Iterable[Experiment] | None = None,
    *,
    jobs: int | None = None,
    data: Mapping[str, Any] | None = None,
    runs: int | None = None,
    seed: int = 0,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Compute experiments into the results store; return what became of each, in their order.

    Tables do not depend on ``jobs``.  One that fails does not stop the others.

    Parameters
    ----------
    which : iterable of Experiment, optional
        Those to compute; all if not given.
    jobs : int, optional
        Worker processes; as many as there are usable cores if not given, none if 1.
    data : mapping, optional
        Data sets by name, to be used instead of the usual ones.
    runs, seed : int
        As for a single experiment.
    done : callable, optional
        Is told of each outcome as it comes.
    """
    wanted = list(catalogue.experiments() if which is None else which)
    jobs = joblib.cpu_count() if jobs is None else jobs
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}. Leave it out to use all cores.")
    arguments = (dict(data or {}), runs, seed)
    found: dict[str, Outcome] = {}
    jobs = min(jobs, max(1, len(wanted)))
    finished = _here(wanted, arguments) if jobs == 1 else _elsewhere(wanted, jobs, arguments)
    for outcome in finished:
        found[outcome.experiment.key] = outcome
        done(outcome)
    return [found[made.key] for made in wanted]


def _computed(made: Experiment, data: Mapping[str, Any], runs: int | None, seed: int) -> float:
    """Have the table in the store; return the seconds that it took."""
    start = time.perf_counter()
    made(data.get(made.data or ""), runs=runs, seed=seed)
    return time.perf_counter() - start


def _here(wanted: Sequence[Experiment], arguments: tuple[Any, ...]) -> Iterator[Outcome]:
    for made in wanted:
        try:
            yield Outcome(made, _computed(made, *arguments))
        except Exception as error:
            yield Outcome(made, 0.0, _text(error))


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


# ---------------------------------------------------------------- in processes


_ARGUMENTS: list[Any] = []  # a worker's own


def _begin(threads: int, arguments: tuple[Any, ...]) -> None:
    """Prepare a worker: an interrupt from the keyboard is for the parent, whose end ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ[THREADS] = str(threads)
    catalogue.load()
    threadpool_limits(1)
    _ARGUMENTS[:] = arguments


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(key: str) -> float:
    seconds = _computed(engine.REGISTRY[key], *_ARGUMENTS)
    gc.collect()  # a Gram matrix in a cycle of references would stay beside the next one
    return seconds


def _elsewhere(
    wanted: Sequence[Experiment], jobs: int, arguments: tuple[Any, ...]
) -> Iterator[Outcome]:
    """Yield outcomes as workers have them; whoever stops listening stops the workers."""
    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        jobs,
        # A fork would copy the locks of BLAS's and numba's threads.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(max(1, joblib.cpu_count() // jobs), arguments),
    )
    try:
        running = {pool.submit(_work, made.key): made for made in in_turn(wanted)}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield _outcome(running.pop(future), future)
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _outcome(made: Experiment, future: "Future[float]") -> Outcome:
    try:
        return Outcome(made, future.result())
    except BrokenProcessPool:
        return Outcome(made, 0.0, "its worker process ended: too little memory, or stopped")
    except Exception as error:
        return Outcome(made, 0.0, _text(error))
