-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of gpu-type.lua alone.

test "a job without GPUs" {
    job = { cpus_per_task = 4 },
    expect = { accept = true },
}
test "GPUs of a type" {
    job = { partition = "gpu-long", tres_per_node = "gres:gpu:a100:2" },
    expect = { accept = true },
}
test "GPUs of any type" {
    job = { partition = "gpu-long", tres_per_job = "gres:gpu:2" },
    expect = { reject = "name the type of the GPUs: --gpus=a100:2, for example (types: a100, v100)" },
}
test "a type in one of two ways of asking" {
    job = { partition = "gpu-long", tres_per_job = "gres:gpu:2", tres_per_node = "gres:gpu:a100:1" },
    expect = { reject = "name the type of the GPUs" },
}
test "GPUs of any type in another partition" {
    job = { partition = "gpu", tres_per_job = "gres:gpu:2" },
    expect = { accept = true },
}
test "a list with one of the partitions" {
    job = { partition = "gpu,gpu-long", tres_per_job = "gres:gpu:2" },
    expect = { reject = "name the type of the GPUs" },
}
test "a change to one of the partitions" {
    before = { partition = "gpu", tres_per_job = "gres:gpu:2" },
    job = { partition = "gpu-long" },
    expect = { reject = "name the type of the GPUs" },
}
test "another resource needs no type" {
    job = { partition = "gpu-long", tres_per_node = "gres:nvme:1" },
    expect = { accept = true },
}
test "operators are exempt" {
    job = { partition = "gpu-long", tres_per_job = "gres:gpu:2", uid = 0 },
    expect = { accept = true },
}
test "a change to GPUs of any type" {
    before = { partition = "gpu-long", tres_per_node = "gres:gpu:a100:1" },
    job = { tres_per_node = "gres:gpu:4" },
    expect = { reject = "name the type of the GPUs" },
}
test "a change of something else of a job that names none" {
    before = { partition = "gpu-long", tres_per_node = "gres:gpu:4" },
    job = { time_limit = 10 },
    expect = { accept = true },
}
