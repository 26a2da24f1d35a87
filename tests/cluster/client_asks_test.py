# SPDX-License-Identifier: GPL-2.0-or-later
"""cli_filter/qosgate asks slurmctld for few records, and says what `qosgate check` says, which reads all of them."""

from __future__ import annotations

import shlex

from client_filter_test import USER, ClientFilterCase
from qosgate_dev.testing import CommandResult, main

PARTITIONS = """\
PartitionName=guarded Nodes=ALL MaxTime=UNLIMITED
PartitionName=open Nodes=ALL MaxTime=UNLIMITED AllowQos=waits,small
"""

# By user. What a job needs of the records is in no name that the job has: a default QOS, accounts above, alternatives.
JOBS = {
    USER: (
        "",
        "--qos=normal",
        "--qos=SMALL -n3",
        "--qos=small -n3",
        "--qos=small -n2",
        "--qos=nosuch",
        "--qos=other",
        "--qos=small,counted -n3",
        "-p guarded -n2",
        "-p guarded -n5",
        "-p guarded -n5 --qos=over",
        "-p guarded,main -n5",
        "-p open -n3",
        "-p open -n3 --qos=small",
        "-A bio",
        "-A bio -n9",
        "-A bio --qos=small",
        "-A BIO --qos=normal",
        "-A deep -n4",
        "-A deep -n9",
        "-A deep -n17 --qos=normal",
        "-A nosuch",
        "-n1 : -n3 --qos=small",
        "-n1 --qos=nosuch : -n1",
        "-t 3-0 --qos=waits",
        "--reservation=nosuch",
        "--qos=",
        "--account= --qos=small -n3",
        "--partition=",
        "--gres=",
        "--array=5-1",
        "--array=5-5",
        "--tmp=10G",
        "--dependency=afterany:foo",
        "--dependency=afterany:99999",
    ),
    "ben": ("", "--qos=small", "-A astro", "-A nosuch -n2"),
    "cem": ("", "-n3", "-n5", "-n3 --qos=normal", "-A deep -n9", "-A astro"),
}

RULES = """\
rule {
    submit = function(job, view)
        local said = {}
        for _, name in ipairs { "small", "Counted", "nosuch", job.qos or "normal" } do
            local qos = view.qos(name)
            said[#said + 1] = name .. (qos and "+" or "-")
        end
        for _, list in ipairs { view.accounts(), view.qos_allowed() } do
            for _, name in ipairs(list) do said[#said + 1] = name end
        end
        job:note("%s", table.concat(said, " "))
        if job.user then job:note("%s has %d jobs", job.user, view.jobs { user = job.user }) end
    end,
}
"""


class ClientAsks(ClientFilterCase):
    slurm_conf = PARTITIONS
    jobs = JOBS
    meets = ("would be accepted with", "cannot use it with account", "account faculty", "limit 4", "limit 16")
    environment: dict[str, str] | None = None

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos guard MaxTRESPerJob=cpu=4 Flags=DenyOnLimit",
            "add qos over MaxTRESPerJob=cpu=8 Flags=DenyOnLimit,OverPartQOS",
            "add account faculty GrpTRES=cpu=16",
            "add account institute parent=faculty",
            "add account group parent=institute GrpTRES=cpu=8",
            "add account deep parent=group",
            f"add user {USER} account=deep qos=normal,counted",
            f"modify user {USER} where account=astro set qos=+over defaultqos=waits",
            f"modify user {USER} where account=bio set qos=memory",
            "add user cem account=deep qos=small",
            "add coordinator account=group name=cem",
        ):
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol("update partition=guarded qos=guard")

    def compare(self, words: list[str], user: str) -> CommandResult:
        foretold = self.foretold(words, user)
        for _ in range(4):  # a client that waited 300 ms for the rules to be read sends the job in silence
            done = self.cluster.run(words, user, env=self.environment)
            if self.said(done) or not foretold:
                break
            self.cluster.run(f"scancel --user={user}", check=True)
        lines = [line.removeprefix("sbatch: ").removeprefix("error: ").strip() for line in self.said(done)]
        self.assertEqual(lines, foretold, done)
        self.cluster.run(f"scancel --user={user}", check=True)
        return done

    def compare_all(self) -> list[str]:
        said = []
        for user, jobs in self.jobs.items():
            for job in jobs:
                with self.subTest(user=user, job=job):
                    done = self.compare(["sbatch", *shlex.split(job), "--wrap=sleep 100"], user)
                    said += self.said(done)
        return said

    def test_the_same_words(self) -> None:
        said = "\n".join(self.compare_all())
        for words in self.meets:
            self.assertIn(words, said, "the jobs meet what they are for")

    def test_the_same_words_with_rules_that_read_more(self) -> None:
        self.write("10-read.lua", RULES)
        self.assertIn("small+ Counted+ nosuch-", "\n".join(self.compare_all()))

    def test_the_same_words_whatever_is_remembered(self) -> None:
        runtime = self.home / "runtime"
        self.cluster.run(["mkdir", "-m", "700", str(runtime)], USER, check=True)
        self.environment = {"XDG_RUNTIME_DIR": str(runtime)}
        cluster = self.cluster.layout.slurm_conf.read_text().split("ClusterName=")[1].split()[0]
        file = runtime / f"qosgate-records-{cluster}"
        contents = (
            None,
            "qos waits\naccount astro\n",
            "qos nosuch\nqos small\nqos normal\naccount nosuch\naccount faculty\n",
            "qos small\naccount root\n",
            "account deep\naccount group\naccount bio\n",
            "\0" * 5000,
        )
        for remembered in contents:
            for job in ("-n3", "-A bio -n2", "-A deep -n17", "-p guarded -n5", "-A nosuch"):
                with self.subTest(remembered=remembered, job=job):
                    if remembered is not None:
                        self.cluster.run(["touch", str(file)], USER, check=True)  # the user's own
                        file.write_text(remembered)
                    self.compare(["sbatch", *shlex.split(job), "--wrap=sleep 100"], USER)
                    if "-A" not in job:
                        self.assertIn("qos waits", file.read_text().splitlines())
                        self.assertIn("account astro", file.read_text().splitlines())


class PrivateAsks(ClientAsks):
    """Users see less: only their own associations, or those of accounts that they coordinate.

    To a user without association slurmctld then tells nothing.
    """

    jobs = {user: jobs for user, jobs in JOBS.items() if user != "ben"}
    meets = ("would be accepted with", "cannot use it with account", "limit 4", "limit 8")

    slurm_conf = f"{PARTITIONS}PrivateData=usage,users,accounts\n"


if __name__ == "__main__":
    main()
