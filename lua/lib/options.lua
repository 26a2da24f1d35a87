-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options that users must give, and options that they must not give.
--
--   local options = require("options")
--   options.required(job, "account", "projects are listed at https://hpc.example.org/projects")
--   options.forbidden(job, "nodelist", "jobs choose no nodes")

local names = require("names")

local M = {}
local each = names.each

-- How users ask for a field, if not by --FIELD with hyphens.
local written = {
    admin_comment = "AdminComment",
    argv = "arguments of the script",
    array_tasks = "--array",
    begin_time = "--begin",
    burst_buffer = "--bb",
    disable_binding = "--gres-flags=disable-binding",
    enforce_binding = "--gres-flags=enforce-binding",
    env = "an environment",
    excluded_nodes = "--exclude",
    feature_names = "--constraint",
    features = "--constraint",
    gpu = "--gpus",
    gpu_requests = "--gpus",
    het_offset = "a heterogeneous job",
    interactive = "an interactive job",
    is_batch = "a batch job",
    is_het_part = "a heterogeneous job",
    license_counts = "--licenses",
    max_nodes = "--nodes",
    memory = "--mem",
    memory_per_cpu = "--mem-per-cpu",
    memory_per_gpu = "--mem-per-gpu",
    memory_per_node = "--mem",
    min_nodes = "--nodes",
    name = "--job-name",
    script = "a batch script",
    script_options = "a batch script",
    std_err = "--error",
    std_in = "--input",
    std_out = "--output",
    submit_host = "the submit host",
    switches_wait = "--switches",
    tasks = "--ntasks",
    tasks_per_core = "--ntasks-per-core",
    tasks_per_node = "--ntasks-per-node",
    tasks_per_socket = "--ntasks-per-socket",
    time_limit = "--time",
    tmp_disk = "--tmp",
    tres_per_job = "--gpus",
    tres_per_node = "--gres or --gpus-per-node",
    tres_per_socket = "--gpus-per-socket",
    tres_per_task = "--gpus-per-task",
    work_dir = "--chdir",
}

-- The option that sets a field: "--time" for "time_limit".
---@param field string
---@return string
function M.option(field)
    return written[field] or "--" .. field:gsub("_", "-")
end

-- Whether the request gives one of the fields, "memory_per_node,memory_per_cpu".
---@param job qosgate.Job
---@param fields string
---@return boolean
function M.given(job, fields)
    for _, field in each(fields) do
        if job:is_set(field) then return true end
    end
    return false
end

-- Rejects a job whose request gives none of the fields. The help says what to write.
---@param job qosgate.Job
---@param fields string
---@param help string
function M.required(job, fields, help)
    if M.given(job, fields) then return end
    local all = {}
    for _, field in each(fields) do
        all[#all + 1] = M.option(field)
    end
    job:reject("this job needs %s: %s", table.concat(all, " or "), help)
end

-- Rejects a job whose request gives the field. The help says what to do instead.
---@param job qosgate.Job
---@param field string
---@param help string
function M.forbidden(job, field, help)
    if not job:is_set(field) then return end
    job:reject("%s is not allowed here: %s", M.option(field), help)
end

return M
