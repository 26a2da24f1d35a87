-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of required-options.lua alone.

test "all is given" {
    job = { time_limit = 60, account = "astro" },
    expect = { accept = true },
}
test "no time" {
    job = { account = "astro" },
    given = { time_limit = 60 },
    expect = { reject = "this job needs --time: give the time that the job needs" },
}
test "no account" {
    job = { time_limit = 60 },
    given = { account = "astro" },
    expect = { reject = "this job needs --account: give your project" },
}
test "no memory in a partition that needs it" {
    job = { time_limit = 60, account = "astro", partition = "cpu,large" },
    expect = { reject = "this job needs --mem or --mem-per-cpu: jobs here say" },
}
test "one of two options is enough" {
    job = { time_limit = 60, account = "astro", partition = "large", memory_per_cpu = 1000 },
    expect = { accept = true },
}
test "no memory in another partition" {
    job = { time_limit = 60, account = "astro", partition = "cpu" },
    expect = { accept = true },
}
