#!/usr/bin/env python3
"""Compares operators with the cases in which ONNX shows what each of them does.

    onnx_cases_test.py path/to/onnx_cases
    onnx_cases_test.py --write FOLDER

Each case of the package onnx.backend.test becomes a network of one operator; what is not data becomes
weights. What we refuse counts as agreement, as long as enough operators are among those that we do not
refuse. Exits with 77 (skipped) where python3-onnx is not installed, neither for this Python nor for
Debian's.
"""

import builtins
import subprocess
import sys
import tempfile
from pathlib import Path

SEVERAL_INPUTS = ("Add", "Concat", "Div", "Max", "Min", "Mul", "Sub", "Sum")
# Operators of which there must be a case that agrees.
EXPECTED = {
    "Abs", "Add", "AveragePool", "BatchNormalization", "Concat", "Conv", "ConvTranspose", "Div", "Elu",
    "Exp", "Flatten", "Gemm", "GlobalAveragePool", "GlobalMaxPool", "HardSigmoid", "HardSwish", "LRN",
    "LeakyRelu", "LogSoftmax", "MatMul", "MaxPool", "Mul", "Neg", "ReduceMax", "ReduceMean", "ReduceSum",
    "Relu", "Reshape", "Resize", "Sigmoid", "Slice", "Softmax", "Split", "Sqrt", "Squeeze", "Sub", "Tanh",
    "Transpose", "Unsqueeze", "Upsample",
}


def can_write(python):
    try:
        return subprocess.run([python, "-c", "import onnx.backend.test"], capture_output=True,
                              check=False).returncode == 0
    except OSError:
        return False


def cases():
    import numpy

    for name in "float", "int", "bool", "object":  # onnx 1.12 uses what newer numpy has dropped
        if name not in vars(numpy):
            setattr(numpy, name, getattr(builtins, name))
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(None):
        inputs, outputs = case.data_sets[0]
        arrays = all(isinstance(value, numpy.ndarray) for value in [*inputs, *outputs])
        if arrays and inputs and len(case.model.graph.node) == 1 and inputs[0].dtype == "float32":
            yield case.name, case.model, inputs, outputs


def write(folder):
    from onnx import numpy_helper

    for name, model, inputs, outputs in cases():
        rank = max(value.ndim for value in inputs)
        several = model.graph.node[0].op_type in SEVERAL_INPUTS
        declared = list(model.graph.input)
        del model.graph.input[:]
        data = []
        for i, (place, value) in enumerate(zip(declared, inputs)):
            if i == 0 or (several and value.ndim == rank):
                model.graph.input.append(place)
                data.append(value.astype("<f4").tobytes())
            else:
                model.graph.initializer.append(numpy_helper.from_array(value, place.name))
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        (folder / f"{name}.in").write_bytes(b"".join(data))
        (folder / f"{name}.out").write_bytes(b"".join(o.astype("<f4").tobytes() for o in outputs
                                                      if o.dtype == "float32"))
        (folder / f"{name}.operator").write_text(model.graph.node[0].op_type, encoding="utf-8")


def main():
    if sys.argv[1] == "--write":
        write(Path(sys.argv[2]))
        return 0
    python = next(filter(can_write, (sys.executable, "/usr/bin/python3")), None)
    if python is None:
        print("python3-onnx is not installed; skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-W", "ignore", __file__, "--write", folder], check=True)
        run = subprocess.run([sys.argv[1], folder], capture_output=True, text=True, check=True)
        verdicts = [line.split(" ", 1) for line in run.stdout.splitlines()]
        right = {Path(folder, f"{name}.operator").read_text(encoding="utf-8")
                 for verdict, name in verdicts if verdict == "right"}
    print(run.stdout)
    wrong = [line for verdict, line in verdicts if verdict == "wrong"]
    missing = EXPECTED - right
    print(f"{len(verdicts)} cases, {len(wrong)} wrong: {wrong}; without a case: {sorted(missing)}")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
