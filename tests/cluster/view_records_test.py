# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules read as `view`, beside what scontrol and sacctmgr show; and which QOS `route` chooses by it."""

from __future__ import annotations

import datetime
import re

from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.whole_files import replace_directory

OTHER_USER = "ben"

# Limits of QOS full. All values differ, so that none is taken for another.
QOS_LIMITS = {
    "MaxTRESPerJob": "cpu=101,gres/gpu=11",
    "MaxTRESPerNode": "cpu=102",
    "MaxTRESPerUser": "cpu=103,license/matlab=4",
    "MaxTRESPerAccount": "cpu=104",
    "GrpTRES": "cpu=105,mem=7000000",
    "MaxTRESMinsPerJob": "cpu=100006",
    "GrpTRESMins": "cpu=100007",
    "GrpTRESRunMins": "cpu=100008",
    "MaxTRESRunMinsPerAccount": "cpu=100009",
    "MaxTRESRunMinsPerUser": "cpu=100010",
    "MinTRESPerJob": "cpu=1",
    "GrpJobs": "111",
    "MaxJobsPerUser": "112",
    "MaxJobsPerAccount": "113",
    "GrpSubmitJobs": "114",
    "MaxSubmitJobsPerUser": "115",
    "MaxSubmitJobsPerAccount": "116",
    "MaxWall": "117",
    "GrpWall": "100018",
}
QOS_FLAGS = "DenyOnLimit,NoDecay,PartitionMaxNodes,RequiresReservation"
ALL_FLAGS = (
    "DenyOnLimit EnforceUsageThreshold NoDecay OverPartQOS PartitionMaxNodes PartitionMinNodes PartitionTimeLimit"
    " RequiresReservation UsageFactorSafe"
)
ASSOCIATION_LIMITS = {
    "MaxTRESPerJob": "cpu=201,gres/gpu=21",
    "MaxTRESPerNode": "cpu=202",
    "GrpTRES": "cpu=203",
    "MaxTRESMinsPerJob": "cpu=200004",
    "GrpTRESMins": "cpu=200005",
    "GrpTRESRunMins": "cpu=200006",
    "GrpJobs": "207",
    "MaxJobs": "208",
    "GrpSubmitJobs": "209",
    "MaxSubmitJobs": "210",
    "MaxWall": "200011",
    "GrpWall": "200012",
}
# What sacctmgr calls otherwise.
SACCTMGR_NAMES = {"GrpSubmitJobs": "GrpSubmit", "MaxSubmitJobs": "MaxSubmit", "MaxTRESPerJob": "MaxTRES"}
SACCTMGR_NAMES |= {"MinTRESPerJob": "MinTRES"}
SACCTMGR_NAMES |= {"MaxTRESMinsPerJob": "MaxTRESMins", "MaxTRESRunMinsPerAccount": "MaxTRESRunMinsPA"}
SACCTMGR_NAMES |= {"MaxTRESRunMinsPerUser": "MaxTRESRunMinsPU"}
PARTITION_FIELDS = (
    "Default State MaxTime DefaultTime MinNodes MaxNodes MaxCPUsPerNode DefMemPerCPU DefMemPerNode MaxMemPerCPU MaxMemPerNode"
    " QoS AllowQos DenyQos AllowAccounts DenyAccounts Hidden RootOnly ReqResv PriorityTier PriorityJobFactor TotalNodes TotalCPUs"
)

