-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of gpu-partition.lua alone.

test "a job with GPUs and without a partition is sent" {
    job = { gpus = 1 },
    given = { partition = "cpu" },
    expect = { accept = true, job = { partition = "gpu" }, warn = "sent to partition gpu" },
}
test "a job with GPUs in a GPU partition" {
    job = { gpus = 1, partition = "gpu-long" },
    expect = { accept = true, job = { partition = "gpu-long" }, warn = false },
}
test "a job with GPUs in another partition" {
    job = { gpus = 1, partition = "gpu,cpu" },
    expect = { reject = "partition cpu has no GPUs: use --partition=gpu" },
}
test "a job without GPUs in a GPU partition" {
    job = { partition = "cpu,gpu" },
    expect = { reject = "partition gpu is for jobs with GPUs" },
}
test "a job without GPUs in another partition" {
    job = { partition = "cpu" },
    expect = { accept = true, warn = false },
}
test "the default partition may have GPUs" {
    job = { gpus = 2 },
    given = { partition = "gpu-long" },
    expect = { job = { partition = "gpu-long" }, warn = false },
}
test "a change to another partition" {
    before = { gpus = 1, partition = "gpu" },
    job = { partition = "cpu" },
    expect = { reject = "partition cpu has no GPUs" },
}
test "a change to another GPU partition" {
    before = { gpus = 1, partition = "gpu" },
    job = { partition = "gpu-long" },
    expect = { accept = true },
}
