"""Fitted models of every kind that a model file holds, and how to compare two of them."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

from kernlib import (
    BudgetPerceptron,
    KernelPegasos,
    KernelPerceptron,
    KernelSVM,
    Pegasos,
    Perceptron,
    Winnow,
)
from kernlib.kernels import Exponential, Gaussian, Laplacian, Linear, Polynomial, SquaredL1
from kernlib.preprocessing import AddConstant, DropOutliers, NoScaling

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 7))
Y = np.arange(60) % 3
Y2 = np.arange(60) % 2
NAMED = np.array(["ape", "bee", "cow"])[Y]
FEW = {"n_steps": 300, "random_state": 0}
FRAME = pd.DataFrame(X, columns=[f"feature {j}" for j in range(7)])


def pegasos(y=Y, rows=X, **options):
    return Pegasos(**(FEW | options)).fit(rows, y)


def _priors():
    array = RNG.normal(size=(3, 8))
    return {
        "array": pegasos(prior=array),
        "fortran": pegasos(prior=np.asfortranarray(array)),
        "lists": pegasos(prior=array.tolist()),
        "frozen": pegasos(prior=FrozenEstimator(pegasos(lam=0.1))),
        "frozen twice": pegasos(
            prior=FrozenEstimator(pegasos(prior=FrozenEstimator(pegasos(lam=0.1))))
        ),
        "crammer_singer": pegasos(prior=array, multi_class="crammer_singer"),
    }


def budget(policy, **options):
    model = BudgetPerceptron(policy=policy, budget=15, random_state=0, **options).fit(X, Y)
    for name in ("_run", "_begun"):  # the state of a stream is not in a model file
        delattr(model, name)
    return model


KERNELS = {
    "object": Gaussian(gamma=0.1),
    "scale": Exponential(),
    "polynomial": Polynomial(degree=np.int64(2), coef0=np.float32(0.5)),
    "sum": Linear() + 0.5 * Laplacian(gamma=0.3) + 2.0,
    "product": Polynomial(2) * (SquaredL1(gamma=0.01) + Linear()),
}
GRAM = Polynomial(degree=2)(X)
KERNEL_MODELS = {
    **{f"kernel perceptron {p} {m}":
       KernelPerceptron(predictor=p, multi_class=m, max_iter=2).fit(X, y)
       for p in ("last", "average", "voted", "best") for m, y in (("ovr", Y), ("ovo", NAMED))},
    **{f"kernel perceptron {name}": KernelPerceptron(kernel=kernel, predictor="voted").fit(X, Y2)
       for name, kernel in KERNELS.items()},
    "kernel perceptron csr": KernelPerceptron(kernel="poly").fit(sparse.csr_array(X), Y),
    "kernel perceptron float32": KernelPerceptron().fit(X.astype(np.float32), Y2),
    "kernel perceptron feature names": KernelPerceptron().fit(FRAME, NAMED),
    "kernel perceptron precomputed": KernelPerceptron(kernel="precomputed").fit(GRAM, Y),
    **{f"kernel pegasos {m} {o}": KernelPegasos(multi_class=m, output=o, **FEW).fit(X, Y)
       for m in ("ovr", "ovo") for o in ("last", "average", "suffix")},
    "kernel pegasos logistic": KernelPegasos(loss="logistic", lam=0.1, **FEW).fit(X, Y2),
    "kernel pegasos weights": KernelPegasos(class_weight="balanced", **FEW).fit(X, NAMED),
    **{f"kernel svm {m} {b}": KernelSVM(multi_class=m, fit_intercept=b).fit(X, Y)
       for m in ("ovo", "ovr") for b in (True, False)},
    "kernel svm lam": KernelSVM(lam=0.1, kernel=KERNELS["sum"]).fit(X, Y2),
    "kernel svm precomputed": KernelSVM(kernel="precomputed").fit(GRAM, Y),
    **{f"budget {p}": budget(p) for p in ("margin", "oldest", "random", "project")},
    "budget stream": BudgetPerceptron(budget=9).partial_fit(X, Y, classes=[0, 1, 2]),
    "kernel pipeline": make_pipeline(StandardScaler(), KernelPerceptron()).fit(X, NAMED),
}  # fmt: skip
for _name in ("_run", "_begun"):
    delattr(KERNEL_MODELS["budget stream"], _name)

MODELS = {
    **{f"perceptron {p} {m}": Perceptron(predictor=p, multi_class=m, max_iter=3).fit(X, y)
       for p in ("last", "average", "voted", "best") for m, y in (("ovr", Y), ("ovo", NAMED))},
    "perceptron two classes": Perceptron().fit(X, Y2),
    "perceptron float32": Perceptron(predictor="voted").fit(X.astype(np.float32), Y2),
    "perceptron csr": Perceptron(predictor="voted", max_iter=2).fit(sparse.csr_array(X), Y),
    "perceptron csr matrix": Perceptron(predictor="voted", max_iter=2).fit(
        sparse.csr_matrix(X), Y2
    ),
    "perceptron seeds": Perceptron(shuffle=True, random_state=np.int32(3)).fit(X, Y),
    "object labels": Perceptron().fit(X, NAMED.astype(object)),
    "boolean labels": Perceptron().fit(X, Y2 == 1),
    "float labels": Perceptron().fit(X, np.where(Y2, 1.0, -0.0)),
    "feature names": Perceptron().fit(FRAME, Y),
    "winnow": Winnow(max_iter=3).fit((X > 0).astype(float), Y),
    "winnow signs": Winnow(max_iter=3, threshold=2).fit(np.sign(X), Y2),
    "winnow binarize": Winnow(binarize=0.5, alpha=1.5).fit(X, Y),
    **{f"pegasos {m} {o}": pegasos(multi_class=m, output=o)
       for m in ("ovr", "ovo", "crammer_singer") for o in ("last", "average", "suffix")},
    "pegasos crammer_singer two classes": pegasos(Y2, multi_class="crammer_singer"),
    "pegasos logistic": pegasos(loss="logistic", record_objective=100),
    "pegasos project": pegasos(project=True),
    "pegasos float32": pegasos(rows=X.astype(np.float32)),
    "pegasos no intercept": pegasos(fit_intercept=False, lam=1),
    "pegasos weights": pegasos(class_weight={0: 1.0, np.int64(1): 2, 2: np.float32(0.5)}),
    "pegasos named weights": pegasos(NAMED, class_weight={"ape": 1, "bee": 2, "cow": 1}),
    "pegasos balanced": pegasos(class_weight="balanced"),
    "pegasos stream": Pegasos().partial_fit(X, Y, classes=[0, 1, 2]),
    **{f"pegasos prior {name}": model for name, model in _priors().items()},
    "pipeline": Pipeline(
        [("scale", StandardScaler()), ("expand", PolynomialFeatures(2)), ("learn", Perceptron())]
    ).fit(X, Y),
    "pipeline of a frame": make_pipeline(
        MinMaxScaler(clip=True).set_output(transform="pandas"), pegasos()
    ).fit(FRAME, Y),
    "pipeline with nothing": Pipeline([("none", "passthrough"), ("learn", Perceptron())]).fit(X, Y),
    "pipeline in a pipeline": make_pipeline(
        NoScaling(), make_pipeline(AddConstant(), PolynomialFeatures((1, 2), order="F")),
        Pegasos(**FEW)
    ).fit(X, Y),
    "outliers": DropOutliers(make_pipeline(StandardScaler(), Perceptron()), threshold=2).fit(X, Y),
    "outliers unset": DropOutliers(pegasos()).fit(X, NAMED),
    "frozen": FrozenEstimator(Perceptron().fit(X, Y)),
    **KERNEL_MODELS,
}  # fmt: skip
HOLED = np.where(X > 1, np.nan, X)
TRANSFORMERS = {
    "standard": StandardScaler().fit(X),
    "standard of holes": StandardScaler().fit(HOLED),
    "standard without scale": StandardScaler(with_std=False).fit(X),
    "standard csr": StandardScaler(with_mean=False).fit(sparse.csr_array(X)),
    "minmax": MinMaxScaler((-1, 1)).fit(X),
    "polynomial": PolynomialFeatures(3, interaction_only=True, include_bias=False).fit(FRAME),
    "polynomial range": PolynomialFeatures((2, 3)).fit(X),
    "constant": AddConstant().fit(X),
    "nothing": NoScaling().set_output(transform="default").fit(X),
    "expansion": make_pipeline(AddConstant(), PolynomialFeatures(2)).fit(X),
}


def rows_for(name):
    rows = np.sign(X) if "signs" in name else (X > 0) if name == "winnow" else X
    rows = rows.astype(np.float32 if "float32" in name else np.float64)
    if "precomputed" in name:
        return GRAM
    if "frame" in name or "feature names" in name:
        return FRAME
    return sparse.csr_array(rows) if "csr" in name else rows


def same(a, b):
    """Whether two values agree in type, dtype and every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    if sparse.issparse(a):
        return a.shape == b.shape and all(
            same(getattr(a, part), getattr(b, part)) for part in ("data", "indices", "indptr")
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if hasattr(a, "__dict__"):
        return vars(a).keys() == vars(b).keys() and all(
            same(v, vars(b)[k]) for k, v in vars(a).items()
        )
    return a == b or (a != a and b != b)