RULE = """
local route = require("route")
local site = require("sites")

local function show(value)
    if type(value) ~= "table" and type(value) ~= "userdata" then return tostring(value) end
    local all, is_list = {}, false
    for key, one in pairs(value) do
        is_list = type(key) == "number"
        all[#all + 1] = is_list and one or key .. "=" .. one
    end
    if not is_list then table.sort(all) end
    return table.concat(all, ",")
end

-- Notes the fields as "NAME:VALUE".
local function tell(job, record, names)
    local all = {}
    for name in names:gmatch("%S+") do all[#all + 1] = name .. ":" .. show(record[name]) end
    job:note("read %s .", table.concat(all, " "))
end

local function tell_usage(job, usage)
    job:note("used %d %d %d %d.", usage.jobs, usage.submit_jobs, usage.tres.cpu, usage.tres_run_minutes.cpu)
end

local function set(object, field, value) object[field] = value end

local cases = {
    partition = function(job, view)
        tell(job, view.partition(job.comment), "@PARTITION@")
    end,
    qos = function(job, view)
        tell(job, view.qos(job.comment), "name Priority @QOS@")
        tell(job, view.qos(job.comment).Flags, "@FLAGS@")
    end,
    association = function(job, view)
        local own = view.association()
        tell(job, own, "account user partition @ASSOCIATION@")
        tell(job, own.parent, "account user GrpTRES GrpJobs GrpSubmitJobs GrpWall")
        job:note("root is %s: %s.", own.parent.parent.account, own.parent.parent.parent)
    end,
    cluster = function(job, view)
        tell(job, view.cluster, "name default_partition DefMemPerCPU DefMemPerNode MaxMemPerCPU MaxMemPerNode MaxArraySize")
    end,
    reservation = function(job, view)
        local found = view.reservation(job.comment)
        if found then tell(job, found, "name Users Accounts PartitionName StartTime EndTime") end
    end,
    usage = function(job, view)
        local qos = view.qos("room")
        tell_usage(job, qos.usage)
        tell_usage(job, qos.user_usage)
        tell_usage(job, qos.account_usage)
        tell_usage(job, view.association().usage)
        tell_usage(job, view.association().parent.usage)
        local left = qos:headroom()
        job:note("left %d %d %d %d %d %d %s.", left.jobs, left.submit_jobs, left.tres.cpu, left.tres_run_minutes.cpu,
            left.tres_minutes.cpu, left.wall_minutes, left.tres.node)
    end,
    unlimited = function(job, view)
        local left = view.qos("other"):headroom()
        job:note("left %s %s %s %s %s.", left.jobs, left.submit_jobs, left.tres.cpu, left.tres_minutes.cpu, left.wall_minutes)
    end,
    route = function(job, view)
        local options = { candidates = { "nosuch", "other", "tight", "low", "high" }, choose = job.comment }
        local qos, why = route.choose(job, view, options)
        if qos then job.qos = qos else job:reject("no QOS: %s", why) end
    end,
    write = function(job, view)
        local list = { view.now, view.cluster, view.user, view.qos("normal"), view.qos("full").MaxTRESPerUser,
            view.partition("main"), view.qos_allowed(), view.association(), view, route, site, site.limits, job.argv }
        for place, object in ipairs(list) do
            local is_written, why = pcall(set, object, "hour", 1)
            if is_written then job:note("object %d can be written", place) end
            if place == 10 or place == 12 then job:note("%s", why) end
        end
        job:note("tried %d: %d %s.", #list, site.limits.hour, pcall(set, {}, "hour", 1))
    end,
}

rule {
    name = "reader",
    submit = function(job, view)
        if cases[job.name] then cases[job.name](job, view) end
    end,
    modify = function(job, before, view)
        local most = view.partition(job.partition).MaxTime
        if job.time_limit > most then
            job:reject("%d minutes in %s, not %d: %s of %s, %d jobs, by %s", most, job.partition, job.time_limit,
                before.partition, view.user.name, view.jobs{ user = job.user }, view.sender.name or view.sender.uid)
        end
    end,
}
"""


def in_words(field: str, shown: str | None) -> str:
    """What scontrol shows, as a rule reads it."""
    if shown is None or (shown in ("ALL", "N/A", "NONE") and field != "State"):
        return "nil"
    if shown == "UNLIMITED":
        return "nil" if "Mem" in field else "inf"
    if shown in ("YES", "NO"):
        return {"YES": "true", "NO": "false"}[shown]
    if field in ("MaxTime", "DefaultTime"):
        days, _, rest = shown.rpartition("-")
        hours, minutes, _ = map(int, rest.split(":"))
        return str((int(days or 0) * 24 + hours) * 60 + minutes)
    return shown


