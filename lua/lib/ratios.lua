-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The share of CPUs and memory that belongs to a GPU, by type of GPU.
--
--   local ratios = require("ratios")
--   local per_gpu = { a100 = { cpus = 16, memory = 128 * 1024 }, ["*"] = { cpus = 8 } }
--   local problem = ratios.problem(job, per_gpu)
--   if problem then job:reject(problem) end

local M = {}

local bounds = { cpus = true, memory = true }

-- The share of a type; "*" is every type that has none of its own, and a request without a type.
-- A misspelt bound is an error: it would bound nothing.
local function share_of(per_gpu, gpu_type)
    local share = gpu_type and per_gpu[gpu_type] or per_gpu["*"]
    for name in pairs(share or {}) do
        if not bounds[name] then
            error(("ratios: the share of a GPU has no '%s'; it has cpus and memory"):format(name))
        end
    end
    return share
end

-- The most that the job may have of "cpus" or "memory"; nil: one of its types has no bound.
-- Of several types each one counts as often as it is asked for.
---@param job qosgate.Job
---@param per_gpu table<string, { cpus: integer?, memory: integer? }>
---@param what "cpus"|"memory"
---@return number?
function M.allowed(job, per_gpu, what)
    local wanted = job.gpu and job.gpu.count or 0
    if wanted == 0 then return nil end
    local sum = 0.0 -- a float: a product of integers can overflow
    for _, request in ipairs(job.gpu_requests) do
        local share = share_of(per_gpu, request.type)
        if not share or not share[what] then return nil end
        sum = sum + 1.0 * share[what] * request.count
    end
    -- job.gpu.count is what the user wrote (per node, per task ...), job.gpus what the job gets in all.
    local allowed = sum * job.gpus // wanted
    if allowed ~= allowed then return 0 end -- not a number: inf / inf, or 0 * inf
    return math.tointeger(allowed) or allowed
end

-- What is wrong with the job's CPUs or memory for its GPUs, as a text; nil: nothing, or it has no GPUs.
---@param job qosgate.Job
---@param per_gpu table<string, { cpus: integer?, memory: integer? }>
---@return string?
function M.problem(job, per_gpu)
    local with = job.gpus == 1 and "1 GPU" or ("%.0f GPUs"):format(job.gpus)
    local cpus = M.allowed(job, per_gpu, "cpus")
    if cpus and job.cpus > cpus then
        return ("this job asks for %.0f CPUs; with %s it may have at most %.0f"):format(job.cpus, with, cpus)
    end
    local memory = M.allowed(job, per_gpu, "memory")
    if memory and job.memory > memory then
        local text = "this job asks for %.0f MiB of memory; with %s it may have at most %.0f"
        return text:format(job.memory, with, memory)
    end
    return nil
end

return M
