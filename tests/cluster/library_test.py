# SPDX-License-Identifier: GPL-2.0-or-later
"""The library for programs of others, in C++, C and Python, against a real slurmdbd."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from qosgate_dev import ROOT
from qosgate_dev.testing import HANG_SECONDS, CommandResult, main
from qosgate_dev.testing.installation import Installation

from qos_cli import QosTestCase

BUILD = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute()
C_LIBRARY = BUILD / "engine/qosgate/admin"

# Calls functions of the library: its arguments are pairs of a function's name and its text. Prints [status, answer].
CALLER = """
import ctypes, json, sys
lib = ctypes.CDLL("libqosgate.so.0")
lib.qosgate_free.argtypes = lib.qosgate_close.argtypes = [ctypes.c_void_p]
def call(function, *arguments):
    answer = ctypes.c_void_p()
    status = function(*arguments, ctypes.byref(answer))
    text = ctypes.string_at(answer).decode()
    lib.qosgate_free(answer)
    print(json.dumps([status, text]), flush=True)
    return text
session = ctypes.c_void_p()
call(lib.qosgate_open, 60, ctypes.byref(session))
text = ""
for name, argument in zip(sys.argv[1::2], sys.argv[2::2]):
    if name == "wait":
        sys.stdin.readline()
        continue
    arguments = [] if argument == "-" else [(text if argument == "@" else argument).encode()]
    text = call(getattr(lib, "qosgate_" + name), session, *arguments)
