-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of default-time.lua alone.

test "a job on one node" {
    job = { partition = "cpu" },
    expect = { accept = true, job = { time_limit = 240 }, warn = "no --time given: set to 240 minutes" },
}
test "a node more" {
    job = { partition = "cpu", nodes = 2 },
    expect = { job = { time_limit = 60 } },
}
test "the user's own time stays" {
    job = { partition = "cpu", time_limit = "2-0" },
    expect = { job = { time_limit = "2-0" }, warn = false },
}
test "of several partitions the shortest time" {
    job = { partition = "cpu,debug" },
    expect = { job = { time_limit = 15 } },
}
test "a partition without an entry" {
    job = { partition = "cpu,long" },
    given = { time_limit = 30 },
    expect = { job = { time_limit = 30 }, warn = false },
}
test "the default partition counts" {
    given = { partition = "debug" },
    expect = { job = { time_limit = 15 }, warn = "set to 15 minutes" },
}
