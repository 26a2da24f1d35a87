# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of `job`: the options that set it, and what a rule reads with and without them."""

from __future__ import annotations

import re

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

# Notes all fields, as "NAME=VALUE set |"; of a table its parts.
READ_ALL = """
local fields = { @FIELDS@ }
local function show_gpu(gpu) return gpu and ("%d:%s:%s"):format(gpu.count, gpu.type or "any", gpu.per) end
local function join(counts)
    local all = {}
    for name, count in pairs(counts) do if count > 0 then all[#all + 1] = name .. ":" .. count end end
    table.sort(all)
    return table.concat(all, "+")
end
local tables = {
    gpu = function(job) return show_gpu(job.gpu) end,
    gpu_requests = function(job)
        local all = {}
        for _, gpu in ipairs(job.gpu_requests) do all[#all + 1] = show_gpu(gpu) end
        return table.concat(all, "+")
    end,
    tres = function(job) return join(job.tres) end,
    license_counts = function(job) return join(job.license_counts) end,
    feature_names = function(job) return table.concat(job.feature_names, "+") end,
    script = function(job) return job.script and job.script:match("[^\\n]*") end,
    script_options = function(job) return table.concat(job.script_options, "+") end,
    argv = function(job) return table.concat(job.argv, "+") end,
    env = function(job) return job.env.SITE_COLOUR end,
}
local function tell_all(job, about)
    local text = "|"
    for _, name in ipairs(fields) do
        local value = tables[name] and tables[name](about)
        if not tables[name] then value = about[name] end
        local is_known, is_set = pcall(function() return about:is_set(name) end)
        local how = not is_known and "error" or is_set and "set" or "unset"
        local part = (" %s=%s %s |"):format(name, value, how)
        if #text + #part > 900 then
            job:note("%s", text)
            text = "|"
        end
        text = text .. part
    end
    job:note("%s", text)
end
rule {
    submit = function(job) tell_all(job, job) end,
    modify = function(job, before)
        if job.admin_comment == "closed" then job:reject("not yet closed") end
        tell_all(job, before)
    end,
}
"""

# What `sbatch --wrap` alone asks for. @HOME@ and @HOST@ are the user's and the machine's.
PLAIN = {
    "qos": "normal unset",
    "partition": "main unset",
    "account": "astro unset",
    "time_limit": "inf unset",
    "time_min": "nil unset",
    "name": "wrap set",
    "user": "ana error",
    "uid": "@UID@ error",
    "submit_uid": "@UID@ error",
    "nodes": "1 unset",
    "min_nodes": "nil unset",
    "max_nodes": "nil unset",
    "tasks": "nil unset",
    "cpus_per_task": "nil unset",
    "tasks_per_node": "nil unset",
    "tasks_per_socket": "nil unset",
    "mincpus": "nil unset",
    "tasks_per_core": "nil unset",
    "threads_per_core": "nil unset",
    "memory_per_node": "nil unset",
    "memory_per_cpu": "nil unset",
    "memory_per_gpu": "nil unset",
    "cpus_per_gpu": "nil unset",
    "tmp_disk": "nil unset",
    "switches": "nil unset",
    "switches_wait": "nil unset",
    "core_spec": "nil unset",
    "thread_spec": "nil unset",
    "cpus": "1 error",
    "memory": "1000 unset",
    "gpus": "0 unset",
    "gpu": "nil unset",
    "gpu_requests": " unset",
    "tres": "billing:1+cpu:1+mem:1000+node:1 error",
    "array_tasks": "1 unset",
    "array": "nil unset",
    "reservation": "nil unset",
    "comment": "nil unset",
    "admin_comment": "nil unset",
    "features": "nil unset",
    "prefer": "nil unset",
    "feature_names": " unset",
    "licenses": "nil unset",
    "license_counts": " unset",
    "nodelist": "nil unset",
    "excluded_nodes": "nil unset",
    "tres_per_job": "nil unset",
    "tres_per_node": "nil unset",
    "tres_per_socket": "nil unset",
    "tres_per_task": "nil unset",
    "burst_buffer": "nil unset",
    "network": "nil unset",
    "priority": "nil unset",
    "nice": "nil unset",
    "begin_time": "nil unset",
    "deadline": "nil unset",
    "dependency": "nil unset",
    "requeue": "nil unset",
    "wckey": "nil unset",
    "mail_user": "nil unset",
    "mail_type": "nil unset",
    "work_dir": "@HOME@ set",
    "std_in": "/dev/null set",
    "std_out": "nil unset",
    "std_err": "nil unset",
    "container": "nil unset",
    "extra": "nil unset",
    "submit_host": "@HOST@ set",
    "is_batch": "true set",
    "interactive": "false unset",
    "script": "#!/bin/sh set",
    "script_options": " set",
    "argv": " unset",
    "env": "nil set",
    "exclusive": "false unset",
    "oversubscribe": "nil unset",
    "overcommit": "false unset",
    "contiguous": "false unset",
    "reboot": "false unset",
    "spread_job": "false unset",
    "use_min_nodes": "false unset",
    "enforce_binding": "false unset",
    "disable_binding": "false unset",
    "is_het_part": "false unset",
    "het_offset": "nil unset",
}

