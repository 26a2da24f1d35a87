-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of accounts-by-partition.lua alone.

test "an account of the partition" {
    job = { partition = "gpu", account = "bio" },
    expect = { accept = true },
}
test "another account" {
    job = { partition = "large", account = "bio" },
    expect = { reject = "partition large is not for account bio" },
}
test "every partition of a list counts" {
    job = { partition = "gpu,large", account = "bio" },
    expect = { reject = "partition large is not for account bio" },
}
test "the default account counts" {
    job = { partition = "large" },
    given = { account = "chem" },
    expect = { reject = "partition large is not for account chem" },
}
test "a partition for all" {
    job = { partition = "cpu", account = "chem" },
    expect = { accept = true },
}
test "a job without an account" {
    job = { partition = "large" },
    expect = { reject = "partition large is not for account (none)" },
}
test "a change to a partition of others" {
    before = { partition = "gpu", account = "bio" },
    job = { partition = "large" },
    expect = { reject = "partition large is not for account bio" },
}
test "a change of the account" {
    before = { partition = "gpu", account = "bio" },
    job = { account = "astro" },
    expect = { accept = true },
}
