#!/usr/bin/env python3
"""Exports all of torchvision's networks anew and compares them with the built-in ones.

    export_test.py path/to/zoo_agreement_test

Exits with 77 (skipped) where torchvision is not installed, neither for this Python nor for Debian's.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def can_export(python):
    try:
        return subprocess.run([python, "-c", "import onnx, torchvision"], capture_output=True,
                              check=False).returncode == 0
    except OSError:
        return False


def main():
    program = str(Path(sys.argv[1]).resolve())
    python = next(filter(can_export, (sys.executable, "/usr/bin/python3")), None)
    if python is None:
        print("python3-torchvision or python3-onnx is not installed; skipped")
        return 77
    export = [python, str(HERE / "export_torchvision.py")]
    with tempfile.TemporaryDirectory() as folder:  # in which the program finds what it looks for
        exports = Path(folder, "tests", "onnx")
        for kind in "torchvision", "folded":
            (exports / kind).mkdir(parents=True)
        subprocess.run([*export, exports / "torchvision"], check=True)
        subprocess.run([*export, "--folded", "--with-weights", exports / "folded", "densenet121",
                        "mobilenet-v3-large", "resnet18"], check=True)
        return subprocess.run([program], cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
