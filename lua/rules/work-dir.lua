-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Jobs work in a file system that is made for them.
--
-- Many jobs that write into home directories make them slow for all. This rule looks at the working directory of a job
-- and at its files for output and errors. A file without a path is in the working directory.
--
-- To use it: copy this file into qosgate.d/ (as 20-work-dir.lua, say) and adapt the values below. With mode = "warn"
-- it only tells users.

local forbidden = { "/home", "/root" } -- with all that is below them
local help = "work below /scratch, for example with --chdir=/scratch/$USER"

-- How the paths of their files begin, made once.
local beginnings = {}
for i, directory in ipairs(forbidden) do
    beginnings[i] = directory .. "/"
end

local function check(job, path, what)
    if not path then return end
    path = path .. "/"
    for i = 1, #beginnings do
        if path:find(beginnings[i], 1, true) == 1 then
            job:reject("%s of this job is in %s: %s", what, forbidden[i], help)
        end
    end
end

rule {
    name = "working directory",
    description = "jobs do not work in home directories",
    mode = "enforce",
    on_error = "allow", -- it is advice
    submit = function(job)
        if job.interactive then return end -- salloc and srun start where the user is
        check(job, job.work_dir, "the working directory")
        check(job, job.std_out, "the output file")
        check(job, job.std_err, "the error file")
    end,
    modify = function(job, before)
        if job.work_dir ~= before.work_dir then check(job, job.work_dir, "the working directory") end
        if job.std_out ~= before.std_out then check(job, job.std_out, "the output file") end
        if job.std_err ~= before.std_err then check(job, job.std_err, "the error file") end
    end,
}
