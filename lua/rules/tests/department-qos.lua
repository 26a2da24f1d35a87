-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of department-qos.lua alone.

local function with_groups(...)
    return { user = { groups = { ... } }, qos = { { name = "physics" }, { name = "biology" }, { name = "normal" } } }
end

test "the group decides" {
    job = { account = "astro" },
    given = with_groups("users", "physics"),
    expect = { accept = true, job = { qos = "physics" } },
}
test "the account decides" {
    job = { account = "guests" },
    given = with_groups("users"),
    expect = { accept = true, job = { qos = "guests" } },
}
test "one of both is enough" {
    job = { account = "bio" },
    given = with_groups("users"),
    expect = { accept = true, job = { qos = "biology" } },
}
test "the first of two departments is the default" {
    job = {},
    given = with_groups("biology", "physics"),
    expect = { accept = true, job = { qos = "physics" } },
}
test "the other one may be named" {
    job = { qos = "biology" },
    given = with_groups("biology", "physics"),
    expect = { accept = true, job = { qos = "biology" } },
}
test "a QOS of another department" {
    job = { qos = "biology" },
    given = with_groups("physics"),
    expect = { reject = "QOS biology is for another department: leave out --qos" },
}
test "each QOS of a list counts" {
    job = { qos = "physics,biology" },
    given = with_groups("physics"),
    expect = { reject = "QOS biology is for another department" },
}
test "a QOS of no department is for all" {
    job = { qos = "normal" },
    given = with_groups("users"),
    expect = { accept = true, job = { qos = "normal" } },
}
test "a user of no department keeps the default QOS" {
    job = {},
    given = { user = { groups = { "users" } }, qos = "normal" },
    expect = { accept = true, job = { qos = "normal" } },
}
test "a default QOS of another department does not open it" {
    job = {},
    given = { user = { groups = { "users" } }, qos = "physics" },
    expect = { reject = "QOS physics is for another department" },
}
test "a change to the QOS of another department" {
    before = { qos = "physics" },
    job = { qos = "biology" },
    given = with_groups("physics"),
    expect = { reject = "QOS biology is for another department" },
}
test "groups that are not known open nothing" {
    job = { qos = "physics", account = "astro" },
    given = { user = { admin_level = "none" } },
    expect = { fails = true },
}
test "operators are exempt" {
    job = { qos = "biology", uid = 0 },
    given = with_groups("users"),
    expect = { accept = true },
}
