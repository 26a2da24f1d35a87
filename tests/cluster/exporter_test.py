# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate exporter, read by Debian's Prometheus and by a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest
from collections.abc import Callable
from functools import partial
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.testing import HANG_SECONDS, main
from qosgate_dev.testing.monitor import Exporter, Page, Prometheus, fetch, open_page
from qosgate_dev.testing.plugin_case import PluginTestCase

MONITORING = ROOT / "contrib/monitoring"
GOLD_CPUS = '{qos="gold",limit="GrpTRES",tres="cpu",counts="all"}'


def require(*programs: str) -> None:
    """Skips the test without the packages of the group `test`; fails where clusters are required."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing and os.environ.get("QG_REQUIRE_CLUSTER") == "1":
        raise AssertionError(f"not installed: {', '.join(missing)}")
    if missing:
        raise unittest.SkipTest(f"not installed: {', '.join(missing)}")


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANG_SECONDS, check=False
    )
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}")
    return done.stdout


class ExporterTestCase(PluginTestCase):
    """QOS gold: 8 CPUs of all, 2 running jobs per user. ana has 3 CPUs of it, ben 2, and two jobs of ana wait."""

    options = ("--gpus", "4")
    exporter_options: tuple[str, ...] = ()
    exporter: Exporter

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos gold GrpTRES=cpu=8 MaxJobsPerUser=2 MaxWall=60",
            "add qos <b>bold</b> GrpJobs=5",
            "add qos of_partition GrpJobs=100",
            "modify account astro set qos+=gold",
            "modify user ana where account=astro set qos+=gold",
            "add user ben account=bio qos=normal,gold",
            "modify account bio set GrpTRES=cpu=4",
        ):
            cls.cluster.sacctmgr(line)
        [partition, *_] = cls.cluster.run("sinfo --noheader -o %R", check=True).stdout.split()
        cls.cluster.scontrol(f"update PartitionName={partition} QOS=of_partition")
        for user, options in (("ana", "-n2"), ("ana", "-n1"), ("ben", "-n2")):
            job = cls.cluster.sbatch(f"--qos=gold -t30 {options}", user).job
            cls.cluster.wait_job(job, "RUNNING")
        waiting = cls.cluster.sbatch("--qos=gold -t30 --array=1-2", "ana").job
        cls.cluster.wait_for(
            lambda: "QOSMaxJobsPerUserLimit"
            in cls.cluster.run(f"squeue --noheader -j {waiting} -o %r", check=True).stdout,
            "two jobs wait",
        )
        cls.exporter = Exporter(cls.cluster, *cls.exporter_options)
        cls.addClassCleanup(cls.exporter.end)
        cls.wait_up(1)

    @classmethod
    def wait_up(cls, value: int) -> None:
        cls.cluster.wait_for(
            lambda: cls.exporter.metrics().get("qosgate_up") == value, f"qosgate_up {value}"
        )

    def tearDown(self) -> None:
        """Its jobs stay."""


class Metrics(ExporterTestCase):
    def test_the_numbers_are_those_of_slurmctld(self) -> None:
        decisions = 'qosgate_gate_decisions_total{event="submission"}'
        # The plugin reports at intervals.
        self.cluster.wait_for(
            lambda: self.exporter.metrics().get(decisions, 0) >= 4, "all submissions are counted"
        )
        metrics = self.exporter.metrics()
        for series, value in (
            (f"qosgate_qos_limit{GOLD_CPUS}", 8),
            (f"qosgate_qos_usage{GOLD_CPUS}", 5),
            (f"qosgate_qos_headroom{GOLD_CPUS}", 3),
            ('qosgate_qos_usage{qos="gold",limit="MaxJobsPerUser",counts="user"}', 2),
            ('qosgate_qos_headroom{qos="gold",limit="MaxJobsPerUser",counts="user"}', 0),
            ('qosgate_qos_limit{qos="gold",limit="MaxWall",counts="job"}', 3600),
            ('qosgate_qos_limit{qos="<b>bold</b>",limit="GrpJobs",counts="all"}', 5),
            ('qosgate_account_headroom{account="bio",limit="GrpTRES",tres="cpu",counts="all"}', 2),
            ('qosgate_qos_account_usage{qos="gold",account="astro",limit="GrpTRES",tres="cpu",counts="all"}', 3),
            ('qosgate_qos_allocated{qos="gold",tres="cpu"}', 5),
            ('qosgate_jobs{qos="gold",state="running"}', 3),
            ('qosgate_jobs{qos="gold",state="pending"}', 2),
            ('qosgate_jobs{qos="of_partition",state="running"}', 3),
            ('qosgate_jobs{qos="of_partition",state="pending"}', 2),
            ('qosgate_qos_usage{qos="of_partition",limit="GrpJobs",counts="all"}', 3),
            ('qosgate_pending_jobs{qos="gold",reason="QOSMaxJobsPerUserLimit"}', 2),
            ("qosgate_gate_readable", 1),
            ("qosgate_gate_loaded", 1),
            ('qosgate_gate_standing{standing="in force"}', 1),
            ("qosgate_exporter_sees_all", 1),
        ):
            self.assertEqual(metrics.get(series), value, series)
        submissions = metrics[decisions]
        self.assertEqual(metrics["qosgate_gate_decision_seconds_count"], submissions)
        self.assertEqual(metrics['qosgate_gate_decision_seconds_bucket{le="+Inf"}'], submissions)
        self.assertGreater(metrics["qosgate_gate_decision_seconds_sum"], 0)
        refusals = [series for series in metrics if 'reason="QOSMaxCpuPerJobLimit"' in series]
        self.assertTrue(refusals, [series for series in metrics if "results_total" in series])
        self.assertFalse([series for series in metrics if 'user="' in series], "users are named only if asked for")

    def test_promtool_accepts_them(self) -> None:
        require("promtool")
        self.assertEqual(run("promtool", "check", "metrics", text=fetch(f"{self.exporter.url}metrics")[1]), "")

    def test_only_get_and_head_of_two_pages_for_this_host(self) -> None:
        url = self.exporter.url
        self.assertEqual(fetch(url, "HEAD"), (200, ""))
        self.assertEqual(fetch(f"{url}metrics", "HEAD"), (200, ""))
        self.assertEqual(fetch(f"{url}healthz"), (200, "ok\n"))
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(fetch(url, method)[0], 405, method)
        for path in ("nothing", "metrics/", "metrics/x", "healthz/", "%2e%2e/etc/passwd"):
            self.assertEqual(fetch(url + path)[0], 404, path)
        self.assertEqual(fetch(url, Host="evil.example")[0], 403)
        self.assertEqual(fetch(url, Host=f"localhost:{self.exporter.target.split(':')[1]}")[0], 200)
        self.assertIn(fetch(url, More="x" * 20_000)[0], (400, 431))
        self.assertEqual(fetch(url)[0], 200)

    def test_a_bad_report_of_the_plugin_hides_only_the_plugin(self) -> None:
        report = self.cluster.layout.controller_state / "qosgate_status.json"

        def may_be_shown(readable: int) -> bool:
            metrics = self.exporter.metrics()
            return (metrics["qosgate_up"], metrics["qosgate_gate_readable"]) == (1, readable)

        def is_told_once_spoilt(spoil: Callable[[Path], None]) -> bool:
            # Each time anew: the plugin may have written the report before the exporter read it.
            spoilt = report.with_suffix(".spoilt")
            spoil(spoilt)
            spoilt.replace(report)
            return may_be_shown(0)

        for spoil in (os.mkfifo, lambda path: path.write_text("[]")):
            self.cluster.wait_for(partial(is_told_once_spoilt, spoil), "the report cannot be read, slurmctld can")
            self.cluster.sbatch("--qos=small -n3", "ana")  # refused, and counted: the plugin writes the report again
            self.cluster.wait_for(lambda: may_be_shown(1), "the report is back")

    def test_the_alerts_pass_their_tests(self) -> None:
        require("promtool")
        self.assertIn("SUCCESS", run("promtool", "check", "rules", str(MONITORING / "alerts.yml")))
        self.assertIn("SUCCESS", run("promtool", "test", "rules", str(MONITORING / "alerts_test.yml")))

    def test_wrong_options(self) -> None:
        for options, rc, message in (
            (f"--listen {self.exporter.target}", 69, "cannot listen on 127.0.0.1:"),
            ("--listen 192.0.2.77:9817", 69, "name an address of this host"),
            ("--listen 127.0.0.1", 64, "there is no port"),
            ("--listen host.example:9817", 64, "write ADDRESS:PORT"),
            ("--interval 0s", 64, "is not from 1s to 60m"),
            ("--interval 61m", 64, "is not from 1s to 60m"),
            ("--public ana", 64, "there is only users"),
            ("--users 1001", 64, "--users"),
        ):
            with self.subTest(options):
                done = self.cluster.run(f"{self.exporter.process.args[0]} exporter {options}")
                self.assertEqual(done.rc, rc, done)
                self.assertIn(message, done.stderr)

    def test_the_page_in_a_browser(self) -> None:
        require("chromium")
        page = Page(open_page(self.exporter.url))
        self.assertEqual(page.bars["gold", "GrpTRES", "cpu"], "5 of 8")
        self.assertEqual(page.bars["gold", "MaxJobsPerUser", ""], "2 of 2")
        self.assertEqual(page.bars["bio", "GrpTRES", "cpu"], "2 of 4")
        self.assertEqual(page.bars["<b>bold</b>", "GrpJobs", ""], "0 of 5")
        self.assertEqual(page.pending, {"QOSMaxJobsPerUserLimit": 2})
        self.assertEqual(list(page.limited), ["QOSMaxCpuPerJobLimit", "QOSMaxJobsPerUserLimit"])  # most refused first
        refused, *others = page.limited["QOSMaxCpuPerJobLimit"]
        self.assertGreaterEqual(refused, 1)  # other tests submit such jobs, too
        self.assertEqual(others, [0, 0])
        self.assertEqual(page.limited["QOSMaxJobsPerUserLimit"], [0, 0, 1])
        self.assertIn("wall time per job: 01:00:00", page.text)
        self.assertIn("3 running, 2 pending", page.text)
        self.assertIn("<b>bold</b>", page.text)
        for name in ("ana", "ben"):
            self.assertNotIn(name, page.text.split())
        self.assertNotIn("script", page.tags)

    def test_prometheus_has_data_for_each_query_of_the_dashboard(self) -> None:
        require("prometheus")
        prometheus = Prometheus(self.cluster, self.exporter.target, MONITORING / "alerts.yml")
        self.addCleanup(prometheus.end)
        self.cluster.wait_for(lambda: prometheus.value("qosgate_up") == 1, "Prometheus has scraped")
        self.cluster.wait_for(
            lambda: prometheus.value("count_over_time(qosgate_up[1m]) > 3") is not None, "some scrapes"
        )
        self.assertEqual(prometheus.value("scrape_samples_scraped"), len(self.exporter.metrics()))
        self.assertEqual(prometheus.value(f"qosgate_qos_usage{GOLD_CPUS}"), 5)
        queries = [
            target["expr"]
            for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]
            for target in panel.get("targets", [])
        ]
        self.assertGreater(len(queries), 15)
        for query in queries:
            for variable, value in (("$instance", ".*"), ("$qos", ".*"), ("$__rate_interval", "30s")):
                query = query.replace(variable, value)
            self.assertTrue(prometheus.query(query), query)
        self.assertEqual(prometheus.query('ALERTS{alertstate="firing"}'), [])


class Away(ExporterTestCase):
    exporter_options = ("--users", "1", "--public", "users")

    def test_slurmctld_goes_and_comes_back(self) -> None:
        require("prometheus")
        prometheus = Prometheus(self.cluster, self.exporter.target, MONITORING / "alerts.yml")
        self.addCleanup(prometheus.end)
        usage = f"qosgate_qos_usage{GOLD_CPUS}"
        self.cluster.wait_for(lambda: prometheus.value(usage) == 5, "Prometheus has scraped")
        self.assertIn("ana", fetch(self.exporter.url)[1])

        self.cluster.stop("slurmctld")
        self.wait_up(0)
        names = {series.split("{")[0] for series in self.exporter.metrics()}
        self.assertFalse([name for name in names if name.startswith(("qosgate_qos", "qosgate_account", "qosgate_jobs"))])
        page = fetch(self.exporter.url)[1]
        self.assertNotIn("gold", page)
        self.assertNotIn("ana", page)
        self.cluster.wait_for(lambda: prometheus.value("qosgate_up") == 0, "Prometheus knows")
        self.cluster.wait_for(lambda: not prometheus.query("qosgate_qos_usage"), "and has no old value")
        self.assertEqual(prometheus.value("up"), 1)
        other = Exporter(self.cluster)  # starts without slurmctld, and ends while it waits for it
        self.assertEqual(other.metrics()["qosgate_up"], 0)
        self.assertEqual(other.end(), 0)
        self.cluster.wait_for(
            lambda: self.exporter.metrics().get("qosgate_gate_loaded") == 0,
            "the plugin is gone, too",
        )

        self.cluster.start("slurmctld")
        self.wait_up(1)
        self.cluster.wait_for(lambda: prometheus.value(usage) == 5, "the values are back")
        self.assertEqual(self.exporter.metrics()["qosgate_gate_loaded"], 1)
        self.assertIn("slurmctld answers", self.exporter.log().rpartition("Unable to contact")[2])

    def test_it_ends_at_sigterm(self) -> None:
        exporter = Exporter(self.cluster)
        self.assertEqual(exporter.end(), 0)
        self.assertIn("ended by a signal", exporter.log())


class PrivateUsage(ExporterTestCase):
    slurm_conf = "PrivateData=usage\n"
    exporter_options = ("--users", "5", "--public", "users")

    def test_neither_accounts_nor_users_are_named(self) -> None:
        answers = "".join(fetch(self.exporter.url + path)[1] for path in ("", "metrics"))
        for name in ("ana", "ben", "astro", "bio"):
            self.assertNotRegex(answers, rf"\b{name}\b")
        self.assertIn(f"qosgate_qos_usage{GOLD_CPUS} 5", answers)

    def test_a_user_without_rights_is_told_what_it_does_not_see(self) -> None:
        self.cluster.layout.controller_state.chmod(0o700)
        exporter = Exporter(self.cluster, user="ben")
        self.addCleanup(exporter.end)
        self.cluster.wait_for(lambda: exporter.metrics().get("qosgate_up") == 1, "it reads")
        self.assertEqual(exporter.metrics()["qosgate_exporter_sees_all"], 0)
        self.assertEqual(exporter.metrics()["qosgate_gate_readable"], 0)
        self.assertNotIn("qosgate_gate_loaded", exporter.metrics())


if __name__ == "__main__":
    main()
