"""Builds the package: CMake compiles the module, and says what else belongs into it (python/CMakeLists.txt).

FAIRLEAD_PYTHON_BUILD names a build folder to use, as seen from the root, such as build/python of the preset `python`;
else it is a temporary one. CMAKE_BUILD_PARALLEL_LEVEL says how many compilers run at a time: 4 unless given.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MOST_JOBS = 4  # a compiler takes about a gigabyte, and others use the machine

SOURCES = Path(__file__).resolve().parent.parent

OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "FAIRLEAD_PYTHON": "ON",
    "FAIRLEAD_TESTS": "OFF",
    "FAIRLEAD_ONEDNN": "OFF",
    "FAIRLEAD_SERVE": "OFF",
    "FAIRLEAD_UNITY": "ON",
    "FAIRLEAD_WERROR": "OFF",
    "Python3_EXECUTABLE": sys.executable,
}


class BuildWithCMake(build_ext):
    def run(self):
        given = os.environ.get("FAIRLEAD_PYTHON_BUILD")
        folder = (SOURCES / given if given else Path(self.build_temp)).resolve()
        configured = (folder / "CMakeCache.txt").exists()
        generator = ["-G", "Ninja"] if shutil.which("ninja") and not configured else []
        # A folder that somebody configured keeps what was chosen there.
        options = {"Python3_EXECUTABLE": sys.executable, "FAIRLEAD_PYTHON": "ON"} if configured else OPTIONS
        self.call("-S", SOURCES, "-B", folder, *generator, *(f"-D{key}={value}" for key, value in options.items()))
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or min(MOST_JOBS, os.cpu_count() or 1)
        self.call("--build", folder, "--target", "fairlead_python", "--parallel", jobs)
        with tempfile.TemporaryDirectory() as room:
            # Wherever FAIRLEAD_PYTHON_SITE says: there it is found.
            self.call("--install", folder, "--component", "python", "--prefix", "/usr", DESTDIR=room)
            (package,) = {file.parent for file in Path(room).rglob("_core.*.so")}
            shutil.copytree(package, self.target() / "fairlead", dirs_exist_ok=True)

    def target(self):
        """The folder that the package is in, once it is built."""
        return SOURCES / "python" if self.inplace else Path(self.build_lib).resolve()

    @staticmethod
    def call(*arguments, **environment):
        subprocess.run(["cmake", *map(str, arguments)], check=True, env={**os.environ, **environment})


def version():
    return re.search(r"project\(fairlead VERSION ([0-9.]+)", (SOURCES / "CMakeLists.txt").read_text())[1]


setup(version=version(), packages=["fairlead"], ext_modules=[Extension("fairlead._core", sources=[])],
      cmdclass={"build_ext": BuildWithCMake})
