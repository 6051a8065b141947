#!/usr/bin/env python3
"""Exports all of torchvision's networks anew and compares them with the built-in ones.

    export_test.py path/to/zoo_agreement_test

Exits with 77 (skipped) where torchvision is not installed.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    program = str(Path(sys.argv[1]).resolve())
    if not all(importlib.util.find_spec(name) for name in ("torch", "torchvision", "onnx")):
        print("python3-torch, python3-torchvision or python3-onnx is not installed; skipped")
        return 77
    export = [sys.executable, str(HERE / "export_torchvision.py")]
    with tempfile.TemporaryDirectory() as folder:
        for kind in "torchvision", "folded":
            Path(folder, kind).mkdir()
        subprocess.run([*export, f"{folder}/torchvision"], check=True)
        subprocess.run([*export, "--folded", "--with-weights", f"{folder}/folded", "densenet121",
                        "mobilenet-v3-large", "resnet18"], check=True)
        environment = {**os.environ, "FAIRLEAD_ONNX_FOLDER": folder}
        return subprocess.run([program], cwd=HERE.parent.parent, env=environment,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
