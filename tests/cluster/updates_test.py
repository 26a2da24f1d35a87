# SPDX-License-Identifier: GPL-2.0-or-later
"""What users read about changes of their jobs."""

from __future__ import annotations

import itertools
import re

from qosgate_dev import ROOT
from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


class Updates(PluginTestCase):
    """Changes of jobs. Releases before 23.02 show the user no message; the result is the same."""

    has_channel = slurm_version() >= (23, 2)

    def update(self, job: int | str, change: str, user: str = USER) -> CommandResult:
        return self.cluster.run(f"scontrol update jobid={job} {change}", user)

    def expect_update(self, result: CommandResult, accepted: bool, *lines: str) -> None:
        self.expect(result, accepted, *(lines if self.has_channel else ()))
        if not lines:
            self.assertNotIn("this job", result.stderr, result)

    def test_a_qos_that_is_too_small_is_explained(self) -> None:
        job = self.cluster.sbatch("--hold -n3", USER).jobid
        self.expect_update(self.update(job, "qos=small"), False, "limit 2, this job asks for 3", "violates")
        self.expect_update(self.update(job, "numcpus=2 numtasks=2 qos=small"), True)

    def test_the_time_of_the_job_is_not_compared_but_will_hold_it(self) -> None:
        job = self.cluster.sbatch("--hold --time=90", USER).jobid
        over = "limit 01:00:00, this job asks for 01:30:00"
        self.expect_update(self.update(job, "qos=small"), True, over)
        self.expect_update(self.update(job, "timelimit=60"), True)
        self.expect_update(self.update(job, "timelimit=90"), True, over)
        self.expect_update(self.update(job, "timelimit=80"), True)
        self.cluster.scontrol(f"release {job}")
        self.cluster.wait_reason(job, "QOSMaxWallDurationPerJobLimit")

    def test_a_size_that_is_too_large_is_accepted_and_explained(self) -> None:
        job = self.cluster.sbatch("--hold --qos=small -n2", USER).jobid
        self.expect_update(
            self.update(job, "numtasks=3 numcpus=3"),
            True,
            "never start as it is",
            "limit 2, this job asks for 3",
        )
        self.cluster.scontrol(f"release {job}")
        self.cluster.wait_reason(job, "QOSMaxCpuPerJobLimit")
        self.expect_update(self.update(job, "numtasks=2 numcpus=2"), True)
        self.cluster.wait_job(job, "RUNNING")

    def test_a_qos_that_is_full_is_told(self) -> None:
        self.cluster.sacctmgr("add qos single,sole MaxJobsPerUser=1")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=single,sole")
        self.addCleanup(self.cluster.sacctmgr, "delete qos single,sole")
        for qos in ("single", "sole"):
            self.cluster.wait_job(self.cluster.sbatch(f"--qos={qos}", USER).jobid, "RUNNING")
        job = self.cluster.sbatch("--qos=sole", USER).jobid
        held = self.cluster.sbatch("--hold", USER).jobid
        self.expect_update(self.update(job, "qos=single"), True, "this job will wait", "running 1 (all yours)")
        self.expect_update(self.update(held, "qos=single"), True)
        self.cluster.run(f"scancel --user={USER}")

    def test_a_running_job_that_gets_less_time_is_left_in_peace(self) -> None:
        job = self.cluster.sbatch("--qos=small --time=50", USER).jobid
        self.cluster.wait_job(job, "RUNNING")
        self.expect_update(self.update(job, "timelimit=40"), True)

    def test_a_partition_that_is_too_small_is_explained(self) -> None:
        node = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        self.cluster.scontrol(f"create partitionname=tiny nodes={node}")
        self.addCleanup(self.let_the_plugin_see_the_cluster)  # after the next one
        self.addCleanup(self.cluster.scontrol, "delete partitionname=tiny")
        self.let_the_plugin_see_the_cluster()
        most = int(re.search(r"TotalCPUs=(\d+)", self.cluster.scontrol("show partition tiny").stdout)[1])
        fits = self.cluster.sbatch(f"--hold -n{most}", USER).jobid
        large = self.cluster.sbatch(f"--hold -n{most + 1}", USER).jobid
        self.expect_update(self.update(fits, "partition=tiny"), True)
        self.expect_update(
            self.update(large, "partition=tiny"),
            False,
            f"partition tiny has {most} CPU{'' if most == 1 else 's'}; this job asks for {most + 1}",
            "partition configuration not available",
        )
        self.cluster.run(f"scancel --user={USER}")

    def test_more_time_than_the_partition_gives(self) -> None:
        job = self.cluster.sbatch("--hold --partition=short --time=50", USER).jobid
        over = ("wall time per job in partition short: limit 01:00:00, this job asks for 01:01:00", "permission denied")
        self.expect_update(self.update(job, "timelimit=61"), False, *over)
        self.expect_update(self.update(job, "timelimit=60"), True)
        self.expect_update(self.update(job, "timelimit=61", "root"), True)
        self.expect_update(self.update(job, "timelimit=62"), False, "this job asks for 01:02:00", "permission denied")

    def test_an_operator_passes_over_limits(self) -> None:
        self.cluster.sacctmgr("add user ben account=bio adminlevel=operator")
        self.addCleanup(self.cluster.sacctmgr, "delete user ben")
        for operator in ("root", "ben"):
            with self.subTest(operator):
                job = self.cluster.sbatch("--hold -n3", USER).jobid
                over = ("never start as it is", "limit 2, this job asks for 3")
                self.expect_update(self.update(job, "qos=small", operator), True, *over)
                self.expect_update(self.update(job, "qos=other", operator), True)
                self.expect(self.update(job, "qos=nosuch", operator), False)
                change = "qos=small timelimit=120 numtasks=4 numcpus=4"
                self.expect_update(self.update(job, change, operator), True)
                self.cluster.scontrol(f"release {job}")
                self.cluster.wait_job(job, "RUNNING")

    def test_a_job_over_its_limits_may_go_on(self) -> None:
        self.cluster.sacctmgr("add qos tiny,wee Flags=DenyOnLimit")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=tiny,wee")
        self.addCleanup(self.cluster.sacctmgr, "delete qos tiny,wee")
        job = self.cluster.sbatch("--hold --qos=tiny -n2", USER).jobid
        self.cluster.sacctmgr("modify qos tiny,wee set MaxTRESPerJob=cpu=1")
        self.expect(self.update(job, "qos=wee"), True)
        self.cluster.sacctmgr("modify qos wee set MaxTRESPerJob=cpu=2")
        self.expect(self.update(job, "qos=wee"), True)
        self.cluster.sacctmgr("modify qos tiny set MaxTRESPerJob=cpu=1")
        self.expect_update(self.update(job, "qos=tiny"), False, "limit 1, this job asks for 2")
        self.cluster.run(f"scancel {job}", USER)


