# SPDX-License-Identifier: GPL-2.0-or-later
"""The program `qosgate` and sacctmgr, as the tests of QOS records call them."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qosgate_dev.cluster import copies
from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import Cluster, CommandResult

from slurmdbd_proxy import SlurmdbdProxy

OK = 0
USAGE = 64
BAD_DATA = 65
NOT_FOUND = 66
UNAVAILABLE = 69
EXISTS = 73
CONFLICT = 75
NO_PERMISSION = 77


def program() -> Path:
    """The built program. Errors: SkipTest if it was not built."""
    path = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute() / "contrib/qosgate/qosgate"
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not built")
    return path


class QosTestCase(unittest.TestCase):
    """A cluster for all tests of the file; each test uses QOS names of its own."""

    maxDiff = None
    cluster: Cluster
    binary: Path

    @classmethod
    def setUpClass(cls) -> None:
        if hasattr(QosTestCase, "cluster"):
            return
        built = program()
        QosTestCase.cluster = Cluster.up(nodes=1, users=["ana"])
        unittest.addModuleCleanup(QosTestCase.cluster.down)
        QosTestCase.binary = copies.copy_program(QosTestCase.cluster.layout, built)

    def qos(
        self,
        *words: str,
        rc: int = OK,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Runs `qosgate qos WORDS` and checks its exit status."""
        result = self.cluster.run([str(self.binary), "qos", *words], user, env=env)
        self.assertEqual(result.rc, rc, str(result))
        return result

    def start(self, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Starts `qosgate qos WORDS` as root, with pipes for its output."""
        return self.start_program(str(self.binary), "qos", *words, env=env)

    def start_program(
        self, *words: str, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Starts a program as root with the cluster's environment and pipes for its output."""
        layout = self.cluster.layout
        root = cluster_users.find_user(layout, "root")
        process = subprocess.Popen(
            words,
            env=cluster_users.user_environment(layout, root) | dict(env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until_it_says(self, process: subprocess.Popen[str], words: str) -> None:
        """Waits for a text in the unbuffered output of a program; what follows can be read afterwards."""
        assert process.stdout is not None
        output = process.stdout.fileno()
        said = b""

        def is_said() -> bool:
            nonlocal said
            if select.select([output], [], [], 0)[0]:
                said += os.read(output, 4096)
            return words.encode() in said

        self.cluster.wait_for(is_said, f"it says '{words}'", otherwise=lambda: said.decode())

    def json(self, *words: str, rc: int = OK) -> Any:
        """The object that `qosgate qos WORDS --json` writes."""
        return json.loads(self.qos(*words, "--json", rc=rc).stdout)

    def names(self, *words: str) -> list[str]:
        """The names that `qosgate qos list WORDS` shows, in order."""
        return [record["Name"] for record in self.json("list", *words)["qos"]]

    def record(self, name: str) -> dict[str, Any]:
        """What `qosgate qos get` shows of one QOS."""
        return self.json("get", name)["qos"][0]

    def stored(self, name: str, column: str) -> str:
        """What sacctmgr shows in one column of one QOS."""
        shown = self.cluster.sacctmgr(f"-n -P show qos {name} format={column}").stdout
        return shown.strip("\n")

    def exists(self, name: str) -> bool:
        return self.stored(name, "name") == name

    def conf_with(self, name: str, **settings: object) -> dict[str, str]:
        """An environment in which Slurm's configuration has these settings instead."""
        text = self.cluster.layout.slurm_conf.read_text()
        for key, value in settings.items():
            text = re.sub(rf"(?m)^{key}=.*$", f"{key}={value}", text)
        path: Path = self.cluster.write_beside(name, text)
        return {"SLURM_CONF": str(path)}

    def through(self, proxy: SlurmdbdProxy) -> dict[str, str]:
        return self.conf_with("proxy.conf", AccountingStoragePort=proxy.port)

    @property
    def slurmdbd_port(self) -> int:
        return self.cluster.layout.load().slurmdbd_port
