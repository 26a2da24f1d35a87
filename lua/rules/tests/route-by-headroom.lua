-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of route-by-headroom.lua alone.

-- The user's running jobs leave 1 of 4 CPUs in short and 4 of 8 in normal; long takes jobs of 2 CPUs.
local world = {
    qos = {
        { name = "short", MaxTRESPerUser = { cpu = 4 }, usage = { users = { [1000] = { tres = { cpu = 3 } } } } },
        { name = "normal", MaxTRESPerUser = { cpu = 8 }, usage = { users = { [1000] = { tres = { cpu = 4 } } } } },
        { name = "long", MaxTRESPerJob = { cpu = 2 }, GrpTRES = { cpu = 100 }, usage = { tres = { cpu = 97 } } },
    },
    partitions = { { name = "main", max_time = 1440 } },
}

test "the QOS with the most room" {
    job = { tasks = 1 },
    given = world,
    expect = { accept = true, job = { qos = "normal" } },
}
test "a QOS whose limit on one job is exceeded is passed over" {
    job = { tasks = 4 },
    given = world,
    expect = { accept = true, job = { qos = "normal" } },
}
test "of the others the one with the most room" {
    job = { tasks = 1 },
    given = {
        qos = { { name = "short", MaxTRESPerUser = { cpu = 4 } }, { name = "normal", MaxTRESPerUser = { cpu = 2 } } },
        partitions = world.partitions,
    },
    expect = { accept = true, job = { qos = "short" } },
}
test "the first one of those with equal room" {
    job = { tasks = 1 },
    given = { qos = { { name = "normal" }, { name = "short" } }, partitions = world.partitions },
    expect = { accept = true, job = { qos = "short" } },
}
test "the only one that takes the job" {
    job = { tasks = 2 },
    given = {
        qos = {
            { name = "short", MaxTRESPerJob = { cpu = 1 } },
            { name = "normal", GrpTRES = { cpu = 4 }, usage = { tres = { cpu = 3 } } },
            { name = "long", GrpTRES = { cpu = 4 }, usage = { tres = { cpu = 2 } } },
        },
        partitions = world.partitions,
    },
    expect = { accept = true, job = { qos = "long" } },
}
test "a QOS that the user names stays" {
    job = { tasks = 1, qos = "short" },
    given = world,
    expect = { accept = true, job = { qos = "short" } },
}