class RulesForChanges(PluginTestCase):
    """Rules with a function of their own for changes, which reads the job before and after."""

    has_channel = slurm_version() >= (23, 2)

    def update(self, job: int, change: str, user: str = USER) -> CommandResult:
        return self.cluster.run(f"scontrol update jobid={job} {change}", user)

    def expect_update(self, result: CommandResult, accepted: bool, *lines: str) -> None:
        self.expect(result, accepted, *(line for line in lines if line and self.has_channel))

    def expect_logged(self, mark: int, text: str) -> None:
        self.cluster.wait_for(lambda: text in self.slurmctld_log_since(mark), f"the log has: {text}")

    def tearDown(self) -> None:
        mark = len(self.cluster.log("slurmctld"))
        for file in self.directory.glob("*.lua"):
            file.unlink()
        self.expect_logged(mark, "job_submit/qosgate: ")
        super().tearDown()

    def test_a_rule_compares_the_job_before_and_after(self) -> None:
        self.put_in_force({
            "10-test.lua": """rule {
                name = "no growth",
                description = "jobs do not grow; operators may let them",
                exempt = { "operators" },
                modify = function(job, before)
                    job:note("%d to %d minutes, %d to %d CPUs, %s to %s", before.time_limit, job.time_limit,
                        before.cpus, job.cpus, before.qos, job.qos)
                    if job.time_limit > before.time_limit then job:reject("no more time") end
                    if job.cpus > before.cpus then job:reject("no more CPUs") end
                end,
            }"""
        })
        self.cluster.sacctmgr("add user ben account=bio adminlevel=operator")
        self.addCleanup(self.cluster.sacctmgr, "delete user ben")
        result = self.submit("--hold --time=50 -n2")
        self.expect(result, True)
        self.assertNotIn("minutes", result.stderr)  # the rule does not run for new jobs
        job = int(result.stdout.split()[-1])
        for change, user, rejection in (
            ("timelimit=40", USER, ""),
            ("timelimit=41", USER, "no more time"),
            ("timelimit=40", USER, ""),
            ("numtasks=3 numcpus=3", USER, "no more CPUs"),
            ("qos=small", USER, ""),
            ("timelimit=41", "ben", ""),
            ("timelimit=42", "root", ""),
            ("timelimit=43", USER, "no more time"),
        ):
            with self.subTest(f"{change} by {user}"):
                self.expect_update(self.update(job, change, user), not rejection, rejection)
        mark = len(self.cluster.log("slurmctld"))
        self.expect_update(self.update(job, "timelimit=30 numtasks=1 numcpus=1 qos=normal"), True)
        self.expect_logged(mark, f"noted change jobid={job} ")
        self.expect_logged(mark, "42 to 30 minutes, 2 to 1 CPUs, small to normal")

    def test_rules_read_the_time_limit_that_a_new_qos_gives(self) -> None:
        self.put_in_force({
            "10-test.lua": 'rule { on = {"modify"}, submit = function(job)'
            ' if job.comment ~= "may" and (job.time_limit or 0) > 60 then job:reject("longer than an hour") end end }'
        })
        self.cluster.sacctmgr("add qos lengthy MaxWall=120")
        self.addCleanup(self.cluster.sacctmgr, "delete qos lengthy")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=lengthy")
        self.addCleanup(self.cluster.run, f"scancel --user={USER}")
        sets_time = slurm_version() >= (26, 5)
        for options, before, after in (
            ("", "01:00:00", "02:00:00" if sets_time else "01:00:00"),
            ("--time=59", "00:59:00", "00:59:00"),
        ):
            job = self.cluster.sbatch(f"--hold --qos=small {options}", USER).job
            self.assertEqual(self.cluster.job(job)["TimeLimit"], before)
            for comment in ("no", "may"):
                is_refused = comment == "no" and after != before
                words = ["longer than an hour"] if is_refused else []
                self.expect_update(self.update(job, f"qos=lengthy comment={comment}"), not is_refused, *words)
                self.assertEqual(self.cluster.job(job)["TimeLimit"], before if is_refused else after)

    def test_each_event_runs_its_own_rules(self) -> None:
        self.put_in_force({
            "10-test.lua": 'rule { on = {"submit"}, submit = function(job) job:note("only new") end }',
            "20-test.lua": 'rule { on = {"modify"}, submit = function(job) job:note("only changed") end }',
            "30-test.lua": 'rule { submit = function(job) job:note("new") end,'
            ' modify = function(job, before) job:note("changed") end }',
        })
        result = self.submit("--hold")
        self.expect(result, True, "only new", "new")
        self.assertNotIn("changed", result.stderr)
        mark = len(self.cluster.log("slurmctld"))
        self.expect_update(self.update(int(result.stdout.split()[-1]), "timelimit=9"), True)
        self.expect_logged(mark, "rule '20-test' (20-test.lua): only changed")
        self.expect_logged(mark, "rule '30-test' (30-test.lua): changed")
        self.assertNotIn("new", self.slurmctld_log_since(mark))

    def test_several_rejections_are_told_in_one_answer(self) -> None:
        self.put_in_force({
            "10-test.lua": 'rule { name = "time", exempt = {"root"}, submit = function(job)'
            ' if not job:is_set("time_limit") then job:reject("give a --time") end end }',
            "20-test.lua": 'rule { name = "name", exempt = {"ben"}, submit = function(job)'
            ' if job.name ~= "good" then job:reject("give a good name") end end }',
            "30-test.lua": 'rule { name = "last", exempt = {"ana"}, submit = function(job) job:reject("never") end }',
        })
        both = self.submit("--hold")
        self.expect(both, False, "rule 'time': give a --time", "rule 'name': give a good name")
        self.assertNotIn("never", both.stderr)
        one = self.submit("--hold --job-name=good")
        self.expect(one, False, "give a --time")
        self.assertNotIn("rule '", one.stderr)
        self.expect(self.submit("--hold --job-name=good --time=5"), True)
        by_root = self.cluster.run("sbatch --hold --job-name=good --wrap=true", "root")
        self.assertNotIn("--time", by_root.stderr)
        self.assertIn("never", by_root.stderr)


