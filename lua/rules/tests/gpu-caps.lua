-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tests of gpu-caps.lua alone, with data/gpu-caps.csv as it is shipped.

-- A moment, and the GPUs of the user's running jobs.
local function at(time, gpus)
    return {
        now = "2026-07-20 " .. time,
        associations = {
            { level = "user", user = 1000, account = "bio", usage = { tres = { gpu = gpus } } },
            { level = "root", account = "root" },
        },
        partitions = { { name = "main", max_time = 1440 } },
    }
end

test "as many as by day" {
    job = { gpus = 2 },
    given = at("08:00", 0),
    expect = { accept = true },
}
test "one more" {
    job = { gpus = 3 },
    given = at("08:00", 0),
    expect = { reject = "at this hour (08:00 to 08:59) a user may have 2 GPUs at once: your jobs have 0, this one asks for 3" },
}
test "running jobs count" {
    job = { gpus = 1 },
    given = at("17:59", 2),
    expect = { reject = "your jobs have 2, this one asks for 1" },
}
test "running jobs leave one" {
    job = { gpus = 1 },
    given = at("17:59", 1),
    expect = { accept = true },
}
test "more in the evening" {
    job = { gpus = 8 },
    given = at("18:00", 0),
    expect = { accept = true },
}
test "one more in the evening" {
    job = { gpus = 9 },
    given = at("18:00", 0),
    expect = { reject = "a user may have 8 GPUs" },
}
test "until the morning" {
    job = { gpus = 8 },
    given = at("07:59", 0),
    expect = { accept = true },
}
test "a user with a line" {
    job = { gpus = 4, user = "ana" },
    given = at("12:00", 0),
    expect = { accept = true },
}
test "the bound of a user with a line" {
    job = { gpus = 5, user = "ana" },
    given = at("12:00", 0),
    expect = { reject = "a user may have 4 GPUs" },
}
test "where the user has no line, that of everybody counts" {
    job = { gpus = 9, user = "ana" },
    given = at("20:00", 0),
    expect = { reject = "a user may have 8 GPUs" },
}
test "a job without GPUs" {
    job = { cpus = 64 },
    given = at("12:00", 9),
    expect = { accept = true },
}
test "a change to more GPUs" {
    before = { gpus = 1 },
    job = { gpus = 3 },
    given = at("12:00", 0),
    expect = { reject = "this one asks for 3" },
}
test "a change of something else" {
    before = { gpus = 3, time_limit = 60 },
    job = { gpus = 3, time_limit = 30 },
    given = at("12:00", 3),
    expect = { accept = true },
}
