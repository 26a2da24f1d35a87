-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of service-isolation.lua alone.

test "a job of a service goes to its partition and QOS" {
    job = { account = "portal" },
    given = { partition = "main", qos = "normal" },
    expect = { accept = true, job = { partition = "portal", qos = "portal" } },
}
test "it may name them" {
    job = { account = "portal", partition = "portal", qos = "portal" },
    expect = { accept = true },
}
test "it runs in no other partition" {
    job = { account = "portal", partition = "main" },
    expect = { reject = "jobs of the web portal run only in partition portal, not in main" },
}
test "each partition of a list counts" {
    job = { account = "portal", partition = "portal,main" },
    expect = { reject = "run only in partition portal, not in main" },
}
test "it runs in no other QOS" {
    job = { account = "portal", qos = "normal" },
    expect = { reject = "jobs of the web portal run only in QOS portal, not in normal" },
}
test "a service may be a user, and have only a QOS" {
    job = { user = "backup" },
    given = { partition = "main", qos = "normal" },
    expect = { accept = true, job = { partition = "main", qos = "backup" } },
}
test "a service is kept out of the partition of another one" {
    job = { user = "backup", partition = "portal" },
    expect = { reject = "partition portal is only for a service" },
}
test "nobody else runs in its partition" {
    job = { account = "bio", partition = "main,portal" },
    expect = { reject = "partition portal is only for a service: name another one with --partition" },
}
test "nobody else has its QOS" {
    job = { account = "bio", qos = "backup" },
    expect = { reject = "QOS backup is only for a service: name another one with --qos" },
}
test "a default partition of a service does not open it" {
    job = { account = "bio" },
    given = { partition = "portal" },
    expect = { reject = "partition portal is only for a service" },
}
test "others run in another partition" {
    job = { account = "bio", partition = "main", qos = "normal" },
    expect = { accept = true },
}
test "a change into the partition of a service" {
    before = { account = "bio", partition = "main" },
    job = { partition = "portal" },
    expect = { reject = "partition portal is only for a service" },
}
test "operators are exempt" {
    job = { account = "bio", partition = "portal", uid = 0 },
    expect = { accept = true },
}
