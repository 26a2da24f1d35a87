# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules write into a job: what slurmctld then has, what is counted again, and who is named if it is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qosgate_dev.testing import copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


@dataclass(frozen=True)
class Write:
    """Statements of a rule, the options of the job, and what scontrol shows then, and only then."""

    body: str
    shown: str
    options: str = ""


WRITES = (
    Write('job.qos = "small"', "QOS=small"),
    Write('job.partition = "short"', "Partition=short"),
    Write('job.account = "bio"', "Account=bio"),
    Write("job.time_limit = 7", "TimeLimit=00:07:00"),
    Write('job.time_limit = "1-12"', "TimeLimit=1-12:00:00"),
    Write("job.time_limit = math.huge", "TimeLimit=UNLIMITED", "--time=5"),
    Write("job.time_limit = nil", "TimeLimit=UNLIMITED", "--time=5"),
    Write("job.time_min = 5", "TimeMin=00:05:00", "--time=10"),
    Write('job.name = "renamed"', "JobName=renamed"),
    Write("job.min_nodes = 2", "NumNodes=2"),
    Write("job.max_nodes = 2", "NumNodes=1-2", "--hold"),
    Write("job.tasks = 4", "NumTasks=4"),
    Write("job.cpus_per_task = 3", "CPUs/Task=3"),
    Write("job.tasks_per_node = 2", "NtasksPerN:B:S:C=2:0:*:*"),
    Write("job.tasks_per_socket = 2", "NtasksPerN:B:S:C=0:0:2:*"),
    Write("job.mincpus = 3", "MinCPUsNode=3"),
    Write("job.memory_per_node = 300", "MinMemoryNode=300M", "--mem-per-cpu=10"),
    Write("job.memory_per_cpu = 200", "MinMemoryCPU=200M", "--mem=700"),
    Write('job.reservation = "course"', "Reservation=course"),
    Write('job.comment = "by_rule"', "Comment=by_rule"),
    Write('job.admin_comment = "by_rule"', "AdminComment=by_rule"),
    Write('job.features = "a&b"', "Features=a&b"),
    Write("job.features = nil", "Features=(null)", "-C a"),
    Write('job.prefer = "b"', "Prefer=b"),
    Write('job:add("prefer", "b")', "Prefer=a&b", "--prefer=a"),
    Write('job.licenses = "matlab:2"', "Licenses=matlab:2"),
    Write('job.licenses = ""', "Licenses=(null)", "-L matlab:1"),
    Write('job.excluded_nodes = "n2"', "ExcNodeList=n2"),
    Write('job:add("excluded_nodes", "n2")', "ExcNodeList=n[2-3]", "-x n3"),
    Write("job.priority = 0", "Reason=JobHeldUser"),
    Write("job.priority = 777", "Priority=777"),
    Write("job.nice = 9", "Nice=9"),
    Write("job.begin_time = 1893456000", "StartTime=2030-01-01T00:00:00"),
    Write('job.dependency = "singleton"', "Dependency=singleton(unfulfilled)", "--hold"),
    Write("job.requeue = false", "Requeue=0"),
    Write('job.wckey = "key"', "WCKey=key"),
    Write('job.mail_user = "ben@example.org"', "MailUser=ben@example.org", "--mail-type=END"),
    Write('job.mail_type = "fail"', "MailType=FAIL"),
    Write("job.exclusive = true", "OverSubscribe=NO"),
)


@dataclass(frozen=True)
class Count:
    """The counts that a rule reads before and after a statement: nodes, CPUs, MiB, GPUs."""

    body: str
    options: str
    before: str
    after: str


