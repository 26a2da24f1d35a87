# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin together with job_submit/lua, before and after it."""

from __future__ import annotations

from qosgate_dev.testing import main, write_lua_script
from qosgate_dev.testing.plugin_case import USER, PluginTestCase


class BesideLua(PluginTestCase):
    """Slurm's own Lua plugin runs first; it brings a Lua of another version."""

    plugins = "lua,qosgate"
    lua_submit = """\
    if job_desc.comment == "to small" then
        job_desc.qos = "small"
        slurm.log_user("lua: to small")
    elseif job_desc.comment == "no" then
        slurm.log_user("lua: no")
        return slurm.ERROR
    end
"""

    @classmethod
    def setUpClass(cls) -> None:
        # slurmctld does not start with the Lua plugin but without its script, so qosgate is added for a second start.
        plugins, cls.plugins = cls.plugins, "qosgate"
        super().setUpClass()
        cls.plugins = plugins
        conf = cls.cluster.layout.slurm_conf
        write_lua_script(cls.cluster, cls.lua_submit)
        conf.write_text(
            conf.read_text().replace("JobSubmitPlugins=qosgate\n", f"JobSubmitPlugins={plugins}\n")
        )
        cls.cluster.restart("slurmctld")
        cls.let_the_plugin_see_the_cluster()
        rules = conf.parent / "qosgate.d"
        rules.mkdir(mode=0o755)
        (rules / "10-tell.lua").write_text(
            'rule { mode = "enforce", submit = function(job) job:warn("qos %s", job.qos) end }\n'
        )
        cls.cluster.wait_for(
            lambda: "qos normal" in cls.cluster.sbatch("--hold", USER).stderr, "the rule is loaded"
        )

    def test_a_job_that_lua_changed_is_the_job_that_is_judged(self) -> None:
        self.expect(
            self.cluster.run(["sbatch", "--comment=to small", "-n3", "--wrap=true"], USER),
            False,
            "lua: to small",
            "qos small",
            "limit 2, this job asks for 3",
        )

    def test_a_job_that_lua_refuses_is_not_judged(self) -> None:
        result = self.submit("--comment=no")
        self.expect(result, False, "lua: no")
        self.assertNotIn("qos normal", result.stderr, result)

    def test_both_speak(self) -> None:
        result = self.cluster.run(["sbatch", "--comment=to small", "--hold", "--wrap=true"], USER)
        self.expect(result, True, "lua: to small", "qos small")


class BeforeLua(BesideLua):
    """With Slurm's Lua plugin second. If it has a message for the user, it drops earlier messages."""

    plugins = "qosgate,lua"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.expected_errors.append("JobSubmitPlugins has lua behind qosgate")

    def test_the_log_warns_of_this_order(self) -> None:
        self.expect_logged_error("JobSubmitPlugins has lua behind qosgate")

    def test_the_status_is_degraded(self) -> None:
        self.assertIn("write lua,qosgate", self.wait_until_status(1))

    def test_a_job_that_lua_changed_is_the_job_that_is_judged(self) -> None:
        """Not in this order; slurmctld judges the job as Lua changed it."""
        result = self.cluster.run(["sbatch", "--comment=to small", "-n3", "--wrap=true"], USER)
        self.expect(result, False, "lua: to small", "QOSMaxCpuPerJobLimit")

    def test_both_speak(self) -> None:
        self.expect(self.submit("--hold"), True, "qos normal")
        result = self.cluster.run(["sbatch", "--comment=to small", "--hold", "--wrap=true"], USER)
        self.expect(result, True, "lua: to small")


if __name__ == "__main__":
    main()
