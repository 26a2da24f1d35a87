#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The loaders that slurm.conf names, with every kind of gate beside them: good, missing, of others, broken."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from qosgate_dev.testing import Cluster, CommandResult, build_root, copy_command, main

USER = "ana"
RULE = 'rule { mode = "enforce", submit = function(job) if job.time_limit == 30 then job:reject("thirty is bad") end end }\n'
REFUSED = "qosgate, which applies the site's rules, is not in force in this slurmctld"
NOT_IN_FORCE = "job_submit/qosgate: not in force: "


def loaded_parts(path: Path) -> list[tuple[int, int, int]]:
    """Of what of a library's file is loaded: the offset in the file, the address, the size."""
    headers = subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout
    parts = re.findall(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", headers)
    return [(int(offset, 16), int(start, 16), int(size, 16)) for offset, start, size in parts]


def loaded_size(path: Path) -> int:
    return max(offset + size for offset, _, size in loaded_parts(path))


def overwrite(path: Path, symbol: str, value: bytes) -> None:
    """Changes the data of an exported symbol in a library's file."""
    [address] = [
        int(line.split()[0], 16)
        for line in subprocess.run(["nm", "-D", path], check=True, capture_output=True, text=True).stdout.splitlines()
        if line.split()[-1] == symbol
    ]
    for offset, start, size in loaded_parts(path):
        if start <= address < start + size:
            with path.open("r+b") as file:
                file.seek(offset + address - start)
                file.write(value)
            return
    raise AssertionError(f"{symbol} has no place in {path}")


class Loader(unittest.TestCase):
    cluster: Cluster
    command: str
    plugins: Path  # what the cluster copies when slurmctld starts

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-loader-")
        cls.addClassCleanup(directory.cleanup)
        cls.plugins = Path(directory.name)
        cls.put_gates_back()
        cls.cluster = Cluster.up(
            nodes=1,
            users=[USER],
            slurm_conf=f"JobSubmitPlugins=qosgate\nCliFilterPlugins=qosgate\nPluginDir={cls.plugins}:@PLUGINDIR@",
        )
        cls.addClassCleanup(cls.cluster.down)
        cls.cluster.sacctmgr("add account astro")
        cls.cluster.sacctmgr(f"add user {USER} account=astro qos=normal")
        cls.command = copy_command(cls.cluster)

    @classmethod
    def put_gates_back(cls) -> None:
        for path in (build_root() / "plugin").glob("*.so"):
            shutil.copy2(path, cls.plugins)
        shutil.rmtree(cls.plugins / "qosgate", ignore_errors=True)
        (cls.plugins / "qosgate").mkdir()
        for path in (build_root() / "plugin/qosgate").glob("*.so"):
            shutil.copy2(path, cls.plugins / "qosgate")

    def setUp(self) -> None:
        self.addCleanup(self.cluster.run, f"scancel --user={USER}")
        self.beside_conf = self.cluster.layout.slurm_conf.parent
        self.rules = self.beside_conf / "qosgate.d"
        self.choice = self.beside_conf / "qosgate-without-gate"
        shutil.rmtree(self.rules, ignore_errors=True)
        self.rules.mkdir(mode=0o755)
        self.choice.unlink(missing_ok=True)
        self.put_gates_back()

    def gate(self, kind: str = "job_submit") -> Path:
        [found] = (self.plugins / "qosgate").glob(f"{kind}-*.so")
        return found

    def add_rule(self) -> None:
        self.rules.mkdir(mode=0o755, exist_ok=True)
        (self.rules / "10-thirty.lua").write_text(RULE)

    def restart(self) -> str:
        """What slurmctld logs of the plugin from its new start on, until it answers."""
        mark = len(self.cluster.log("slurmctld"))
        self.cluster.restart("slurmctld")
        return self.own_lines(mark)

    def own_lines(self, mark: int) -> str:
        return "\n".join(line for line in self.cluster.log("slurmctld")[mark:].splitlines() if "job_submit/qosgate" in line)

    def submit(self, options: str = "", user: str = USER) -> CommandResult:
        return self.cluster.sbatch(f"--hold -t10 {options}", user)

    def status(self, rc: int) -> dict:
        result = self.cluster.run([self.command, "status", "--json"], "root")
        self.assertEqual(result.rc, rc, result)
        return json.loads(result.stdout)

    def expect_inert(self, log: str, why: str) -> None:
        self.assertIn("error: " + NOT_IN_FORCE, log)
        self.assertRegex(log, NOT_IN_FORCE + ".*" + why)
        self.assertTrue(self.cluster.status()["slurmctld"]["running"])

    def expect_in_force(self) -> None:
        self.cluster.wait_for(lambda: "thirty is bad" in self.submit("-t30").stderr, "the rule is in force")
        self.assertEqual(self.submit().rc, 0)
        self.assertEqual(self.status(0)["status"], "in force")

    def test_a_gate_of_another_micro_release_is_in_force(self) -> None:
        self.add_rule()
        version = struct.unpack("<I", self.version_of(self.gate()))[0]
        for kind in ("job_submit", "cli_filter"):
            overwrite(self.gate(kind), "plugin_version", struct.pack("<I", version - 1))

        self.assertNotIn(NOT_IN_FORCE, self.restart())

        self.expect_in_force()

    def version_of(self, path: Path) -> bytes:
        """plugin_version as it lies in the file."""
        probe = "import ctypes, sys; sys.stdout.buffer.write(bytes(ctypes.c_uint32.in_dll(ctypes.CDLL(sys.argv[1], mode=1), 'plugin_version')))"
        preload = "import ctypes, ctypes.util; ctypes.CDLL(ctypes.util.find_library('slurm'), mode=ctypes.RTLD_GLOBAL); "
        return subprocess.run(["python3", "-c", preload + probe, path], check=True, capture_output=True).stdout

    def test_without_a_gate_the_site_chooses_what_becomes_of_jobs(self) -> None:
        shutil.rmtree(self.plugins / "qosgate")
        mark = len(self.cluster.log("slurmctld"))
        self.expect_inert(self.restart(), r"no gate for Slurm \d\d\.\d\d\.\d+: .*cannot open shared object file.*; jobs pass unchecked")
        passed = self.submit()
        self.assertEqual((passed.rc, passed.stderr), (0, ""))
        self.assertRegex(self.status(2)["reasons"][0], "has no gate that it may call: all jobs pass unchecked")

        self.add_rule()
        refused = self.submit()
        self.assertNotEqual(refused.rc, 0)
        self.assertIn(REFUSED, refused.stderr)
        changed = self.cluster.run(f"scontrol update jobid={passed.job} timelimit=5", USER)
        self.assertNotEqual(changed.rc, 0)
        self.assertEqual(self.cluster.run(f"scontrol update jobid={passed.job} comment=x", "root").rc, 0)
        self.assertRegex(self.status(2)["reasons"][0], "all jobs are refused, but for those of root, SlurmUser and operators")

        for word, rc in (("pass", 0), ("refuse", 1), ("pass\n", 0), ("", 1), ("passing", 1), ("Pass", 1)):
            with self.subTest(word):
                self.choice.write_text(word)
                self.assertEqual(self.submit().rc, rc)
        self.assertEqual(self.own_lines(mark).count(NOT_IN_FORCE), 1, "once an hour")

        self.cluster.scontrol("reconfigure")
        self.assertIn(REFUSED, self.submit().stderr)
        self.choice.unlink()
        for text, rc in (("-- rule {}\n\n  --x\n", 0), ("--[[ long\n]] rule {}\n", 1), (f"--{'x' * 2000} rule\n", 0), (f"{' ' * 2000}rule {{}}", 1), ("-- x\rrule {}", 1), ("\0rule {}", 1), ("- -", 1), ("-", 1), ("x = 1", 1), ("", 0)):
            with self.subTest(text):
                (self.rules / "10-thirty.lua").write_text(text)
                self.assertEqual(self.submit().rc, rc)
        (self.rules / "compat").mkdir(mode=0o755)
        self.assertEqual(self.submit().rc, 1)
        self.choice.write_text("refuse")
        shutil.rmtree(self.rules)
        self.assertEqual(self.submit().rc, 1, "the word counts without rules, too")
        self.choice.unlink()
        kept = next(self.cluster.layout.root.rglob("qosgate_policy"), None)
        if kept is not None:
            self.assertEqual(self.submit().rc, 1, "the rules in force last would still be in force")
            kept.unlink()
        self.assertEqual(self.submit().rc, 0)

        self.put_gates_back()
        self.add_rule()
        self.restart()
        self.expect_in_force()

    def test_an_operator_may_submit_without_a_gate(self) -> None:
        shutil.rmtree(self.plugins / "qosgate")
        self.add_rule()
        self.restart()
        self.assertEqual(self.submit().rc, 1)

        self.cluster.sacctmgr(f"modify user {USER} set AdminLevel=Operator")
        self.addCleanup(self.cluster.sacctmgr, f"modify user {USER} set AdminLevel=None")
        self.cluster.wait_for(lambda: self.submit().rc == 0, "slurmctld knows that she is an operator")

    def test_a_gate_that_is_not_for_this_slurm_is_not_called(self) -> None:
        def other_branch() -> str:
            overwrite(self.gate(), "plugin_version", struct.pack("<I", 20 << 16 | 11 << 8))
            return r"/qosgate/job_submit-[\d.]+\.so is not the gate for Slurm \d\d\.\d\d;"

        def other_struct() -> str:
            overwrite(self.gate(), "qosgate_layout", struct.pack("<Q", 872))
            return r"job_desc_msg_t of Slurm \d\d\.\d\d\.\d+ is not that for which .*\.so is compiled;"

        def other_values() -> str:
            overwrite(self.gate(), "qosgate_layout", self.layout[:24] + struct.pack("<Q", 1))
            return "slurmdb_qos_rec_t of Slurm "

        def other_conf() -> str:
            overwrite(self.gate(), "qosgate_layout", self.layout[:64] + struct.pack("<Q", 1))
            return "slurm_conf_t of Slurm "

        def one_byte_less() -> str:
            os.truncate(self.gate(), loaded_size(self.gate()) - 1)
            return "is not a whole file;"

        def little_of_it() -> str:
            os.truncate(self.gate(), 100)
            return "is not a whole file;"

        def no_library() -> str:
            self.gate().write_text("")
            return "is not a whole file;"

        def another_file() -> str:
            self.gate().write_text("x" * 10000)
            return "is not a whole file;"

        def other_plugin() -> str:
            [path] = list(Path(self.own_plugin_dir()).glob("job_submit_lua.so"))[:1] or [self.plugins / "cli_filter_qosgate.so"]
            shutil.copyfile(path, self.gate())
            return "is not the gate for Slurm|no gate for Slurm"

        numbers = json.loads((build_root() / "plugin/qosgate/recorded_layout.h").read_text().translate({ord("{"): "[", ord("}"): "]", ord("u"): None}))
        self.layout = struct.pack("<9Q", *numbers)
        for make in (other_branch, other_struct, other_values, other_conf, one_byte_less, little_of_it, no_library, another_file, other_plugin):
            with self.subTest(make.__name__):
                self.put_gates_back()
                why = make()

                self.expect_inert(self.restart(), why)

                passed = self.submit()
                self.assertEqual((passed.rc, passed.stderr), (0, ""))
                self.assertIn("has no gate that it may call", self.status(2)["reasons"][0])

    def own_plugin_dir(self) -> str:
        return self.cluster.scontrol("show config").stdout.split("PluginDir")[1].split("\n")[0].split(":")[-1]

    def test_clients_without_a_gate_send_jobs_as_without_the_plugin(self) -> None:
        self.add_rule()
        (self.rules / "site.lua").write_text('site { client = "on" }\n')
        self.restart()
        self.expect_in_force()
        judged = self.submit("-t30")
        self.assertEqual(judged.rc, 1)
        self.assertNotIn("Batch job submission failed", judged.stderr, "the client refused it")

        self.gate("cli_filter").unlink()
        self.restart()
        self.cluster.wait_for(lambda: "thirty is bad" in self.submit("-t30").stderr, "the rule is in force")
        self.assertIn("Batch job submission failed", self.submit("-t30").stderr, "slurmctld refused it")
        self.assertEqual(self.submit().rc, 0)


if __name__ == "__main__":
    main()
