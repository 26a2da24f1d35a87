# SPDX-License-Identifier: GPL-2.0-or-later
"""What uses a QOS that a plan deletes: jobs, which can be moved, and defaults, which the plan can end."""

from __future__ import annotations

import shutil

from qosgate_dev.testing import main

from qos_cli import BAD_DATA, CONFLICT, NOT_FOUND
from slurmdbd_proxy import SlurmdbdProxy
from spec_command_test import SpecTestCase


class UsedQos(SpecTestCase):
    def two_with_jobs(self, name: str, *options: str) -> tuple[str, list[int]]:
        """A spec without the QOS `name`, which was applied and has a job for each of the options."""
        both = self.write("both.yaml", f"owner: {name}\nqos:\n  {name}: {{}}\n  {name}-to: {{}}\n")
        one = self.write("one.yaml", f"owner: {name}\nqos:\n  {name}-to: {{}}\n")
        self.spec("apply", both, "--yes")
        self.allow_ana(name, create=False)
        jobs = [self.cluster.sbatch(f"{words} --qos={name} --account=astro", "ana").job for words in options]
        self.addCleanup(self.cluster.run, "scancel -u ana")
        return one, [job for job in jobs if job is not None]

    def add_account(self, name: str) -> None:
        """With user ana, who inherits."""
        self.cluster.sacctmgr(f"add account {name}")
        self.cluster.sacctmgr(f"add user ana account={name}")

    def qos_of_jobs(self) -> dict[int, str]:
        lines = self.cluster.run("squeue -h -O jobid:20,qos:40").stdout.splitlines()
        return {int(line.split()[0]): line.split()[1] for line in lines}

    def test_pending_jobs_are_moved_before_their_qos_is_deleted(self) -> None:
        one, jobs = self.two_with_jobs("mv", "--hold", "--hold")

        hint = self.spec("apply", one, "--prune", "--yes", rc=CONFLICT).stderr
        self.assertIn("--move-jobs-to QOS moves pending jobs", hint)
        self.assertNotIn("--force", hint)
        for target, rc in (("mv", BAD_DATA), ("mv-t", NOT_FOUND)):
            self.assertIn(target, self.spec("apply", one, "--prune", "--yes", "--move-jobs-to", target, rc=rc).stderr)
        dry = self.spec_json("apply", one, "--prune", "--dry-run", "--move-jobs-to", "mv-to")
        self.assertEqual([move["job"] for move in dry["moved_jobs"]], jobs)
        self.assertEqual(set(self.qos_of_jobs().values()), {"mv"})

        said = self.spec("apply", one, "--prune", "--yes", "--move-jobs-to", "MV-to").stdout

        self.assertIn("Moved 2 pending jobs of QOS mv to mv-to.\n", said)
        self.assertFalse(self.exists("mv"))
        self.assertEqual(self.qos_of_jobs(), dict.fromkeys(jobs, "mv-to"))

    def write_rules(self, **files: str) -> None:
        """The directory of rules, for this test."""
        directory = self.cluster.layout.etc / "qosgate.d"
        directory.mkdir()
        self.addCleanup(shutil.rmtree, directory)
        for name, text in files.items():
            (directory / f"{name}.lua").write_text(text)

    def test_who_deletes_a_qos_is_told_which_rules_name_it(self) -> None:
        self.write_rules(
            route='rule { name = "r", submit = function(job)\n  job.qos = "Ruled"\nend }\n',
            other='-- ruled\nlocal near = { "ruled2", ruled = true }\n',
        )
        both = self.write("both.yaml", "owner: ruled\nqos:\n  ruled: {}\n  ruled-to: {}\n")
        without = self.write("one.yaml", "owner: ruled\nqos:\n  ruled-to: {}\n")
        self.spec("apply", both, "--yes")
        says = f"rules in {self.cluster.layout.etc}/qosgate.d name 'ruled': route.lua:2; if they mean the QOS,"
        keeps = self.write("keeps.yaml", "owner: ruled\nqos:\n  ruled: {Priority: 3}\n  ruled-to: {}\n")

        self.assertNotIn("rules in", self.spec("plan", keeps, rc=2).stderr)
        self.assertIn(says, self.spec("plan", without, "--prune", rc=2).stderr)
        self.assertIn(says, self.spec("apply", without, "--prune", "--dry-run").stderr)
        self.assertNotIn("rules in", self.qos("delete", "ruled-to", "--dry-run").stderr)
        said = self.qos("delete", "ruled").stderr

        self.assertEqual(said.count(says), 1, said)
        self.assertFalse(self.exists("ruled"))

    def test_rules_that_cannot_be_read_are_no_reason_to_keep_a_qos(self) -> None:
        self.write_rules(route='local name = "unread"\n')
        (self.cluster.layout.etc / "qosgate.d/route.lua").chmod(0o666)
        self.qos("create", "unread")

        said = self.qos("delete", "unread").stderr

        self.assertIn("whether rules name what is deleted is not known: ", said)
        self.assertIn("route.lua", said)
        self.assertFalse(self.exists("unread"))

    def test_a_started_job_is_not_moved_and_so_no_other(self) -> None:
        one, jobs = self.two_with_jobs("st", "--wrap 'sleep 300'", "--hold")
        self.cluster.wait_for(lambda: "R" in self.cluster.run("squeue -h -o %t").stdout.split(), "the job runs")

        said = self.spec("apply", one, "--prune", "--yes", "--move-jobs-to", "st-to", rc=CONFLICT).stderr

        self.assertIn(f"jobs that have started keep their QOS: {jobs[0]}", said)
        self.assertTrue(self.exists("st"))
        self.assertEqual(self.qos_of_jobs(), dict.fromkeys(jobs, "st"))

    def test_jobs_go_back_if_the_commit_fails(self) -> None:
        """The connection breaks at one request after the other: where the QOS stays, so do the jobs, or the error names them."""
        one, jobs = self.two_with_jobs("fa", "--hold")
        words = [str(self.binary), "spec", "apply", one, "--prune", "--yes", "--move-jobs-to", "fa-to", "--history", self.history]
        with SlurmdbdProxy(self.slurmdbd_port, fail_at=10**6) as proxy:
            self.cluster.run([*words, "--dry-run"], env=self.through(proxy), check=True)
            first = proxy.requests
        moved_back = 0
        for n in range(first + 1, first + 40):
            with self.subTest(request=n), SlurmdbdProxy(self.slurmdbd_port, fail_at=n) as proxy:
                result = self.cluster.run(words, env=self.through(proxy))
                if not self.exists("fa"):
                    break
                if "these jobs are in QOS fa-to now" in result.stderr:
                    self.assertIn(f"now: {jobs[0]}", result.stderr)
                    self.assertIn("unknown", result.stderr)
                    self.cluster.scontrol(f"update job {jobs[0]} qos=fa")
                self.assertNotEqual(result.rc, 0)
                self.assertEqual(self.qos_of_jobs(), {jobs[0]: "fa"}, str(result))
                moved_back += "; 1 job moved back to where they were" in result.stderr
        self.assertGreater(moved_back, 0)
        self.assertEqual(self.qos_of_jobs(), {jobs[0]: "fa-to"})
        self.assertFalse(self.exists("fa"))

    def test_a_new_default_is_undone(self) -> None:
        """The default is cleared, the access revoked and the QOS deleted by one plan, whose text says so."""
        self.add_account("nd")
        file = self.write("a.yaml", "owner: nd\nqos:\n  nd-new: {access: {accounts: [nd], default_for: [nd]}}\n")
        self.spec("apply", file, "--yes")
        show = "-nP show assoc account=nd user= format=account,qos,defaultqos"
        self.assertTrue(self.cluster.sacctmgr(show).stdout.endswith("|nd-new\n"))
        job = self.cluster.sbatch("--hold --account=nd --qos=nd-new", "ana").job

        self.spec("rollback", "--yes", rc=CONFLICT)
        said = self.spec("rollback", "--yes", "--move-jobs-to", "normal").stdout

        self.addCleanup(self.cluster.run, f"scancel {job}")
        self.assertIn("nd-new: no longer the default, which is inherited again, of account nd\n", said)
        self.assertIn("clears defaults 1 time", said)
        self.assertFalse(self.exists("nd-new"))
        self.assertNotIn("nd-new", self.cluster.sacctmgr(show).stdout)

    def test_a_default_is_swapped_and_the_old_one_deleted(self) -> None:
        self.add_account("sw")
        head = "owner: sw\nprune: true\nqos:\n"
        access = "{access: {accounts: [sw], default_for: [sw]}}"
        self.spec("apply", self.write("old.yaml", f"{head}  sw-old: {access}\n"), "--yes")
        new = self.write("new.yaml", f"{head}  sw-new: {access}\n")

        self.spec("apply", new, "--prune", "--yes")

        self.addCleanup(self.cluster.sacctmgr, "modify account sw set defaultqos=-1")
        shown = self.cluster.sacctmgr("-nP show assoc account=sw user= format=defaultqos").stdout
        self.assertEqual(shown, "sw-new\n")
        self.assertFalse(self.exists("sw-old"))
        # A default that nothing in the plan moves is a use.
        none = self.write("none.yaml", "owner: sw\nprune: true\nqos: {}\n")
        said = self.spec("apply", none, "--prune", "--yes", rc=BAD_DATA).stderr
        self.assertIn("it is the default QOS of account 'sw'", said)
        self.assertTrue(self.exists("sw-new"))

    def test_a_users_own_default_holds_up_nobody(self) -> None:
        self.add_account("du")
        head = "owner: du\nqos:\n  du-some: {access: {complete: true, accounts: "
        self.spec("apply", self.write("with.yaml", f"{head}[du]}}}}\n"), "--yes")
        show = "-nP show assoc account=du user=ana format=qos,defaultqos"
        choice = "sacctmgr -i modify user ana where account=du set defaultqos=du-some"
        self.cluster.run(choice, "ana", check=True)
        self.assertEqual(self.cluster.sacctmgr(show).stdout, "du-some,normal|du-some\n")
        without = self.write("without.yaml", f"{head}[]}}}}\n")

        result = self.spec("apply", without, "--yes")

        self.assertIn("it was the default QOS of user 'ana' in account 'du', which may not use it any more", result.stdout)
        self.assertIn("du-some: no longer the default, which is inherited again, of user ana in du\n", result.stdout)
        self.assertEqual(self.cluster.sacctmgr(show).stdout, "normal|\n")
        self.assertEqual(self.qos_of_new_job("du"), "normal")
        self.spec("plan", without, rc=0)

        self.spec("rollback", "--yes")
        self.assertEqual(self.cluster.sacctmgr(show).stdout, "du-some,normal|du-some\n")
        self.assertEqual(self.qos_of_new_job("du"), "du-some")
        self.spec("rollback", "--yes")
        self.cluster.run("sacctmgr -i modify user ana where account=du set defaultqos=normal", "ana", check=True)
        # Chosen meanwhile: it is neither lost nor in the way.
        said = self.spec("rollback", "--yes").stdout
        self.assertIn("the default QOS of user 'ana' in account 'du' was changed since: it is normal now, not inherited; it stays", said)
        self.assertEqual(self.cluster.sacctmgr(show).stdout, "du-some,normal|normal\n")
        gone = self.write("gone.yaml", "owner: du\nprune: true\nqos: {}\n")
        self.cluster.run(choice, "ana", check=True)
        self.spec("apply", gone, "--prune", "--yes")
        self.assertFalse(self.exists("du-some"))
        self.assertEqual(self.cluster.sacctmgr(show).stdout, "normal|\n")

    def qos_of_new_job(self, account: str) -> str:
        """Of a job that asks for no QOS: what slurmctld takes for the default."""
        job = self.cluster.sbatch(f"--hold --account={account}", "ana").job
        self.addCleanup(self.cluster.run, f"scancel {job}")
        qos = self.qos_of_jobs()[job]
        self.cluster.run(f"scancel {job}", check=True)
        return qos


if __name__ == "__main__":
    main()
