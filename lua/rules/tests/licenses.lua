-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of licenses.lua alone.

test "a license by feature" {
    job = { features = "fast&scratch" },
    expect = { accept = true, job = { licenses = "scratch_io:1" }, warn = "license added: scratch_io:1" },
}
test "a license by partition, beside another one" {
    job = { partition = "cad", licenses = "matlab:2" },
    expect = { job = { licenses = "matlab:2,cad:1" } },
}
test "none of the license" {
    job = { partition = "cad", licenses = "matlab:2,cad:0" },
    expect = { job = { licenses = "matlab:2,cad:0,cad:1" }, warn = "license added: cad:1" }, -- the sum counts
}
test "the user's own count stays" {
    job = { partition = "cad", licenses = "cad:4" },
    expect = { job = { licenses = "cad:4" }, warn = false },
}
test "a feature that the job prefers" {
    job = { prefer = "scratch" },
    expect = { job = { licenses = "scratch_io:1" } },
}
test "another feature" {
    job = { features = "scratchless" },
    expect = { accept = true, warn = false },
}
test "a job without features" {
    job = { partition = "cpu" },
    expect = { accept = true, warn = false },
}
