-- SPDX-License-Identifier: GPL-2.0-or-later
-- Reads everything of partitions.
--: submit
local names = { "allow_accounts", "allow_alloc_nodes", "allow_groups", "allow_qos", "alternate", "billing_weights_str",
    "default_time", "def_mem_per_cpu", "def_mem_per_node", "deny_accounts", "deny_qos", "flag_default", "flags",
    "max_cpus_per_node", "max_mem_per_cpu", "max_mem_per_node", "max_nodes", "max_nodes_orig", "max_share",
    "max_oversubscribe", "max_time", "min_nodes", "min_nodes_orig", "name", "nodes", "priority_job_factor",
    "priority_tier", "qos", "state_up", "total_cpus", "total_nodes", "nonsense" }

function slurm_job_submit(job_desc, part_list, submit_uid)
    local order = {}
    for name in pairs(part_list) do order[#order + 1] = name end
    table.sort(order)
    for _, part in ipairs(order) do
        for _, name in ipairs(names) do
            slurm.log_user("%s.%s=%s", part, name, tostring(part_list[part][name]))
        end
    end
    slurm.log_user("%s %s", tostring(part_list.nothing), type(part_list))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