COUNTS = (
    Count('job.partition = "fat"', "-n3", "1 3 3000 0", "1 3 12000 0"),
    Count('job.partition = "fat"', "-n3 --mem-per-cpu=10", "1 3 30 0", "1 3 30 0"),
    Count('job.partition = "whole"', "-N2", "2 2 2000 0", "2 2 18000 0"),
    Count("job.min_nodes = 1; job.max_nodes = 1", "-N2 --mem=300 --gres=gpu:1", "2 2 600 2", "1 1 300 1"),
    Count("job.min_nodes = 2", "-n4 --mem=300 --gres=gpu:1", "1 4 300 1", "2 4 600 2"),
    Count("job.tasks = 4", "-n1 --gpus-per-task=1", "1 1 1000 1", "1 4 4000 4"),
    Count("job.cpus_per_task = 3", "-n2", "1 2 2000 0", "1 6 6000 0"),
    Count("job.memory_per_node = 700", "-N2", "2 2 2000 0", "2 2 1400 0"),
    Count("job.memory_per_cpu = 50", "-n4 --mem=700", "1 4 700 0", "1 4 200 0"),
    Count('job.comment = "x"', "-n4", "1 4 4000 0", "1 4 4000 0"),
)

# What a rule writes, the option that asks for the same, and how the rule is named.
REFUSED = (
    ('job.qos = "other"', "--qos=other", "QOS other by rule 'writer'"),
    ('job.qos = "small"', "--qos=small", "QOS small by rule 'writer'"),
    ('job.account = "root"', "--account=root", "account root by rule 'writer'"),
    ('job.partition = "nosuch"', "--partition=nosuch", "partition nosuch by rule 'writer'"),
    ('job.qos = "other"; job.account = "bio"', "-A bio -q other", "QOS other by rule 'writer', account bio by rule 'writer'"),
)  # fmt: skip

RULE = """
local function note_counts(job, when)
    job:note("%s %d %d %d %d.", when, job.nodes, job.cpus, job.memory, job.gpus)
end
local writes = {
    @WRITES@
}
local read_only, writable = { @READ_ONLY@ }, { @WRITABLE@ }
local function note_accepted(job, names, value)
    local accepted = {}
    for _, name in ipairs(names) do
        if pcall(function() job[name] = value end) then accepted[#accepted + 1] = name end
    end
    job:note("of %d: %s.", #names, table.concat(accepted, " "))
end
rule {
    name = "writer",
    mode = "@MODE@",
    submit = function(job)
        if job.name == "nil" then
            note_accepted(job, read_only, nil)
            note_accepted(job, writable, nil)
        elseif job.name == "table" then
            note_accepted(job, writable, {})
        elseif job.name:sub(1, 5) == "count" then
            note_counts(job, "before")
            writes[job.name](job)
            note_counts(job, "after")
        elseif writes[job.name] then
            job:note("a rule writes")
            writes[job.name](job)
        end
    end,
}
"""