lib.qosgate_close(session)
"""


class Library(QosTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not cls.cluster.sacctmgr("-n show account lab").stdout:
            cls.cluster.sacctmgr("add account lab")
            cls.cluster.sacctmgr("add user ana account=lab")

    def call(self, *words: str) -> list[tuple[int, Any]]:
        """Status and answer of the functions; an answer is read if it is JSON."""
        environment = {"LD_LIBRARY_PATH": str(C_LIBRARY)}
        result = self.cluster.run([sys.executable, "-c", CALLER, *words], env=environment)
        self.assertEqual(result.rc, 0, str(result))
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(lines[0][0], 0, str(result))
        return [(status, json.loads(text) if status == 0 else text) for status, text in lines[1:]]

    def test_a_program_against_the_installed_package_manages_qos(self) -> None:
        with tempfile.TemporaryDirectory(prefix="qosgate-install-") as destdir:
            installation = Installation(Path(destdir), "devel")
            program = installation.compile(ROOT / "tests/install/manage.cpp", *installation.flags("qosgate"))

            result = self.cluster.run([str(program), "lab", "ana"])

        self.assertEqual(result.rc, 0, str(result))
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^qosgate, \d+ TRES$")
        self.assertIn("already_exists: QOS 'lib-low' already exists", lines[1])
        self.assertEqual(lines[2], "Name=lib-high Priority=7 MaxWall=01:00:00 GrpJobs=0 Preempt=lib-low")
        self.assertEqual(lines[3:6], ["listed lib-high", "listed lib-low", "granted 2"])
        self.assertIn("invalid_input: user ana in account lab", lines[6])
        self.assertEqual(lines[7], "ana has 3, default lib-low")
        self.assertIn("not_found: there is no QOS 'lib-high'", lines[8])

    def test_every_function_of_c_answers_json(self) -> None:
        change = '{"names": ["c1"], "set": {"MaxWall": "1:00:00", "MaxTRESPerUser": {"gpu": 2}, "Flags": ["DenyOnLimit"]}}'
        clear = '{"names": ["c1"], "set": {"MaxWall": null, "Priority": 0, "GrpJobs": 0}}'
        grant = '{"accounts": ["lab"], "granted": ["c1"], "default_qos": "c1"}'
        undo = '{"accounts": ["lab"], "revoked": ["c1"], "default_qos": null}'

        answers = self.call(
            *("qos_create", change),
            *("qos_list", '{"patterns": ["c*"]}'),
            *("qos_update", clear),
            *("qos_get", "C1"),
            *("access_change", grant),
            *("associations", "-"),
            *("access_change", undo),
            *("tres", "-"),
            *("reconnect", "-"),
            *("qos_remove", '{"names": ["c1"]}'),
            *("qos_get", "c1"),
        )

        self.assertEqual([status for status, _ in answers], [0] * 10 + [2], answers)
        created = {"Name": "c1", "Description": "c1", "MaxTRESPerUser": {"gres/gpu": 2}, "MaxWall": 60}
        created["Flags"] = ["DenyOnLimit"]
        self.assertEqual(answers[1][1], {"qos": [created], "total": 1})
        del created["MaxWall"]
        self.assertEqual(answers[3][1], created | {"GrpJobs": 0})
        lab = next(one for one in answers[5][1]["associations"] if one["account"] == "lab" and "user" not in one)
        self.assertEqual((lab["qos"], lab["default_qos"], lab["parent"]), (["c1", "normal"], "c1", "root"))
        self.assertIn("gres/gpu", answers[7][1])
        self.assertIn("there is no QOS 'c1'", answers[10][1])

    def test_what_is_wrong_is_named_and_nothing_is_stored(self) -> None:
        wrong = {
            ("qos_create", '{"names": ["w1"], "set": {"MaxWal": 1}}'): "MaxWall",
            ("qos_create", '{"names": ["w1"], "sets": {}}'): "sets",
            ("qos_create", '{"names": ["w1,w2"]}'): "cannot be the name of a QOS",
            ("qos_create", '{"names": []}'): "request.names",
            ("qos_create", "{"): "not JSON",
            ("qos_list", '{"limit": -1}'): "request.limit",
            ("qos_list", '{"flags": ["NoDecai"]}'): "NoDecay",
            ("access_change", '{"granted": ["normal"]}'): "neither accounts nor users",
            ("plan", '{"files": [{"file": "a.yaml", "text": "owner: base\\nqos: {w1: {MaxWal: 1}}"}]}'): "a.yaml:2",
            ("apply", '{"plan": 1}'): "format: is missing",
            ("qos_create", '{"names": ["w1"], "set": {"Description": "mine [qosgate:base*=8]"}}'): "ends with a mark",
            ("qos_update", '{"names": ["normal"], "set": {"Description": "mine [qosgate:base*=8]"}}'): "ends with a mark",
            ("access_change", '{"accounts": ["lab"], "granted": ["normal"], "revoked": ["normal"]}'): "granted and revoked",
        }
        answers = self.call(*(word for call in wrong for word in call))
        for call, words, (status, text) in zip(wrong, wrong.values(), answers, strict=True):
            with self.subTest(call):
                self.assertEqual(status, 1, text)
                self.assertIn(words, text)
        self.assertFalse(self.exists("w1"))

    def test_a_text_is_stored_exactly_or_refused(self) -> None:
        stored = ["it's", 'say "hi"', "a,b=c;d|e", "ends with \\", "größe", "%s %n `$(id)`", "'; drop table qos_table; --"]
        stored += ["x" * 4096, "", "[qosgate:"]
        refused = {"日本": "characters", "a\nb": "control characters", " a": "space", "a ": "space", "x" * 70000: "stored"}
        self.addCleanup(self.call, "qos_remove", '{"names": ["txt"]}')
        requests = [("qos_create", '{"names": ["txt"]}')]
        for text in [*stored, *refused]:
            change = {"names": ["txt"], "set": {"Description": text}}
            requests += [("qos_update", json.dumps(change)), ("qos_get", "txt")]

        answers = iter(self.call(*(word for request in requests for word in request))[1:])

        last = ""
        for text in [*stored, *refused]:
            with self.subTest(text[:40]):
                status, answer = next(answers)
                _, record = next(answers)
                if text in stored:
                    self.assertEqual(status, 0, answer)
                    last = text
                else:
                    self.assertNotEqual(status, 0)
                    self.assertIn(refused[text], answer)
                self.assertEqual(record.get("Description", ""), last)

    def test_a_name_is_stored_exactly_or_refused(self) -> None:
        stored = ["größe", "a.b:c@d", "y" * 42, "z" * 255]
        refused = ["it's", 'q"q', "a,b", "日本", "n" * 256, "n" * 4096, "a b", "a=b", "%s", "a/b", "12"]
        words = [w for n in [*stored, *refused] for w in ("qos_create", json.dumps({"names": [n], "set": {}}))]
        self.addCleanup(self.call, "qos_remove", json.dumps({"names": stored}))

        answers = self.call(*words)

        self.assertEqual([status for status, _ in answers], [0] * len(stored) + [1] * len(refused), answers)
        names = self.cluster.sacctmgr("-n -P show qos format=name").stdout.split("\n")
        self.assertEqual([name for name in [*stored, *refused] if name in names], stored)

    def test_a_plan_is_made_applied_and_drifts(self) -> None:
        spec = "owner: base\nqos:\n  planned: {MaxWall: 60, access: {accounts: [lab]}}\n"
        request = json.dumps({"files": [{"file": "a.yaml", "text": spec}]})
        self.addCleanup(self.call, "qos_remove", '{"names": ["planned"]}')

        planned, applied, drift, again = self.call("plan", request, "apply", "@", "drift", request, "apply", "{}")

        self.assertEqual((planned[0], applied), (0, (0, {"created": 1, "updated": 0, "removed": 0, "access": 1})))
        self.assertEqual(drift, (0, {"drifted": False, "fields": [], "missing": [], "leftover": [], "access": [], "managed_access": []}))
        self.assertEqual(again[0], 1, again)
        self.cluster.sacctmgr("modify qos planned set maxwall=30")
        ((_, found),) = self.call("drift", request)
        self.assertEqual([(one["field"], one["live"]) for one in found["fields"]], [("MaxWall", "00:30:00")])

    def test_the_example_in_python_shows_asks_and_applies(self) -> None:
        example = ROOT / "contrib/examples/python/apply_spec.py"
        self.assertLessEqual(len(example.read_text().splitlines()), 30)
        spec = self.cluster.write_beside("a.yaml", "owner: base\nqos: {example: {Priority: 3}}\n")
        self.addCleanup(self.call, "qos_remove", '{"names": ["example"]}')

        def run(words: str, answer: str = "") -> CommandResult:
            command = f"echo {answer} | {sys.executable} {shlex.quote(str(example))} {words}"
            return self.cluster.run(["sh", "-c", command], env={"LD_LIBRARY_PATH": str(C_LIBRARY)})

        self.assertIn("usage: apply_spec.py FILE", run("").stderr)
        declined = run(str(spec), "n")
        self.assertIn('"example"', declined.stdout, str(declined))
        self.assertFalse(self.exists("example"))
        self.assertIn('{"created":1,"updated":0,"removed":0,"access":0}', run(str(spec), "y").stdout)
        self.assertIn('{"created":0,"updated":0,"removed":0,"access":0}', run(f"{spec} --yes").stdout)

    def test_what_is_used_is_not_removed(self) -> None:
        """Other clusters' lists and defaults prevent it, with also_used, too."""
        self.cluster.sacctmgr("add cluster elsewhere")
        self.addCleanup(self.cluster.sacctmgr, "delete cluster elsewhere")
        names = '{"names": ["us1", "us2"]}'
        self.call("qos_create", names)
        self.cluster.sacctmgr("add account far cluster=elsewhere qos=normal,us1,us2 defaultqos=us2")
        before = self.cluster.sacctmgr("-nP show assoc cluster=elsewhere format=account,qos,defaultqos").stdout
        # Since Slurm 24.05 slurmdbd can take a QOS out of lists.
        wanted = ['{"names": ["us1"]}', names, '{"names": ["us2"], "also_used": true}']

        refused = self.call(*(word for request in wanted for word in ("qos_remove", request)))

        for status, text in refused:
            self.assertEqual(status, 6, text)
            self.assertIn("account far of cluster elsewhere", text)
        after = self.cluster.sacctmgr("-nP show assoc cluster=elsewhere format=account,qos,defaultqos").stdout
        self.assertEqual(after, before)
        self.cluster.sacctmgr("modify account far cluster=elsewhere set qos=normal defaultqos=-1")
        self.assertEqual(self.call("qos_remove", '{"names": ["us1", "us2", "US1"]}'), [(0, {})])

    def test_a_plan_does_not_delete_a_qos_with_jobs(self) -> None:
        spec = "owner: planner\nprune: true\nqos:\n  stays: {}\n"
        both = json.dumps({"files": [{"file": "a.yaml", "text": spec + "  busy: {access: {accounts: [lab]}}\n"}]})
        one = json.dumps({"files": [{"file": "a.yaml", "text": spec}], "prune": True})
        self.assertEqual([status for status, _ in self.call("plan", both, "apply", "@")], [0, 0])
        job = self.cluster.sbatch("--hold --qos=busy --account=lab", "ana").job

        (_, _), (status, text) = self.call("plan", one, "apply", "@")

        self.assertEqual((status, self.exists("busy")), (6, True), text)
        self.assertIn(f"QOS 'busy' is in use: job {job} asks for it", text)
        self.cluster.run(f"scancel {job}", check=True)
        self.cluster.wait_for(lambda: not self.cluster.run("squeue -h").stdout, "the job is gone")
        self.assertEqual([status for status, _ in self.call("plan", one, "apply", "@")], [0, 0])
        self.assertFalse(self.exists("busy"))

    def test_access_of_unknown_qos_is_refused_and_accounts_have_any_case(self) -> None:
        wrong, right = self.call(
            *("access_change", '{"accounts": ["lab"], "revoked": ["xx"]}'),
            *("access_change", '{"accounts": ["LAB"], "revoked": ["normal"], "granted": []}'),
        )
        self.addCleanup(self.call, "access_change", '{"accounts": ["lab"], "granted": ["normal"]}')
        self.assertEqual(wrong[0], 2)
        self.assertIn("there is no QOS 'xx'", wrong[1])
        self.assertEqual((right[0], right[1]["changed"][0]["account"]), (0, "lab"), right)

    def test_a_program_in_python_outlives_slurmdbd(self) -> None:
        """Slurm's plugins look names up then that only the library has."""
        environment = {"LD_LIBRARY_PATH": str(C_LIBRARY)}
        words = ["qos_get", "normal", "wait", "-", "qos_get", "normal", "reconnect", "-", "qos_get", "normal"]
        process = self.start_program(sys.executable, "-c", CALLER, *words, env=environment)
        self.wait_until_it_says(process, "normal")
        self.cluster.stop("slurmdbd")
        self.cluster.start("slurmdbd")

        rest, errors = process.communicate("\n", timeout=HANG_SECONDS)

        self.assertEqual(process.returncode, 0, errors)
        statuses = [json.loads(line)[0] for line in rest.splitlines()]
        self.assertEqual(statuses[-2:], [0, 0], rest)


if __name__ == "__main__":
    main()
