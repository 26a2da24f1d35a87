# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate lint: each mistake is found in a live cluster, and its cure ends the finding."""

from __future__ import annotations

import dataclasses
import json
import re

from qosgate_dev.cluster import processes
from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.limits_case import LimitsTestCase

FINDS, USAGE, UNKNOWN, NO_PERMISSION = 2, 64, 66, 77

ENFORCE = "AccountingStorageEnforce"


def rule_of(qos: str) -> str:
    """A shell's line that writes a rule with this QOS."""
    rule = f'rule {{\\n submit = function(job) job.qos = "{qos}" end }}'
    return f"mkdir -p QOSGATE_D && printf '{rule}\\n' > QOSGATE_D/10-route.lua"


@dataclasses.dataclass(frozen=True)
class Mistake:
    """One that the check `code` finds at `where`. QOS c is there, and ana may use it in account astro."""

    code: str
    where: str = "QOS c"
    qos: str = ""  # fields of QOS c
    commands: tuple[str, ...] = ()
    conf: str = ""  # a line of slurm.conf instead of the one with this key
    advice: str = ""  # how the cure begins that is words instead of a command or a line
    by_hand: tuple[str, ...] = ()  # commands that follow this advice
    after: tuple[str, ...] = ()  # commands that end what the cure leaves


UNKNOWN_QOS_IN_A_LIST = Mistake(
    "partition-names-unknown-qos",
    "partition viz",
    commands=("scontrol update PartitionName=viz DenyQos=plan",),
    advice="# slurm.conf: in the line of PartitionName=viz, correct 'plan' in DenyQos",
    by_hand=("scontrol update PartitionName=viz DenyQos=plain",),
    after=("scontrol update PartitionName=viz DenyQos=",),
)

