-- SPDX-License-Identifier: GPL-2.0-or-later
-- Reads everything that a record of a waiting job has and asks for.
--: update comment=x
--: update priority=0
local names = { "account", "alloc_node", "comment", "container", "cpus_per_tres", "features", "gres", "licenses",
    "max_cpus", "max_nodes", "mem_per_tres", "min_cpus", "min_mem_per_node", "min_mem_per_cpu", "min_nodes", "name",
    "nice", "partition", "pn_min_cpus", "pn_min_memory", "priority", "qos", "restart_cnt", "resv_name", "std_in",
    "time_limit", "time_min", "tres_bind", "tres_freq", "tres_per_job", "tres_per_node", "tres_per_socket",
    "tres_per_task", "wckey", "num_tasks", "nonsense", "origin_cluster", "spank_job_env_size" }

function slurm_job_submit(job_desc, part_list, submit_uid)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    for _, name in ipairs(names) do
        slurm.log_info("%s=%s", name, tostring(job_rec[name]))
    end
    local count = 0
    for _ in pairs(part_list) do count = count + 1 end
    slurm.log_info("%d %s %s", count, type(job_rec.argv), type(job_rec.job_id))
    return slurm.SUCCESS
end

return slurm.SUCCESS
