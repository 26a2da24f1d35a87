-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of interactive-jobs.lua alone.

test "an interactive job without a partition" {
    job = { is_batch = false, time_limit = 480 },
    given = { partition = "cpu" },
    expect = { accept = true, job = { partition = "interactive", time_limit = 480 }, warn = false },
}
test "a minute more" {
    job = { is_batch = false, time_limit = 481 },
    expect = { reject = "interactive jobs may take 480 minutes: use sbatch for longer ones" },
}
test "without --time it is an hour" {
    job = { is_batch = false },
    expect = { job = { time_limit = 60 }, warn = "set to 60 minutes" },
}
test "an interactive job in another partition" {
    job = { is_batch = false, partition = "cpu", time_limit = "2-0" },
    expect = { accept = true, job = { partition = "cpu" } },
}
test "a batch job" {
    job = { time_limit = "2-0" },
    given = { partition = "cpu" },
    expect = { accept = true, job = { partition = "cpu" } },
}
test "a batch job in their partition or another one" {
    job = { partition = "cpu,interactive" },
    expect = { reject = "partition interactive is for interactive jobs (salloc, srun)" },
}
test "an interactive job in both" {
    job = { is_batch = false, partition = "cpu,interactive", time_limit = 481 },
    expect = { reject = "interactive jobs may take 480 minutes" },
}
test "a batch job in the partition of the others" {
    job = { partition = "interactive" },
    expect = { reject = "partition interactive is for interactive jobs (salloc, srun)" },
}