# Later releases of sbatch send the nodes that follow from tasks.
NODES_OF_TASKS = "2 set" if slurm_version() >= (24, 11) else "2 unset"

# Commands, or options of `sbatch --hold --wrap=true`, and the fields that they set, or that follow from them.
OPTIONS: dict[str, dict[str, str]] = {
    "--qos=small --time=5": {"qos": "small set", "time_limit": "5 set"},
    "--partition=short": {"partition": "short set", "time_limit": "30 unset"},
    "--account=BIO": {"account": "bio set"},
    "-t UNLIMITED -p short": {"time_limit": "inf set"},
    "--time=1-0 --time-min=5": {"time_limit": "1440 set", "time_min": "5 set"},
    "--job-name=box --comment=words": {"name": "box set", "comment": "words set"},
    "-N2": {"nodes": "2 set", "min_nodes": "2 set", "max_nodes": "2 set", "cpus": "2 error", "memory": "2000 unset"},
    "-N1-2": {"nodes": "2 set", "min_nodes": "1 set", "max_nodes": "2 set", "cpus": "2 error", "memory": "2000 unset"},
    "-n4 -c2": {"tasks": "4 set", "cpus_per_task": "2 set", "cpus": "8 error"},
    "-n4 --ntasks-per-node=2": {"nodes": NODES_OF_TASKS, "tasks_per_node": "2 set"},
    "--ntasks-per-socket=2": {"tasks_per_socket": "2 set"},
    "--mincpus=3": {"mincpus": "3 set", "cpus": "3 error"},
    "--ntasks-per-core=1": {"tasks_per_core": "1 set"},
    "--threads-per-core=1": {"threads_per_core": "1 set"},
    "--mem=300 -N2": {"memory_per_node": "300 set", "memory_per_cpu": "nil unset", "memory": "600 set"},
    "--mem=0": {"memory_per_node": "0 set", "memory": "64000 set"},
    "--mem-per-cpu=200 -n2": {"memory_per_cpu": "200 set", "memory_per_node": "nil unset", "memory": "400 set"},
    "--gpus=2 --mem-per-gpu=100 --cpus-per-gpu=3": {
        "memory_per_gpu": "100 set", "cpus_per_gpu": "3 set", "cpus": "6 error", "memory": "200 set",
        "tres": "billing:6+cpu:6+gres/gpu:2+mem:200+node:1 error",
    },
    "--tmp=5": {"tmp_disk": "5 set"},
    "--switches=2@10:00": {"switches": "2 set", "switches_wait": "600 set"},
    "--core-spec=1": {"core_spec": "1 set", "thread_spec": "nil unset", "exclusive": "true set", "cpus": "32 error"},
    "--thread-spec=1": {"thread_spec": "1 set", "core_spec": "nil unset", "exclusive": "true set", "gpus": "8 unset"},
    "--gpus=2": {"gpus": "2 set", "gpu": "2:any:job set", "gpu_requests": "2:any:job set", "tres_per_job": "gres:gpu:2 set"},
    "--gres=gpu:2": {"gpu": "2:any:node set"},
    "--gpus-per-node=1": {"gpu": "1:any:node set"},
    "-n2 --gpus-per-task=1": {"gpu": "1:any:task set"},
    "--gpus=a100": {"gpus": "1 set", "gpu": "1:a100:job set", "tres_per_job": "gres:gpu:a100 set"},
    "--gres=gpu:a100:2": {
        "gpus": "2 set", "gpu": "2:a100:node set", "gpu_requests": "2:a100:node set", "tres_per_node": "gres:gpu:a100:2 set",
        "tres": "billing:1+cpu:1+gres/gpu:2+gres/gpu:a100:2+mem:1000+node:1 error",
    },
    "--gres=gpu:a100:2,gpu:h100:1": {
        "gpus": "3 set", "gpu": "3:any:node set", "gpu_requests": "2:a100:node+1:h100:node set",
        "tres": "billing:1+cpu:1+gres/gpu:3+gres/gpu:a100:2+gres/gpu:h100:1+mem:1000+node:1 error",
    },
    "--gpus-per-node=h100:1 -N2": {"gpus": "2 set", "gpu": "1:h100:node set", "tres_per_node": "gres:gpu:h100:1 set"},
    "--gpus-per-socket=a100:1 --sockets-per-node=2": {
        "gpus": "2 set", "gpu": "1:a100:socket set", "tres_per_socket": "gres:gpu:a100:1 set",
    },
    "-n2 --gpus-per-task=a100:1": {"gpus": "2 set", "gpu": "1:a100:task set", "tres_per_task": "gres:gpu:a100:1 set"},
    "-n4 --ntasks-per-gpu=2": {"gpus": "2 set", "gpu": "2:any:job set", "tres_per_job": "nil unset"},
    "--gpus=a100:4 --gpus-per-node=a100:2": {
        "nodes": "2 set", "gpus": "4 set", "gpu": "4:a100:job set", "gpu_requests": "4:a100:job+2:a100:node set",
    },
    "--array=1-5:2%2": {"array": "1-5:2%2 set", "array_tasks": "3 set"},
    "--reservation=course": {"reservation": "course set"},
    "-C a&b --prefer=c": {"features": "a&b set", "prefer": "c set", "feature_names": "a+b+c set"},
    "--licenses=matlab:2": {"licenses": "matlab:2 set", "license_counts": "matlab:2 set"},
    "--nodelist=n1": {"nodelist": "n1 set", "excluded_nodes": "nil unset"},
    "--exclude=n2": {"excluded_nodes": "n2 set", "nodelist": "nil unset"},
    "--bb=capacity=1": {"burst_buffer": "capacity=1 set"},
    "--network=sn_single": {"network": "sn_single set"},
    "--nice=7": {"nice": "7 set", "priority": "0 set"},  # as --hold says
    "--begin=2030-01-01T00:00:00": {"begin_time": "1893456000 set"},
    "--deadline=2030-01-02T00:00:00": {"deadline": "1893542400 set"},
    "--dependency=singleton --wckey=key": {"dependency": "singleton set", "wckey": "key set"},
    "--requeue": {"requeue": "true set"},
    "--no-requeue": {"requeue": "false set"},
    "--mail-user=ana@example.org --mail-type=FAIL,END": {"mail_user": "ana@example.org set", "mail_type": "END,FAIL set"},
    "--chdir=/tmp --input=/tmp/i": {"work_dir": "/tmp set", "std_in": "/tmp/i set"},
    "--output=/tmp/%j.out --error=/tmp/%j.err": {"std_out": "/tmp/%j.out set", "std_err": "/tmp/%j.err set"},
    "--container=/tmp/box": {"container": "/tmp/box set"},
    "--exclusive": {"exclusive": "true set", "oversubscribe": "no set"},
    "--exclusive=user": {"exclusive": "false unset", "oversubscribe": "user set"},
    "--exclusive=mcs": {"exclusive": "false unset", "oversubscribe": "mcs set"},
    "--oversubscribe": {"exclusive": "false unset", "oversubscribe": "ok set"},
    "--overcommit --contiguous": {"overcommit": "true set", "contiguous": "true set"},
    "--spread-job": {"spread_job": "true set", "use_min_nodes": "false unset"},
    "--use-min-nodes": {"spread_job": "false unset", "use_min_nodes": "true set"},
    "--gres-flags=enforce-binding": {"enforce_binding": "true set", "disable_binding": "false unset"},
    "--gres-flags=disable-binding": {"enforce_binding": "false unset", "disable_binding": "true set"},
    "sbatch --hold @SCRIPT@ -x two": {
        "script": "#!/bin/sh set", "script_options": "--time=5+-n1 set", "argv": "-x+two set", "env": "red set",
        "name": "job.sh set", "time_limit": "5 set", "tasks": "1 set",
    },
    "salloc --no-shell": {
        "is_batch": "false unset", "interactive": "true set", "script": "nil unset", "script_options": " unset",
        "env": "nil unset", "std_in": "nil unset",
    },
    "srun --output=/dev/null true": {"is_batch": "false unset", "interactive": "true set", "name": "true set"},
}  # fmt: skip

