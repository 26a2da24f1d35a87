# SPDX-License-Identifier: GPL-2.0-or-later
"""What a real slurmctld refuses besides limits, and what it hides: the words of job_submit_qosgate.so."""

from __future__ import annotations

from lib import main
from plugin_test import USER, PluginTestCase

PUBLIC = "EnforcePartLimits=ALL\n"
PRIVATE = f"{PUBLIC}PrivateData=jobs,usage,users,accounts,partitions\n"


class Private(PluginTestCase):
    """The account astro has GrpTRES=cpu=4, of which ben uses 3; the partition hidden is."""

    slurm_conf = (
        "PartitionName=hidden Nodes=ALL Hidden=YES\n"
        "PartitionName=grouped Nodes=ALL AllowGroups=root\n"
        "PartitionName=biology Nodes=ALL AllowAccounts=bio\n" + PUBLIC
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("modify account astro set GrpTRES=cpu=4")
        cls.cluster.sacctmgr("add user ben account=astro")
        cls.cluster.run(["sbatch", "-n3", "--wrap=sleep 300"], "ben", check=True)
        cls.cluster.wait_for(
            lambda: "in use 3 (none yours)" in cls.cluster.sbatch("-n2", USER).stderr, "ben's job runs"
        )

    def test_what_is_public_is_told(self) -> None:
        wait = "this job will wait: CPUs of all running jobs in account astro: limit 4, in use 3"
        self.expect(self.submit("-n2"), True, wait)
        self.expect(self.submit("-p biologie"), False, "did you mean biology?", "partitions: main, short, ")
        self.expect(self.submit("-p hiden"), False, "no partition 'hiden'\n", "grouped")
        self.expect(self.submit("-p biology"), False, "does not accept account astro (accepted: bio)")

    def test_what_is_private_is_hidden(self) -> None:
        self.change_slurm_conf(PUBLIC, PRIVATE)
        try:
            # Slurm itself does not show ana the account's association.
            shown = self.cluster.run("scontrol show assoc_mgr flags=assoc", USER, check=True).stdout
            self.assertNotIn("cpu=4(", shown)

            answer = self.submit("-n2")
            over = "in account astro: this job asks for 2, which is more than is left (AssocGrpCpuLimit)"
            self.expect(answer, True, over)
            self.assertNotIn("limit", answer.stderr.replace("Limit", ""))
            answer = self.submit("-p grouped2")
            self.expect(answer, False, "no partition 'grouped2'\n", "partitions: main, short, biology\n")
            self.expect(self.submit("-p biology"), False, "partition biology does not accept account astro\n")

            by_root = self.cluster.run(["sbatch", "-n2", "--uid=ana", "--wrap=sleep 300"])
            self.expect(by_root, True, "limit 4, in use 3")
        finally:
            self.change_slurm_conf(PRIVATE, PUBLIC)

    def test_a_test_only_submission_has_the_words_of_a_real_one(self) -> None:
        over = ("QOS small does not allow this job:", "limit 2, this job asks for 3", "would be accepted with:")
        for arguments, lines in (
            ("--qos=small -n3", (*over, "allocation failure: Job violates accounting/QOS policy")),
            ("-p biologie", ("did you mean biology?", "allocation failure: Invalid partition name")),
            ("--qos=smal", ("did you mean small?", "allocation failure: Invalid qos specification")),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(f"--test-only {arguments}"), False, *lines)
        self.expect(self.submit("--test-only --qos=small -n2"), True, "to start at")
        srun = self.cluster.run("srun --test-only --qos=small -n3 true", USER)
        self.assertIn("limit 2, this job asks for 3", srun.stderr)


if __name__ == "__main__":
    main()
