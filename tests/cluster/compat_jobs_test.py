# SPDX-License-Identifier: GPL-2.0-or-later
"""slurm.jobs of a script for job_submit/lua tells under qosgate what it tells under Slurm's own plugin."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from compat_controllers import Controller, Ours, Slurms
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER
from qosgate_dev.testing.whole_files import write_whole

# Two clusters have other numbers and times.
DIFFERING = {"job_id", "array_job_id", "submit_time", "start_time", "end_time", "priority"}
WAITING_JOBS = """\
function slurm_job_submit(job_desc, part_list, submit_uid)
    local waiting = 0
    for id, job in pairs(slurm.jobs) do
        if job.user_id == job_desc.user_id and job.job_state == 0 then waiting = waiting + 1 end
    end
    if waiting >= 3 then
        slurm.log_user("you have %d waiting jobs", waiting)
        return slurm.ERROR
    end
    if job_desc.comment == "only-asks" then return slurm.ERROR end
    return slurm.SUCCESS
end
function slurm_job_modify() return 0 end
"""
FIELDS_OF_JOBS = """\
account admin_comment alloc_node array_job_id array_task_id batch_features batch_host burst_buffer comment cpus_per_tres
delay_boot derived_ec end_time exit_code features gres gres_req group_id het_job_id het_job_id_set het_job_offset job_id
job_state licenses mem_per_tres min_cpus min_mem_per_cpu min_mem_per_node name nice nodes partition pn_min_cpus
pn_min_memory priority qos reboot req_switch resizing restart_cnt resv_name site_factor start_time submit_time time_limit
time_min total_cpus total_nodes tres_bind tres_fmt_alloc_str tres_fmt_req_str tres_freq tres_per_job tres_per_node
tres_per_socket tres_per_task user_id user_name wait4switch wckey work_dir no_such_field"""
STATES_OF_JOBS = {"waits": "0", "lists": "0", "runs": "1", "free": "1", "gone": "4"}
# The RPC does not tell these in the state that the job has: a call that reads one fails.
NOT_TOLD = {
    "waits": ["end_time", "start_time", "time_limit", "total_cpus", "total_nodes"],
    "lists": ["end_time", "start_time", "time_limit", "total_cpus", "total_nodes"],
    "runs": ["features", "min_cpus"],
    "free": ["features", "min_cpus"],
    "gone": ["features", "min_cpus", "time_limit", "total_cpus", "total_nodes"],
}
DUMP_OF_JOBS = f"""\
local fields = {{ {', '.join(f'"{name}"' for name in FIELDS_OF_JOBS.split())} }}
local not_told = {{ NOT_TOLD }}
function slurm_job_submit(job_desc, part_list, submit_uid)
    local wanted = string.match(job_desc.comment or "", "^dump (.*)")
    local name, one = string.match(job_desc.comment or "", "^read (%S+) (%S+)")
    for id, job in pairs(slurm.jobs) do
        for _, field in ipairs(job.name == wanted and fields or {{}}) do
            local value = not_told[job.name .. "." .. field] and "(error)" or job[field]
            slurm.log_info(string.format("job %s %s=%s", job.name, field, tostring(value)))
        end
        if job.name == name then
            pcall(function() return job[one] end)
            slurm.log_user("it was read")
        end
    end
    return slurm.SUCCESS
