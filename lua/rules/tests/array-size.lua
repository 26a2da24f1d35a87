-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of array-size.lua alone.

test "as many tasks as are allowed" {
    job = { array = "1-1000", array_tasks = 1000, qos = "normal" },
    expect = { accept = true },
}
test "a task more" {
    job = { array = "0-1000", array_tasks = 1001, qos = "normal" },
    expect = { reject = "job arrays with QOS normal may have 1000 tasks, this one has 1001" },
}
test "a QOS with a bound of its own" {
    job = { array = "1-11", array_tasks = 11, qos = "long" },
    expect = { reject = "with QOS long may have 10 tasks" },
}
test "the default QOS counts" {
    job = { array = "1-11", array_tasks = 11 },
    given = { qos = "long" },
    expect = { reject = "with QOS long may have 10 tasks" },
}
test "a job without an array" {
    job = { qos = "long" },
    expect = { accept = true },
}
test "a QOS with a bound of its own, up to it" {
    job = { array = "1-10", array_tasks = 10, qos = "long" },
    expect = { accept = true },
}
