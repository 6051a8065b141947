#!/usr/bin/env python3
"""What `cmake --install` puts into a prefix, and that the program works from there.

    install_test.py path/to/fairlead path/to/build
"""

import subprocess
import sys

BUILD = sys.argv.pop(2)

from cli_program import Cli, main  # noqa: E402: it reads the arguments that are left


class Install(Cli):
    def test_a_prefix_is_all_it_needs(self):
        prefix = self.folder / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        for path in ("bin/fairlead", "share/fairlead/scenarios/fairness.yaml", "share/man/man1/fairlead.1",
                     "share/bash-completion/completions/fairlead", "share/zsh/site-functions/_fairlead",
                     "share/fish/vendor_completions.d/fairlead.fish", "include/fairlead/scheduling/policy.h",
                     "share/fairlead/examples/own-policy/longest_waiting.cc"):
            self.assertGreater((prefix / path).stat().st_size, 0, path)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for scenario in ("fairness", "h200"):  # the second reads data beside it
            run = subprocess.run([prefix / "bin/fairlead", "check", f"scenarios/{scenario}.yaml"],
                                 cwd=elsewhere, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    main()