MISTAKES = (
    Mistake("limits-not-enforced", "slurm.conf", conf=f"{ENFORCE}=associations,qos"),
    Mistake("qos-not-enforced", "slurm.conf", conf=f"{ENFORCE}=associations,limits"),
    Mistake("not-safe", "slurm.conf", "GrpWall=100"),
    Mistake("past-not-counted", "slurm.conf", "GrpTRESMins=cpu=100", conf="PriorityType=priority/basic"),
    Mistake("priority-ignored", "slurm.conf", "Priority=5"),
    Mistake("priority-ignored", "slurm.conf", "Priority=5", conf="PriorityType=priority/basic"),
    Mistake("preemption-ignored", qos="Preempt=plain GraceTime=60 PreemptMode=CANCEL"),
    Mistake(
        "gang-missing",
        qos="PreemptMode=SUSPEND",
        conf="PreemptType=preempt/qos\nPreemptMode=REQUEUE",
        advice="# add GANG to PreemptMode in slurm.conf and restart slurmctld, or let it have the cluster's own mode: "
        "qosgate qos update c PreemptMode=unset",
        by_hand=("QOSGATE qos update c PreemptMode=unset",),
    ),
    Mistake(
        "default-memory-above-limit",
        qos="MaxTRESPerUser=mem=100",
        advice="# slurm.conf: in the line of PartitionName=viz, write a DefMemPerCPU with which jobs meet it",
        by_hand=tuple(f"scontrol update PartitionName={name} DefMemPerCPU=100" for name in ("main", "viz")),
        after=("scontrol reconfigure", "scontrol update PartitionName=viz QOS=vizqos"),
    ),
    Mistake(
        "default-qos-not-admitted",
        "partition main",
        commands=("scontrol update PartitionName=main AllowQos=plain,over",),
        advice="# slurm.conf: in the line of PartitionName=main, add normal to AllowQos; then: scontrol reconfigure",
        by_hand=("scontrol update PartitionName=main AllowQos=plain,over,normal",),
        after=("scontrol update PartitionName=main AllowQos=ALL",),
    ),
    Mistake("limit-never-binds", qos="MaxTRESPerUser=cpu=9 GrpTRES=cpu=8"),
    Mistake(
        "limit-above-cluster",
        qos="MaxTRESPerNode=gres/gpu=5",
        advice="# lower it to MaxTRESPerNode=gres/gpu=4 or less, or unset it: qosgate qos update c ",
        by_hand=("QOSGATE qos update c MaxTRESPerNode=gres/gpu=4",),
    ),
    Mistake(
        "limit-above-cluster",
        qos="GrpTRES=node=3",
        advice="# lower it to GrpTRES=node=2 or less, or unset it: qosgate qos update c GrpTRES=node=-1",
        by_hand=("QOSGATE qos update c GrpTRES=node=2",),
    ),
    Mistake(
        "limit-above-cluster",
        qos="MaxTRESPerJob=gres/gpu=9",
        advice="# lower it to MaxTRESPerJob=gres/gpu=8 or less",
        by_hand=("QOSGATE qos update c MaxTRESPerJob=gres/gpu=8",),
    ),
    Mistake(
        "past-never-used-up",
        qos="UsageFactor=0 GrpTRESMins=cpu=100",
        advice="# set UsageFactor above 0, or unset the limit: qosgate qos update c GrpTRESMins=cpu=-1",
        by_hand=("QOSGATE qos update c UsageFactor=0.5",),
    ),
    Mistake(
        "maximum-above-group",
        "account astro",
        commands=("sacctmgr -i modify user where name=ben account=astro set MaxTRES=cpu=9",),
        advice="# lower it, or unset it where it is set, here or in an account above: sacctmgr -i modify user where "
        "name=ben account=astro",
        by_hand=("sacctmgr -i modify user where name=ben account=astro set MaxTRES=cpu=-1",),
    ),
    Mistake(
        "default-time-above-wall",
        qos="MaxWall=29",
        commands=("scontrol update PartitionName=main DefaultTime=30",),
        advice="# slurm.conf: in the line of PartitionName=main, write DefaultTime=00:29:00 or less",
        by_hand=("scontrol update PartitionName=main DefaultTime=29",),
        after=("scontrol reconfigure", "scontrol update PartitionName=viz QOS=vizqos"),
    ),
    Mistake(
        "partition-names-unknown-account",
        "partition viz",
        commands=("scontrol update PartitionName=viz DenyAccounts=boi",),
        advice="# slurm.conf: in the line of PartitionName=viz, correct 'boi' in DenyAccounts",
        by_hand=("scontrol update PartitionName=viz DenyAccounts=bio",),
        after=("scontrol update PartitionName=viz DenyAccounts=",),
    ),
    Mistake(
        "group-above-parent",
        "account astro",
        commands=("sacctmgr -i modify account astro set GrpTRES=cpu=9",),
    ),
    Mistake(
        "wall-above-partitions",
        qos="MaxWall=61",
        commands=tuple(f"scontrol update PartitionName={name} MaxTime=60" for name in ("main", "viz")),
        after=tuple(f"scontrol update PartitionName={name} MaxTime=UNLIMITED" for name in ("main", "viz")),
    ),
    Mistake(
        "zero-limit",
        qos="GrpJobs=0",
        advice="# if jobs are meant to be let in, unset it: qosgate qos update c GrpJobs=-1",
        by_hand=("QOSGATE qos update c GrpJobs=-1",),
    ),
    Mistake(
        "zero-association-limit",
        "user ana in account astro",
        commands=("sacctmgr -i modify user where name=ana account=astro set GrpSubmitJobs=0",),
    ),
    *(
        Mistake(
            "zero-association-limit",
            where,
            commands=(f"sacctmgr -i modify account astro set {limit}=0",),
            advice="# unset it where it is set, here or in an account above: ",
            by_hand=(f"sacctmgr -i modify account astro set {limit}=-1",),
        )
        for limit, where in (
            ("MaxJobs", "user ben in account astro"),  # ana has a limit of her own
            ("MaxSubmitJobs", "account astro"),
            ("MaxTRES=cpu", "account astro"),
        )
    ),
    Mistake(
        "minimum-above-maximum",
        qos="MinTRESPerJob=cpu=9 MaxTRESPerJob=cpu=8",
        advice="# lower MinTRESPerJob=cpu=9, or raise MaxTRESPerJob=cpu=8",
        by_hand=("QOSGATE qos update c MaxTRESPerJob=cpu=9",),
    ),
    Mistake(
        "minimum-above-partitions",
        qos="MinTRESPerJob=gres/gpu=9",
        advice="# lower MinTRESPerJob=gres/gpu=9",
        by_hand=("QOSGATE qos update c MinTRESPerJob=gres/gpu=1",),
    ),
    Mistake("hidden-by-partition", qos="MaxTRESPerUser=cpu=3"),
    Mistake(
        "contradicts-partition",
        qos="MinTRESPerJob=cpu=5",
        advice="# slurm.conf: in the line of PartitionName=viz, write DenyQos=c; then: scontrol reconfigure",
        by_hand=("scontrol update PartitionName=viz DenyQos=c",),
        after=("scontrol update PartitionName=viz DenyQos=",),
    ),
    Mistake(
        "rules-name-unknown",
        "10-route.lua:2",
        commands=(rule_of("plan"),),
        advice="# correct it; 'qosgate policy check' finds it, too",
        by_hand=(rule_of("plain"),),
        after=("rm -r QOSGATE_D",),
    ),
    Mistake(
        "deny-list-ignored",
        "partition viz",
        commands=("scontrol update PartitionName=viz AllowQos=plain DenyQos=over",),
        after=("scontrol update PartitionName=viz AllowQos=ALL",),
    ),
    Mistake(
        "qos-unused",
        commands=("sacctmgr -i modify user where name=ana account=astro set qos-=c",),
        after=("QOSGATE qos create c",),
    ),
    Mistake(
        "no-default-qos",
        "account astro",
        commands=("sacctmgr -i modify user where name=ben account=astro set qos=over,plain",),
        after=("sacctmgr -i modify user where name=ben account=astro set defaultqos=-1 qos=normal,over,plain",),
    ),
    Mistake("flag-without-effect", qos="Flags=UsageFactorSafe"),
    Mistake("threshold-without-flag", qos="UsageThreshold=0.5"),
    Mistake("deny-on-limit-missing", qos="MaxTRESPerJob=gres/gpu=0"),
    Mistake("no-reserve-not-preempted", qos="Flags=NoReserve"),
    Mistake(
        "preempts-nobody",
        commands=("QOSGATE qos create e", "QOSGATE qos update c Preempt=e"),
        after=("QOSGATE qos delete e",),
    ),
    Mistake(
        "normal-changed",
        "QOS normal",
        commands=("QOSGATE qos update normal GrpJobs=100",),
        advice="# create a QOS for the jobs that are meant",
        by_hand=("QOSGATE qos update normal GrpJobs=unset",),
    ),
    *(() if slurm_version() >= (25, 11) else (UNKNOWN_QOS_IN_A_LIST,)),  # from then on slurmctld has no such partition
    *(() if slurm_version() < (23, 11) else (Mistake("relative-above-hundred", qos="Flags=Relative GrpTRES=cpu=101"),)),
    *(() if slurm_version() >= (24, 5) else (Mistake("run-minutes-ignored", qos="MaxTRESRunMinsPerUser=cpu=5"),)),
)

