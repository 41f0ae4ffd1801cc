"""Many cores, many machines, more data than memory: the results stay the same."""

import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from kernlib import KernelPerceptron, Pegasos
from kernlib.kernels import Gaussian, Polynomial
from kernlib.model_selection import GridSearch

X, Y = make_classification(
    150, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
)
SEARCHES = {
    "shared": GridSearch(
        KernelPerceptron(), {"kernel": [Polynomial(2), Gaussian(0.2), "rbf"], "max_iter": [1, 3]},
        cv=3, n_runs=2, test_size=0.2, random_state=0,
    ),
    "generic": GridSearch(
        Pegasos(n_steps=300, random_state=0), {"lam": [0.01, 0.1, 1.0]},
        cv=3, n_runs=2, test_size=0.2, random_state=0,
    ),
    "per split": GridSearch(
        Pipeline([("scale", StandardScaler()), ("learn", KernelPerceptron(kernel=Polynomial()))]),
        {"learn__kernel__degree": [1, 2], "learn__max_iter": [1, 3]},
        cv=3, n_runs=2, test_size=0.2, random_state=0,
    ),
}  # fmt: skip


@pytest.fixture(params=SEARCHES)
def search(request):
    return SEARCHES[request.param]


def table_of(search, **options):
    return search.set_params(**options).fit(X, Y).table_.drop(columns="seconds")


def test_any_number_of_workers_gives_the_same_table(search):
    alone = table_of(search, n_jobs=None)
    assert search is SEARCHES[search.path_]
    for n_jobs in (1, 2, 5, -1):
        pd.testing.assert_frame_equal(table_of(search, n_jobs=n_jobs), alone)


def test_threads_do_the_work(search, monkeypatch):
    """No process is started unless it is asked for: the loops let go of the interpreter."""
    seen = []
    parallel = joblib.Parallel.__call__

    def watched(self, tasks):
        seen.append(type(self._backend).__name__)
        return parallel(self, tasks)

    monkeypatch.setattr(joblib.Parallel, "__call__", watched)
    table_of(search, n_jobs=2)
    assert set(seen) == {"ThreadingBackend"}


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_processes_give_the_same_table(search, backend):
    alone = table_of(search, n_jobs=1)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        pd.testing.assert_frame_equal(table_of(search, n_jobs=None), alone)


# ---------------------------------------------------------------- a cluster


def searched_on_cluster(search, X, y, address):
    """Fit ``search`` with the workers of the Dask cluster at ``address``."""
    from distributed import Client

    with Client(address), joblib.parallel_config(backend="dask"):
        return search.fit(X, y)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address=None, worker_dashboard_address=None, silence_logs=50,
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_table(search, cluster, tmp_path):
    alone = table_of(search, n_jobs=1, checkpoint=None)
    path = tmp_path / "run.jsonl"
    there = searched_on_cluster(
        search.set_params(checkpoint=path), X, Y, cluster.scheduler_address
    ).table_
    search.set_params(checkpoint=None)
    pd.testing.assert_frame_equal(there.drop(columns="seconds"), alone)
    assert len(path.read_text().splitlines()) == 1 + len(alone)


@pytest.mark.slow
def test_both_workers_of_the_cluster_work(cluster):
    from distributed import Client

    with Client(cluster.scheduler_address) as client, joblib.parallel_config(backend="dask"):
        table_of(SEARCHES["shared"], checkpoint=None)
        done = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert len(done) == 2
    assert all(count > 0 for count in done.values())


# ---------------------------------------------------------------- more data than memory


def fitted_in_chunks(X, y, learner, chunk):
    """Show ``learner`` the rows, ``chunk`` of them at a time."""
    classes = np.unique(y)
    for start in range(0, len(y), chunk):
        rows = slice(start, start + chunk)
        learner.partial_fit(X[rows], y[rows], classes=classes)
    return learner


BEYOND_MEMORY = """
import resource, sys
import numpy as np
from kernlib import Pegasos
from test_model_selection_parallel import fitted_in_chunks

X = np.load(sys.argv[1], mmap_mode="r")
y = np.load(sys.argv[2])
learner = Pegasos(lam=1e-3, random_state=0)
fitted_in_chunks(X[:2000], y[:2000], learner, 1000)  # compiled before memory becomes scarce
used = next(int(line.split()[1]) for line in open("/proc/self/status") if "VmData" in line) * 1024
allowed = used + X.nbytes // 4
resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
try:
    np.array(X)
except MemoryError:
    print("too large for memory")
learner = fitted_in_chunks(X, y, Pegasos(lam=1e-3, random_state=0), 20_000)
np.savez(sys.argv[3], coef=learner.coef_, intercept=learner.intercept_)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="limits memory as Linux does")
def test_a_table_larger_than_memory_is_learned_in_chunks(tmp_path):
    rng = np.random.default_rng(0)
    n, d = 400_000, 50
    table = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float64, shape=(n, d))
    y = np.empty(n, dtype=np.int64)
    direction = rng.standard_normal(d)
    for start in range(0, n, 50_000):
        rows = slice(start, start + 50_000)
        table[rows] = rng.standard_normal((50_000, d))
        y[rows] = np.where(table[rows] @ direction > 0, 1, -1)
    table.flush()
    np.save(tmp_path / "y.npy", y)
    files = [tmp_path / name for name in ("X.npy", "y.npy", "found.npz")]
    done = subprocess.run(
        [sys.executable, "-c", BEYOND_MEMORY, *map(str, files)],
        capture_output=True, text=True, cwd=Path(__file__).parent, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "too large for memory\n"), done.stderr
    with np.load(files[2]) as found:
        coef, intercept = found["coef"], found["intercept"]
    inside = fitted_in_chunks(table, y, Pegasos(lam=1e-3, random_state=0), 20_000)
    assert np.array_equal(coef, inside.coef_)
    assert np.array_equal(intercept, inside.intercept_)


def test_chunks_of_a_dask_array(tmp_path):
    array = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    A = rng.standard_normal((600, 4))
    b = np.where(A[:, 0] > 0, "up", "down")
    blocks = array.from_array(A, chunks=(100, 4)).blocks
    learner = Pegasos(lam=0.01, random_state=0)
    for k, rows in enumerate(blocks):
        learner.partial_fit(rows.compute(), b[100 * k : 100 * (k + 1)], classes=["down", "up"])
    expected = fitted_in_chunks(A, b, Pegasos(lam=0.01, random_state=0), 100)
    assert np.array_equal(learner.coef_, expected.coef_)
