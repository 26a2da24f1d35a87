-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of short-gpu-jobs.lua alone.

test "a short GPU job moves, and the user reads it" {
    job = { partition = "gpu", gpus = 2, time_limit = 30 },
    expect = { job = { partition = "debug" }, warn = "sent to partition debug" },
}
test "a minute more" {
    job = { partition = "gpu", gpus = 2, time_limit = 31 },
    expect = { job = { partition = "gpu" }, warn = false },
}
test "one GPU more" {
    job = { partition = "gpu", gpus = 3, time_limit = 30 },
    expect = { job = { partition = "gpu" } },
}
test "a job without GPUs" {
    job = { partition = "gpu", time_limit = 30 },
    expect = { job = { partition = "gpu" } },
}
test "a job in a reservation" {
    job = { partition = "gpu", gpus = 1, time_limit = 30, reservation = "course" },
    expect = { job = { partition = "gpu" } },
}
test "a job on named nodes" {
    job = { partition = "gpu", gpus = 1, time_limit = 30, nodelist = "gpu17" },
    expect = { job = { partition = "gpu" } },
}
test "without --time it is the partition's default" {
    job = { partition = "gpu", gpus = 1 },
    given = { time_limit = 10 },
    expect = { job = { partition = "debug" } },
}