class JobWrites(PluginTestCase):
    slurm_conf = """\
Licenses=matlab:5
TrackWCKey=yes
NodeName=n[1-3] Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:4 Feature=a,b
PartitionName=fat Nodes=ALL DefMemPerCPU=4000
PartitionName=whole Nodes=ALL DefMemPerNode=9000
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.scontrol(f"create reservation=course users={USER} nodes=n1 starttime=now+1hour duration=30")
        api = cls.cluster.run([copy_command(cls.cluster), "policy", "api"], check=True).stdout
        lines = api.partition("@class qosgate.Job\n")[2].partition("\nlocal")[0].splitlines()
        fields = {line.split()[1]: line.endswith("(read-only)") for line in lines}
        cls.writable = [name for name, is_read_only in fields.items() if not is_read_only]
        cls.read_only = [name for name, is_read_only in fields.items() if is_read_only]
        cls.put_rule("enforce")

    @classmethod
    def put_rule(cls, mode: str) -> None:
        rows = {f"write{place}": write.body for place, write in enumerate(WRITES)}
        rows |= {f"count{place}": count.body for place, count in enumerate(COUNTS)}
        rows |= {f"refused{place}": body for place, (body, _, _) in enumerate(REFUSED)}
        text = RULE.replace("@MODE@", mode)
        for key, names in (("@READ_ONLY@", cls.read_only), ("@WRITABLE@", cls.writable)):
            text = text.replace(key, ", ".join(f'"{name}"' for name in names))
        writes = "\n    ".join(f"{name} = function(job) {body} end," for name, body in rows.items())
        cls.put_in_force({"10-writer.lua": text.replace("@WRITES@", writes)})

    def shown_jobs(self) -> dict[str, str]:
        """What scontrol shows of each job, by its number."""
        lines = self.cluster.scontrol("show job -o").stdout.splitlines()
        return {re.match(r"JobId=(\d+) ", line)[1]: line + " " for line in lines}

    def submit_writes(self, told: str) -> list[str]:
        """What scontrol shows of a job for each row of WRITES."""
        jobs = []
        for place, write in enumerate(WRITES):
            options = f"-J write{place} {write.options} --begin=now+1hour"
            answer = self.cluster.sbatch(options, USER)
            self.assertTrue(answer.accepted, f"{write}: {answer}")
            self.assertIn(told, answer.stderr)
            jobs.append(str(answer.job))
        shown = self.shown_jobs()
        return [shown[job] for job in jobs]

    def test_every_writable_field_has_a_row_here(self) -> None:
        written = {name for write in WRITES for name in re.findall(r"job\.(\w+) = ", write.body)}
        self.assertEqual(set(self.writable), written)
        self.assertGreater(len(self.read_only), 40)

    def test_slurmctld_has_what_a_rule_writes_and_in_mode_warn_what_the_user_wrote(self) -> None:
        for write, shown in zip(WRITES, self.submit_writes("sbatch: a rule writes"), strict=True):
            with self.subTest(write.body):
                self.assertIn(f" {write.shown} ", shown)
        mark = len(self.cluster.log("slurmctld"))
        self.put_rule("warn")
        self.addCleanup(self.put_rule, "enforce")
        told = "note (not enforced, rule 'writer'): a rule writes"
        for write, shown in zip(WRITES, self.submit_writes(told), strict=True):
            with self.subTest(f"mode warn: {write.body}"):
                self.assertNotIn(f" {write.shown} ", shown)
        log = self.slurmctld_log_since(mark)
        self.assertRegex(log, "not enforced user=ana.*rule 'writer' .*: qos: \\(unset\\) -> small\n")
        self.assertNotIn("qosgate: changed user=ana", log)

    def test_counts_are_counted_again_as_slurmctld_counts_them(self) -> None:
        for place, count in enumerate(COUNTS):
            with self.subTest(f"{count.body} {count.options}"):
                answer = self.cluster.sbatch(f"--hold -J count{place} {count.options}", USER)
                self.assertIn(f"sbatch: before {count.before}.\nsbatch: after {count.after}.\n", answer.stderr)
                job = self.cluster.job(answer.job)
                asked = job.get("ReqTRES") or job["TRES"]  # before Slurm 23.02
                tres = dict(part.split("=") for part in asked.split(","))
                counted = [tres.get(name, "0").rstrip("M") for name in ("node", "cpu", "mem", "gres/gpu")]
                self.assertEqual(" ".join(counted), count.after)

    def test_a_refusal_names_the_rule_that_wrote_what_is_refused(self) -> None:
        for place, (body, option, named) in enumerate(REFUSED):
            with self.subTest(body):
                by_rule = self.submit(f"--hold -n3 -J refused{place}")
                self.expect(by_rule, False, f"sbatch: error: set by the site's rules, not by this request: {named}\n")
                by_user = self.submit(f"--hold -n3 -J none {option}")
                self.expect(by_user, False)
                self.assertNotIn("site's rules", by_user.stderr)

    def test_fields_that_rules_only_read_cannot_be_written_nor_any_with_a_table(self) -> None:
        answer = self.submit("--hold -J nil")
        self.expect(answer, True, f"of {len(self.read_only)}: .", f"of {len(self.writable)}: {' '.join(self.writable)}.")
        self.expect(self.submit("--hold -J table"), True, f"of {len(self.writable)}: .")


if __name__ == "__main__":
    main()
