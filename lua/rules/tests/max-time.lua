-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of max-time.lua alone.

test "the longest time" {
    job = { partition = "long", account = "bio", time_limit = "7-0" },
    expect = { accept = true },
}
test "a minute more" {
    job = { partition = "long", account = "bio", time_limit = 10081 },
    expect = { reject = "jobs of account bio in partition long may take 10080 minutes: use --time=10080 or less" },
}
test "an account with more" {
    job = { partition = "long", account = "astro", time_limit = "14-0" },
    expect = { accept = true },
}
test "every partition of a list counts" {
    job = { partition = "long,debug", account = "astro", time_limit = 31 },
    expect = { reject = "in partition debug may take 30 minutes" },
}
test "without --time it is the partition's default" {
    job = { partition = "debug" },
    given = { account = "bio", time_limit = 31 },
    expect = { reject = "may take 30 minutes" },
}
test "a partition without a bound" {
    job = { partition = "cpu", account = "bio", time_limit = "100-0" },
    expect = { accept = true },
}
test "a change to a minute too long" {
    before = { partition = "long", account = "bio", time_limit = 60 },
    job = { time_limit = 10081 },
    expect = { reject = "may take 10080 minutes" },
}
test "a change to the longest time" {
    before = { partition = "long", account = "bio", time_limit = 60 },
    job = { time_limit = 10080 },
    expect = { accept = true },
}
test "a change of the name is not looked at" {
    before = { partition = "long", account = "bio", time_limit = 10081 },
    job = { name = "other" },
    expect = { accept = true, runs = false },
}
