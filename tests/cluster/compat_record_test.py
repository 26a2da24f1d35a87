# SPDX-License-Identifier: GPL-2.0-or-later
"""job_rec of a script for job_submit/lua tells under qosgate what it tells under Slurm's own plugin."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from compat_controllers import Controller, Ours, Slurms
from qosgate_dev.testing import main
from qosgate_dev.testing.cluster import CommandResult
from qosgate_dev.testing.plugin_case import USER
from qosgate_dev.testing.whole_files import write_whole

FIELDS = """\
admin_comment array_job_id array_task_id batch_features batch_host burst_buffer delay_boot derived_ec end_time exit_code
gres_req het_job_id het_job_id_set het_job_offset job_id job_state name nodes partition reboot req_switch resizing
restart_cnt site_factor start_time submit_time time_limit total_cpus total_nodes tres_fmt_alloc_str tres_fmt_req_str
wait4switch no_such_field"""
# Two clusters have other numbers and times.
DIFFERING = {"job_id", "array_job_id", "submit_time", "start_time", "end_time"}
# A call that reads one of them of a waiting job fails.
NEVER_READ_WHILE_WAITING = ["end_time", "start_time", "total_cpus", "total_nodes"]
DUMP = f"""\
local fields = {{ {', '.join(f'"{name}"' for name in FIELDS.split())} }}
local not_told = {{ NOT_TOLD }}
function slurm_job_submit() return slurm.SUCCESS end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    for _, field in ipairs(fields) do
        local value = job_rec.job_state == 0 and not_told[field] and "(error)" or job_rec[field]
        slurm.log_info(string.format("record %s=%s", field, tostring(value)))
    end
    return slurm.SUCCESS
end
"""
ONLY_WAITING_JOBS_CHANGE = """\
function slurm_job_submit() return slurm.SUCCESS end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    if job_rec.job_state == 1 and job_rec.nodes ~= nil and os.time() - job_rec.start_time >= 0 then
        slurm.log_info("it runs on " .. job_rec.nodes)
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
"""
READS_FIELD = """\
function slurm_job_submit() return slurm.SUCCESS end
function slurm_job_modify(job_desc, job_rec)
    pcall(function() return job_rec.FIELD end)
    return slurm.SUCCESS
