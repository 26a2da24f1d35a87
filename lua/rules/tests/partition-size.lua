-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of partition-size.lua alone.

test "a large job" {
    job = { partition = "large", nodes = 8 },
    expect = { accept = true },
}
test "a node less" {
    job = { partition = "large", nodes = 7 },
    expect = { reject = "partition large is for jobs with at least 8 nodes, this one asks for 7: use --partition=cpu" },
}
test "a range counts with its lower end for a minimum" {
    job = { partition = "large", min_nodes = 7, max_nodes = 8 },
    expect = { reject = "at least 8 nodes, this one asks for 7" },
}
test "and with its upper end for a maximum" {
    job = { partition = "small", tasks = 2, min_nodes = 1, max_nodes = 2 },
    expect = { reject = "at most 1 nodes, this one asks for 2" },
}
test "a small job" {
    job = { partition = "small", cpus = 16 },
    expect = { accept = true },
}
test "a CPU more" {
    job = { partition = "small", cpus = 17 },
    expect = { reject = "partition small is for jobs with at most 16 cpus, this one asks for 17" },
}
test "every partition of a list counts" {
    job = { partition = "cpu,small", nodes = 2 },
    expect = { reject = "at most 1 nodes" },
}
test "a partition without bounds" {
    job = { partition = "cpu", nodes = 100 },
    expect = { accept = true },
}
test "a change to a CPU too many" {
    before = { partition = "small", cpus = 16 },
    job = { cpus = 17 },
    expect = { reject = "partition small is for jobs with at most 16 cpus" },
}
test "a change to the other partition" {
    before = { partition = "small", cpus = 16 },
    job = { partition = "cpu", cpus = 17 },
    expect = { accept = true },
}
