# SPDX-License-Identifier: GPL-2.0-or-later
"""What the commands of `qosgate spec`, `access` and `qos` tell: all faults at once, what is hidden, times, YAML."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

from qosgate_dev.testing import HANG_SECONDS, build_root, main

from qos_cli import BAD_DATA, NO_PERMISSION, OK, USAGE
from spec_command_test import CHANGES, SpecTestCase

BERLIN = {"TZ": "Europe/Berlin"}


class Yaml(SpecTestCase):
    def plan_of(self, yaml: str) -> Any:
        return self.spec_json("plan", self.write("y.yaml", "owner: copies\n" + yaml), rc=CHANGES)

    def assert_no_change(self, plan: Any) -> None:
        self.assertEqual([qos["changes"] for qos in plan["updated"]], [{} for _ in plan["updated"]])
        self.assertEqual([plan[key] for key in ("created", "deleted", "granted", "revoked")], [[], [], [], []])

    def test_what_get_and_list_write_plans_to_no_change(self) -> None:
        self.add_ana()
        self.qos("create", "ya1", "MaxWall=60", "GrpTRES=cpu=4,mem=8G", "Flags=NoDecay", "Description=a: 'b' # c")
        self.qos("create", "ya2", "Preempt=ya1", "GraceTime=90", "UsageFactor=0.5")
        self.allow_ana("ya1", create=False)

        got = self.qos("get", "ya1", "ya2", "--access", "-o", "yaml").stdout
        listed = self.qos("list", "ya*", "--output=yaml").stdout

        self.assertIn("    access:\n      users:\n        - {user: ana, account: astro}\n", got)
        self.assertNotIn("access", listed)
        self.assertNotIn("owner: copies", got + listed)
        self.assertIn("    MaxWall: \"01:00:00\"\n", listed)
        for yaml in (got, listed, self.qos("get", "ya1", "-o", "yaml").stdout):
            self.assert_no_change(self.plan_of(yaml))
        self.spec("plan", self.write("n.yaml", got), rc=BAD_DATA)  # it has no owner

    def test_a_mark_becomes_a_comment(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  yb1: { description: Text, MaxWall: 60 }\n")
        self.spec("apply", file, "--yes")

        yaml = self.qos("get", "yb1", "-o", "yaml").stdout

        self.assertIn("    # managed by base: Description, MaxWall\n    Description: Text\n", yaml)
        self.assertNotIn("[qosgate", yaml)

    def test_only_the_fields_that_are_asked_for(self) -> None:
        self.qos("create", "yc1", "MaxWall=60", "Priority=5")
        yaml = self.qos("list", "yc1", "--fields", "Name,Priority", "-o", "yaml").stdout
        self.assertIn("  yc1:\n    Priority: 5\n", yaml)
        self.assertNotIn("MaxWall", yaml)

    def test_what_does_not_fit_together_is_refused(self) -> None:
        self.assertIn("there is --json", self.qos("get", "normal", "-o", "json", rc=USAGE).stderr)
        for words in (("get", "normal", "--usage"), ("get", "normal", "--json"), ("list", "--parsable"), ("list", "--json")):
            self.qos(*words, "-o", "yaml", rc=USAGE)

    def test_a_count_that_no_spec_can_have_is_left_out(self) -> None:
        self.qos("create", "yd1", "MaxWall=60")
        self.cluster.sacctmgr("modify qos yd1 set GrpTRES=cpu=9223372036854775808")

        yaml = self.qos("get", "yd1", "-o", "yaml").stdout
        exported = self.spec("export", "yd1", "--owner", "copies").stdout

        for text in (yaml, exported):
            self.assertIn("# GrpTRES is left out: cpu is 9223372036854775808, and a spec has at most 9223372036854775807\n", text)
        self.assert_no_change(self.plan_of(yaml))
        self.cluster.sacctmgr("modify qos yd1 set GrpTRES=cpu=9223372036854775807")
        yaml = self.qos("get", "yd1", "-o", "yaml").stdout
        self.assertIn("GrpTRES: {cpu: 9223372036854775807}\n", yaml)
        self.assert_no_change(self.plan_of(yaml))


class Faults(SpecTestCase):
    def test_all_are_told_at_once_with_their_places(self) -> None:
        self.add_ana()
        file = self.write(
            "a.yaml",
            "owner: base\nqos:\n  fa1:\n    MaxWal: 60\n    GrpTRES: { widgets: 4 }\n    Preempt: [normal, fa9]\n"
            "    access:\n      accounts: [astro, astri]\n      default_for: { users: [anna] }\n"
            "  fa2:\n    access: { default_for: [astro] }\n",
        )

        for words in (("plan", file), ("apply", file, "--yes"), ("lint", file), ("drift", file)):
            problems = self.spec_json(*words, rc=BAD_DATA)["error"]["problems"]
            self.assertEqual(
                [(each["line"], each["column"]) for each in problems],
                [(4, 5), (5, 25), (6, 23), (8, 25), (9, 30), (11, 29)],
                str(problems),
            )
        text = self.spec("plan", file, rc=BAD_DATA).stderr
        for words in (
            "4:5: MaxWal: there is no such key; did you mean MaxWall?",
            "6:23: QOS 'fa1': Preempt: there is no QOS 'fa9'",
            "8:25: QOS 'fa1': access: there is no account 'astri'; did you mean astro?",
            "9:30: QOS 'fa1': access: there is no user 'anna'; did you mean ana?",
            "11:29: QOS 'fa2': it cannot be the default QOS of account 'astro', which may not use it",
            "6 problems",
        ):
            self.assertIn(words, text)
        self.assertFalse(self.exists("fa1") or self.exists("fa2"))

    def test_a_limit_that_is_wrong_by_itself_is_told_at_once(self) -> None:
        told = self.qos("create", "fz1", "MaxWall=0", "Priority=5").stderr
        self.assertIn("qosgate: warning: QOS fz1: MaxWall=00:00:00 allows no job: zero is a limit", told)
        self.assertIn("unset it: qosgate qos update fz1 MaxWall=-1\n", told)
        self.assertEqual(self.qos("update", "fz1", "Priority=6").stderr, "")  # it was so before
        self.assertIn("GrpJobs=0 allows no job", self.qos("update", "fz1", "GrpJobs=0", "--dry-run").stderr)
        self.assertEqual(self.qos("update", "fz1", "MaxWall=1", "MaxTRESPerUser=cpu=1").stderr, "")

        body = "owner: base\nqos:\n  fz2: { GrpJobs: 0 }\n"
        file = self.write("a.yaml", body)
        warning = "QOS fz2: GrpJobs=0 allows no job"
        self.assertIn(f"Warning: {warning}", self.spec("plan", file, rc=CHANGES).stdout)
        self.assertIn(warning, self.spec_json("plan", file, rc=CHANGES)["warnings"][0])
        silent = self.write("b.yaml", body + "silence: [{ code: zero-limit, reason: closed for now }]\n")
        self.assertEqual(self.spec_json("plan", silent, rc=CHANGES)["warnings"], [])
        self.assertIn(f"Warning: {warning}", self.spec("apply", file, "--yes").stdout)
        self.assertEqual(self.spec_json("plan", file)["warnings"], [])

    def test_times_and_sizes_are_read_alike(self) -> None:
        self.qos("create", "fy1", "MaxWall=8h", "GrpTRES=mem=2TB")
        file = self.write("a.yaml", "owner: copies\nqos:\n  fy1: { MaxWall: 8h, GrpTRES: { mem: 2TB } }\n")
        plan = self.spec_json("plan", file, rc=CHANGES)
        self.assertEqual([qos["changes"] for qos in plan["updated"]], [{}])
        self.assertIn("mem=2T\n", self.qos("get", "fy1").stdout)
        for wrong in ("MaxWall=8x", "GrpTRES=mem=2B"):
            self.qos("update", "fy1", wrong, rc=BAD_DATA)

    def test_an_offline_lint_knows_the_names_of_resources(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  fb1: { GrpTRES: { gpus: 4 } }\n")
        self.assertIn("'gpus': there is no TRES of that name; did you mean gpu?", self.spec("lint", "--offline", file, rc=BAD_DATA).stderr)

    def test_drift_tells_nothing_that_only_an_apply_would_do(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  fc1: { MaxWall: 60, GrpJobs: 5 }\n")
        self.spec("apply", file, "--yes")
        file = self.write("a.yaml", "owner: base\nqos:\n  fc1: { MaxWall: 60 }\n")

        self.assertIn("GrpJobs is no longer managed by base", self.spec("plan", file, rc=CHANGES).stdout)
        drift = self.spec("drift", file)
        self.assertEqual((drift.stdout, drift.stderr), ("No drift.\n", ""))


class Hidden(SpecTestCase):
    """PrivateData=users in slurmdbd.conf."""

    def setUp(self) -> None:
        super().setUp()
        self.add_ana()
        self.cluster.sacctmgr("add account chem", check=False)
        self.state.chmod(0o777)
        conf = self.cluster.layout.etc / "slurmdbd.conf"
        before = conf.read_text()

        def restart_with(text: str) -> None:
            conf.write_text(text)
            self.cluster.restart("slurmdbd")

        self.addCleanup(restart_with, before)
        restart_with(before + "PrivateData=accounts,users,usage\n")

    def as_ana(self, *words: str, rc: int = OK) -> Any:
        return self.run_it(*words, rc=rc, user="ana")

    def test_accounts_are_hidden_and_not_missing(self) -> None:
        self.qos("create", "hi1", "MaxWall=60")
        limits = self.write("l.yaml", "owner: base\nqos:\n  hi1: { MaxWall: 90 }\n")
        file = self.write("a.yaml", "owner: base\nqos:\n  hi1: { MaxWall: 90, access: { accounts: [chem] } }\n")

        for verb in ("plan", "drift", "lint", "apply"):
            refused = self.as_ana("spec", verb, file, rc=NO_PERMISSION)
            self.assertIn("PrivateData in slurmdbd.conf hides accounts and users of others from you", refused.stderr)
            self.assertNotIn("there is no account", refused.stderr)
        self.as_ana("spec", "plan", limits, rc=CHANGES)
        self.spec("plan", file, rc=CHANGES)
        refused = self.as_ana(
            "access", "grant", "--qos", "hi1", "--account", "chem", "--until", "1d", "--reason", "x",
            "--state", str(self.state / "ana"), rc=NO_PERMISSION,
        )
        self.assertIn("PrivateData in slurmdbd.conf hides", refused.stderr)

    def test_an_export_says_that_access_is_left_out(self) -> None:
        self.allow_ana("hi2")

        exported = self.as_ana("spec", "export", "hi2", "--owner", "base")
        self.assertIn("warning: access is left out: PrivateData in slurmdbd.conf hides", exported.stderr)
        self.assertIn("# Access is left out: PrivateData", exported.stdout)
        self.assertNotIn("access:\n", exported.stdout)
        self.as_ana("qos", "get", "hi2", "--access", "-o", "yaml", rc=NO_PERMISSION)
        self.assertIn("access:\n", self.spec("export", "hi2", "--owner", "base").stdout)

    def test_operators_see_all(self) -> None:
        self.qos("create", "hi3")
        file = self.write("a.yaml", "owner: base\nqos:\n  hi3: { access: { accounts: [chem] } }\n")
        self.as_ana("spec", "plan", file, rc=NO_PERMISSION)
        self.cluster.sacctmgr("modify user ana set adminlevel=operator")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")

        self.assertIn("hi3: grant to account chem\n", self.as_ana("spec", "plan", file, rc=CHANGES).stdout)


class Times(SpecTestCase):
    def grant(self, until: str, reason: str = "x", rc: int = OK) -> Any:
        words = ["access", "grant", "--qos", "normal", "--account", "root", "--until", until, "--reason", reason]
        result = self.cluster.run([str(self.binary), *words, "--state", str(self.state), "--dry-run"], env=BERLIN)
        self.assertEqual(result.rc, rc, str(result))
        return result

    def test_a_time_that_clocks_skip_is_refused(self) -> None:
        for until in ("2027-03-28T02:00", "2027-03-28T02:59:59"):
            refused = self.grant(until, rc=BAD_DATA)
            self.assertIn("there is no such time: clocks are set forward over it", refused.stderr)
        self.assertIn("write a time from now", self.grant("2027-02-30T12:00", rc=BAD_DATA).stderr)

    def test_a_day_begins_where_clocks_skip_midnight(self) -> None:
        words = ["access", "grant", "--qos", "normal", "--account", "root", "--reason", "x", "--state", str(self.state)]
        for until in ("2027-09-05", "2027-09-05T01:00"):  # one moment; 2027-09-05T00:00 does not exist
            command = [str(self.binary), *words, "--until", until, "--dry-run"]
            told = self.cluster.run(command, env={"TZ": "America/Santiago"})
            self.assertNotIn("no such time", told.stderr)
            self.assertNotEqual(told.rc, BAD_DATA, str(told))
        command = [str(self.binary), *words, "--until", "2027-09-05T00:30", "--dry-run"]
        self.assertIn("no such time", self.cluster.run(command, env={"TZ": "America/Santiago"}).stderr)

    def test_of_a_time_that_comes_twice_the_second_counts(self) -> None:
        self.add_ana()
        self.qos("create", "ti1")
        words = ["access", "grant", "--qos", "ti1", "--user", "ana", "--reason", "x", "--state", str(self.state), "--dry-run"]

        def end(until: str) -> tuple[int, str]:
            result = self.cluster.run([str(self.binary), *words, "--until", until, "--json"], env=BERLIN)
            self.assertEqual(result.rc, OK, str(result))
            told = [line for line in result.stderr.splitlines() if "qosgate-access-expire.timer" not in line]
            return json.loads(result.stdout)["granted"][0]["until"], "\n".join(told)

        last, told = end("2027-10-31T02:30")
        self.assertEqual(last, 1824946200)  # 01:30 UTC
        self.assertIn("2027-10-31T02:30 comes twice, because clocks are set back: the second one counts", told)
        self.assertEqual(end("2027-10-31T01:59:59"), (1824940799, ""))
        self.assertEqual(end("2027-10-31T03:00"), (1824948000, ""))
        self.assertEqual(end("2027-03-28T03:00"), (1806195600, ""))

    def test_a_reason_is_needed(self) -> None:
        for reason in ("", "  "):
            self.assertIn("--reason: it is empty", self.grant("1d", reason, rc=BAD_DATA).stderr)


class Watching(SpecTestCase):
    def watch(self, *words: str) -> tuple[Any, Path]:
        status = self.state / "status.json"
        # What is ignored when a program begins, as after nohup, it goes on ignoring.
        process = self.start_program(
            "env", "--default-signal=HUP,INT,TERM", str(self.binary), "spec", "watch", *words,
            "--status", str(status), "--history", self.history,
        )
        return process, status

    def test_it_waits_longer_after_each_failure_and_recovers(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  wb1: { MaxWal: 60 }\n")
        metrics = self.state / "watch.prom"
        usual = self.cluster.time_of(lambda: self.spec("plan", file, rc=BAD_DATA))[0]
        process, status = self.watch(file, "--interval", "1s", "--metrics", str(metrics))

        def numbers() -> dict[str, str]:
            return dict(re.findall(r"(?m)^qosgate_spec_watch_(\w+) (\d+)$", metrics.read_text()))

        pauses: dict[int, int] = {}

        def read() -> Any:
            told = json.loads(status.read_text()) if status.exists() else {"failures_in_row": 0, "runs": 0}
            if told["failures_in_row"] > 0:
                pauses[told["failures_in_row"]] = told["next_run"] - told["last_run"]
            return told

        self.cluster.wait_for(lambda: read()["failures_in_row"] == 3, "three runs failed")
        for failures, pause in pauses.items():
            # From when the run began to when the next one will: 2, 4, 8 s, and what the run itself takes.
            self.assertTrue(0 <= pause - 2**failures <= 2 + 5 * usual, str(pauses))
        self.assertEqual(read()["state"], "failing")
        self.assertIn("MaxWal: there is no such key", read()["error"])
        self.write("a.yaml", "owner: base\nqos:\n  wb1: { MaxWall: 60 }\n")
        self.cluster.wait_for(lambda: read()["state"] == "ok", "it recovers")
        self.assertEqual((read()["failures_in_row"], read()["error"], read()["applied"]), (0, None, 1))
        # The metrics are written after the status.
        self.cluster.wait_for(lambda: numbers()["failures_in_row"] == "0", "the metrics tell it")
        self.assertEqual((numbers()["failed_runs_total"], numbers()["applied_total"]), ("3", "1"))
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(re.findall("MaxWal: there is no such key", told)), 1, told)  # told one time
        self.assertIn("this run succeeded, after 3 failed runs", told)

    def test_it_goes_on_when_the_clock_is_set(self) -> None:
        shift = self.state / "shift"
        shift.write_text("0")
        clock = build_root() / "tests/cluster/helpers/shifted_clock.so"
        preload = f'SHIFTED_CLOCK={shift} LD_PRELOAD="{clock} $LD_PRELOAD" exec "$@"'
        file = self.write("a.yaml", "owner: base\nqos:\n  wd1: { MaxWall: 60 }\n")
        status = self.state / "status.json"
        process = self.start_program(
            "env", "--default-signal=TERM", "sh", "-c", preload, "sh", str(self.binary), "spec", "watch", file,
            "--interval", "1s", "--status", str(status), "--history", self.history,
        )
        self.cluster.wait_for(status.exists, "it has run")
        self.assertEqual(self.stored("wd1", "maxwall"), "01:00:00")
        now = json.loads(status.read_text())["last_run"]
        for wall, seconds in ((70, -3600), (80, 3600)):
            shift.write_text(str(seconds))
            self.cluster.wait_for(
                lambda seconds=seconds: abs(json.loads(status.read_text())["last_run"] - now - seconds) < 1800, "it has run since"
            )
            self.qos("update", "wd1", f"MaxWall={wall}")
            self.cluster.wait_for(lambda: self.stored("wd1", "maxwall") == "01:00:00", "it is set right")
        process.terminate()
        process.communicate(timeout=HANG_SECONDS)

    def test_a_signal_at_any_moment_ends_it_and_leaves_all_or_nothing(self) -> None:
        names = [f"wc{i}" for i in range(20)]
        for moment in range(12):
            wall = 60 + moment
            body = "".join(f"  {name}: {{ MaxWall: {wall} }}\n" for name in names)
            process, status = self.watch(self.write("a.yaml", "owner: base\nqos:\n" + body), "--interval", "1s")
            time.sleep(moment * 0.1)
            process.send_signal((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[moment % 3])
            _, told = process.communicate(timeout=HANG_SECONDS)
            # A signal before the program listens to them ends it as any other program.
            self.assertIn(process.returncode, (0, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP), told)
            if process.returncode == 0:
                self.assertEqual(json.loads(status.read_text())["state"], "ended", told)
            stored = {self.stored(name, "maxwall") for name in names}
            self.assertEqual(len(stored), 1, f"{moment}: {stored}: {told}")


if __name__ == "__main__":
    main()