# By root for the user, because slurmctld leaves these to operators.
ROOT_OPTIONS = {
    "--reboot": {"reboot": "true set", "submit_uid": "0 error", "uid": "@UID@ error", "user": "ana error"},
    "--priority=100 --begin=now+1hour": {"priority": "100 set"},
}

# sbatch has these options only since a later release.
NEWER_OPTIONS = {"--extra=words": ((23, 11), {"extra": "words set"})}

# What a change reads of jobs that were submitted with these options.
BEFORE_CHANGE: dict[str, dict[str, str]] = {
    "--account=bio --time=1-0 --time-min=5 -N1-2 -n4 -c2 --ntasks-per-node=4 --ntasks-per-socket=2 --mem=300 --tmp=5": {
        "account": "bio set", "qos": "normal set", "partition": "main set", "time_limit": "1440 set", "time_min": "5 set",
        "nodes": "2 set", "min_nodes": "1 set", "max_nodes": "2 set", "tasks": "4 set", "cpus_per_task": "2 set",
        "tasks_per_node": "4 set", "tasks_per_socket": "2 set", "cpus": "16 error", "memory_per_node": "300 set",
        "memory_per_cpu": "nil unset", "memory": "600 set", "tmp_disk": "5 set", "array_tasks": "1 unset", "submit_uid": "0 error",
    },
    "--gres=gpu:a100:2,gpu:h100:1 --mincpus=3 --threads-per-core=1 --array=1-3 --core-spec=1 --mem-per-cpu=200": {
        "gpu": "3:any:node set", "gpu_requests": "2:a100:node+1:h100:node set", "gpus": "8 set", "mincpus": "3 set",
        "threads_per_core": "1 set", "array": "nil unset", "array_tasks": "1 unset", "core_spec": "1 set", "exclusive": "true set",
        "tres_per_node": "gres:gpu:a100:2,gres:gpu:h100:1 set", "memory_per_cpu": "200 set", "memory": "3200 set",
    },
    "--gpus=4 --cpus-per-gpu=3 --thread-spec=1": {
        "gpu": "4:any:job set", "gpus": "8 set", "cpus_per_gpu": "3 set", "cpus": "32 error", "tres_per_job": "gres:gpu:4 set",
        "thread_spec": "1 set", "exclusive": "true set",
    },
    "-n2 --gpus-per-task=a100:1 -C a&b --prefer=c --licenses=matlab:2 --nodelist=n1 --exclude=n2 --comment=words": {
        "gpu": "1:a100:task set", "tres_per_task": "gres:gpu:a100:1 set", "features": "a&b set", "prefer": "c set",
        "feature_names": "a+b+c set", "licenses": "matlab:2 set", "license_counts": "matlab:2 set", "nodelist": "n1 set",
        "excluded_nodes": "n2 set", "comment": "words set",
    },
    "--gpus-per-socket=a100:1 --sockets-per-node=2 --reservation=course --wckey=key --network=sn_single": {
        "gpu": "1:a100:socket set", "tres_per_socket": "gres:gpu:a100:1 set", "gpus": "2 set", "reservation": "course set",
        "wckey": "key set", "network": "sn_single set",
    },
    "--nice=7 --begin=2030-01-01T00:00:00 --deadline=2030-01-02T00:00:00 --no-requeue --mail-user=ben --mail-type=FAIL,END": {
        "nice": "7 set", "begin_time": "1893456000 set", "deadline": "1893542400 set", "requeue": "false set",
        "mail_user": "ben set", "mail_type": "END,FAIL set", "priority": "0 set",
    },
    "--chdir=/tmp --input=/tmp/i --output=/tmp/%j.out --error=/tmp/%j.err --container=/tmp/box --spread-job": {
        "work_dir": "/tmp set", "std_in": "/tmp/i set", "std_out": "/tmp/%j.out set", "std_err": "/tmp/%j.err set",
        "container": "/tmp/box set", "spread_job": "true set", "script": "nil unset", "is_batch": "true set",
    },
    "--exclusive --overcommit --contiguous --use-min-nodes --gres-flags=enforce-binding": {
        "exclusive": "true set", "oversubscribe": "no set", "overcommit": "true set", "contiguous": "true set",
        "use_min_nodes": "true set", "enforce_binding": "true set", "disable_binding": "false unset",
    },
    "--exclusive=user --gres-flags=disable-binding": {
        "oversubscribe": "user set", "exclusive": "false unset", "disable_binding": "true set", "overcommit": "false unset",
        "comment": "nil unset", "features": "nil unset", "licenses": "nil unset", "reservation": "nil unset", "gpu": "nil unset",
    },
    "--gpus=2 --mem-per-gpu=100 -n6": {
        "memory_per_gpu": "100 set", "memory_per_cpu": "nil unset", "memory_per_node": "nil unset", "memory": "200 set",
        "tasks": "6 set", "cpus": "6 error",
    },
    "-N1-2 --switches=2@10:00": {"tasks": "nil unset", "switches": "nil unset", "switches_wait": "nil unset", "nodes": "2 set"},
    # slurmctld does not show plugins how many tasks share a GPU; where rules run, the plugin names beforehand what follows.
    "-n4 --ntasks-per-gpu=2": {"tasks": "4 set", "gpus": "2 set", "gpu": "2:any:job set", "tres_per_job": "gres:gpu:2 set"},
    "-N1-2 --gres=gpu:1 --ntasks-per-gpu=4": {"tasks": "4 set", "tasks_per_node": "4 set", "gpus": "2 set", "nodes": "2 set"},
    "sbatch --hold --parsable @SCRIPT@ -x two": {"argv": "-x+two set", "env": "red set", "script": "nil unset"},
}  # fmt: skip

