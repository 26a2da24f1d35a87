# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules do with the fields of `job`, with the options of real clients; every_field_test.py has what they read."""

from __future__ import annotations

from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


class JobFields(PluginTestCase):
    """Each option is given to sbatch or salloc; a rule tells the user what it reads."""

    slurm_conf = "Licenses=matlab:5,abaqus:5\n"

    def write_rule(self, body: str) -> None:
        """Puts one rule in force and waits until slurmctld says so."""
        self.put_in_force({"10-test.lua": f"rule {{\nsubmit = function(job)\n{body}\nend,\n}}\n"})

    def test_an_option_that_is_not_allowed_is_named(self) -> None:
        fields = "overcommit switches spread_job disable_binding container deadline"
        self.write_rule(
            'local options = require("options")'
            f' for field in ("{fields}"):gmatch("%S+") do options.forbidden(job, field, "leave it out") end'
        )
        self.expect(self.cluster.run("sbatch --hold --wrap=true", USER), True)
        for option in (
            "--overcommit",
            "--switches=1",
            "--spread-job",
            "--gres-flags=disable-binding",
            "--container=/tmp/box",
            "--deadline=2030-01-01T00:00:00",
        ):
            with self.subTest(option):
                name = option if "gres" in option else option.partition("=")[0]
                result = self.cluster.run(f"sbatch --hold --wrap=true {option}", USER)
                self.expect(result, False, f"{name} is not allowed here: leave it out")

    def test_a_change_is_judged_by_what_the_job_said(self) -> None:
        fields = "deadline spread_job use_min_nodes enforce_binding disable_binding container"
        self.put_in_force(
            {
                "10-test.lua": "rule {\nmodify = function(job, before)\nlocal all = {};"
                f' for name in ("{fields}"):gmatch("%S+") do'
                ' all[#all + 1] = name .. "=" .. tostring(job[name]) .. "/" .. tostring(before[name]) end;'
                ' job:reject("%s.", table.concat(all, " "))\nend,\n}\n'
            }
        )
        options = "--deadline=2030-01-01T00:00:00 --spread-job --gres-flags=disable-binding"
        job = self.cluster.sbatch(f"--hold --time=10 --container=/tmp/box {options}", USER).jobid
        mark = len(self.cluster.log("slurmctld"))
        self.assertNotEqual(self.cluster.run(f"scontrol update jobid={job} timelimit=9", USER).rc, 0)
        logged = self.slurmctld_log_since(mark)
        for name in "deadline spread_job disable_binding container".split():
            self.assertRegex(logged, rf"\b{name}=(\S+)/\1[ .]")
            self.assertNotRegex(logged, rf"\b{name}=(nil|false)/")
        self.assertIn("use_min_nodes=false/false enforce_binding=false/false", logged)

    def test_a_script_its_arguments_and_its_environment_are_read(self) -> None:
        self.write_rule(
            'local line = (job.script or "none"):match("#SITE (%w+)");'
            ' job:warn("%s, %s, %s, %s", line, #job.argv, table.concat(job.argv, "|"), job.env.SITE_COLOUR)'
        )
        script = self.cluster.layout.slurm_conf.parent / "site-job.sh"
        script.write_text("#!/bin/sh\n#SITE blue\ntrue\n")
        script.chmod(0o755)
        command = ["sbatch", "--hold", str(script), "-x", "two words"]
        result = self.cluster.run(command, USER, env={"SITE_COLOUR": "red"})
        self.expect(result, True, "blue, 2, -x|two words, red")
        told = self.cluster.run_until("salloc --no-shell --begin=now+1hour", USER, "Pending job allocation").stderr
        self.assertIn("nil, 0, , nil", told)

    def test_what_a_rule_writes_into_other_fields_is_what_the_job_has(self) -> None:
        node = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        self.write_rule(
            'if job.name ~= "write" then return end;'
            ' job.nice = 9; job.requeue = false; job.mail_user = "ben@example.org"; job.dependency = "singleton";'
            f' job.excluded_nodes = (job.excluded_nodes and job.excluded_nodes .. "," or "") .. "{node}";'
            " job.begin_time = 1893456000; job.memory_per_cpu = 150; job.mincpus = 2; job.exclusive = true"
        )
        self.expect(
            self.cluster.run("sbatch --hold -J write --requeue --mail-type=END --wrap=true", USER), True
        )
        job = self.cluster.run("squeue --me --noheader --format=%A --name=write", USER, check=True).stdout.strip()
        shown = self.cluster.scontrol(f"show job {job}").stdout
        for text in (
            "Nice=9 ",
            f"ExcNodeList={node}",
            "Requeue=0 ",
            "MailUser=ben@example.org",
            "Dependency=singleton",
            "StartTime=2030-01-01T00:00:00",
            "MinMemoryCPU=150M",
            "MinCPUsNode=2",
            "OverSubscribe=NO",
        ):
            self.assertIn(text, shown)
        other = self.cluster.sbatch("--hold --nice=3", USER).jobid
        plain = self.cluster.scontrol(f"show job {other}").stdout
        self.assertIn("Nice=3 ", plain)
        self.assertIn("Requeue=1 ", plain)

    def test_mail_types_are_read_and_written(self) -> None:
        self.write_rule(
            'job:note("had %s.", job.mail_type); if job.comment == "mail" then job.mail_type = "FAIL,time_limit" end'
        )
        every = "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT"
        for option, told in {
            "": "nil",
            "--mail-type=END": "END",
            "--mail-type=ALL": every,
            "--mail-type=NONE": "nil",
            "--mail-type=BEGIN,FAIL,TIME_LIMIT_50,ARRAY_TASKS": "ARRAY_TASKS,BEGIN,FAIL,TIME_LIMIT_50",
        }.items():
            answer = self.cluster.sbatch(f"--hold {option}", USER)
            self.assertIn(f"had {told}.", answer.stderr)
        answer = self.cluster.sbatch("--hold --comment=mail --mail-type=END", USER)
        self.assertIn("MailType=FAIL,TIME_LIMIT", self.cluster.scontrol(f"show job {answer.jobid}").stdout)

    def test_rules_write_the_variables_that_the_site_names(self) -> None:
        self.put_in_force({"site.lua": 'site { writable_env = { "SITE_PROJECT", "OMP_*" } }\n'})
        self.write_rule(
            'job.env.SITE_PROJECT = "blue sky"; job.env.OMP_NUM_THREADS = "3";'
            ' job:note("%s %s", job.env.SITE_PROJECT, table.concat(job.script_options, "|"))'
        )
        script = self.cluster.layout.slurm_conf.parent / "env-job.sh"
        out = self.cluster.layout.slurm_conf.parent / "env-out"
        out.mkdir(exist_ok=True)
        out.chmod(0o777)
        script.write_text("#!/bin/sh\n#SBATCH --time=5\n#SBATCH -n1\nenv\n")
        script.chmod(0o755)
        command = ["sbatch", "--output", str(out / "%j"), str(script)]
        result = self.cluster.run(command, USER, env={"OMP_NUM_THREADS": "1", "SITE_OTHER": "kept"})
        self.expect(result, True, "blue sky --time=5|-n1")
        job = result.stdout.split()[-1]
        self.cluster.wait_for(lambda: (out / job).exists() and "SITE_OTHER" in (out / job).read_text(), "the job ran")
        lines = (out / job).read_text().splitlines()
        self.assertIn("SITE_PROJECT=blue sky", lines)
        self.assertIn("SITE_OTHER=kept", lines)
        self.assertEqual([line for line in lines if line.startswith("OMP_")], ["OMP_NUM_THREADS=3"])
        self.write_rule('job.env.SITE_OTHER = "x"')
        self.expected_errors.append("site.lua does not name it")
        refused = self.cluster.run(command, USER)
        self.expect(refused, False, "site.lua does not name it")
        self.put_in_force({"site.lua": "site {}\n"})

    def test_counts_follow_what_a_rule_writes(self) -> None:
        self.write_rule(
            'local before = job.cpus; job.tasks = 3; job:note("from %d to %d CPUs.", before, job.cpus);'
            ' job.partition = "short"; job:note("%d minutes.", job.time_limit)'
        )
        answer = self.cluster.sbatch("--hold -n1", USER)
        self.assertIn("from 1 to 3 CPUs.", answer.stderr)
        self.assertIn("30 minutes.", answer.stderr)
        shown = self.cluster.scontrol(f"show job {answer.job}").stdout
        for text in ("NumCPUs=3 ", "Partition=short ", "TimeLimit=00:30:00 "):
            self.assertIn(text, shown)

    def test_nodes_that_a_rule_writes_have_the_cpus_that_sbatch_sends_for_them(self) -> None:
        self.write_rule('job:note("-")')
        asked_alone = {n: self.cluster.job(self.cluster.sbatch(f"--hold -N{n}", USER).job) for n in (1, 2)}
        for nodes, options in (1, "-N2"), (2, ""), (1, "-N2 --overcommit"):
            with self.subTest(options):
                self.write_rule(f"job.min_nodes, job.max_nodes = {nodes}, {nodes}")
                shown = self.cluster.job(self.cluster.sbatch(f"--hold {options}", USER).job)
                for field in "NumNodes", "NumCPUs", "NumTasks":
                    self.assertEqual(shown[field], asked_alone[nodes][field], field)

    def test_what_a_rule_adds_to_lists_is_what_the_job_has(self) -> None:
        for node in self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split():
            self.cluster.scontrol(f"update nodename={node} availablefeatures=a,b,c activefeatures=a,b,c")
        self.write_rule(
            'job:add("features", "c"); job:add("licenses", "matlab:1"); job:add("dependency", "singleton");'
            ' job:note("%s; %s %s.", table.concat(job.feature_names, "+"), job.license_counts.matlab,'
            " job.license_counts.abaqus)"
        )
        for arguments, told, features, licenses in (
            ("", "c; 1 nil.", "c", "matlab:1"),
            ("-C a -L abaqus:2", "a+c; 1 2.", "a&c", "abaqus:2,matlab:1"),
            ("-C a|b -L matlab:3", "a+b+c; 3 nil.", "(a|b)&c", "matlab:3"),
            ("-C c&b", "c+b; 1 nil.", "c&b", "matlab:1"),
        ):
            with self.subTest(arguments):
                answer = self.cluster.sbatch(f"--hold {arguments}", USER)
                self.assertIn(told, answer.stderr)
                shown = self.cluster.scontrol(f"show job {answer.job}").stdout
                self.assertIn(f"Features={features} ", shown)
                self.assertIn(f"Licenses={licenses} ", shown)
                self.assertIn("Dependency=singleton", shown)

    def test_a_rule_reads_other_fields_of_a_changed_job(self) -> None:
        job = self.cluster.sbatch("--hold --nice=3 --gpus=1 --output=/tmp/one", USER).jobid
        self.write_rule(
            'job:reject("%s %s %s %s", job.nice, job.std_out, job.script, job.gpu and job.gpu.count)'
        )
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.cluster.run(f"scontrol update jobid={job} timelimit=9 nice=4", USER), False)
        self.assertIn("4 /tmp/one nil 1", self.slurmctld_log_since(mark))


if __name__ == "__main__":
    main()