class ChangesOfGres(PluginTestCase):
    """Rules must see the gres that a job has."""

    takes_gres_away = slurm_version() >= (26, 5)
    has_channel = Updates.has_channel
    update = Updates.update
    expect_update = Updates.expect_update
    numbers = itertools.count()

    def put_rule(self, on: str) -> None:
        name = f"{on} {next(self.numbers)}"  # only another text is loaded
        self.put_in_force({"a.lua": f'rule {{ name = "{name}", on = {{ "{on}" }}, submit = function(job) end }}'})

    def test_rules_forbid_a_change_that_asks_for_no_gres_where_slurmctld_keeps_them(self) -> None:
        for has_rules in (False, True):
            self.put_rule(on="modify" if has_rules else "submit")
            for change in ("gres=gpu:0", "gres="):
                with self.subTest(change, has_rules=has_rules):
                    job = self.cluster.sbatch("--hold --gres=gpu:2", USER).jobid
                    is_forbidden = has_rules and not self.takes_gres_away
                    words = ["slurmctld does not take gres away from a job"] if is_forbidden else []
                    self.expect_update(self.update(job, change), not is_forbidden, *words)
                    self.cluster.scontrol(f"release {job}")
                    self.cluster.wait_job(job, "RUNNING")
                    has = self.cluster.job(job)
                    allocated = has.get("AllocTRES", has.get("TRES", ""))
                    self.assertEqual("gres/gpu=2" in allocated, not self.takes_gres_away, has)
                    self.cluster.run(f"scancel {job}", check=True)
        job = self.cluster.sbatch("--hold --gres=gpu:2", USER).jobid
        self.expect_update(self.update(job, "gres=gpu:1"), True)

    def test_a_gres_that_is_named_twice_counts_otherwise_than_it_is_given_so_rules_forbid_it(self) -> None:
        self.put_rule(on="modify")
        job = self.cluster.sbatch("--gres=gpu:2,gpu:1", USER).jobid
        self.cluster.wait_job(job, "RUNNING")
        self.assertIn("gres/gpu=1", self.cluster.scontrol(f"show job {job}").stdout)
        self.put_rule(on="submit")
        words = "this job names gpu twice in one list"
        self.expect(self.submit("--gres=gpu:2,gpu:1"), False, words)
        self.expect(self.submit("--hold --gres=gpu:2"), True)


