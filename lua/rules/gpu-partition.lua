-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- GPU partitions are for jobs with GPUs, and jobs with GPUs go there.
--
-- A job that asks for GPUs and names no partition is sent to a GPU partition. A job without GPUs that names one is
-- rejected, and so is a job with GPUs that names another partition.
--
-- To use it: copy this file into qosgate.d/ (as 10-gpu-partition.lua, say) and adapt the values below.

local names = require("names")

local gpu_partitions = names.set { "gpu", "gpu-long" } -- partitions with GPUs
local send_to = "gpu"                                  -- for jobs with GPUs that name no partition

rule {
    name = "GPU partitions",
    description = "jobs with GPUs go to GPU partitions, and no others do",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job)
        local has_gpus = job.gpus > 0
        if has_gpus and not job:is_set("partition") then
            if gpu_partitions[job.partition] then return end -- the default partition has GPUs
            job.partition = send_to
            job:note("this job asks for GPUs: sent to partition %s", send_to)
            return
        end
        for _, partition in names.each(job.partition) do
            if has_gpus and not gpu_partitions[partition] then
                job:reject("partition %s has no GPUs: use --partition=%s", partition, send_to)
            elseif gpu_partitions[partition] and not has_gpus then
                job:reject("partition %s is for jobs with GPUs: add --gpus=1, or use another partition", partition)
            end
        end
    end,
}
