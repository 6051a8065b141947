#!/usr/bin/env python3
"""Exports networks with PyTorch, runs them with ours, and compares the results.

    executed_agreement_test.py path/to/executed_agreement

Exits with 77 (skipped) where torchvision is not installed, neither for this Python nor for Debian's.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from export_test import can_export

HERE = Path(__file__).resolve().parent
NETWORKS = ["densenet121", "efficientnet-b0", "googlenet", "mobilenet-v2", "mobilenet-v3-large", "resnet50",
            "shufflenet-v2-x1-0", "squeezenet1-1"]


def main():
    python = next(filter(can_export, (sys.executable, "/usr/bin/python3")), None)
    if python is None:
        print("python3-torchvision or python3-onnx is not installed; skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, HERE / "export_with_outputs.py", folder, *NETWORKS], check=True)
        return subprocess.run([sys.argv[1], folder, *NETWORKS], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
