-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of gpu-shares.lua alone.

test "all that belongs to one GPU" {
    job = { tres_per_node = "gres:gpu:a100:1", cpus = 16, memory = 131072 },
    expect = { accept = true },
}
test "a CPU more" {
    job = { tres_per_node = "gres:gpu:a100:1", cpus = 17 },
    expect = { reject = "this job asks for 17 CPUs; with 1 GPU it may have at most 16" },
}
test "a MiB more" {
    job = { tres_per_node = "gres:gpu:a100:1", cpus = 16, memory = 131073 },
    expect = { reject = "131073 MiB of memory; with 1 GPU it may have at most 131072" },
}
test "twice as much for two GPUs" {
    job = { tres_per_node = "gres:gpu:t4:2", cpus = 16 },
    expect = { accept = true },
}
test "GPUs of any type" {
    job = { gpus = 2, cpus = 17 },
    expect = { reject = "at most 16" },
}
test "a job without GPUs" {
    job = { cpus = 64 },
    expect = { accept = true },
}
test "a change to a CPU too many" {
    before = { tres_per_node = "gres:gpu:a100:1", cpus = 16 },
    job = { cpus = 17 },
    expect = { reject = "this job asks for 17 CPUs" },
}
test "a change to fewer CPUs" {
    before = { tres_per_node = "gres:gpu:a100:1", cpus = 17 },
    job = { cpus = 16 },
    expect = { accept = true },
}
