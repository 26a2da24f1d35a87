-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The maximum of tasks in a job array, by QOS.
--
-- MaxArraySize is one number for the cluster. This rule bounds arrays by the QOS of the job.
--
-- To use it: copy this file into qosgate.d/ (as 20-array-size.lua, say) and adapt the table below.

-- "*" is every QOS that is not named; without it those have no bound here.
local max_tasks = { long = 10, ["*"] = 1000 }

rule {
    name = "array size",
    description = "bounds the number of tasks of a job array by QOS",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" }, -- for a change, rules see one task
    submit = function(job)
        local most = max_tasks[job.qos or "*"] or max_tasks["*"]
        if most and job.array_tasks > most then
            job:reject(
                "job arrays with QOS %s may have %d tasks, this one has %d: submit smaller ones, or do more in a task",
                job.qos or "(none)", most, job.array_tasks
            )
        end
    end,
}
