"""A PostgreSQL server of one's own, in a temporary folder, reached by a socket there."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def find_programs():
    """The folder of initdb, or nothing. Debian keeps it off the PATH."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    folders += [Path(found).resolve().parent] if found else []
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Postgres:
    """It refuses to run as root: then it runs as the user of Debian's package."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="fairlead-postgres-"))
        self.data = self.folder / "data"
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.folder.chmod(0o755)
        self.call("initdb", "-D", self.data, "-A", "trust", "-U", "fairlead", "--no-sync")
        self.url = f"postgresql:///postgres?host={self.folder}&user=fairlead"
        self.start()

    def call(self, program, *arguments):
        subprocess.run([*self.prefix, str(self.programs / program), *map(str, arguments)], check=True,
                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def start(self):
        self.call("pg_ctl", "-D", self.data, "-w", "-t", "120", "-l", self.folder / "log", "-o",
                  f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=20", "start")

    def stop(self, mode="immediate"):
        self.call("pg_ctl", "-D", self.data, "-w", "-t", "120", "-m", mode, "stop")

    def remove(self):
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder)