def minutes_of(shown: str) -> str:
    """Of a limit on wall time, as sacctmgr shows it; other texts are left alone."""
    return in_words("MaxTime", shown) if ":" in shown else shown


class ViewRecords(PluginTestCase):
    options = ("--gpus", "4", "--licenses", "matlab:9")
    slurm_conf = """\
MaxMemPerCPU=30000
MaxArraySize=77
PartitionName=rich Nodes=ALL MaxTime=1-2:03 DefaultTime=20 MinNodes=1 MaxNodes=2 MaxCPUsPerNode=8 DefMemPerCPU=500 \
MaxMemPerCPU=2000 AllowAccounts=astro,bio Hidden=YES PriorityTier=5 PriorityJobFactor=3
PartitionName=poor Nodes=node1 DefMemPerNode=900 MaxMemPerNode=1900 DenyAccounts=bio State=DRAIN \
RootOnly=YES ReqResv=YES
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        limits, own_limits = (
            " ".join(f"{SACCTMGR_NAMES.get(name, name)}={value}" for name, value in values.items())
            for values in (QOS_LIMITS, ASSOCIATION_LIMITS)
        )
        for line in (
            f"add qos full Priority=40 Flags={QOS_FLAGS} {limits}",
            "add qos room MaxJobsPerUser=5 GrpJobs=9 GrpSubmitJobs=8 MaxTRESPerUser=cpu=20 GrpTRESRunMins=cpu=1000"
            " GrpTRESMins=cpu=5000 GrpWall=700 Flags=NoDecay",
            "add qos low Priority=10",
            "add qos high Priority=50",
            "add qos tight Priority=70 MaxTRESPerJob=cpu=1",
            f"add user {OTHER_USER} account=astro qos=room",
            f"modify user {USER} set qos+=room,low,high,tight",
            f"modify user {USER} account=astro set {own_limits}",
            "modify account astro set GrpTRES=cpu=301 GrpJobs=302",
        ):
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol("update partitionname=rich qos=other allowqos=normal,full")
        cls.cluster.scontrol("update partitionname=poor denyqos=small,other")
        text = RULE.replace("@PARTITION@", PARTITION_FIELDS).replace("@FLAGS@", ALL_FLAGS)
        text = text.replace("@QOS@", " ".join(QOS_LIMITS)).replace("@ASSOCIATION@", " ".join(ASSOCIATION_LIMITS))
        mark = len(cls.cluster.log("slurmctld"))
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        files = {"10-reader.lua": text, "lib/sites.lua": "return { limits = { hour = 8 } }\n"}
        replace_directory(cls.directory, files)
        cls.cluster.wait_for(lambda: ": in force: " in cls.cluster.log("slurmctld")[mark:], "the rule is in force")
        cls.expected_errors.append("slurmctld has just changed its partitions")
        cls.cluster.wait_for(
            lambda: "DenyQos:small,other" in cls.cluster.sbatch("--hold -J partition --comment=poor", USER).stderr,
            "the rule sees the changed partitions",
        )
        cls.cluster.run(f"scancel --user={USER}", check=True)

    def ask(self, case: str, comment: str = "") -> str:
        """What the rule tells about a record."""
        answer = self.submit(f"--hold -J {case} --comment={comment}")
        self.expect(answer, True)
        return answer.stderr

    def fields_of(self, told: str) -> list[dict[str, str]]:
        return [dict(word.split(":", 1) for word in line.split()) for line in re.findall(r"read (.*) \.$", told, re.M)]

    def test_a_partition_reads_as_scontrol_shows_it(self) -> None:
        for name in ("main", "rich", "poor"):
            with self.subTest(name):
                shown = self.cluster.scontrol(f"show partition -o {name}").stdout
                expected = dict(word.split("=", 1) for word in shown.split() if "=" in word)
                (read,) = self.fields_of(self.ask("partition", name))
                self.assertEqual(read, {field: in_words(field, expected.get(field)) for field in PARTITION_FIELDS.split()})

    def shown_by_sacctmgr(self, what: str, limits: dict[str, str]) -> dict[str, str]:
        columns = ",".join(SACCTMGR_NAMES.get(name, name) for name in limits)
        line = self.cluster.sacctmgr(f"-nP show {what} format={columns}").stdout.splitlines()[0]
        return dict(zip(limits, map(minutes_of, line.split("|")), strict=True))

    def test_a_qos_reads_as_sacctmgr_shows_it(self) -> None:
        shown = self.shown_by_sacctmgr("qos full", QOS_LIMITS)
        self.assertEqual(len(set(shown.values())), len(shown))
        read, flags = self.fields_of(self.ask("qos", "FULL"))
        self.assertEqual((read.pop("name"), read.pop("Priority")), ("full", "40"))
        self.assertEqual({name: with_mib(value) for name, value in shown.items()}, read)
        self.assertEqual(",".join(name for name, value in flags.items() if value == "true"), QOS_FLAGS)
        read, flags = self.fields_of(self.ask("qos", "other"))
        self.assertEqual({read[name] for name in QOS_LIMITS}, {"", "nil"})
        self.assertEqual(set(flags.values()), {"false"})

    def test_an_association_reads_as_sacctmgr_shows_it(self) -> None:
        shown = self.shown_by_sacctmgr(f"assoc where user={USER} account=astro", ASSOCIATION_LIMITS)
        self.assertEqual(len(set(shown.values())), len(shown))
        told = self.ask("association")
        own, account = self.fields_of(told)
        self.assertEqual((own.pop("account"), own.pop("user"), own.pop("partition")), ("astro", USER, "nil"))
        self.assertEqual(own, shown)
        self.assertEqual(
            account,
            {"account": "astro", "user": "nil", "GrpTRES": "cpu=301", "GrpJobs": "302", "GrpSubmitJobs": "nil", "GrpWall": "nil"},
        )
        self.assertIn("root is root: nil.", told)

    def test_the_cluster_reads_as_scontrol_shows_it(self) -> None:
        config = dict(re.findall(r"^(\w+)\s+= (\S+)", self.cluster.scontrol("show config").stdout, re.M))
        (read,) = self.fields_of(self.ask("cluster"))
        self.assertEqual((read["name"], read["default_partition"]), (config["ClusterName"], "main"))
        for field in ("DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode", "MaxArraySize"):
            self.assertEqual(read[field], config.get(field, "nil"), field)
        self.assertEqual((read["MaxMemPerCPU"], read["MaxArraySize"]), ("30000", "77"))

    def test_a_reservation_reads_as_scontrol_shows_it(self) -> None:
        self.expected_errors.append("slurmctld has just changed its reservations")
        for place, (name, options) in enumerate(
            {
                "lab": "accounts=astro,bio partitionname=short flags=part_nodes",
                "guests": f"users={USER},{OTHER_USER}",
            }.items()
        ):
            self.cluster.scontrol(
                f"create reservation={name} {options} nodes=ALL starttime=now+{place + 1}hours duration=30"
            )
            self.addCleanup(self.cluster.scontrol, f"delete reservation={name}")
        for name in ("lab", "guests"):
            with self.subTest(name):
                told = []

                def is_read(name: str = name, told: list = told) -> bool:
                    told.append(self.submit(f"--hold -J reservation --comment={name}").stderr)
                    return "read name:" in told[-1]

                self.cluster.wait_for(is_read, "the rule sees the reservation")
                shown = dict(re.findall(r"(\w+)=(\S+)", self.cluster.scontrol(f"show reservation {name}").stdout))
                for time in ("StartTime", "EndTime"):
                    shown[time] = str(int(datetime.datetime.fromisoformat(shown[time]).timestamp()))
                expected = {"name": name}
                for field in ("Users", "Accounts", "PartitionName", "StartTime", "EndTime"):
                    expected[field] = "nil" if shown[field] == "(null)" else shown[field]
                self.assertEqual(self.fields_of(told[-1]), [expected])

    def test_usage_and_headroom_are_those_of_running_jobs(self) -> None:
        for user, options in ((USER, "-A astro -n2 -t 10"), (OTHER_USER, "-A astro -n3 -t 20"), (USER, "-A bio -n4 -t 30")):
            self.cluster.wait_job(self.cluster.sbatch(f"--qos=room {options}", user).job, "RUNNING")
        self.submit("--hold --qos=room -A astro -t 5")
        told = re.findall(r"used (\d+) (\d+) (\d+)", self.ask("usage"))
        whole, of_user, of_account, of_association, above = told
        self.assertEqual(whole, ("3", "4", "9"))
        self.assertEqual(of_user, ("2", "3", "6"))
        self.assertEqual(of_account, ("2", "3", "5"))
        self.assertEqual((of_association[0], of_association[2]), ("1", "2"))
        self.assertEqual((above[0], above[2]), ("2", "5"))
        shown = self.cluster.scontrol("show assoc_mgr flags=qos qos=room").stdout
        self.assertIn("GrpJobs=9(3)", shown)
        self.assertIn("GrpSubmitJobs=8(4)", shown)
        run_minutes = int(re.search(r"GrpTRESRunMins=cpu=1000\((\d+)\)", shown)[1])
        left = list(map(int, re.search(r"left (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) nil", self.ask("usage")).groups()))
        self.assertEqual(left[:3], [3, 4, 14])
        self.assertAlmostEqual(left[3], 1000 - run_minutes, delta=2)
        self.assertAlmostEqual(left[4], 5000, delta=5)
        self.assertAlmostEqual(left[5], 700, delta=2)
        self.assertIn("left nil nil nil nil nil.", self.ask("unlimited"))
        self.cluster.run(f"scancel --user={OTHER_USER}")

    def test_a_change_is_judged_by_the_view(self) -> None:
        job = self.cluster.sbatch("--hold --time=50 -p main", USER).job
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.cluster.run(f"scontrol update jobid={job} partition=short", USER), True)
        self.expect(self.cluster.run(f"scontrol update jobid={job} partition=main", USER), True)
        self.expect(self.cluster.run(f"scontrol update jobid={job} timelimit=90", "root"), True)
        self.assertNotIn("rejected", self.slurmctld_log_since(mark))
        for user, by in ((USER, USER), ("root", "root")):
            mark = len(self.cluster.log("slurmctld"))
            self.expect(self.cluster.run(f"scontrol update jobid={job} partition=short", user), False)
            self.assertRegex(
                self.slurmctld_log_since(mark), f"60 minutes in short, not 90: main of {USER}, 1 jobs, by ({by}|0)\n"
            )

    def test_route_takes_the_first_that_fits_or_the_one_with_the_highest_priority(self) -> None:
        for choose, options, qos in (
            ("first_fit", "-n1", "tight"),
            ("first_fit", "-n2", "low"),
            ("highest_priority", "-n1", "tight"),
            ("highest_priority", "-n2", "high"),
        ):
            with self.subTest(f"{choose} {options}"):
                answer = self.submit(f"--hold -t 5 -J route --comment={choose} {options}")
                self.expect(answer, True)
                self.assertEqual(self.cluster.job(int(answer.stdout.split()[-1]))["QOS"], qos)
                self.expect(self.submit(f"--hold -t 5 -J route --comment={choose} -n 5000"), False, "no QOS: QOS ")

    def test_what_view_and_modules_give_cannot_be_written(self) -> None:
        told = self.ask("write")
        self.assertNotIn("can be written", told)
        self.assertIn("module 'route' cannot be changed (field 'hour')", told)
        self.assertIn("module 'sites' cannot be changed (field 'hour')", told)
        self.assertIn("tried 13: 8 true.", told)


def with_mib(value: str) -> str:
    """TRES as sacctmgr shows them, with memory as a plain number and in the order of a rule."""
    return ",".join(sorted(re.sub(r"^mem=(\d+)M$", r"mem=\1", part) for part in value.split(",")))


if __name__ == "__main__":
    main()