IN_OTHER_TESTS = {"is_het_part", "het_offset", "admin_comment"}
WITHOUT_OPTION = {"user", "uid", "submit_uid", "cpus", "tres"}


class EveryField(PluginTestCase):
    slurm_conf = """\
Licenses=matlab:5
AllowSpecResourcesUsage=yes
NodeName=n[1-2] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:4,gpu:h100:4 Feature=a,b,c
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.scontrol(f"create reservation=course users={USER} nodes=n1 starttime=now+1hour duration=30")
        script = cls.cluster.write_beside("job.sh", "#!/bin/sh\n#SBATCH --time=5\n#SBATCH -n1\ntrue\n")
        api = cls.cluster.run([copy_command(cls.cluster), "policy", "api"], check=True).stdout
        cls.fields = re.findall(r"^---@field (\w+) ", api.partition("@class qosgate.Job\n")[2].partition("\nlocal")[0], re.M)
        home = cls.cluster.run("sh -c 'echo $HOME'", USER, check=True).stdout.strip()
        uid = cls.cluster.run("id -u", USER, check=True).stdout.strip()
        cls.names = {"@SCRIPT@": str(script), "@HOME@": home, "@UID@": uid}
        quoted = ", ".join(f'"{name}"' for name in cls.fields)
        cls.put_in_force({"10-read.lua": READ_ALL.replace("@FIELDS@", quoted)})

    def replaced(self, text: str) -> str:
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text

    def fields_in(self, result: CommandResult, part: str = "") -> dict[str, str]:
        """What the rule has read; `part` is "0: " for the first part of a heterogeneous job."""
        return self.fields_of(rf"\w+: {part}", result.stderr)

    def fields_of(self, before: str, text: str) -> dict[str, str]:
        notes = re.findall(rf"^{before}(\| .* \|)$", text, re.M)
        self.assertTrue(notes, text)
        read = {name: value for note in notes for name, value in re.findall(r"(?<=\| )(\w+)=(.*?) (?=\|)", note)}
        # Later releases write "gres/gpu:2" and "gres:gpu=2".
        per = {
            name: re.sub(r"(gres:[\w:]+)=(\d+)", r"\1:\2", value.replace("gres/", "gres:"))
            for name, value in read.items()
            if name.startswith("tres_per_")
        }
        return read | per

    def expect_fields(self, command: str, user: str, expected: dict[str, str]) -> None:
        with self.subTest(command):
            read = self.fields_in(self.cluster.run(self.replaced(command), user, env={"SITE_COLOUR": "red"}))
            wanted = {name: self.replaced(value) for name, value in expected.items()}
            self.assertEqual({name: read.get(name) for name in wanted}, wanted)

    def test_every_field_has_a_row_here(self) -> None:
        self.assertGreater(len(self.fields), 70)
        self.assertEqual(set(PLAIN), set(self.fields))
        rows = [PLAIN, *OPTIONS.values(), *ROOT_OPTIONS.values(), *(row for _, row in NEWER_OPTIONS.values())]
        set_somewhere = {name for row in rows for name, value in row.items() if value.endswith(" set")}
        self.assertEqual(set(self.fields) - set_somewhere - IN_OTHER_TESTS, WITHOUT_OPTION)

    def test_without_options_fields_are_unset_or_the_default(self) -> None:
        result = self.cluster.run("sbatch --parsable --begin=now+1hour --wrap=true", USER, check=True)
        read = self.fields_in(result)
        self.assertRegex(read.pop("begin_time"), r"^\d{10} set$")
        host = self.cluster.job(int(result.stdout))["AllocNode:Sid"].partition(":")[0]
        expected = {name: self.replaced(value).replace("@HOST@", host) for name, value in PLAIN.items()}
        self.assertEqual(expected.pop("begin_time"), "nil unset")
        self.assertEqual(read, expected)

    def test_each_option_is_read_by_its_field(self) -> None:
        for options, expected in OPTIONS.items():
            is_command = options.startswith(("sbatch ", "salloc ", "srun "))
            self.expect_fields(options if is_command else f"sbatch --hold --wrap=true {options}", USER, expected)
        for options, expected in ROOT_OPTIONS.items():
            self.expect_fields(f"sbatch --uid={USER} --chdir=/tmp --wrap=true {options}", "root", expected)
        for options, (since, expected) in NEWER_OPTIONS.items():
            if slurm_version() >= since:
                self.expect_fields(f"sbatch --hold --wrap=true {options}", USER, expected)

    def test_a_part_of_a_heterogeneous_job_knows_its_place(self) -> None:
        result = self.cluster.run("sbatch --hold --wrap=true : -n3", USER, check=True)
        for place, tasks in ("0", "nil unset"), ("1", "3 set"):
            read = self.fields_in(result, f"{place}: ")
            self.assertEqual((read["is_het_part"], read["het_offset"]), ("true set", f"{place} set"))
            self.assertEqual(read["tasks"], tasks)

    def test_each_part_of_a_heterogeneous_job_is_of_the_same_command(self) -> None:
        commands = {
            "sbatch --hold --wrap=true : -n3": "true set",
            "salloc --no-shell : -n3": "false unset",
            "srun --output=/dev/null true : -n3 true": "false unset",
        }
        for command, is_batch in commands.items():
            # What the client says of the parts comes first; it waits if the job does not start here.
            result = self.cluster.run_until(command, USER, "waiting for resources")
            for part in "0: ", "1: ":
                with self.subTest(command, part=part):
                    read = self.fields_in(result, part)
                    self.assertEqual((read["is_batch"], read["interactive"] == "true set"), (is_batch, is_batch != "true set"))

    def before_change(self, job: int | str) -> dict[str, str]:
        mark = len(self.cluster.log("slurmctld"))
        self.cluster.scontrol(f"update jobid={job} name=changed")
        return self.fields_of(".* noted change .*?: rule '10-read' \\(10-read.lua\\): ", self.slurmctld_log_since(mark))

    def test_a_change_knows_the_command_that_sent_the_job(self) -> None:
        job = self.cluster.run("sbatch --hold --parsable --wrap=true : -n3", USER, check=True).stdout.strip()
        for part in f"{job}+0", f"{job}+1":
            self.assertEqual(self.before_change(part)["is_batch"], "true set", part)
        salloc = self.cluster.run("salloc --no-shell", USER)
        granted = re.search(r"Granted job allocation (\d+)", salloc.stderr)
        self.assertTrue(granted, salloc.stderr)
        self.assertEqual(self.before_change(granted[1])["is_batch"], "false unset")
        self.cluster.run(f"scancel {granted[1]}", check=True)

    def test_a_dependency_reads_as_written_at_a_change(self) -> None:
        first = self.cluster.sbatch("--hold", USER).job
        for written in f"afterok:{first}", f"after:{first}+5,afternotok:{first}", f"after:{first}?singleton":
            with self.subTest(written):
                job = self.cluster.sbatch(f"--hold --dependency={written}", USER).job
                self.assertIn("(unfulfilled)", self.cluster.job(job)["Dependency"])
                self.assertEqual(self.before_change(job)["dependency"], f"{written} set")

    def test_a_change_reads_what_the_job_asked_for(self) -> None:
        for options, expected in BEFORE_CHANGE.items():
            with self.subTest(options):
                command = options if options.startswith("sbatch ") else f"sbatch --hold --parsable --wrap=true {options}"
                answer = self.cluster.run(self.replaced(command), USER, check=True, env={"SITE_COLOUR": "red"})
                read = self.before_change(answer.stdout.strip())
                self.assertEqual({name: read.get(name) for name in expected}, expected)

    def test_the_comment_of_an_administrator_is_read_at_a_change(self) -> None:
        job = self.cluster.sbatch("--begin=now+1hour", USER).job
        self.cluster.scontrol(f"update jobid={job} admincomment=open")
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.cluster.scontrol(f"update jobid={job} admincomment=closed", check=False), False)
        self.assertIn("not yet closed", self.slurmctld_log_since(mark))
        self.assertEqual(self.cluster.job(job)["AdminComment"], "open")


if __name__ == "__main__":
    main()
