-- SPDX-License-Identifier: GPL-2.0-or-later
-- Objects with metatables, closures and a dispatcher.
--: submit --time=5
--: submit --time=500 -n4
local Rule = {}
Rule.__index = Rule

function Rule.new(name, test, text)
    return setmetatable({ name = name, test = test, text = text }, Rule)
end

function Rule:apply(job)
    if self.test(job) then
        slurm.log_user("[%s] %s", self.name, self.text)
        return false
    end
    return true
end

local rules = {
    Rule.new("time", function(job) return job.time_limit > 100 end, "too long"),
    Rule.new("tasks", function(job) return job.num_tasks ~= slurm.NO_VAL and job.num_tasks > 3 end, "too many"),
}
setmetatable(rules, { __call = function(list, job)
    local good = 0
    for _, rule in ipairs(list) do
        if rule:apply(job) then good = good + 1 end
    end
    return good
end })

function slurm_job_submit(job_desc, part_list, submit_uid)
    if rules(job_desc) < #rules then
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