# slurmdbd stores no loop, associations have QOS normal, and old releases do not know the flag Relative.
NOT_STORED = {"preemption-loop", "normal-missing", "relative-of-jobs", "relative-above-hundred"}


class Lint(LimitsTestCase):
    def setUp(self) -> None:
        self.conf = self.cluster.layout.slurm_conf
        self.text = self.conf.read_text()
        self.run_line("QOSGATE qos create c")
        self.run_line("sacctmgr -i modify user where name=ana account=astro set qos+=c")

    def tearDown(self) -> None:
        self.set_conf(self.text)
        self.run_line("sacctmgr -i modify user where name=ana account=astro set qos-=c", check=False)
        self.run_line("QOSGATE qos delete c")
        super().tearDown()

    def run_line(self, line: str, *, check: bool = True) -> None:
        line = line.replace("QOSGATE_D", str(self.conf.parent / "qosgate.d")).replace("QOSGATE", self.qosgate)
        self.cluster.run(["sh", "-c", line], check=check)

    def set_conf(self, text: str) -> None:
        if text == self.conf.read_text():
            return
        self.conf.write_text(text)
        # Killed, because it takes a second to end, and nothing here is in its state.
        pid = self.cluster.status()["slurmctld"]["pid"]
        assert isinstance(pid, int)
        processes.kill([pid])
        # From 25.11 on it does not start if it finds that it has run, and not all that it has by then.
        (self.cluster.layout.controller_state / "clustername").unlink()
        self.cluster.start("slurmctld")
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def set_line(self, line: str) -> None:
        self.set_lines([line])

    def set_lines(self, lines: list[str]) -> None:
        text = self.conf.read_text()
        for line in lines:
            key = line.partition("=")[0]
            text = line + "\n" + re.sub(rf"(?m)^{key}=.*\n", "", text)
        self.set_conf(text)

    def cure(self, command: str) -> None:
        """Does what a cure says."""
        lines = command.split("\n")
        if command.startswith("# slurm.conf: "):
            self.set_lines([line.removeprefix("# slurm.conf: ").partition(";")[0] for line in lines])
        else:
            self.run_line(re.sub(r"^qosgate ", "QOSGATE ", command))

    def findings(self, options: str = "") -> dict[tuple[str, str], str]:
        """The cures by code and place."""
        done = self.show(f"lint --json {options}", "root")
        self.assertIn(done.rc, (0, FINDS), done)
        found = json.loads(done.stdout)["findings"]
        self.assertEqual(done.rc, FINDS if found else 0)
        return {(each["code"], each["where"]): each["cure"] for each in found}

    def test_each_cure_ends_its_finding(self) -> None:
        for mistake in MISTAKES:
            with self.subTest(mistake.code):
                key = (mistake.code, mistake.where)
                self.assertNotIn(key, self.findings())
                if mistake.qos:
                    self.run_line(f"QOSGATE qos update c {mistake.qos}")
                if mistake.conf:
                    self.set_line(mistake.conf)
                for command in mistake.commands:
                    self.run_line(command)
                self.assertIn(key, self.findings())
                self.assertNotIn(key, self.findings(f"--ignore {mistake.code}"))
                cure = self.findings()[key]
                if mistake.advice:
                    self.assertTrue(cure.startswith(mistake.advice), cure)
                    for command in mistake.by_hand:
                        self.run_line(command)
                else:
                    self.cure(cure)
                self.assertNotIn(key, self.findings())
                for command in mistake.after:
                    self.run_line(command)
                self.set_conf(self.text)
                fields = {word.partition("=")[0] for word in mistake.qos.split()}
                if fields:
                    self.run_line("QOSGATE qos update c " + " ".join(f"{field}=unset" for field in fields))
                self.run_line("sacctmgr -i modify user where name=ana account=astro set qos+=c")

    def test_a_tres_that_is_no_longer_tracked(self) -> None:
        # slurmdbd keeps every TRES that was ever tracked.
        self.set_line("AccountingStorageTRES=gres/gpu,license/foo")
        self.run_line("QOSGATE qos update c GrpTRES=license/foo=2")
        key = ("tres-not-tracked", "QOS c")
        self.assertNotIn(key, self.findings())
        self.set_line("AccountingStorageTRES=gres/gpu")
        cure = self.findings()[key]
        line = re.fullmatch(r"# slurm.conf: AccountingStorageTRES=(\S+); then restart slurmctld", cure)
        self.assertLessEqual({"gres/gpu", "license/foo"}, set(line[1].split(",")))  # releases add some of their own
        self.cure(cure)
        self.assertNotIn(key, self.findings())

    def test_a_limit_of_one_type_of_gpu(self) -> None:
        self.set_line("AccountingStorageTRES=gres/gpu,gres/gpu:a100")
        key = ("typed-limit-alone", "QOS c")
        told = self.show("qos update c MaxTRESPerUser=gres/gpu:a100=2", "root")
        self.assertIn("warning: QOS c: jobs that name no type pass MaxTRESPerUser=gres/gpu:a100=2", told.stderr)
        cure = self.findings()[key]
        self.assertTrue(cure.endswith(": qosgate qos update c MaxTRESPerUser=gres/gpu=2"), cure)
        done = self.show("qos update c MaxTRESPerUser=gres/gpu=2", "root")
        self.assertEqual((done.rc, done.stderr), (0, ""))
        self.assertNotIn(key, self.findings())

        key = ("typed-association-limit-alone", "account astro")
        self.run_line("sacctmgr -i modify account astro set GrpTRES=gres/gpu:a100=2")
        self.addCleanup(self.run_line, "sacctmgr -i modify account astro set GrpTRES=gres/gpu:a100=-1,gres/gpu=-1")
        before, colon, cure = self.findings()[key].partition(": ")
        self.assertEqual((before[:2], colon), ("# ", ": "))
        self.run_line(cure)
        self.assertNotIn(key, self.findings())

    def test_a_qos_that_an_included_file_names_is_not_deleted(self) -> None:
        """The partition is changed at runtime, but slurm.conf still has it for the next start."""
        self.run_line("sacctmgr -i modify user where name=ana account=astro set qos-=c")
        key = ("qos-unused", "QOS c")
        self.assertEqual(self.findings()[key], "qosgate qos delete c")
        more = self.conf.with_name("more.conf")
        more.write_text("PartitionName=more Nodes=node1 QOS=c\n")
        self.addCleanup(more.unlink)
        self.set_conf(self.text + "Include more.conf\n")
        self.assertNotIn(key, self.findings())
        self.cluster.scontrol("update PartitionName=more QOS=plain")
        cure = self.findings()[key]
        self.assertTrue(cure.startswith("# "), cure)
        self.assertIn("slurm.conf", cure)

    def test_every_code_of_the_help_has_a_mistake_here(self) -> None:
        help_text = self.show("lint --help").stdout
        codes = re.search(r"(?s)\nCodes:\n(.*?)\n\n", help_text)
        assert codes is not None
        known = set(re.findall(r"(?m)^  ([a-z-]+)  ", codes[1]))
        tested = {mistake.code for mistake in MISTAKES} | NOT_STORED | {"tres-not-tracked", "run-minutes-ignored", "typed-limit-alone"}
        tested |= {"typed-association-limit-alone", UNKNOWN_QOS_IN_A_LIST.code}
        self.assertEqual(known, tested)

    def test_a_cure_keeps_the_other_values_of_a_line(self) -> None:
        self.set_line(f"{ENFORCE}=associations,nosteps,wckeys")
        for code in ("limits-not-enforced", "qos-not-enforced"):
            self.assertEqual(
                self.findings()[(code, "slurm.conf")],
                f"# slurm.conf: {ENFORCE}=associations,wckeys,nosteps,limits,qos; then restart slurmctld",
            )

    def test_a_name_runs_no_command(self) -> None:
        """A coordinator may choose the name of a user."""
        mark = self.cluster.layout.slurm_conf.with_name("reached")
        name = f"eve\ntouch {mark} #'\\'; touch {mark}\x1b[2J"
        added = self.cluster.run(
            ["sacctmgr", "-i", "add", "user", f"name={name}", "account=astro", "GrpJobs=0"]
        )
        try:
            self.assertIn("eve", self.cluster.run("sacctmgr -nP show user format=user", check=True).stdout, added)
            done = self.show("lint --json", "root")
            cures = []
            for each in json.loads(done.stdout)["findings"]:
                self.assertNotRegex(each["where"] + each["text"] + each["cure"], r"[\x00-\x09\x0b-\x1f]")
                cures += ["# " + each["text"], each["cure"]]
            hostile = [cure for cure in cures if "eve" in cure and not cure.startswith("#")]
            self.assertEqual(len(hostile), 1, cures)
            self.assertIn(r"name=$'eve\012touch ", hostile[0])
            for shell in ("bash", "sh"):
                script = "sacctmgr() { :; }\n" + "\n".join("# " + cures[0] if c != hostile[0] else c for c in cures)
                self.cluster.run([shell, "-c", script])
                self.assertFalse(mark.exists(), script)
            self.assertNotRegex(self.show("lint", "root").stdout, r"[\x00-\x09\x0b-\x1f]")
        finally:
            self.cluster.run(["sacctmgr", "-i", "delete", "user", f"name={name}", "account=astro"])

    def test_text_codes_and_rights(self) -> None:
        self.run_line("QOSGATE qos update c GrpJobs=0")
        done = self.show("lint", "root")
        self.assertEqual(done.rc, FINDS)
        self.assertRegex(
            done.stdout,
            r"(?m)^zero-limit: QOS c: GrpJobs=0 allows no job: .*\n    # if jobs .* unset it: qosgate qos update c GrpJobs=-1$",
        )
        self.assertRegex(done.stdout, r"\n\d+ checks, \d+ findings?\n$")
        done = self.show("lint --ignore zero-limits", "root")
        self.assertEqual(done.rc, UNKNOWN)
        self.assertIn("there is no check 'zero-limits'; did you mean zero-limit?", done.stderr)
        self.assertEqual(self.show("lint", "ana").rc, NO_PERMISSION)
        self.assertEqual(self.show("lint nonsense", "root").rc, USAGE)


if __name__ == "__main__":
    main()