end
"""
JOBS = {
    "waits": "--hold --time=30 -n2 --mem=50 --nice=7 --qos=small",
    "lists": "--hold -p short,main --array=1-5%2 --begin=now+1day",
    "runs": "--time=5 -N1 --mem=20 --account=bio",
}
NOT_KNOWN = "is not known yet: the job is newer than the last reading of slurm.jobs; try again in some seconds"


class CompatRecord(unittest.TestCase):
    """Scripts under both plugins."""

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

    def tearDown(self) -> None:
        for controller in (self.slurms, self.ours):
            controller.cluster.run(f"scancel --user={USER}")

    @staticmethod
    def submit(controller: Controller, options: str) -> int:
        command = ["sbatch", "--parsable", *options.split(), "--wrap=sleep 300"]
        return int(controller.cluster.run(command, USER, check=True).stdout)

    @staticmethod
    def change(controller: Controller, job: int | str, words: str = "comment=x") -> CommandResult:
        return controller.cluster.run(["scontrol", "update", f"jobid={job}", words])

    def wait_until_known(self, job: int) -> None:
        """Until the plugin has read the job, as the script sees it: then a change is accepted."""
        self.ours.cluster.wait_for(lambda: self.change(self.ours, job).rc == 0, "the job is known")

    def dump(self, controller: Controller, job: int) -> dict[str, str]:
        mark = len(controller.cluster.log("slurmctld"))
        changed = self.change(controller, job)
        lines = re.findall(r"lua: record (\w+)=(.*)", controller.cluster.log("slurmctld")[mark:])
        self.assertEqual([field for field, _ in lines], FIELDS.split(), changed)
        return {field: controller.plain(value) for field, value in lines}

    def test_fields_have_the_values_that_slurms_plugin_shows(self) -> None:
        found: dict[str, dict[str, dict[str, str]]] = {}
        for whose, controller in (("slurms", self.slurms), ("ours", self.ours)):
            named = ", ".join(f"{field} = true" for field in NEVER_READ_WHILE_WAITING) if controller is self.ours else ""
            controller.put_in_force(DUMP.replace("NOT_TOLD", named).encode())
            jobs = {name: self.submit(controller, f"--job-name={name} {options}") for name, options in JOBS.items()}
            controller.cluster.wait_job(jobs["runs"], "RUNNING")
            for job in jobs.values():  # a change of one that is not read yet is refused
                controller.cluster.wait_for(lambda c=controller, job=job: self.change(c, job).rc == 0, "the job is known")
            controller.cluster.wait_for(
                lambda c=controller, jobs=jobs: self.dump(c, jobs["runs"])["job_state"] == "1"
                and self.dump(c, jobs["lists"])["job_state"] == "0",
                "the jobs are known",
            )
            found[whose] = {name: self.dump(controller, job) for name, job in jobs.items()}
        for name in JOBS:
            ours, slurms = found["ours"][name], found["slurms"][name]
            told = {field: value for field, value in ours.items() if value != "(error)" and field not in DIFFERING}
            self.assertEqual({field: slurms[field] for field in told}, told, name)
            not_told = {field for field, value in ours.items() if value == "(error)"}
            self.assertEqual(not_told, set() if name == "runs" else set(NEVER_READ_WHILE_WAITING), name)
        self.assertEqual(found["ours"]["waits"]["nodes"], "nil")
        self.assertRegex(found["ours"]["runs"]["nodes"], r"\w+")
        for field in ("start_time", "end_time", "submit_time"):
            self.assertGreater(float(found["ours"]["runs"][field]), 1.6e9, field)

    def test_a_script_that_lets_no_running_job_be_changed(self) -> None:
        for controller in (self.slurms, self.ours):
            controller.put_in_force(ONLY_WAITING_JOBS_CHANGE.encode())
        for controller in (self.slurms, self.ours):
            waits = self.submit(controller, "--hold")
            runs = self.submit(controller, "--mem=20")
            controller.cluster.wait_job(runs, "RUNNING")
            controller.cluster.wait_for(
                lambda c=controller, job=waits: self.change(c, job).rc == 0, "a waiting job is changed"
            )
            mark = len(controller.cluster.log("slurmctld"))
            controller.cluster.wait_for(
                lambda c=controller, mark=mark, job=runs: (
                    self.change(c, job).rc != 0 and "lua: it runs on" in c.cluster.log("slurmctld")[mark:]
                ),
                "a change of a running job is refused",
            )
            self.assertEqual(self.change(controller, waits).rc, 0)

    def test_a_job_that_is_not_read_yet_is_not_changed(self) -> None:
        site = self.ours.directory / "site.lua"
        before = site.read_text()
        write_whole(site, before.replace("site {", 'site { compat_on_error = "allow",', 1))
        self.addCleanup(write_whole, site, before)
        self.ours.put_in_force(ONLY_WAITING_JOBS_CHANGE.encode())
        self.wait_until_known(self.submit(self.ours, "--hold"))
        mark = len(self.ours.cluster.log("slurmctld"))

        def is_refused() -> bool:
            # Most new jobs are newer than the last reading, which was up to two seconds ago.
            job = self.submit(self.ours, "--hold")
            return self.change(self.ours, job).rc != 0

        self.ours.cluster.wait_for(is_refused, "a change of a new job is refused")
        log = self.ours.cluster.log("slurmctld")[mark:]
        self.assertIn(f"job_rec.job_state {NOT_KNOWN}; rejected, whatever compat_on_error says", log)
        self.wait_until_known(self.submit(self.ours, "--hold"))

    def test_a_field_that_is_not_told_in_this_state_refuses_the_change(self) -> None:
        for field in NEVER_READ_WHILE_WAITING:
            self.ours.put_in_force(READS_FIELD.replace("FIELD", field).encode())
            waits = self.submit(self.ours, "--hold")
            mark = len(self.ours.cluster.log("slurmctld"))
            expected = f"{field} of this job cannot be read in the state that it has; rejected, whatever"
            self.ours.cluster.wait_for(
                lambda job=waits, expected=expected, mark=mark: (
                    self.change(self.ours, job).rc != 0 and expected in self.ours.cluster.log("slurmctld")[mark:]
                ),
                "the change is refused",
                otherwise=lambda mark=mark: self.ours.cluster.log("slurmctld")[mark:],
            )


if __name__ == "__main__":
    main()
