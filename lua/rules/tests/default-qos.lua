-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of default-qos.lua alone: each boundary of its table from both sides.

test "a short job with one GPU" {
    job = { partition = "gpu", gpus = 1, time_limit = "1:00:00" },
    expect = { accept = true, job = { qos = "gpu-short" } },
}
test "a minute more" {
    job = { partition = "gpu", gpus = 1, time_limit = 61 },
    expect = { job = { qos = "gpu-normal" } },
}
test "two GPUs" {
    job = { partition = "gpu", gpus = 2, time_limit = 60 },
    expect = { job = { qos = "gpu-normal" } },
}
test "eight GPUs" {
    job = { partition = "gpu", gpus = 8, time_limit = 60 },
    expect = { job = { qos = "gpu-normal" } },
}
test "nine GPUs" {
    job = { partition = "gpu", gpus = 9, time_limit = 60 },
    expect = { job = { qos = "gpu-large" } },
}
test "without --time it is the partition's default" {
    job = { partition = "gpu", gpus = 1 },
    given = { time_limit = 30 },
    expect = { job = { qos = "gpu-short" } },
}
test "without any time limit the job is a long one" {
    job = { partition = "gpu", gpus = 1 },
    expect = { job = { qos = "gpu-normal" } },
}
test "the default partition counts" {
    job = { nodes = 1, time_limit = "1-00:00:00" },
    given = { partition = "cpu" },
    expect = { job = { qos = "cpu-small" } },
}
test "the user's own choice stays" {
    job = { partition = "gpu", gpus = 9, qos = "mine" },
    expect = { accept = true, job = { qos = "mine" } },
}
test "partitions that do not agree leave the default QOS" {
    job = { partition = "gpu,cpu", gpus = 1, time_limit = 60 },
    given = { qos = "normal" },
    expect = { job = { qos = "normal" }, warn = false },
}
