# SPDX-License-Identifier: GPL-2.0-or-later
"""cli_filter/qosgate in scrontab: each entry is judged as a job of sbatch. Debian's packages have no scrontab."""

from __future__ import annotations

import shutil
import unittest

from client_filter_test import RULES, ClientFilterCase
from qosgate_dev.testing import CommandResult, main

SCRONTAB = shutil.which("scrontab")
SMALL = "scrontab: error: QOS small does not allow this job:"


@unittest.skipUnless(SCRONTAB, "there is no scrontab in PATH")
class Scrontab(ClientFilterCase):
    slurm_conf = "ScronParameters=enable\n"

    def tearDown(self) -> None:
        self.cluster.run([SCRONTAB, "-r"], "ana")
        super().tearDown()

    def install(self, *entries: str, options: tuple[str, ...] = (), user: str = "ana") -> CommandResult:
        """A crontab with these entries: options of sbatch, one program for all."""
        lines = [line for entry in entries for line in (*(f"#SCRON {word}" for word in entry.split()), "5 4 1 1 * true")]
        file = self.home / "crontab.txt"
        file.write_text("\n".join(lines) + "\n")
        return self.cluster.run([SCRONTAB, *options, str(file)], user)

    def jobs(self) -> list[str]:
        return self.cluster.run("squeue --noheader --user=ana --format=%i", check=True).stdout.split()

    def test_advice_is_on_standard_error_and_slurmctld_decides(self) -> None:
        done = self.install("--qos=small --ntasks=3")
        self.assertNotEqual(done.rc, 0, done)
        self.assertEqual(
            self.said(done),
            [
                SMALL,
                "scrontab: error:   CPUs per job: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)",
                "scrontab: error: would be accepted with: --ntasks=2",
                "scrontab: error: would be accepted with: --qos=normal",
            ],
        )
        self.assertIn("There was an issue with the job submission", done.stdout)
        self.assertEqual(self.jobs(), [])

    def test_an_entry_within_its_limits_is_accepted_without_a_word(self) -> None:
        done = self.install("--qos=small --ntasks=2")
        self.assertEqual((done.rc, done.stderr, done.stdout), (0, "", ""), done)
        self.assertEqual(len(self.jobs()), 1)

    def test_enforce_sends_nothing_not_even_the_good_entries(self) -> None:
        self.write("site.lua", 'site { limits = "enforce" }\n')
        done = self.install("--qos=small --ntasks=2", "--qos=small --ntasks=3")
        self.assertEqual(done.rc, 1, done)
        self.assertEqual(done.stderr.count(SMALL), 1)
        self.assertIn("cli_filter plugin terminated with error\nThere are errors in your crontab.\n", done.stdout)
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.install("--qos=small --ntasks=2", "--qos=small --ntasks=2").rc, 0)
        self.assertEqual(len(self.jobs()), 2)

    def test_rules_refuse_speak_and_change(self) -> None:
        for name, text in RULES.items():
            self.write(name, text)
        done = self.install("--comment=no")
        self.assertEqual((done.rc, self.said(done)[:1]), (1, ["scrontab: error: not today, ana"]), done)
        done = self.install("--ntasks=5")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("scrontab: moved to QOS counted", done.stderr)
        (job,) = self.jobs()
        self.assertEqual(self.cluster.job(int(job))["QOS"], "counted")

    def test_a_crontab_that_may_be_for_another_user_is_not_judged(self) -> None:
        done = self.install("--qos=small --ntasks=3", options=("-v", "-u", "ana"), user="root")
        self.assertIn("not judged here: a crontab of root may be for another user", done.stderr)
        self.assertNotIn(SMALL, done.stderr)
        self.assertIn("There was an issue with the job submission", done.stdout)


if __name__ == "__main__":
    main()
