# SPDX-License-Identifier: GPL-2.0-or-later
"""Site rules, and the plugin's own refusals, inside a real slurmctld."""

from __future__ import annotations

import re
import signal

from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


class Rules(PluginTestCase):
    """Rules in qosgate.d beside slurm.conf: what they change reaches the job."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.directory.mkdir(mode=0o755)

    def write_rule(self, body: str, **settings: str) -> None:
        """Puts one rule in force and waits until slurmctld says so."""
        lines = [f'{key} = "{value}",' for key, value in ({"mode": "enforce"} | settings).items()]
        rule = "rule {\n" + "\n".join(lines) + f"\nsubmit = function(job)\n{body}\nend,\n}}\n"
        self.put_in_force({"10-test.lua": rule})

    def tearDown(self) -> None:
        mark = len(self.cluster.log("slurmctld"))
        for rule in self.directory.glob("[12]*-*.lua"):
            rule.unlink()
        self.cluster.wait_for(
            lambda: "job_submit/qosgate: " in self.slurmctld_log_since(mark), "the rule is gone"
        )
        super().tearDown()

    def test_what_a_rule_sets_is_what_the_job_has(self) -> None:
        self.write_rule(
            'job.qos = "small"; job.partition = "short"; job.time_limit = 7;'
            ' job.comment = "by rule"; job:warn("moved to %s", job.partition)'
        )
        result = self.cluster.run("sbatch --parsable --hold --qos=normal --wrap=true", USER)
        self.expect(result, True, "moved to short")
        fields = self.cluster.job(int(result.stdout))
        self.assertEqual(fields["QOS"], "small")
        self.assertEqual(fields["Partition"], "short")
        self.assertEqual(fields["TimeLimit"], "00:07:00")

    def test_limits_are_those_of_the_job_that_the_rule_made(self) -> None:
        self.write_rule('job.qos = "small"')
        self.expect(self.submit("--qos=normal -n3"), False, "QOS small by rule '10-test'", "limit 2, this job asks for 3")

    def test_counts_are_the_least_that_the_request_proves(self) -> None:
        self.write_rule('job:warn("%d CPUs, %d nodes, %d GPUs", job.cpus, job.nodes, job.gpus)')
        for arguments, counts in (
            ("-n4 -c3", "12 CPUs, 1 nodes, 0 GPUs"),
            ("--gpus=2 --cpus-per-gpu=3", "6 CPUs, 1 nodes, 2 GPUs"),
            ("-N2 --gpus-per-node=2 --cpus-per-gpu=3", "12 CPUs, 2 nodes, 4 GPUs"),
            ("-n4 --ntasks-per-node=2", "4 CPUs, 2 nodes, 0 GPUs"),
            ("-N2 --mincpus=5", "10 CPUs, 2 nodes, 0 GPUs"),
            ("--exclusive", "64 CPUs, 1 nodes, 8 GPUs"),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(f"--hold {arguments}"), True, f"sbatch: {counts}")

    def test_preferred_features_are_read_and_written(self) -> None:
        self.write_rule(
            'if job.prefer == "fast" then job.prefer = "slow" elseif job.prefer == "slow" then job:reject("not slow") end'
        )
        node = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        self.cluster.scontrol(f"update nodename={node} availablefeatures=fast,slow activefeatures=fast,slow")
        job = self.cluster.sbatch("--hold --prefer=fast", USER).job
        self.assertEqual(self.prefer_of(job), "slow")
        self.expect(self.submit("--hold --prefer=slow"), False, "not slow")
        plain = self.cluster.sbatch("--hold", USER).job
        self.assertIsNone(self.prefer_of(plain))

    def prefer_of(self, job: int) -> str | None:
        found = re.search(r"Prefer=(\S+)", self.cluster.scontrol(f"show job {job}").stdout)
        return found[1] if found else None

    def test_what_a_rule_in_mode_warn_says_is_not_enforced(self) -> None:
        self.write_rule('job:reject("no jobs today")', mode="warn")
        self.expect(self.submit("--hold"), True, "sbatch: note (not enforced, rule '10-test'): no jobs today")

    def test_a_rule_rejects_with_its_own_words(self) -> None:
        self.write_rule('job:reject("not on a %s", "Sunday")')
        self.expect(self.submit("--hold"), False, "not on a Sunday")

    def test_a_rule_that_fails_refuses_the_job_and_not_the_controller(self) -> None:
        self.write_rule("local nothing = nil; nothing.field = 1")
        self.expect(
            self.submit("--hold"), False, "This job was not accepted because the rule", "10-test.lua:4"
        )
        self.expect_logged_error("attempt to index a nil value (local 'nothing')")

    def test_a_change_cannot_walk_around_a_rule(self) -> None:
        self.write_rule(
            'if job.partition == "short" and job.time_limit > 10 then job:reject("too long for short") end'
        )
        job = self.cluster.sbatch("--hold --time=30 --job-name=sneaky", USER).jobid
        mark = len(self.cluster.log("slurmctld"))
        for change, user, works in (
            ("partition=short", USER, False),
            ("partition=short", "root", False),
            ("partition=short timelimit=11", USER, False),
            ("comment=partition", USER, True),
            ("timelimit=20", USER, True),
            ("partition=short timelimit=10", USER, True),
            ("timelimit=11", USER, False),
            ("name=other", USER, True),
        ):
            with self.subTest(f"{change} by {user}"):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", user)
                self.assertEqual(result.rc == 0, works, result)
        for command in (f"release {job}", f"hold {job}"):
            self.cluster.run(f"scontrol {command}", USER, check=True)
        log = self.slurmctld_log_since(mark)
        uid = self.cluster.job(job)["UserId"].rstrip(")").partition("(")[2]
        self.assertIn(
            f"rejected change jobid={job} user={USER}({uid}) job=sneaky account=astro partition=short"
            " qos=normal: rule '10-test' (10-test.lua): too long for short",
            log,
        )
        self.assertIn(f"rejected change jobid={job} by=0 user={USER}({uid})", log)

    def put_rules_in_force(self, rules: dict[str, str]) -> None:
        """Each rule has this body."""
        self.put_in_force(
            {f"{name}.lua": f"rule {{ submit = function(job)\n{body}\nend }}\n" for name, body in rules.items()}
        )

    def test_a_rule_sees_a_change_of_each_field_that_it_reads(self) -> None:
        self.put_rules_in_force(
            {
                "20-nice": 'if (job.nice or 0) > 50 then job:reject("too nice") end',
                "21-comment": 'if job.comment == "bad" then job:reject("bad comment") end',
                "22-wckey": 'if job:is_set("wckey") and job.wckey == "bad" then job:reject("bad wckey") end',
                "23-dir": 'if job.work_dir == "/root" then job:reject("bad directory") end',
            }
        )
        job = self.cluster.sbatch("--hold", USER).jobid
        for change, words in (
            ("nice=51", "too nice"),
            ("nice=50", ""),
            ("comment=bad", "bad comment"),
            ("comment=good", ""),
            ("wckey=bad", "bad wckey"),
            ("wckey=good", ""),
            ("workdir=/root", "bad directory"),
            ("workdir=/tmp", ""),
            ("name=bad", ""),
        ):
            with self.subTest(change):
                mark = len(self.cluster.log("slurmctld"))
                result = self.cluster.run(f"scontrol update jobid={job} {change}", USER)
                self.assertEqual(result.rc == 0, not words, result)
                log = self.slurmctld_log_since(mark)
                self.assertEqual(f"rejected change jobid={job}" in log, bool(words), log)
                self.assertIn(words, log)

    def test_a_change_that_a_rule_does_not_look_at_does_not_run_it(self) -> None:
        job = self.cluster.sbatch("--hold --nice=10 --time=5", USER).jobid
        self.put_rules_in_force(
            {
                "20-never": 'job:reject("never")',
                "21-comment": 'if job.comment == "bad" then job:reject("bad comment") end',
            }
        )
        for change, works in (
            ("comment=good", True),
            ("comment=bad", False),
            ("nice=20", True),
            ("name=other", True),
            ("dependency=singleton", True),
            ("starttime=now+60", True),
            ("timelimit=4", False),
            ("nice=30 timelimit=4", False),
        ):
            with self.subTest(change):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", USER)
                self.assertEqual(result.rc == 0, works, result)
        for command in (f"release {job}", f"hold {job}"):
            self.cluster.run(f"scontrol {command}", USER, check=True)

    def test_a_rule_about_priority_sees_a_release_and_one_in_doubt_a_change_of_every_field(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.put_rules_in_force({"20-held": 'if job.priority ~= 0 then job:reject("ask to release it") end'})
        self.expect(self.cluster.run(f"scontrol release {job}", USER), False)
        self.expect(self.cluster.run(f"scontrol update jobid={job} nice=5", USER), True)
        self.expect(self.cluster.run(f"scontrol hold {job}", USER), True)
        self.put_rules_in_force(
            {"20-held": 'for _, name in ipairs { "name" } do if job[name] then job:reject("in doubt") end end'}
        )
        self.expect(self.cluster.run(f"scontrol update jobid={job} nice=6", USER), False)
        self.expect(self.cluster.run(f"scontrol release {job}", USER), False)

    def test_a_rule_that_fails_at_a_change_of_what_it_reads_rejects_it(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.put_rules_in_force({"20-fails": "local x = job.comment .. {}"})
        self.assertEqual(self.cluster.run(f"scontrol update jobid={job} nice=5", USER).rc, 0)
        self.assertNotEqual(self.cluster.run(f"scontrol update jobid={job} comment=x", USER).rc, 0)
        self.expect_logged_error(f"failed change jobid={job}")

    def test_leaving_out_the_time_does_not_walk_around_a_rule(self) -> None:
        self.write_rule('if (job.time_limit or 0) > 30 then job:reject("%s minutes", job.time_limit) end')
        for arguments, words in (
            ("", "inf minutes"),
            ("-p main,short", "inf minutes"),
            ("--time=31", "31 minutes"),
            ("--time=30", ""),
            ("-p short", ""),  # DefaultTime
            ("-p short,main", ""),  # likewise
        ):
            with self.subTest(arguments):
                self.expect(self.submit(f"--hold {arguments}"), not words, *([words] if words else []))
        job = self.cluster.sbatch("-p short", USER).jobid
        self.assertEqual(self.cluster.job(job)["TimeLimit"], "00:30:00")

    def test_a_change_of_nodes_cannot_walk_around_a_rule(self) -> None:
        nodes = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()
        self.write_rule(
            f'if job.nodelist == "{nodes[0]}" then job:reject("not there") end;'
            ' if job.cpus > 2 then job:reject("too many") end'
        )
        self.expect(self.submit("--hold --mincpus=3"), False, "too many")
        job = self.cluster.sbatch("--hold --mincpus=2", USER).jobid
        for change, works in (
            (f"reqnodelist={nodes[0]}", False),
            (f"reqnodelist={nodes[-1]}", True),
            (f"excnodelist={nodes[0]}", True),
            ("mincpusnode=3", False),
            ("mincpusnode=1", True),
        ):
            with self.subTest(change):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", "root")
                self.assertEqual(result.rc == 0, works, result)

    def test_each_task_and_each_component_is_asked_about(self) -> None:
        self.write_rule('if job.partition == "short" then job:reject("not short") end')
        array = self.cluster.sbatch("--hold --array=1-3", USER).jobid
        self.expect(self.cluster.run(f"scontrol update jobid={array}_2 partition=short", USER), False)
        self.expect(self.cluster.run(f"scontrol update jobid={array} partition=short", USER), False)
        result = self.cluster.run("sbatch --parsable --hold --wrap=true : -n1", USER, check=True)
        part = int(result.stdout) + 1
        self.expect(self.cluster.run(f"scontrol update jobid={part} partition=short", USER), False)

    def test_a_rule_that_fails_rejects_the_change(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.write_rule("local nothing = nil; nothing.field = 1")
        self.expect(self.cluster.run(f"scontrol update jobid={job} timelimit=9", USER), False)
        self.expect_logged_error(f"failed change jobid={job}")
        self.expect(self.cluster.run(f"scontrol update jobid={job} comment=x", USER), True)

    def test_a_stranger_learns_nothing_from_a_rule(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.write_rule('job:reject("never")')
        result = self.cluster.run(f"scontrol update jobid={job} timelimit=5", "ben")
        self.expect(result, False)
        self.assertNotIn("never", result.stderr)
        self.assertNotIn(f"jobid={job}", self.cluster.log("slurmctld"))
        self.assertRegex(result.stderr, "Invalid user id|Access/permission denied")

    def test_the_log_says_whose_job_it_was(self) -> None:
        self.write_rule('job.comment = "seen"; job:warn("hello")')
        mark = len(self.cluster.log("slurmctld"))
        self.cluster.run(["sbatch", "--hold", "--job-name=my job", "--wrap=true"], USER, check=True)
        log = self.slurmctld_log_since(mark)
        self.assertRegex(
            log,
            r"job_submit/qosgate: changed user=ana\(\d+\) job='my job' account=astro partition=main qos=normal:"
            r" rule '10-test' \(10-test.lua\): comment: \(unset\) -> seen\n",
        )
        self.assertRegex(log, r"job_submit/qosgate: warned user=ana\(.*: hello\n")

    def test_a_name_of_a_job_fakes_nothing_in_the_log(self) -> None:
        self.write_rule('job:warn("seen " .. job.name)')
        shown = {
            "x' qos='high": r"'x\' qos=\'high'",
            "x qos=high: rule": "'x qos=high: rule'",
            "x\\' qos=high": r"'x\\\' qos=high'",
            "x\\": r"'x\\'",
            '"x"': "'\"x\"'",
            "a\u202eb\u2028c\u2066d\u200fe\u009bf\u061c": "a?b?c?d?e?f?",
            "a\nb\x1b[31m\x9b": "a?b?[31m?",
            "\u05d0\u05d1": "\u05d0\u05d1",
        }
        for name, logged in shown.items():
            with self.subTest(name):
                mark = len(self.cluster.log("slurmctld"))
                result = self.cluster.run(["sbatch", "--hold", "-J", name, "--wrap=true"], USER)
                self.expect(result, True, "seen ")
                self.assertIn(
                    f" job={logged} account=astro partition=main qos=normal: ", self.slurmctld_log_since(mark)
                )
                for sign in "\u202e\u2028\u2066\u200f\u009b\u061c\x1b":
                    self.assertNotIn(sign, result.stderr)


class Enforcing(PluginTestCase):
    """Level `enforce`: the plugin refuses by itself, also changes of jobs."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"site.lua": 'site { limits = "enforce" }\n'})

    def test_what_can_never_start_is_refused(self) -> None:
        self.cluster.sacctmgr("modify qos small set Flags=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set Flags=DenyOnLimit")
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.submit("--qos=small -n3"), False, "limit 2, this job asks for 3", "Job violates")
        self.assertRegex(
            self.slurmctld_log_since(mark),
            r"refused user=ana\(\d+\) job=wrap account=astro partition=main qos=small: QOSMaxCpuPerJobLimit: ",
        )

    def test_updates_of_batch_and_interactive_jobs(self) -> None:
        batch = self.cluster.sbatch("--hold -n3", USER).jobid
        array = self.cluster.sbatch("--hold -n3 --array=1-20", USER).jobid
        allocation = self.cluster.run_until(
            "salloc --no-shell --begin=now+1hour -n3", USER, "Pending job allocation", signal.SIGKILL
        )
        waiting = int(re.search(r"Pending job allocation (\d+)", allocation.stderr)[1])
        for job in (batch, array, waiting):
            for change, works in (
                ("comment=hello", True),
                ("qos=other", False),
                ("qos=small", False),
                ("qos=counted", array != job),
                ("qos=normal", True),
                ("account=bio qos=normal", True),
                ("account=nosuch", False),
                ("partition=short", True),
                ("partition=nosuch", False),
            ):
                with self.subTest(f"job {job}: {change}"):
                    result = self.cluster.run(f"scontrol update jobid={job} {change}", USER)
                    self.assertEqual(result.rc == 0, works, result)

    def test_a_change_may_not_take_the_job_past_a_limit_but_may_leave_it_there(self) -> None:
        job = self.cluster.sbatch("--hold --qos=small -n2 --time=50", USER).jobid
        for change, user, works in (
            ("timelimit=60", USER, True),
            ("timelimit=61", USER, False),
            ("numtasks=3 numcpus=3", USER, False),
            ("timelimit=90", "root", True),
            ("timelimit=80", USER, True),
            ("qos=normal", USER, True),
            ("qos=small", USER, False),
            ("timelimit=60", USER, True),
            ("qos=small", USER, True),
        ):
            with self.subTest(f"{change} by {user}"):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", user)
                self.assertEqual(result.rc == 0, works, result)

    def test_many_updates_leave_no_memory_behind(self) -> None:
        job = self.cluster.sbatch("--hold -n3", USER).jobid
        environment = {f"VARIABLE_{number}": "x" * 1000 for number in range(100)}
        self.cluster.run(["sbatch", "--hold", "--wrap=true"], USER, env=environment)

        def update(times: int) -> None:
            for _ in range(times):
                self.cluster.run(f"scontrol update jobid={job} qos=small", USER)

        update(20)
        before = self.resident_bytes()
        update(100)
        self.assertLess(self.resident_bytes() - before, 1 << 20)


if __name__ == "__main__":
    main()
