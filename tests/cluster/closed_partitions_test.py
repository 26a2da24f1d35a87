# SPDX-License-Identifier: GPL-2.0-or-later
"""Partitions that are closed to a job: what slurmctld does with it is told before (limits/README.md 8.3)."""

from __future__ import annotations

import json
import re

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, build_root, copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

REFUSAL = "User's group not permitted to use this partition"
DENIED = "Access/permission denied"
NOT_AVAILABLE = "Required partition not available (inactive or drain)"
PENDING = "not in group permitted to use this partition"
# Later releases judge each partition of a list, and refuse nothing with NO.
LETS_PEND = slurm_version() >= (23, 2)
NOT_A_MEMBER = "is for members of ben (AllowGroups), and ana is not one"


RULES = """\
rule {
    name = "words",
    submit = function(job)
        if job.comment == "reject" then job:reject("a word") elseif job.comment then job:warn("a word") end
    end,
}
"""


class ClosedPartitions(PluginTestCase):
    slurm_conf = (
        "PartitionName=anas Nodes=ALL AllowGroups=root,ana\n"
        "PartitionName=bens Nodes=ALL AllowGroups=ben\n"
        "PartitionName=strangers Nodes=ALL AllowGroups=no-such-group\n"
        "PartitionName=roots Nodes=ALL RootOnly=YES\n"
        "PartitionName=reserved Nodes=ALL ReqResv=YES\n"
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.qosgate = copy_command(cls.cluster)
        cls.cluster.sacctmgr("add qos narrow MaxTRESPerUser=cpu=1")
        cls.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=narrow")

    def enforce(self, how: str) -> None:
        conf = self.cluster.layout.slurm_conf
        lines = [line for line in conf.read_text().splitlines() if not line.startswith("EnforcePartLimits")]
        conf.write_text("\n".join([*lines, f"EnforcePartLimits={how}", ""]))
        self.cluster.scontrol("reconfigure")
        self.cluster.wait_for(
            lambda: re.search(rf"EnforcePartLimits *= {how}\n", self.cluster.run("scontrol show config").stdout), how
        )
        self.cluster.wait_for(lambda: self.is_seen(how), f"the plugin knows {how}")

    def is_seen(self, how: str) -> bool:
        """Whether the plugin speaks of a job that is too long for one partition as slurmctld then treats it."""
        alone, in_list = (
            [line for line in self.submit(f"--hold --time=61 -p {partitions}").stderr.splitlines() if "partition short" in line and ": decision " not in line]
            for partitions in ("short", "main,short")
        )
        return any("can never start" in line for line in alone) == (how == "NO") and bool(in_list) == (how == "ALL")

    def check(self, options: str, user: str = USER, *more: str) -> CommandResult:
        return self.cluster.run([self.qosgate, *more, "--json", "--", "sbatch", *options.split(), "--wrap=true"], user)

    def foretold(self, options: str, user: str = USER) -> dict:
        return json.loads(self.check(options, user, "check").stdout)

    def expect_refusal(self, options: str, reason: str = REFUSAL) -> None:
        answer = self.foretold(options)
        self.assertEqual(answer["status"], "blocked", answer)
        self.assertIn("(AllowGroups), and ana is not one", answer["parts"][0]["blocked_by"][0])
        self.assertIsNone(answer["not_judged"])
        actual = self.submit(options)
        self.expect(actual, False, reason)
        self.assertEqual(answer["slurmctld_error"], reason)
        self.assertEqual(answer["user_reads"], [line for line in actual.stderr.splitlines() if ": decision " not in line])

    def expect_start(self, options: str) -> None:
        answer = self.foretold(options)
        self.assertEqual((answer["status"], answer["not_judged"]), ("accepted", None), answer)
        self.assertEqual((answer["slurmctld_error"], answer["user_reads"]), (None, []))
        job = self.cluster.sbatch(options, USER).job
        self.cluster.wait_job(job, "RUNNING")
        self.cluster.run(f"scancel {job}", check=True)

    def expect_never_starts(self, options: str, reason: str) -> None:
        answer = self.foretold(options)
        self.assertEqual((answer["status"], answer["slurmctld_error"]), ("blocked", None), answer)
        job = self.cluster.sbatch(options, USER).job
        self.cluster.wait_for(lambda: reason in self.cluster.job_reason(job).replace("_", " "), f"{options}: job {job} waits: {reason}")
        # slurmctld may end a connection when it is asked for many.
        self.cluster.wait_for(lambda: self.cluster.run(f"scancel --user={USER}").rc == 0, "the job is cancelled")

    def test_one_partition(self) -> None:
        for how in ("NO", "ANY", "ALL"):
            self.enforce(how)
            with self.subTest(how):
                for partition in ("bens", "strangers"):
                    if how == "NO" and LETS_PEND:
                        self.expect_never_starts(f"-p {partition}", PENDING)
                    else:
                        self.expect_refusal(f"-p {partition}")
                self.expect_start("-p anas")
        words = ["--policy", self.rules(), "--", "sbatch", "-p", "bens", "--wrap=true"]
        told = self.cluster.run([self.qosgate, "policy", "try", *words], USER)
        self.assertIn(f"The user reads:\n  sbatch: error: Batch job submission failed: {REFUSAL}\n", told.stdout)
        self.assertIn(f"The job is refused by slurmctld: partition bens {NOT_A_MEMBER} ({REFUSAL}).\n", told.stdout)
        self.assertIn(f"partition bens {NOT_A_MEMBER} ({REFUSAL})", self.foretold("-p bens")["parts"][0]["blocked_by"])
        self.assertEqual(self.foretold("-p bens", "root")["status"], "accepted")
        self.expect(self.cluster.run("sbatch --hold -p bens --wrap=true"), True)
        self.expect(self.cluster.run(f"sbatch --hold --uid={USER} -p bens --wrap=true"), False, REFUSAL)
        self.cluster.run("scancel --user=root")

    def test_lists_of_partitions(self) -> None:
        if LETS_PEND:
            return self.expect_each_partition_to_count()
        for how, second in (("ALL", REFUSAL), ("ANY", NOT_AVAILABLE)):
            self.enforce(how)
            with self.subTest(how):
                self.expect_refusal("-p bens,main")
                self.expect_refusal("-p main,bens", second)
                self.expect_start("-p main,anas")
        self.enforce("NO")
        self.expect_start("-p main,bens")
        self.expect_start("-p bens,main -N1")
        self.expect_never_starts("-p bens,main", "PartitionNodeLimit")
        self.expect_never_starts("-p bens,strangers -N1", "PartitionConfig")

    def expect_each_partition_to_count(self) -> None:
        self.enforce("ALL")
        for options in ("-p bens,main", "-p main,bens", "-p bens,strangers"):
            self.expect_refusal(options)
        self.expect_start("-p main,anas")
        self.enforce("ANY")
        self.expect_refusal("-p bens,strangers")
        for how in ("ANY", "NO"):
            self.enforce(how)
            for options in ("-p bens,main", "-p main,bens", "-p bens,anas -N1"):
                with self.subTest(f"{how} {options}"):
                    self.expect_start(options)
        self.expect_never_starts("-p bens,strangers", PENDING)

    def test_lines_of_a_job_that_waits_are_no_errors(self) -> None:
        self.enforce("NO")
        self.put_in_force({"words.lua": RULES})
        waits = "-p bens,strangers" if LETS_PEND else "-p bens,main"
        for options, status in (
            ("--comment=warn", "blocked"),
            ("--comment=reject", "refused"),
            ("--comment=warn --qos=small --time=2:00:00", "refused"),
        ):
            with self.subTest(options):
                words = ["sbatch", *waits.split(), *options.split(), "--wrap=true"]
                tried = self.cluster.run([self.qosgate, "policy", "try", "--json", "--", *words], USER)
                answer = json.loads(tried.stdout)
                actual = self.cluster.run(words, USER)
                self.cluster.run(f"scancel --user={USER}", check=True)
                self.assertEqual((answer["status"], actual.rc == 0), (status, status == "blocked"), f"{answer}\n{actual}")
                lines = [line for line in actual.stderr.splitlines() if ": decision " not in line]
                self.assertRegex(lines[0], "^sbatch: (?!error)" if status == "blocked" else "^sbatch: error: ")
                self.assertEqual(answer["user_reads"], lines)

    def test_groups_that_are_not_known_are_not_judged(self) -> None:
        for options, known in (((), True), (("--no-groups",), False)):
            world = self.cluster.directory.with_name(f"world-{known}.json")
            self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), "capture", str(world), *options], check=True)
            world.chmod(0o644)
            done = self.check("-p bens", USER, "policy", "try", "--world", str(world), "--policy", str(self.rules()))
            part = json.loads(done.stdout)["parts"][0]
            self.assertEqual(part["status"], "blocked" if known else "accepted", part)
            if known:
                self.assertIsNone(part["groups_not_judged"])
            else:
                self.assertIn("it is not known whether ana is one", part["groups_not_judged"])

    def test_replay_tells_that_groups_are_not_judged(self) -> None:
        world = self.cluster.directory.with_name("replay-world.json")
        qosgate = str(build_root() / "contrib/qosgate/qosgate")
        self.cluster.run([qosgate, "capture", str(world)], check=True)
        records = self.cluster.write_beside("none.jsonl", "")
        command = [qosgate, "policy", "replay", "--from", str(records), "--world", str(world), "--policy", str(self.rules())]
        self.assertIn("AllowGroups (partitions anas, bens, strangers)", self.cluster.run(command).stdout)
        answer = json.loads(self.cluster.run([*command, "--json"]).stdout)
        self.assertEqual(answer["groups_not_judged"], ["anas", "bens", "strangers"])

    def test_a_job_that_waits_where_it_is_let_in_is_not_told_that_it_will_wait(self) -> None:
        self.cluster.sbatch("--qos=narrow -n1", USER)
        wait, would = ("this job will wait: CPUs per user", "this job would wait: CPUs per user")
        for how in ("NO", "ANY", "ALL"):
            self.enforce(how)
            self.cluster.wait_for(lambda: wait in self.submit("--qos=narrow -p anas").stderr, "ana is known to be a member")
            for partition in ("anas", "bens", "strangers", "roots", "reserved", "main,anas", "main,bens", "main,roots", "reserved,main"):
                with self.subTest(f"{how} {partition}"):
                    options = f"--qos=narrow -N1 -p {partition}"
                    actual = self.submit(options)
                    words = wait if actual.rc == 0 else would
                    self.assertIn(words, actual.stderr)
                    answer = self.foretold(options)
                    said = [line for line in actual.stderr.splitlines() if ": decision " not in line]
                    self.assertEqual(answer["user_reads"], said)
                    told = self.cluster.run([self.qosgate, "check", "--", "sbatch", *options.split(), "--wrap=true"], USER).stdout
                    self.assertIn(f"  {words}", told)
                    self.assertEqual("The job is refused by slurmctld" in told, actual.rc != 0, told)

    def test_lists_with_a_partition_for_root_or_for_reservations(self) -> None:
        for closed in ("roots", "reserved"):
            for how, first, second in (("ALL", DENIED, DENIED), ("ANY", DENIED, NOT_AVAILABLE)):
                self.enforce(how)
                for options, reason in ((f"-p {closed}", DENIED), (f"-p {closed},main", first), (f"-p main,{closed}", second)):
                    with self.subTest(f"{how} {options}"):
                        answer = self.foretold(options)
                        self.expect(self.submit(options), False, reason)
                        self.assertEqual((answer["status"], answer["slurmctld_error"]), ("blocked", reason), answer)
            self.enforce("NO")
            self.expect_start(f"-p main,{closed}")

    def test_a_job_of_another_user_that_root_submits_never_starts_in_a_partition_for_root(self) -> None:
        words = ["sbatch", f"--uid={USER}", "-p", "roots", "--chdir=/", "--wrap=true"]
        told = f"partition roots is for jobs of root, and this is one of {USER}"
        self.enforce("NO")
        actual = self.cluster.run(words)
        self.expect(actual, True, f"{told}; slurmctld never starts it as it is (PartitionConfig)")
        job = int(actual.stdout.split()[-1])
        self.cluster.wait_for(lambda: self.cluster.job_reason(job) == "PartitionConfig", "it waits")
        self.enforce("ALL")
        self.expect(self.cluster.run(words), False, f"{told}\n", "Requested partition configuration not available now")
        self.expect(self.cluster.run(["sbatch", "-p", "roots", "--hold", "--chdir=/", "--wrap=true"]), True)
        self.cluster.run("scancel --user=root")

    def test_why_tells_that_a_partition_was_closed_while_the_job_waited(self) -> None:
        self.enforce("NO")
        holder = self.cluster.sbatch("--qos=narrow -n1", USER).job
        self.cluster.wait_job(holder, "RUNNING")
        job = self.cluster.sbatch("--qos=narrow -n1 -p anas", USER).job
        self.cluster.wait_for(lambda: "QOSMaxCpuPerUserLimit" in self.cluster.job_reason(job), "it waits for the limit")
        why = [self.qosgate, "why", str(job)]
        self.assertIn(f"Lets it start, as far as limits and partitions decide: scontrol update JobId={job} QOS=normal", self.cluster.run(why, USER).stdout)
        self.cluster.scontrol("update PartitionName=anas AllowGroups=ben")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=anas AllowGroups=root,ana")
        told = self.cluster.run(why, USER).stdout
        self.assertIn(f"partition anas {NOT_A_MEMBER}", told)
        self.assertNotIn("QOS=normal", told)

    def rules(self) -> str:
        """An empty directory of rules."""
        directory = self.cluster.directory.with_name("no-rules")
        directory.mkdir(mode=0o755, exist_ok=True)
        return str(directory)


if __name__ == "__main__":
    main()