end
function slurm_job_modify() return 0 end
"""


class CompatJobs(unittest.TestCase):
    """Two scripts under both plugins."""

    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-compat-")
        cls.addClassCleanup(directory.cleanup)
        Path(directory.name).chmod(0o755)
        cls.slurms = Slurms()
        cls.addClassCleanup(cls.slurms.cluster.down)
        cls.ours = Ours(Path(directory.name))
        cls.addClassCleanup(cls.ours.cluster.down)

    def test_a_bound_on_waiting_jobs_holds_under_both(self) -> None:
        for controller in (self.slurms, self.ours):
            controller.put_in_force(WAITING_JOBS.encode())
            controller.cluster.wait_for(
                lambda c=controller: c.cluster.run(["sbatch", "--hold", "--wrap=true", "--chdir=/"]).rc == 0,
                "jobs are read",
            )
            for _ in range(3):
                controller.cluster.run(["sbatch", "--hold", "--wrap=true"], USER, check=True)
            command = ["sbatch", "--hold", "--comment=only-asks", "--wrap=true"]
            answers: list[str] = []

            def is_refused(c: Controller = controller, command: list[str] = command, answers: list[str] = answers) -> bool:
                # A change of a job, after which Slurm's plugin looks at them again: it misses those of the same second.
                c.cluster.run(["sbatch", "--hold", "--wrap=true", "--chdir=/"])
                c.cluster.run("scancel --user=root")
                answers.append(c.cluster.run(command, USER).stderr)
                return "you have 3 waiting jobs" in answers[-1]

            try:
                controller.cluster.wait_for(is_refused, "the user has too many", otherwise=lambda a=answers: str(a))
                others = ["sbatch", "--hold", "--wrap=true", "--chdir=/"]
                controller.cluster.wait_for(
                    lambda c=controller, others=others: c.cluster.run(others).rc == 0, "root has not too many"
                )
            finally:
                controller.cluster.run(f"scancel --user={USER},root")

    def test_jobs_have_the_values_that_slurms_plugin_shows(self) -> None:
        seen = []
        site = self.ours.directory / "site.lua"
        self.addCleanup(write_whole, site, site.read_text())
        write_whole(site, site.read_text().replace("site {", "site { rule_instructions = 10000000,"))
        for controller in (self.slurms, self.ours):
            not_told = [f'["{name}.{field}"] = true' for name, fields in NOT_TOLD.items() for field in fields]
            named = ", ".join(not_told) if controller is self.ours else ""
            controller.put_in_force(DUMP_OF_JOBS.replace("NOT_TOLD", named).encode())
            for options in (
                "--job-name=waits --hold --time=30 -n2 --mem=50 --comment=c --nice=7 --qos=small --dependency=singleton",
                "--job-name=lists --hold -p short,main --array=1-5%2 --mem-per-cpu=20 --begin=now+1day",
                "--job-name=runs --time=5 -N1 --mem=20 --account=bio",
                "--job-name=free -p short --mem=20",
                "--job-name=gone --hold -p short -n3",
            ):
                submit = ["sbatch", *options.split(), "--wrap=sleep 300"]
                controller.cluster.wait_for(
                    lambda c=controller, submit=submit: c.cluster.run(submit, USER).rc == 0, "jobs are read"
                )
            controller.cluster.run("scancel --name=gone", USER, check=True)
            found: dict[tuple[str, str], str] = {}

            def is_complete(c: Controller = controller, found: dict[tuple[str, str], str] = found) -> bool:
                mark = len(c.cluster.log("slurmctld"))
                for name in STATES_OF_JOBS:
                    # This is a change of a job, after which Slurm's plugin looks at them again.
                    c.cluster.run(["sbatch", "--hold", f"--comment=dump {name}", "--wrap=true"], USER)
                lines = re.findall(r"lua: job (\w+) (\w+)=(.*)", c.cluster.log("slurmctld")[mark:])
                found.clear()
                found.update({(name, field): c.plain(value) for name, field, value in lines})
                return all(found.get((name, "job_state")) == state for name, state in STATES_OF_JOBS.items())

            controller.cluster.wait_for(is_complete, "all jobs are seen", otherwise=lambda f=found: str(f))
            seen.append(dict(found))
            if controller is self.ours:
                self.check_not_told()
            controller.cluster.run(f"scancel --user={USER}")
        slurms, ours = seen
        told = {key: value for key, value in ours.items() if value != "(error)" and key[1] not in DIFFERING}
        self.assertEqual({key: slurms[key] for key in told}, told)

    def check_not_told(self) -> None:
        for name, fields in NOT_TOLD.items():
            for field in fields:
                command = ["sbatch", "--hold", f"--comment=read {name} {field}", "--wrap=true"]
                answer = self.ours.cluster.run(command, USER)
                self.assertIn(f"{field} of this job cannot be read in the state that it has", answer.stderr)
                self.assertNotIn("it was read", answer.stderr)


if __name__ == "__main__":
    main()