class ChangesInPart(PluginTestCase):
    """slurmctld stores fields of a change, and then may refuse others. Rules judge what would stay."""

    has_channel = Updates.has_channel
    update = Updates.update
    expect_update = Updates.expect_update
    numbers = itertools.count()
    slurm_conf = "PartitionName=gpu Nodes=ALL MaxTime=120\nEnforcePartLimits=NO\n"
    move = "partition=gpu qos=gpu gres=gpu:1"
    reason = "partition gpu is for jobs with GPUs"

    # What slurmctld refuses a user after it has stored partition and QOS of a pending job of 60 minutes.
    refused_late = (
        ("numnodes=2-1", "NumNodes"),
        ("timelimit=121", "TimeLimit"),
        ("endtime=now+1hour", "EndTime"),
        ("deadline=now+10hours", "Deadline"),
        ("priority=4294900000", "Priority"),
        ("nice=-5", "Nice"),
        ("oversubscribe=yes", "OverSubscribe"),
        ("contiguous=yes", "Contiguous"),
        ("corespec=1", "CoreSpec or ThreadSpec"),
        ("features=nosuch", "Features"),
        ("prefer=nosuch", "Prefer"),
        ("clusterfeatures=nosuch", "Clusters or ClusterFeatures"),
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("add qos gpu")
        cls.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=gpu")

    def put_rule(self, on: str = "modify", more: str = "") -> None:
        name = f"GPUs {next(self.numbers)}"  # only another text is loaded
        self.put_in_force({
            "a.lua": f'rule {{ name = "{name}", on = {{ "{on}" }}, {more} submit = function(job)'
            f' if job.partition == "gpu" and job.gpus == 0 then job:reject("{self.reason}") end'
            ' if job.gpus > 0 and job.qos ~= "gpu" then job:reject("jobs with GPUs run in QOS gpu") end end }'
        })

    def hold(self, options: str = "") -> int:
        submission = self.cluster.sbatch(f"--hold --time=60 --mem=10 {options}", USER)
        self.assertEqual(submission.rc, 0, submission.stderr)
        return submission.jobid

    def place(self, job: int) -> tuple[str, str]:
        """Partition and QOS."""
        shown = self.cluster.scontrol(f"show job {job}").stdout
        return re.search(r"Partition=(\S+)", shown)[1], re.search(r"QOS=(\S+)", shown)[1]

    def test_what_slurmctld_would_store_alone_is_refused(self) -> None:
        self.put_rule(on="submit")
        for late, _ in self.refused_late:
            with self.subTest(late, judged=False):
                job = self.hold()
                self.expect(self.update(job, f"{self.move} {late}"), False)
                self.assertEqual(self.place(job), ("gpu", "gpu"))  # slurmctld made a part of it
        self.put_rule()
        for late, refused in self.refused_late:
            with self.subTest(late, judged=True):
                job = self.hold()
                mark = len(self.cluster.log("slurmctld"))
                self.expect_update(
                    self.update(job, f"{self.move} {late}"),
                    False,
                    f"slurmctld may refuse {refused} and keep the rest of this change (",
                    self.reason,
                    f"change {refused} in a command of its own",
                )
                self.assertEqual(self.place(job), ("main", "normal"))
                logged = self.slurmctld_log_since(mark)
                self.assertRegex(
                    logged,
                    rf"rejected change jobid={job} .*: if slurmctld refuses {refused} and keeps "
                    rf"qos: normal -> gpu; partition: main -> gpu: {self.reason}",
                )

    def test_the_same_in_two_commands_is_made(self) -> None:
        self.put_rule()
        for own in ("timelimit=90", "nice=5", "numtasks=2 numcpus=2"):
            with self.subTest(own):
                job = self.hold()
                self.expect(self.update(job, f"{self.move} {own}"), False)
                self.expect_update(self.update(job, own), True)
                self.expect_update(self.update(job, self.move), True)
                self.assertEqual(self.place(job), ("gpu", "gpu"))

    def test_what_slurmctld_makes_as_a_whole_is_judged_as_a_whole(self) -> None:
        self.put_rule()
        for more in ("", "timelimit=30", "comment=x", "jobname=x", "requeue=1", "minmemorynode=20", "starttime=now+1hour", "excnodelist="):
            with self.subTest(more):
                job = self.hold()
                self.expect_update(self.update(job, f"{self.move} {more}"), True)
                self.assertEqual(self.place(job), ("gpu", "gpu"))

    def test_a_part_that_rules_allow_may_stay(self) -> None:
        self.put_rule()
        for late, accepted in (("nice=5", True), ("timelimit=30", True), ("features=nosuch", False)):
            with self.subTest(late):
                job = self.hold("--gres=gpu:1 --qos=gpu")
                self.expect(self.update(job, f"partition=gpu {late}"), accepted)
                self.assertEqual(self.place(job), ("gpu", "gpu"))

    def test_each_task_of_an_array_and_each_part_of_a_het_job_is_judged(self) -> None:
        self.put_rule()
        array = self.hold("--array=1-3")
        self.expect(self.update(array, f"{self.move} features=nosuch"), False)
        self.expect(self.update(f"{array}_2", f"{self.move} features=nosuch"), False)
        shown = self.cluster.run("squeue --noheader --array --format=%P", check=True).stdout
        self.assertEqual(set(shown.split()), {"main"})
        self.cluster.run(f"scancel --user={USER}", check=True)
        het = self.cluster.run(["sbatch", "--hold", "--time=60", "--wrap=true", ":", "--time=60"], USER, check=True)
        leader = int(het.stdout.split()[-1])
        self.expect(self.update(leader, f"{self.move} features=nosuch"), False)
        shown = self.cluster.run("squeue --noheader --format=%P", check=True).stdout
        self.assertEqual(shown.split(), ["main", "main"])

    def test_operators_are_judged_unless_they_are_exempt(self) -> None:
        self.put_rule()
        change = f"{self.move} features=nosuch"
        job = self.hold()
        self.expect(self.update(job, change, "root"), False)
        self.assertEqual(self.place(job), ("main", "normal"))
        self.put_rule(more='exempt = { "operators" },')
        self.expect(self.update(job, change, "root"), False)
        self.assertEqual(self.place(job), ("gpu", "gpu"))
        self.expect(self.update(self.hold(), change), False)


class JobsThatGrow(PluginTestCase):
    slurm_conf = "SchedulerParameters=permit_job_expansion\n"

    def test_the_rule_of_the_guide_refuses_them(self) -> None:
        guide = (ROOT / "contrib/doc/rules-reference.md").read_text()
        (rule,) = (text for text in re.findall(r"```lua\n(.*?)```", guide, re.DOTALL) if "no expansion" in text)
        job = self.cluster.sbatch("-n1 --time=30", USER).jobid
        self.cluster.wait_job(job, "RUNNING")
        self.expect(self.submit(f"-n1 --time=30 --dependency=expand:{job}"), True)
        self.put_in_force({"10-joined.lua": rule})
        told = "jobs cannot be joined: ask for all nodes at once"
        for kind in ("expand", "EXPAND"):
            self.expect(self.submit(f"-n1 --time=30 --dependency={kind}:{job}"), False, told)
        held = self.cluster.sbatch(f"--hold -n1 --time=30 --dependency=afterany:{job}", USER).jobid
        changed = self.cluster.run(f"scontrol update jobid={held} dependency=expand:{job}", USER)
        self.assertNotEqual(changed.rc, 0, changed)


if __name__ == "__main__":
    main()
