# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules and data of a site, inside a real slurmctld."""

from __future__ import annotations

import json
import os
import shutil

from qosgate_dev.testing import build_root, main
from qosgate_dev.testing.plugin_case import PluginTestCase

RULE = """\
local projects = require("projects")
rule { submit = function(job) projects.check(job) end }
"""
MODULE = """\
local M = {}
local projects = data("projects.json")
function M.check(job)
    local project = projects[job.account]
    local most = project and project.tasks or 1
    if (job.tasks or 1) > most then
        job:reject("project %s may use %d tasks, this job asks for %d", job.account, most, job.tasks)
    end
end
return M
"""


class Modules(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.kept = cls.cluster.layout.controller_state / "qosgate_policy"
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"

    def setUp(self) -> None:
        """Every test begins with a module and data in force."""
        self.expected_errors.append("policy not loaded")
        self.remove_directory()
        for directory in (self.directory, self.directory / "lib", self.directory / "data"):
            directory.mkdir(mode=0o755)
        self.write_data({"astro": {"tasks": 3}})
        (self.directory / "lib/projects.lua").write_text(MODULE)
        (self.directory / "10-projects.lua").write_text(RULE)
        self.wait_for_answer("-n4", "project astro may use 3 tasks, this job asks for 4")

    def remove_directory(self) -> None:
        if self.directory.exists():
            shutil.rmtree(self.directory)

    def write_data(self, projects: object) -> None:
        """As a program does it: a complete file takes the place of the old one."""
        new = self.directory / "data/.projects.json"
        new.write_text(json.dumps(projects))
        new.rename(self.directory / "data/projects.json")

    def wait_for_answer(self, arguments: str, text: str) -> None:
        """Waits until such a job is refused with this text; accepted with an empty one."""

        def is_answered() -> bool:
            result = self.submit(f"--hold {arguments}")
            return text in result.stderr if text else result.rc == 0

        self.cluster.wait_for(is_answered, f"{arguments}: {text or 'accepted'}")

    def status(self) -> str:
        return self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), "status"], "root").stdout

    def wait_for_status(self, text: str, is_there: bool = True) -> None:
        self.cluster.wait_for(lambda: (text in self.status()) == is_there, f"the status: {text}: {is_there}")

    def test_a_rule_uses_a_module_and_data(self) -> None:
        self.expect(self.submit("--hold -n3"), True)
        self.expect(self.submit("--hold -n4"), False, "project astro may use 3 tasks, this job asks for 4")
        self.expect(self.submit("--hold -A bio -n2"), False, "project bio may use 1 tasks, this job asks for 2")

    def test_changed_data_is_in_force_without_a_restart(self) -> None:
        self.write_data({"astro": {"tasks": 4}, "bio": {"tasks": 2}})
        self.wait_for_answer("-n4", "")
        self.expect(self.submit("--hold -A bio -n2"), True)

    def test_a_broken_file_of_data_leaves_the_last_good_one_in_force(self) -> None:
        (self.directory / "data/projects.json").write_text('{\n  "astro": {"tasks": 9},\n}\n')
        problem = "data/projects.json:3: a key in quotes is expected before '}'"
        self.expect_logged_error(problem)
        self.wait_for_status(problem)
        self.expect(self.submit("--hold -n3"), True)
        self.expect(self.submit("--hold -n4"), False, "project astro may use 3 tasks")

        self.write_data({"astro": {"tasks": 9}})
        self.wait_for_answer("-n9", "")
        self.wait_for_status(problem, is_there=False)

    def test_files_of_others_are_refused(self) -> None:
        for name in ("data/projects.json", "lib/projects.lua", "lib", "data"):
            path = self.directory / name
            with self.subTest(name):
                os.chown(path, 1234, -1)
                self.expect_logged_error(f"{path}: belongs to user id 1234, which is neither root nor")
                self.expect(self.submit("--hold -n4"), False, "project astro may use 3 tasks")
                os.chown(path, 0, -1)
                self.wait_for_status("belongs to user id", is_there=False)

    def test_a_restart_without_the_directory_keeps_modules_and_data(self) -> None:
        self.cluster.wait_for(lambda: '"tasks": 3' in self.kept.read_text(), "the data is kept")
        self.remove_directory()
        self.cluster.restart("slurmctld")
        self.expect_logged_error("the directory is gone")
        self.expect(self.submit("--hold -n3"), True)
        self.expect(self.submit("--hold -n4"), False, "project astro may use 3 tasks, this job asks for 4")


if __name__ == "__main__":
    main()
