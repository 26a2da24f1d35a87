-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of forbidden-options.lua alone.

test "none of them is given" {
    job = { nodes = 2 },
    expect = { accept = true },
}
test "a list of nodes" {
    job = { nodelist = "node[1-4]" },
    expect = { reject = "--nodelist is not allowed here: the scheduler chooses the nodes" },
}
test "whole nodes" {
    job = { exclusive = true },
    expect = { reject = "--exclusive is not allowed here: ask for the CPUs that you need" },
}
test "root is exempt" {
    job = { nodelist = "node1", uid = 0 },
    expect = { accept = true },
}
test "both are reported one at a time" {
    job = { nodelist = "node1", exclusive = true },
    expect = { reject = "--nodelist is not allowed here" },
}
test "excluded nodes are no list of nodes" {
    job = { excluded_nodes = "node1" },
    expect = { accept = true },
}
test "a change cannot add one" {
    before = { nodes = 2 },
    job = { nodelist = "node[1-2]" },
    expect = { reject = "--nodelist is not allowed here" },
}
test "whole nodes in a change" {
    before = { nodes = 2 },
    job = { exclusive = true },
    expect = { reject = "--exclusive is not allowed here" },
}
test "a change of a job that has one" {
    before = { nodelist = "node1" },
    job = { time_limit = 10 },
    expect = { accept = true },
}
test "a change of something else" {
    before = { nodes = 2 },
    job = { nodes = 3 },
    expect = { accept = true },
}
