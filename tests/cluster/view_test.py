# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules read as `view`, inside a real slurmctld."""

from __future__ import annotations

import json
import time

from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


class View(PluginTestCase):
    """Each rule tells the user, or does, what it reads."""

    options = ("--gpus", "4")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos gpu MaxTRESPerUser=gres/gpu=2 Priority=40",
            "add qos gpu-low",
            "add qos denies MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit",
            f"modify user {USER} set qos+=gpu,gpu-low,denies",
        ):
            cls.cluster.sacctmgr(line)

    def write_rule(self, body: str) -> None:
        self.put_in_force({"10-test.lua": f"rule {{\nsubmit = function(job, view)\n{body}\nend,\n}}\n"})

    def told(self, arguments: str = "--hold") -> str:
        return self.submit(arguments).stderr

    def run_job(self, arguments: str) -> int:
        """Submits a job and waits until it runs."""
        job = int(self.submit(arguments).stdout.split()[-1])
        self.cluster.wait_job(job, "RUNNING")
        return job

    def qos_of(self, arguments: str) -> str:
        return self.cluster.job(int(self.submit(arguments).stdout.split()[-1]))["QOS"]

    def test_jobs_go_to_another_qos_when_the_users_gpus_are_in_use(self) -> None:
        self.write_rule(
            'if job.qos ~= "gpu" then return end'
            ' local left = view.qos("gpu"):headroom().tres.gpu'
            ' if left < job.gpus then job.qos = "gpu-low"; job:note("%d GPUs left", left) end'
        )
        first = self.run_job("--qos=gpu --gpus=1")
        self.assertEqual(self.qos_of("--hold --qos=gpu --gpus=2"), "gpu-low")
        self.run_job("--qos=gpu --gpus=1")
        self.assertIn("sbatch: 0 GPUs left", self.told("--hold --qos=gpu --gpus=1"))
        self.assertEqual(self.qos_of("--hold --qos=gpu --gpus=1"), "gpu-low")
        self.cluster.run(f"scancel {first}", USER)
        self.cluster.wait_for(
            lambda: self.qos_of("--hold --qos=gpu --gpus=1") == "gpu", "a GPU is left again"
        )

    def test_the_time_is_that_of_the_controller(self) -> None:
        self.write_rule(
            "local now = view.now;"
            ' job:note("now=%d %04d-%02d-%02d %d %02d:%02d", now.seconds, now.year, now.month, now.day, now.weekday,'
            " now.hour, now.minute)"
        )
        before = int(time.time())
        told = self.told()
        seconds = int(told.partition("now=")[2].split()[0])
        self.assertTrue(before <= seconds <= time.time(), seconds)
        self.assertIn(time.strftime("%Y-%m-%d %u %H:%M", time.localtime(seconds)), told)

    def test_a_rule_closes_a_partition_by_the_hour(self) -> None:
        hour = time.localtime().tm_hour
        for open_at in (hour, (hour + 2) % 24):
            self.write_rule(
                f'if job.partition == "short" and math.abs(view.now.hour - {open_at}) > 1 then'
                f' job:reject("short is open at {open_at}") end'
            )
            with self.subTest(open_at):
                self.expect(self.submit("--hold -p short"), open_at == hour)

    def test_the_cluster_is_some_seconds_old(self) -> None:
        self.write_rule(
            'local c = view.cluster; job:note("%s,%s,%s,%s.", c.name, table.concat(c.partitions, "+"),'
            " c.default_partition, c.age <= 5)"
        )
        name = self.cluster.run("scontrol show config", check=True).stdout.partition("ClusterName")[2]
        self.assertIn(f"{name.split()[1]},main+short,main,true.", self.told())

    def test_a_partition_is_as_scontrol_shows_it(self) -> None:
        names = "AllowGroups DefCpuPerGPU DefMemPerGPU PriorityJobFactor PriorityTier MaxNodes TotalNodes State"
        self.write_rule(
            'local p = view.partition("fancy"); if not p then return end; local all = {}'
            f' for name in ("{names}"):gmatch("%S+") do local value = p[name]'
            ' if type(value) == "table" then value = table.concat(value, ",") end'
            ' all[#all + 1] = name .. "=" .. tostring(value) end job:note("%s.", table.concat(all, " "))'
        )
        create = "create partitionname=fancy nodes=ALL maxnodes=3"
        self.cluster.scontrol(f"{create} allowgroups=root,daemon jobdefaults=defcpupergpu=2,defmempergpu=1024 priorityjobfactor=7")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=fancy")
        self.expected_errors.append("submit the job again in a moment")
        self.cluster.wait_for(lambda: "AllowGroups=" in self.told(), "the rule sees the partition")
        shown = dict(
            word.split("=", 1) for word in self.cluster.scontrol("show partition fancy").stdout.split() if "=" in word
        )
        defaults = dict(word.split("=") for word in shown["JobDefaults"].split(","))
        expected = {**shown, **defaults}
        told = dict(word.split("=") for word in self.told().partition("sbatch: ")[2].partition(".")[0].split())
        self.assertEqual(told, {name: expected[name] for name in names.split()})
        self.assertEqual((told["DefCpuPerGPU"], told["DefMemPerGPU"], told["PriorityJobFactor"]), ("2", "1024", "7"))

        self.cluster.scontrol("update partitionname=fancy allowgroups=ALL jobdefaults= priorityjobfactor=1")
        self.cluster.wait_for(
            lambda: "AllowGroups=nil DefCpuPerGPU=nil DefMemPerGPU=nil PriorityJobFactor=1 " in self.told(),
            "the rule sees the change",
        )

    def test_rules_see_the_admin_level(self) -> None:
        self.write_rule(
            'local u, s = view.user, view.sender; job:note("%s %s %s, %s %s", u.name, u.admin_level,'
            ' u.default_account, s.uid, s.admin_level)'
        )
        self.assertIn("ana none astro, ", self.told())
        try:
            self.cluster.sacctmgr(f"modify user {USER} set adminlevel=operator")
            self.assertIn("ana operator astro, ", self.told())
            self.cluster.sacctmgr(f"modify user {USER} set adminlevel=administrator")
            self.assertIn("ana administrator astro, ", self.told())
        finally:
            self.cluster.sacctmgr(f"modify user {USER} set adminlevel=none")
        by_root = self.cluster.run(f"sbatch --hold --uid={USER} --wrap=true --chdir=/").stderr
        self.assertIn("ana none astro, 0 administrator", by_root)

    def test_rules_see_who_coordinates_an_account(self) -> None:
        self.write_rule('job:note("coordinates: %s", view.user.coordinates("bio"))')
        self.assertIn("coordinates: false", self.told())
        self.cluster.sacctmgr(f"add coordinator account=bio name={USER}")
        try:
            self.assertIn("coordinates: true", self.told())
        finally:
            self.cluster.sacctmgr(f"delete coordinator account=bio name={USER}")

    def set_groups(self, names: list[str]) -> None:
        """The groups of ana besides the primary one; only ben is in the others."""
        file = self.cluster.layout.group
        lines = [line for line in file.read_text().splitlines() if not line.startswith("lab-")]
        lines += [
            f"{name}:x:{70001 + place}:ben{',' + USER if name in names else ''}"
            for place, name in enumerate(("lab-gpu", "lab-bio"))
        ]
        file.write_text("\n".join(lines) + "\n")

    def users_in_status(self) -> dict:
        state = json.loads((self.cluster.layout.controller_state / "qosgate_status.json").read_text())
        return state["users"] or {}

    def test_rules_see_the_groups_of_the_user(self) -> None:
        self.set_groups(["lab-gpu"])
        self.expected_errors.append("are not read yet; submit the job again in some seconds")
        self.write_rule(
            'if job.comment == "mine" then job:note("groups %s.", table.concat(view.user.groups, "+")) end'
            ' if job.comment == "root" then job:note("sender %s.", view.sender.in_group("root")) end'
            ' if job.comment == "bio" and not view.user.in_group("lab-bio") then job:reject("lab-bio only") end'
            ' if job.comment == "gpu" and not view.user.in_group("lab-gpu") then job:reject("lab-gpu only") end'
        )
        self.cluster.wait_for(lambda: f"groups {USER}+lab-gpu." in self.told("--hold --comment=mine"), "groups are read")
        self.expect(self.submit("--hold --comment=gpu"), True)
        self.expect(self.submit("--hold --comment=bio"), False, "lab-bio only")
        by_root = ["sbatch", "--hold", f"--uid={USER}", "--comment=root", "--wrap=true", "--chdir=/"]
        self.cluster.wait_for(lambda: "sender true." in self.cluster.run(by_root).stderr, "root is in its group")
        self.cluster.wait_for(lambda: self.users_in_status().get("read_at"), "the status tells of users")
        self.assertGreaterEqual(self.users_in_status()["count"], 1)

        # After a start everybody is read anew; until then nobody passes.
        self.set_groups(["lab-bio"])
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        self.cluster.wait_for(lambda: f"groups {USER}+lab-bio." in self.told("--hold --comment=mine"), "groups are read")
        self.expect(self.submit("--hold --comment=bio"), True)
        self.expect(self.submit("--hold --comment=gpu"), False, "lab-gpu only")

    def test_a_rule_holds_jobs_to_the_partitions_maximum(self) -> None:
        self.write_rule(
            "local most = view.partition(job.partition).MaxTime;"
            ' if job.time_limit > most then job:reject("at most %d minutes", most) end'
        )
        self.expect(self.submit("--hold -p short -t 60"), True)
        self.expect(self.submit("--hold -p short -t 61"), False, "at most 60 minutes")
        self.expect(self.submit("--hold -p main -t UNLIMITED"), True)

    def test_records_read_as_scontrol_and_sacctmgr_show_them(self) -> None:
        self.write_rule(
            'local q, p, a = view.qos("GPU"), view.partition("short"), view.association();'
            ' job:note("%s %d %s %s; %s %s %s %s; %s %s %s; %s %s.", q.name, q.Priority, q.MaxTRESPerUser.gpu, q.MaxWall,'
            " p.DefaultTime, p.State, p.TotalNodes, p.AllowQos, a.account, a.user, a.parent.parent.account,"
            ' table.concat(view.qos_allowed(), "+"), view.qos("none"))'
        )
        self.assertIn(
            "gpu 40 2 nil; 30 UP 2 nil; astro ana root; counted+denies+gpu+gpu-low+normal+small nil.", self.told()
        )

    def test_accounts_and_reservations_read_as_slurm_shows_them(self) -> None:
        self.write_rule(
            'local r = view.reservation("course"); job:note("%s; %s %s %s %s.", table.concat(view.accounts(), "+"),'
            " r and r.Users[1], r and r.PartitionName, r and r.EndTime - r.StartTime, r and r.StartTime > view.now.seconds)"
        )
        self.assertIn("astro+bio; nil nil nil nil.", self.told())
        self.cluster.scontrol(
            f"create reservation reservationname=course users={USER} partitionname=short nodes=ALL flags=part_nodes"
            " starttime=now+1hour duration=30"
        )
        self.expected_errors.append("slurmctld has just changed its reservations")
        try:
            self.cluster.wait_for(
                lambda: f"astro+bio; {USER} short 1800 true." in self.told(), "rules see the reservation"
            )
        finally:
            self.cluster.scontrol("delete reservation=course")

    def test_usage_counts_jobs_and_tres(self) -> None:
        self.write_rule(
            'local u = view.qos("gpu-low").user_usage;'
            ' job:note("%d %d %d %s", u.jobs, u.submit_jobs, u.tres.gpu, view.qos("gpu-low").usage.tres.gpu)'
        )
        self.run_job("--qos=gpu-low --gpus=3")
        self.submit("--hold --qos=gpu-low")
        self.assertIn("sbatch: 1 2 3 3", self.told())

    def test_jobs_are_counted_as_slurmctld_counts_them(self) -> None:
        self.write_rule(
            'local function n(f) return view.jobs(f) end job:note("counts %d %d %d %d %d %d %d.",'
            ' n{ qos = "gpu-low" }, n{ qos = "gpu-low", user = job.user, state = "running" },'
            ' n{ qos = "gpu-low", account = job.account, state = "pending" },'
            ' n{ user = job.user }, n{ user = job.user, state = "pending" },'
            ' n{ user = job.user, account = job.account, state = "running" }, n{ account = "root", state = "pending" })'
        )
        self.cluster.wait_for(lambda: "counts 0 0 0 0 0 0 0." in self.told("--hold --test-only"), "no job is left")
        self.run_job("--qos=gpu-low --gpus=3")
        self.submit("--hold --qos=gpu-low --array=1-3")
        self.submit("--hold --qos=normal --account=bio")
        self.assertIn("sbatch: counts 4 1 3 5 4 1 4.", self.told())
        # As a local, it is seen only when the rule runs.
        self.write_rule('local f = { partition = "main" }; job:note("%d", view.jobs(f))')
        self.expected_errors.append("and by nothing else")
        self.assertIn("and by nothing else", self.told())

    def test_fits_agrees_with_slurmctld(self) -> None:
        self.write_rule(
            'local ok, why = view.qos(job.qos):fits(job); job:warn("fits=%s %s", ok, why)'
        )
        self.run_job("--qos=gpu --gpus=1")
        self.run_job("--qos=denies --gpus=1")
        for arguments, fits in (
            ("--qos=gpu --gpus=1", True),
            ("--qos=gpu --gpus=2", False),
            ("--qos=denies --gpus=2", False),
            ("--qos=denies --gpus=3", False),
            ("--qos=small -n2 -t 60", True),
            ("--qos=small -n3 -t 60", False),
            ("--qos=small -n2 -t 61", False),
            ("--qos=normal -p short -t 60", True),
            ("--qos=normal -p short -t 61", False),
            ("--qos=other", False),
        ):
            with self.subTest(arguments):
                answer = self.submit(arguments)
                self.assertIn(f"fits={str(fits).lower()} ", answer.stderr)
                if answer.rc != 0:
                    self.assertFalse(fits)
                    continue
                job = int(answer.stdout.split()[-1])
                if fits:
                    self.cluster.wait_job(job, "RUNNING")
                else:
                    self.cluster.wait_for(
                        lambda job=job: self.cluster.job_reason(job) not in ("None", "Priority", "Resources"),
                        "the job waits for a limit",
                    )
                self.cluster.run(f"scancel {job}", USER)


if __name__ == "__main__":
    main()
