# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate lint: each mistake is found in a live cluster, and its cure ends the finding."""

from __future__ import annotations

import dataclasses
import json
import re

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.limits_case import LimitsTestCase

FINDS, USAGE, UNKNOWN, NO_PERMISSION = 2, 64, 66, 77

ENFORCE = "AccountingStorageEnforce"


@dataclasses.dataclass(frozen=True)
class Mistake:
    """One that the check `code` finds at `where`. QOS c is there, and ana may use it in account astro."""

    code: str
    where: str = "QOS c"
    qos: str = ""  # fields of QOS c
    commands: tuple[str, ...] = ()
    conf: str = ""  # a line of slurm.conf instead of the one with this key
    after: tuple[str, ...] = ()  # commands that end what the cure leaves


MISTAKES = (
    Mistake("limits-not-enforced", "slurm.conf", conf=f"{ENFORCE}=associations,qos"),
    Mistake("qos-not-enforced", "slurm.conf", conf=f"{ENFORCE}=associations,limits"),
    Mistake("not-safe", "slurm.conf", "GrpWall=100"),
    Mistake("past-not-counted", "slurm.conf", "GrpTRESMins=cpu=100", conf="PriorityType=priority/basic"),
    Mistake("priority-ignored", "slurm.conf", "Priority=5"),
    Mistake("preemption-ignored", qos="Preempt=plain GraceTime=60 PreemptMode=CANCEL"),
    Mistake("limit-never-binds", qos="MaxTRESPerUser=cpu=9 GrpTRES=cpu=8"),
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
    Mistake("zero-limit", qos="GrpJobs=0"),
    Mistake(
        "zero-association-limit",
        "user ana in account astro",
        commands=("sacctmgr -i modify user where name=ana account=astro set GrpSubmitJobs=0",),
    ),
    Mistake("minimum-above-maximum", qos="MinTRESPerJob=cpu=9 MaxTRESPerJob=cpu=8"),
    Mistake("minimum-above-partitions", qos="MinTRESPerJob=gres/gpu=9"),
    Mistake("hidden-by-partition", qos="MaxTRESPerUser=cpu=3"),
    Mistake("contradicts-partition", qos="MinTRESPerJob=cpu=5"),
    Mistake(
        "partition-names-unknown-qos",
        "partition viz",
        commands=("scontrol update PartitionName=viz DenyQos=nosuch",),
        after=("scontrol update PartitionName=viz DenyQos=", "QOSGATE qos delete nosuch"),
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
    *(() if slurm_version() >= (24, 5) else (Mistake("run-minutes-ignored", qos="MaxTRESRunMinsPerUser=cpu=5"),)),
)

# slurmdbd stores no loop.
NOT_STORED = {"preemption-loop"}


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
        self.cluster.run(["sh", "-c", line.replace("QOSGATE", self.qosgate)], check=check)

    def set_conf(self, text: str) -> None:
        if text == self.conf.read_text():
            return
        self.conf.write_text(text)
        self.cluster.restart("slurmctld")
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def set_line(self, line: str) -> None:
        key = line.partition("=")[0]
        rest = re.sub(rf"(?m)^{key}=.*\n", "", self.conf.read_text())
        self.set_conf(f"{line}\n{rest}")

    def cure(self, command: str) -> None:
        """Does what a cure says."""
        if command.startswith("# slurm.conf: "):
            for line in command.removeprefix("# slurm.conf: ").partition(";")[0].split():
                self.set_line(line)
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
                self.cure(self.findings()[key])
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

    def test_every_code_of_the_help_has_a_mistake_here(self) -> None:
        help_text = self.show("lint --help").stdout
        codes = re.search(r"(?s)\nCodes:\n(.*?)\n\n", help_text)
        assert codes is not None
        known = set(re.findall(r"(?m)^  ([a-z-]+)  ", codes[1]))
        tested = {mistake.code for mistake in MISTAKES} | NOT_STORED | {"tres-not-tracked", "run-minutes-ignored"}
        self.assertEqual(known, tested)

    def test_text_codes_and_rights(self) -> None:
        self.run_line("QOSGATE qos update c GrpJobs=0")
        done = self.show("lint", "root")
        self.assertEqual(done.rc, FINDS)
        self.assertRegex(
            done.stdout,
            r"(?m)^zero-limit: QOS c: GrpJobs=0 allows no job: .*\n    qosgate qos update c GrpJobs=-1$",
        )
        self.assertRegex(done.stdout, r"\n\d+ checks, \d+ findings?\n$")
        done = self.show("lint --ignore zero-limits", "root")
        self.assertEqual(done.rc, UNKNOWN)
        self.assertIn("there is no check 'zero-limits'; did you mean zero-limit?", done.stderr)
        self.assertEqual(self.show("lint", "ana").rc, NO_PERMISSION)
        self.assertEqual(self.show("lint nonsense", "root").rc, USAGE)


if __name__ == "__main__":
    main()
