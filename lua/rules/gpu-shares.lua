-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- No more CPUs and memory than belong to the job's GPUs.
--
-- A job that takes one GPU of a node and all its CPUs leaves the other GPUs without any. This rule bounds CPUs and
-- memory by the GPUs that a job asks for.
--
-- To use it: copy this file into qosgate.d/ (as 30-gpu-shares.lua, say) and adapt the table below. Mode "warn" tells
-- users what would be rejected.

local ratios = require("ratios")

-- What goes with one GPU of a type: CPUs, and MiB of memory. "*" is all other types, and requests without a type.
local per_gpu = {
    a100 = { cpus = 16, memory = 128 * 1024 },
    t4 = { cpus = 8, memory = 48 * 1024 },
    ["*"] = { cpus = 8 },
}

rule {
    name = "CPUs and memory per GPU",
    description = "bounds CPUs and memory by the GPUs of the job",
    mode = "enforce",
    on_error = "deny",
    submit = function(job)
        if job.gpus == 0 then return end
        local problem = ratios.problem(job, per_gpu)
        if problem then job:reject("%s. The other GPUs of the node need the rest", problem) end
    end,
}
