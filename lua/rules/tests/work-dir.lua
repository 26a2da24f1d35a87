-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of work-dir.lua alone.

test "a job in the right place" {
    job = { work_dir = "/scratch/ana", std_out = "out.txt" },
    expect = { accept = true },
}
test "a job in a home directory" {
    job = { work_dir = "/home/ana/run" },
    expect = { reject = "the working directory of this job is in /home: work below /scratch" },
}
test "the directory itself" {
    job = { work_dir = "/home" },
    expect = { reject = "the working directory" },
}
test "a name that only begins so" {
    job = { work_dir = "/homes/ana" },
    expect = { accept = true },
}
test "the output counts" {
    job = { work_dir = "/scratch/ana", std_out = "/home/ana/out.txt" },
    expect = { reject = "the output file of this job is in /home" },
}
test "an interactive job" {
    job = { work_dir = "/home/ana", is_batch = false },
    expect = { accept = true },
}
test "a change of the working directory" {
    before = { work_dir = "/scratch/ana" },
    job = { work_dir = "/home/ana" },
    expect = { reject = "the working directory of this job is in /home" },
}
test "a change of the output" {
    before = { work_dir = "/scratch/ana", std_out = "out.txt" },
    job = { std_out = "/home/ana/out.txt" },
    expect = { reject = "the output file" },
}
test "a change of a job that is there already" {
    before = { work_dir = "/home/ana" },
    job = { std_out = "/scratch/ana/out.txt" },
    expect = { accept = true },
}
